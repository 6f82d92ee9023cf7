/* k_grid_blocks.h - k_blocks.h for IQ1, IQ2, IQ3 and TQ1_0: types that store a
 * group of values as the number of an entry in a list (grids.h).
 *
 * The number of each row's entry is computed in a vector, `fetch` reads the
 * packed entries (two bytes each, so that a list stays in the first-level
 * cache), and shifts spread their digits over the bytes of a lane, where
 * `lookup` replaces them by values. Signs are applied as masks. In addition to
 * those of k_blocks.h, a set defines
 *   negate(v, s, b, n)     byte i of v negated where bit 4 n + i of byte b of s
 *                          is set
 * and either
 *   fetch(table, v)        table[v], one per lane; the upper half is undefined
 * or, with GRIDS_WIDE, if gather instructions are slow:
 *   keep(v, at)            v to memory, by one store
 *   fetch8(table, at, bits, i, out)  out: both halves of table[n],
 *                          n number i of `bits` bits of each lane stored at
 *                          `at`
 *   fetch4(table, at, bits, i)  table[n] of 32 bits
 *   dot8_signed(sum, v, s, b, x)  sum + products of the eight bytes of v[0] and
 *                          v[1] (at most 62), signed by byte b of s, with
 *                          x[0..7]; not if TURN
 */
#include "vlm/tensor/formats/grids.h"

/* A set that defines TERNARY_BYTES also defines
 *   first_third(v)  3 v >> 8 of each byte, 0..2
 *   thrice(v)       each byte times three, the low 8 bits */
#ifndef TERNARY_BYTES
#    define TERNARY_BYTES 0
#endif

#ifndef GRIDS_WIDE
#    define GRIDS_WIDE 0
#endif

#if !GRIDS_WIDE
/* Four digits of two bits to four bytes. */
INLINE vu digits2(vu p)
{
    vu v = p & 0xffu;
    v = (v | v << 12) & 0x000f000fu;
    return (v | v << 6) & 0x03030303u;
}

/* Four digits of three bits to four bytes. */
INLINE vu digits3(vu p)
{
    vu v = p & 0xfffu;
    v = (v | v << 10) & 0x003f003fu;
    return (v | v << 5) & 0x07070707u;
}
#endif

/* Entry numbers of a lane: one of 32 bits, two of 16 or four of 8. */
struct numbers {
#if GRIDS_WIDE
    uint32_t at[VW];
#else
    vu lane;
#endif
};

INLINE void set_numbers(struct numbers *n, vu lane)
{
#if GRIDS_WIDE
    keep(lane, n->at);
#else
    n->lane = lane;
#endif
}

#if !GRIDS_WIDE
INLINE vu number_of(const struct numbers *n, int bits, int i)
{
    return bits == 32 ? n->lane : n->lane >> (bits * i) & ((1u << bits) - 1);
}
#endif

/* Bytes 0 and 2 of each lane, with bits m of `high` above them, from x and y
 * on: two numbers. */
INLINE vu two_numbers(vu word, vu high, uint32_t m, int x, int y)
{
    return (word & 0x00ff00ffu) | (high << (8 - x) & m << 8) |
           (high << (24 - y) & m << 24);
}

/* The eight values of each row's entry i. */
INLINE void entry8(const uint16_t *packed, const uint64_t *wide,
                   const int8_t *value, const struct numbers *n, int bits,
                   int i, vu out[2])
{
#if GRIDS_WIDE
    (void)packed, (void)value;
    fetch8(wide, n->at, bits, i, out);
#else
    (void)wide;
    vu entry = fetch(packed, number_of(n, bits, i));
    out[0] = lookup(digits2(entry), value);
    out[1] = lookup(digits2(entry >> 8), value);
#endif
}

/* The four values of each row's entry i. */
INLINE vu entry4(const uint16_t *packed, const uint32_t *wide,
                 const int8_t *value, const struct numbers *n, int bits, int i)
{
#if GRIDS_WIDE
    (void)packed, (void)value;
    return fetch4(wide, n->at, bits, i);
#else
    (void)wide;
    return lookup(digits3(fetch(packed, number_of(n, bits, i))), value);
#endif
}

