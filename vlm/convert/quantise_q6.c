/* quantise_q6.c - Q6_K: 16 values are a signed scale times -32 to 31; the
 * scales of a block have eight bits each, relative to a factor in half
 * precision.
 *
 * The search is that of Q4_K (quantise_k.c), without minima.
 */
#include <math.h>
#include <string.h>

#include "vlm/convert/quantise_blocks.h"
#include "vlm/tensor/formats/quant.h"

enum { SUB = 16, N_SUB = K_BLOCK / SUB, ROUNDS = 2, STEPS = 24, LANES = 4 };

struct q6_block {
    const float *x, *w;
    float d, scale[N_SUB]; /* -128 to 127 */
    float error;
};

static float to_half(float v)
{
    return quant_f16_to_f32(quant_f32_to_f16(v));
}

/* The best scale of a grid, and how much it reduces the sum of squares. */
static float explain(const float *x, const float *w, float inverse,
                     float *scale)
{
    float lane[2][LANES] = {{0}};
    for (int i = 0; i < SUB; i += LANES)
        for (int k = 0; k < LANES; k++) {
            float q = quantise_near(x[i + k] * inverse);
            q = quantise_clamp(q, -32, 31);
            lane[0][k] += w[i + k] * x[i + k] * q;
            lane[1][k] += w[i + k] * q * q;
        }
    float xq = lane[0][0] + lane[0][1] + lane[0][2] + lane[0][3];
    float qq = lane[1][0] + lane[1][1] + lane[1][2] + lane[1][3];
    *scale = qq > 0 ? xq / qq : 0;
    return *scale * xq;
}

static float fit(const float *x, const float *w)
{
    float most = 0, best = 0, gain = 0, one;
    for (int i = 0; i < SUB; i++)
        if (fabsf(x[i]) > fabsf(most)) most = x[i];
    if (most == 0.0f) return 0;
    for (int step = 0; step < 2 * STEPS; step++) {
        float wide = 31.0f + 0.1f * (float)(step / 2 - 9);
        float inverse = (step % 2 ? -wide - 1 : wide) / most;
        float g = explain(x, w, inverse, &one);
        if (g <= gain) continue;
        gain = g;
        best = one;
    }
    return best;
}

static float round_sub(const struct q6_block *b, int sub, float scale, float *q)
{
    const float *x = b->x + sub * SUB, *w = b->w + sub * SUB;
    float s = b->d * scale, inverse = s == 0.0f ? 0 : 1 / s;
    float error[LANES] = {0};
    for (int i = 0; i < SUB; i += LANES)
        for (int k = 0; k < LANES; k++) {
            float v = quantise_clamp(x[i + k] * inverse, -64, 64);
            q[i + k] = v = quantise_clamp(quantise_near(v), -32, 31);
            float off = s * v - x[i + k];
            error[k] += w[i + k] * off * off;
        }
    return error[0] + error[1] + error[2] + error[3];
}

static float block_error(const struct q6_block *b)
{
    float q[SUB], error = 0;
    for (int j = 0; j < N_SUB; j++)
        error += round_sub(b, j, b->scale[j], q);
    return error;
}

static void move_scale(struct q6_block *b, int sub)
{
    float q[SUB], at = b->scale[sub], best = round_sub(b, sub, at, q);
    for (int i = -2; i <= 2; i++) {
        float s = at + (float)i;
        if (!i || s < -128 || s > 127) continue;
        float error = round_sub(b, sub, s, q);
        if (error >= best) continue;
        best = error;
        b->scale[sub] = s;
    }
}

static void solve_half(struct q6_block *b)
{
    double aa = 0, ax = 0;
    float q[SUB];
    for (int j = 0; j < N_SUB; j++) {
        round_sub(b, j, b->scale[j], q);
        for (int i = 0; i < SUB; i++) {
            double a = (double)b->scale[j] * (double)q[i];
            aa += (double)b->w[j * SUB + i] * a * a;
            ax += (double)b->w[j * SUB + i] * a * (double)b->x[j * SUB + i];
        }
    }
    if (aa > 0) b->d = to_half((float)(ax / aa));
}

static void improve(struct q6_block *b)
{
    b->error = block_error(b);
    for (int i = 0; i < ROUNDS && b->error > 0; i++) {
        struct q6_block next = *b;
        for (int j = 0; j < N_SUB; j++)
            move_scale(&next, j);
        struct q6_block solved = next;
        next.error = block_error(&next);
        solve_half(&solved);
        solved.error = block_error(&solved);
        if (solved.error < next.error) next = solved;
        if (!(next.error < b->error)) break;
        *b = next;
    }
}

static void write_quants(const struct q6_block *b, uint8_t *low, uint8_t *high)
{
    for (int j = 0; j < N_SUB; j++) {
        float q[SUB];
        round_sub(b, j, b->scale[j], q);
        for (int i = 0; i < SUB; i++) {
            int e = j * SUB + i, half = e / 128, quarter = e % 128 / 32,
                l = e % 32;
            unsigned v = (unsigned)(int)(q[i] + 32);
            uint8_t *at = &low[64 * half + 32 * (quarter % 2) + l];
            *at = (uint8_t)(*at | (v & 15) << (quarter < 2 ? 0 : 4));
            high[32 * half + l] =
                (uint8_t)(high[32 * half + l] | v >> 4 << 2 * quarter);
        }
    }
}

void quantise_k_signed(const float *x, const float *w, uint8_t *out)
{
    struct q6_block b = {.x = x, .w = w};
    float scale[N_SUB], most = 0;
    for (int j = 0; j < N_SUB; j++) {
        scale[j] = fit(x + j * SUB, w + j * SUB);
        if (fabsf(scale[j]) > fabsf(most)) most = scale[j];
    }
    b.d = to_half(-most / 128); /* the largest scale becomes -128 */
    for (int j = 0; j < N_SUB; j++)
        b.scale[j] = b.d == 0.0f ? 0
                                 : quantise_clamp(quantise_near(scale[j] / b.d),
                                                  -128, 127);
    improve(&b);
    memset(out, 0, 192);
    write_quants(&b, out, out + 128);
    for (int j = 0; j < N_SUB; j++)
        out[192 + j] = (uint8_t)(int8_t)b.scale[j];
    uint16_t h = quant_f32_to_f16(b.d);
    out[208] = (uint8_t)h;
    out[209] = (uint8_t)(h >> 8);
}
