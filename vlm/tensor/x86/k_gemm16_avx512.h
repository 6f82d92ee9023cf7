/* k_gemm16_avx512.h - the vectors of k_gemm16_body.h with AVX-512. */
#include <immintrin.h>

#include "vlm/tensor/body/k_gemm16_vector.h"
#include "vlm/tensor/x86/k_most_avx2.h"

INLINE vf max_vf(vf a, vf b)
{
    return (vf)_mm512_max_ps((__m512)a, (__m512)b);
}

INLINE float most_of(vf v)
{
    return _mm512_reduce_max_ps((__m512)v);
}

INLINE void most_of_eight(const vf v[8], float *out)
{
    __m256 half[8];
    for (int i = 0; i < 8; i++)
        half[i] = _mm256_max_ps(_mm512_castps512_ps256((__m512)v[i]),
                                _mm512_extractf32x8_ps((__m512)v[i], 1));
    most_of_halves(half, out);
}

/* 2^x to 1e-4, a twentieth of a BF16's last place: 2^floor(x) times a
 * polynomial in the fraction. */
INLINE vf exp2_vf(vf x)
{
    __m512 r = _mm512_reduce_ps((__m512)x, 0x09); /* x - floor(x) */
    __m512 p = _mm512_set1_ps(EXP2_C3);
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(EXP2_C2));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(EXP2_C1));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(EXP2_C0));
    return (vf)_mm512_scalef_ps(p, (__m512)x);
}

INLINE vf from_f16(const uint8_t *p)
{
    return (vf)_mm512_cvtph_ps(
        _mm256_loadu_si256((const __m256i *)(const void *)p));
}

/* Rows i, i + 4, i + 8 and i + 12: 16 bytes of each. */
INLINE __m512i four_rows(const uint16_t *tile, int i)
{
    const __m128i *p = (const __m128i *)(const void *)tile + 4 * i;
    __m512i v = _mm512_castsi128_si512(_mm_loadu_si128(p));
    v = _mm512_inserti32x4(v, _mm_loadu_si128(p + 16), 1);
    v = _mm512_inserti32x4(v, _mm_loadu_si128(p + 32), 2);
    return _mm512_inserti32x4(v, _mm_loadu_si128(p + 48), 3);
}

INLINE void turn_words(const uint16_t *tile, uint16_t *out)
{
    for (int j = 0; j < 4; j++, tile += 8, out += 128) {
        __m512i r0 = four_rows(tile, 0), r1 = four_rows(tile, 1);
        __m512i r2 = four_rows(tile, 2), r3 = four_rows(tile, 3);
        __m512i a = _mm512_unpacklo_epi32(r0, r1);
        __m512i b = _mm512_unpacklo_epi32(r2, r3);
        __m512i c = _mm512_unpackhi_epi32(r0, r1);
        __m512i d = _mm512_unpackhi_epi32(r2, r3);
        _mm512_storeu_si512(out, _mm512_unpacklo_epi64(a, b));
        _mm512_storeu_si512(out + 32, _mm512_unpackhi_epi64(a, b));
        _mm512_storeu_si512(out + 64, _mm512_unpacklo_epi64(c, d));
        _mm512_storeu_si512(out + 96, _mm512_unpackhi_epi64(c, d));
    }
}

/* ---- sums of integers (k_sums.h) -------------------------------------- */

#define VW     16
#define ROWS   8
#define STRIPS 2

typedef int32_t vw __attribute__((vector_size(64)));

INLINE void add_vw(float *c, vw sum, const float *b, float a, bool add)
{
    __m512 v =
        _mm512_mul_ps(_mm512_cvtepi32_ps((__m512i)sum), _mm512_loadu_ps(b));
    __m512 old = add ? _mm512_loadu_ps(c) : _mm512_setzero_ps();
    _mm512_storeu_ps(c, _mm512_fmadd_ps(v, _mm512_set1_ps(a), old));
}