/* Eight values, with the signs of byte `s` of `signs`. */
INLINE void put_signed(const struct row_block *l, int step, const vu v[2],
                       vu signs, int s)
{
#if GRIDS_WIDE && !TURN
    if (l->direct) {
        vs *sum = &l->sum[step * 4 / l->sub];
        *sum = dot8_signed(*sum, v, signs, s, l->x + 4 * step);
        return;
    }
#endif
    put_values(l, step, negate(v[0], signs, s, 0));
    put_values(l, step + 1, negate(v[1], signs, s, 1));
}

/* The eighth sign of each byte makes the number of signs even. */
INLINE vu even_signs(vu s)
{
    return s | lookup((s ^ s >> 4) & NIBBLES, quant_odd_bit);
}

/* Four times seven signs of a lane to four bytes of eight. */
INLINE vu signs_of(vu v)
{
    return even_signs((v & 0x7fu) | (v << 1 & 0x7f00u) | (v << 2 & 0x7f0000u) |
                      (v << 3 & 0x7f000000u));
}

/* Eight values of IQ2 by the number of their entry. */
#define PUT_IQ2(l, step, grid, n, bits, i, signs, s)                         \
    do {                                                                     \
        vu both[2];                                                          \
        entry8(grid##_grid, grid##_wide, quant_iq2_value, n, bits, i, both); \
        put_signed(l, step, both, signs, s);                                 \
    } while (0)

/* Scales of types whose sub-scale s counts as 0.5 + s. */
INLINE vf scale_of(vf d, vu s, float factor)
{
    return d * (0.5f + number(s)) * factor;
}

INLINE void unpack_iq2_xxs(const struct row_block *l, size_t at, int b)
{
    vf d = half_at(l, at);
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) {
        vu v[4];
        load_piece(l, at + 2 + 16 * (size_t)p, v);
#pragma GCC unroll 2
        for (int h = 0; h < 2; h++) {
            vu signs = signs_of(v[2 * h + 1]);
            struct numbers n;
            set_numbers(&n, v[2 * h]);
            put_scale(l, 8 * b + 2 * p + h,
                      scale_of(d, v[2 * h + 1] >> 28, 0.25f));
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++)
                PUT_IQ2(l, 64 * b + 16 * p + 8 * h + 2 * i, quant_iq2_xxs, &n,
                        8, i, signs, i);
        }
    }
}

/* A nibble per 16 values, from two lanes. */
INLINE void put_scales_iq2(const struct row_block *l, vf d, const vu s[2],
                           int b)
{
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        put_scale(l, 16 * b + i,
                  scale_of(d, s[i / 8] >> (4 * (i % 8)) & 15, 0.25f));
}

INLINE void unpack_iq2_xs(const struct row_block *l, size_t at, int b)
{
    vu v[4];
    vf d = half_at(l, at);
    load_piece(l, at + 58, v);
    put_scales_iq2(l, d, v + 2, b);
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) {
        load_piece(l, at + 2 + 16 * (size_t)p, v);
#pragma GCC unroll 2
        for (int h = 0; h < 2; h++) {
            vu v0 = v[2 * h], v1 = v[2 * h + 1];
            vu signs = even_signs((v0 >> 9 & 0x7fu) | v0 >> 25 << 8 |
                                  (v1 >> 9 & 0x7fu) << 16 | v1 >> 25 << 24);
            int step = 64 * b + 16 * p + 8 * h;
            struct numbers n[2];
            set_numbers(&n[0], v0 & 0x01ff01ffu);
            set_numbers(&n[1], v1 & 0x01ff01ffu);
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++)
                PUT_IQ2(l, step + 2 * i, quant_iq2_xs, &n[i / 2], 16, i % 2,
                        signs, i);
        }
    }
}

