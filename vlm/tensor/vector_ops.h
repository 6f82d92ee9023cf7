/* vector_ops.h - F32 inner loops over rows, other than products with weights.
 *
 * One source (k_vector_ops_body.h) is compiled for each instruction set; a
 * table is chosen at run time. Every sum has an order that depends on the
 * length of the row alone, so a row gives the same bits in any batch.
 * THREADS  Pure functions.
 * RESULT   Sets with fused multiply-add differ from the base set by rounding:
 *          at most n * 2^-24 of the sum of magnitudes for sums over n.
 */
#ifndef VLM_TENSOR_VECTOR_OPS_H
#define VLM_TENSOR_VECTOR_OPS_H

#include <stdbool.h>
#include <stdint.h>

struct vector_ops {
    const char *name;

    /* c[m, n] = a[m, k] b[k, n], added to c if `add`. Row strides in floats.
     * Each c[i][j] is one chain over k. */
    void (*gemm)(int m, int n, int k, const float *a, int lda, const float *b,
                 int ldb, float *c, int ldc, bool add);
    /* The same with b in F16, and the same bits: for few rows, where converting
     * b to F32 first costs as much as the product. */
    void (*gemm_f16)(int m, int n, int k, const float *a, int lda,
                     const uint16_t *b, int ldb, float *c, int ldc, bool add);

    float (*dot)(const float *a, const float *b, int n);
    float (*sum_squares)(const float *x, int n);
    float (*max)(const float *x, int n);              /* n > 0 */
    float (*exp_shift)(float *x, int n, float shift); /* x = e^(x - shift);
                                                       * returns their sum */
    void (*scale)(float *y, const float *x, float a, int n); /* y = a x */
    void (*axpy)(float *y, const float *x, float a, int n);  /* y += a x */
    void (*add)(float *y, const float *x, int n);            /* y += x */
    void (*scale_mul)(float *y, const float *x, const float *w, float a,
                      int n); /* y = a x w */
    void (*silu_mul)(float *y, const float *g, const float *u,
                     int n);                              /* y = silu(g) u */
    void (*sigmoid_mul)(float *y, const float *g, int n); /* y *= sigma(g) */

    /* y = (x - mean) / sqrt(variance + eps) * w + b. */
    void (*layer_norm)(float *y, const float *x, const float *w, const float *b,
                       float eps, int n);
    /* A head x[2 half] + b, rotated: pair (d, d + half) by an angle, times
     * a. */
    void (*rotate)(float *x, const float *b, const float *cosine,
                   const float *sine, float a, int half);
    void (*add_biased)(float *y, const float *x, const float *b,
                       int n);                          /* y += x + b */
    void (*gelu_tanh)(float *y, const float *b, int n); /* y = gelu(y + b) */

    /* y[c] = silu(sum over j of w[j * n + c] * u[j][c]), j < n_tap. */
    void (*conv_silu)(float *y, const float *const *u, const float *w,
                      int n_tap, int n);

    /* One step of the delta rule on s[dk, dv] (MODEL.md, "The gated delta
     * rule", 5): o[dv] from the updated state; d[dv] is scratch. */
    void (*delta_step)(float *s, const float *q, const float *k, const float *v,
                       float decay, float beta, int dk, int dv, float *d,
                       float *o);

    void (*to_f16)(uint16_t *y, const float *x, int n); /* to nearest even */
    void (*from_f16)(float *y, const uint16_t *x, int n);
};

/* The best table for a set of enum cpu_feature. */
const struct vector_ops *vector_ops_pick(unsigned features);

#endif
