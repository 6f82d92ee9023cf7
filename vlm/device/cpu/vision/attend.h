/* attend.h - attention of every patch to every patch, in tiles.
 *
 * The softmax runs online over tiles of keys, so only one tile of scores exists
 * per thread. SOURCE MODEL.md, "The vision encoder".
 */
#ifndef VLM_DEVICE_CPU_VISION_ATTEND_H
#define VLM_DEVICE_CPU_VISION_ATTEND_H

#include <stddef.h>

#include "vlm/base/pool.h"
#include "vlm/tensor/vector_ops.h"

/* Queries and keys of a tile: a tile of keys and its scores fit into the
 * second-level cache of a core, a panel of them into the first. */
enum { ATTEND_QUERIES = 96, ATTEND_KEYS = 256 };

/* Heads of one layer. Queries are already scaled. */
struct attend {
    int n, n_head, n_dim; /* patches, heads, size of a head */
    int n_dim_padded;     /* size of a value row: whole vectors, zero-padded */
    float *q;             /* [n, n_head * n_dim]; overwritten by the result */
    float *k;             /* [n_head][tile][n_dim, ATTEND_KEYS] */
    float *v;             /* [n_head][n, n_dim_padded] */
};

/* n_dim_padded for heads of n_dim values. */
int attend_padded(int n_dim);

/* Size of k and of v, in floats. */
size_t attend_k_size(const struct attend *a);
size_t attend_v_size(const struct attend *a);

/* Key dimension 0 of patch i in a head (dimension d is d * ATTEND_KEYS
 * further); and its values. */
float *attend_key(const struct attend *a, int head, int i);
float *attend_value(const struct attend *a, int head, int i);

/* Scratch per thread, in floats. */
size_t attend_scratch_size(const struct attend *a);

/* Replaces the queries by the heads' results. A row's result depends neither on
 * its tile nor on the number of threads. */
void attend_run(const struct attend *a, const struct vector_ops *ops,
                struct pool *pool, float *scratch);

#endif
