/* quant_grid.c - see quant_grid.h. Plain loops: the specification. */
#include "vlm/tensor/quant_grid.h"

#include "vlm/tensor/grids.h"

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

/* Seven signs and the eighth that makes their number even. */
static uint32_t even_signs(uint32_t seven)
{
    uint32_t fold = seven ^ seven >> 4;
    return seven | (quant_odd_bit[fold & 15] ? 128u : 0);
}

/* n values by the digits of `entry`, those with a set bit in `sign` negative. */
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

/* The scales of IQ2_XS and IQ2_S: a nibble for each 16 values. */
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

bool quant_split_grid(enum quant_type type, const uint8_t *block, int8_t *q,
                      float *scale)
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
