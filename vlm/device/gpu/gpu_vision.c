/* gpu_vision.c - the vision encoder on the GPU, in the order of MODEL.md, "The
 * vision encoder", and of cpu/vision/vit.c. Rows go through matrices in chunks;
 * attention covers all patches at once. Both are F16 on tensor cores with sums
 * in F32, except for weights of other types, which use the text model's
 * products.
 */
#include <math.h>
#include <string.h>

#include "vlm/device/gpu/gpu_inside.h"

enum { CHUNK_ROWS = 2048 };

/* One image being encoded. */
struct gpu_encode_plan {
    struct gpu_device *g;
    struct err *err;
    int n_x, n_y, n, dim; /* patches; size of a head */
    int chunk;            /* rows per chunk */
    int first, last;      /* the current chunk */
    uint8_t *pixel;
    float *turn;                      /* [side, dim / 4, 2]: cos, sin */
    struct gpu_between *row, *column; /* [n_y], [n_x] */
    float *x, *heads;                 /* [n, n_embd] */
    uint16_t *qkv;                    /* [n, 3 n_embd] */
    float *narrow, *wide;             /* [chunk, n_embd], [chunk, widest] */
    struct gpu_act act;
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int widest(const struct vision_shape *s)
{
    int merged = s->merge_size * s->merge_size * s->n_embd;
    int area = 3 * s->patch_size * s->patch_size;
    return larger(larger(area, 3 * s->n_embd), larger(s->n_ff, merged));
}

static struct gpu_encode_plan plan_encode(struct gpu_device *g,
                                          struct gpu_arena *arena, int n_x,
                                          int n_y)
{
    const struct vision_shape *s = g->vision_shape;
    struct gpu_encode_plan p = {.g = g, .n_x = n_x, .n_y = n_y, .n = n_x * n_y};
    size_t n = (size_t)p.n, embd = (size_t)s->n_embd, f = sizeof(float);
    size_t area = (size_t)s->patch_size * (size_t)s->patch_size;
    p.dim = s->n_embd / s->n_head;
    p.chunk = CHUNK_ROWS < p.n ? CHUNK_ROWS : p.n;
    p.pixel = gpu_arena_part(arena, n * area, 3);
    p.turn =
        gpu_arena_part(arena, (size_t)larger(n_x, n_y) * (size_t)p.dim / 2, f);
    p.row = gpu_arena_part(arena, (size_t)n_y, sizeof *p.row);
    p.column = gpu_arena_part(arena, (size_t)n_x, sizeof *p.column);
    p.x = gpu_arena_part(arena, n * embd, f);
    p.heads = gpu_arena_part(arena, n * embd, f);
    p.qkv = gpu_arena_part(arena, 3 * n * embd, sizeof *p.qkv);
    p.narrow = gpu_arena_part(arena, (size_t)p.chunk * embd, f);
    p.wide = gpu_arena_part(arena, (size_t)p.chunk * (size_t)widest(s),
                            sizeof(float));
    gpu_matmul_plan(&p.act, arena, p.chunk, widest(s));
    return p;
}

size_t gpu_vision_bytes(const struct gpu_device *g, int n_x, int n_y)
{
    struct gpu_arena arena = {0};
    plan_encode((struct gpu_device *)(uintptr_t)g, &arena, n_x, n_y);
    return arena.at;
}

/* ---- tables --------------------------------------------------------------- */

/* Angles of all coordinates; rows and columns share the table. */
static void send_turn(const struct gpu_encode_plan *p)
{
    int n = larger(p->n_x, p->n_y), quarter = p->dim / 4;
    size_t size = (size_t)n * (size_t)quarter * 2;
    float *turn = mem_alloc(size, sizeof *turn);
    for (int j = 0; j < quarter; j++) {
        float f = (float)pow(10000, -2.0 * j / (p->dim / 2));
        for (int i = 0; i < n; i++) {
            turn[2 * (i * quarter + j)] = cosf((float)i * f);
            turn[2 * (i * quarter + j) + 1] = sinf((float)i * f);
        }
    }
    gpu_driver_upload(p->g->driver, p->turn, turn, size * sizeof *turn, p->err);
    mem_free(turn);
}

/* Interpolation of the n positions of a side in the table of positions. */
static void send_between(const struct gpu_encode_plan *p,
                         struct gpu_between *to, int n)
{
    int side = p->g->vision_shape->position_side;
    struct gpu_between *b = mem_alloc((size_t)n, sizeof *b);
    for (int i = 0; i < n; i++) {
        double at = n > 1 ? (double)i * (side - 1) / (n - 1) : 0;
        int low = (int)at, high = low + 1 < side ? low + 1 : side - 1;
        b[i] = (struct gpu_between){low, high, (float)(at - low)};
    }
    gpu_driver_upload(p->g->driver, to, b, (size_t)n * sizeof *b, p->err);
    mem_free(b);
}

/* ---- rows ------------------------------------------------------------------- */

static void launch(const struct gpu_encode_plan *p, enum gpu_kernel kernel,
                   const void *args, int x, int y)
{
    gpu_driver_launch(p->g->driver, kernel, args, x, y, 1, p->err);
}

static int rows_of(const struct gpu_encode_plan *p)
{
    return p->last - p->first;
}

/* Rows of x from the chunk's first row on. */
static float *at_chunk(const struct gpu_encode_plan *p, float *x)
{
    return x + (size_t)p->first * (size_t)p->g->vision_shape->n_embd;
}

static void norm(const struct gpu_encode_plan *p, const float *w,
                 const float *b)
{
    const struct vision_shape *s = p->g->vision_shape;
    struct gpu_centre_args a = {at_chunk(p, p->x), w,         b,
                                p->narrow,         s->n_embd, s->norm_eps};
    launch(p, GPU_KERNEL_gpu_centre, &a, rows_of(p), 1);
}

static void multiply(const struct gpu_encode_plan *p, const struct weight *w,
                     const float *x, int n, float *y)
{
    gpu_matmul_f16(p->g->driver, &p->act, w, x, n, y, p->err);
}

/* x[n, n_col] = bend(x + b), or x += y + b. */
static void bias(const struct gpu_encode_plan *p, float *x, const float *y,
                 const float *b, int n, int n_col, enum gpu_bend bend)
{
    struct gpu_bias_args a = {x, y, b, n_col, bend};
    launch(p, GPU_KERNEL_gpu_bias, &a, n, gpu_blocks(n_col, GPU_THREADS));
}

/* ---- parts of an image ----------------------------------------------------- */

static void embed_chunk(const struct gpu_encode_plan *p,
                        const struct image *image)
{
    const struct vision_shape *s = p->g->vision_shape;
    const struct vision_weights *w = &p->g->vision;
    struct gpu_patch_args patch = {.pixel = p->pixel,
                                   .row = p->wide,
                                   .first = p->first,
                                   .n_x = p->n_x,
                                   .merge = s->merge_size,
                                   .size = s->patch_size,
                                   .n_channel = image->n_channel,
                                   .stride = (int)image->stride_bytes};
    struct gpu_place_args place = {
        at_chunk(p, p->x), w->patch_b, w->position, p->row,
        p->column,         p->first,   p->n_x,      s->merge_size,
        s->position_side,  s->n_embd};
    memcpy(patch.mean, s->mean, sizeof patch.mean);
    memcpy(patch.std, s->std, sizeof patch.std);
    launch(p, GPU_KERNEL_gpu_patch, &patch, rows_of(p), 1);
    multiply(p, &w->patch, p->wide, rows_of(p), place.x);
    launch(p, GPU_KERNEL_gpu_place, &place, rows_of(p), 1);
}

static void qkv_chunk(const struct gpu_encode_plan *p,
                      const struct vision_layer *l)
{
    const struct vision_shape *s = p->g->vision_shape;
    struct gpu_turn_args turn = {
        p->wide, l->qkv_b,      p->turn,   p->qkv, p->first,
        p->n_x,  s->merge_size, s->n_head, p->dim, 1 / sqrtf((float)p->dim)};
    norm(p, l->ln1_w, l->ln1_b);
    multiply(p, &l->qkv, p->narrow, rows_of(p), p->wide);
    launch(p, GPU_KERNEL_gpu_turn, &turn, rows_of(p), 3 * s->n_head);
}

static void rest_chunk(const struct gpu_encode_plan *p,
                       const struct vision_layer *l)
{
    const struct vision_shape *s = p->g->vision_shape;
    int n = rows_of(p);
    float *x = at_chunk(p, p->x);
    multiply(p, &l->out, at_chunk(p, p->heads), n, p->narrow);
    bias(p, x, p->narrow, l->out_b, n, s->n_embd, GPU_BEND_NONE);
    norm(p, l->ln2_w, l->ln2_b);
    multiply(p, &l->up, p->narrow, n, p->wide);
    bias(p, p->wide, NULL, l->up_b, n, s->n_ff, GPU_BEND_TANH);
    multiply(p, &l->down, p->wide, n, p->narrow);
    bias(p, x, p->narrow, l->down_b, n, s->n_embd, GPU_BEND_NONE);
}

/* Normed rows, read merge_size^2 at a time, are the merger's input. */
static void merge_chunk(const struct gpu_encode_plan *p, float *rows)
{
    const struct vision_shape *s = p->g->vision_shape;
    const struct vision_weights *w = &p->g->vision;
    int area = s->merge_size * s->merge_size, n = rows_of(p) / area;
    float *out = rows + (size_t)(p->first / area) * (size_t)s->n_out;
    norm(p, w->post_w, w->post_b);
    multiply(p, &w->fc1, p->narrow, n, p->wide);
    bias(p, p->wide, NULL, w->fc1_b, n, w->fc1.n_row, GPU_BEND_ERF);
    multiply(p, &w->fc2, p->wide, n, out);
    bias(p, out, NULL, w->fc2_b, n, s->n_out, GPU_BEND_NONE);
}

/* Other passes can run between layers: they have their own buffers. */
static void call_between(const struct gpu_encode_plan *p)
{
    const struct device *d = &p->g->base;
    if (!d->between) return;
    gpu_driver_wait(p->g->driver, p->err);
    d->between(d->between_arg);
}

/* The next chunk, of whole tokens; false after the last. */
static bool next_chunk(struct gpu_encode_plan *p)
{
    int merge = p->g->vision_shape->merge_size;
    int step = p->chunk / (merge * merge) * (merge * merge);
    p->first = p->last;
    p->last = p->first + step < p->n ? p->first + step : p->n;
    return p->first < p->n && !err_failed(p->err);
}

static void all_layers(struct gpu_encode_plan *p)
{
    const struct vision_shape *s = p->g->vision_shape;
    for (int i = 0; i < s->n_layer; i++) {
        const struct vision_layer *l = &p->g->vision.layer[i];
        struct gpu_see_args see = {p->qkv, p->heads, p->n, s->n_head, p->dim};
        for (p->last = 0; next_chunk(p);)
            qkv_chunk(p, l);
        launch(p, GPU_KERNEL_gpu_see, &see, gpu_blocks(p->n, GPU_EYE_QUERIES),
               s->n_head);
        for (p->last = 0; next_chunk(p);)
            rest_chunk(p, l);
        call_between(p);
    }
}

static void reserve_scratch(struct gpu_device *g, size_t size, struct err *err)
{
    if (err_failed(err) || size <= g->vision_scratch_bytes) return;
    gpu_driver_free(g->driver, g->vision_scratch);
    g->vision_scratch = gpu_driver_alloc(g->driver, size, err);
    g->vision_scratch_bytes = g->vision_scratch ? size : 0;
}

void gpu_vision_encode(struct gpu_device *g, const struct image *image,
                       float *rows, struct err *err)
{
    if (err_failed(err)) return;
    int patch = g->vision_shape->patch_size;
    int n_x = image->width_px / patch, n_y = image->height_px / patch;
    reserve_scratch(g, gpu_vision_bytes(g, n_x, n_y), err);
    if (err_failed(err)) return;
    struct gpu_arena arena = {.base = g->vision_scratch};
    struct gpu_encode_plan p = plan_encode(g, &arena, n_x, n_y);
    p.err = err;
    gpu_driver_upload(g->driver, p.pixel, image->data,
                      image->stride_bytes * (size_t)image->height_px, err);
    send_turn(&p);
    send_between(&p, p.row, n_y);
    send_between(&p, p.column, n_x);
    while (next_chunk(&p))
        embed_chunk(&p, image);
    all_layers(&p);
    for (p.last = 0; next_chunk(&p);)
        merge_chunk(&p, rows);
    gpu_driver_wait(g->driver, err);
}
