/* gpu_text.c - the text model: a pass through all layers as launches, in the
 * order of MODEL.md and of cpu/decode.
 *
 * The host fills and uploads one block (struct gpu_pass); then it only
 * launches. A failed pass leaves undefined data in its sequences, and their
 * lengths unchanged.
 */
#include <assert.h>
#include <string.h>

#include "vlm/device/gpu/gpu_inside.h"

static size_t times(int a, int b)
{
    return (size_t)a * (size_t)b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* ---- arguments of a pass ------------------------------------------------------- */

/* The host's copy of an address in the uploaded block. */
static void *staged(const struct gpu_device *g, const void *at)
{
    return g->stage + ((const char *)at - g->buffers.sent);
}

static void stages_run(struct gpu_device *g, const struct device_run *r,
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
                picture->row + times(r->picture_first + j, g->base.n_embd);
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
    struct gpu_arena arena = {.base = g->buffers.sent};
    int n_key = 0;
    *p = (struct gpu_pass){.n_run = n_run};
    for (int i = 0; i < n_run; i++)
        p->n += run[i].n;
    gpu_buffers_pass(p, &arena, p->n, n_run, g->rope.n_pair);
    struct gpu_run *out = staged(g, p->run);
    for (int i = 0, first = 0; i < n_run; i++) {
        const struct device_run *r = &run[i];
        const struct gpu_state *s = (const struct gpu_state *)r->state;
        out[i] = (struct gpu_run){s->block, first, r->n, r->state->n_past,
                                  p->n_chunk};
        stages_run(g, r, &out[i], i);
        first += r->n;
        p->n_chunk += gpu_blocks(r->n, GPU_CHUNK);
        p->longest = larger(p->longest, r->n);
        n_key = larger(n_key, r->state->n_past + r->n);
    }
    p->n_split = gpu_buffers_splits(p->n, n_key);
}

/* Clears the state of sequences that start. */
static void begin_runs(struct gpu_device *g, const struct device_run *run,
                       int n_run, struct err *err)
{
    for (int i = 0; i < n_run; i++)
        if (run[i].state->n_past == 0)
            gpu_driver_clear(g->driver,
                             ((const struct gpu_state *)run[i].state)->block,
                             g->plan.fixed_bytes, err);
}

/* ---- a layer ------------------------------------------------------------------- */

/* h = the norm of x, in bytes for the first weight, too: with which layer l begins;
 * and its feed-forward part. Without w: behind the last layer. */
static struct gpu_norm_args norm_of(const struct gpu_device *g, const float *w,
                                    const struct weight *first)
{
    return (struct gpu_norm_args){.x = g->buffers.x,
                                  .w = w,
                                  .y = g->buffers.h,
                                  .to =
                                      gpu_matmul_bytes(&g->buffers.act, first),
                                  .n_col = g->shape->n_embd,
                                  .eps = g->shape->norm_eps};
}

static struct gpu_norm_args norm_of_layer(const struct gpu_device *g, int l)
{
    if (l == g->shape->n_layer) return (struct gpu_norm_args){0};
    const struct layer *w = &g->w.layer[l];
    return norm_of(g, w->norm_mix, w->attends ? &w->attention.q : &w->gdn.qkv);
}

static struct gpu_norm_args norm_of_ffn(const struct gpu_device *g, int l)
{
    const struct layer *w = &g->w.layer[l];
    return norm_of(g, w->norm_ffn,
                   g->shape->n_expert ? &w->ffn.gate_exps : &w->ffn.gate);
}

static void norm(struct gpu_device *g, const struct gpu_norm_args *a,
                 struct err *err)
{
    if (a->w)
        gpu_driver_launch(g->driver, GPU_KERNEL_gpu_norm, a, g->pass.n, 1, 1,
                          err);
}

/* x += h for n rows from `first` on. */
static void add_rows(struct gpu_device *g, int first, int n, struct err *err)
{
    size_t at = times(first, g->shape->n_embd);
    struct gpu_pair_args a = {.x = g->buffers.x + at,
                              .y = g->buffers.h + at,
                              .n = n * g->shape->n_embd};
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_add, &a,
                      gpu_blocks(a.n, GPU_THREADS), 1, 1, err);
}

/* Do all runs go through layer l? */
static bool all_take(const struct gpu_device *g, const struct device_run *run,
                     int l)
{
    bool all = true;
    for (int i = 0; i < g->pass.n_run; i++)
        all &= run[i].left_out != l + 1;
    return all;
}

