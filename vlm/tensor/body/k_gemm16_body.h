/* k_gemm16_body.h - source of every table of gemm16.h except the products.
 *
 * An including file defines vf (sixteen floats) and
 *   load(p), store(p, v), all_vf(x)
 *   add_vf, sub_vf, mul_vf, max_vf, div_vf(a, b), exp2_vf(x)
 *   most_of(v)                the largest lane; most_of_eight(v[8], out)
 *   TILE_ROW, TILE_SIZE       uint16_t per row of a tile, and per tile with its
 *                             scales
 *   pack_vf(low, high, out, scale)  32 numbers, those of `low` first
 *   measure_vf(x, stride, n, scale) of n <= 32 rows: input of weave_vf
 *   weave_vf(even, odd, measure, out)  32 numbers, interleaved
 *   from_f16(p)               sixteen F16 numbers
 *   from_bytes(quad, i, turn) byte i of sixteen times four bytes, signed after
 *                             an exclusive or with `turn`
 *   turn_words(in, out)       transposes [16][16] uint32_t
 *   WEIGHT_MOST, pack_weights of k_softmax.h
 *   TILE_OF_INT8              if turn_tile and pack_k are its own (k_int8.h)
 *   begin, end, mul, GEMM16_TABLE, GEMM16_NAME and GEMM16_WEIGHTS
 */
#include <string.h>

#include "vlm/tensor/body/k_softmax.h"
#include "vlm/tensor/k_gemm16.h"
#include "vlm/tensor/kernels.h"

/* The first n floats, then zeros. */
INLINE vf load_part(const float *p, int n)
{
    float t[GEMM16_LANES] = {0};
    if (n >= GEMM16_LANES) return load(p);
    if (n > 0) memcpy(t, p, (size_t)n * sizeof *t);
    return load(t);
}

/* 32 numbers of a row from k on. */
INLINE void pack_row(const float *x, int n_left, uint16_t *out, float *scale)
{
    pack_vf(load_part(x, n_left),
            load_part(x + GEMM16_LANES, n_left - GEMM16_LANES), out, scale);
}

/* Rows n .. 15 of a tile. */
static void clear_rows(uint16_t *tile, int n)
{
    size_t left = (size_t)(GEMM16_TILE - n);
    memset(tile + n * TILE_ROW, 0, left * TILE_ROW * sizeof *tile);
    if (TILE_SIZE > TILE_ROW * GEMM16_TILE)
        memset(scale_in(tile, n), 0, left * sizeof(float));
}

static void pack_rows(const float *x, size_t stride, int n, int n_k,
                      uint16_t *out)
{
    for (int i = 0; i < n; i++) {
        const float *row = x + (size_t)i * stride;
        uint16_t *to = out;
        int k = 0;
        for (; k + GEMM16_K <= n_k; k += GEMM16_K, to += TILE_SIZE)
            pack_vf(load(row + k), load(row + k + GEMM16_LANES),
                    to + i * TILE_ROW, scale_in(to, i));
        if (k < n_k)
            pack_row(row + k, n_k - k, to + i * TILE_ROW, scale_in(to, i));
    }
    for (int k = 0; n < GEMM16_TILE && k < n_k; k += GEMM16_K, out += TILE_SIZE)
        clear_rows(out, n);
}

#ifndef TILE_OF_INT8
INLINE void turn_tile(const uint16_t *tile, uint16_t *out)
{
    turn_words(tile, out);
    memcpy(out + GEMM16_NUMBERS, tile + GEMM16_NUMBERS,
           (TILE_SIZE - GEMM16_NUMBERS) * sizeof *out);
}

static void pack_k(const float *x, size_t stride, int n_k, uint16_t *out)
{
    for (int k0 = 0; k0 < n_k; k0 += GEMM16_K, out += TILE_SIZE) {
        int n = n_k - k0 < GEMM16_K ? n_k - k0 : GEMM16_K, k = 0;
        vf measure = measure_vf(x, stride, n, scale_in(out, 0));
        for (; k + 2 <= n; k += 2, x += 2 * stride)
            weave_vf(load(x), load(x + stride), measure, out + k * GEMM16_TILE);
        if (k < n) {
            weave_vf(load(x), all_vf(0), measure, out + k * GEMM16_TILE);
            k += 2;
        }
        memset(out + k * GEMM16_TILE, 0,
               (size_t)(GEMM16_K - k) * GEMM16_TILE * sizeof *out);
    }
}
#endif

/* A pair of k of a row (four in int8) is one lane of a column tile: a packed
 * row tile is transposed. */
