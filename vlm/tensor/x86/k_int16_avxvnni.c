/* k_int16_avxvnni.c - int16 of gemm16.h with AVX-VNNI dot products: twice the
 * multiplications of F32.
 */
#if defined(__x86_64__)
#    include "vlm/tensor/x86/k_gemm16_avx2.h"
#    include "vlm/tensor/x86/k_vnni.h"

INLINE vw dot(vw sum, vw x, vw w)
{
    return (vw)dot_words((__m256i)sum, (__m256i)x, (__m256i)w);
}

#    include "vlm/tensor/body/k_int16.h"

#    define GEMM16_TABLE   VNNI(gemm16_int16_avxvnni)
#    define GEMM16_NAME    "avx2+vnni"
#    define GEMM16_WEIGHTS false
#    include "vlm/tensor/body/k_gemm16_body.h"
#else
enum { K_INT16_AVXVNNI_IS_FOR_X86 };
#endif
