/* k_words_avx512.c - words of halves.h with the dot products of VNNI: twice the
 * multiplications of F32. (Those of BF16 are half as many on Sapphire Rapids.) */
#if defined(__x86_64__)
#    include "vlm/tensor/k_halves.h"

#    include "vlm/tensor/k_halves_avx512.h"

INLINE vw dot(vw sum, vw x, vw w)
{
    return (vw)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)x, (__m512i)w);
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
