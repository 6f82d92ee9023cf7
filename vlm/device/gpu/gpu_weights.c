/* gpu_weights.c - see gpu_weights.h. One traversal of all weights that counts,
 * checks types or copies. */
#include "vlm/device/gpu/gpu_weights.h"

#include <string.h>

#include "vlm/base/pool.h"
#include "vlm/device/device.h"
#include "vlm/device/gpu/gpu_arena.h"
#include "vlm/device/gpu/gpu_matmul.h"

enum { STAGE = 16 << 20 }; /* bytes of rows converted at a time */

struct weight_walk {
    struct gpu_driver *g; /* NULL: nothing is copied */
    struct pool *pool;
    struct gpu_arena arena;
    char *stage;
    const char *unknown;
    bool type[QUANT_NVFP4 + 1]; /* seen */
    struct gpu_samples *samples;
    struct err *err;
};

struct some_rows {
    const struct weight *w;
    int first;
    char *to;
};

static void lay_out(void *arg, int first, int last, int thread)
{
    const struct some_rows *rows = arg;
    size_t pitch = gpu_matmul_pitch(rows->w);
    (void)thread;
    for (int i = first; i < last; i++)
        gpu_matmul_layout(rows->w, rows->first + i,
                          rows->to + (size_t)i * pitch);
}

/* Uploads rows in the device's layout and pitch. */
static void copy_rows(struct weight_walk *k, const struct weight *w, char *to)
{
    size_t row = quant_row_bytes(w->type, w->n_col);
    size_t pitch = gpu_matmul_pitch(w), n = (size_t)w->n_row;
    if (row == pitch && !quant_form(w->type).sub) {
        gpu_driver_upload(k->g, to, w->raw, n * row, k->err);
        return;
    }
    size_t some = STAGE / pitch ? STAGE / pitch : 1;
    if (!k->stage)
        k->stage = mem_alloc(1, some * pitch > STAGE ? some * pitch : STAGE);
    for (size_t r = 0; r < n; r += some) {
        size_t m = n - r < some ? n - r : some;
        struct some_rows rows = {w, (int)r, k->stage};
        pool_run(k->pool, (int)m, 1, lay_out, &rows);
        gpu_driver_upload(k->g, to + r * pitch, k->stage, m * pitch, k->err);
    }
}

/* Records the first weight of each type that has enough rows. */
static void sample(struct gpu_samples *s, const struct weight *host,
                   const struct weight *device)
{
    if (host->n_row < 3) return;
    for (int i = 0; i < s->n; i++)
        if (s->sample[i].host.type == host->type) return;
    s->sample[s->n++] = (struct gpu_sample){*host, *device};
}

static void walk_matrix(struct weight_walk *k, struct weight *w)
{
    const struct weight host = *w;
    if (!w->raw) return;
    if (!gpu_matmul_knows(w->type)) k->unknown = quant_info(w->type)->name;
    if (w->type <= QUANT_NVFP4) k->type[w->type] = true;
    char *to = gpu_arena_part(&k->arena, (size_t)w->n_row, gpu_matmul_pitch(w));
    if (k->g) copy_rows(k, w, to);
    w->raw = to;
    if (k->samples) sample(k->samples, &host, w);
}

/* Uses `other` if both are the same tensor. */
static void walk_matrix_or(struct weight_walk *k, struct weight *w,
                           const struct weight *was, const struct weight *other)
{
    if (w->raw && w->raw == was->raw)
        w->raw = other->raw;
    else
        walk_matrix(k, w);
}

static void walk_vector(struct weight_walk *k, const float **v, int n)
{
    if (!*v) return;
    float *to = gpu_arena_part(&k->arena, (size_t)n, sizeof *to);
    if (k->g) gpu_driver_upload(k->g, to, *v, (size_t)n * sizeof *to, k->err);
    *v = to;
}

/* ---- the text model ---------------------------------------------------------- */

static void walk_attention(struct weight_walk *k, const struct shape *s,
                           struct attention_weights *w)
{
    walk_matrix(k, &w->q);
    walk_matrix(k, &w->k);
    walk_matrix(k, &w->v);
    walk_matrix(k, &w->out);
    walk_vector(k, &w->q_norm, s->n_embd_head);
    walk_vector(k, &w->k_norm, s->n_embd_head);
}

static void walk_delta(struct weight_walk *k, const struct shape *s,
                       struct gdn_weights *w)
{
    walk_matrix(k, &w->qkv);
    walk_matrix(k, &w->z);
    walk_matrix(k, &w->alpha);
    walk_matrix(k, &w->beta);
    walk_matrix(k, &w->out);
    walk_vector(k, &w->conv, s->conv_width * s->conv_kernel);
    walk_vector(k, &w->dt_bias, s->n_gdn_v);
    walk_vector(k, &w->a, s->n_gdn_v);
    walk_vector(k, &w->norm, s->gdn_dim);
}

