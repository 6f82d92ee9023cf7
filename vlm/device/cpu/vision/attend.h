/* attend.h - every patch looks at every patch, a tile at a time.
 *
 * Softmax runs online over tiles of keys, so that no more than one tile of
 * scores exists for each thread. SOURCE  MODEL.md, "The eye".
 */
#ifndef VLM_DEVICE_CPU_VISION_ATTEND_H
#define VLM_DEVICE_CPU_VISION_ATTEND_H

#include <stddef.h>

#include "vlm/base/pool.h"
#include "vlm/tensor/vector_ops.h"

/* Rows of a tile of queries, keys of a tile of scores: a tile of keys and one
 * of scores stay in a core's second cache, a panel of them in its first. */
enum { ATTEND_QUERIES = 96, ATTEND_KEYS = 256 };

/* Heads of one layer. Queries are scaled already. */
struct attend {
    int n, n_head, n_dim; /* patches, heads, size of a head */
    int n_dim_padded;     /* of value rows: whole vectors, zeros behind */
    float *q;             /* [n, n_head * n_dim]; becomes the result */
    float *k;             /* [n_head][tile][n_dim, ATTEND_KEYS] */
    float *v;             /* [n_head][n, n_dim_padded] */
};

/* n_dim_padded for heads of n_dim values. */
int attend_padded(int n_dim);

/* Floats of k and of v. */
size_t attend_k_size(const struct attend *a);
size_t attend_v_size(const struct attend *a);

/* Key dimension 0 of patch i in head h; dimension d is d * ATTEND_KEYS on. */
float *attend_key(const struct attend *a, int head, int i);
float *attend_value(const struct attend *a, int head, int i);

/* Floats of scratch for each thread. */
size_t attend_scratch_size(const struct attend *a);

/* Replaces the queries by the heads' results. A row's result depends neither
 * on its tile nor on the number of threads. */
void attend_run(const struct attend *a, const struct vector_ops *lanes,
                struct pool *pool, float *scratch);

#endif