/* x += h, except for runs that leave out layer l. */
static void add_layer(struct gpu_device *g, const struct device_run *run, int l,
                      struct err *err)
{
    for (int i = 0, first = 0; i < g->pass.n_run; first += run[i++].n)
        if (run[i].left_out != l + 1) add_rows(g, first, run[i].n, err);
}

/* The end of a part of layer l: x += from w', at once if all runs take it, else
 * in h; then the norm of the next part. */
static void multiply_out(struct gpu_device *g, const struct device_run *run,
                         int l, const struct gpu_act *act,
                         const struct weight *w, const float *from,
                         bool in_bytes, struct gpu_norm_args next,
                         struct err *err)
{
    const struct gpu_buffers *r = &g->buffers;
    if (all_take(g, run, l)) {
        gpu_matmul_onto(g->driver, act, w, from, g->pass.n, in_bytes, r->x,
                        next.w ? &next : NULL, r->count, err);
        return;
    }
    gpu_matmul_many(g->driver, act, &w, 1, from, g->pass.n, in_bytes,
                    (float *[]){r->h}, err);
    add_layer(g, run, l, err);
    norm(g, &next, err);
}

/* Where a kernel whose blocks make `each` numbers leaves bytes for w; nowhere (act 0)
 * if those are not whole blocks of bytes. */
static struct gpu_bytes bytes_for(const struct gpu_device *g,
                                  const struct weight *w, int each)
{
    struct gpu_bytes to = gpu_matmul_bytes(&g->buffers.act, w);
    if (to.act && each % to.act) to.act = 0;
    return to;
}

/* Attention between its products. */
static void attend(struct gpu_device *g, const struct gpu_attend_args *a,
                   struct err *err)
{
    const struct gpu_pass *p = &g->pass;
    int tokens = GPU_QUERIES / (a->n_head / a->n_head_kv);
    int heads = p->n_run * a->n_head_kv;
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_attend_ready, a, p->n,
                      a->n_head + a->n_head_kv, 1, err);
    if (p->n == p->n_run && p->n <= GPU_DIRECT_MAX &&
        p->n * p->n_split <= gpu_buffers_scores(g)) {
        gpu_driver_launch(g->driver, GPU_KERNEL_gpu_attend_scores, a,
                          GPU_SEGMENT / GPU_KEYS, heads, p->n_split, err);
        gpu_driver_launch(g->driver, GPU_KERNEL_gpu_attend_values, a,
                          gpu_blocks(a->dim, GPU_WARP), heads, p->n_split, err);
    } else {
        gpu_driver_launch(g->driver, GPU_KERNEL_gpu_attend, a,
                          gpu_blocks(p->longest, tokens), heads, p->n_split,
                          err);
    }
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_attend_join, a, p->n, a->n_head,
                      1, err);
}

static void attention(struct gpu_device *g, const struct device_run *run, int l,
                      struct err *err)
{
    const struct shape *s = g->shape;
    const struct attention_weights *w = &g->w.layer[l].attention;
    const struct gpu_buffers *r = &g->buffers;
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
                                .score = r->score,
                                .part = r->part,
                                .o = r->o,
                                .to = bytes_for(g, &w->out, s->n_embd_head),
                                .kv = g->plan.at[l],
                                .kept = g->plan.kept,
                                .kept_row = g->plan.kept_row,
                                .n = p->n,
                                .n_run = p->n_run,
                                .n_split = p->n_split,
                                .n_ctx = g->plan.n_ctx,
                                .n_head = s->n_head,
                                .n_head_kv = s->n_head_kv,
                                .dim = s->n_embd_head,
                                .n_pair = g->rope.n_pair,
                                .eps = s->norm_eps};
    gpu_matmul_many(g->driver, &r->act, in, 3, r->h, p->n, true, out, err);
    attend(g, &a, err);
    multiply_out(g, run, l, &r->act, &w->out, r->o, a.to.act, norm_of_ffn(g, l),
                 err);
}

static struct gpu_delta_args delta_args(const struct gpu_device *g, int l)
{
    const struct shape *s = g->shape;
    const struct gdn_weights *w = &g->w.layer[l].gdn;
    const struct gpu_buffers *r = &g->buffers;
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
                                   .count = r->count,
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

/* The delta rule between its products, where every run is a token; bytes of several
 * heads are those of all. */
static void delta_token(struct gpu_device *g, const struct weight *out,
                        struct gpu_delta_args *a, struct err *err)
{
    int act = quant_form(out->type).act;
    bool several = act > a->dim && act % a->dim == 0;
    a->to = bytes_for(g, out, several ? a->n_v * a->dim : a->dim);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_delta_token, a, a->n_run,
                      a->n_v, 1, err);
}

