/* k_unpack.h - source of unpack_i8, direct_i8 and unpack_f32 (kernels.h), once
 * per instruction set. k_blocks.h lists what an including file defines.
 */
#include "vlm/tensor/body/k_blocks.h"

INLINE void ask_rows(const uint8_t *const *row, size_t at, size_t bytes)
{
    for (int r = 0; r < VW; r++)
        for (size_t i = 0; i < bytes; i += 64)
            __builtin_prefetch(row[r] + at + i, 0, 2);
}

static void unpack_i8(enum quant_type type, const uint8_t *const *row,
                      const uint8_t *const *next, int n_k,
                      struct panel_i8 *panel)
{
    const struct quant_info *info = quant_info((uint32_t)type);
    panel->form = quant_form(type);
    panel->n_k = n_k;
    panel->fit = NARROW_SUMS ? small_fit(type) : 0;
    panel->offset = panel->fit ? small_offset(type) : 0;
    for (int r = 0; r < PANEL_ROWS; r += VW) {
        struct row_block l = {.row = row + r,
                              .q = panel->q + 4 * r,
                              .scale = panel->scale + r,
                              .min = panel->min + r};
        for (int b = 0; b < n_k / info->block; b++) {
            size_t at = (size_t)b * (size_t)info->bytes;
            if (next) ask_rows(next + r, at, (size_t)info->bytes);
            unpack_block(type, &l, at, b);
        }
    }
}

/* ---- one token, without a panel --------------------------------------- */

/* Sums stay in registers only if their loops are unrolled; the sanitizer builds
 * have other loops, for which the compiler warns that it ignores the pragma. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#    define UNROLL_SUBS
#else
#    define UNROLL_SUBS _Pragma("GCC unroll 16")
#endif

/* Adds the products of block b at byte `at` to y, as panel_i8 would. */
INLINE vf direct_block(enum quant_type type, struct row_block l, size_t at,
                       const struct act_tile *x, int k, vf y)
{
    int block = type == QUANT_NVFP4 ? 64 : l.act;
    vs sum[16];
    _Alignas(64) float scale[16 * PANEL_ROWS], min[16 * PANEL_ROWS];
    l.sum = sum, l.scale = scale, l.min = min, l.x = x->q + k;
    UNROLL_SUBS
    for (int i = 0; i < block / l.sub; i++)
        sum[i] = l.narrow ? (vs){0} : start_sum(type, x->init[k / l.sub + i]);
    unpack_block(type, &l, at, 0);
    if (l.narrow) {
        UNROLL_SUBS
        for (int i = 0; i < block / l.sub; i++)
            sum[i] = widen(sum[i]) + start_sum(type, x->init[k / l.sub + i]) *
                                         pair_times(type, i);
    }
    for (int i = 0; i < block / l.act; i++) {
        vf part = {0};
        int n_sub = l.act / l.sub;
        UNROLL_SUBS
        for (int j = i * n_sub; j < (i + 1) * n_sub; j++) {
            vf v;
            memcpy(&v, scale + j * PANEL_ROWS, sizeof v);
            part = fma_vf(v, __builtin_convertvector(sum[j], vf), part);
            if (!l.has_min) continue;
            memcpy(&v, min + j * PANEL_ROWS, sizeof v);
            part = fma_vf(v, x->sum[k / l.sub + j] - (vf){0}, part);
        }
        y = fma_vf(x->d[k / l.act + i] - (vf){0}, part, y);
    }
    return y;
}

INLINE void direct_rows(enum quant_type type, struct quant_form form,
                        const uint8_t *const *row, const uint8_t *const *next,
                        int n_k, const struct act_tile *x, float *y, int n_row)
{
    const struct quant_info *info = quant_info((uint32_t)type);
    size_t bytes = (size_t)info->bytes;
    size_t row_bytes = (size_t)(n_k / info->block) * bytes;
    for (int r = 0; r < n_row; r += VW) {
        const uint8_t *const *after = r + VW < n_row ? row + r + VW : next;
        struct row_block l = {.direct = true,
                              .ahead = rows_ahead(after, row_bytes),
                              .narrow = is_narrow(type),
                              .row = row + r,
                              .sub = form.sub,
                              .act = form.act,
                              .has_min = form.has_min};
        vf sum = {0};
        size_t at = 0;
        for (int k = 0; k < n_k; k += info->block, at += bytes) {
            prefetch_rows(l.ahead, at, 1); /* scales are no pieces */
            sum = direct_block(type, l, at, x, k, sum);
        }
        store_rows(y + r, sum, n_row - r);
    }
}

