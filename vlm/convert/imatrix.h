/* imatrix.h - how much each column of each matrix is used.
 *
 * A file as llama-imatrix writes it: a GGUF of the type "imatrix" with, for a
 * matrix X, X.in_sum2 (the sum of squares of what each column was multiplied
 * with) and X.counts (of how many rows), both for each matrix of a stack.
 */
#ifndef VLM_CONVERT_IMATRIX_H
#define VLM_CONVERT_IMATRIX_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"
#include <stdint.h>

struct imatrix;

/* FAIL: ERR_MISSING, ERR_CONFIG for a file that is none. */
struct imatrix *imatrix_open(const char *path, struct err *err);
void imatrix_close(struct imatrix *m); /* NULL is fine */

/* Mean squares [n_matrix, n_col] for a tensor by its name, in the arena; NULL
 * where the file has none of it (or `m` is NULL). FAIL: ERR_CONFIG for other
 * sizes or values that are none. */
const float *imatrix_find(const struct imatrix *m, const char *name,
                          int64_t n_matrix, int64_t n_col, struct arena *arena,
                          struct err *err);

struct gather;

/* Nothing gathered yet. */
struct gather *imatrix_gather_new(void);
void imatrix_gather_free(struct gather *g); /* NULL is fine */

/* Matrix `matrix` of the n_matrix of a tensor was multiplied with x[n, n_col]. */
void imatrix_gather_add(struct gather *g, struct span tensor, int matrix,
                        int n_matrix, const float *x, int n, int n_col);

/* Rows of the tensor that was met most often; 0: nothing was gathered. */
int64_t imatrix_gather_rows(const struct gather *g);

/* The file that imatrix.h reads. `source` names what was read, n_document how
 * many; `n_ctx` is written as the size of a chunk. FAIL: ERR_SYSTEM. */
void imatrix_gather_write(const struct gather *g, const char *path,
                          const char *source, int n_document, int n_ctx,
                          struct err *err);

#endif
