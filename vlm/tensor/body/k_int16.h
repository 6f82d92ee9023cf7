/* k_int16.h - words of gemm16.h: what k_gemm16_body.h is to know of them.
 *
 * A file that includes it has defined what k_sums.h wants but for the tiles, and
 *   keep_words(v, out)        the lower words of sixteen floats' bits
 *   weave_words(v, w, out)    the same of two, by turns
 */
#define TILE_ROW  GEMM16_K
#define TILE_SIZE GEMM16_WORDS

#define WEIGHT_MOST     GEMM16_MOST
#define begin_sum(b, j) ((void)(b), (vw){0})

#include "vlm/tensor/body/k_sums.h"

INLINE void pack_vf(vf low, vf high, uint16_t *out, float *scale)
{
    float most = most_of(max_vf(magnitude_vf(low), magnitude_vf(high)));
    vf inverse = all_vf(scale_to(GEMM16_MOST, most, scale));
    keep_words(round_vf(low, inverse), out);
    keep_words(round_vf(high, inverse), out + GEMM16_LANES);
}

INLINE void pack_weights(vf low, vf high, float inverse, uint16_t *out)
{
    keep_words(round_vf(low, all_vf(inverse)), out);
    keep_words(round_vf(high, all_vf(inverse)), out + GEMM16_LANES);
}

INLINE vf measure_vf(const float *x, size_t stride, int n, float *scale)
{
    return measure_to(GEMM16_MOST, x, stride, n, scale);
}

INLINE void weave_vf(vf even, vf odd, vf measure, uint16_t *out)
{
    weave_words(round_vf(even, measure), round_vf(odd, measure), out);
}
