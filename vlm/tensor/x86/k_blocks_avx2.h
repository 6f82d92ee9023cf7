/* k_blocks_avx2.h - definitions for k_blocks.h with AVX2, shared by k_blocks_avx2.c,
 * k_one_token_avx2.c and k_blocks_avxvnni.c.
 */
#ifndef VLM_TENSOR_X86_K_BLOCKS_AVX2_H
#define VLM_TENSOR_X86_K_BLOCKS_AVX2_H

#include <stdbool.h>

#include "vlm/tensor/kernels.h"

/* direct_i8 of Q8_0, Q2_K, Q4_K, Q5_K, Q6_K and TQ2_0. */
void k_one_token_avx2(enum quant_type type, const uint8_t *const *row,
                      const uint8_t *const *next, int n_k,
                      const struct act_tile *x, float *y, int n_row);

#define VW 8
#ifndef TURN
#    define TURN 0u
#endif

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

/* Keeps sums as chains: otherwise the compiler makes trees of them and spills
 * all leaves to memory. */
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

/* ---- k_grid_blocks.h -------------------------------------------------- */

/* Entries are read one by one: with the gather instruction the whole product
 * took twice as long (SPEED.md). */
#define GRIDS_WIDE 1

#define HALVES(a, b, mask)                                        \
    _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), \
                                          _mm256_castsi256_ps(b), mask))

/* The numbers go through memory: extracting them from a register costs as much
 * as using them. As inline assembly, since the compiler would copy them through
 * general registers. */
static inline __attribute__((always_inline)) void keep(vu v, uint32_t at[8])
{
    __asm__("vmovdqu %1, %0" : "=m"(*(uint32_t(*)[8])at) : "x"(v));
}

/* Number i of `bits` bits of lane r. */
static inline __attribute__((always_inline)) size_t kept(const uint32_t *at,
                                                         int bits, int i, int r)
{
    uint16_t half_of_it;
    if (bits == 32) return at[r];
    if (bits == 8) return ((const uint8_t *)at)[4 * r + i];
    memcpy(&half_of_it, (const uint8_t *)at + 4 * r + 2 * i, 2);
    return half_of_it;
}

/* Rows 0, 1 | 4, 5 in one register and 2, 3 | 6, 7 in another, by blends. */
static inline __attribute__((always_inline)) void fetch8(const uint64_t *table,
                                                         const uint32_t *at,
                                                         int bits, int i,
                                                         vu out[2])
{
    __m256i e[8], pair[2];
#pragma GCC unroll 8
    for (int r = 0; r < 8; r++)
        e[r] = _mm256_set1_epi64x((long long)table[kept(at, bits, i, r)]);
#pragma GCC unroll 2
    for (int p = 0; p < 2; p++)
        pair[p] = _mm256_blend_epi32(
            _mm256_blend_epi32(e[2 * p], e[2 * p + 1], 0x0c),
            _mm256_blend_epi32(e[2 * p + 4], e[2 * p + 5], 0xc0), 0xf0);
    out[0] = (vu)HALVES(pair[0], pair[1], 0x88);
    out[1] = (vu)HALVES(pair[0], pair[1], 0xdd);
}

static inline __attribute__((always_inline)) vu fetch4(const uint32_t *table,
                                                       const uint32_t *at,
                                                       int bits, int i)
{
    __m256i e[8];
#pragma GCC unroll 8
    for (int r = 0; r < 8; r++)
        e[r] = _mm256_set1_epi32((int)table[kept(at, bits, i, r)]);
    __m256i a = _mm256_blend_epi32(_mm256_blend_epi32(e[0], e[1], 2),
                                   _mm256_blend_epi32(e[2], e[3], 8), 0x0c);
    __m256i b = _mm256_blend_epi32(_mm256_blend_epi32(e[4], e[5], 0x20),
                                   _mm256_blend_epi32(e[6], e[7], 0x80), 0xc0);
    return (vu)_mm256_blend_epi32(a, b, 0xf0);
}

static inline __attribute__((always_inline)) __m256i bits_of(int nibble)
{
    return _mm256_set1_epi32((int)(0x08040201u << 4 * nibble));
}

/* Byte i: bit 4 * nibble + i of byte `byte` of signs, in place, by
 * bits_of(nibble). */
static inline __attribute__((always_inline)) __m256i sign_bits(vu signs,
                                                               int byte,
                                                               __m256i bits)
{
    __m256i spread = _mm256_broadcastsi128_si256(
        _mm_add_epi8(_mm_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0),
                     _mm_set1_epi8((char)byte)));
    __m256i each = _mm256_shuffle_epi8((__m256i)signs, spread);
    return _mm256_and_si256(each, bits);
}

static inline __attribute__((always_inline)) vu negate(vu v, vu signs, int byte,
                                                       int nibble)
{
    __m256i bits = bits_of(nibble);
    __m256i set = _mm256_cmpeq_epi8(sign_bits(signs, byte, bits), bits);
    return (vu)_mm256_sub_epi8(_mm256_xor_si256((__m256i)v, set), set);
}

#define TERNARY_BYTES 1

/* By averages: one less, as they round up. */
static inline __attribute__((always_inline)) vu first_third(vu v)
{
    __m256i x = _mm256_subs_epu8((__m256i)v, _mm256_set1_epi8(1));
    __m256i half_of_it = _mm256_avg_epu8(x, _mm256_setzero_si256());
    x = _mm256_srli_epi16(_mm256_avg_epu8(x, half_of_it), 6);
    return (vu)_mm256_and_si256(x, _mm256_set1_epi8(3));
}

static inline __attribute__((always_inline)) vu thrice(vu v)
{
    __m256i x = (__m256i)v;
    return (vu)_mm256_add_epi8(_mm256_add_epi8(x, x), x);
}

#endif
