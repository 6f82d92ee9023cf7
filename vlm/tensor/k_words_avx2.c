/* k_words_avx2.c - words of halves.h with AVX2: a product of pairs and an
 * addition are twice as many multiplications as one of F32. */
#if defined(__x86_64__)
#    include <immintrin.h>

#    include <math.h>
#    include <string.h>

#    include "vlm/tensor/k_halves.h"

#    define INLINE static inline __attribute__((always_inline))
#    define VW     8
#    define ROWS   4
#    define STRIPS 1

typedef int32_t vw __attribute__((vector_size(32)));
typedef float vf __attribute__((vector_size(64)));

/* Both registers of a vf. */
union two {
    vf v;
    __m256 f[2];
    __m256i i[2];
};

INLINE vf max_vf(vf a, vf b)
{
    union two x = {a}, y = {b};
    for (int i = 0; i < 2; i++)
        x.f[i] = _mm256_max_ps(x.f[i], y.f[i]);
    return x.v;
}

INLINE float most_of(vf v)
{
    union two x = {v};
    __m256 m = _mm256_max_ps(x.f[0], x.f[1]);
    __m128 h =
        _mm_max_ps(_mm256_castps256_ps128(m), _mm256_extractf128_ps(m, 1));
    h = _mm_max_ps(h, _mm_movehl_ps(h, h));
    return _mm_cvtss_f32(_mm_max_ss(h, _mm_movehdup_ps(h)));
}

/* Below -126 it is 0; x is at most 0. */
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
    union two v = {x};
    for (int i = 0; i < 2; i++)
        v.f[i] = exp2_half(v.f[i]);
    return v.v;
}

INLINE vf from_f16(const uint8_t *p)
{
    union two v;
    for (int i = 0; i < 2; i++)
        v.f[i] = _mm256_cvtph_ps(
            _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)));
    return v.v;
}

/* Four words of rows i and i + 4, from word `at` on. */
INLINE __m256i two_rows(const uint16_t *tile, int i, int at)
{
    const uint16_t *p = tile + i * HALVES_K + 2 * at;
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)p);
    p += 4 * HALVES_K;
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
    for (int i = 0; i < HALVES_TILE; i += 8)
        for (int j = 0; j < HALVES_K / 2; j += 4) {
            uint16_t *to = out + (j * HALVES_TILE + i) * 2;
            __m256i r0 = two_rows(tile, i, j), r1 = two_rows(tile, i + 1, j);
            __m256i r2 = two_rows(tile, i + 2, j),
                    r3 = two_rows(tile, i + 3, j);
            __m256i a = _mm256_unpacklo_epi32(r0, r1);
            __m256i b = _mm256_unpacklo_epi32(r2, r3);
            __m256i c = _mm256_unpackhi_epi32(r0, r1);
            __m256i d = _mm256_unpackhi_epi32(r2, r3);
            keep_pair(to, _mm256_unpacklo_epi64(a, b));
            keep_pair(to + 2 * HALVES_TILE, _mm256_unpackhi_epi64(a, b));
            keep_pair(to + 4 * HALVES_TILE, _mm256_unpacklo_epi64(c, d));
            keep_pair(to + 6 * HALVES_TILE, _mm256_unpackhi_epi64(c, d));
        }
}

INLINE vw dot2(vw sum, vw x, vw w)
{
    return sum + (vw)_mm256_madd_epi16((__m256i)x, (__m256i)w);
}

INLINE void add_vw(float *c, vw sum, const float *b, float a, bool add)
{
    __m256 v =
        _mm256_mul_ps(_mm256_cvtepi32_ps((__m256i)sum), _mm256_loadu_ps(b));
    __m256 old = add ? _mm256_loadu_ps(c) : _mm256_setzero_ps();
    _mm256_storeu_ps(c, _mm256_fmadd_ps(v, _mm256_set1_ps(a), old));
}

/* Words are small enough for packs to leave them alone. */
INLINE void keep_words(vf v, uint16_t *out)
{
    union two u = {v};
    const __m256i low = _mm256_set1_epi32(0xffff);
    __m256i both = _mm256_packus_epi32(_mm256_and_si256(u.i[0], low),
                                       _mm256_and_si256(u.i[1], low));
    _mm256_storeu_si256((__m256i *)(void *)out,
                        _mm256_permute4x64_epi64(both, 0xd8));
}

#    include "vlm/tensor/k_words.h"

#    define HALVES_TABLE   halves_words_avx2
#    define HALVES_NAME    "avx2"
#    define HALVES_WEIGHTS true
#    include "vlm/tensor/k_halves_body.h"
#else
enum { K_WORDS_AVX2_IS_FOR_X86 };
#endif
