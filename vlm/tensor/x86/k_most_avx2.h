/* k_most_avx2.h - the largest lanes of eight registers at once. */
#include <immintrin.h>

#include "vlm/tensor/body/k_inline.h"

/* The larger of each pair of lanes, lanes of x and y interleaved. */
INLINE __m256 most_by_turns(__m256 x, __m256 y)
{
    return _mm256_max_ps(_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
}

/* The largest lane of each of four. */
INLINE __m128 most_of_four(const __m256 v[4])
{
    __m256 a = most_by_turns(v[0], v[1]), b = most_by_turns(v[2], v[3]);
    __m256 c = _mm256_max_ps(_mm256_shuffle_ps(a, b, 0x44),
                             _mm256_shuffle_ps(a, b, 0xee));
    return _mm_max_ps(_mm256_castps256_ps128(c), _mm256_extractf128_ps(c, 1));
}

INLINE void most_of_halves(const __m256 v[8], float *out)
{
    _mm_storeu_ps(out, most_of_four(v));
    _mm_storeu_ps(out + 4, most_of_four(v + 4));
}
