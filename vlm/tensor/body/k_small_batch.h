/* k_small_batch.h - source of direct_batch (kernels.h): two to four tokens
 * directly from the blocks, for the types of most models.
 *
 * As direct_i8, but a group of sub-blocks is summed and scaled before the next
 * is read: the sums of a whole block of 256 do not fit into the registers.
 */
#include "vlm/tensor/body/k_unpack.h"

_Static_assert(KERNELS_SMALL_BATCH == 4, "instances and unrolled loops below");
_Static_assert(!NARROW_SUMS || TURN == 0,
               "high nibbles do not fit into 16 bits");

/* A block's activations and scales; T is the number of tokens. */
struct small_batch {
    const int8_t *q;          /* activations of the current block */
    const int32_t *init;      /* init of its sub-blocks */
    const float *sum;         /* sums of its sub-blocks */
    const float *scale, *min; /* of the weights' sub-blocks, per row */
    enum quant_type type;
    bool has_min;
};

/* Activations of token t for the i-th vector of a sub-block's four values of
 * each row. */
INLINE const int8_t *small_batch_at(int T, const struct small_batch *f, int i,
                                    int t)
{
    return f->q + 4 * (i * T + t);
}

/* Sums of `fit` vectors at a time in 16 bits, then in 32. */
INLINE void small_batch_dots_narrow(int T, const struct small_batch *f,
                                    int step, const vu v[4], int fit, vs *sum)
{
#pragma GCC unroll 4
    for (int t = 0; t < T; t++)
#pragma GCC unroll 4
        for (int j = 0; j < 4; j += fit) {
            vs some = {0};
#pragma GCC unroll 4
            for (int i = j; i < j + fit; i++)
                some =
                    dot4_narrow(some, v[i], small_batch_at(T, f, step + i, t));
            sum[t] += widen(some);
        }
}

/* Adds four vectors from `step` on to the sums of every token. The products of
 * `fit` of them together fit into 16 bits (0: they are signed), and with
 * NARROW_SUMS they are summed there first. */
INLINE void small_batch_dots(int T, const struct small_batch *f, int step,
                             const vu v[4], int fit, vs *sum)
{
    if (NARROW_SUMS && fit > 1) {
        small_batch_dots_narrow(T, f, step, v, fit, sum);
        return;
    }
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++)
#pragma GCC unroll 4
        for (int t = 0; t < T; t++) {
            const int8_t *x = small_batch_at(T, f, step + j, t);
            sum[t] = fit ? dot4_small(sum[t], v[j], x) : dot4(sum[t], v[j], x);
        }
}

/* Finishes sub-block j. */
INLINE void small_batch_close(int T, const struct small_batch *f, int j,
                              const vs *sum, vf *part)
{
    vf scale, min;
    memcpy(&scale, f->scale + j * PANEL_ROWS, sizeof scale);
    if (f->has_min) memcpy(&min, f->min + j * PANEL_ROWS, sizeof min);
#pragma GCC unroll 4
    for (int t = 0; t < T; t++) {
        vs whole = sum[t] + start_sum(f->type, f->init[j * T + t]);
        part[t] = fma_vf(scale, __builtin_convertvector(whole, vf), part[t]);
        if (f->has_min)
            part[t] = fma_vf(min, f->sum[j * T + t] - (vf){0}, part[t]);
    }
}

INLINE void few_clear(int T, vs *sum)
{
#pragma GCC unroll 4
    for (int t = 0; t < T; t++)
        sum[t] = (vs){0};
}

/* Q4_K, Q5_K: the low nibbles of 32 bytes are a sub-block, the high ones the
 * next. */
