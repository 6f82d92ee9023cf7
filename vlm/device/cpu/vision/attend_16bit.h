/* attend_16bit.h - attention of every patch to every patch, in 16 bits
 * (gemm16.h).
 *
 * As attend.h, but queries, keys, values and weights are rounded and stored in
 * tiles; scores, sums and results are F32. SOURCE MODEL.md, "The vision
 * encoder".
 */
#ifndef VLM_DEVICE_CPU_VISION_ATTEND_16BIT_H
#define VLM_DEVICE_CPU_VISION_ATTEND_16BIT_H

#include <stddef.h>
#include <stdint.h>

#include "vlm/base/pool.h"
#include "vlm/tensor/gemm16.h"

enum {
    ATTEND_UNIT = GEMM16_K,        /* patches stored together */
    ATTEND_UNIT_QUERIES = 64,      /* queries of a tile of scores */
    ATTEND_UNIT_KEYS = GEMM16_KEYS /* its keys; it fits into the second-level
                                    * cache */
};

/* Heads of one layer. */
struct attend_16bit {
    const struct gemm16 *gemm16;
    int n, n_head, n_dim; /* patches, heads, size of a head */
    uint16_t *q, *k;      /* [n_head] strips of row and of column tiles */
    uint16_t *v;          /* [n_head][block of keys][strip of n_dim] */
    float *out;           /* [n, n_head * n_dim]: the result */
};

/* Size of q (and of k), and of v, in numbers. */
size_t attend_16bit_q_size(const struct attend_16bit *a);
size_t attend_16bit_v_size(const struct attend_16bit *a);

/* Stores patches i .. i + n - 1 (i a multiple of ATTEND_UNIT, n at most that)
 * of all heads, from rows[n] of queries, keys and values side by side, `stride`
 * floats apart. Weights are 2^(q . k). */
void attend_16bit_place(const struct attend_16bit *a, int i, int n,
                        const float *rows, size_t stride);

/* Scratch per thread, in floats. */
size_t attend_16bit_scratch_size(const struct attend_16bit *a);

/* Computes `out`. A row's result depends neither on its tile nor on the number
 * of threads. */
void attend_16bit_run(const struct attend_16bit *a, struct pool *pool,
                      float *scratch);

#endif
