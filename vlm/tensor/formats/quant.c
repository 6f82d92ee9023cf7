/* quant.c - see quant.h. Plain loops: the specification of every format. */
#include "vlm/tensor/formats/quant.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "vlm/tensor/formats/grids.h"

/* --- quant grid ------------------------------------------------------------ */

/* Decoding of IQ1, IQ2 and IQ3 blocks. */

static uint32_t u16_at(const uint8_t *p)
{
    return (uint32_t)(p[0] | p[1] << 8);
}

static uint32_t u32_at(const uint8_t *p)
{
    return u16_at(p) | u16_at(p + 2) << 16;
}

static float half_at(const uint8_t *p)
{
    return quant_f16_to_f32((uint16_t)u16_at(p));
}

/* Seven signs, and an eighth that makes their number even. */
static uint32_t even_signs(uint32_t seven)
{
    uint32_t fold = seven ^ seven >> 4;
    return seven | (quant_odd_bit[fold & 15] ? 128u : 0);
}

/* Stores n values given by the digits of `entry`, negative where `sign` has a
 * bit set. */
static void put_group(uint32_t entry, int bits, int n, const int8_t *value,
                      uint32_t sign, int8_t *q)
{
    for (int j = 0; j < n; j++) {
        int v = value[entry >> bits * j & (uint32_t)((1 << bits) - 1)];
        q[j] = (int8_t)(sign >> j & 1 ? -v : v);
    }
}

static void put_iq2(uint32_t entry, uint32_t sign, int8_t *q)
{
    put_group(entry, 2, 8, quant_iq2_value, sign, q);
}

static void split_iq2_xxs(const uint8_t *p, int8_t *q, float *scale)
{
    float d = half_at(p);
    for (int b = 0; b < 8; b++) {
        const uint8_t *index = p + 2 + 8 * b;
        uint32_t sign = u32_at(index + 4);
        scale[b] = d * (0.5f + (float)(sign >> 28)) * 0.25f;
        for (int l = 0; l < 4; l++)
            put_iq2(quant_iq2_xxs_grid[index[l]],
                    even_signs(sign >> 7 * l & 127), q + 32 * b + 8 * l);
    }
}

/* The scales of IQ2_XS and IQ2_S: a nibble per 16 values. */
static void scales_iq2(float d, const uint8_t *p, float *scale)
{
    for (int i = 0; i < 16; i++)
        scale[i] = d * (0.5f + (float)(p[i / 2] >> 4 * (i % 2) & 15)) * 0.25f;
}

static void split_iq2_xs(const uint8_t *p, int8_t *q, float *scale)
{
    scales_iq2(half_at(p), p + 66, scale);
    for (int l = 0; l < 32; l++) {
        uint32_t v = u16_at(p + 2 + 2 * l);
        put_iq2(quant_iq2_xs_grid[v & 511], even_signs(v >> 9), q + 8 * l);
    }
}

static void split_iq2_s(const uint8_t *p, int8_t *q, float *scale)
{
    scales_iq2(half_at(p), p + 74, scale);
    for (int l = 0; l < 32; l++) {
        uint32_t high = p[66 + l / 4] >> 2 * (l % 4) & 3;
        put_iq2(quant_iq2_s_grid[p[2 + l] | high << 8], p[34 + l], q + 8 * l);
    }
}

static void split_iq3_xxs(const uint8_t *p, int8_t *q, float *scale)
{
    float d = half_at(p);
    for (int b = 0; b < 8; b++) {
        uint32_t sign = u32_at(p + 66 + 4 * b);
        scale[b] = d * (0.5f + (float)(sign >> 28)) * 0.5f;
        for (int l = 0; l < 8; l++)
            put_group(quant_iq3_xxs_grid[p[2 + 8 * b + l]], 3, 4,
                      quant_iq3_xxs_value,
                      even_signs(sign >> 7 * (l / 2) & 127) >> 4 * (l % 2),
                      q + 32 * b + 4 * l);
    }
}

