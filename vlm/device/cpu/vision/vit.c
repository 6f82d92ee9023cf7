/* vit.c - see vit.h. */
#include "vlm/device/cpu/vision/vit.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "vlm/base/image.h"
#include "vlm/device/cpu/vision/attend.h"
#include "vlm/device/cpu/vision/attend_16bit.h"
#include "vlm/model/shape.h"

/* --- patch ----------------------------------------------------------------- */

/* Pixels to patch vectors, and positions of patches.
 *
 * Patches are in merge-block order: block rows, block columns, then the rows
 * and columns inside a block, so that merge_size squared neighbours in memory
 * become one token. SOURCE MODEL.md, "The vision encoder". */

/* Position of patch number i in an image with n_x patches per row. */
static struct patch_position patch_position(int i, int n_x, int merge_size)
{
    int area = merge_size * merge_size, in = i % area, block = i / area;
    int by = block / (n_x / merge_size), bx = block % (n_x / merge_size);
    return (struct patch_position){by * merge_size + in / merge_size,
                                   bx * merge_size + in % merge_size};
}

void vit_patch_fill(const struct vision_shape *s, const struct image *image,
                    int first, int last, float *rows)
{
    int size = s->patch_size, n_x = image->width_px / size;
    float value[3][256];
    for (int c = 0; c < 3; c++)
        for (int v = 0; v < 256; v++)
            value[c][v] =
                ((float)v - 255.0f * s->mean[c]) / (255.0f * s->std[c]);
    for (int i = first; i < last; i++) {
        struct patch_position at = patch_position(i, n_x, s->merge_size);
        for (int c = 0; c < 3; c++) {
            int channel = image->n_channel == 3 ? c : 0;
            for (int y = 0; y < size; y++) {
                const uint8_t *p =
                    image_row(image, at.y * size + y) +
                    (size_t)(at.x * size) * (size_t)image->n_channel + channel;
                for (int x = 0; x < size; x++, p += image->n_channel)
                    *rows++ = value[c][*p];
            }
        }
    }
}

/* Entry i of n along a side of the table: the two neighbours and the distance
 * from the first, 0 to 1. */
struct interpolation {
    int low, high;
    float part;
};

static struct interpolation interpolation(int i, int n, int side)
{
    double s = n > 1 ? (double)i * (side - 1) / (n - 1) : 0;
    int low = (int)s;
    int high = low + 1 < side ? low + 1 : side - 1;
    return (struct interpolation){low, high, (float)(s - low)};
}

/* Adds the learned position of patches first .. last - 1 to rows[.., n_embd]:
 * the table[side * side, n_embd], interpolated bilinearly, corner to corner. */
static void patch_add_position(const struct vision_shape *s, const float *table,
                               int n_x, int n_y, int first, int last,
                               float *rows)
{
    size_t n = (size_t)s->n_embd, side = (size_t)s->position_side;
    for (int i = first; i < last; i++, rows += n) {
        struct patch_position at = patch_position(i, n_x, s->merge_size);
        struct interpolation y = interpolation(at.y, n_y, s->position_side);
        struct interpolation x = interpolation(at.x, n_x, s->position_side);
        const float *a = table + ((size_t)y.low * side + (size_t)x.low) * n;
        const float *b = table + ((size_t)y.low * side + (size_t)x.high) * n;
        const float *c = table + ((size_t)y.high * side + (size_t)x.low) * n;
        const float *d = table + ((size_t)y.high * side + (size_t)x.high) * n;
        float wa = (1 - y.part) * (1 - x.part), wb = (1 - y.part) * x.part;
        float wc = y.part * (1 - x.part), wd = y.part * x.part;
        for (size_t k = 0; k < n; k++)
            rows[k] += wa * a[k] + wb * b[k] + wc * c[k] + wd * d[k];
    }
}

/* --- vit ------------------------------------------------------------------- */

/* Rows per product: enough to use each weight often after reading it, few
 * enough to keep the widest rows small. */
enum { CHUNK = 768, CHUNK_FAST = 1536, ROW_GRAIN = 16, TURN_MAX = 512 };