INLINE void small_batch_q45_k(int T, const struct row_block *l,
                              const struct small_batch *f, size_t at,
                              bool fifth, vf *part)
{
    bool high = TURN != 0 && !fifth; /* see unpack_q4_k */
    vu h[8];
    unpack_scale_min(l, at, 0, high ? 0.0625f : 1.0f);
    at += 16;
    if (fifth) {
        load_piece(l, at, h);
        load_piece(l, at + 16, h + 4);
        at += 32;
    }
    for (int g = 0; g < 4; g++) {
        vs low[KERNELS_SMALL_BATCH], top[KERNELS_SMALL_BATCH];
        few_clear(T, low);
        few_clear(T, top);
#pragma GCC unroll 2
        for (int p = 0; p < 2; p++) {
            vu v[4], a[4], b[4];
            load_piece(l, at + 32 * (size_t)g + 16 * (size_t)p, v);
#pragma GCC unroll 4
            for (int j = 0; j < 4; j++) {
                a[j] = v[j] & NIBBLES;
                b[j] = high ? v[j] & ~(uint32_t)NIBBLES : v[j] >> 4 & NIBBLES;
                if (!fifth) continue;
                vu bits = h[4 * p + j] >> (2 * g);
                a[j] |= (bits & 0x01010101u) << 4;
                b[j] |= (bits >> 1 & 0x01010101u) << 4;
            }
            small_batch_dots(T, f, 16 * g + 4 * p, a, 4, low);
            small_batch_dots(T, f, 16 * g + 4 * p + 8, b, 4, top);
        }
        small_batch_close(T, f, 2 * g, low, part);
        small_batch_close(T, f, 2 * g + 1, top, part);
    }
}

/* Sixteen values of each row of half a block of Q6_K, from its pieces: nibbles
 * of 32 and of 32 more, their upper bits. */
INLINE void small_batch_q6_sub(int T, const struct small_batch *f,
                               vu piece[6][4], int s, int p, int step, vs *sum)
{
    vu w[4];
    few_clear(T, sum);
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) {
        vu v = piece[s % 2 * 2 + p][j], u = piece[4 + p][j];
        v = s < 2 ? v & NIBBLES : v >> 4 & NIBBLES;
        u = s < 2 ? u << (4 - 2 * s) : u >> (2 * s - 4);
        w[j] = v | (u & 0x30303030u);
    }
    small_batch_dots(T, f, step, w, 2, sum);
}

INLINE void few_q6_k(int T, const struct row_block *l,
                     const struct small_batch *f, size_t at, vf *part)
{
    unpack_q6_scales(l, at, 0);
    for (int h = 0; h < 2; h++) {
        vu piece[6][4];
        for (int i = 0; i < 4; i++)
            load_piece(l, at + 64 * (size_t)h + 16 * (size_t)i, piece[i]);
        load_piece(l, at + 128 + 32 * (size_t)h, piece[4]);
        load_piece(l, at + 144 + 32 * (size_t)h, piece[5]);
#pragma GCC unroll 4
        for (int s = 0; s < 4; s++)
#pragma GCC unroll 2
            for (int p = 0; p < 2; p++) {
                vs sum[KERNELS_SMALL_BATCH];
                small_batch_q6_sub(T, f, piece, s, p, 32 * h + 8 * s + 4 * p,
                                   sum);
                small_batch_close(T, f, 8 * h + 2 * s + p, sum, part);
            }
    }
}

INLINE void few_q8_0(int T, const struct row_block *l,
                     const struct small_batch *f, size_t at, vf *part)
{
    vs sum[KERNELS_SMALL_BATCH];
    put_scale(l, 0, half_at(l, at));
    few_clear(T, sum);
#pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        vu v[4];
        load_piece(l, at + 2 + 16 * (size_t)h, v);
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++)
            v[j] ^= TURN;
        small_batch_dots(T, f, 4 * h, v, 0, sum);
    }
    small_batch_close(T, f, 0, sum, part);
}

INLINE void few_q4_0(int T, const struct row_block *l,
                     const struct small_batch *f, size_t at, vf *part)
{
    vu head[4], v[4], low[4], high[4];
    vs sum[KERNELS_SMALL_BATCH];
    load_piece(l, at, head);
    load_piece(l, at + 2, v);
    put_scale(l, 0, half(head[0] & 0xffffu));
    few_clear(T, sum);
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) {
        low[j] = v[j] & NIBBLES;
        high[j] = v[j] >> 4 & NIBBLES;
    }
    small_batch_dots(T, f, 0, low, 4, sum);
    small_batch_dots(T, f, 4, high, 4, sum);
    small_batch_close(T, f, 0, sum, part);
}

