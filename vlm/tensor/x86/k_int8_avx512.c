/* k_int8_avx512.c - int8 of gemm16.h with VNNI dot products: four times the
 * multiplications of F32.
 */
#if defined(__x86_64__)
#    include "vlm/tensor/k_gemm16.h"

#    include "vlm/tensor/x86/k_gemm16_avx512.h"

INLINE vw dot(vw sum, vw x, vw w)
{
    return (vw)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)x, (__m512i)w);
}

INLINE void keep_bytes(vf low, vf high, uint16_t *out)
{
    __m128i *to = (__m128i *)(void *)out;
    _mm_storeu_si128(to, _mm512_cvtepi32_epi8((__m512i)low));
    _mm_storeu_si128(to + 1, _mm512_cvtepi32_epi8((__m512i)high));
}

INLINE void weave_bytes(const vf v[4], uint16_t *out)
{
    vu both = ((vu)v[0] & 0xff) | ((vu)v[1] & 0xff) << 8 |
              ((vu)v[2] & 0xff) << 16 | (vu)v[3] << 24;
    memcpy(out, &both, sizeof both);
}

#    include "vlm/tensor/body/k_int8.h"

#    define GEMM16_TABLE   gemm16_int8_avx512
#    define GEMM16_NAME    "bytes of avx512"
#    define GEMM16_WEIGHTS false
#    include "vlm/tensor/body/k_gemm16_body.h"
#else
enum { K_INT8_AVX512_IS_FOR_X86 };
#endif
