/* k_one_token_avx2.c - one token directly from the blocks of six types with AVX2,
 * for which k_unpack.h, with eight rows per register throughout, needs more
 * instructions than a product row by row.
 *
 * Q8_0  Each row's 32 values are multiplied in place; eight rows' sums of eight
 *       lanes become one sum in eight lanes at the end of a block.
 * Q4_K, Q5_K, Q6_K The same, sub-block by sub-block, in sums of 16 bits as long as
 *       they fit. 6-bit scales are multiplied as integers, as Q2_K's below.
 * Q2_K, TQ2_0 Four bytes of eight rows per register, as in k_blocks.h. Every
 *       second pair of bits stays in place, four times as large, with a quarter
 *       of the scale. Q2_K's 4-bit scales are multiplied as integers, where
 *       16-bit sums become 32-bit sums. Both are exact: an F16 times an integer
 *       below 2^13 is an F32, so d * (scale * sum) and (d * scale) * sum are
 *       the same number, rounded once, when it is added.
 */
#if defined(__x86_64__)
#    include <assert.h>
#    include <immintrin.h>
#    include <stdint.h>
#    include <string.h>

#    include "vlm/tensor/x86/k_blocks_avx2.h"

#    include "vlm/tensor/body/k_prefetch.h"

/* A block of VW rows, and VW rows to prefetch (or NULL). */
struct eight {
    const uint8_t *const *row; /* [VW] */
    const uint8_t *ahead;
    size_t at;
};

INLINE __m256i vector_at(const void *at)
{
    return _mm256_loadu_si256((const __m256i *)at);
}

/* The 16 bits at `at` of each row, as F16. */
INLINE vf f16_at(const uint8_t *const *row, size_t at)
{
    uint16_t h[VW];
#    pragma GCC unroll 8
    for (int r = 0; r < VW; r++)
        memcpy(&h[r], row[r] + at, sizeof h[r]);
    __m128i v = _mm_setzero_si128();
#    define WORD(r) v = _mm_insert_epi16(v, (short)h[r], r)
    WORD(0), WORD(1), WORD(2), WORD(3), WORD(4), WORD(5), WORD(6), WORD(7);
#    undef WORD
    return (vf)_mm256_cvtph_ps(v);
}

/* sum + d * n, rounded once */
INLINE vf add_number(vf d, __m256i n, vf sum)
{
    return fma_vf(d, (vf)_mm256_cvtepi32_ps(n), sum);
}

INLINE vf same(float f)
{
    return (vf)_mm256_set1_ps(f);
}

/* ---- Q8_0 ------------------------------------------------------------- */

/* The sums of the eight lanes of sum[r], in lane r. */
INLINE __m256i sums_of(__m256i sum[VW])
{
#    pragma GCC unroll 4
    for (int r = 0; r < 4; r++)
        sum[r] = _mm256_hadd_epi32(sum[2 * r], sum[2 * r + 1]);
    __m256i low = _mm256_hadd_epi32(sum[0], sum[1]);
    __m256i high = _mm256_hadd_epi32(sum[2], sum[3]);
    return _mm256_add_epi32(_mm256_blend_epi32(low, high, 0xf0),
                            _mm256_permute2x128_si256(low, high, 0x21));
}

INLINE vf q8_0_block(const struct eight *e, const int8_t *x, float d, vf y)
{
    const __m256i one = _mm256_set1_epi16(1);
    __m256i token = vector_at(x), sum[VW];
#    pragma GCC unroll 8
    for (int r = 0; r < VW; r++) {
        __m256i w = vector_at(e->row[r] + e->at + 2);
        CHAIN(w); /* else it is loaded twice, each time across two cache
                   * lines */
        __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(w),
                                             _mm256_sign_epi8(token, w));
        sum[r] = _mm256_madd_epi16(pairs, one);
    }
    vf part = add_number(f16_at(e->row, e->at), sums_of(sum), (vf){0});
    return fma_vf(same(d), part, y);
}

static void q8_0_rows(const uint8_t *const *row, const uint8_t *const *next,
                      int n_k, const struct act_tile *x, float *y, int n_row)
{
    enum { BLOCK = 32, BYTES = 34 };
    size_t row_bytes = (size_t)(n_k / BLOCK) * BYTES;
    for (int r = 0; r < n_row; r += VW) {
        const uint8_t *const *after = r + VW < n_row ? row + r + VW : next;
        struct eight e = {row + r, rows_ahead(after, row_bytes), 0};
        vf sum = {0};
        for (int b = 0; b < n_k / BLOCK; b++, e.at += BYTES) {
            prefetch_rows(e.ahead, e.at, BYTES);
            sum = q8_0_block(&e, x->q + b * BLOCK, x->d[b], sum);
        }
        store_rows(y + r, sum, n_row - r);
    }
}

