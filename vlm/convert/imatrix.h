/* imatrix.h - how much each column of each matrix is used.
 *
 * A file as llama-imatrix writes it: a GGUF of the type "imatrix" with, for a
 * matrix X, X.in_sum2 (the sum of squares of what each column was multiplied
 * with) and X.counts (of how many rows), both for each matrix of a stack.
 */
#ifndef VLM_CONVERT_IMATRIX_H
#define VLM_CONVERT_IMATRIX_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/err.h"

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

#endif