static void split_iq3_s(const uint8_t *p, int8_t *q, float *scale)
{
    float d = half_at(p);
    for (int b = 0; b < 8; b++) {
        int s = p[106 + b / 2] >> 4 * (b % 2) & 15;
        scale[b] = d * (float)(1 + 2 * s);
        for (int l = 0; l < 8; l++) {
            uint32_t index = p[2 + 8 * b + l] | (uint32_t)(p[66 + b] >> l & 1)
                                                    << 8;
            put_group(quant_iq3_s_grid[index], 3, 4, quant_iq3_s_value,
                      (uint32_t)(p[74 + 4 * b + l / 2] >> 4 * (l % 2)),
                      q + 32 * b + 4 * l);
        }
    }
}

static void put_iq1(uint32_t index, bool less, int8_t *q)
{
    put_group(quant_iq1_grid[index], 2, 8, quant_iq1_value + (less ? 4 : 0), 0,
              q);
}

static void split_iq1_s(const uint8_t *p, int8_t *q, float *scale)
{
    float d = half_at(p);
    for (int b = 0; b < 8; b++) {
        uint32_t h = u16_at(p + 34 + 2 * b);
        scale[b] = d * (float)(2 * (h >> 12 & 7) + 1) * 0.125f;
        for (int l = 0; l < 4; l++)
            put_iq1(p[2 + 4 * b + l] | (h >> 3 * l & 7) << 8, h >> 15,
                    q + 32 * b + 8 * l);
    }
}

/* The scale is in the top nibbles of the four words of sub-scales. */
static void split_iq1_m(const uint8_t *p, int8_t *q, float *scale)
{
    uint32_t half = 0;
    for (int i = 0; i < 4; i++)
        half |= u16_at(p + 48 + 2 * i) >> 12 << 4 * i;
    float d = quant_f16_to_f32((uint16_t)half);
    for (int i = 0; i < 16; i++) {
        uint32_t s = u16_at(p + 48 + i / 4 * 2) >> 3 * (i % 4) & 7;
        scale[i] = d * (float)(2 * s + 1) * 0.125f;
    }
    for (int l = 0; l < 32; l++) {
        uint32_t h = (uint32_t)(p[32 + l / 2] >> 4 * (l % 2)) & 15;
        put_iq1(p[l] | (h & 7) << 8, h >> 3, q + 8 * l);
    }
}

/* TQ1_0: bytes hold five digits of base three as a fraction of 256. */
static int8_t ternary(uint8_t byte, int digit)
{
    static const uint8_t power[] = {1, 3, 9, 27, 81};
    uint8_t rest = (uint8_t)(byte * power[digit]);
    return (int8_t)((rest * 3 >> 8) - 1);
}

static void split_tq1_0(const uint8_t *p, int8_t *q, float *scale)
{
    for (int b = 0; b < 8; b++)
        scale[b] = half_at(p + 52);
    for (int e = 0; e < 160; e++)
        q[e] = ternary(p[e % 32], e / 32);
    for (int e = 0; e < 80; e++)
        q[160 + e] = ternary(p[32 + e % 16], e / 16);
    for (int e = 0; e < 16; e++)
        q[240 + e] = ternary(p[48 + e % 4], e / 4);
}

static void split_tq2_0(const uint8_t *p, int8_t *q, float *scale)
{
    for (int b = 0; b < 8; b++)
        scale[b] = half_at(p + 64);
    for (int e = 0; e < 256; e++)
        q[e] =
            (int8_t)((p[e / 128 * 32 + e % 32] >> 2 * (e % 128 / 32) & 3) - 1);
}