/* One image being encoded. */
struct pass {
    const struct vit *v;
    const struct image *image;
    int n_x, n_y, n; /* patches */
    int n_dim;       /* size of a head */
    float *x;        /* [n, n_embd]: the residual stream */
    float *rotation; /* [longer side][n_dim / 4][2]: cos, sin */
    struct attend attend;
    struct attend_16bit attend16; /* used instead of attend */
    float *heads;                 /* [n, n_embd]: results of the heads */
    float *attend_scratch;
    int chunk;     /* rows per chunk */
    float *narrow; /* [chunk, n_embd]: normed rows, or a product */
    float *wide;   /* [chunk, widest] */
    void *matmul_scratch;

    /* The current chunk. */
    int first, last;
    const float *norm_w, *norm_b, *bias;
    const struct vision_layer *layer;
};

static int widest(const struct vision_shape *s)
{
    int merged = s->merge_size * s->merge_size * s->n_embd;
    int area = 3 * s->patch_size * s->patch_size, most = 3 * s->n_embd;
    most = s->n_ff > most ? s->n_ff : most;
    most = merged > most ? merged : most;
    return area > most ? area : most;
}

/* Lays out the scratch; with a NULL base it only counts. */
struct scratch_layout {
    char *base;
    size_t at;
};

static void *alloc_part(struct scratch_layout *p, size_t n, size_t size)
{
    void *block = p->base ? p->base + p->at : NULL;
    p->at += (n * size + 63) & ~(size_t)63;
    return block;
}

static void lay_out_attend(struct pass *p, struct scratch_layout *layout)
{
    struct attend *a = &p->attend;
    size_t n_thread = (size_t)pool_size(p->v->pool);
    *a = (struct attend){.n = p->n,
                         .n_head = p->v->shape->n_head,
                         .n_dim = p->n_dim,
                         .q = p->heads};
    a->n_dim_padded = attend_padded(p->n_dim);
    a->k = alloc_part(layout, attend_k_size(a), sizeof(float));
    a->v = alloc_part(layout, attend_v_size(a), sizeof(float));
    p->attend_scratch =
        alloc_part(layout, n_thread * attend_scratch_size(a), sizeof(float));
}

static void lay_out_16bit(struct pass *p, struct scratch_layout *layout)
{
    struct attend_16bit *a = &p->attend16;
    size_t n_thread = (size_t)pool_size(p->v->pool);
    *a = (struct attend_16bit){.gemm16 = p->v->gemm16,
                               .n = p->n,
                               .n_head = p->v->shape->n_head,
                               .n_dim = p->n_dim,
                               .out = p->heads};
    a->q = alloc_part(layout, attend_16bit_q_size(a), sizeof *a->q);
    a->k = alloc_part(layout, attend_16bit_q_size(a), sizeof *a->k);
    a->v = alloc_part(layout, attend_16bit_v_size(a), sizeof *a->v);
    p->attend_scratch = alloc_part(
        layout, n_thread * attend_16bit_scratch_size(a), sizeof(float));
}

static size_t lay_out(struct pass *p, void *base)
{
    const struct vit *v = p->v;
    const struct vision_shape *s = v->shape;
    struct scratch_layout layout = {.base = base};
    size_t n = (size_t)p->n, n_embd = (size_t)s->n_embd;
    size_t side = (size_t)(p->n_x > p->n_y ? p->n_x : p->n_y);
    p->n_dim = s->n_embd / s->n_head;
    p->x = alloc_part(&layout, n * n_embd, sizeof(float));
    p->rotation =
        alloc_part(&layout, side * (size_t)p->n_dim / 2, sizeof(float));
    p->heads = alloc_part(&layout, n * n_embd, sizeof(float));
    if (v->gemm16)
        lay_out_16bit(p, &layout);
    else
        lay_out_attend(p, &layout);
    p->chunk = v->gemm16 && v->gemm16->weights ? CHUNK_FAST : CHUNK;
    if (p->chunk > p->n) p->chunk = p->n;
    p->narrow = alloc_part(&layout, (size_t)p->chunk * n_embd, sizeof(float));
    p->wide = alloc_part(&layout, (size_t)p->chunk * (size_t)widest(s),
                         sizeof(float));
    p->matmul_scratch = alloc_part(
        &layout,
        matmul_scratch_bytes(v->backend, v->pool, p->chunk, widest(s), 1), 1);
    return layout.at;
}

