/* gpu_matmul.h - products with weights on the device (gpu_weights.h), and the
 * weight types that have kernels. Bits are those of tensor/matmul.h.
 */
#ifndef VLM_DEVICE_GPU_GPU_MATMUL_H
#define VLM_DEVICE_GPU_GPU_MATMUL_H

#include "vlm/device/gpu/gpu_arena.h"
#include "vlm/device/gpu/gpu_driver.h"
#include "vlm/tensor/matmul.h"

/* The instances that compute a product: of quantised weights those of tensor cores,
 * then the direct ones; of floats theirs (gpu_args.h). */
enum {
#define GPU_INSTANCE_PRODUCT(type, X, name, ...) GPU_INSTANCE_product_##name,
#define GPU_INSTANCE_DIRECT(type, X, name, ...)  GPU_INSTANCE_direct_##name,
#define GPU_INSTANCE_FLOAT(type, X, name, ...)   GPU_INSTANCE_float_##name,
    GPU_PRODUCTS(GPU_INSTANCE_PRODUCT, 0, 0)
        GPU_DIRECTS(GPU_INSTANCE_DIRECT, 0, 0)
            GPU_FLOAT_TILES(GPU_INSTANCE_FLOAT, 0, 0)
#undef GPU_INSTANCE_PRODUCT
#undef GPU_INSTANCE_DIRECT
#undef GPU_INSTANCE_FLOAT
                GPU_INSTANCES,
    GPU_CLASSES = 7 /* of numbers of activations */
};
enum gpu_family { GPU_PRODUCT, GPU_DIRECT, GPU_FLOAT };
struct gpu_instance {
    const char *name;
    enum gpu_family family;
    int rows, tokens; /* of a block: weights, activations */
};
extern const struct gpu_instance gpu_matmul_instance[GPU_INSTANCES];

/* Whether it computes products with weights of this type; and which one computes them
 * with n activations where nothing was measured. */
bool gpu_matmul_serves(int instance, enum quant_type type);
int gpu_matmul_first(enum quant_type type, int n);

/* The class of n activations: up to 1, 4, 8, 16, 32, 64, or more; and the most
 * of a class (512). */
int gpu_matmul_class(int n);
int gpu_matmul_class_rows(int class);

/* What was measured for weights of a shape (gpu_choice.h). */
struct gpu_choice {
    struct gpu_choice *next;
    enum quant_type type;
    int n_row, n_col;                     /* rows of all weights of a launch */
    float us[GPU_CLASSES][GPU_INSTANCES]; /* of a launch; 0: not tried */
    int best[GPU_CLASSES];
};

/* Buffers for activations in 8 bits; and which instances to use for the shapes of
 * a model (else the first ones). */
struct gpu_act {
    int8_t *q;
    float *d;
    int *sum;
    struct gpu_choice *choices;
};

/* The choice for a shape, or NULL. */
struct gpu_choice *gpu_matmul_choice(const struct gpu_act *act,
                                     enum quant_type type, int n_row,
                                     int n_col);

/* Lays out buffers for at most n rows of n_col columns. */
void gpu_matmul_plan(struct gpu_act *act, struct gpu_arena *arena, int n,
                     int n_col);

/* Are there kernels for weights of this type? */
bool gpu_matmul_knows(enum quant_type type);

/* Sets without[GPU_N_KERNEL] for the kernels of types that are not set in
 * types[]. */
void gpu_matmul_unused(const bool types[QUANT_NVFP4 + 1], bool *without);

/* Bytes from one row to the next on the device; and conversion of a host row to
 * the device's layout: of floats as in the file, else as in gpu_args.h. */
size_t gpu_matmul_pitch(const struct weight *w);
void gpu_matmul_layout(const struct weight *w, int row, void *to);

/* Where a kernel that makes the input of a product with w leaves its bytes. */
struct gpu_bytes gpu_matmul_bytes(const struct gpu_act *act,
                                  const struct weight *w);

/* Weights that one launch multiplies: at most GPU_PARTS of one type and n_col. */
struct gpu_alike {
    int n;
    const struct weight *w[GPU_PARTS];
    float *y[GPU_PARTS];
};

/* Those of n_weight weights that are of the type of the first that is not done, which
 * become done; n is 0 if all are. */
struct gpu_alike gpu_matmul_alike(const struct weight *const *w, int n_weight,
                                  float *const *y, bool *done);

/* y[i][n, rows of w[i]] = x w[i]', for at most GPU_PARTS weights of equal n_col;
 * in_bytes: a kernel has left x's bytes for w[0] already. */
void gpu_matmul_many(struct gpu_driver *g, const struct gpu_act *act,
                     const struct weight *const *w, int n_weight,
                     const float *x, int n, bool in_bytes, float *const *y,
                     struct err *err);
void gpu_matmul(struct gpu_driver *g, const struct gpu_act *act,
                const struct weight *w, const float *x, int n, float *y,
                struct err *err);

/* x = silu(x) y, of n numbers, and in bytes for the product with w. */
void gpu_matmul_gate(struct gpu_driver *g, const struct gpu_act *act, float *x,
                     const float *y, int n, const struct weight *w,
                     struct err *err);

/* y += x w'; in_bytes as above. With `norm`, whose x is y, its norm comes after it: of
 * one row in the same launch, where the type allows it. */
void gpu_matmul_onto(struct gpu_driver *g, const struct gpu_act *act,
                     const struct weight *w, const float *x, int n,
                     bool in_bytes, float *y, const struct gpu_norm_args *norm,
                     uint32_t *count, struct err *err);

/* gate and up [rows of both w] = the only row of x times w[0] and w[1], then gate =
 * silu(gate) up and in bytes `to`, which are not those of x, in one launch. False,
 * unless err has failed: not of these types. */
bool gpu_matmul_gated(struct gpu_driver *g, const struct gpu_act *act,
                      const struct weight *const *w, const float *x,
                      float *const *y, struct gpu_bytes to, uint32_t *count,
                      struct err *err);

/* The halves of a product: rounding of x[n], if the type needs it, then one launch of
 * one of the instances. */
void gpu_matmul_round(struct gpu_driver *g, const struct gpu_act *act,
                      const struct weight *w, const float *x, int n,
                      struct err *err);
void gpu_matmul_by(struct gpu_driver *g, const struct gpu_act *act,
                   const struct gpu_alike *w, int instance, const float *x,
                   int n, struct err *err);

/* The same on tensor cores if w is F16 or BF16, with both factors in F16: not
 * bit-identical. */
void gpu_matmul_f16(struct gpu_driver *g, const struct gpu_act *act,
                    const struct weight *w, const float *x, int n, float *y,
                    struct err *err);

/* The product of each expert with its pairs (gpu_args.h), at most n of them, of
 * x[n_x] (n_x 0: a kernel has left its bytes): y[pairs, n_row]. */
void gpu_matmul_experts(struct gpu_driver *g, const struct gpu_act *act,
                        const struct weight *w, const struct gpu_by_expert *by,
                        int n_expert, int n_row, const float *x, int n_x, int n,
                        float *y, struct err *err);

/* Only rows pick[n_pick] of the weight: y[n, n_pick]; a kernel has left x's bytes. */
void gpu_matmul_rows(struct gpu_driver *g, const struct gpu_act *act,
                     const struct weight *w, const int32_t *pick, int n_pick,
                     const float *x, int n, float *y, struct err *err);

/* x[at[i]] = row token[i], for n tokens. */
void gpu_matmul_embed(struct gpu_driver *g, const struct weight *w,
                      const int32_t *token, const int32_t *at, int n, float *x,
                      struct err *err);

#endif
