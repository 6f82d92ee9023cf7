/* gpu_matmul.h - products of weights that lie on the device (gpu_weights.h), and
 * which types of weights have kernels. Bits are those of tensor/matmul.h.
 */
#ifndef VLM_DEVICE_GPU_GPU_MATMUL_H
#define VLM_DEVICE_GPU_GPU_MATMUL_H

#include "vlm/device/gpu/gpu_arena.h"
#include "vlm/device/gpu/gpu_driver.h"
#include "vlm/tensor/matmul.h"

/* Room for activations in 8 bits. */
struct gpu_act {
    int8_t *q;
    float *d;
    int *sum;
};

/* For n rows of n_col columns at most. */
void gpu_matmul_plan(struct gpu_act *act, struct gpu_arena *plot, int n,
                     int n_col);

/* Whether there are kernels for weights of this type. */
bool gpu_matmul_knows(enum quant_type type);

/* Bytes from one row to the next on the device, and a row of the host's as it lies
 * there: as in the file, or spread (gpu_args.h). */
size_t gpu_matmul_pitch(const struct weight *w);
void gpu_matmul_layout(const struct weight *w, int row, void *to);

/* Whether rows lie there otherwise than in the file. */
bool gpu_matmul_spreads(enum quant_type type);

/* y[i][n, rows of w[i]] = x w[i]', for weights of equal n_col. */
void gpu_matmul_many(struct gpu_driver *g, const struct gpu_act *act,
                     const struct weight *const *w, int n_weight,
                     const float *x, int n, float *const *y, struct err *err);
void gpu_matmul(struct gpu_driver *g, const struct gpu_act *act,
                const struct weight *w, const float *x, int n, float *y,
                struct err *err);

/* The same on tensor cores where w is F16 or BF16, both in F16: not those bits. */
void gpu_matmul_halves(struct gpu_driver *g, const struct gpu_act *act,
                       const struct weight *w, const float *x, int n, float *y,
                       struct err *err);

/* The product of each expert with its pairs (gpu_args.h), n of them at most, of x[n_x]:
 * y[pairs, n_row]. */
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