static void walk_ffn(struct weight_walk *k, const struct shape *s,
                     struct ffn_weights *w)
{
    struct weight gate_exps = w->gate_exps;
    walk_matrix(k, &w->gate);
    walk_matrix(k, &w->up);
    walk_matrix(k, &w->down);
    if (!s->n_expert) return;
    walk_matrix(k, &w->router);
    walk_matrix(k, &w->gate_exps);
    walk_matrix_or(k, &w->up_exps, &gate_exps, &w->gate_exps);
    walk_matrix(k, &w->down_exps);
    walk_vector(k, &w->gate_scale, s->n_expert);
    walk_vector(k, &w->up_scale, s->n_expert);
    walk_vector(k, &w->down_scale, s->n_expert);
    walk_vector(k, &w->shared_gate, s->n_embd);
}

static void walk_text(struct weight_walk *k, const struct shape *s,
                      struct weights *w)
{
    struct weight embd = w->embd;
    walk_matrix(k, &w->embd);
    walk_matrix_or(k, &w->head, &embd, &w->embd);
    walk_vector(k, &w->norm_out, s->n_embd);
    for (int l = 0; l < s->n_layer; l++) {
        struct layer *layer = &w->layer[l];
        walk_vector(k, &layer->norm_mix, s->n_embd);
        walk_vector(k, &layer->norm_ffn, s->n_embd);
        if (layer->attends)
            walk_attention(k, s, &layer->attention);
        else
            walk_delta(k, s, &layer->gdn);
        walk_ffn(k, s, &layer->ffn);
    }
}

/* ---- vision encoder ---------------------------------------------------------- */

static void walk_vision_layer(struct weight_walk *k,
                              const struct vision_shape *s,
                              struct vision_layer *w)
{
    walk_vector(k, &w->ln1_w, s->n_embd);
    walk_vector(k, &w->ln1_b, s->n_embd);
    walk_vector(k, &w->ln2_w, s->n_embd);
    walk_vector(k, &w->ln2_b, s->n_embd);
    walk_matrix(k, &w->qkv);
    walk_matrix(k, &w->out);
    walk_matrix(k, &w->up);
    walk_matrix(k, &w->down);
    walk_vector(k, &w->qkv_b, 3 * s->n_embd);
    walk_vector(k, &w->out_b, s->n_embd);
    walk_vector(k, &w->up_b, s->n_ff);
    walk_vector(k, &w->down_b, s->n_embd);
}

static void walk_vision(struct weight_walk *k, const struct vision_shape *s,
                        struct vision_weights *w)
{
    walk_matrix(k, &w->patch);
    walk_vector(k, &w->patch_b, s->n_embd);
    walk_vector(k, &w->position,
                s->position_side * s->position_side * s->n_embd);
    for (int l = 0; l < s->n_layer; l++)
        walk_vision_layer(k, s, &w->layer[l]);
    walk_vector(k, &w->post_w, s->n_embd);
    walk_vector(k, &w->post_b, s->n_embd);
    walk_matrix(k, &w->fc1);
    walk_matrix(k, &w->fc2);
    walk_vector(k, &w->fc1_b, w->fc1.n_row);
    walk_vector(k, &w->fc2_b, s->n_out);
}

/* ---- traversal --------------------------------------------------------------- */

static void *copy_array(struct arena *arena, const void *from, size_t n,
                        size_t size)
{
    return memcpy(arena_array(arena, n, size), from, n * size);
}

/* Walks copies of the structs, which then have device pointers. */
static void walk_all(struct weight_walk *k, const struct device_model *m,
                     struct arena *arena, struct weights *text,
                     struct vision_weights *vision)
{
    *text = *m->weights;
    text->layer = copy_array(arena, text->layer, (size_t)m->shape->n_layer,
                             sizeof *text->layer);
    walk_text(k, m->shape, text);
    if (!m->vision_weights) return;
    *vision = *m->vision_weights;
    vision->layer =
        copy_array(arena, vision->layer, (size_t)m->vision_shape->n_layer,
                   sizeof *vision->layer);
    walk_vision(k, m->vision_shape, vision);
}

static struct weight_walk walk_only(const struct device_model *m)
{
    struct weight_walk k = {0};
    struct weights text;
    struct vision_weights vision;
    struct arena *arena = arena_new();
    walk_all(&k, m, arena, &text, &vision);
    arena_free(arena);
    return k;
}

size_t gpu_weights_bytes(const struct device_model *m)
{
    return walk_only(m).arena.at;
}

void gpu_weights_types(const struct device_model *m,
                       bool types[QUANT_NVFP4 + 1])
{
    const struct weight_walk k = walk_only(m);
    memcpy(types, k.type, sizeof k.type);
}

const char *gpu_weights_unknown(const struct device_model *m)
{
    return walk_only(m).unknown;
}

void gpu_weights_upload(struct gpu_driver *g, const struct device_model *m,
                        int n_thread, struct arena *arena, struct weights *text,
                        struct vision_weights *vision,
                        struct gpu_samples *samples, struct err *err)
{
    if (err_failed(err)) return;
    struct weight_walk k = {.g = g, .samples = samples, .err = err};
    k.pool = pool_new(n_thread, err);
    k.arena.base = gpu_driver_alloc(g, gpu_weights_bytes(m), err);
    if (!err_failed(err)) walk_all(&k, m, arena, text, vision);
    pool_free(k.pool);
    mem_free(k.stage);
}
