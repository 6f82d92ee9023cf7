/* k_blocks.h - decoding of a block of each type, once per instruction set: the
 * weights of VW rows at once, lane r of a vector belonging to row r.
 *
 * Sixteen bytes of each row are read and transposed by `piece` so that a vector
 * has four adjacent bytes of every row: the order of a panel, which a dot
 * product of bytes uses without another move. Example, Q4_0 with VW = 8:
 * load_piece() of the 16 bytes of nibbles gives v[0] .. v[3], v[j] lane r
 * having bytes 4j .. 4j + 3 of row r. A byte has value i low and value i + 16
 * high, so v[j] & 0x0f0f0f0f are values 4j .. 4j + 3 (step j of the block) and
 * v[j] >> 4 & 0x0f0f0f0f are values 16 + 4j .. (step 4 + j), each 8 too large.
 * The scale goes to `scale`, one per row; nothing is multiplied here.
 *
 * The same source serves a panel, shared by many tokens (put_values stores),
 * and a single token (put_values multiplies at once), so the two cannot differ.
 *
 * An including file defines VW (rows of a vector), vu, vs and vf (VW unsigned,
 * signed and float values of 32 bits), TURN (0x80808080 if the set flips the
 * top bit of a panel's bytes, else 0) and
 *   piece(row, at, out)  out[j] lane r: bytes at + 4j .. + 3 of row[r], j < 4
 *   half(v)              the low 16 bits of each lane as an F16, in F32
 *   lookup(v, table)     each byte 0..15 replaced by table[byte]
 *   dot4(sum, v, x)      sum + products of the bytes of v (as in a panel) with
 *                        x[0..3]
 *   dot4_small(s, v, x)  the same of bytes 0..63 unchanged; 0..255 if TURN
 *   fma_vf(a, b, c)      a * b + c, rounded once
 *   store_rows(y, v, n)  the first n lanes (all if n > VW, none if n < 1)
 * and, if it has its own code for some types and one token (k_one_token_avx2.c),
 *   DIRECT_OVERRIDE      a function like direct_i8 for those types
 * Blocks are laid out as in ../MODEL.md, "Blocks of weights"; quant.c has the
 * same formats in plain loops.
 */
#include <assert.h>
#include <string.h>

#include "vlm/tensor/body/k_inline.h"
#include "vlm/tensor/body/k_prefetch.h"
#include "vlm/tensor/kernels.h"

/* If four products of bytes are summed by way of 16-bit sums of two, a set
 * defines NARROW_SUMS: the sums of a sub-block of small values then stay in 16
 * bits to its end.
 *   dot4_narrow(sum, v, x)  as dot4_small, the sums of two in halves of a lane
 *   widen(sum)              the halves added up */
#ifndef NARROW_SUMS
#    define NARROW_SUMS          0
#    define dot4_narrow(s, v, x) dot4_small(s, v, x)
#    define widen(s)             (s)
#endif

enum { STEP_BYTES = 4 * PANEL_ROWS, NIBBLES = 0x0f0f0f0f };

/* Source and destination of VW rows: a panel, or directly the sums of one token
 * (`direct`). The compiler knows which, as everything is inline. */
struct row_block {
    bool direct, narrow;
    const uint8_t *const *row; /* [VW] */
    uint8_t *q;                /* panel: step 0 of these rows */
    float *scale, *min;        /* sub-block 0 of these rows */
    const int8_t *x;           /* activations of the current block */
    vs *sum;                   /* per sub-block of the current block */
    int sub, act;              /* form of the type */
    bool has_min;
    const uint8_t *ahead; /* direct: VW rows to prefetch, or NULL */
};

/* Bytes at .. at + 15 of each row; see piece. For one token, prefetches as much
 * of later rows. */
INLINE void load_piece(const struct row_block *l, size_t at, vu out[4])
{
    piece(l->row, at, out);
    if (l->direct) prefetch_rows(l->ahead, at, 16);
}

