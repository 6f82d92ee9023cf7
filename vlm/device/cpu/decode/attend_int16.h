/* attend_int16.h - the two products of attention in int16 (gemm16.h): queries
 * times a tile of keys, and weights times its values.
 *
 * Twice as many multiplications as in F32. A number keeps 13 bits relative to
 * the largest of its 32: closer to F32 than a key or value stored in F16 or
 * Q8_0. Values share a scale across 32 keys, so a tile is used only for rows
 * that see all of it: then a row's result depends on the row and the tile
 * alone, whether it is alone or in a prompt.
 */
#ifndef VLM_DEVICE_CPU_DECODE_ATTEND_INT16_H
#define VLM_DEVICE_CPU_DECODE_ATTEND_INT16_H

#include <stddef.h>
#include <stdint.h>

#include "vlm/device/cpu/decode/layer.h"
#include "vlm/tensor/gemm16.h"

/* A thread's scratch. */
struct attend_int16 {
    const struct gemm16 *gemm16;
    int n_dim;        /* a multiple of GEMM16_K */
    uint16_t *query;  /* strips of n_dim */
    uint16_t *key;    /* strips of n_dim: LAYER_KEYS columns */
    uint16_t *weight; /* strips of LAYER_KEYS */
    uint16_t *value;  /* strips of LAYER_KEYS: n_dim columns */
};

/* Floats of scratch for up to n_row rows; 0 if gemm16 is NULL. */
size_t attend_int16_scratch(const struct gemm16 *gemm16, int n_row, int n_dim);

/* Lays out the scratch at `at`, which has attend_int16_scratch floats. */
struct attend_int16 attend_int16_layout(const struct gemm16 *gemm16, int n_row,
                                        int n_dim, float *at);

/* Sets the queries q[n_row, n_dim] for attend_int16_score. */
void attend_int16_set_queries(const struct attend_int16 *a, int n_row,
                              const float *q);

/* score[n_row up to whole strips, LAYER_KEYS] = the queries times LAYER_KEYS
 * keys, keys[LAYER_KEYS / STATE_KEYS][n_dim, STATE_KEYS]. */
void attend_int16_score(const struct attend_int16 *a, int n_row,
                        const float *keys, float *score);

/* out[n_row up to whole strips, n_dim] += weight[n_row, LAYER_KEYS] times
 * values[LAYER_KEYS, n_dim]. */
void attend_int16_add_values(const struct attend_int16 *a, int n_row,
                             const float *weight, const float *values,
                             float *out);

#endif