INLINE void unpack_iq2_s(const struct row_block *l, size_t at, int b)
{
    vu tail[4];
    vf d = half_at(l, at);
    load_piece(l, at + 66, tail);
    put_scales_iq2(l, d, tail + 2, b);
#pragma GCC unroll 2
    for (int p = 0; p < 2; p++) {
        vu v[4], signs[4];
        load_piece(l, at + 2 + 16 * (size_t)p, v);
        load_piece(l, at + 34 + 16 * (size_t)p, signs);
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
            vu high = tail[p] >> (8 * j);
            struct numbers n[2];
            set_numbers(&n[0], two_numbers(v[j], high, 3, 0, 4));
            set_numbers(&n[1], two_numbers(v[j] >> 8, high, 3, 2, 6));
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++)
                PUT_IQ2(l, 64 * b + 32 * p + 8 * j + 2 * i, quant_iq2_s,
                        &n[i % 2], 16, i / 2, signs[j], i);
        }
    }
}

INLINE void unpack_iq3_xxs(const struct row_block *l, size_t at, int b)
{
    vu word[8];
    vf d = half_at(l, at);
    load_piece(l, at + 66, word);
    load_piece(l, at + 82, word + 4);
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) {
        vu v[4];
        load_piece(l, at + 2 + 16 * (size_t)p, v);
#pragma GCC unroll 2
        for (int h = 0; h < 2; h++) {
            vu signs = signs_of(word[2 * p + h]);
            put_scale(l, 8 * b + 2 * p + h,
                      scale_of(d, word[2 * p + h] >> 28, 0.5f));
            struct numbers n[2];
            set_numbers(&n[0], v[2 * h]);
            set_numbers(&n[1], v[2 * h + 1]);
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) {
                vu both[2];
#pragma GCC unroll 2
                for (int k = 0; k < 2; k++)
                    both[k] = entry4(quant_iq3_xxs_grid, quant_iq3_xxs_wide,
                                     quant_iq3_xxs_value, &n[i / 2], 8,
                                     2 * (i % 2) + k);
                put_signed(l, 64 * b + 16 * p + 8 * h + 2 * i, both, signs, i);
            }
        }
    }
}

INLINE void unpack_iq3_s(const struct row_block *l, size_t at, int b)
{
    vu top[4], signs[8], tail[4];
    vf d = half_at(l, at);
    load_piece(l, at + 66, top);
    load_piece(l, at + 74, signs);
    load_piece(l, at + 90, signs + 4);
    load_piece(l, at + 94, tail);
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) {
        vu v[4];
        load_piece(l, at + 2 + 16 * (size_t)p, v);
#pragma GCC unroll 2
        for (int h = 0; h < 2; h++) {
            int sub = 2 * p + h;
            vu s = tail[3] >> (4 * sub) & 15;
            vu high = top[p / 2] >> (8 * (sub % 4));
            put_scale(l, 8 * b + sub, d * number(1 + 2 * s));
            struct numbers n[4];
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++)
                set_numbers(&n[i],
                            two_numbers(v[2 * h + i / 2] >> (8 * (i % 2)), high,
                                        1, 4 * (i / 2) + i % 2,
                                        4 * (i / 2) + i % 2 + 2));
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) {
                vu both[2];
#pragma GCC unroll 2
                for (int k = 0; k < 2; k++)
                    both[k] =
                        entry4(quant_iq3_s_grid, quant_iq3_s_wide,
                               quant_iq3_s_value, &n[i / 2 * 2 + k], 16, i % 2);
                put_signed(l, 64 * b + 8 * sub + 2 * i, both, signs[sub], i);
            }
        }
    }
}

/* Four groups of eight: a byte of `low` and three bits of `high`, every `bits`
 * bits; less[i]: 2 in each byte where the group is an eighth smaller, not
 * larger. */