/* quant_split for the types of grids.h; false for any other type. */
static bool quant_split_grid(enum quant_type type, const uint8_t *block,
                             int8_t *q, float *scale)
{
    static void (*const split[])(const uint8_t *, int8_t *, float *) = {
        [QUANT_IQ2_XXS] = split_iq2_xxs, [QUANT_IQ2_XS] = split_iq2_xs,
        [QUANT_IQ2_S] = split_iq2_s,     [QUANT_IQ3_XXS] = split_iq3_xxs,
        [QUANT_IQ3_S] = split_iq3_s,     [QUANT_IQ1_S] = split_iq1_s,
        [QUANT_IQ1_M] = split_iq1_m,     [QUANT_TQ1_0] = split_tq1_0,
        [QUANT_TQ2_0] = split_tq2_0};
    if ((size_t)type >= sizeof split / sizeof split[0] || !split[type])
        return false;
    split[type](block, q, scale);
    return true;
}

/* --- quant ----------------------------------------------------------------- */

/* Indexed by GGUF's number. Rows with a name and `supported` false are known
 * and refused; a hole is an unused number. */
static const struct quant_info info_table[] = {
    [0] = {"F32", 1, 4, true},
    [1] = {"F16", 1, 2, true},
    [2] = {"Q4_0", 32, 18, true},
    [3] = {"Q4_1", 32, 20, true},
    [4] = {"Q4_2", 0, 0, false},
    [5] = {"Q4_3", 0, 0, false},
    [6] = {"Q5_0", 32, 22, true},
    [7] = {"Q5_1", 32, 24, true},
    [8] = {"Q8_0", 32, 34, true},
    [9] = {"Q8_1", 32, 36, false},
    [10] = {"Q2_K", 256, 84, true},
    [11] = {"Q3_K", 256, 110, true},
    [12] = {"Q4_K", 256, 144, true},
    [13] = {"Q5_K", 256, 176, true},
    [14] = {"Q6_K", 256, 210, true},
    [15] = {"Q8_K", 256, 292, false},
    [16] = {"IQ2_XXS", 256, 66, true},
    [17] = {"IQ2_XS", 256, 74, true},
    [18] = {"IQ3_XXS", 256, 98, true},
    [19] = {"IQ1_S", 256, 50, true},
    [20] = {"IQ4_NL", 32, 18, true},
    [21] = {"IQ3_S", 256, 110, true},
    [22] = {"IQ2_S", 256, 82, true},
    [23] = {"IQ4_XS", 256, 136, true},
    [24] = {"I8", 1, 1, false},
    [25] = {"I16", 1, 2, false},
    [26] = {"I32", 1, 4, false},
    [27] = {"I64", 1, 8, false},
    [28] = {"F64", 1, 8, false},
    [29] = {"IQ1_M", 256, 56, true},
    [30] = {"BF16", 1, 2, true},
    [31] = {"Q4_0_4_4", 32, 18, false},
    [32] = {"Q4_0_4_8", 32, 18, false},
    [33] = {"Q4_0_8_8", 32, 18, false},
    [34] = {"TQ1_0", 256, 54, true},
    [35] = {"TQ2_0", 256, 66, true},
    [36] = {"IQ4_NL_4_4", 32, 18, false},
    [37] = {"IQ4_NL_4_8", 32, 18, false},
    [38] = {"IQ4_NL_8_8", 32, 18, false},
    [39] = {"MXFP4", 32, 17, true},
    [40] = {"NVFP4", 64, 36, true},
    [41] = {"Q1_0", 128, 18, false},
    [42] = {"Q2_0", 64, 18, false},
};

const int8_t quant_iq4_value[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                    1,    13,   25,  38,  53,  69,  89,  113};

const int8_t quant_fp4_value[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                    0, -1, -2, -3, -4, -6, -8, -12};

const struct quant_info *quant_info(uint32_t type)
{
    static const struct quant_info unknown = {NULL, 0, 0, false};
    if (type >= sizeof info_table / sizeof info_table[0]) return &unknown;
    return &info_table[type];
}

size_t quant_row_bytes(enum quant_type type, int64_t n)
{
    const struct quant_info *info = quant_info(type);
    assert(info->block > 0 && n >= 0 && n % info->block == 0);
    return (size_t)(n / info->block) * (size_t)info->bytes;
}