/* Four values of each row, -128..127. */
INLINE void put_values(const struct row_block *l, int step, vu v)
{
    v ^= TURN;
    if (l->direct) {
        vs *sum = &l->sum[step * 4 / l->sub];
        *sum = dot4(*sum, v, l->x + 4 * step);
    } else {
        memcpy(l->q + step * STEP_BYTES, &v, sizeof v);
    }
}

/* Four values of each row, given as 0..63 (direct: up to 255 if bytes are
 * unsigned) and `offset` too large; a direct sum starts with the offset. */
INLINE void put_small_values(const struct row_block *l, int step, vu v,
                             uint32_t offset)
{
    if (l->direct) {
        vs *sum = &l->sum[step * 4 / l->sub];
        *sum = l->narrow ? dot4_narrow(*sum, v, l->x + 4 * step)
                         : dot4_small(*sum, v, l->x + 4 * step);
        return;
    }
    if (offset && !NARROW_SUMS) {
        v = (v | 0x80808080u) - offset * 0x01010101u; /* no byte borrows */
        v ^= 0x80808080u ^ TURN;
    } else {
        v ^= TURN;
    }
    memcpy(l->q + step * STEP_BYTES, &v, sizeof v);
}

/* The offset of a type that uses put_small_values, else -1. */
INLINE int small_offset(enum quant_type type)
{
    switch (type) {
    case QUANT_Q4_1:
    case QUANT_Q5_1:
    case QUANT_Q2_K:
    case QUANT_Q4_K:
    case QUANT_Q5_K: return 0;
    case QUANT_TQ1_0:
    case QUANT_TQ2_0: return 1;
    case QUANT_Q3_K: return 4;
    case QUANT_Q4_0: return 8;
    case QUANT_IQ1_S:
    case QUANT_IQ1_M: return 9;
    case QUANT_Q5_0: return 16;
    case QUANT_Q6_K: return 32;
    case QUANT_Q8_0:
    case QUANT_IQ4_NL:
    case QUANT_IQ4_XS:
    case QUANT_MXFP4:
    case QUANT_NVFP4:
    case QUANT_IQ2_XXS:
    case QUANT_IQ2_XS:
    case QUANT_IQ2_S:
    case QUANT_IQ3_XXS:
    case QUANT_IQ3_S:
    case QUANT_F32:
    case QUANT_F16:
    case QUANT_BF16: break;
    }
    return -1;
}

/* How many times four products of such values fit into 16 bits, as a power of
 * two and within a sub-block; 0: not even two (or not worth it). */
INLINE int small_fit(enum quant_type type)
{
    switch (type) {
    case QUANT_Q4_0:
    case QUANT_Q4_1:
    case QUANT_Q4_K:
    case QUANT_TQ1_0:
    case QUANT_TQ2_0: return 8; /* 15 * 127 * 16 */
    case QUANT_Q2_K:
    case QUANT_Q3_K:
    case QUANT_IQ1_S:
    case QUANT_IQ1_M:
    case QUANT_Q5_0:
    case QUANT_Q5_1:
    case QUANT_Q5_K: return 4; /* 31 * 127 * 8 */
    case QUANT_Q6_K: return 2; /* 63 * 127 * 4 */
    default: return 0;
    }
}

/* Do the products of a sub-block's values fit into 16 bits? 15 * 127 * 16 do,
 * and half as many of 18 * 127. */
INLINE bool is_narrow(enum quant_type type)
{
    return NARROW_SUMS &&
           (type == QUANT_Q4_0 || type == QUANT_Q4_1 || type == QUANT_Q3_K ||
            type == QUANT_Q4_K || type == QUANT_IQ1_M || type == QUANT_TQ1_0);
}

/* Initial value of a sub-block's integer sum, if its activations add up to init
 * / -128. */
INLINE vs start_sum(enum quant_type type, int32_t init)
{
    int offset = small_offset(type);
    if (offset < 0) return TURN ? (vs){0} + init : (vs){0};
    return (((vs){0} + init) >> 7) * offset; /* a multiple of 128: exact */
}

