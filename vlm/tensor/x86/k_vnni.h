/* k_vnni.h - the two products of AVX-VNNI. With VNNI_MODEL made of AVX2's, with the
 * same bits, so that the texts are tested where there is no such unit: the Makefile
 * compiles them both ways, VNNI(name) is what each calls its own.
 *
 * Intel's Instruction Set Reference, VPDPBUSD and VPDPWSSD: nothing saturates.
 */
#include <immintrin.h>

#ifdef VNNI_MODEL
#    define VNNI(name) name##_model

/* sum + four products of each lane: of w's bytes without a sign, x's with one. */
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

/* sum + two products of each lane's words. */
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
