/* k_int8.h - int8 of gemm16.h: definitions for k_gemm16_body.h.
 *
 * One factor of a product is unsigned: rows are stored plus 128, and sums start
 * with the correction; attention weights, between 0 and 1, use all eight bits.
 * A tile's sum of 32 products is exact, as with int16. An including file
 * defines what k_sums.h needs except for the tiles, and
 *   keep_bytes(low, high, out)         the lowest bytes of 32 floats
 *   weave_bytes(v[4], out)             the same of 4 x 16, interleaved
 */
#define TILE_ROW  (GEMM16_K / 2)
#define TILE_SIZE GEMM16_INT8
#define TILE_OF_INT8

enum {
    WEIGHT_MOST = 255,
    BYTE_MOST = 127,
    GROUP = 4, /* k per lane */
    BIAS = 128,
    BEGIN = TILE_ROW * GEMM16_TILE + 2 * GEMM16_TILE /* after the scales */
};

#define begin_sum(b, j) load_vw((b) + BEGIN + (j)*2 * VW)

#include "vlm/tensor/body/k_sums.h"

INLINE void pack_vf(vf low, vf high, uint16_t *out, float *scale)
{
    float most = most_of(max_vf(magnitude_vf(low), magnitude_vf(high)));
    vf inverse = all_vf(scale_to(BYTE_MOST, most, scale)), bias = all_vf(BIAS);
    keep_bytes(add_vf(round_vf(low, inverse), bias),
               add_vf(round_vf(high, inverse), bias), out);
}

INLINE void pack_weights(vf low, vf high, float inverse, uint16_t *out)
{
    vf all = all_vf(inverse);
    keep_bytes(round_vf(low, all), round_vf(high, all), out);
}

/* Rows with bias become columns without. */
INLINE void turn_tile(const uint16_t *tile, uint16_t *out)
{
    int32_t begin[GEMM16_TILE];
    for (int i = 0; i < GEMM16_TILE; i++) {
        int32_t sum = 0;
        const uint8_t *row = (const uint8_t *)(tile + i * TILE_ROW);
        for (int k = 0; k < GEMM16_K; k++)
            sum += row[k] - BIAS;
        begin[i] = -BIAS * sum;
        for (int j = 0; j < GEMM16_K / GROUP; j++) {
            uint32_t lane;
            memcpy(&lane, row + GROUP * j, sizeof lane);
            lane ^= 0x80808080u;
            memcpy(out + (j * GEMM16_TILE + i) * 2, &lane, sizeof lane);
        }
    }
    memcpy(out + TILE_ROW * GEMM16_TILE, tile + TILE_ROW * GEMM16_TILE,
           GEMM16_TILE * sizeof(float));
    memcpy(out + BEGIN, begin, sizeof begin);
}

/* Up to 32 rows as one column tile, for weights. */
INLINE void pack_values(const float *x, size_t stride, int n, uint16_t *out)
{
    float *scale = (float *)(void *)(out + TILE_ROW * GEMM16_TILE);
    vf measure = measure_to(BYTE_MOST, x, stride, n, scale);
    memset(out + BEGIN, 0, GEMM16_TILE * sizeof(int32_t));
    for (int k = 0; k < GEMM16_K; k += GROUP, out += GROUP * GEMM16_TILE / 2) {
        vf v[GROUP];
        for (int i = 0; i < GROUP; i++)
            v[i] = k + i < n ? load(x + (size_t)(k + i) * stride) : all_vf(0);
        for (int i = 0; i < GROUP; i++)
            v[i] = round_vf(v[i], measure);
        weave_bytes(v, out);
    }
}

static void pack_k(const float *x, size_t stride, int n_k, uint16_t *out)
{
    for (int k = 0; k < n_k; k += GEMM16_K, out += TILE_SIZE)
        pack_values(x + (size_t)k * stride, stride,
                    n_k - k < GEMM16_K ? n_k - k : GEMM16_K, out);
}
