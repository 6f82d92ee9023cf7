/* k_gpu_blocks.h - decoding of every quantised type (tensor/formats/quant.c is
 * the specification): for type T
 *
 *     T_word(p, e)   values e .. e + 3 of the block at p, as signed bytes; e is
 *                    a multiple of 4
 *     T_scale(p, i)  of the sub-block i, and T_min(p, i)
 *     T_BLOCK, T_BYTES, T_SUB, T_ACT, T_HAS_MIN  as quant_info and quant_form
 *
 * Blocks start at multiples of 16 bytes only if their size is one: otherwise
 * words are read in halves or bytes.
 */

INSIDE uint32_t gpu_at4(const uint8_t *p) /* at a multiple of 4 */
{
    return *(const uint32_t *)(const void *)p;
}

INSIDE uint32_t gpu_at2(const uint8_t *p) /* of 2 */
{
    const uint16_t *h = (const uint16_t *)(const void *)p;
    return h[0] | (uint32_t)h[1] << 16;
}

INSIDE uint32_t gpu_at1(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

INSIDE float gpu_half_at(const uint8_t *p)
{
    return gpu_from_half((uint16_t)(p[0] | p[1] << 8));
}

/* Each byte of x (below 128) minus that of y (at most x + 128). */
INSIDE uint32_t gpu_less(uint32_t x, uint32_t y)
{
    return ((x | 0x80808080u) - y) ^ 0x80808080u;
}

/* The low or (high: 1) high nibbles of 16 bytes that hold 32 values. */
INSIDE uint32_t gpu_nibbles(uint32_t word, int high)
{
    return word >> 4 * high & 0x0f0f0f0fu;
}

/* Bits i .. i + 3 of x, each at bit 4 of a byte. */
INSIDE uint32_t gpu_fifth(uint32_t x, int i)
{
    return ((x >> i & 15) * 0x00204081u & 0x01010101u) << 4;
}

/* The entries of a table of 16 bytes selected by four bytes below 16. */
INSIDE uint32_t gpu_table(uint32_t x, uint32_t t0, uint32_t t1, uint32_t t2,
                          uint32_t t3)
{
    uint32_t pick =
        (x & 15) | (x >> 4 & 0xf0) | (x >> 8 & 0xf00) | (x >> 12 & 0xf000);
    uint32_t low = gpu_bytes(t0, t1, pick & 0x7777);
    uint32_t high = gpu_bytes(t2, t3, pick & 0x7777);
    uint32_t upper = (x >> 3 & 0x01010101u) * 255u;
    return (low & ~upper) | (high & upper);
}

INSIDE uint32_t gpu_iq4(uint32_t x) /* quant_iq4_value */
{
    return gpu_table(x, 0xbfad9881u, 0xf6eaddcfu, 0x26190d01u, 0x71594535u);
}

INSIDE uint32_t gpu_fp4(uint32_t x) /* quant_fp4_value */
{
    return gpu_table(x, 0x03020100u, 0x0c080604u, 0xfdfeff00u, 0xf4f8fafcu);
}

#define q4_0_BLOCK   32
#define q4_0_BYTES   18
#define q4_0_SUB     32
#define q4_0_ACT     32
#define q4_0_HAS_MIN 0
INSIDE uint32_t q4_0_word(const uint8_t *p, int e)
{
    return gpu_less(gpu_nibbles(gpu_at2(p + 2 + e % 16), e / 16), 0x08080808u);
}
INSIDE float q4_0_scale(const uint8_t *p, int i)
{
    return gpu_half_at(p + 2 * i);
}

#define q4_1_BLOCK   32
#define q4_1_BYTES   20
#define q4_1_SUB     32
#define q4_1_ACT     32
#define q4_1_HAS_MIN 1
INSIDE uint32_t q4_1_word(const uint8_t *p, int e)
{
    return gpu_nibbles(gpu_at4(p + 4 + e % 16), e / 16);
}
INSIDE float q4_1_scale(const uint8_t *p, int i)
{
    return gpu_half_at(p + 4 * i);
}
INSIDE float q4_1_min(const uint8_t *p, int i)
{
    return gpu_half_at(p + 2 + 4 * i);
}

#define q5_0_BLOCK   32
#define q5_0_BYTES   22
#define q5_0_SUB     32
#define q5_0_ACT     32
#define q5_0_HAS_MIN 0
INSIDE uint32_t q5_0_word(const uint8_t *p, int e)
{
    uint32_t low = gpu_nibbles(gpu_at2(p + 6 + e % 16), e / 16);
    return gpu_less(low | gpu_fifth(gpu_at2(p + 2), e), 0x10101010u);
}
INSIDE float q5_0_scale(const uint8_t *p, int i)
{
    return gpu_half_at(p + 2 * i);
}

#define q5_1_BLOCK   32
#define q5_1_BYTES   24
#define q5_1_SUB     32
#define q5_1_ACT     32
#define q5_1_HAS_MIN 1
INSIDE uint32_t q5_1_word(const uint8_t *p, int e)
{
    uint32_t low = gpu_nibbles(gpu_at4(p + 8 + e % 16), e / 16);
    return low | gpu_fifth(gpu_at4(p + 4), e);
}
INSIDE float q5_1_scale(const uint8_t *p, int i)
{
    return gpu_half_at(p + 4 * i);
}
INSIDE float q5_1_min(const uint8_t *p, int i)
{
    return gpu_half_at(p + 2 + 4 * i);
}

#define q8_0_BLOCK   32
#define q8_0_BYTES   34
#define q8_0_SUB     32
#define q8_0_ACT     32
#define q8_0_HAS_MIN 0
INSIDE uint32_t q8_0_word(const uint8_t *p, int e)
{
    return gpu_at2(p + 2 + e);
}
INSIDE float q8_0_scale(const uint8_t *p, int i)
{
    return gpu_half_at(p + 2 * i);
}

/* Position of value e in the 2-bit types with blocks of 256: byte and shift. */
INSIDE uint32_t gpu_two_bits(const uint8_t *p, int e)
{
    return gpu_at2(p + e / 128 * 32 + e % 32) >> 2 * (e % 128 / 32) &
           0x03030303u;
}

#define q2_k_BLOCK   256
#define q2_k_BYTES   84
#define q2_k_SUB     16
#define q2_k_ACT     256
#define q2_k_HAS_MIN 1
INSIDE uint32_t q2_k_word(const uint8_t *p, int e)
{
    return gpu_two_bits(p + 16, e);
}
INSIDE float q2_k_scale(const uint8_t *p, int i)
{
    return gpu_half_at(p + 80) * (float)(p[i] & 15);
}
INSIDE float q2_k_min(const uint8_t *p, int i)
{
    return -gpu_half_at(p + 82) * (float)(p[i] >> 4);
}

#define q3_k_BLOCK   256
#define q3_k_BYTES   110
#define q3_k_SUB     16
#define q3_k_ACT     256
#define q3_k_HAS_MIN 0
INSIDE uint32_t q3_k_word(const uint8_t *p, int e)
{
    int half = e / 128, s = e % 128 / 32;
    uint32_t high = gpu_at2(p + e % 32) >> (4 * half + s) & 0x01010101u;
    return gpu_less(gpu_two_bits(p + 32, e) | high << 2, 0x04040404u);
}
INSIDE float q3_k_scale(const uint8_t *p, int i)
{
    const uint8_t *s = p + 96;
    int low = i < 8 ? s[i] & 15 : s[i - 8] >> 4;
    int high = s[8 + i % 4] >> 2 * (i / 4) & 3;
    return gpu_half_at(p + 108) * (float)((low | high << 4) - 32);
}

/* The six-bit scale (min: 0) or minimum (1) of Q4_K and Q5_K. */
INSIDE int gpu_six_bits(const uint8_t *s, int i, int min)
{
    if (i < 4) return s[i + 4 * min] & 63;
    int low = min ? s[i + 4] >> 4 : s[i + 4] & 15;
    return low | (s[i - 4 + 4 * min] >> 6) << 4;
}

#define q4_k_BLOCK   256
#define q4_k_BYTES   144
#define q4_k_SUB     32
#define q4_k_ACT     256
#define q4_k_HAS_MIN 1
INSIDE uint32_t q4_k_word(const uint8_t *p, int e)
{
    return gpu_nibbles(gpu_at4(p + 16 + e / 64 * 32 + e % 32), e / 32 % 2);
}
INSIDE float q4_k_scale(const uint8_t *p, int i)
{
    return gpu_half_at(p) * (float)gpu_six_bits(p + 4, i, 0);
}
INSIDE float q4_k_min(const uint8_t *p, int i)
{
    return -gpu_half_at(p + 2) * (float)gpu_six_bits(p + 4, i, 1);
}

#define q5_k_BLOCK   256
#define q5_k_BYTES   176
#define q5_k_SUB     32
#define q5_k_ACT     256
#define q5_k_HAS_MIN 1
INSIDE uint32_t q5_k_word(const uint8_t *p, int e)
{
    uint32_t low =
        gpu_nibbles(gpu_at4(p + 48 + e / 64 * 32 + e % 32), e / 32 % 2);
    return low | (gpu_at4(p + 16 + e % 32) >> e / 32 & 0x01010101u) << 4;
}
INSIDE float q5_k_scale(const uint8_t *p, int i)
{
    return q4_k_scale(p, i);
}
INSIDE float q5_k_min(const uint8_t *p, int i)
{
    return q4_k_min(p, i);
}

#define q6_k_BLOCK   256
#define q6_k_BYTES   210
#define q6_k_SUB     16
#define q6_k_ACT     256
#define q6_k_HAS_MIN 0
INSIDE uint32_t q6_k_word(const uint8_t *p, int e)
{
    int half = e / 128, s = e % 128 / 32, l = e % 32;
    uint32_t low =
        gpu_nibbles(gpu_at2(p + 64 * half + 32 * (s % 2) + l), s / 2);
    uint32_t high = gpu_two_bits(p + 128, e) << 4;
    return gpu_less(low | high, 0x20202020u);
}
INSIDE float q6_k_scale(const uint8_t *p, int i)
{
    return gpu_half_at(p + 208) * (float)(int8_t)p[192 + i];
}

#define iq4_nl_BLOCK   32
#define iq4_nl_BYTES   18
#define iq4_nl_SUB     32
#define iq4_nl_ACT     32
#define iq4_nl_HAS_MIN 0
INSIDE uint32_t iq4_nl_word(const uint8_t *p, int e)
{
    return gpu_iq4(gpu_nibbles(gpu_at2(p + 2 + e % 16), e / 16));
}
INSIDE float iq4_nl_scale(const uint8_t *p, int i)
{
    return gpu_half_at(p + 2 * i);
}

#define iq4_xs_BLOCK   256
#define iq4_xs_BYTES   136
#define iq4_xs_SUB     32
#define iq4_xs_ACT     256
#define iq4_xs_HAS_MIN 0
INSIDE uint32_t iq4_xs_word(const uint8_t *p, int e)
{
    const uint8_t *q = p + 8 + e / 32 * 16 + e % 16;
    return gpu_iq4(gpu_nibbles(gpu_at4(q), e / 16 % 2));
}
INSIDE float iq4_xs_scale(const uint8_t *p, int i)
{
    int low = p[4 + i / 2] >> 4 * (i % 2) & 15;
    int high = (p[2] | p[3] << 8) >> 2 * i & 3;
    return gpu_half_at(p) * (float)((low | high << 4) - 32);
}

#define mxfp4_BLOCK   32
#define mxfp4_BYTES   17
#define mxfp4_SUB     32
#define mxfp4_ACT     32
#define mxfp4_HAS_MIN 0
INSIDE uint32_t mxfp4_word(const uint8_t *p, int e)
{
    return gpu_fp4(gpu_nibbles(gpu_at1(p + 1 + e % 16), e / 16));
}
INSIDE float mxfp4_scale(const uint8_t *p, int i)
{
    int e = p[i] - 128 + 127; /* 2^(p - 128), below 2^-126 without exponent */
    return gpu_float(e > 0 ? (uint32_t)e << 23 : 0x00400000u >> -e);
}

#define nvfp4_BLOCK   64
#define nvfp4_BYTES   36
#define nvfp4_SUB     16
#define nvfp4_ACT     32
#define nvfp4_HAS_MIN 0
INSIDE uint32_t nvfp4_word(const uint8_t *p, int e)
{
    return gpu_fp4(gpu_nibbles(gpu_at4(p + 4 + e / 16 * 8 + e % 8), e / 8 % 2));
}
INSIDE float nvfp4_scale(const uint8_t *p, int i)
{
    int x = p[i], e = x >> 3 & 15, m = x & 7;
    if (x == 0 || x == 0x7f) return 0.0f;
    if (e == 0) return 0.5f * ((float)m * (1.0f / 512));
    return 0.5f * ((float)(8 + m) * gpu_float((uint32_t)(e - 10 + 127) << 23));
}

#define spread16_BLOCK   256
#define spread16_BYTES   320
#define spread16_SUB     16
#define spread16_ACT     256
#define spread16_HAS_MIN 0

#define spread32_BLOCK   256
#define spread32_BYTES   288
#define spread32_SUB     32
#define spread32_ACT     256
#define spread32_HAS_MIN 0
#define GPU_SPREAD(T)                                 \
    INSIDE uint32_t T##_word(const uint8_t *p, int e) \
    {                                                 \
        return gpu_at4(p + e);                        \
    }                                                 \
    INSIDE float T##_scale(const uint8_t *p, int i)   \
    {                                                 \
        return gpu_float(gpu_at4(p + 256 + 4 * i));   \
    }
GPU_SPREAD(spread16)
GPU_SPREAD(spread32)

INSIDE float f32_at(const uint8_t *p, int k)
{
    return gpu_float(gpu_at4(p + 4 * k));
}

INSIDE float f16_at(const uint8_t *p, int k)
{
    return gpu_half_at(p + 2 * k);
}

INSIDE float bf16_at(const uint8_t *p, int k)
{
    return gpu_float((uint32_t)(p[2 * k] | p[2 * k + 1] << 8) << 16);
}

#define GPU_NO_MIN(T)                             \
    INSIDE float T##_min(const uint8_t *p, int i) \
    {                                             \
        return (void)p, (void)i, 0.0f;            \
    }
GPU_NO_MIN(q4_0)
GPU_NO_MIN(q5_0)
GPU_NO_MIN(q8_0)
GPU_NO_MIN(q3_k)
GPU_NO_MIN(q6_k)
GPU_NO_MIN(iq4_nl)
GPU_NO_MIN(iq4_xs)
GPU_NO_MIN(mxfp4)
GPU_NO_MIN(nvfp4)
GPU_NO_MIN(spread16)
GPU_NO_MIN(spread32)