/* ---- four values in a byte -------------------------------------------- */

/* A block of the token. */
struct token_block {
    const int8_t *x;
    const float *sum; /* of 16 values (Q2_K) or 32 */
    float d;
};

/* Products of the 16 bytes at `at` of every row with 64 activations, from x[0]
 * on: sum[s], of pair s, as two 16-bit halves; odd ones four times as large.
 * `more`: adds to them. */
INLINE void pairs16(const struct eight *e, size_t at, const int8_t *x,
                    bool more, __m256i sum[4])
{
    const __m256i even = _mm256_set1_epi8(0x03), odd = _mm256_set1_epi8(0x0c);
    vu v[4];
    piece(e->row, e->at + at, v);
#    pragma GCC unroll 4
    for (int j = 0; j < 4; j++) {
        __m256i u = (__m256i)v[j];
#    pragma GCC unroll 4
        for (int s = 0; s < 4; s++) {
            if (s == 2) u = _mm256_srli_epi16(u, 4);
            __m256i pair = _mm256_and_si256(u, s % 2 ? odd : even);
            __m256i two =
                _mm256_maddubs_epi16(pair, word_of(x + 32 * s + 4 * j));
            sum[s] = more || j ? _mm256_add_epi16(sum[s], two) : two;
            CHAIN(sum[s]);
        }
    }
}

/* Byte i of each lane, as 16 bits in both halves of it, or as 32. */
INLINE __m256i byte_of(__m256i v, int i, bool in_both)
{
    int none = (int)(in_both ? 0x80008000u : 0x80808000u);
    __m256i from = _mm256_broadcastsi128_si256(
        _mm_add_epi32(_mm_set_epi32(0x000c000c, 0x00080008, 0x00040004, 0),
                      _mm_set1_epi32(i * 0x00010001)));
    from = _mm256_or_si256(from, _mm256_set1_epi32(none));
    return _mm256_shuffle_epi8(v, from);
}

/* d and dmin, the 32 bits at `at` of each row. */
INLINE void two_halves_at(const uint8_t *const *row, size_t at, vf d[2])
{
    const __m128i apart =
        _mm_set_epi32(0x0f0e0b0a, 0x07060302, 0x0d0c0908, 0x05040100);
    int32_t v[VW];
#    pragma GCC unroll 8
    for (int r = 0; r < VW; r++)
        memcpy(&v[r], row[r] + at, sizeof v[r]);
    __m128i low = _mm_setr_epi32(v[0], v[1], v[2], v[3]);
    __m128i high = _mm_setr_epi32(v[4], v[5], v[6], v[7]);
    low = _mm_shuffle_epi8(low, apart);
    high = _mm_shuffle_epi8(high, apart);
    d[0] = (vf)_mm256_cvtph_ps(_mm_unpacklo_epi64(low, high));
    d[1] = (vf)_mm256_cvtph_ps(_mm_unpackhi_epi64(low, high));
}

INLINE vf q2_k_block(const struct eight *e, const struct token_block *x, vf y)
{
    vf d[2], part = {0};
    vu head[4];
    two_halves_at(e->row, e->at + 80, d);
    vf scale[2] = {d[0], d[0] * 0.25f}, min = -d[1];
    piece(e->row, e->at, head);
#    pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        __m256i sum[2][4];
#    pragma GCC unroll 2
        for (int c = 0; c < 2; c++) {
            pairs16(e, 16 + 32 * (size_t)h + 16 * (size_t)c,
                    x->x + 128 * h + 16 * c, false, sum[c]);
        }
#    pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
            vu four = head[2 * h + i / 4];
            __m256i sc = byte_of((__m256i)(four & 0x0f0f0f0fu), i % 4, true);
            __m256i mn =
                byte_of((__m256i)(four >> 4 & 0x0f0f0f0fu), i % 4, false);
            __m256i n = _mm256_madd_epi16(sum[i % 2][i / 2], sc);
            part = add_number(scale[i / 2 % 2], n, part);
            vf least = (vf)_mm256_cvtepi32_ps(mn);
            part = fma_vf(min, least * same(x->sum[8 * h + i]), part);
        }
    }
    return fma_vf(same(x->d), part, y);
}

