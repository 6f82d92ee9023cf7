/* k_int8_avxvnni.c - int8 of gemm16.h with AVX-VNNI dot products: four times
 * the multiplications of F32.
 */
#if defined(__x86_64__)
#    include "vlm/tensor/x86/k_gemm16_avx2.h"
#    include "vlm/tensor/x86/k_vnni.h"

INLINE vw dot(vw sum, vw x, vw w)
{
    return (vw)dot_bytes((__m256i)sum, (__m256i)x, (__m256i)w);
}

INLINE __m256i low_byte(__m256 v)
{
    return _mm256_and_si256(_mm256_castps_si256(v), _mm256_set1_epi32(0xff));
}

/* Packing works on halves of a register: afterwards its lanes are
 * interleaved. */
INLINE void keep_bytes(vf low, vf high, uint16_t *out)
{
    __m256i a = _mm256_packus_epi32(low_byte(low.low), low_byte(low.high));
    __m256i b = _mm256_packus_epi32(low_byte(high.low), low_byte(high.high));
    keep_pair(out, _mm256_permutevar8x32_epi32(
                       _mm256_packus_epi16(a, b),
                       _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
}

INLINE __m256i weave_four(__m256 a, __m256 b, __m256 c, __m256 d)
{
    __m256i low =
        _mm256_or_si256(low_byte(a), _mm256_slli_epi32(low_byte(b), 8));
    __m256i top =
        _mm256_or_si256(low_byte(c), _mm256_slli_epi32(low_byte(d), 8));
    return _mm256_or_si256(low, _mm256_slli_epi32(top, 16));
}

INLINE void weave_bytes(const vf v[4], uint16_t *out)
{
    keep_pair(out, weave_four(v[0].low, v[1].low, v[2].low, v[3].low));
    keep_pair(out + GEMM16_LANES,
              weave_four(v[0].high, v[1].high, v[2].high, v[3].high));
}

#    include "vlm/tensor/body/k_int8.h"

#    define GEMM16_TABLE   VNNI(gemm16_int8_avxvnni)
#    define GEMM16_NAME    "bytes of avx2+vnni"
#    define GEMM16_WEIGHTS false
#    include "vlm/tensor/body/k_gemm16_body.h"
#else
enum { K_INT8_AVXVNNI_IS_FOR_X86 };
#endif
