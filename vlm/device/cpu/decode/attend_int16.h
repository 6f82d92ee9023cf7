/* attend_int16.h - the two products of attention in words (gemm16.h): queries
 * with a tile of keys, and their weights with its values.
 *
 * Twice as many multiplications as in F32. A number keeps 13 bits beside the
 * largest of its 32: closer to F32 than a key or value kept in F16 or Q8_0 is.
 * Values share a scale from key to key, 32 at a time, so only a tile that a row
 * sees whole may be taken: then what the row gets of it depends on the row and
 * the tile alone, whether the row is by itself or in a prompt.
 */
#ifndef VLM_DEVICE_CPU_DECODE_ATTEND_INT16_H
#define VLM_DEVICE_CPU_DECODE_ATTEND_INT16_H

#include <stddef.h>
#include <stdint.h>

#include "vlm/device/cpu/decode/layer.h"
#include "vlm/tensor/gemm16.h"

/* A thread's scratch of it. */
struct attend_int16 {
    const struct gemm16 *words;
    int n_dim;        /* a multiple of GEMM16_K */
    uint16_t *query;  /* strips of n_dim */
    uint16_t *key;    /* strips of n_dim: LAYER_KEYS columns */
    uint16_t *weight; /* strips of LAYER_KEYS */
    uint16_t *value;  /* strips of LAYER_KEYS: n_dim columns */
};

/* Floats for up to n_row rows; 0 where words is NULL. */
size_t attend_int16_scratch(const struct gemm16 *words, int n_row, int n_dim);

/* Cut from `at`, which has attend_int16_scratch floats. */
struct attend_int16 attend_int16_cut(const struct gemm16 *words, int n_row,
                                     int n_dim, float *at);

/* q[n_row, n_dim]: what attend_int16_score asks with from now on. */
void attend_int16_ask(const struct attend_int16 *a, int n_row, const float *q);

/* score[n_row up to whole strips, LAYER_KEYS] = the queries times LAYER_KEYS keys,
 * keys[LAYER_KEYS / STATE_KEYS][n_dim, STATE_KEYS]. */
void attend_int16_score(const struct attend_int16 *a, int n_row,
                        const float *keys, float *score);

/* out[n_row up to whole strips, n_dim] += weight[n_row, LAYER_KEYS] times
 * values[LAYER_KEYS, n_dim]. */
void attend_int16_weigh(const struct attend_int16 *a, int n_row,
                        const float *weight, const float *values, float *out);

#endif
