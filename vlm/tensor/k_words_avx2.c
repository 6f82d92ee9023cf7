/* k_words_avx2.c - words of halves.h with AVX2: a product of pairs and an
 * addition are twice as many multiplications as one of F32. */
#if defined(__x86_64__)
#    include "vlm/tensor/k_halves_avx2.h"

INLINE vw dot(vw sum, vw x, vw w)
{
    return sum + (vw)_mm256_madd_epi16((__m256i)x, (__m256i)w);
}

#    include "vlm/tensor/k_words.h"

#    define HALVES_TABLE   halves_words_avx2
#    define HALVES_NAME    "avx2"
#    define HALVES_WEIGHTS true
#    include "vlm/tensor/k_halves_body.h"
#else
enum { K_WORDS_AVX2_IS_FOR_X86 };
#endif
