/* k_words_avxvnni.c - words of halves.h with the dot products of AVX-VNNI: twice
 * the multiplications of F32. */
#if defined(__x86_64__)
#    include "vlm/tensor/k_halves_avx2.h"
#    include "vlm/tensor/k_vnni.h"

INLINE vw dot(vw sum, vw x, vw w)
{
    return (vw)dot_words((__m256i)sum, (__m256i)x, (__m256i)w);
}

#    include "vlm/tensor/k_words.h"

#    define HALVES_TABLE   VNNI(halves_words_avxvnni)
#    define HALVES_NAME    "avx2+vnni"
#    define HALVES_WEIGHTS false
#    include "vlm/tensor/k_halves_body.h"
#else
enum { K_WORDS_AVXVNNI_IS_FOR_X86 };
#endif
