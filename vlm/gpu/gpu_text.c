/* gpu_text.c - the text model: a pass through all layers is a list of launches, in
 * the order of MODEL.md and of cpu/decode.
 *
 * The host fills one block (struct gpu_pass) and sends it; then it only launches.
 * A pass that failed leaves its sequences with garbage, and their lengths as they were.
 */
#include <assert.h>
#include <string.h>

#include "vlm/gpu/gpu_inside.h"

/* ---- room ------------------------------------------------------------------ */

static size_t times(int a, int b)
{
    return (size_t)a * (size_t)b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void plan_pass(struct gpu_pass *p, struct gpu_plot *plot, int n,
                      int n_run, int n_pair)
{
    size_t rows = (size_t)n, begun = plot->at;
    p->token = gpu_plot_part(plot, rows, sizeof *p->token);
    p->at = gpu_plot_part(plot, rows, sizeof *p->at);
    p->from = gpu_plot_part(plot, rows, sizeof *p->from);
    p->run = gpu_plot_part(plot, (size_t)n_run, sizeof *p->run);
    p->run_of = gpu_plot_part(plot, rows, sizeof *p->run_of);
    p->cosine = gpu_plot_part(plot, times(n, n_pair), sizeof(float));
    p->sine = gpu_plot_part(plot, times(n, n_pair), sizeof(float));
    p->bytes = plot->at - begun;
}

static size_t pass_bytes(int n, int n_run, int n_pair)
{
    struct gpu_plot plot = {0};
    struct gpu_pass p;
    plan_pass(&p, &plot, n, n_run, n_pair);
    return plot.at;
}

/* Segments of keys that a pass of few rows shares out among blocks; of more rows
 * there are blocks enough. */
static int splits(int n, int n_key)
{
    return n <= GPU_DIRECT_MAX ? gpu_blocks(n_key, GPU_SEGMENT) : 1;
}

static void plan_attention(struct gpu_device *g, struct gpu_plot *plot, int n)
{
    const struct shape *s = g->shape;
    struct gpu_room *r = &g->room;
    size_t f = sizeof(float), q = times(n, s->n_head) * (size_t)s->n_embd_head;
    size_t kv = times(n, s->n_head_kv) * (size_t)s->n_embd_head;
    int few = GPU_DIRECT_MAX * splits(1, g->plan.n_ctx);
    r->q = gpu_plot_part(plot, 2 * q, f);
    r->k = gpu_plot_part(plot, kv, f);
    r->v = gpu_plot_part(plot, kv, f);
    r->o = gpu_plot_part(plot, q, f);
    r->part = gpu_plot_part(
        plot, times(larger(n, few), s->n_head) * (size_t)(s->n_embd_head + 2),
        f);
}

static void plan_delta(struct gpu_device *g, struct gpu_plot *plot, int n)
{
    const struct shape *s = g->shape;
    struct gpu_room *r = &g->room;
    size_t f = sizeof(float);
    /* each run may end with a chunk of its own */
    size_t chunks = (size_t)(gpu_blocks(n, GPU_CHUNK) + g->face.n_run_max);
    r->raw = gpu_plot_part(plot, times(n, s->conv_width), f);
    r->u = gpu_plot_part(plot, times(n, s->conv_width), f);
    r->z = gpu_plot_part(plot, times(n, s->gdn_v_width), f);
    r->out = gpu_plot_part(plot, times(n, s->gdn_v_width), f);
    r->g = gpu_plot_part(plot, times(n, s->n_gdn_v), f);
    r->beta = gpu_plot_part(plot, times(n, s->n_gdn_v), f);
    r->pair = gpu_plot_part(plot, chunks * (size_t)s->n_gdn_v,
                            2 * GPU_CHUNK * (GPU_CHUNK + 1) * f);
}

static int widest(const struct shape *s)
{
    int most = larger(s->n_embd, s->n_head * s->n_embd_head);
    return larger(larger(most, s->gdn_v_width), s->n_ff);
}

void gpu_text_plan(struct gpu_device *g, struct gpu_plot *plot)
{
    const struct shape *s = g->shape;
    struct gpu_room *r = &g->room;
    int n = g->face.n_row_max;
    size_t f = sizeof(float);
    r->x = gpu_plot_part(plot, times(n, s->n_embd), f);
    r->h = gpu_plot_part(plot, times(n, s->n_embd), f);
    plan_attention(g, plot, n);
    plan_delta(g, plot, n);
    r->gate = gpu_plot_part(plot, times(n, s->n_ff), f);
    r->up = gpu_plot_part(plot, times(n, s->n_ff), f);
    r->y = gpu_plot_part(plot, times(GPU_HEAD_ROWS, s->n_embd), f);
    r->place = gpu_plot_part(plot, GPU_HEAD_ROWS, sizeof *r->place);
    r->pick = gpu_plot_part(plot, (size_t)s->n_vocab, sizeof *r->pick);
    r->logits = gpu_plot_part(plot, times(GPU_HEAD_ROWS, s->n_vocab), f);
    gpu_product_plan(&r->act, plot, larger(n, GPU_HEAD_ROWS), widest(s));
    r->sent = gpu_plot_part(
        plot, pass_bytes(n, g->face.n_run_max, g->rope.n_pair), 1);
}

/* ---- what a pass sends -------------------------------------------------------- */

/* Of what lies on the device in the present pass: where the host fills it. */
static void *staged(const struct gpu_device *g, const void *at)
{
    return g->stage + ((const char *)at - g->room.sent);
}

static void stage_run(struct gpu_device *g, const struct device_run *r,
                      struct gpu_run *out, int number)
{
    struct gpu_pass *p = &g->pass;
    int32_t *token = staged(g, p->token), *at = staged(g, p->at);
    const float **from = staged(g, p->from);
    int *run_of = staged(g, p->run_of);
    const struct gpu_rows *picture = (const struct gpu_rows *)r->picture;
    for (int i = 0; i < r->n; i++) {
        int row = out->first + i, j = i - r->picture_at;
        run_of[row] = number;
        from[row] = NULL;
        if (picture && j >= 0 && j < r->n_picture) {
            from[row] =
                picture->row + times(r->picture_first + j, g->face.n_embd);
        } else {
            token[p->n_token] = r->token[i];
            at[p->n_token++] = row;
        }
    }
    rope_fill(&g->rope, r->at, r->n,
              (float *)staged(g, p->cosine) + times(out->first, g->rope.n_pair),
              (float *)staged(g, p->sine) + times(out->first, g->rope.n_pair));
}

static void stage_pass(struct gpu_device *g, const struct device_run *run,
                       int n_run)
{
    struct gpu_pass *p = &g->pass;
    struct gpu_plot plot = {.base = g->room.sent};
    int n_key = 0;
    *p = (struct gpu_pass){.n_run = n_run};
    for (int i = 0; i < n_run; i++)
        p->n += run[i].n;
    plan_pass(p, &plot, p->n, n_run, g->rope.n_pair);
    struct gpu_run *out = staged(g, p->run);
    for (int i = 0, first = 0; i < n_run; i++) {
        const struct device_run *r = &run[i];
        const struct gpu_state *s = (const struct gpu_state *)r->state;
        out[i] = (struct gpu_run){s->block, first, r->n, r->state->n_past,
                                  p->n_chunk};
        stage_run(g, r, &out[i], i);
        first += r->n;
        p->n_chunk += gpu_blocks(r->n, GPU_CHUNK);
        p->longest = larger(p->longest, r->n);
        n_key = larger(n_key, r->state->n_past + r->n);
    }
    p->n_split = splits(p->n, n_key);
}

/* An empty sequence remembers nothing. */
static void begin_runs(struct gpu_device *g, const struct device_run *run,
                       int n_run, struct err *err)
{
    for (int i = 0; i < n_run; i++)
        if (run[i].state->n_past == 0)
            gpu_driver_clear(g->driver,
                             ((const struct gpu_state *)run[i].state)->block,
                             g->plan.fixed_bytes, err);
}

/* ---- where heads look ---------------------------------------------------------- */

static size_t look_size(const struct device_attention *a, int n)
{
    return a ? times(n - a->from, a->n_head) * (size_t)a->n_key : 0;
}

static void begin_looks(struct gpu_device *g, const struct device_run *run,
                        int n_run, struct err *err)
{
    size_t size = 0;
    for (int i = 0; i < n_run; i++)
        size += look_size(run[i].attention, run[i].n) * sizeof(float);
    if (!size || err_failed(err)) return;
    if (size > g->look_bytes) {
        gpu_driver_give(g->driver, g->look);
        g->look = gpu_driver_take(g->driver, size, err);
        g->look_bytes = g->look ? size : 0;
    }
    gpu_driver_clear(g->driver, g->look, size, err);
}

static void look(struct gpu_device *g, const struct gpu_attend_args *args,
                 const struct device_run *run, int layer, struct err *err)
{
    float *to = g->look;
    for (int i = 0, first = 0; i < g->pass.n_run; first += run[i++].n) {
        const struct device_attention *a = run[i].attention;
        for (int j = 0; a && j < (run[i].n - a->from) * a->n_head; j++) {
            const struct device_head *h = &a->head[j % a->n_head];
            struct gpu_look_args look = {
                *args,    first + a->from + j / a->n_head, h->head, a->first,
                a->n_key, to + times(j, a->n_key)};
            if (h->layer == layer)
                gpu_driver_launch(g->driver, GPU_KERNEL_gpu_attend_look, &look,
                                  1, 1, 1, err);
        }
        to += look_size(a, run[i].n);
    }
}

static void end_looks(struct gpu_device *g, const struct device_run *run,
                      int n_run, struct err *err)
{
    const float *from = g->look;
    for (int i = 0; i < n_run; i++) {
        size_t size = look_size(run[i].attention, run[i].n);
        if (size)
            gpu_driver_get(g->driver, run[i].attention->weight, from,
                           size * sizeof(float), err);
        from += size;
    }
}

/* ---- a layer ------------------------------------------------------------------- */

static void norm(struct gpu_device *g, const float *w, struct err *err)
{
    struct gpu_norm_args a = {.x = g->room.x,
                              .w = w,
                              .y = g->room.h,
                              .n_col = g->shape->n_embd,
                              .eps = g->shape->norm_eps};
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_norm, &a, g->pass.n, 1, 1, err);
}