static void direct_i8(enum quant_type type, const uint8_t *const *row,
                      const uint8_t *const *next, int n_k,
                      const struct act_tile *x, float *y, int n_row)
{
#define CASE(t, ...)                                                           \
    case t:                                                                    \
        direct_rows(t, (struct quant_form){__VA_ARGS__}, row, next, n_k, x, y, \
                    n_row);                                                    \
        return
    switch (type) {
        CASE(QUANT_Q4_0, 32, 32, false);
        CASE(QUANT_Q4_1, 32, 32, true);
        CASE(QUANT_Q5_0, 32, 32, false);
        CASE(QUANT_Q5_1, 32, 32, true);
        CASE(QUANT_IQ4_NL, 32, 32, false);
        CASE(QUANT_MXFP4, 32, 32, false);
        CASE(QUANT_NVFP4, 16, 32, false);
        CASE(QUANT_Q3_K, 16, 256, false);
        CASE(QUANT_IQ4_XS, 32, 256, false);
        CASE(QUANT_IQ1_S, 32, 256, false);
        CASE(QUANT_IQ1_M, 16, 256, false);
        CASE(QUANT_IQ2_XXS, 32, 256, false);
        CASE(QUANT_IQ2_XS, 16, 256, false);
        CASE(QUANT_IQ2_S, 16, 256, false);
        CASE(QUANT_IQ3_XXS, 32, 256, false);
        CASE(QUANT_IQ3_S, 32, 256, false);
        CASE(QUANT_TQ1_0, 32, 256, false);
#ifdef DIRECT_OVERRIDE
    case QUANT_Q8_0:
    case QUANT_Q2_K:
    case QUANT_Q4_K:
    case QUANT_Q5_K:
    case QUANT_Q6_K:
    case QUANT_TQ2_0:
        DIRECT_OVERRIDE(type, row, next, n_k, x, y, n_row);
        return;
#else
        CASE(QUANT_Q8_0, 32, 32, false);
        CASE(QUANT_Q2_K, 16, 256, true);
        CASE(QUANT_Q4_K, 32, 256, true);
        CASE(QUANT_Q5_K, 32, 256, true);
        CASE(QUANT_Q6_K, 16, 256, false);
        CASE(QUANT_TQ2_0, 32, 256, false);
#endif
    case QUANT_F32:
    case QUANT_F16:
    case QUANT_BF16: break;
    }
#undef CASE
    assert(0 && "a quantised type");
}

/* ---- floats ----------------------------------------------------------- */

/* Columns k .. k + 3 (F32) or k + 7 (16 bits) of VW rows. */
INLINE void unpack_floats(enum quant_type type, const uint8_t *const *row,
                          int k, float *panel)
{
    vu v[4];
    vf f;
    piece(row, (size_t)k * (type == QUANT_F32 ? 4 : 2), v);
    for (int j = 0; j < 4; j++) {
        if (type == QUANT_F32) {
            memcpy(panel + j * PANEL_ROWS, &v[j], sizeof v[j]);
            continue;
        }
        f = type == QUANT_F16 ? half(v[j] & 0xffffu) : (vf)(v[j] << 16);
        memcpy(panel + 2 * j * PANEL_ROWS, &f, sizeof f);
        f = type == QUANT_F16 ? half(v[j] >> 16) : (vf)(v[j] & 0xffff0000u);
        memcpy(panel + (2 * j + 1) * PANEL_ROWS, &f, sizeof f);
    }
}

static void unpack_f32(enum quant_type type, const uint8_t *const *row, int n_k,
                       float *panel)
{
    int step = type == QUANT_F32 ? 4 : 8, whole = n_k / step * step;
    for (int r = 0; r < PANEL_ROWS; r += VW)
        for (int k = 0; k < whole; k += step)
            unpack_floats(type, row + r, k, panel + k * PANEL_ROWS + r);
    for (int k = whole; k < n_k; k++)
        for (int r = 0; r < PANEL_ROWS; r++)
            quant_decode(type, row[r] + quant_row_bytes(type, k), 1,
                         &panel[k * PANEL_ROWS + r]);
}
