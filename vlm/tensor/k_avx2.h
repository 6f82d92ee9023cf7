/* k_avx2.h - what k_blocks.h asks for, with AVX2: what both k_avx2.c and
 * k_direct_avx2.c need of it.
 */
#ifndef VLM_TENSOR_K_AVX2_H
#define VLM_TENSOR_K_AVX2_H

#include <stdbool.h>

#include "vlm/tensor/kernels.h"

/* direct_i8 of Q8_0, Q2_K and TQ2_0. */
void k_avx2_direct(enum quant_type type, const uint8_t *const *row,
                   const uint8_t *const *next, int n_k,
                   const struct act_tile *x, float *y, int n_row);

#define VW    8
#define AHEAD 8192
#define TURN  0u

typedef uint32_t vu __attribute__((vector_size(32)));
typedef int32_t vs __attribute__((vector_size(32)));
typedef float vf __attribute__((vector_size(32)));

/* Two rows' 16 bytes in one register, row i of each group of four. */
static inline __attribute__((always_inline)) __m256i two(
    const uint8_t *const *row, int i, size_t at)
{
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)(row[i] + at));
    __m128i high =
        _mm_loadu_si128((const __m128i *)(const void *)(row[4 + i] + at));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

static inline __attribute__((always_inline)) void piece(
    const uint8_t *const *row, size_t at, vu out[4])
{
    __m256i r0 = two(row, 0, at), r1 = two(row, 1, at);
    __m256i r2 = two(row, 2, at), r3 = two(row, 3, at);
    __m256i a = _mm256_unpacklo_epi32(r0, r1),
            b = _mm256_unpacklo_epi32(r2, r3);
    __m256i c = _mm256_unpackhi_epi32(r0, r1),
            d = _mm256_unpackhi_epi32(r2, r3);
    out[0] = (vu)_mm256_unpacklo_epi64(a, b);
    out[1] = (vu)_mm256_unpackhi_epi64(a, b);
    out[2] = (vu)_mm256_unpacklo_epi64(c, d);
    out[3] = (vu)_mm256_unpackhi_epi64(c, d);
}

static inline __attribute__((always_inline)) vf half(vu v)
{
    __m256i packed = _mm256_packus_epi32((__m256i)v, (__m256i)v);
    packed = _mm256_permute4x64_epi64(packed, 8);
    return (vf)_mm256_cvtph_ps(_mm256_castsi256_si128(packed));
}

static inline __attribute__((always_inline)) vu lookup(vu v,
                                                       const int8_t *table)
{
    __m128i t = _mm_loadu_si128((const __m128i *)(const void *)table);
    return (vu)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(t), (__m256i)v);
}

/* Sums stay chains: left to itself the compiler makes trees of them, of which
 * all leaves go to memory. */
#define CHAIN(sum) __asm__("" : "+x"(sum))

static inline __attribute__((always_inline)) __m256i word_of(const int8_t *x)
{
    int32_t word;
    memcpy(&word, x, sizeof word);
    return _mm256_set1_epi32(word);
}

static inline vf fma_vf(vf a, vf b, vf c)
{
    return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

static inline void store_rows(float *y, vf v, int n)
{
    if (n >= VW)
        memcpy(y, &v, sizeof v);
    else if (n > 0)
        memcpy(y, &v, (size_t)n * sizeof *y);
}

#endif
