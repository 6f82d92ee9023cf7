/* k_bytes.h - bytes of halves.h: weights of attention times values.
 *
 * Weights lie between 0 and 1 and take all eight bits, values have a sign. A
 * tile's sum of 32 products is exact, as with words. A file that includes it has
 * defined what k_sums.h wants but for the tiles, and
 *   keep_bytes(low, high, out)         the lowest bytes of 32 floats' bits
 *   weave_bytes(v[4], out)             the same of four by sixteen, by turns
 *   HALVES_TABLE, HALVES_NAME
 */
#define TILE_ROW  (HALVES_K / 2)
#define TILE_SIZE HALVES_BYTES

#include "vlm/tensor/k_sums.h"

enum { WEIGHT_MOST = 255, VALUE_MOST = 127, GROUP = 4 };

INLINE void pack_vf(vf low, vf high, uint16_t *out, float *scale)
{
    float most = most_of(max_vf(low, high));
    vf inverse = all_vf(scale_to(WEIGHT_MOST, most, scale));
    keep_bytes(round_vf(low, inverse), round_vf(high, inverse), out);
}

#include "vlm/tensor/k_soften.h"

/* Up to 32 rows as one column tile. */
INLINE void pack_values(const float *x, size_t stride, int n, uint16_t *out)
{
    vf measure = measure_to(VALUE_MOST, x, stride, n, scale_in(out, 0));
    for (int k = 0; k < HALVES_K; k += GROUP, out += GROUP * HALVES_TILE / 2) {
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
    for (int k = 0; k < n_k; k += HALVES_K, out += TILE_SIZE)
        pack_values(x + (size_t)k * stride, stride,
                    n_k - k < HALVES_K ? n_k - k : HALVES_K, out);
}

const struct halves HALVES_TABLE = {.name = HALVES_NAME,
                                    .tile = TILE_SIZE,
                                    .begin = begin,
                                    .end = end,
                                    .mul = mul,
                                    .pack_k = pack_k,
                                    .soften = soften};