static void delta_runs(struct gpu_device *g, const struct weight *out,
                       struct gpu_delta_args *a, struct err *err)
{
    int longest = g->pass.longest;
    a->to = bytes_for(g, out, GPU_WARPS * a->dim);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_delta_ready, a, a->n,
                      2 * a->n_k + a->n_v + 1, 1, err);
    if (longest > GPU_STEPS)
        gpu_driver_launch(g->driver, GPU_KERNEL_gpu_delta_pairs, a,
                          gpu_blocks(longest, GPU_CHUNK), a->n_run, a->n_v,
                          err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_delta, a,
                      gpu_blocks(a->dim, GPU_STRIP), a->n_run, a->n_v, err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_delta_gate, a, a->n,
                      gpu_blocks(a->n_v, GPU_WARPS), 1, err);
}

static void delta(struct gpu_device *g, const struct device_run *run, int l,
                  struct err *err)
{
    const struct gdn_weights *w = &g->w.layer[l].gdn;
    const struct gpu_buffers *r = &g->buffers;
    const struct gpu_pass *p = &g->pass;
    const struct weight *const in[] = {&w->qkv, &w->z, &w->alpha, &w->beta};
    float *const out[] = {r->raw, r->z, r->g, r->beta};
    struct gpu_delta_args a = delta_args(g, l);
    gpu_matmul_many(g->driver, &r->act, in, 4, r->h, p->n, true, out, err);
    if (p->n == p->n_run && a.dim % GPU_STRIP == 0)
        delta_token(g, &w->out, &a, err);
    else
        delta_runs(g, &w->out, &a, err);
    multiply_out(g, run, l, &r->act, &w->out, r->out, a.to.act,
                 norm_of_ffn(g, l), err);
}

static void feed_forward(struct gpu_device *g, const struct device_run *run,
                         int l, struct err *err)
{
    const struct ffn_weights *w = &g->w.layer[l].ffn;
    const struct gpu_buffers *r = &g->buffers;
    const struct weight *const in[] = {&w->gate, &w->up};
    float *const out[] = {r->gate, r->up};
    struct gpu_norm_args next = norm_of_layer(g, l + 1);
    struct gpu_act act = r->gated;
    act.choices = r->act.choices;
    if (g->shape->n_expert) {
        gpu_experts(g, l, all_take(g, run, l), err);
        if (!all_take(g, run, l)) add_layer(g, run, l, err);
        norm(g, &next, err);
        return;
    }
    if (g->pass.n > 1 ||
        !gpu_matmul_gated(g->driver, &r->act, in, r->h, out,
                          gpu_matmul_bytes(&act, &w->down), r->count, err)) {
        act = r->act;
        gpu_matmul_many(g->driver, &act, in, 2, r->h, g->pass.n, true, out,
                        err);
        gpu_matmul_gate(g->driver, &act, r->gate, r->up,
                        g->pass.n * g->shape->n_ff, &w->down, err);
    }
    multiply_out(g, run, l, &act, &w->down, r->gate, true, next, err);
}

static void layer(struct gpu_device *g, const struct device_run *run, int l,
                  struct err *err)
{
    if (g->w.layer[l].attends)
        attention(g, run, l, err);
    else
        delta(g, run, l, err);
    feed_forward(g, run, l, err);
}

/* ---- a pass -------------------------------------------------------------------- */

static void embed(struct gpu_device *g, struct err *err)
{
    const struct gpu_pass *p = &g->pass;
    struct gpu_take_args take = {p->from, g->buffers.x, g->shape->n_embd};
    if (p->n_token)
        gpu_matmul_embed(g->driver, &g->w.embd, p->token, p->at, p->n_token,
                         g->buffers.x, err);
    if (p->n_token < p->n)
        gpu_driver_launch(g->driver, GPU_KERNEL_gpu_take_rows, &take, p->n, 1,
                          1, err);
}

/* All launches of the current pass. */
static void launch_all(struct gpu_device *g, const struct device_run *run,
                       struct err *err)
{
    const struct gpu_pass *p = &g->pass;
    struct gpu_keep_args keep = {p->run, g->buffers.x, g->plan.last,
                                 g->shape->n_embd};
    struct gpu_norm_args first = norm_of_layer(g, 0);
    embed(g, err);
    norm(g, &first, err);
    for (int l = 0; l < g->shape->n_layer && !err_failed(err); l++)
        layer(g, run, l, err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_keep_rows, &keep, p->n_run, 1,
                      1, err);
}

