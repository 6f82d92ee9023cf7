/* blocks.c - see blocks.h. */
#include "tests/synth/blocks.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct blocks_random blocks_seed(uint64_t seed, const char *name)
{
    uint64_t h = 0xcbf29ce484222325u ^ (seed * 0x9e3779b97f4a7c15u);
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    return (struct blocks_random){h};
}

uint64_t blocks_next(struct blocks_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

float blocks_uniform(struct blocks_random *r, float low, float high)
{
    return low + (high - low) * (float)(blocks_next(r) >> 40) * 0x1p-24f;
}

/* The sum of four 16-bit numbers: near enough to normal, and quick. */
float blocks_normal(struct blocks_random *r)
{
    uint64_t u = blocks_next(r);
    float sum = (float)(u & 0xffff) + (float)(u >> 16 & 0xffff) +
                (float)(u >> 32 & 0xffff) + (float)(u >> 48);
    return (sum - 131070) * (1 / 37837.2f);
}

static void put_half(uint8_t *p, float v)
{
    uint16_t h = quant_f32_to_f16(v);
    p[0] = (uint8_t)h;
    p[1] = (uint8_t)(h >> 8);
}

/* Where a block keeps its half-precision scale, and its offset (-1: none) with
 * the factor that makes the mean zero. */
struct scale_place {
    int scale, offset;
    float factor;
};

static struct scale_place scale_place(enum quant_type type)
{
    switch (type) {
    case QUANT_Q4_1: return (struct scale_place){0, 2, -7.5f};
    case QUANT_Q5_1: return (struct scale_place){0, 2, -15.5f};
    case QUANT_Q2_K: return (struct scale_place){80, 82, 1.5f};
    case QUANT_Q3_K: return (struct scale_place){108, -1, 0};
    case QUANT_Q4_K: return (struct scale_place){0, 2, 7.5f};
    case QUANT_Q5_K: return (struct scale_place){0, 2, 15.5f};
    case QUANT_Q6_K: return (struct scale_place){208, -1, 0};
    case QUANT_TQ1_0: return (struct scale_place){52, -1, 0};
    case QUANT_TQ2_0: return (struct scale_place){64, -1, 0};
    case QUANT_IQ1_M:
    case QUANT_MXFP4:
    case QUANT_NVFP4: return (struct scale_place){-1, -1, 0};
    default: return (struct scale_place){0, -1, 0};
    }
}

/* Sub-scales that keep the mean at zero and all values finite. */
static void tame(enum quant_type type, uint8_t *b)
{
    if (type == QUANT_Q4_0)
        for (int i = 2; i < 18; i++) { /* -8 has no counterpart */
            if ((b[i] & 15) == 0) b[i] |= 8;
            if (b[i] >> 4 == 0) b[i] |= 128;
        }
    if (type == QUANT_Q8_0)
        for (int i = 2; i < 34; i++)
            if (b[i] == 128) b[i] = 0;
    if (type == QUANT_Q2_K)
        for (int i = 0; i < 16; i++)
            b[i] = (uint8_t)((b[i] & 15) * 17);
    if (type == QUANT_Q4_K || type == QUANT_Q5_K)
        for (int i = 0; i < 4; i++) { /* each minimum as its scale */
            b[8 + i] = b[4 + i];
            b[12 + i] = (uint8_t)((b[12 + i] & 15) * 17);
        }
    if (type == QUANT_NVFP4)
        for (int i = 0; i < 4; i++) /* scales of 1 to 1.875 */
            b[i] = (uint8_t)(0x38 | (b[i] & 7));
    if (type == QUANT_TQ2_0)
        for (int i = 0; i < 64; i++) /* 3 is no digit: 2 has no counterpart */
            b[i] &= (uint8_t) ~((b[i] & b[i] >> 1 & 0x55) * 3u);
    if (type == QUANT_MXFP4) b[0] = 128;
}

static void random_block(struct blocks_random *r, enum quant_type type,
                         int n_byte, uint8_t *b)
{
    for (int i = 0; i < n_byte; i += 8) {
        uint64_t u = blocks_next(r);
        memcpy(b + i, &u, (size_t)(n_byte - i < 8 ? n_byte - i : 8));
    }
    tame(type, b);
}

static void set_scale(enum quant_type type, uint8_t *b, float d)
{
    struct scale_place at = scale_place(type);
    if (at.scale >= 0) put_half(b + at.scale, d);
    if (at.offset >= 0) put_half(b + at.offset, d * at.factor);
    if (type == QUANT_IQ1_M) /* in the top nibbles of four words */
        for (int i = 0, h = quant_f32_to_f16(d); i < 4; i++)
            b[49 + 2 * i] =
                (uint8_t)((b[49 + 2 * i] & 15) | (h >> 4 * i & 15) << 4);
    if (type == QUANT_MXFP4) b[0] = (uint8_t)(128 + (int)rintf(log2f(d)));
}

float blocks_unit(enum quant_type type)
{
    const struct quant_info *info = quant_info(type);
    struct blocks_random r = blocks_seed(7, info->name);
    double sum = 0;
    for (int i = 0; i < 64; i++) {
        uint8_t b[512];
        float y[QUANT_BLOCK_MAX];
        random_block(&r, type, info->bytes, b);
        set_scale(type, b, 1);
        quant_decode(type, b, info->block, y);
        for (int k = 0; k < info->block; k++)
            sum += (double)y[k] * (double)y[k];
    }
    return (float)sqrt(sum / (64.0 * info->block));
}

void blocks_fill(struct blocks_random *r, enum quant_type type, int64_t n,
                 float std, void *out)
{
    const struct quant_info *info = quant_info(type);
    assert(info->supported && info->bytes <= 512 && n % info->block == 0);
    if (info->block == 1) {
        for (int64_t i = 0; i < n; i++) {
            float v = std * blocks_normal(r);
            uint32_t bits;
            memcpy(&bits, &v, 4);
            if (type == QUANT_F32)
                memcpy((float *)out + i, &v, 4);
            else
                ((uint16_t *)out)[i] = type == QUANT_F16
                                           ? quant_f32_to_f16(v)
                                           : (uint16_t)(bits >> 16);
        }
        return;
    }
    float d = std / blocks_unit(type);
    uint8_t *b = out;
    for (int64_t i = 0; i < n; i += info->block, b += info->bytes) {
        random_block(r, type, info->bytes, b);
        set_scale(type, b, d);
    }
}