INLINE void put_scale(const struct row_block *l, int sub, vf v)
{
    memcpy(l->scale + sub * PANEL_ROWS, &v, sizeof v);
}

INLINE void put_min(const struct row_block *l, int sub, vf v)
{
    memcpy(l->min + sub * PANEL_ROWS, &v, sizeof v);
}

INLINE vf number(vu v)
{
    return __builtin_convertvector((vs)v, vf);
}

/* Byte `i` of each lane, as a signed number. */
INLINE vf number_i8(vu v, int i)
{
    return __builtin_convertvector((vs)(v << (24 - 8 * i)) >> 24, vf);
}

INLINE vf half_at(const struct row_block *l, size_t at)
{
    vu v[4];
    load_piece(l, at, v);
    return half(v[0] & 0xffffu);
}

INLINE void unpack_q8_0(const struct row_block *l, size_t at, int b)
{
    put_scale(l, b, half_at(l, at));
#pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        vu v[4];
        load_piece(l, at + 2 + 16 * (size_t)h, v);
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++)
            put_values(l, 8 * b + 4 * h + j, v[j]);
    }
}

/* Q4_0, Q4_1, Q5_0 and Q5_1: scale, minimum, fifth bits, nibbles. */
INLINE void unpack_q45(const struct row_block *l, size_t at, int b,
                       bool has_min, bool has_fifth)
{
    vu head[4], v[4], fifth = {0};
    load_piece(l, at, head);
    put_scale(l, b, half(head[0] & 0xffffu));
    if (has_min) put_min(l, b, half(head[0] >> 16));
    if (has_fifth) fifth = has_min ? head[1] : head[0] >> 16 | head[1] << 16;
    load_piece(l, at + (has_min ? 4 : 2) + (has_fifth ? 4 : 0), v);
    uint32_t offset = has_min ? 0 : has_fifth ? 16 : 8;
#pragma GCC unroll 8
    for (int j = 0; j < 8; j++) {
        vu q = v[j & 3] >> (j & 4) & NIBBLES;
        if (has_fifth) {
            /* bits 4j .. 4j + 3 become bit 4 of the four bytes */
            vu f = fifth >> (4 * j) & 15;
            q |= ((f & 1) | (f & 2) << 7 | (f & 4) << 14 | (f & 8) << 21) << 4;
        }
        put_small_values(l, 8 * b + j, q, offset);
    }
}

INLINE void unpack_table16(const struct row_block *l, size_t at, int step,
                           const int8_t *table)
{
    vu v[4];
    load_piece(l, at, v);
    for (int j = 0; j < 4; j++) {
        put_values(l, step + j, lookup(v[j] & NIBBLES, table));
        put_values(l, step + 4 + j, lookup(v[j] >> 4 & NIBBLES, table));
    }
}

INLINE void unpack_iq4_nl(const struct row_block *l, size_t at, int b)
{
    put_scale(l, b, half_at(l, at));
    unpack_table16(l, at + 2, 8 * b, quant_iq4_value);
}

INLINE void unpack_mxfp4(const struct row_block *l, size_t at, int b)
{
    vu v[4];
    load_piece(l, at, v);
    /* 2^(e - 128) by its exponent field; e of 0 and 1 are subnormal */
    vu e = v[0] & 0xffu;
    vu bits = (e - 1) << 23, small = (vu)(e < 2);
    bits = (bits & ~small) | ((0x200000u << (e & 1)) & small);
    put_scale(l, b, (vf)bits);
    unpack_table16(l, at + 1, 8 * b, quant_fp4_value);
}