INLINE void few_block(int T, const struct row_block *l,
                      const struct small_batch *f, size_t at, vf *part)
{
    switch ((int)f->type) {
    case QUANT_Q4_0: few_q4_0(T, l, f, at, part); return;
    case QUANT_Q8_0: few_q8_0(T, l, f, at, part); return;
    case QUANT_Q4_K: small_batch_q45_k(T, l, f, at, false, part); return;
    case QUANT_Q5_K: small_batch_q45_k(T, l, f, at, true, part); return;
    default: few_q6_k(T, l, f, at, part); return;
    }
}

INLINE void few_rows(int T, enum quant_type type, struct quant_form form,
                     const uint8_t *const *row, const uint8_t *const *next,
                     int n_k, const struct act_tile *x, float *y,
                     size_t y_stride, int n_row)
{
    const struct quant_info *info = quant_info((uint32_t)type);
    _Alignas(64) float scale[16 * PANEL_ROWS], min[16 * PANEL_ROWS];
    struct small_batch f = {
        .scale = scale, .min = min, .type = type, .has_min = form.has_min};
    size_t bytes = (size_t)info->bytes, at = 0;
    size_t row_bytes = (size_t)(n_k / info->block) * bytes;
    for (int r = 0; r < n_row; r += VW, at = 0) {
        const uint8_t *const *after = r + VW < n_row ? row + r + VW : next;
        struct row_block l = {.direct = true,
                              .ahead = rows_ahead(after, row_bytes),
                              .row = row + r,
                              .scale = scale,
                              .min = min};
        vf sum[KERNELS_SMALL_BATCH] = {{0}};
        for (int k = 0; k < n_k; k += form.act, at += bytes) {
            vf part[KERNELS_SMALL_BATCH] = {{0}};
            prefetch_rows(l.ahead, at, 1);
            f.q = x->q + k * T;
            f.init = x->init + k / form.sub * T;
            f.sum = x->sum + k / form.sub * T;
            few_block(T, &l, &f, at, part);
#pragma GCC unroll 4
            for (int t = 0; t < T; t++)
                sum[t] = fma_vf(x->d[k / form.act * T + t] - (vf){0}, part[t],
                                sum[t]);
        }
#pragma GCC unroll 4
        for (int t = 0; t < T; t++)
            store_rows(y + (size_t)t * y_stride + r, sum[t], n_row - r);
    }
}

INLINE void few_of(int T, enum quant_type type, const uint8_t *const *row,
                   const uint8_t *const *next, int n_k,
                   const struct act_tile *x, float *y, size_t y_stride,
                   int n_row)
{
#define CASE(t, ...)                                                           \
    case t:                                                                    \
        few_rows(T, t, (struct quant_form){__VA_ARGS__}, row, next, n_k, x, y, \
                 y_stride, n_row);                                             \
        return
    switch ((int)type) {
        CASE(QUANT_Q4_0, 32, 32, false);
        CASE(QUANT_Q8_0, 32, 32, false);
        CASE(QUANT_Q4_K, 32, 256, true);
        CASE(QUANT_Q5_K, 32, 256, true);
        CASE(QUANT_Q6_K, 16, 256, false);
    }
#undef CASE
    assert(0 && "a type of kernels_small_batch");
}

static void direct_batch(enum quant_type type, const uint8_t *const *row,
                         const uint8_t *const *next, int n_k,
                         const struct act_tile *x, float *y, size_t y_stride,
                         int n_row)
{
    switch (x->width) {
    case 2: few_of(2, type, row, next, n_k, x, y, y_stride, n_row); return;
    case 3: few_of(3, type, row, next, n_k, x, y, y_stride, n_row); return;
    case 4: few_of(4, type, row, next, n_k, x, y, y_stride, n_row); return;
    default: assert(0 && "as many as kernels_small_batch says");
    }
}
