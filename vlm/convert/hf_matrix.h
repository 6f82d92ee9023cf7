/* hf_matrix.h - a matrix of a checkpoint, read by rows as F32.
 *
 * Besides plain floats, two layouts of quantised checkpoints are supported:
 *   NVFP4 as ModelOpt and compressed-tensors write it: X.weight (or
 *     X.weight_packed) [rows, columns / 2] U8, the even column in the low
 *     nibble; X.weight_scale [rows, columns / 16] F8_E4M3; one F32 for the
 *     whole, X.weight_scale_2 (or its reciprocal, X.weight_global_scale);
 *   FP8: X.weight [rows, columns] F8_E4M3, X.weight_scale_inv a factor for each
 *     tile of 128 x 128.
 */
#ifndef VLM_CONVERT_HF_MATRIX_H
#define VLM_CONVERT_HF_MATRIX_H

#include "vlm/convert/checkpoint.h"

enum hf_kind { HF_FLOATS, HF_FP8, HF_NVFP4 };

enum { HF_GROUP = 16, HF_TILE = 128 }; /* columns that share a scale */

struct hf_matrix {
    const struct checkpoint *checkpoint;
    const struct stored_tensor *tensor, *scale;
    enum hf_kind kind;
    int64_t n_row, n_col;
    float all; /* NVFP4: factor of the whole tensor; else 1 */
};

/* Opens the tensor as rows of n_col values (0: its last size). FAIL: ERR_CONFIG
 * for scales that do not match, ERR_UNSUPPORTED for an unsupported type. */
struct hf_matrix hf_matrix_open(const struct checkpoint *c,
                                const struct stored_tensor *tensor,
                                int64_t n_col, struct err *err);

/* Is it part of another tensor (a scale), or not needed at all? */
bool hf_matrix_is_aside(const char *name);

/* Reads rows first .. first + n - 1 to out[n, n_col]. */
void hf_matrix_rows(const struct hf_matrix *m, int64_t first, int64_t n,
                    float *out, struct err *err);

/* Reads code[n, n_col] (0 to 15) and scale[n, n_col / 16] (E4M3) of an HF_NVFP4
 * matrix as stored. */
void hf_matrix_codes(const struct hf_matrix *m, int64_t first, int64_t n,
                     uint8_t *code, uint8_t *scale, struct err *err);

/* The value of an F8_E4M3 byte (NaN: 0x7F and 0xFF). */
float hf_matrix_e4m3(uint8_t byte);

#endif