INLINE void unpack_nvfp4(const struct row_block *l, size_t at, int b)
{
    vu s[4], v[4];
    load_piece(l, at, s);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        /* E4M3 halved: 2^-7 less in the exponent, subnormals by value */
        vu x = s[0] >> (8 * i) & 0x7fu;
        vu bits = (x << 20) + (119u << 23), tiny = (vu)(x < 8);
        vu none = (vu)((s[0] >> (8 * i) & 0xffu) == 0x7f);
        vf low = number(x) * 0x1p-10f;
        bits = ((bits & ~tiny) | ((vu)low & tiny)) & ~none;
        put_scale(l, 4 * b + i, (vf)bits);
    }
#pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        load_piece(l, at + 4 + 16 * (size_t)h, v);
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
            int step = 16 * b + 8 * h + j / 2 * 4 + j % 2;
            put_values(l, step, lookup(v[j] & NIBBLES, quant_fp4_value));
            put_values(l, step + 2,
                       lookup(v[j] >> 4 & NIBBLES, quant_fp4_value));
        }
    }
}

#include "vlm/tensor/body/k_pair_blocks.h"

/* Scales and minima of Q4_K and Q5_K, packed in 6 bits; scales of odd
 * sub-blocks times `odd`. */
INLINE void unpack_scale_min(const struct row_block *l, size_t at, int b,
                             float odd)
{
    vu h[4];
    load_piece(l, at, h);
    vf d = half(h[0] & 0xffffu), dmin = -half(h[0] >> 16);
    vu sc[2] = {h[1] & 0x3f3f3f3fu,
                (h[3] & NIBBLES) | (h[1] >> 2 & 0x30303030u)};
    vu mn[2] = {h[2] & 0x3f3f3f3fu,
                (h[3] >> 4 & NIBBLES) | (h[2] >> 2 & 0x30303030u)};
#pragma GCC unroll 8
    for (int j = 0; j < 8; j++) {
        put_scale(l, 8 * b + j,
                  (j % 2 ? d * odd : d) * number_i8(sc[j / 4], j % 4));
        put_min(l, 8 * b + j, dmin * number_i8(mn[j / 4], j % 4));
    }
}

INLINE void unpack_q4_k(const struct row_block *l, size_t at, int b)
{
    /* If bytes are unsigned, the high nibble stays in place and the scale is
     * sixteen times smaller: exact. */
    bool high = l->direct && TURN;
    unpack_scale_min(l, at, b, high ? 0.0625f : 1.0f);
#pragma GCC unroll 8
    for (int p = 0; p < 8; p++) {
        vu v[4];
        load_piece(l, at + 16 + 16 * (size_t)p, v);
        int step = 64 * b + p / 2 * 16 + p % 2 * 4;
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
            put_small_values(l, step + j, v[j] & NIBBLES, 0);
            put_small_values(
                l, step + 8 + j,
                high ? v[j] & ~(uint32_t)NIBBLES : v[j] >> 4 & NIBBLES, 0);
        }
    }
}

INLINE void unpack_q5_k(const struct row_block *l, size_t at, int b)
{
    vu h[8];
    unpack_scale_min(l, at, b, 1.0f);
    load_piece(l, at + 16, h);
    load_piece(l, at + 32, h + 4);
#pragma GCC unroll 8
    for (int p = 0; p < 8; p++) {
        vu v[4];
        load_piece(l, at + 48 + 16 * (size_t)p, v);
        int g = p / 2, step = 64 * b + g * 16 + p % 2 * 4;
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
            vu f = h[p % 2 * 4 + j] >> (2 * g);
            put_small_values(l, step + j,
                             (v[j] & NIBBLES) | (f & 0x01010101u) << 4, 0);
            put_small_values(
                l, step + 8 + j,
                (v[j] >> 4 & NIBBLES) | (f >> 1 & 0x01010101u) << 4, 0);
        }
    }
}

INLINE void unpack_q6_scales(const struct row_block *l, size_t at, int b)
{
    vu sc[4], tail[4];
    load_piece(l, at + 192, sc);
    load_piece(l, at + 194, tail); /* d is its last two bytes */
    vf d = half(tail[3] >> 16);
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        put_scale(l, 16 * b + i, d * number_i8(sc[i / 4], i % 4));
}

