/* gpu_matmul.h - products with weights on the device (gpu_weights.h), and the
 * weight types that have kernels. Bits are those of tensor/matmul.h.
 */
#ifndef VLM_DEVICE_GPU_GPU_MATMUL_H
#define VLM_DEVICE_GPU_GPU_MATMUL_H

#include "vlm/device/gpu/gpu_arena.h"
#include "vlm/device/gpu/gpu_driver.h"
#include "vlm/tensor/matmul.h"

/* Buffers for activations in 8 bits. */
struct gpu_act {
    int8_t *q;
    float *d;
    int *sum;
};

/* Lays out buffers for at most n rows of n_col columns. */
void gpu_matmul_plan(struct gpu_act *act, struct gpu_arena *arena, int n,
                     int n_col);

/* Are there kernels for weights of this type? */
bool gpu_matmul_knows(enum quant_type type);

/* Bytes from one row to the next on the device; and conversion of a host row to
 * the device's layout: as in the file, or spread (gpu_args.h). */
size_t gpu_matmul_pitch(const struct weight *w);
void gpu_matmul_layout(const struct weight *w, int row, void *to);

/* Is the layout of rows different from the file's? */
bool gpu_matmul_spreads(enum quant_type type);

/* y[i][n, rows of w[i]] = x w[i]', for weights of equal n_col. */
void gpu_matmul_many(struct gpu_driver *g, const struct gpu_act *act,
                     const struct weight *const *w, int n_weight,
                     const float *x, int n, float *const *y, struct err *err);
void gpu_matmul(struct gpu_driver *g, const struct gpu_act *act,
                const struct weight *w, const float *x, int n, float *y,
                struct err *err);

/* The same on tensor cores if w is F16 or BF16, with both factors in F16: not
 * bit-identical. */
void gpu_matmul_f16(struct gpu_driver *g, const struct gpu_act *act,
                    const struct weight *w, const float *x, int n, float *y,
                    struct err *err);

/* The product of each expert with its pairs (gpu_args.h), at most n of them, of
 * x[n_x]: y[pairs, n_row]. */
void gpu_matmul_experts(struct gpu_driver *g, const struct gpu_act *act,
                        const struct weight *w, const struct gpu_by_expert *by,
                        int n_expert, int n_row, const float *x, int n_x, int n,
                        float *y, struct err *err);

/* Only rows pick[n_pick] of the weight: y[n, n_pick]. */
void gpu_matmul_rows(struct gpu_driver *g, const struct gpu_act *act,
                     const struct weight *w, const int32_t *pick, int n_pick,
                     const float *x, int n, float *y, struct err *err);

/* x[at[i]] = row token[i], for n tokens. */
void gpu_matmul_embed(struct gpu_driver *g, const struct weight *w,
                      const int32_t *token, const int32_t *at, int n, float *x,
                      struct err *err);

#endif
