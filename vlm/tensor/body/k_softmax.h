/* k_softmax.h - softmax of scores, for every table of gemm16.h.
 *
 * An including file defines the vectors of k_gemm16_body.h, TILE_SIZE, TILE_ROW
 * (uint16_t of a row in a tile), and
 *   WEIGHT_MOST                     the number for the largest weight of a
 *                                   tile; 0: weights have no scale
 *   pack_weights(low, high, x, out) 32 weights, times x if they have one
 */
#include <math.h>

#include "vlm/tensor/k_gemm16.h"

/* Scale of row or column i in a tile of int16 or int8. */
INLINE float *scale_in(uint16_t *tile, int i)
{
    return (float *)(void *)(tile + TILE_ROW * GEMM16_TILE) + i;
}

/* Updates the maximum of a row, and scales down its earlier sums. */
INLINE float new_most(const struct gemm16_softmax *s, int i, float most)
{
    float *sum = s->sum + i * GEMM16_LANES;
    if (s->first) {
        store(sum, all_vf(0));
    } else if (most > s->most[i]) {
        vf shrink = exp2_vf(all_vf(s->most[i] - most));
        float *out = s->out + (size_t)i * (size_t)s->n_out;
        store(sum, mul_vf(load(sum), shrink));
        for (int k = 0; k < s->n_out; k += GEMM16_LANES)
            store(out + k, mul_vf(load(out + k), shrink));
    } else {
        return s->most[i];
    }
    return s->most[i] = most;
}

_Static_assert(GEMM16_KEYS == GEMM16_LANES / 2 * GEMM16_K,
               "a block of scores is eight tiles");

/* The maximum of each tile of 32 scores; then of no scores. */
INLINE void find_most(const float *score, int n_key, float most[GEMM16_LANES])
{
    vf top[GEMM16_LANES / 2];
    for (int j = 0; j < GEMM16_LANES / 2; j++) {
        const float *at = score + j * GEMM16_K;
        top[j] = j * GEMM16_K < n_key
                     ? max_vf(load(at), load(at + GEMM16_LANES))
                     : all_vf(-INFINITY);
    }
    most_of_eight(top, most);
    for (int j = GEMM16_LANES / 2; j < GEMM16_LANES; j++)
        most[j] = -INFINITY;
}

/* Integers only: the factors from a tile's weights to numbers, and back. */
INLINE void find_scales(vf most, float *scale, float *inverse)
{
    vf limit = all_vf(WEIGHT_MOST), size = max_vf(most, all_vf(0x1p-100f));
    store(scale, div_vf(size, limit));
    store(inverse, div_vf(limit, size));
}

INLINE void soften_row(const struct gemm16_softmax *s, int i)
{
    float *score = s->score + (size_t)i * s->stride;
    float most[GEMM16_LANES], scale[GEMM16_LANES], inverse[GEMM16_LANES];
    int n_key = (int)gemm16_columns(s->n_key);
    for (int k = s->n_key; k < n_key; k++)
        score[k] = -INFINITY;
    find_most(score, n_key, most);
    vf all = all_vf(new_most(s, i, most_of(load(most))));
    if (WEIGHT_MOST)
        find_scales(exp2_vf(sub_vf(load(most), all)), scale, inverse);
    vf sum0 = load(s->sum + i * GEMM16_LANES), sum1 = all_vf(0);
    uint16_t *to = s->weight;
    for (int k = 0; k < n_key; k += GEMM16_K, to += TILE_SIZE) {
        vf low = exp2_vf(sub_vf(load(score + k), all));
        vf high = exp2_vf(sub_vf(load(score + k + GEMM16_LANES), all));
        sum0 = add_vf(sum0, low), sum1 = add_vf(sum1, high);
        pack_weights(low, high, inverse[k / GEMM16_K], to + i * TILE_ROW);
        if (WEIGHT_MOST) *scale_in(to, i) = scale[k / GEMM16_K];
    }
    store(s->sum + i * GEMM16_LANES, add_vf(sum0, sum1));
}

static void softmax(const struct gemm16_softmax *s)
{
    for (int i = 0; i < s->n_row; i++)
        soften_row(s, i);
}
