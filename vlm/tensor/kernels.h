/* kernels.h - the table of inner loops of products; one set is chosen at start.
 *
 * k_blocks_plain.c fills every entry and is the specification; an instruction set
 * only replaces entries. Every entry's result depends on its arguments alone,
 * so splitting work by rows or tokens changes no bit.
 * AGREEMENT  Every set equals scalar bit for bit: integer sums are exact and
 *            every F32 step is a fused multiply-add in the same order.
 *
 * Panels: PANEL_ROWS rows of a weight side by side, so that one activation is
 * used by all rows of a register. Float: value[k][row]. Integers: four k of a
 * row together, q[k / 4][row][k % 4], which one instruction (vpdpbusd, sdot)
 * multiplies by four activations and adds up in its lane.
 *
 * Example, one row, one token, the first two of the 32 values of a Q8_0 block:
 *     weights       1.0  -1.5   are scale 0.5   times q  2  -3
 *     activations   1.0   2.0   are d     0.1   times q 10  20
 *     integer sum   2 * 10 - 3 * 20 = -40            exact, in any order
 *     part          fma(0.5, -40, 0) = -20           per sub-block, in order
 *     y             fma(0.1, -20, 0) =  -2           per block, in order
 * x86 multiplies unsigned by signed bytes: there a panel holds q + 128
 * (`flip`), 130 and 125, and a sum starts at init = -128 * (10 + 20):
 *     130 * 10 + 125 * 20 - 3840 = -40               the same integer
 * A type with minima (value = scale q + min) adds fma(min, 10 + 20, part): the
 * sums of the activations are computed once per token, not once per row.
 *
 * The files: k_blocks_plain.c in plain loops; k_blocks.h (decodes a block of each
 * type), k_unpack.h (into a panel, or directly into one token's sums),
 * k_panel.h (a panel times a tile) and k_round.h are included by k_blocks_avx2.c,
 * k_blocks_avxvnni.c, k_blocks_avx512.c, k_blocks_neon.c and k_blocks_i8mm.c, which define their vectors
 * and dot product; k_one_token_avx2.c is AVX2's own for one token and six types.
 */
#ifndef VLM_TENSOR_KERNELS_H
#define VLM_TENSOR_KERNELS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vlm/tensor/formats/quant.h"

enum {
    PANEL_ROWS = 32,
    PANEL_I8_K = 512,       /* maximum columns of an integer panel */
    PANEL_F32_K = 256,      /* maximum columns of a float panel in matmul */
    KERNELS_SMALL_BATCH = 4 /* maximum tokens of direct_batch */
};

/* PANEL_ROWS rows by n_k columns of a quantised weight: row r's value at k is
 * scale[k / sub][r] * q + min[k / sub][r]. `q` is stored plus `offset`, or with
 * its top bit flipped if the table has `flip` (0..255 instead of -128..127). */
struct panel_i8 {
    uint8_t q[PANEL_I8_K * PANEL_ROWS];
    float scale[PANEL_I8_K / 16 * PANEL_ROWS];
    float min[PANEL_I8_K / 16 * PANEL_ROWS];
    struct quant_form form;
    int n_k;
    /* If `fit` is not 0, the stored bytes are unsigned and few, so that `fit`
     * times four products of them fit into 16 bits. Used by AVX2, whose
     * products of bytes are 16 bits; 0 elsewhere. */
    int offset, fit;
};