/* x += h for n rows from `first` on. */
static void add_rows(struct gpu_device *g, int first, int n, struct err *err)
{
    size_t at = times(first, g->shape->n_embd);
    struct gpu_pair_args a = {g->room.x + at, g->room.h + at,
                              n * g->shape->n_embd};
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_add, &a,
                      gpu_blocks(a.n, GPU_THREADS), 1, 1, err);
}

/* x += h, but for the runs that go without layer l. */
static void add_layer(struct gpu_device *g, const struct device_run *run, int l,
                      struct err *err)
{
    bool all = true;
    for (int i = 0; i < g->pass.n_run; i++)
        all &= run[i].left_out != l + 1;
    if (all) add_rows(g, 0, g->pass.n, err);
    for (int i = 0, first = 0; !all && i < g->pass.n_run; first += run[i++].n)
        if (run[i].left_out != l + 1) add_rows(g, first, run[i].n, err);
}

static void attention(struct gpu_device *g, const struct device_run *run, int l,
                      struct err *err)
{
    const struct shape *s = g->shape;
    const struct attention_weights *w = &g->w.layer[l].attention;
    const struct gpu_room *r = &g->room;
    const struct gpu_pass *p = &g->pass;
    const struct weight *const in[] = {&w->q, &w->k, &w->v};
    float *const out[] = {r->q, r->k, r->v};
    struct gpu_attend_args a = {.run = p->run,
                                .run_of = p->run_of,
                                .q = r->q,
                                .k = r->k,
                                .v = r->v,
                                .q_norm = w->q_norm,
                                .k_norm = w->k_norm,
                                .cosine = p->cosine,
                                .sine = p->sine,
                                .part = r->part,
                                .o = r->o,
                                .kv = g->plan.at[l],
                                .n = p->n,
                                .n_run = p->n_run,
                                .n_split = p->n_split,
                                .n_ctx = g->plan.n_ctx,
                                .n_head = s->n_head,
                                .n_head_kv = s->n_head_kv,
                                .dim = s->n_embd_head,
                                .n_pair = g->rope.n_pair,
                                .eps = s->norm_eps};
    int tokens = GPU_QUERIES / (s->n_head / s->n_head_kv);
    gpu_products(g->driver, &r->act, in, 3, r->h, p->n, out, err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_attend_ready, &a, p->n,
                      s->n_head + s->n_head_kv, 1, err);
    look(g, &a, run, l, err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_attend, &a,
                      gpu_blocks(p->longest, tokens), p->n_run * s->n_head_kv,
                      p->n_split, err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_attend_join, &a, p->n,
                      s->n_head, 1, err);
    gpu_product(g->driver, &r->act, &w->out, r->o, p->n, r->h, err);
}

