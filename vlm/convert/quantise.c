/* quantise.c - quantises to the types that need no search, and dispatches the
 * rest. */
#include "vlm/convert/quantise.h"

#include <math.h>
#include <string.h>

#include "vlm/convert/quantise_blocks.h"

enum { BLOCK_32 = 32 };

/* Rounds to the upper 16 bits, ties to even. */
static uint16_t to_bf16(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void put_u16(uint8_t *out, uint16_t v)
{
    out[0] = (uint8_t)v;
    out[1] = (uint8_t)(v >> 8);
}

static void write_halves(enum quant_type type, const float *x, int64_t n,
                         uint8_t *out)
{
    for (int64_t i = 0; i < n; i++)
        put_u16(out + 2 * i,
                type == QUANT_BF16 ? to_bf16(x[i]) : quant_f32_to_f16(x[i]));
}

/* The usual Q8_0: the largest value becomes 127; quants use the scale before
 * it is rounded to half precision, ties away from zero. */
static void write_q8_0(const float *x, uint8_t *out)
{
    float most = 0;
    for (int i = 0; i < BLOCK_32; i++)
        most = fmaxf(most, fabsf(x[i]));
    float d = most / 127, inverse = d > 0 ? 1 / d : 0;
    put_u16(out, quant_f32_to_f16(d));
    for (int i = 0; i < BLOCK_32; i++)
        out[2 + i] = (uint8_t)(int8_t)roundf(x[i] * inverse);
}

/* Weights of a block: importance relative to the largest; an unused column
 * still counts a little. */
static void set_weights(const float *importance, int n, float *w)
{
    float most = 0;
    for (int i = 0; i < n && importance; i++)
        most = fmaxf(most, importance[i]);
    for (int i = 0; i < n; i++)
        w[i] = most > 0 ? importance[i] / most + 1e-4f : 1;
}

static void search_block(enum quant_type type, const float *x, const float *w,
                         uint8_t *out)
{
    if (type == QUANT_Q4_K)
        quantise_k_pairs(x, w, 4, out);
    else if (type == QUANT_Q5_K)
        quantise_k_pairs(x, w, 5, out);
    else if (type == QUANT_Q6_K)
        quantise_k_signed(x, w, out);
    else if (type == QUANT_MXFP4)
        quantise_mxfp4(x, w, out);
    else
        quantise_nvfp4(x, w, out);
}

void quantise_row(enum quant_type type, const float *x, int64_t n,
                  const float *importance, void *out)
{
    const struct quant_info *info = quant_info((uint32_t)type);
    uint8_t *to = out;
    float w[QUANT_BLOCK_MAX];
    if (type == QUANT_F32) {
        memcpy(out, x, (size_t)n * sizeof *x);
        return;
    }
    if (type == QUANT_F16 || type == QUANT_BF16) {
        write_halves(type, x, n, to);
        return;
    }
    for (int64_t i = 0; i < n; i += info->block, to += info->bytes) {
        if (type == QUANT_Q8_0) {
            write_q8_0(x + i, to);
            continue;
        }
        set_weights(importance ? importance + i : NULL, info->block, w);
        search_block(type, x + i, w, to);
    }
}