size_t vit_scratch_bytes(const struct vit *v, int n_x, int n_y)
{
    struct pass p = {.v = v, .n_x = n_x, .n_y = n_y, .n = n_x * n_y};
    return lay_out(&p, NULL);
}

/* ---- rows ------------------------------------------------------------- */

static void norm_rows(void *arg, int first, int last, int thread)
{
    const struct pass *p = arg;
    const struct vision_shape *s = p->v->shape;
    size_t n = (size_t)s->n_embd;
    (void)thread;
    for (int i = first; i < last; i++)
        p->v->ops->layer_norm(p->narrow + (size_t)i * n,
                              p->x + (size_t)(p->first + i) * n, p->norm_w,
                              p->norm_b, s->norm_eps, s->n_embd);
}

/* x += narrow + bias. */
static void add_rows(void *arg, int first, int last, int thread)
{
    const struct pass *p = arg;
    int n = p->v->shape->n_embd;
    (void)thread;
    for (int i = first; i < last; i++)
        p->v->ops->add_biased(p->x + (size_t)(p->first + i) * (size_t)n,
                              p->narrow + (size_t)i * (size_t)n, p->bias, n);
}

static void gelu_rows(void *arg, int first, int last, int thread)
{
    const struct pass *p = arg;
    int n = p->v->shape->n_ff;
    (void)thread;
    for (int i = first; i < last; i++)
        p->v->ops->gelu_tanh(p->wide + (size_t)i * (size_t)n, p->bias, n);
}

/* ---- patches ---------------------------------------------------------- */

static void cut_rows(void *arg, int first, int last, int thread)
{
    const struct pass *p = arg;
    const struct vision_shape *s = p->v->shape;
    (void)thread;
    vit_patch_fill(s, p->image, p->first + first, p->first + last,
                   p->wide + (size_t)first *
                                 (size_t)(3 * s->patch_size * s->patch_size));
}

static void place_rows(void *arg, int first, int last, int thread)
{
    const struct pass *p = arg;
    const struct vision_shape *s = p->v->shape;
    size_t n = (size_t)s->n_embd;
    (void)thread;
    for (int i = p->first + first; i < p->first + last; i++)
        p->v->ops->add(p->x + (size_t)i * n, p->v->weights->patch_b, s->n_embd);
    patch_add_position(s, p->v->weights->position, p->n_x, p->n_y,
                       p->first + first, p->first + last,
                       p->x + (size_t)(p->first + first) * n);
}

static void embed_chunk(struct pass *p)
{
    const struct vit *v = p->v;
    int n = p->last - p->first;
    pool_run(v->pool, n, ROW_GRAIN, cut_rows, p);
    matmul(v->backend, v->pool, &v->weights->patch, p->wide, n,
           p->x + (size_t)p->first * (size_t)v->shape->n_embd,
           p->matmul_scratch);
    pool_run(v->pool, n, ROW_GRAIN, place_rows, p);
}

/* ---- attention -------------------------------------------------------- */

/* Angles of all coordinates: rows and columns share the table. */
static void fill_turn(struct pass *p)
{
    int n = p->n_x > p->n_y ? p->n_x : p->n_y, quarter = p->n_dim / 4;
    for (int j = 0; j < quarter; j++) {
        float f = (float)pow(10000, -2.0 * j / (p->n_dim / 2));
        for (int i = 0; i < n; i++) {
            float angle = (float)i * f;
            p->rotation[2 * (i * quarter + j)] = cosf(angle);
            p->rotation[2 * (i * quarter + j) + 1] = sinf(angle);
        }
    }
}

/* Dimensions d and d + half share an angle: the first quarter rotates with the
 * row, the second with the column. out[n_dim] = scale * rotated (x + bias). */
static void turn_head(const struct pass *p, struct patch_position at,
                      const float *x, const float *bias, float scale,
                      float *out, size_t stride)
{
    int half = p->n_dim / 2, quarter = half / 2;
    const float *by_row = p->rotation + 2 * at.y * quarter;
    const float *by_column = p->rotation + 2 * at.x * quarter;
    for (int d = 0; d < half; d++) {
        const float *cs =
            d < quarter ? by_row + 2 * d : by_column + 2 * (d - quarter);
        float a = x[d] + bias[d], b = x[d + half] + bias[d + half];
        out[(size_t)d * stride] = scale * (a * cs[0] - b * cs[1]);
        out[(size_t)(d + half) * stride] = scale * (b * cs[0] + a * cs[1]);
    }
}

