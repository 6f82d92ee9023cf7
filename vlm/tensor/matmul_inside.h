/* matmul_inside.h - one run of the pool, shared by matmul.c, matmul_panels.c
 * and matmul16.c. */
#ifndef VLM_TENSOR_MATMUL_INSIDE_H
#define VLM_TENSOR_MATMUL_INSIDE_H

#include "vlm/tensor/gemm16.h"
#include "vlm/tensor/kernels.h"
#include "vlm/tensor/matmul.h"

enum {
    TOKENS_MAX = 960,   /* tokens at a time; a multiple of every tile width */
    FAST_TOKENS = 1536, /* tokens at a time in 16 bits */
    PANELS_16BIT = 4    /* 16-bit panels that a thread processes together */
};

/* Formats of the activations. */
enum form { FORM_F32, FORM_ACT32, FORM_ACT256, FORM_16BIT, N_FORM };

/* The activations of a run in one format, tile after tile. */
struct acts {
    float *x;       /* FORM_F32: x[k * width + t] in each tile */
    uint16_t *half; /* FORM_16BIT: strips of row tiles */
    int8_t *q;
    float *d, *sum[2]; /* [0]: per 16 values, [1]: per 32 */
    int32_t *init[2];
    int act;
};

struct product {
    const struct weight *w;
    const int32_t *row; /* NULL: all rows in order */
    float *y;
    int n_row;
    int first; /* its first panel, counted over all products of the run */
    enum form form;
};

/* One input times its weights. */
struct product_run {
    const struct kernels *k;
    const struct gemm16 *gemm16; /* for FORM_16BIT */
    float *sums; /* for FORM_16BIT: thread_sums of each thread */
    size_t thread_sums;
    const float *x; /* [n, n_col] */
    int n, n_col, n_thread;
    unsigned forms; /* set of 1 << enum form */
    struct acts acts[N_FORM];
    struct product product[MATMUL_WEIGHTS];
    int n_product;
    int first_group,
        first_panel; /* counted over all inputs of the pool's run */
};

/* Tokens of a tile of activations. */
static inline int matmul_tile_width(const struct product_run *run,
                                    enum form form)
{
    if (form == FORM_F32) return run->k->tile_f32;
    return kernels_few(run->k, run->n) ? (int)KERNELS_SMALL_BATCH
                                       : run->k->tile_i8;
}

/* Sets the rows of a panel at column 0; rows past the last repeat it. */
int matmul_panel_rows(const struct product *p, int panel, const uint8_t **row);

/* Advances all rows by a number of bytes. */
void matmul_advance(const uint8_t **row, size_t bytes);

/* A panel's rows times all tokens, y[n, p->n_row] from its first row on. Can
 * advance `row`; prefetches the rows `next` (or NULL). Not for FORM_16BIT. */
void matmul_panel_run(const struct product_run *run, const struct product *p,
                      const uint8_t **row, const uint8_t **next, float *y,
                      int n_row);

/* Size of the activations of n tokens in 16 bits, in numbers; and of each
 * thread's sums, in floats. */
size_t matmul16_size(const struct gemm16 *h, int n, int n_col);
size_t matmul16_sum_floats(int n);

/* Rounds tokens first .. last - 1; both are multiples of GEMM16_TILE, or last
 * is the end of the run. */
void matmul16_prepare(const struct product_run *run, int first, int last);

/* Panels first .. last - 1 of a product with FORM_16BIT. */
void matmul16_run(const struct product_run *run, const struct product *p,
                  int first, int last, int thread);

#endif
