/* quantise.h - quantisation of rows of floats.
 *
 * Minimises the squared error of each block, weighted by the importance of each
 * column: the mean square of its inputs (imatrix.h), or 1. That sum is the mean
 * square error of a product. MODEL.md, "Making files", describes the search.
 * THREADS  Rows are independent of each other.
 */
#ifndef VLM_CONVERT_QUANTISE_H
#define VLM_CONVERT_QUANTISE_H

#include "vlm/tensor/formats/quant.h"

/* Writes quant_row_bytes(type, n) bytes. x[n] is finite, n a multiple of the
 * block size; importance[n] is not negative. importance NULL: all columns
 * alike. */
void quantise_row(enum quant_type type, const float *x, int64_t n,
                  const float *importance, void *out);

/* Writes a row of NVFP4 from given codes (0 to 15) and scales (E4M3, one per 16
 * columns). */
void quantise_nvfp4_codes(const uint8_t *code, const uint8_t *scale, int64_t n,
                          void *out);

#endif
