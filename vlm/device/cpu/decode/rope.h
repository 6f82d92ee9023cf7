/* rope.h - partial rotary position embedding with interleaved axes, and YaRN.
 *
 * Pair i of a head's first n_rot values is rotated by position * freq[i]; the
 * position is one of three (time, image row, image column), chosen by axis[i].
 * SOURCE  MODEL.md, "Positions".
 */
#ifndef VLM_DEVICE_CPU_DECODE_ROPE_H
#define VLM_DEVICE_CPU_DECODE_ROPE_H

#include "vlm/base/position.h"

struct shape;
struct arena;

struct rope {
    int n_pair;   /* n_rot / 2 */
    double *freq; /* [n_pair] */
    int *axis;    /* [n_pair]: 0 t, 1 h, 2 w */
    float gain;   /* YaRN's factor on cos and sin, else 1 */
};

/* Computes the tables; the arena owns them. */
struct rope rope_plan(const struct shape *s, struct arena *arena);

/* Fills cos_rows and sin_rows [n, n_pair] for n positions. */
void rope_fill(const struct rope *r, const struct position *at, int n,
               float *cos_rows, float *sin_rows);

/* Rotates the first 2 * n_pair values of x by its row's cos and sin. */
void rope_turn(float *x, const float *cos, const float *sin, int n_pair);

#endif
