/* k_gemm16_avx2.h - the vectors of k_gemm16_body.h and k_sums.h with AVX2. */
#include <immintrin.h>

#include <math.h>
#include <string.h>

#include "vlm/tensor/k_gemm16.h"

#include "vlm/tensor/x86/k_most_avx2.h"

#define VW     8
#define ROWS   4
#define STRIPS 1

typedef int32_t vw __attribute__((vector_size(32)));

/* Two registers; a single vector of sixteen would be passed through memory in
 * quarters. */
typedef struct {
    __m256 low, high;
} vf;

INLINE vf load(const float *p)
{
    return (vf){_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
}

INLINE void store(float *p, vf v)
{
    _mm256_storeu_ps(p, v.low);
    _mm256_storeu_ps(p + 8, v.high);
}

INLINE vf all_vf(float x)
{
    return (vf){_mm256_set1_ps(x), _mm256_set1_ps(x)};
}

INLINE __m256 bytes_of_eight(const uint8_t *quad, int i, uint32_t turn)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)quad);
    v = _mm256_xor_si256(v, _mm256_set1_epi32((int32_t)turn));
    v = _mm256_sll_epi32(v, _mm_cvtsi32_si128(24 - 8 * i));
    return _mm256_cvtepi32_ps(_mm256_srai_epi32(v, 24));
}

INLINE vf from_bytes(const uint8_t *quad, int i, uint32_t turn)
{
    return (vf){bytes_of_eight(quad, i, turn),
                bytes_of_eight(quad + 32, i, turn)};
}

INLINE vf add_vf(vf a, vf b)
{
    return (vf){_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
}

INLINE vf sub_vf(vf a, vf b)
{
    return (vf){_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
}

INLINE vf mul_vf(vf a, vf b)
{
    return (vf){_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
}

INLINE vf div_vf(vf a, vf b)
{
    return (vf){_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)};
}

INLINE vf max_vf(vf a, vf b)
{
    return (vf){_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)};
}

INLINE vf magnitude_vf(vf v)
{
    __m256 sign = _mm256_set1_ps(-0.0f);
    return (vf){_mm256_andnot_ps(sign, v.low), _mm256_andnot_ps(sign, v.high)};
}

INLINE float most_of(vf v)
{
    __m256 m = _mm256_max_ps(v.low, v.high);
    __m128 h =
        _mm_max_ps(_mm256_castps256_ps128(m), _mm256_extractf128_ps(m, 1));
    h = _mm_max_ps(h, _mm_movehl_ps(h, h));
    return _mm_cvtss_f32(_mm_max_ss(h, _mm_movehdup_ps(h)));
}

INLINE void most_of_eight(const vf v[8], float *out)
{
    __m256 half[8];
    for (int i = 0; i < 8; i++)
        half[i] = _mm256_max_ps(v[i].low, v[i].high);
    most_of_halves(half, out);
}

/* 2^x for x <= 0; 0 below -126. */
INLINE __m256 exp2_half(__m256 x)
{
    __m256 tiny = _mm256_cmp_ps(x, _mm256_set1_ps(-126), _CMP_LT_OQ);
    __m256 n = _mm256_floor_ps(x), r = _mm256_sub_ps(x, n);
    __m256 p = _mm256_set1_ps(EXP2_C3);
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(EXP2_C2));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(EXP2_C1));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(EXP2_C0));
    __m256i up = _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23);
    p = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), up));
    return _mm256_andnot_ps(tiny, p);
}

INLINE vf exp2_vf(vf x)
{
    return (vf){exp2_half(x.low), exp2_half(x.high)};
}

INLINE vf from_f16(const uint8_t *p)
{
    const __m128i *h = (const __m128i *)(const void *)p;
    return (vf){_mm256_cvtph_ps(_mm_loadu_si128(h)),
                _mm256_cvtph_ps(_mm_loadu_si128(h + 1))};
}

/* Four uint32_t of rows i and i + 4, from `at` on. */
INLINE __m256i two_rows(const uint16_t *tile, int i, int at)
{
    const uint16_t *p = tile + i * GEMM16_K + 2 * at;
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)p);
    p += 4 * GEMM16_K;
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(low),
        _mm_loadu_si128((const __m128i *)(const void *)p), 1);
}

INLINE void keep_pair(uint16_t *out, __m256i v)
{
    _mm256_storeu_si256((__m256i *)(void *)out, v);
}

INLINE void turn_words(const uint16_t *tile, uint16_t *out)
{
    for (int i = 0; i < GEMM16_TILE; i += 8)
        for (int j = 0; j < GEMM16_K / 2; j += 4) {
            uint16_t *to = out + (j * GEMM16_TILE + i) * 2;
            __m256i r0 = two_rows(tile, i, j), r1 = two_rows(tile, i + 1, j);
            __m256i r2 = two_rows(tile, i + 2, j),
                    r3 = two_rows(tile, i + 3, j);
            __m256i a = _mm256_unpacklo_epi32(r0, r1);
            __m256i b = _mm256_unpacklo_epi32(r2, r3);
            __m256i c = _mm256_unpackhi_epi32(r0, r1);
            __m256i d = _mm256_unpackhi_epi32(r2, r3);
            keep_pair(to, _mm256_unpacklo_epi64(a, b));
            keep_pair(to + 2 * GEMM16_TILE, _mm256_unpackhi_epi64(a, b));
            keep_pair(to + 4 * GEMM16_TILE, _mm256_unpacklo_epi64(c, d));
            keep_pair(to + 6 * GEMM16_TILE, _mm256_unpackhi_epi64(c, d));
        }
}

INLINE void add_vw(float *c, vw sum, const float *b, float a, bool add)
{
    __m256 v =
        _mm256_mul_ps(_mm256_cvtepi32_ps((__m256i)sum), _mm256_loadu_ps(b));
    __m256 old = add ? _mm256_loadu_ps(c) : _mm256_setzero_ps();
    _mm256_storeu_ps(c, _mm256_fmadd_ps(v, _mm256_set1_ps(a), old));
}

/* The numbers are small enough not to saturate. */
INLINE void keep_words(vf v, uint16_t *out)
{
    const __m256i low = _mm256_set1_epi32(0xffff);
    __m256i both =
        _mm256_packus_epi32(_mm256_and_si256(_mm256_castps_si256(v.low), low),
                            _mm256_and_si256(_mm256_castps_si256(v.high), low));
    keep_pair(out, _mm256_permute4x64_epi64(both, 0xd8));
}

INLINE __m256i weave_half(__m256 v, __m256 w)
{
    return _mm256_blend_epi16(_mm256_castps_si256(v),
                              _mm256_slli_epi32(_mm256_castps_si256(w), 16),
                              0xaa);
}

INLINE void weave_words(vf v, vf w, uint16_t *out)
{
    keep_pair(out, weave_half(v.low, w.low));
    keep_pair(out + GEMM16_LANES, weave_half(v.high, w.high));
}
