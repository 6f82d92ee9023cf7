/* k_int16_avxvnni.c - words of gemm16.h with the dot products of AVX-VNNI: twice
 * the multiplications of F32. */
#if defined(__x86_64__)
#    include "vlm/tensor/x86/k_gemm16_avx2.h"
#    include "vlm/tensor/x86/k_vnni.h"

INLINE vw dot(vw sum, vw x, vw w)
{
    return (vw)dot_words((__m256i)sum, (__m256i)x, (__m256i)w);
}

#    include "vlm/tensor/body/k_int16.h"

#    define HALVES_TABLE   VNNI(gemm16_int16_avxvnni)
#    define HALVES_NAME    "avx2+vnni"
#    define HALVES_WEIGHTS false
#    include "vlm/tensor/body/k_gemm16_body.h"
#else
enum { K_INT16_AVXVNNI_IS_FOR_X86 };
#endif