/* Stored values are one larger, so the sum of the activations is subtracted. */
INLINE vf tq2_0_block(const struct eight *e, const struct token_block *x, vf y)
{
    const __m256i one = _mm256_set1_epi16(1);
    const vf less[2] = {same(-1), same(-4)};
    vf d = f16_at(e->row, e->at + 64), part = {0};
    vf scale[2] = {d, d * 0.25f};
#    pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        __m256i sum[4];
#    pragma GCC unroll 2
        for (int c = 0; c < 2; c++) {
            pairs16(e, 32 * (size_t)h + 16 * (size_t)c, x->x + 128 * h + 16 * c,
                    c > 0, sum);
        }
#    pragma GCC unroll 4
        for (int s = 0; s < 4; s++) {
            vf n = (vf)_mm256_cvtepi32_ps(_mm256_madd_epi16(sum[s], one));
            n = fma_vf(less[s % 2], same(x->sum[4 * h + s]), n);
            part = fma_vf(scale[s % 2], n, part);
        }
    }
    return fma_vf(same(x->d), part, y);
}

/* ---- four, five and six bits, row by row ------------------------------ */

/* Sums of 16 or 32 bits of eight rows become one sum in eight lanes, as in
 * sums_of, but a pair of rows at a time, so that they stay in registers.
 * Example, four dwords of a half: add_pairs of rows a and b is a0 + a2, b0 + b2,
 * a1 + a3, b1 + b3; add_quads of that and the same of c and d is the sums of a, b,
 * c, d. */
INLINE __m256i add_pairs(__m256i a, __m256i b)
{
    return _mm256_add_epi16(_mm256_unpacklo_epi32(a, b),
                            _mm256_unpackhi_epi32(a, b));
}

INLINE __m256i add_quads16(__m256i a, __m256i b)
{
    return _mm256_add_epi16(_mm256_unpacklo_epi64(a, b),
                            _mm256_unpackhi_epi64(a, b));
}

INLINE __m256i add_quads32(__m256i a, __m256i b)
{
    return _mm256_add_epi32(_mm256_unpacklo_epi64(a, b),
                            _mm256_unpackhi_epi64(a, b));
}

/* The halves of `low` (rows 0 to 3) and of `high` (4 to 7), to be added. */
INLINE void halves_of(__m256i low, __m256i high, __m256i out[2])
{
    out[0] = _mm256_blend_epi32(low, high, 0xf0);
    out[1] = _mm256_permute2x128_si256(low, high, 0x21);
}

/* Scales and minima of Q4_K and Q5_K in lanes of their rows: bytes of four
 * sub-blocks, and the block's factors. */
struct row_scales {
    __m256i scale[2], min[2];
    vf d, least; /* least: minus the minima's factor */
};

INLINE void row_scales_of(const struct eight *e, struct row_scales *s)
{
    const vu low = {0}, six = low + 0x3f3f3f3fu, four = low + 0x0f0f0f0fu;
    const vu top = low + 0x30303030u;
    vu h[4];
    piece(e->row, e->at, h);
    s->scale[0] = (__m256i)(h[1] & six);
    s->scale[1] = (__m256i)((h[3] & four) | (h[1] >> 2 & top));
    s->min[0] = (__m256i)(h[2] & six);
    s->min[1] = (__m256i)((h[3] >> 4 & four) | (h[2] >> 2 & top));
    s->d = half(h[0] & 0xffffu);
    s->least = -half(h[0] >> 16);
}

/* Adds the minimum of sub-block i, times the sum of its activations. */
INLINE vf add_least(const struct row_scales *s, int i, float sum, vf part)
{
    vu byte = (vu)s->min[i / 4] & (0xffu << 8 * (i % 4));
    const float unit[4] = {0x1p0f, 0x1p-8f, 0x1p-16f, 0x1p-24f};
    vf m = (vf)_mm256_cvtepi32_ps((__m256i)byte);
    return fma_vf(s->least * same(unit[i % 4] * sum), m, part);
}

/* Sums of 16 bits of a pair of rows: the low nibbles of 32 bytes of each with
 * 32 activations, and the high ones with the next 32. `fifth`: the fifth bits
 * of sub-blocks 2 g and 2 g + 1 lie in bits 2 g and 2 g + 1 of 32 bytes. */