static void place_head(const struct pass *p, int i, int head, const float *row)
{
    const struct attend *a = &p->attend;
    int n = p->v->shape->n_embd, d = p->n_dim, at = head * d;
    const float *bias = p->layer->qkv_b;
    struct patch_position place =
        patch_position(i, p->n_x, p->v->shape->merge_size);
    turn_head(p, place, row + at, bias + at, 1 / sqrtf((float)d),
              a->q + (size_t)i * (size_t)n + at, 1);
    turn_head(p, place, row + n + at, bias + n + at, 1, attend_key(a, head, i),
              ATTEND_KEYS);
    float *v = attend_value(a, head, i);
    for (int k = 0; k < d; k++)
        v[k] = row[2 * n + at + k] + bias[2 * n + at + k];
    for (int k = d; k < a->n_dim_padded; k++)
        v[k] = 0;
}

static void place_qkv(void *arg, int first, int last, int thread)
{
    const struct pass *p = arg;
    size_t width = 3 * (size_t)p->v->shape->n_embd;
    (void)thread;
    for (int head = 0; head < p->attend.n_head; head++)
        for (int i = first; i < last; i++)
            place_head(p, p->first + i, head, p->wide + (size_t)i * width);
}

/* The angles of a patch, in order. */
static void angles(const struct pass *p, struct patch_position at,
                   float *cosine, float *sine)
{
    int half = p->n_dim / 2, quarter = half / 2;
    for (int d = 0; d < half; d++) {
        int i = d < quarter ? at.y * quarter + d : at.x * quarter + d - quarter;
        cosine[d] = p->rotation[2 * i];
        sine[d] = p->rotation[2 * i + 1];
    }
}

/* Adds the biases to a patch's queries, keys and values and rotates them, in
 * place. Weights are powers of two, so scale is log2(e) / sqrt(n_dim). */
static void turn_row(const struct pass *p, int i, float scale, float *row)
{
    float cosine[TURN_MAX], sine[TURN_MAX];
    int n = p->v->shape->n_embd, d = p->n_dim;
    const float *bias = p->layer->qkv_b;
    angles(p, patch_position(i, p->n_x, p->v->shape->merge_size), cosine, sine);
    for (int at = 0; at < 2 * n; at += d)
        p->v->ops->rotate(row + at, bias + at, cosine, sine, at < n ? scale : 1,
                          d / 2);
    p->v->ops->add(row + 2 * n, bias + 2 * n, n);
}

/* Units of ATTEND_UNIT patches, for attend_16bit.h. */
static void place_units(void *arg, int first, int last, int thread)
{
    const struct pass *p = arg;
    size_t width = 3 * (size_t)p->v->shape->n_embd;
    int n = p->last - p->first;
    float scale = 1.44269504f / sqrtf((float)p->n_dim);
    (void)thread;
    for (int unit = first * ATTEND_UNIT; unit < last * ATTEND_UNIT;
         unit += ATTEND_UNIT) {
        int end = unit + ATTEND_UNIT < n ? unit + ATTEND_UNIT : n;
        for (int i = unit; i < end; i++)
            turn_row(p, p->first + i, scale, p->wide + (size_t)i * width);
        attend_16bit_place(&p->attend16, p->first + unit, end - unit,
                           p->wide + (size_t)unit * width, width);
    }
}

static void qkv_chunk(struct pass *p)
{
    const struct vit *v = p->v;
    int n = p->last - p->first;
    p->norm_w = p->layer->ln1_w;
    p->norm_b = p->layer->ln1_b;
    pool_run(v->pool, n, ROW_GRAIN, norm_rows, p);
    matmul(v->backend, v->pool, &p->layer->qkv, p->narrow, n, p->wide,
           p->matmul_scratch);
    if (v->gemm16)
        pool_run(v->pool, (n + ATTEND_UNIT - 1) / ATTEND_UNIT, 1, place_units,
                 p);
    else
        pool_run(v->pool, n, ROW_GRAIN, place_qkv, p);
}

/* ---- the rest of a block ---------------------------------------------- */

