/* matmul.h - products of rows with weights in the file's format.
 *
 * y[t][r] = sum over k of W[r][k] * x[t][k]. Each sum has one fixed order that
 * depends on neither the number of threads nor the number n of tokens: one
 * token alone gives the same bits as in a batch. Two kinds of weight: float
 * (F32, F16, BF16: F32 activations and sums) and quantised (activations rounded
 * once per row to 8 bits per 32 or 256 values, integer inner sums). `exact`
 * selects F32 activations on quantised weights.
 */
#ifndef VLM_TENSOR_MATMUL_H
#define VLM_TENSOR_MATMUL_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/pool.h"
#include "vlm/tensor/formats/quant.h"

/* A matrix [n_row, n_col] in the mapped file; neither copied nor packed. */
struct weight {
    enum quant_type type;
    int n_row, n_col;
    float scale;     /* NVFP4's tensor scale, else 1 */
    const void *raw; /* in the file's format */
};

struct tensor_backend; /* kernels chosen for this CPU, and options */

struct tensor_options {
    unsigned features; /* enum cpu_feature bits: cpu_features(), or fewer in
                        * tests */
    unsigned slow;     /* of these, those with slower kernels for products with
                    * weights than the others (kernels_measure.h) */
    bool exact;        /* F32 activations everywhere */
    bool fast;  /* 8 or 16 bits everywhere, if the CPU has products for them */
    bool tiles; /* quantised weights and their inputs in BF16 tiles, if the CPU
                 * has them; unless `exact` */

    /* Called with x[n, n_col] before each product with the weight at `raw`,
     * except for matmul_rows; or NULL. */
    void (*product)(void *arg, const void *raw, const float *x, int n,
                    int n_col);
    void *product_arg;
};

/* Chooses the kernels; copies the options. The caller frees it when no product
 * runs any more (NULL is fine). */
struct tensor_backend *matmul_backend_new(const struct tensor_options *o);
void matmul_backend_free(struct tensor_backend *b);

enum {
    MATMUL_INPUTS = 16, /* inputs of matmul_each */
    MATMUL_WEIGHTS = 8  /* weights of an input in one run of the pool */
};

/* Scratch of products with this pool, in bytes: of at most n tokens of n_col
 * columns in total, in n_input inputs (1 except for matmul_each). */
size_t matmul_scratch_bytes(const struct tensor_backend *b,
                            const struct pool *pool, int n, int n_col,
                            int n_input);

/* y[n, n_row] = x[n, n_col] W^T. Strides are in floats. Allocates nothing. */
void matmul(const struct tensor_backend *b, struct pool *pool,
            const struct weight *w, const float *x, int n, float *y,
            void *scratch);

/* The same with one x for several matrices of equal n_col (activations are
 * rounded once): q, k, v; gate, up. */
void matmul_many(const struct tensor_backend *b, struct pool *pool,
                 const struct weight *const *w, int n_weight, const float *x,
                 int n, float *const *y, void *scratch);

/* x[n, n_col] and its weights. */
struct matmul_input {
    const float *x;
    int n, n_weight;
    const struct weight *weight[MATMUL_WEIGHTS]; /* of equal n_col */
    float *y[MATMUL_WEIGHTS];
};

/* The products of up to MATMUL_INPUTS inputs in one run of the pool: a layer's
 * experts, each with the tokens that chose it. */
void matmul_each(const struct tensor_backend *b, struct pool *pool,
                 const struct matmul_input *in, int n_input, void *scratch);

/* Only the rows listed in row[n_pick]: y[n, n_pick]. For the masked head. */
void matmul_rows(const struct tensor_backend *b, struct pool *pool,
                 const struct weight *w, const int32_t *row, int n_pick,
                 const float *x, int n, float *y, void *scratch);

/* Rows first .. first + n_row - 1 as a separate weight (one expert of a
 * stack). */
struct weight matmul_weight_slice(const struct weight *w, int first, int n_row);

/* One decoded row (token embedding). */
void matmul_weight_row(const struct weight *w, int row, float *out);

#endif
