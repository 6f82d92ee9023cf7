/* imatrix.h - importance matrix: how much each column of each matrix matters.
 *
 * The file format is llama-imatrix's: a GGUF of type "imatrix" with, for a
 * tensor X, X.in_sum2 (for each column the sum of squares of its inputs) and
 * X.counts (number of rows summed), both for each matrix of a stack.
 */
#ifndef VLM_CONVERT_IMATRIX_H
#define VLM_CONVERT_IMATRIX_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"
#include <stdint.h>

struct gguf;

/* FAIL: ERR_MISSING, ERR_CONFIG for any other kind of file. */
struct gguf *imatrix_open(const char *path, struct err *err);

/* Mean squares [n_matrix, n_col] of a tensor's inputs, in the arena; NULL if
 * the file has none for it or `g` is NULL. FAIL: ERR_CONFIG for other sizes or
 * invalid values. */
const float *imatrix_find(const struct gguf *g, const char *name,
                          int64_t n_matrix, int64_t n_col, struct arena *arena,
                          struct err *err);

/* A collection of sums for an importance matrix. */
struct gather;

/* An empty collection. */
struct gather *imatrix_gather_new(void);
void imatrix_gather_free(struct gather *g); /* NULL is fine */

/* Adds the inputs x[n, n_col] of matrix number `matrix`, of n_matrix of a
 * tensor. */
void imatrix_gather_add(struct gather *g, struct span tensor, int matrix,
                        int n_matrix, const float *x, int n, int n_col);

/* Most rows added for a matrix; 0: the collection is empty. */
int64_t imatrix_gather_rows(const struct gather *g);

/* Writes the file. `source` is the first document's name, n_document their
 * number; `n_ctx` is written as the chunk size. FAIL: ERR_SYSTEM. */
void imatrix_gather_write(const struct gather *g, const char *path,
                          const char *source, int n_document, int n_ctx,
                          struct err *err);

#endif