INLINE void nibbles_of(const struct eight *e, size_t at, const int8_t *x,
                       bool fifth, int g, int r, __m256i sum[2])
{
    const __m256i nibble = _mm256_set1_epi8(0x0f), bit = _mm256_set1_epi8(0x10);
    __m256i low[2], high[2];
#    pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        const uint8_t *row = e->row[r + i] + e->at;
        __m256i w = vector_at(row + at + 32 * g), a, b;
        a = _mm256_and_si256(w, nibble);
        b = _mm256_and_si256(_mm256_srli_epi16(w, 4), nibble);
        if (fifth) {
            __m256i h = vector_at(row + 16);
            __m256i p = g < 2 ? _mm256_slli_epi16(h, 4 - 2 * g)
                              : _mm256_srli_epi16(h, 2 * g - 4);
            __m256i q = g < 2 ? _mm256_slli_epi16(h, 3 - 2 * g)
                              : _mm256_srli_epi16(h, 2 * g - 3);
            a = _mm256_or_si256(a, _mm256_and_si256(p, bit));
            b = _mm256_or_si256(b, _mm256_and_si256(q, bit));
        }
        low[i] = _mm256_maddubs_epi16(a, vector_at(x));
        high[i] = _mm256_maddubs_epi16(b, vector_at(x + 32));
    }
    sum[0] = add_pairs(low[0], low[1]);
    sum[1] = add_pairs(high[0], high[1]);
}

/* part += scale * sum of a sub-block, given rows 0 to 3 and 4 to 7. Sums of
 * 32 * 15 * 127 / 2 still fit into 16 bits, but not of values up to 31. */
INLINE vf add_scaled(const struct row_scales *s, int i, bool fifth, __m256i low,
                     __m256i high, vf part)
{
    __m256i h[2], scale = byte_of(s->scale[i / 4], i % 4, true), n;
    halves_of(low, high, h);
    if (fifth)
        n = _mm256_add_epi32(_mm256_madd_epi16(h[0], scale),
                             _mm256_madd_epi16(h[1], scale));
    else
        n = _mm256_madd_epi16(_mm256_add_epi16(h[0], h[1]), scale);
    return add_number(s->d, n, part);
}

INLINE vf q45_k_block(const struct eight *e, const struct token_block *x,
                      bool fifth, vf y)
{
    size_t at = fifth ? 48 : 16, bytes = at / 4 + 32;
    struct row_scales s;
    vf part = {0};
    row_scales_of(e, &s);
#    pragma GCC unroll 4
    for (int g = 0; g < 4; g++) {
        __m256i sum[4][2];
        prefetch_rows(e->ahead, e->at + bytes * (size_t)g, bytes);
#    pragma GCC unroll 4
        for (int p = 0; p < 4; p++)
            nibbles_of(e, at, x->x + 64 * g, fifth, g, 2 * p, sum[p]);
#    pragma GCC unroll 2
        for (int i = 0; i < 2; i++) {
            __m256i low = add_quads16(sum[0][i], sum[1][i]);
            __m256i high = add_quads16(sum[2][i], sum[3][i]);
            part = add_scaled(&s, 2 * g + i, fifth, low, high, part);
            part = add_least(&s, 2 * g + i, x->sum[2 * g + i], part);
        }
    }
    return fma_vf(same(x->d), part, y);
}

/* Sums of 32 bits of two pairs of rows: values 64 h + 32 i of Q6_K and those 64
 * further, 0 .. 63. */
INLINE void sixes_of(const struct eight *e, const int8_t *x, int h, int i,
                     int r, __m256i sum[2])
{
    const __m256i nibble = _mm256_set1_epi8(0x0f), top = _mm256_set1_epi8(0x30);
    const __m256i one = _mm256_set1_epi16(1);
    __m256i low[4], high[4];
#    pragma GCC unroll 4
    for (int j = 0; j < 4; j++) {
        const uint8_t *row = e->row[r + j] + e->at;
        __m256i w = vector_at(row + 64 * h + 32 * i), a, b;
        __m256i u = vector_at(row + 128 + 32 * h);
        a = _mm256_slli_epi16(u, i ? 2 : 4);
        b = i ? _mm256_srli_epi16(u, 2) : u;
        a = _mm256_or_si256(_mm256_and_si256(w, nibble),
                            _mm256_and_si256(a, top));
        b = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(w, 4), nibble),
                            _mm256_and_si256(b, top));
        low[j] = _mm256_maddubs_epi16(a, vector_at(x));
        high[j] = _mm256_maddubs_epi16(b, vector_at(x + 64));
    }
#    pragma GCC unroll 2
    for (int j = 0; j < 4; j += 2) {
        low[j] = _mm256_madd_epi16(add_pairs(low[j], low[j + 1]), one);
        high[j] = _mm256_madd_epi16(add_pairs(high[j], high[j + 1]), one);
    }
    sum[0] = add_quads32(low[0], low[2]);
    sum[1] = add_quads32(high[0], high[2]);
}

