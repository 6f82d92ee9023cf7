/* k_int16.h - int16 of gemm16.h: definitions for k_gemm16_body.h.
 *
 * An including file defines what k_sums.h needs except for the tiles, and
 *   keep_words(v, out)        the lower 16 bits of sixteen floats
 *   weave_words(v, w, out)    the same of two vectors, interleaved
 */
#define TILE_ROW  GEMM16_K
#define TILE_SIZE GEMM16_INT16

#define WEIGHT_MOST     GEMM16_INT16_MAX
#define begin_sum(b, j) ((void)(b), (vw){0})

#include "vlm/tensor/body/k_sums.h"

INLINE void pack_vf(vf low, vf high, uint16_t *out, float *scale)
{
    float most = most_of(max_vf(magnitude_vf(low), magnitude_vf(high)));
    vf inverse = all_vf(scale_to(GEMM16_INT16_MAX, most, scale));
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
    return measure_to(GEMM16_INT16_MAX, x, stride, n, scale);
}

INLINE void weave_vf(vf even, vf odd, vf measure, uint16_t *out)
{
    weave_words(round_vf(even, measure), round_vf(odd, measure), out);
}
