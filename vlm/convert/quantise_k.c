/* quantise_k.c - Q4_K and Q5_K: 32 values are a scale times small whole
 * numbers, less a minimum. The eight pairs (scale, minimum) of a block have
 * six bits each, relative to two factors in half precision.
 *
 * 1. For each 32 values, tries grids of many widths: rounds the values and
 *    solves for the best pair.
 * 2. The largest scale and minimum become 63 times the two factors; the others
 *    are rounded.
 * 3. Up to twice, while the error decreases (more rounds gain a hundredth):
 *    each pair's numbers can change by one, then both factors are solved for
 *    again from all 256 values.
 */
#include <math.h>
#include <string.h>

#include "vlm/convert/quantise_blocks.h"
#include "vlm/tensor/formats/quant.h"

enum {
    SUB = 32,
    N_SUB = K_BLOCK / SUB,
    STEPS = 28,
    ROUNDS = 2,
    SIX_BITS = 63,
    LANES = 4
};

struct pair {
    float scale, min; /* value = scale * q - min, both not negative */
};

/* A block being quantised. */
struct k_block {
    const float *x, *w;
    float most; /* the largest q: 15 or 31 */
    float d, dmin;
    float scale[N_SUB], min[N_SUB]; /* whole numbers to 63 */
    float error;
};

/* --- 32 values ------------------------------------------------------------- */

struct grid_sums {
    float w, x, q, qq, xq; /* of weights, and of products with them */
};

/* Rounds the values to a grid that starts at `low`. Sums are kept in lanes, so
 * that compilers can vectorise them. */
static struct grid_sums grid_sums_at(const float *x, const float *w, float low,
                                     float inverse, float most)
{
    float lane[5][LANES] = {{0}};
    struct grid_sums s = {0};
    for (int i = 0; i < SUB; i += LANES)
        for (int k = 0; k < LANES; k++) {
            float q = quantise_near((x[i + k] - low) * inverse);
            q = quantise_clamp(q, 0, most);
            float wq = w[i + k] * q;
            lane[0][k] += w[i + k];
            lane[1][k] += w[i + k] * x[i + k];
            lane[2][k] += wq;
            lane[3][k] += wq * q;
            lane[4][k] += wq * x[i + k];
        }
    for (int k = 0; k < LANES; k++) {
        s.w += lane[0][k];
        s.x += lane[1][k];
        s.q += lane[2][k];
        s.qq += lane[3][k];
        s.xq += lane[4][k];
    }
    return s;
}

/* The least-squares pair for the rounded values, with the minimum not negative.
 * Returns the sum of squares minus the error. */
static float solve(const struct grid_sums *s, struct pair *out)
{
    float det = s->w * s->qq - s->q * s->q;
    if (det > 0) {
        float scale = (s->w * s->xq - s->x * s->q) / det;
        float min = (s->q * s->xq - s->qq * s->x) / det;
        if (min >= 0 && scale > 0) {
            *out = (struct pair){scale, min};
            return scale * s->xq - min * s->x;
        }
    }
    *out = (struct pair){0};
    if (s->qq <= 0 || s->xq <= 0) return 0;
    out->scale = s->xq / s->qq;
    return out->scale * s->xq;
}