static struct gpu_delta_args delta_args(const struct gpu_device *g, int l)
{
    const struct shape *s = g->shape;
    const struct gdn_weights *w = &g->w.layer[l].gdn;
    const struct gpu_room *r = &g->room;
    return (struct gpu_delta_args){.run = g->pass.run,
                                   .run_of = g->pass.run_of,
                                   .raw = r->raw,
                                   .u = r->u,
                                   .tap = w->conv,
                                   .g = r->g,
                                   .beta = r->beta,
                                   .dt_bias = w->dt_bias,
                                   .rate = w->a,
                                   .pair = r->pair,
                                   .z = r->z,
                                   .norm = w->norm,
                                   .o = r->out,
                                   .delta = g->plan.at[l],
                                   .tail = g->plan.tail[l],
                                   .n = g->pass.n,
                                   .n_run = g->pass.n_run,
                                   .n_chunk = g->pass.n_chunk,
                                   .n_k = s->n_gdn_k,
                                   .n_v = s->n_gdn_v,
                                   .dim = s->gdn_dim,
                                   .wide = s->conv_width,
                                   .n_tap = s->conv_kernel,
                                   .eps = s->norm_eps};
}

static void delta(struct gpu_device *g, int l, struct err *err)
{
    const struct gdn_weights *w = &g->w.layer[l].gdn;
    const struct gpu_room *r = &g->room;
    const struct gpu_pass *p = &g->pass;
    const struct weight *const in[] = {&w->qkv, &w->z, &w->alpha, &w->beta};
    float *const out[] = {r->raw, r->z, r->g, r->beta};
    struct gpu_delta_args a = delta_args(g, l);
    int strips = gpu_blocks(a.wide, GPU_THREADS);
    gpu_products(g->driver, &r->act, in, 4, r->h, p->n, out, err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_delta_conv, &a, p->n, strips, 1,
                      err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_delta_keep, &a, p->n_run,
                      strips, 1, err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_delta_ready, &a, p->n,
                      2 * a.n_k + 1, 1, err);
    if (p->longest > GPU_STEPS)
        gpu_driver_launch(g->driver, GPU_KERNEL_gpu_delta_pairs, &a,
                          gpu_blocks(p->longest, GPU_CHUNK), p->n_run, a.n_v,
                          err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_delta, &a,
                      gpu_blocks(a.dim, GPU_STRIP), p->n_run, a.n_v, err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_delta_gate, &a, p->n, a.n_v, 1,
                      err);
    gpu_product(g->driver, &r->act, &w->out, r->out, p->n, r->h, err);
}