INLINE void put_iq1(const struct row_block *l, int step, vu low, vu high,
                    int bits, const vu less[4])
{
    struct numbers n[2];
    set_numbers(&n[0], two_numbers(low, high, 7, 0, 2 * bits));
    set_numbers(&n[1], two_numbers(low >> 8, high, 7, bits, 3 * bits));
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        vu both[2];
        entry8(quant_iq1_grid, quant_iq1_wide, quant_iq1_small, &n[i % 2], 16,
               i / 2, both);
        put_small_values(l, step + 2 * i, both[0] - less[i], 9);
        put_small_values(l, step + 2 * i + 1, both[1] - less[i], 9);
    }
}

/* 2 in each byte where bit k is set. */
INLINE vu two_where(vu v, int k)
{
    return (vu)((vs)(v << (31 - k)) >> 31) & 0x02020202u;
}

INLINE void unpack_iq1_s(const struct row_block *l, size_t at, int b)
{
    vu word[4];
    vf d = half_at(l, at);
    load_piece(l, at + 34, word);
#pragma GCC unroll 2
    for (int p = 0; p < 2; p++) {
        vu v[4];
        load_piece(l, at + 2 + 16 * (size_t)p, v);
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
            int sub = 4 * p + j;
            vu h = word[sub / 2] >> (16 * (sub % 2)), less = two_where(h, 15);
            put_scale(l, 8 * b + sub,
                      d * number(2 * (h >> 12 & 7) + 1) * 0.125f);
            put_iq1(l, 64 * b + 8 * sub, v[j], h, 3,
                    (const vu[4]){less, less, less, less});
        }
    }
}

INLINE void unpack_iq1_m(const struct row_block *l, size_t at, int b)
{
    vu tail[4], top[4];
    load_piece(l, at + 40,
               tail); /* four words: three bits for each 16 values */
    vf d = half((tail[2] >> 12 & 15) | (tail[2] >> 28 << 4) |
                (tail[3] >> 12 & 15) << 8 | (tail[3] >> 28 << 12));
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        vu s = tail[2 + i / 8] >> (16 * (i / 4 % 2) + 3 * (i % 4)) & 7;
        put_scale(l, 16 * b + i, d * number(2 * s + 1) * 0.125f);
    }
    load_piece(l, at + 32, top);
#pragma GCC unroll 2
    for (int p = 0; p < 2; p++) {
        vu v[4];
        load_piece(l, at + 16 * (size_t)p, v);
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
            vu h = top[2 * p + j / 2] >> (16 * (j % 2)), less[4];
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++)
                less[i] = two_where(h, 4 * i + 3);
            put_iq1(l, 64 * b + 32 * p + 8 * j, v[j], h, 4, less);
        }
    }
}

/* n digits of base three of four bytes each: a byte is a fraction of 256. */
INLINE void put_ternary(const struct row_block *l, int step, int next, vu v,
                        int n)
{
#if TERNARY_BYTES
#    pragma GCC unroll 5
    for (int i = 0; i < n; i++, v = thrice(v))
        put_small_values(l, step + i * next, first_third(v), 1);
#else
    vu even = v & 0x00ff00ffu, odd = v >> 8 & 0x00ff00ffu;
#    pragma GCC unroll 5
    for (int i = 0; i < n; i++) {
        even *= 3, odd *= 3;
        put_small_values(l, step + i * next,
                         (even >> 8 & 0x00030003u) | (odd & 0x03000300u), 1);
        even &= 0x00ff00ffu, odd &= 0x00ff00ffu;
    }
#endif
}

INLINE void unpack_tq1_0(const struct row_block *l, size_t at, int b)
{
    vu v[4], tail[4];
    load_piece(l, at + 38, tail);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) /* one scale for all 256 values */
        put_scale(l, 8 * b + i, half(tail[3] >> 16));
#pragma GCC unroll 3
    for (int p = 0; p < 3; p++) {
        load_piece(l, at + 16 * (size_t)p, v);
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++)
            put_ternary(l, 64 * b + (p < 2 ? 4 * p : 40) + j, p < 2 ? 8 : 4,
                        v[j], 5);
    }
    put_ternary(l, 64 * b + 60, 1, tail[2] >> 16 | tail[3] << 16, 4);
}