/* Are the launches the same in every pass of this many tokens? */
static bool is_usual(const struct gpu_device *g, const struct device_run *run)
{
    bool usual = g->pass.n == g->pass.n_run && g->pass.n_token == g->pass.n;
    for (int i = 0; i < g->pass.n_run; i++)
        usual &= !run[i].left_out;
    return usual;
}

static void record_token(struct gpu_device *g, const struct device_run *run,
                         struct gpu_token *t, struct err *err)
{
    gpu_driver_forget(g->driver, t->steps);
    *t = (struct gpu_token){g->pass.n_run, g->pass.n_split, NULL};
    gpu_driver_record(g->driver, err);
    launch_all(g, run, err);
    t->steps = gpu_driver_recorded(g->driver, err);
}

/* One token per sequence: hundreds of launches, recorded once. */
static void repeat_token(struct gpu_device *g, const struct device_run *run,
                         struct err *err)
{
    struct gpu_token *t = NULL;
    for (int i = 0; i < GPU_TOKENS; i++)
        if (g->token[i].steps && g->token[i].n_run == g->pass.n_run &&
            g->token[i].n_split == g->pass.n_split)
            t = &g->token[i];
    if (!t) {
        t = &g->token[g->next_token];
        g->next_token = (g->next_token + 1) % GPU_TOKENS;
        record_token(g, run, t, err);
    }
    gpu_driver_repeat(g->driver, t->steps, err);
}

void gpu_text_forget(struct gpu_device *g)
{
    for (int i = 0; i < GPU_TOKENS; i++) {
        gpu_driver_forget(g->driver, g->token[i].steps);
        g->token[i].steps = NULL;
    }
}

void gpu_text_forward(struct gpu_device *g, const struct device_run *run,
                      int n_run, struct err *err)
{
    if (err_failed(err)) return;
    stage_pass(g, run, n_run);
    gpu_driver_upload(g->driver, g->buffers.sent, g->stage, g->pass.bytes, err);
    begin_runs(g, run, n_run, err);
    if (is_usual(g, run))
        repeat_token(g, run, err);
    else
        launch_all(g, run, err);
    for (int i = 0; i < n_run && !err_failed(err); i++)
        run[i].state->n_past += run[i].n;
}

/* ---- predictions --------------------------------------------------------------- */

/* Normed rows of places, at most GPU_HEAD_ROWS; and in bytes. */
static void norm_places(struct gpu_device *g, const struct device_place *place,
                        int n, struct err *err)
{
    const float *from[GPU_HEAD_ROWS];
    struct gpu_norm_args a = {.row = g->buffers.place,
                              .w = g->w.norm_out,
                              .y = g->buffers.y,
                              .to =
                                  gpu_matmul_bytes(&g->buffers.act, &g->w.head),
                              .n_col = g->shape->n_embd,
                              .eps = g->shape->norm_eps};
    for (int i = 0; i < n; i++)
        from[i] = place[i].state
                      ? gpu_state_last(place[i].state)
                      : g->buffers.x + times(place[i].row, g->shape->n_embd);
    gpu_driver_upload(g->driver, g->buffers.place, from,
                      (size_t)n * sizeof *from, err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_norm, &a, n, 1, 1, err);
}

void gpu_text_head(struct gpu_device *g, const struct device_place *place,
                   int n, const int32_t *pick, int n_pick, float *logits,
                   struct err *err)
{
    const struct gpu_buffers *r = &g->buffers;
    const struct weight *head = &g->w.head;
    int wide = pick ? n_pick : g->shape->n_vocab;
    if (err_failed(err)) return;
    assert(wide <= g->shape->n_vocab);
    if (pick)
        gpu_driver_upload(g->driver, r->pick, pick,
                          (size_t)n_pick * sizeof *pick, err);
    for (int i = 0; i < n && !err_failed(err); i += GPU_HEAD_ROWS) {
        int some = n - i < GPU_HEAD_ROWS ? n - i : GPU_HEAD_ROWS;
        norm_places(g, place + i, some, err);
        if (pick)
            gpu_matmul_rows(g->driver, &r->act, head, r->pick, n_pick, r->y,
                            some, r->logits, err);
        else
            gpu_matmul_many(g->driver, &r->act, &head, 1, r->y, some, true,
                            (float *[]){r->logits}, err);
        gpu_driver_get(g->driver, logits + times(i, wide), r->logits,
                       times(some, wide) * sizeof(float), err);
    }
}