static void feed_forward(struct gpu_device *g, int l, struct err *err)
{
    const struct ffn_weights *w = &g->w.layer[l].ffn;
    const struct gpu_room *r = &g->room;
    const struct weight *const in[] = {&w->gate, &w->up};
    float *const out[] = {r->gate, r->up};
    struct gpu_pair_args a = {r->gate, r->up, g->pass.n * g->shape->n_ff};
    gpu_products(g->driver, &r->act, in, 2, r->h, g->pass.n, out, err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_silu_mul, &a,
                      gpu_blocks(a.n, GPU_THREADS), 1, 1, err);
    gpu_product(g->driver, &r->act, &w->down, r->gate, g->pass.n, r->h, err);
}

static void layer(struct gpu_device *g, const struct device_run *run, int l,
                  struct err *err)
{
    const struct layer *w = &g->w.layer[l];
    norm(g, w->norm_mix, err);
    if (w->attends)
        attention(g, run, l, err);
    else
        delta(g, l, err);
    add_layer(g, run, l, err);
    norm(g, w->norm_ffn, err);
    feed_forward(g, l, err);
    add_layer(g, run, l, err);
}

/* ---- a pass -------------------------------------------------------------------- */

static void embed(struct gpu_device *g, struct err *err)
{
    const struct gpu_pass *p = &g->pass;
    struct gpu_take_args take = {p->from, g->room.x, g->shape->n_embd};
    if (p->n_token)
        gpu_product_embed(g->driver, &g->w.embd, p->token, p->at, p->n_token,
                          g->room.x, err);
    if (p->n_token < p->n)
        gpu_driver_launch(g->driver, GPU_KERNEL_gpu_take_rows, &take, p->n, 1,
                          1, err);
}

