/* rope.c - see rope.h.
 *
 * Frequencies and angles are in double: at position 262,144 an F32 angle is
 * off by 0.01.
 */
#include "vlm/device/cpu/decode/rope.h"

#include <math.h>

#include "vlm/base/arena.h"
#include "vlm/model/shape.h"

static const double PI = 3.14159265358979323846;

/* Pair i uses axis i mod 3 while that axis has sections left. */
static int axis_of(const struct shape *s, int i)
{
    if (i % 3 == 1 && i < 3 * s->rope_section[1]) return 1;
    if (i % 3 == 2 && i < 3 * s->rope_section[2]) return 2;
    return 0;
}

/* The pair that makes `turns` full rotations over the training context. */
static double yarn_pair(const struct shape *s, double turns)
{
    return s->n_rot * log(s->yarn_ctx_train / (2 * PI * turns)) /
           (2 * log(s->rope_base));
}

struct rope rope_plan(const struct shape *s, struct arena *arena)
{
    struct rope r = {.n_pair = s->n_rot / 2, .gain = 1};
    r.freq = arena_array(arena, (size_t)r.n_pair, sizeof *r.freq);
    r.axis = arena_array(arena, (size_t)r.n_pair, sizeof *r.axis);
    bool yarn = s->yarn_factor > 1;
    double low = yarn ? fmax(floor(yarn_pair(s, 32)), 0) : 0;
    double high = yarn ? fmin(ceil(yarn_pair(s, 1)), s->n_rot - 1) : 0;
    for (int i = 0; i < r.n_pair; i++) {
        r.freq[i] = pow(s->rope_base, -2.0 * i / s->n_rot);
        r.axis[i] = axis_of(s, i);
        if (!yarn) continue;
        double ramp = (i - low) / fmax(high - low, 0.001);
        ramp = fmin(fmax(ramp, 0), 1);
        r.freq[i] *= 1 - ramp + ramp / s->yarn_factor;
    }
    if (yarn) r.gain = (float)(1 + 0.1 * log(s->yarn_factor));
    return r;
}

void rope_fill(const struct rope *r, const struct position *at, int n,
               float *cos_rows, float *sin_rows)
{
    for (int t = 0; t < n; t++) {
        const int32_t axis[3] = {at[t].t, at[t].h, at[t].w};
        for (int i = 0; i < r->n_pair; i++) {
            double angle = axis[r->axis[i]] * r->freq[i];
            cos_rows[t * r->n_pair + i] = r->gain * (float)cos(angle);
            sin_rows[t * r->n_pair + i] = r->gain * (float)sin(angle);
        }
    }
}

void rope_turn(float *x, const float *cos, const float *sin, int n_pair)
{
    float *y = x + n_pair;
    for (int i = 0; i < n_pair; i++) {
        float a = x[i], b = y[i];
        x[i] = a * cos[i] - b * sin[i];
        y[i] = b * cos[i] + a * sin[i];
    }
}
