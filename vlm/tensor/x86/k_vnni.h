/* k_vnni.h - the two products of AVX-VNNI. With VNNI_MODEL they are emulated
 * with AVX2, with the same bits, so that the code is tested on CPUs without
 * such a unit: the Makefile compiles both, VNNI(name) is each one's name.
 *
 * Intel's Instruction Set Reference, VPDPBUSD and VPDPWSSD: nothing saturates.
 */
#include <immintrin.h>

#ifdef VNNI_MODEL
#    define VNNI(name) name##_model

/* sum + four products per lane: w's bytes unsigned, x's signed. */
static inline __attribute__((always_inline)) __m256i dot_bytes(__m256i sum,
                                                               __m256i w,
                                                               __m256i x)
{
    __m256i low = _mm256_set1_epi16(0xff);
    __m256i even =
        _mm256_madd_epi16(_mm256_and_si256(w, low),
                          _mm256_srai_epi16(_mm256_slli_epi16(x, 8), 8));
    __m256i odd =
        _mm256_madd_epi16(_mm256_srli_epi16(w, 8), _mm256_srai_epi16(x, 8));
    return _mm256_add_epi32(sum, _mm256_add_epi32(even, odd));
}

/* sum + two products of 16-bit integers per lane. */
static inline __attribute__((always_inline)) __m256i dot_words(__m256i sum,
                                                               __m256i a,
                                                               __m256i b)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
}
#else
#    define VNNI(name) name

static inline __attribute__((always_inline)) __m256i dot_bytes(__m256i sum,
                                                               __m256i w,
                                                               __m256i x)
{
    return _mm256_dpbusd_avx_epi32(sum, w, x);
}

static inline __attribute__((always_inline)) __m256i dot_words(__m256i sum,
                                                               __m256i a,
                                                               __m256i b)
{
    return _mm256_dpwssd_avx_epi32(sum, a, b);
}
#endif