/* Rounded activations of `width` tokens (at most the table's tile_i8), k-major:
 * x[k][t] is q[(k / 4 * width + t) * 4 + k % 4] * d[k / act * width + t]. sum:
 * of q over each `sub` values; init: sum * -128. */
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
    int tile_i8, tile_f32; /* preferred tokens per call of the panel kernels */

    /* Unpacks n_k columns (whole blocks, at most PANEL_I8_K) of 32 rows of a
     * quantised type into a panel; prefetches as much of the rows `next` (or
     * NULL), which will be unpacked next. */
    void (*unpack_i8)(enum quant_type type, const uint8_t *const *row,
                      const uint8_t *const *next, int n_k,
                      struct panel_i8 *panel);

    /* The same for F32, F16 and BF16: panel[n_k][PANEL_ROWS]. */
    void (*unpack_f32)(enum quant_type type, const uint8_t *const *row, int n_k,
                       float *panel);

    /* Rounds a float panel of n_k columns (a multiple of 32) to 8 bits, into
     * columns from `first` on (a multiple of 32): as round_row, 32 values per
     * scale. */
    void (*round_panel)(const float *panel, int n_k, int first,
                        struct panel_i8 *out);

    /* y[t * y_stride + r] = (add ? the old y : 0) + sum over k of w[r][k] *
     * x[t][k] for t < x->width, r < n_row <= PANEL_ROWS. Per block of `act`
     * values: part = fma(scale, integer sum, part), part = fma(min, sum, part)
     * for each sub in order, then y = fma(d, part, y). */
    void (*panel_i8)(const struct panel_i8 *panel, const struct act_tile *x,
                     float *y, size_t y_stride, int n_row, bool add);

    /* The same for one token, directly from the blocks of n_row <= PANEL_ROWS
     * rows; y = the whole product. Prefetches the rows `next` (or NULL) that
     * follow. NULL if panels are as fast. */
    void (*direct_i8)(enum quant_type type, const uint8_t *const *row,
                      const uint8_t *const *next, int n_k,
                      const struct act_tile *x, float *y, int n_row);

    /* The same for two to KERNELS_SMALL_BATCH tokens, for the types of
     * kernels_small_batch; NULL if panels are as fast. */
    void (*direct_batch)(enum quant_type type, const uint8_t *const *row,
                         const uint8_t *const *next, int n_k,
                         const struct act_tile *x, float *y, size_t y_stride,
                         int n_row);

    /* y[t * y_stride + r] = (add ? y : 0) + sum over k of panel[k][r] * x[k *
     * x_stride + t] for t < n (any n), r < n_row. One fma per k in order of k,
     * each y on its own: agrees with scalar exactly. */
    void (*panel_f32)(const float *panel, int n_k, const float *x,
                      size_t x_stride, int n, float *y, size_t y_stride,
                      int n_row, bool add);

    /* Rounds a row of n values (a multiple of 32) to 8 bits: per `act` values
     * (32 or 256, the last block can be shorter) d = largest magnitude / 127, q
     * = x / d to nearest even. NaN or infinity make d NaN. */
    void (*round_row)(const float *x, int n, int act, int8_t *q, float *d);

    /* Tokens up to which direct_batch, four by four, is faster than a panel
     * (SPEED.md). */
    int few;
};

/* Are n tokens few enough for direct_batch? Then a tile has at most
 * KERNELS_SMALL_BATCH tokens. */
static inline bool kernels_few(const struct kernels *k, int n)
{
    return k->direct_batch && n > 1 && n <= k->few;
}

/* Are n tokens computed by direct_batch? */
static inline bool kernels_small_batch(const struct kernels *k,
                                       enum quant_type type, int n)
{
    return kernels_few(k, n) &&
           (type == QUANT_Q4_0 || type == QUANT_Q8_0 || type == QUANT_Q4_K ||
            type == QUANT_Q5_K || type == QUANT_Q6_K);
}

/* For round_row: 127 / m and d = m / 127 of the largest magnitude m, given as
 * bits. A block too small for a finite inverse counts as zero. */
static inline float round_scale(uint32_t most_bits, float *d)
{
    float most;
    memcpy(&most, &most_bits, sizeof most);
    *d = most / 127.0f;
    if (most_bits >= 0x7f800000u) *d = NAN;
    if (most_bits >= 0x7f800000u || most < 0x1p-120f) {
        if (most < 0x1p-120f) *d = 0.0f;
        return 0.0f;
    }
    return 127.0f / most;
}

/* Fills in the best set for `features` (enum cpu_feature). */
void kernels_pick(struct kernels *k, unsigned features);

/* Each replaces the entries that its instruction set computes faster. */
void k_blocks_plain_fill(struct kernels *k);
void k_blocks_avx2_fill(struct kernels *k);
void k_blocks_avxvnni_fill(struct kernels *k);
void k_blocks_avxvnni_fill_model(struct kernels *k);
void k_blocks_avx512_fill(struct kernels *k);
void k_blocks_neon_fill(struct kernels *k);
void k_blocks_i8mm_fill(struct kernels *k);

#endif
