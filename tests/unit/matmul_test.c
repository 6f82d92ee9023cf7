/* matmul_test.c - products against sums in double precision, and the promise
 * that company and threads change no bit. */
#include "tests/support/test.h"
#include "vlm/tensor/matmul.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/cpu.h"

static const enum quant_type every_type[] = {
    QUANT_F32,  QUANT_F16,    QUANT_BF16,   QUANT_Q4_0,  QUANT_Q4_1, QUANT_Q5_0,
    QUANT_Q5_1, QUANT_Q8_0,   QUANT_Q2_K,   QUANT_Q3_K,  QUANT_Q4_K, QUANT_Q5_K,
    QUANT_Q6_K, QUANT_IQ4_NL, QUANT_IQ4_XS, QUANT_MXFP4, QUANT_NVFP4};

enum { N_TYPE = sizeof every_type / sizeof every_type[0] };

static uint32_t random_bits(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static float random_float(uint32_t *seed) /* -1 .. 1 */
{
    return (float)((double)random_bits(seed) / 2147483648.0 - 1.0);
}

/* Random blocks whose half-precision scales are small and finite. */
static struct weight random_weight(enum quant_type type, int n_row, int n_col,
                                   uint32_t seed)
{
    const struct quant_info *info = quant_info(type);
    size_t n = (size_t)n_row * quant_row_bytes(type, n_col);
    uint8_t *raw = malloc(n);
    assert_non_null(raw);
    for (size_t i = 0; i < n; i++)
        raw[i] = (uint8_t)(random_bits(&seed) >> 11);
    for (size_t i = 0; i < n; i += (size_t)info->bytes) {
        float f = random_float(&seed);
        uint8_t *p = raw + i;
        uint16_t h = (uint16_t)(0x2000 | (random_bits(&seed) >> 9 & 0x83ff));
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        uint16_t bf = (uint16_t)(bits >> 16);
        switch (type) {
        case QUANT_F32: memcpy(p, &f, 4); break;
        case QUANT_BF16: memcpy(p, &bf, 2); break;
        case QUANT_MXFP4: p[0] = (uint8_t)(118 + (p[0] & 7)); break;
        case QUANT_NVFP4:
            for (int b = 0; b < 4; b++)
                p[b] &= 0x3f;
            break;
        case QUANT_Q6_K: memcpy(p + 208, &h, 2); break;
        case QUANT_Q3_K: memcpy(p + 108, &h, 2); break;
        case QUANT_Q2_K: memcpy(p + 80, &h, 2), memcpy(p + 82, &h, 2); break;
        case QUANT_F16:
        case QUANT_Q4_0:
        case QUANT_Q5_0:
        case QUANT_Q8_0:
        case QUANT_IQ4_NL:
        case QUANT_IQ4_XS: memcpy(p, &h, 2); break;
        case QUANT_Q4_1:
        case QUANT_Q5_1:
        case QUANT_Q4_K:
        case QUANT_Q5_K: memcpy(p, &h, 2), memcpy(p + 2, &h, 2); break;
        }
    }
    return (struct weight){
        .type = type, .n_row = n_row, .n_col = n_col, .scale = 1, .raw = raw};
}

static void weight_give(struct weight w)
{
    free((void *)(uintptr_t)w.raw);
}

static float *random_rows(int n, int n_col, uint32_t seed)
{
    float *x = malloc((size_t)n * (size_t)n_col * sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < n * n_col; i++)
        x[i] = random_float(&seed);
    return x;
}

/* A backend with a pool and scratch for n rows of n_col. */
struct bench {
    struct tensor_backend *b;
    struct pool *pool;
    void *scratch;
};

static struct bench bench_new(unsigned features, bool exact, int n_thread,
                              int n, int n_col)
{
    struct err err = {0};
    struct tensor_options o = {.features = features, .exact = exact};
    struct bench t = {tensor_backend_new(&o), pool_new(n_thread, &err), NULL};
    test_ok(&err);
    t.scratch = mem_try_aligned(matmul_scratch_bytes(t.b, n, n_col));
    assert_non_null(t.scratch);
    return t;
}

static void bench_give(struct bench t)
{
    mem_give(t.scratch);
    pool_free(t.pool);
    tensor_backend_free(t.b);
}

/* Largest |y - double sum| over sqrt(sum of squares of the terms). */
static double worst(const struct weight *w, const float *x, int n,
                    const float *y)
{
    double most = 0;
    float *row = malloc((size_t)w->n_col * sizeof *row);
    for (int r = 0; r < w->n_row; r++) {
        weight_row(w, r, row);
        for (int t = 0; t < n; t++) {
            double sum = 0, square = 1e-30;
            for (int k = 0; k < w->n_col; k++) {
                double term = (double)row[k] * (double)x[t * w->n_col + k];
                sum += term, square += term * term;
            }
            double e = fabs((double)y[t * w->n_row + r] - sum) / sqrt(square);
            if (!(e <= most)) most = e;
        }
    }
    free(row);
    return most;
}

static void exact_products_are_sums_in_f32(void **state)
{
    (void)state;
    for (int i = 0; i < N_TYPE; i++) {
        enum { N = 3, ROWS = 45, COLS = 768 };
        struct weight w = random_weight(every_type[i], ROWS, COLS, 7);
        float *x = random_rows(N, COLS, 99), y[N * ROWS];
        struct bench t = bench_new(cpu_features(), true, 2, N, COLS);
        matmul(t.b, t.pool, &w, x, N, y, t.scratch);
        double e = worst(&w, x, N, y);
        if (!(e < 3e-6)) fail_msg("%s: off by %g", quant_info(w.type)->name, e);
        bench_give(t);
        weight_give(w);
        free(x);
    }
}

static void a_slice_is_its_rows(void **state)
{
    (void)state;
    struct weight w = random_weight(QUANT_Q4_K, 40, 256, 5);
    struct weight s = weight_slice(&w, 7, 20);
    float a[256], b[256];
    weight_row(&w, 9, a);
    weight_row(&s, 2, b);
    assert_int_equal(s.n_row, 20);
    assert_memory_equal(a, b, sizeof a);
    weight_give(w);
}

TEST_GROUP(matmul, cmocka_unit_test(exact_products_are_sums_in_f32),
           cmocka_unit_test(a_slice_is_its_rows))