static struct pair fit(const float *x, const float *w, float most)
{
    float low = x[0] < 0 ? x[0] : 0, high = x[0];
    struct pair best = {0}, one;
    for (int i = 1; i < SUB; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    if (high <= low) return (struct pair){0, -low};
    float gain = -1;
    for (int step = 0; step < STEPS; step++) {
        float wide = most - 1.2f + 0.1f * (float)step;
        struct grid_sums s = grid_sums_at(x, w, low, wide / (high - low), most);
        float g = solve(&s, &one);
        if (g <= gain) continue;
        gain = g;
        best = one;
    }
    for (int again = 0; again < 2 && best.scale > 0; again++) {
        struct grid_sums s =
            grid_sums_at(x, w, -best.min, 1 / best.scale, most);
        float g = solve(&s, &one);
        if (g <= gain) break;
        gain = g;
        best = one;
    }
    return best;
}

/* --- 256 values ------------------------------------------------------------ */

static float to_half(float v)
{
    return quant_f16_to_f32(quant_f32_to_f16(v));
}

/* Computes q[32] for a pair and returns its error. */
static float round_sub(const struct k_block *b, int sub, float scale, float min,
                       float *q)
{
    const float *x = b->x + sub * SUB, *w = b->w + sub * SUB;
    float s = b->d * scale, m = b->dmin * min, most = b->most;
    float inverse = s > 0 ? 1 / s : 0, error[LANES] = {0};
    for (int i = 0; i < SUB; i += LANES)
        for (int k = 0; k < LANES; k++) {
            float v = quantise_near((x[i + k] + m) * inverse);
            q[i + k] = v = quantise_clamp(v, 0, most);
            float off = s * v - m - x[i + k];
            error[k] += w[i + k] * off * off;
        }
    return error[0] + error[1] + error[2] + error[3];
}

static float block_error(const struct k_block *b)
{
    float q[SUB], error = 0;
    for (int j = 0; j < N_SUB; j++)
        error += round_sub(b, j, b->scale[j], b->min[j], q);
    return error;
}

/* Changes the pair of a sub-block by one if that is better. */
static void move_pair(struct k_block *b, int sub)
{
    float q[SUB], scale = b->scale[sub], min = b->min[sub];
    float best = round_sub(b, sub, scale, min, q);
    for (int i = 0; i < 9; i++) {
        float s = scale + (float)(i / 3 - 1), m = min + (float)(i % 3 - 1);
        if (i == 4 || s < 0 || m < 0 || s > SIX_BITS || m > SIX_BITS) continue;
        float error = round_sub(b, sub, s, m, q);
        if (error >= best) continue;
        best = error;
        b->scale[sub] = s;
        b->min[sub] = m;
    }
}

/* Solves for both factors again, from all values with their current numbers. */
static void solve_halves(struct k_block *b)
{
    double aa = 0, ab = 0, bb = 0, ax = 0, bx = 0;
    float q[SUB];
    for (int j = 0; j < N_SUB; j++) {
        round_sub(b, j, b->scale[j], b->min[j], q);
        for (int i = 0; i < SUB; i++) {
            double w = b->w[j * SUB + i], x = b->x[j * SUB + i];
            double a = (double)b->scale[j] * (double)q[i],
                   m = (double)b->min[j];
            aa += w * a * a;
            ab += w * a * m;
            bb += w * m * m;
            ax += w * a * x;
            bx += w * m * x;
        }
    }
    double det = aa * bb - ab * ab;
    if (det > 1e-9 * aa * bb) {
        b->d = to_half((float)((ax * bb - bx * ab) / det));
        b->dmin = to_half((float)((ax * ab - bx * aa) / det));
    } else if (aa > 0)
        b->d = to_half((float)((ax + (double)b->dmin * ab) / aa));
}

static void improve(struct k_block *b)
{
    b->error = block_error(b);
    for (int i = 0; i < ROUNDS && b->error > 0; i++) {
        struct k_block next = *b;
        for (int j = 0; j < N_SUB; j++)
            move_pair(&next, j);
        struct k_block solved = next;
        next.error = block_error(&next);
        solve_halves(&solved);
        solved.error = block_error(&solved);
        if (solved.d >= 0 && solved.dmin >= 0 && solved.error < next.error)
            next = solved;
        if (!(next.error < b->error)) break;
        *b = next;
    }
}

static void start_block(struct k_block *b)
{
    struct pair pair[N_SUB];
    float scale = 0, min = 0;
    for (int j = 0; j < N_SUB; j++) {
        pair[j] = fit(b->x + j * SUB, b->w + j * SUB, b->most);
        scale = fmaxf(scale, pair[j].scale);
        min = fmaxf(min, pair[j].min);
    }
    b->d = to_half(scale / SIX_BITS);
    b->dmin = to_half(min / SIX_BITS);
    for (int j = 0; j < N_SUB; j++) {
        b->scale[j] = b->d > 0
                          ? quantise_clamp(quantise_near(pair[j].scale / b->d),
                                           0, SIX_BITS)
                          : 0;
        b->min[j] = b->dmin > 0
                        ? quantise_clamp(quantise_near(pair[j].min / b->dmin),
                                         0, SIX_BITS)
                        : 0;
    }
}

/* --- bytes ----------------------------------------------------------------- */

static void write_half(uint8_t *out, float v)
{
    uint16_t h = quant_f32_to_f16(v);
    out[0] = (uint8_t)h;
    out[1] = (uint8_t)(h >> 8);
}

/* Eight pairs of six bits (MODEL.md, "Blocks of weights"). */
static void write_pairs(const struct k_block *b, uint8_t *a)
{
    for (int j = 0; j < 4; j++) {
        unsigned s = (unsigned)b->scale[j], m = (unsigned)b->min[j];
        unsigned high_s = (unsigned)b->scale[j + 4],
                 high_m = (unsigned)b->min[j + 4];
        a[j] = (uint8_t)(s | high_s >> 4 << 6);
        a[j + 4] = (uint8_t)(m | high_m >> 4 << 6);
        a[j + 8] = (uint8_t)((high_s & 15) | (high_m & 15) << 4);
    }
}

static void write_quants(const struct k_block *b, uint8_t *high, uint8_t *low)
{
    for (int g = 0; g < N_SUB; g++) {
        float q[SUB];
        round_sub(b, g, b->scale[g], b->min[g], q);
        for (int i = 0; i < SUB; i++) {
            unsigned v = (unsigned)q[i];
            uint8_t *at = &low[g / 2 * SUB + i];
            *at = (uint8_t)(g % 2 ? *at | (v & 15) << 4 : v & 15);
            if (high) high[i] = (uint8_t)(high[i] | v >> 4 << g);
        }
    }
}

void quantise_k_pairs(const float *x, const float *w, int n_bit, uint8_t *out)
{
    struct k_block b = {.x = x, .w = w, .most = n_bit == 4 ? 15 : 31};
    start_block(&b);
    improve(&b);
    write_half(out, b.d);
    write_half(out + 2, b.dmin);
    write_pairs(&b, out + 4);
    uint8_t *high = n_bit == 5 ? out + 16 : NULL;
    if (high) memset(high, 0, SUB);
    write_quants(&b, high, out + (high ? 48 : 16));
}
