/* gather.h - the sums behind an importance matrix, and its file.
 *
 * Example: a matrix of 3 columns that was multiplied with (1, 0, 2) and
 * (1, 1, 0) has the sums 2, 1, 4 and the count 2.
 */
#ifndef VLM_CONVERT_GATHER_H
#define VLM_CONVERT_GATHER_H

#include <stdint.h>

#include "vlm/base/err.h"
#include "vlm/base/span.h"

struct gather;

/* Nothing gathered yet. */
struct gather *gather_new(void);
void gather_free(struct gather *g); /* NULL is fine */

/* Matrix `matrix` of the n_matrix of a tensor was multiplied with x[n, n_col]. */
void gather_add(struct gather *g, struct span tensor, int matrix, int n_matrix,
                const float *x, int n, int n_col);

/* Rows of the tensor that was met most often; 0: nothing was gathered. */
int64_t gather_rows(const struct gather *g);

/* The file that imatrix.h reads. `source` names what was read, n_document how
 * many; `n_ctx` is written as the size of a chunk. FAIL: ERR_SYSTEM. */
void gather_write(const struct gather *g, const char *path, const char *source,
                  int n_document, int n_ctx, struct err *err);

#endif