float quant_f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t exponent = (h >> 10) & 31, mantissa = h & 1023;
    float f;
    if (exponent == 0) {
        f = (float)mantissa * 0x1p-24f; /* zero or subnormal: exact */
        return sign ? -f : f;
    }
    uint32_t bits = sign | mantissa << 13 |
                    (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23);
    memcpy(&f, &bits, sizeof f);
    return f;
}

uint16_t quant_f32_to_f16(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000u, a = bits & 0x7fffffffu;
    if (a > 0x7f800000u) return (uint16_t)(sign | 0x7e00u); /* NaN */
    if (a >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
    if (a < 0x38800000u) {
        /* subnormal: adding 0.5 leaves the rounded mantissa at the bottom */
        float m;
        memcpy(&m, &a, sizeof m);
        m += 0.5f;
        memcpy(&a, &m, sizeof a);
        return (uint16_t)(sign | (a - 0x3f000000u));
    }
    a += 0xfffu + (a >> 13 & 1); /* to nearest even */
    return (uint16_t)(sign | ((a - 0x38000000u) >> 13));
}

static float power_of_two(int e) /* e >= -149 */
{
    return ldexpf(1.0f, e);
}

/* Unsigned E4M3 with 0x7f as zero. */
static float e4m3_value(uint8_t x)
{
    int e = x >> 3 & 15, m = x & 7;
    if (x == 0 || x == 0x7f) return 0.0f;
    if (e == 0) return (float)m * 0x1p-9f;
    return (float)(8 + m) * power_of_two(e - 10);
}

/* 6-bit scale and minimum j of a Q4_K or Q5_K block. */
static void scale_min(const uint8_t *a, int j, int *sc, int *mn)
{
    if (j < 4) {
        *sc = a[j] & 63;
        *mn = a[j + 4] & 63;
    } else {
        *sc = (a[j + 4] & 15) | (a[j - 4] >> 6) << 4;
        *mn = (a[j + 4] >> 4) | (a[j] >> 6) << 4;
    }
}

/* Bit `i` of little-endian bytes. */
static int bit_at(const uint8_t *p, int i)
{
    return p[i >> 3] >> (i & 7) & 1;
}

static void split_4bit(const uint8_t *q, int offset, int8_t *out)
{
    for (int j = 0; j < 16; j++) {
        out[j] = (int8_t)((q[j] & 15) - offset);
        out[j + 16] = (int8_t)((q[j] >> 4) - offset);
    }
}

static void split_5bit(const uint8_t *h, const uint8_t *q, int offset,
                       int8_t *out)
{
    split_4bit(q, offset, out);
    for (int j = 0; j < 32; j++)
        out[j] = (int8_t)(out[j] + 16 * bit_at(h, j));
}

static void split_table(const uint8_t *q, int n, const int8_t *table,
                        int8_t *out)
{
    for (int j = 0; j < n; j++) {
        out[j] = table[q[j] & 15];
        out[j + n] = table[q[j] >> 4];
    }
}

static void split_q2_k(const uint8_t *p, int8_t *q, float *scale, float *min)
{
    float d = half_at(p + 80), dmin = half_at(p + 82);
    for (int i = 0; i < 16; i++) {
        scale[i] = d * (float)(p[i] & 15);
        min[i] = -dmin * (float)(p[i] >> 4);
    }
    for (int e = 0; e < 256; e++)
        q[e] =
            (int8_t)(p[16 + e / 128 * 32 + e % 32] >> 2 * (e % 128 / 32) & 3);
}

static void split_q3_k(const uint8_t *p, int8_t *q, float *scale)
{
    const uint8_t *a = p + 96;
    float d = half_at(p + 108);
    for (int i = 0; i < 16; i++) {
        int low = i < 8 ? a[i] & 15 : a[i - 8] >> 4;
        int high = a[8 + i % 4] >> 2 * (i / 4) & 3;
        scale[i] = d * (float)((low | high << 4) - 32);
    }
    for (int e = 0; e < 256; e++) {
        int half = e / 128, s = e % 128 / 32, l = e % 32;
        int low = p[32 + half * 32 + l] >> 2 * s & 3;
        int high = p[l] >> (4 * half + s) & 1;
        q[e] = (int8_t)(low - (high ? 0 : 4));
    }
}

/* Q4_K, and Q5_K with the fifth bits in `h`. */
static void split_q45_k(const uint8_t *p, const uint8_t *h, const uint8_t *qs,
                        int8_t *q, float *scale, float *min)
{
    float d = half_at(p), dmin = half_at(p + 2);
    for (int b = 0; b < 8; b++) {
        int sc, mn;
        scale_min(p + 4, b, &sc, &mn);
        scale[b] = d * (float)sc;
        min[b] = -dmin * (float)mn;
        for (int l = 0; l < 32; l++) {
            int low = qs[b / 2 * 32 + l] >> 4 * (b % 2) & 15;
            int high = h ? h[l] >> b & 1 : 0;
            q[32 * b + l] = (int8_t)(low | high << 4);
        }
    }
}

static void split_q6_k(const uint8_t *p, int8_t *q, float *scale)
{
    float d = half_at(p + 208);
    for (int i = 0; i < 16; i++)
        scale[i] = d * (float)(int8_t)p[192 + i];
    for (int b = 0; b < 8; b++) {
        const uint8_t *lows = p + b / 4 * 64 + b % 2 * 32;
        const uint8_t *highs = p + 128 + b / 4 * 32;
        for (int l = 0; l < 32; l++) {
            int low = lows[l] >> b % 4 / 2 * 4 & 15;
            int high = highs[l] >> b % 4 * 2 & 3;
            q[32 * b + l] = (int8_t)((low | high << 4) - 32);
        }
    }
}

static void split_iq4_xs(const uint8_t *p, int8_t *q, float *scale)
{
    float d = half_at(p);
    uint16_t h = (uint16_t)u16_at(p + 2);
    for (int b = 0; b < 8; b++) {
        int ls = (p[4 + b / 2] >> 4 * (b % 2) & 15) | (h >> 2 * b & 3) << 4;
        scale[b] = d * (float)(ls - 32);
        split_table(p + 8 + 16 * b, 16, quant_iq4_value, q + 32 * b);
    }
}

static void split_nvfp4(const uint8_t *p, int8_t *q, float *scale)
{
    for (int b = 0; b < 4; b++) {
        scale[b] = 0.5f * e4m3_value(p[b]);
        split_table(p + 4 + 8 * b, 8, quant_fp4_value, q + 16 * b);
    }
}

struct quant_form quant_form(enum quant_type type)
{
    switch (type) {
    case QUANT_F32:
    case QUANT_F16:
    case QUANT_BF16: return (struct quant_form){0};
    case QUANT_Q4_0:
    case QUANT_Q5_0:
    case QUANT_Q8_0:
    case QUANT_IQ4_NL:
    case QUANT_MXFP4: return (struct quant_form){32, 32, false};
    case QUANT_Q4_1:
    case QUANT_Q5_1: return (struct quant_form){32, 32, true};
    case QUANT_NVFP4: return (struct quant_form){16, 32, false};
    case QUANT_Q2_K: return (struct quant_form){16, 256, true};
    case QUANT_Q3_K:
    case QUANT_Q6_K: return (struct quant_form){16, 256, false};
    case QUANT_Q4_K:
    case QUANT_Q5_K: return (struct quant_form){32, 256, true};
    case QUANT_IQ2_XS:
    case QUANT_IQ2_S:
    case QUANT_IQ1_M: return (struct quant_form){16, 256, false};
    case QUANT_IQ4_XS:
    case QUANT_IQ2_XXS:
    case QUANT_IQ3_XXS:
    case QUANT_IQ3_S:
    case QUANT_IQ1_S:
    case QUANT_TQ1_0:
    case QUANT_TQ2_0: return (struct quant_form){32, 256, false};
    }
    assert(0 && "a type that quant_info supports");
    return (struct quant_form){0};
}

void quant_split(enum quant_type type, const void *block, int8_t *q,
                 float *scale, float *min)
{
    const uint8_t *p = block;
    switch (type) {
    case QUANT_Q4_0:
        scale[0] = half_at(p);
        split_4bit(p + 2, 8, q);
        return;
    case QUANT_Q4_1:
        scale[0] = half_at(p), min[0] = half_at(p + 2);
        split_4bit(p + 4, 0, q);
        return;
    case QUANT_Q5_0:
        scale[0] = half_at(p);
        split_5bit(p + 2, p + 6, 16, q);
        return;
    case QUANT_Q5_1:
        scale[0] = half_at(p), min[0] = half_at(p + 2);
        split_5bit(p + 4, p + 8, 0, q);
        return;
    case QUANT_Q8_0:
        scale[0] = half_at(p);
        memcpy(q, p + 2, 32);
        return;
    case QUANT_IQ4_NL:
        scale[0] = half_at(p);
        split_table(p + 2, 16, quant_iq4_value, q);
        return;
    case QUANT_MXFP4:
        scale[0] = power_of_two(p[0] - 128);
        split_table(p + 1, 16, quant_fp4_value, q);
        return;
    case QUANT_NVFP4: split_nvfp4(p, q, scale); return;
    case QUANT_Q2_K: split_q2_k(p, q, scale, min); return;
    case QUANT_Q3_K: split_q3_k(p, q, scale); return;
    case QUANT_Q4_K: split_q45_k(p, NULL, p + 16, q, scale, min); return;
    case QUANT_Q5_K: split_q45_k(p, p + 16, p + 48, q, scale, min); return;
    case QUANT_Q6_K: split_q6_k(p, q, scale); return;
    case QUANT_IQ4_XS: split_iq4_xs(p, q, scale); return;
    case QUANT_IQ1_S:
    case QUANT_IQ1_M:
    case QUANT_IQ2_XXS:
    case QUANT_IQ2_XS:
    case QUANT_IQ2_S:
    case QUANT_IQ3_XXS:
    case QUANT_IQ3_S:
    case QUANT_TQ1_0:
    case QUANT_TQ2_0: quant_split_grid(type, p, q, scale); return;
    case QUANT_F32:
    case QUANT_F16:
    case QUANT_BF16: break;
    }
    assert(0 && "a quantised type");
}

static void decode_float(enum quant_type type, const uint8_t *p, int64_t n,
                         float *out)
{
    if (type == QUANT_F32) {
        memcpy(out, p, (size_t)n * sizeof *out);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        if (type == QUANT_F16) {
            out[i] = half_at(p + 2 * i);
        } else {
            uint32_t bits = (uint32_t)u16_at(p + 2 * i) << 16;
            memcpy(&out[i], &bits, sizeof bits);
        }
    }
}

void quant_decode(enum quant_type type, const void *blocks, int64_t n,
                  float *out)
{
    struct quant_form form = quant_form(type);
    if (form.sub == 0) {
        decode_float(type, blocks, n, out);
        return;
    }
    const struct quant_info *info = quant_info((uint32_t)type);
    const uint8_t *p = blocks;
    assert(n % info->block == 0);
    for (int64_t i = 0; i < n; i += info->block, p += info->bytes) {
        int8_t q[QUANT_BLOCK_MAX];
        float scale[QUANT_SUB_MAX], min[QUANT_SUB_MAX];
        quant_split(type, p, q, scale, min);
        for (int e = 0; e < info->block; e++) {
            float y = scale[e / form.sub] * (float)q[e];
            out[i + e] = form.has_min ? y + min[e / form.sub] : y;
        }
    }
}
