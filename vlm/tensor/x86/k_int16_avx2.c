/* k_int16_avx2.c - int16 of gemm16.h with AVX2: a product of pairs and an
 * addition are twice as many multiplications as one of F32.
 */
#if defined(__x86_64__)
#    include "vlm/tensor/x86/k_gemm16_avx2.h"

INLINE vw dot(vw sum, vw x, vw w)
{
    return sum + (vw)_mm256_madd_epi16((__m256i)x, (__m256i)w);
}

#    include "vlm/tensor/body/k_int16.h"

#    define GEMM16_TABLE   gemm16_int16_avx2
#    define GEMM16_NAME    "avx2"
#    define GEMM16_WEIGHTS true
#    include "vlm/tensor/body/k_gemm16_body.h"
#else
enum { K_INT16_AVX2_IS_FOR_X86 };
#endif