void gpu_text_forward(struct gpu_device *g, const struct device_run *run,
                      int n_run, struct err *err)
{
    if (err_failed(err)) return;
    stage_pass(g, run, n_run);
    gpu_driver_put(g->driver, g->room.sent, g->stage, g->pass.bytes, err);
    begin_runs(g, run, n_run, err);
    begin_looks(g, run, n_run, err);
    embed(g, err);
    for (int l = 0; l < g->shape->n_layer && !err_failed(err); l++)
        layer(g, run, l, err);
    struct gpu_keep_args keep = {g->pass.run, g->room.x, g->plan.last,
                                 g->shape->n_embd};
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_keep_rows, &keep, n_run, 1, 1,
                      err);
    end_looks(g, run, n_run, err);
    for (int i = 0; i < n_run && !err_failed(err); i++)
        run[i].state->n_past += run[i].n;
}

/* ---- predictions --------------------------------------------------------------- */

/* Normed rows of places, at most GPU_HEAD_ROWS. */
static void norm_places(struct gpu_device *g, const struct device_place *place,
                        int n, struct err *err)
{
    const float *from[GPU_HEAD_ROWS];
    struct gpu_norm_args a = {.row = g->room.place,
                              .w = g->w.norm_out,
                              .y = g->room.y,
                              .n_col = g->shape->n_embd,
                              .eps = g->shape->norm_eps};
    for (int i = 0; i < n; i++)
        from[i] = place[i].state
                      ? gpu_state_last(place[i].state)
                      : g->room.x + times(place[i].row, g->shape->n_embd);
    gpu_driver_put(g->driver, g->room.place, from, (size_t)n * sizeof *from,
                   err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_norm, &a, n, 1, 1, err);
}

void gpu_text_head(struct gpu_device *g, const struct device_place *place,
                   int n, const int32_t *pick, int n_pick, float *logits,
                   struct err *err)
{
    const struct gpu_room *r = &g->room;
    int wide = pick ? n_pick : g->shape->n_vocab;
    if (err_failed(err)) return;
    assert(wide <= g->shape->n_vocab);
    if (pick)
        gpu_driver_put(g->driver, r->pick, pick, (size_t)n_pick * sizeof *pick,
                       err);
    for (int i = 0; i < n && !err_failed(err); i += GPU_HEAD_ROWS) {
        int some = n - i < GPU_HEAD_ROWS ? n - i : GPU_HEAD_ROWS;
        norm_places(g, place + i, some, err);
        if (pick)
            gpu_product_rows(g->driver, &r->act, &g->w.head, r->pick, n_pick,
                             r->y, some, r->logits, err);
        else
            gpu_product(g->driver, &r->act, &g->w.head, r->y, some, r->logits,
                        err);
        gpu_driver_get(g->driver, logits + times(i, wide), r->logits,
                       times(some, wide) * sizeof(float), err);
    }
}