/* Adds sub-block i, whose stored values are 32 larger. */
INLINE vf add_six(const __m256i scale[4], vf d, const struct token_block *x,
                  int i, __m256i sum, vf part)
{
    const __m256i last = _mm256_broadcastsi128_si256(_mm_setr_epi32(
        0x00808080 + (0 << 24), 0x04808080, 0x08808080, 0x0c808080));
    __m256i from = _mm256_add_epi32(last, _mm256_set1_epi32((i % 4) << 24));
    vf sc = (vf)_mm256_cvtepi32_ps(_mm256_shuffle_epi8(scale[i / 4], from));
    vf n = (vf)_mm256_cvtepi32_ps(sum);
    n = fma_vf(same(-32), same(x->sum[i]), n);
    return fma_vf(d * sc, n, part);
}

INLINE vf q6_k_block(const struct eight *e, const struct token_block *x, vf y)
{
    vf part = {0}, d = f16_at(e->row, e->at + 208) * 0x1p-24f;
    vu scale[4];
    piece(e->row, e->at + 192, scale);
#    pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        __m256i sum[8];
#    pragma GCC unroll 2
        for (int i = 0; i < 2; i++) {
            const int8_t *at = x->x + 128 * h + 32 * i;
            __m256i low[2], high[2];
            prefetch_rows(e->ahead, e->at + 53 * (size_t)(2 * h + i), 53);
            sixes_of(e, at, h, i, 0, low);
            sixes_of(e, at, h, i, 4, high);
#    pragma GCC unroll 2
            for (int j = 0; j < 2; j++) {
                sum[4 * j + 2 * i] =
                    _mm256_permute2x128_si256(low[j], high[j], 0x20);
                sum[4 * j + 2 * i + 1] =
                    _mm256_permute2x128_si256(low[j], high[j], 0x31);
            }
        }
#    pragma GCC unroll 8
        for (int i = 0; i < 8; i++)
            part =
                add_six((const __m256i *)scale, d, x, 8 * h + i, sum[i], part);
    }
    return fma_vf(same(x->d), part, y);
}

INLINE vf block_of(enum quant_type type, const struct eight *e,
                   const struct token_block *x, vf y)
{
    switch ((int)type) {
    case QUANT_Q2_K: return q2_k_block(e, x, y);
    case QUANT_Q4_K: return q45_k_block(e, x, false, y);
    case QUANT_Q5_K: return q45_k_block(e, x, true, y);
    case QUANT_Q6_K: return q6_k_block(e, x, y);
    default: return tq2_0_block(e, x, y);
    }
}

INLINE void k_rows(enum quant_type type, size_t bytes, int sub,
                   const uint8_t *const *row, const uint8_t *const *next,
                   int n_k, const struct act_tile *x, float *y, int n_row)
{
    enum { BLOCK = 256 };
    bool in_parts = type != QUANT_Q2_K && type != QUANT_TQ2_0;
    size_t row_bytes = (size_t)(n_k / BLOCK) * bytes;
    for (int r = 0; r < n_row; r += VW) {
        const uint8_t *const *after = r + VW < n_row ? row + r + VW : next;
        struct eight e = {row + r, rows_ahead(after, row_bytes), 0};
        struct token_block t = {x->q, x->sum, 0};
        vf sum = {0};
        for (int b = 0; b < n_k / BLOCK; b++, e.at += bytes) {
            if (!in_parts) prefetch_rows(e.ahead, e.at, bytes);
            t.d = x->d[b];
            sum = block_of(type, &e, &t, sum);
            t.x += BLOCK;
            t.sum += BLOCK / sub;
        }
        store_rows(y + r, sum, n_row - r);
    }
}

void k_one_token_avx2(enum quant_type type, const uint8_t *const *row,
                      const uint8_t *const *next, int n_k,
                      const struct act_tile *x, float *y, int n_row)
{
    if (type == QUANT_Q8_0)
        q8_0_rows(row, next, n_k, x, y, n_row);
    else if (type == QUANT_Q2_K)
        k_rows(QUANT_Q2_K, 84, 16, row, next, n_k, x, y, n_row);
    else if (type == QUANT_Q4_K)
        k_rows(QUANT_Q4_K, 144, 32, row, next, n_k, x, y, n_row);
    else if (type == QUANT_Q5_K)
        k_rows(QUANT_Q5_K, 176, 32, row, next, n_k, x, y, n_row);
    else if (type == QUANT_Q6_K)
        k_rows(QUANT_Q6_K, 210, 16, row, next, n_k, x, y, n_row);
    else if (type == QUANT_TQ2_0)
        k_rows(QUANT_TQ2_0, 66, 32, row, next, n_k, x, y, n_row);
    else
        assert(0 && "one of these types");
}
#else
enum { K_DIRECT_AVX2_IS_FOR_X86 };
#endif
