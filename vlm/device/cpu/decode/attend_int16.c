/* attend_int16.c - see attend_int16.h. */
#include "vlm/device/cpu/decode/attend_int16.h"

#include "vlm/device/cpu/decode/state.h"

static int n_strip(int n)
{
    return (int)(gemm16_rows(n) / GEMM16_TILE);
}

/* Floats of n strips of n_k numbers. */
static size_t strip_floats(const struct gemm16 *gemm16, int n, int n_k)
{
    return layer_padded((size_t)n * gemm16_strip(gemm16, n_k) / 2);
}

size_t attend_int16_scratch(const struct gemm16 *gemm16, int n_row, int n_dim)
{
    if (!gemm16) return 0;
    return strip_floats(gemm16, n_strip(n_row), n_dim) +
           strip_floats(gemm16, n_strip(LAYER_KEYS), n_dim) +
           strip_floats(gemm16, n_strip(n_row), LAYER_KEYS) +
           strip_floats(gemm16, n_strip(n_dim), LAYER_KEYS);
}

static uint16_t *strips(const struct gemm16 *gemm16, int n, int n_k, float **at)
{
    return (uint16_t *)(void *)layer_alloc(at, strip_floats(gemm16, n, n_k));
}

struct attend_int16 attend_int16_layout(const struct gemm16 *gemm16, int n_row,
                                        int n_dim, float *at)
{
    struct attend_int16 a = {.gemm16 = gemm16, .n_dim = n_dim};
    if (!gemm16) return a;
    a.query = strips(gemm16, n_strip(n_row), n_dim, &at);
    a.key = strips(gemm16, n_strip(LAYER_KEYS), n_dim, &at);
    a.weight = strips(gemm16, n_strip(n_row), LAYER_KEYS, &at);
    a.value = strips(gemm16, n_strip(n_dim), LAYER_KEYS, &at);
    return a;
}

static void pack_rows(const struct gemm16 *gemm16, const float *x, int n_row,
                      int n_k, uint16_t *out)
{
    for (int r = 0; r < n_row;
         r += GEMM16_TILE, out += gemm16_strip(gemm16, n_k))
        gemm16->pack_rows(x + r * n_k, (size_t)n_k,
                          n_row - r < GEMM16_TILE ? n_row - r : GEMM16_TILE,
                          n_k, out);
}

void attend_int16_set_queries(const struct attend_int16 *a, int n_row,
                              const float *q)
{
    pack_rows(a->gemm16, q, n_row, a->n_dim, a->query);
}

void attend_int16_score(const struct attend_int16 *a, int n_row,
                        const float *keys, float *score)
{
    size_t step = gemm16_strip(a->gemm16, a->n_dim);
    for (int at = 0; at < LAYER_KEYS; at += GEMM16_TILE)
        a->gemm16->pack_k(
            keys + at / STATE_KEYS * STATE_KEYS * a->n_dim + at % STATE_KEYS,
            STATE_KEYS, a->n_dim, a->key + (size_t)(at / GEMM16_TILE) * step);
    a->gemm16->mul(&(struct gemm16_product){.n_row = n_strip(n_row),
                                            .n_column = n_strip(LAYER_KEYS),
                                            .n_k = a->n_dim / GEMM16_K,
                                            .a = a->query,
                                            .b = a->key,
                                            .a_step = step,
                                            .b_step = step,
                                            .c = score,
                                            .c_stride = LAYER_KEYS});
}

void attend_int16_add_values(const struct attend_int16 *a, int n_row,
                             const float *weight, const float *values,
                             float *out)
{
    size_t step = gemm16_strip(a->gemm16, LAYER_KEYS);
    pack_rows(a->gemm16, weight, n_row, LAYER_KEYS, a->weight);
    for (int d = 0; d < a->n_dim; d += GEMM16_TILE)
        a->gemm16->pack_k(values + d, (size_t)a->n_dim, LAYER_KEYS,
                          a->value + (size_t)(d / GEMM16_TILE) * step);
    a->gemm16->mul(&(struct gemm16_product){.n_row = n_strip(n_row),
                                            .n_column = n_strip(a->n_dim),
                                            .n_k = LAYER_KEYS / GEMM16_K,
                                            .a = a->weight,
                                            .b = a->value,
                                            .a_step = step,
                                            .b_step = step,
                                            .c = out,
                                            .c_stride = (size_t)a->n_dim,
                                            .add = true});
}