INLINE void unpack_q6_k(const struct row_block *l, size_t at, int b)
{
    unpack_q6_scales(l, at, b);
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) { /* two halves of 128, two of 16 in 32 */
        vu low[4], next[4], high[4];
        size_t in = 64 * (size_t)(p / 2) + 16 * (size_t)(p % 2);
        load_piece(l, at + in, low);
        load_piece(l, at + in + 32, next);
        load_piece(l, at + 128 + 16 * (size_t)p, high);
        int step = 64 * b + p / 2 * 32 + p % 2 * 4;
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
            vu u = high[j];
            vu q[4] = {(low[j] & NIBBLES) | (u << 4 & 0x30303030u),
                       (next[j] & NIBBLES) | (u << 2 & 0x30303030u),
                       (low[j] >> 4 & NIBBLES) | (u & 0x30303030u),
                       (next[j] >> 4 & NIBBLES) | (u >> 2 & 0x30303030u)};
#pragma GCC unroll 4
            for (int s = 0; s < 4; s++)
                put_small_values(l, step + 8 * s + j, q[s], 32);
        }
    }
}

INLINE void unpack_iq4_xs(const struct row_block *l, size_t at, int b)
{
    vu h[4];
    load_piece(l, at, h);
    vf d = half(h[0] & 0xffffu);
#pragma GCC unroll 8
    for (int j = 0; j < 8; j++) {
        vu low = h[1] >> (4 * j) & 15, top = h[0] >> (16 + 2 * j) & 3;
        put_scale(l, 8 * b + j, d * number((low | top << 4) - 32));
        unpack_table16(l, at + 8 + 16 * (size_t)j, 64 * b + 8 * j,
                       quant_iq4_value);
    }
}

#include "vlm/tensor/body/k_grid_blocks.h"

INLINE void unpack_block(enum quant_type type, const struct row_block *l,
                         size_t at, int b)
{
    switch (type) {
    case QUANT_Q4_0: unpack_q45(l, at, b, false, false); return;
    case QUANT_Q4_1: unpack_q45(l, at, b, true, false); return;
    case QUANT_Q5_0: unpack_q45(l, at, b, false, true); return;
    case QUANT_Q5_1: unpack_q45(l, at, b, true, true); return;
    case QUANT_Q8_0: unpack_q8_0(l, at, b); return;
    case QUANT_IQ4_NL: unpack_iq4_nl(l, at, b); return;
    case QUANT_MXFP4: unpack_mxfp4(l, at, b); return;
    case QUANT_NVFP4: unpack_nvfp4(l, at, b); return;
    case QUANT_Q2_K: unpack_q2_k(l, at, b); return;
    case QUANT_Q3_K: unpack_q3_k(l, at, b); return;
    case QUANT_Q4_K: unpack_q4_k(l, at, b); return;
    case QUANT_Q5_K: unpack_q5_k(l, at, b); return;
    case QUANT_Q6_K: unpack_q6_k(l, at, b); return;
    case QUANT_IQ4_XS: unpack_iq4_xs(l, at, b); return;
    case QUANT_IQ1_S: unpack_iq1_s(l, at, b); return;
    case QUANT_IQ1_M: unpack_iq1_m(l, at, b); return;
    case QUANT_IQ2_XXS: unpack_iq2_xxs(l, at, b); return;
    case QUANT_IQ2_XS: unpack_iq2_xs(l, at, b); return;
    case QUANT_IQ2_S: unpack_iq2_s(l, at, b); return;
    case QUANT_IQ3_XXS: unpack_iq3_xxs(l, at, b); return;
    case QUANT_IQ3_S: unpack_iq3_s(l, at, b); return;
    case QUANT_TQ1_0: unpack_tq1_0(l, at, b); return;
    case QUANT_TQ2_0: unpack_tq2_0(l, at, b); return;
    case QUANT_F32:
    case QUANT_F16:
    case QUANT_BF16: break;
    }
    assert(0 && "a quantised type");
}
