/* k_pair_blocks.h - k_blocks.h for Q2_K, Q3_K and TQ2_0: types that store four
 * values of two bits in a byte.
 */
/* Two bits of each byte, pair s. For one token with narrow sums, odd pairs stay
 * in place, four times as large, and their scale is a quarter: exact. */
INLINE vu pair_of(const struct row_block *l, vu v, int s)
{
    if (l->narrow && s % 2) return v >> (2 * s - 2) & 0x0c0c0c0cu;
    return v >> (2 * s) & 0x03030303u;
}

INLINE float pair_scale(const struct row_block *l, int s)
{
    return l->narrow && s % 2 ? 0.25f : 1.0f;
}

/* The factor by which the sum of sub-block i is larger. */
INLINE int pair_times(enum quant_type type, int i)
{
    return is_narrow(type) && type == QUANT_Q3_K && i / 2 % 2 ? 4 : 1;
}

/* Bit `from` of each byte as its bit `to`. */
INLINE vu moved_bit(vu v, int from, int to)
{
    return (from > to ? v >> (from - to) : v << (to - from)) & 0x01010101u
                                                                   << to;
}

INLINE void unpack_q2_k(const struct row_block *l, size_t at, int b)
{
    vu sc[4], v[4], tail[4];
    load_piece(l, at, sc);
    load_piece(l, at + 68, tail); /* d and dmin are its last four bytes */
    vf d = half(tail[3] & 0xffffu), dmin = -half(tail[3] >> 16);
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        vu s = sc[i / 4] >> (8 * (i % 4));
        put_scale(l, 16 * b + i, d * pair_scale(l, i / 2) * number(s & 15));
        put_min(l, 16 * b + i, dmin * number(s >> 4 & 15));
    }
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) {
        load_piece(l, at + 16 + 16 * (size_t)p, v);
#pragma GCC unroll 4
        for (int s = 0; s < 4; s++)
#pragma GCC unroll 4
            for (int j = 0; j < 4; j++)
                put_small_values(l, 64 * b + p / 2 * 32 + s * 8 + p % 2 * 4 + j,
                                 pair_of(l, v[j], s), 0);
    }
}

INLINE void unpack_q3_k(const struct row_block *l, size_t at, int b)
{
    vu v[4], high[8], a[4];
    load_piece(l, at + 94, a); /* twelve scale bytes from 96, then d */
    vf d = half(a[3] >> 16);
    vu s0 = a[0] >> 16 | a[1] << 16, s1 = a[1] >> 16 | a[2] << 16;
    vu s2 = a[2] >> 16 | a[3] << 16;
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        vu low = (i & 4 ? s1 : s0) >> (8 * (i % 4) + (i < 8 ? 0 : 4)) & 15;
        vu top = s2 >> (8 * (i % 4) + 2 * (i / 4)) & 3;
        put_scale(l, 16 * b + i,
                  d * pair_scale(l, i / 2) * number((low | top << 4) - 32));
    }
    load_piece(l, at, high);
    load_piece(l, at + 16, high + 4);
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) {
        load_piece(l, at + 32 + 16 * (size_t)p, v);
#pragma GCC unroll 4
        for (int s = 0; s < 4; s++)
#pragma GCC unroll 4
            for (int j = 0; j < 4; j++) {
                int third = l->narrow && s % 2 ? 4 : 2;
                vu q = pair_of(l, v[j], s) |
                       moved_bit(high[p % 2 * 4 + j], p / 2 * 4 + s, third);
                put_small_values(l, 64 * b + p / 2 * 32 + s * 8 + p % 2 * 4 + j,
                                 q, 4);
            }
    }
}

INLINE void unpack_tq2_0(const struct row_block *l, size_t at, int b)
{
    vu v[4], tail[4];
    load_piece(l, at + 50, tail);
    vf d = half(tail[3] >> 16);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        put_scale(l, 8 * b + i, d * pair_scale(l, i));
#pragma GCC unroll 4
    for (int p = 0; p < 4; p++) {
        load_piece(l, at + 16 * (size_t)p, v);
#pragma GCC unroll 4
        for (int s = 0; s < 4; s++)
#pragma GCC unroll 4
            for (int j = 0; j < 4; j++)
                put_small_values(l, 64 * b + p / 2 * 32 + s * 8 + p % 2 * 4 + j,
                                 pair_of(l, v[j], s), 1);
    }
}
