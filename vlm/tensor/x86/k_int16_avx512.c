/* k_int16_avx512.c - int16 of gemm16.h with VNNI dot products: twice the
 * multiplications of F32. (Those of BF16 are half as many on Sapphire Rapids.)
 */
#if defined(__x86_64__)
#    include "vlm/tensor/k_gemm16.h"

#    include "vlm/tensor/x86/k_gemm16_avx512.h"

INLINE vw dot(vw sum, vw x, vw w)
{
    return (vw)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)x, (__m512i)w);
}

INLINE void keep_words(vf v, uint16_t *out)
{
    _mm256_storeu_si256((__m256i *)(void *)out,
                        _mm512_cvtepi32_epi16((__m512i)v));
}

#    include "vlm/tensor/body/k_int16.h"

#    define GEMM16_TABLE   gemm16_int16_avx512
#    define GEMM16_NAME    "avx512"
#    define GEMM16_WEIGHTS false
#    include "vlm/tensor/body/k_gemm16_body.h"
#else
enum { K_INT16_AVX512_IS_FOR_X86 };
#endif
