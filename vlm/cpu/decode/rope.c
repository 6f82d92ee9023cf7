/* rope.c - partial rotary positions with interleaved axes, and YaRN.
 *
 * Frequencies and angles are in double: at position 262,144 an F32 angle is
 * off by 0.01. SOURCE  qwen35-model.md, 2.3 and 12.
 */
#include <math.h>

#include "vlm/cpu/decode/decoder.h"

static const double PI = 3.14159265358979323846;

/* Pair i turns with axis i mod 3 as far as that axis has sections left. */
static int axis_of(const struct shape *s, int i)
{
    if (i % 3 == 1 && i < 3 * s->rope_section[1]) return 1;
    if (i % 3 == 2 && i < 3 * s->rope_section[2]) return 2;
    return 0;
}

/* The pair that makes `turns` whole turns over the context of training. */
static double yarn_pair(const struct shape *s, double turns)
{
    return s->n_rot * log(s->yarn_ctx_train / (2 * PI * turns)) /
           (2 * log(s->rope_base));
}

void rope_plan(const struct shape *s, double *freq, int *axis, float *gain)
{
    bool yarn = s->yarn_factor > 1;
    double low = yarn ? fmax(floor(yarn_pair(s, 32)), 0) : 0;
    double high = yarn ? fmin(ceil(yarn_pair(s, 1)), s->n_rot - 1) : 0;
    for (int i = 0; i < s->n_rot / 2; i++) {
        freq[i] = pow(s->rope_base, -2.0 * i / s->n_rot);
        axis[i] = axis_of(s, i);
        if (!yarn) continue;
        double ramp = (i - low) / fmax(high - low, 0.001);
        ramp = fmin(fmax(ramp, 0), 1);
        freq[i] *= 1 - ramp + ramp / s->yarn_factor;
    }
    *gain = yarn ? (float)(1 + 0.1 * log(s->yarn_factor)) : 1;
}

void rope_fill(const struct decoder *d, const int32_t (*pos)[3], int n)
{
    int half = d->shape->n_rot / 2;
    for (int t = 0; t < n; t++) {
        for (int i = 0; i < half; i++) {
            double angle = pos[t][d->axis[i]] * d->freq[i];
            d->cos[t * half + i] = d->rope_gain * (float)cos(angle);
            d->sin[t * half + i] = d->rope_gain * (float)sin(angle);
        }
    }
}

void rope_turn(float *x, const float *cos, const float *sin, int n_rot)
{
    float *y = x + n_rot / 2;
    for (int i = 0; i < n_rot / 2; i++) {
        float a = x[i], b = y[i];
        x[i] = a * cos[i] - b * sin[i];
        y[i] = b * cos[i] + a * sin[i];
    }
}
