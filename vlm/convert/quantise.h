/* quantise.h - rows of floats become blocks of a file's types.
 *
 * What is made as small as can be found is the squared error of a block, each
 * value's weighed by the importance of its column: the mean square of what the
 * column is multiplied with (imatrix.h), or 1. That sum is the mean square of
 * what the rounding does to a product. The search is described in MODEL.md,
 * "Making files".
 * THREADS  Rows are independent of each other.
 */
#ifndef VLM_CONVERT_QUANTISE_H
#define VLM_CONVERT_QUANTISE_H

#include "vlm/tensor/formats/quant.h"

/* Writes quant_row_bytes(type, n) bytes. x[n] is finite, n whole blocks;
 * importance[n] is not negative, or NULL: all columns alike. */
void quantise_row(enum quant_type type, const float *x, int64_t n,
                  const float *importance, void *out);

/* A row of NVFP4 from codes (0 to 15) and scales (E4M3) of 16 columns each, as
 * they are. */
void quantise_nvfp4_codes(const uint8_t *code, const uint8_t *scale, int64_t n,
                          void *out);

#endif