static void out_and_ffn_chunk(struct pass *p)
{
    const struct vit *v = p->v;
    const struct vision_layer *l = p->layer;
    int n = p->last - p->first;
    const float *heads = p->heads + (size_t)p->first * (size_t)v->shape->n_embd;
    matmul(v->backend, v->pool, &l->out, heads, n, p->narrow,
           p->matmul_scratch);
    p->bias = l->out_b;
    pool_run(v->pool, n, ROW_GRAIN, add_rows, p);

    p->norm_w = l->ln2_w;
    p->norm_b = l->ln2_b;
    pool_run(v->pool, n, ROW_GRAIN, norm_rows, p);
    matmul(v->backend, v->pool, &l->up, p->narrow, n, p->wide,
           p->matmul_scratch);
    p->bias = l->up_b;
    pool_run(v->pool, n, ROW_GRAIN, gelu_rows, p);
    matmul(v->backend, v->pool, &l->down, p->wide, n, p->narrow,
           p->matmul_scratch);
    p->bias = l->down_b;
    pool_run(v->pool, n, ROW_GRAIN, add_rows, p);
}

static void all_chunks(struct pass *p, void (*chunk)(struct pass *p))
{
    for (p->first = 0; p->first < p->n; p->first = p->last) {
        p->last = p->first + p->chunk < p->n ? p->first + p->chunk : p->n;
        chunk(p);
        if (p->v->between) p->v->between(p->v->between_arg);
    }
}

/* ---- merger ----------------------------------------------------------- */

static void merge_gelu(void *arg, int first, int last, int thread)
{
    const struct pass *p = arg;
    int n = p->v->weights->fc1.n_row;
    (void)thread;
    for (int i = first; i < last; i++) {
        float *x = p->wide + (size_t)i * (size_t)n;
        for (int k = 0; k < n; k++) {
            float v = x[k] + p->bias[k];
            x[k] = 0.5f * v * (1 + erff(v * 0.70710678118654752f));
        }
    }
}

/* The patches of a block are already adjacent: normed rows, merge_size^2 at a
 * time, are the merger's input. */
static void merge(struct pass *p, float *rows)
{
    const struct vit *v = p->v;
    const struct vision_weights *w = v->weights;
    int area = v->shape->merge_size * v->shape->merge_size;
    p->norm_w = w->post_w;
    p->norm_b = w->post_b;
    for (p->first = 0; p->first < p->n; p->first = p->last) {
        int step = p->chunk / area * area;
        p->last = p->first + step < p->n ? p->first + step : p->n;
        int n = p->last - p->first, n_token = n / area;
        pool_run(v->pool, n, ROW_GRAIN, norm_rows, p);
        matmul(v->backend, v->pool, &w->fc1, p->narrow, n_token, p->wide,
               p->matmul_scratch);
        p->bias = w->fc1_b;
        pool_run(v->pool, n_token, 1, merge_gelu, p);
        matmul(v->backend, v->pool, &w->fc2, p->wide, n_token, rows,
               p->matmul_scratch);
        for (int i = 0; i < n_token; i++, rows += v->shape->n_out)
            v->ops->add(rows, w->fc2_b, v->shape->n_out);
    }
}

void vit_run(const struct vit *v, const struct image *image, void *scratch,
             float *rows, void (*trace)(void *arg, int step, const float *x),
             void *trace_arg)
{
    const struct vision_shape *s = v->shape;
    assert(image->width_px % (s->patch_size * s->merge_size) == 0);
    assert(image->height_px % (s->patch_size * s->merge_size) == 0);
    struct pass p = {.v = v,
                     .image = image,
                     .n_x = image->width_px / s->patch_size,
                     .n_y = image->height_px / s->patch_size};
    p.n = p.n_x * p.n_y;
    lay_out(&p, scratch);
    fill_turn(&p);
    all_chunks(&p, embed_chunk);
    if (trace) trace(trace_arg, -1, p.x);
    for (int i = 0; i < s->n_layer; i++) {
        p.layer = &v->weights->layer[i];
        all_chunks(&p, qkv_chunk);
        if (v->gemm16)
            attend_16bit_run(&p.attend16, v->pool, p.attend_scratch);
        else
            attend_run(&p.attend, v->ops, v->pool, p.attend_scratch);
        all_chunks(&p, out_and_ffn_chunk);
        if (trace) trace(trace_arg, i, p.x);
    }
    merge(&p, rows);
}
