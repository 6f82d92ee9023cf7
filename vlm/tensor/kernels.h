/* kernels.h - the table of inner loops; one set is picked at start.
 *
 * k_scalar.c fills every entry and is the specification; an instruction set
 * only replaces. Every entry's result depends on its arguments alone, so that
 * whoever splits work by rows, heads or tokens cannot change a bit.
 * AGREEMENT  unpack_i8, panel_i8, round_row and the f16 conversions: equal to
 *            scalar bit for bit. Sums of products (dot, panel_f32, norms):
 *            another order, within 1e-6 of the sum of absolute terms. exp and
 *            what is made of it: 1e-6 relative, plus 2e-38 absolute.
 * NaN        passes through every entry.
 *
 * Panels: PANEL_ROWS rows of a weight side by side, so that one activation is
 * used by all rows of a register. Float: value[k][row]. Integers: four k of a
 * row together, q[k / 4][row][k % 4].
 */
#ifndef VLM_TENSOR_KERNELS_H
#define VLM_TENSOR_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vlm/tensor/quant.h"

enum {
    PANEL_ROWS = 32,
    PANEL_I8_K = 512, /* columns of an integer panel at most */
    PANEL_F32_K = 256 /* the same of a float panel in matmul */
};

/* PANEL_ROWS rows by n_k columns of a quantised weight: row r's value at k is
 * scale[k / sub][r] * q + min[k / sub][r]. `q` is stored with its top bit
 * turned when the table says `flip` (0..255 instead of -128..127). */
struct panel_i8 {
    uint8_t q[PANEL_I8_K * PANEL_ROWS];
    float scale[PANEL_I8_K / 16 * PANEL_ROWS];
    float min[PANEL_I8_K / 16 * PANEL_ROWS];
    struct quant_form form;
    int n_k;
};

/* Rounded activations of `width` tokens (at most the table's tile_i8), k-major:
 * x[k][t] is q[(k / 4 * width + t) * 4 + k % 4] * d[k / act * width + t].
 * sum: of q over each `sub` values; init: sum * -128. */
struct act_tile {
    const int8_t *q;
    const float *d;
    const float *sum;
    const int32_t *init;
    int width;
};

struct kernels {
    const char *name;
    bool flip;             /* see struct panel_i8 */
    int tile_i8, tile_f32; /* tokens that the panel kernels like to get */

    /* n_k columns (whole blocks, at most PANEL_I8_K) of 32 rows of a quantised
     * type into a panel. */
    void (*unpack_i8)(enum quant_type type, const uint8_t *const *row, int n_k,
                      struct panel_i8 *panel);

    /* The same for F32, F16 and BF16: panel[n_k][PANEL_ROWS]. */
    void (*unpack_f32)(enum quant_type type, const uint8_t *const *row, int n_k,
                       float *panel);

    /* y[t * y_stride + r] = (add ? the old y : 0) + sum over k of w[r][k] *
     * x[t][k] for t < x->width, r < n_row <= PANEL_ROWS. Per block of `act`
     * values: part = fma(scale, integer sum, part), part = fma(min, sum, part)
     * for each sub in order, then y = fma(d, part, y). */
    void (*panel_i8)(const struct panel_i8 *panel, const struct act_tile *x,
                     float *y, size_t y_stride, int n_row, bool add);

    /* y[t * y_stride + r] = (add ? y : 0) + sum over k of panel[k][r] *
     * x[k * x_stride + t] for t < n (any n), r < n_row. One fma per k in order
     * of k, each y on its own: exact agreement with scalar. */
    void (*panel_f32)(const float *panel, int n_k, const float *x,
                      size_t x_stride, int n, float *y, size_t y_stride,
                      int n_row, bool add);

    /* Rounds a row to 8 bits: per `act` values (32 or 256, the last block may
     * be shorter) d = largest magnitude / 127, q = x / d to nearest even. */
    void (*round_row)(const float *x, int n, int act, int8_t *q, float *d);

    float (*dot_f32)(const float *a, const float *b, int n);
    float (*dot_f16)(const uint16_t *a, const float *b, int n);
    void (*axpy_f32)(float s, const float *x, float *y, int n); /* y += s x */
    void (*axpy_f16)(float s, const uint16_t *x, float *y, int n);
    void (*to_f16)(const float *x, uint16_t *out, int n);
    void (*from_f16)(const uint16_t *x, float *out, int n);
    void (*scale)(float s, float *x, int n); /* x *= s */
    float (*max)(const float *x, int n);     /* n >= 1; without NaN */

    /* x = exp(x - top); returns the sum. Softmax is this with the largest
     * value, then scale by 1 / sum. */
    float (*exp_sum)(float *x, int n, float top);

    void (*silu)(float *x, int n); /* x / (1 + exp(-x)) */
    /* out = silu(gate) * up; out may be gate or up */
    void (*silu_mul)(const float *gate, const float *up, float *out, int n);
    /* x *= 1 / (1 + exp(-gate)) */
    void (*sigmoid_mul)(const float *gate, float *x, int n);
    void (*gelu_tanh)(float *x, int n);

    /* out = x / sqrt(mean of squares + eps) * w; out may be x */
    void (*rms_norm)(const float *x, const float *w, float eps, float *out,
                     int n);
    /* out = (x - mean) / sqrt(variance + eps) * w + b; out may be x */
    void (*layer_norm)(const float *x, const float *w, const float *b,
                       float eps, float *out, int n);
};

/* The best set for `features` (enum cpu_feature). */
void kernels_pick(struct kernels *k, unsigned features);

/* Each replaces what its instruction set does better. */
void k_scalar_fill(struct kernels *k);
void k_avx2_fill(struct kernels *k);
void k_avx512_fill(struct kernels *k);
void k_neon_fill(struct kernels *k);
void k_i8mm_fill(struct kernels *k);

#endif
