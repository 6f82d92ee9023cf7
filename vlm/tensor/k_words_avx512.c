/* k_words_avx512.c - words of halves.h with the dot products of VNNI: twice the
 * multiplications of F32. (Those of BF16 are half as many on Sapphire Rapids.) */
#if defined(__x86_64__)
#    include "vlm/tensor/k_halves.h"

#    include "vlm/tensor/k_halves_avx512.h"

#    define VW     16
#    define ROWS   8
#    define STRIPS 2

typedef int32_t vw __attribute__((vector_size(64)));

INLINE vw dot2(vw sum, vw x, vw w)
{
    return (vw)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)x, (__m512i)w);
}

INLINE void add_vw(float *c, vw sum, const float *b, float a, bool add)
{
    __m512 v =
        _mm512_mul_ps(_mm512_cvtepi32_ps((__m512i)sum), _mm512_loadu_ps(b));
    __m512 old = add ? _mm512_loadu_ps(c) : _mm512_setzero_ps();
    _mm512_storeu_ps(c, _mm512_fmadd_ps(v, _mm512_set1_ps(a), old));
}

INLINE void keep_words(vf v, uint16_t *out)
{
    _mm256_storeu_si256((__m256i *)(void *)out,
                        _mm512_cvtepi32_epi16((__m512i)v));
}

#    include "vlm/tensor/k_words.h"

#    define HALVES_TABLE   halves_words_avx512
#    define HALVES_NAME    "avx512"
#    define HALVES_WEIGHTS false
#    include "vlm/tensor/k_halves_body.h"
#else
enum { K_WORDS_AVX512_IS_FOR_X86 };
#endif