static void pack_columns(const float *x, size_t stride, int n, int n_k,
                         uint16_t *out)
{
    _Alignas(64) uint16_t tile[TILE_SIZE];
    memset(tile, 0, sizeof tile);
    for (int k = 0; k < n_k; k += GEMM16_K, out += TILE_SIZE) {
        for (int i = 0; i < n; i++)
            pack_row(x + (size_t)i * stride + k, n_k - k, tile + i * TILE_ROW,
                     scale_in(tile, i));
        turn_tile(tile, out);
    }
}

/* 32 numbers of a row of a weight, from number k on. */
INLINE void unpack_row(enum quant_type type, const uint8_t *row, int k,
                       uint16_t *out, float *scale)
{
    float v[GEMM16_K];
    if (type == QUANT_BF16 && TILE_SIZE == GEMM16_NUMBERS) {
        memcpy(out, row + 2 * k, GEMM16_K * sizeof *out);
    } else if (type == QUANT_F16) {
        pack_vf(from_f16(row + 2 * k), from_f16(row + 2 * k + 32), out, scale);
    } else {
        if (type == QUANT_BF16)
            quant_decode(type, row + 2 * k, GEMM16_K, v);
        else
            memcpy(v, row + 4 * k, sizeof v);
        pack_vf(load(v), load(v + GEMM16_LANES), out, scale);
    }
}

/* The last few numbers, then zeros. */
static void unpack_end(enum quant_type type, const uint8_t *row, int k, int n,
                       uint16_t *out, float *scale)
{
    float v[GEMM16_K] = {0};
    quant_decode(type, row + quant_row_bytes(type, k), n, v);
    pack_row(v, n, out, scale);
}

INLINE void unpack_as(enum quant_type type, const uint8_t *const *row, int n_k,
                      uint16_t *out)
{
    _Alignas(64) uint16_t tile[TILE_SIZE];
    for (int k = 0; k < n_k; k += GEMM16_K, out += TILE_SIZE) {
        for (int i = 0; i < GEMM16_TILE; i++)
            if (k + GEMM16_K <= n_k)
                unpack_row(type, row[i], k, tile + i * TILE_ROW,
                           scale_in(tile, i));
            else
                unpack_end(type, row[i], k, n_k - k, tile + i * TILE_ROW,
                           scale_in(tile, i));
        turn_tile(tile, out);
    }
}

static void unpack(enum quant_type type, const uint8_t *const *row, int n_k,
                   uint16_t *out)
{
    if (type == QUANT_F16)
        unpack_as(QUANT_F16, row, n_k, out);
    else if (type == QUANT_BF16)
        unpack_as(QUANT_BF16, row, n_k, out);
    else
        unpack_as(QUANT_F32, row, n_k, out);
}

/* 32 columns of 16 rows of an integer panel, from k and row on. */
INLINE void widen(const struct panel_i8 *p, uint32_t turn, int k, int row,
                  float *out)
{
    const uint8_t *q = p->q + k * PANEL_ROWS + 4 * row;
    vf less = all_vf((float)-p->offset);
    for (int i = 0; i < GEMM16_K; i += 4, q += 4 * PANEL_ROWS) {
        int sub = (k + i) / p->form.sub * PANEL_ROWS + row;
        vf scale = load(p->scale + sub);
        vf min = p->form.has_min ? load(p->min + sub) : all_vf(0);
        for (int j = 0; j < 4; j++, out += GEMM16_LANES) {
            vf v = mul_vf(add_vf(from_bytes(q, j, turn), less), scale);
            store(out, p->form.has_min ? add_vf(v, min) : v);
        }
    }
}

static void unpack_panel(const struct panel_i8 *p, bool flip, int row,
                         uint16_t *out)
{
    _Alignas(64) float value[GEMM16_K * GEMM16_LANES];
    for (int k = 0; k < p->n_k; k += GEMM16_K, out += TILE_SIZE) {
        widen(p, flip ? 0x80808080u : 0, k, row, value);
        pack_k(value, GEMM16_LANES, GEMM16_K, out);
    }
}

const struct gemm16 GEMM16_TABLE = {
    .name = GEMM16_NAME,
    .tile = TILE_SIZE,
    .weights = GEMM16_WEIGHTS,
    .begin = begin,
    .end = end,
    .mul = mul,
    .pack_rows = pack_rows,
    .pack_columns = pack_columns,
    .unpack = unpack,
    .pack_k = pack_k,
    .unpack_panel = unpack_panel,
    .softmax = softmax,
};
