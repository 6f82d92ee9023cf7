/* matmul.c - see matmul.h. */
#include "vlm/tensor/matmul.h"

#include <assert.h>

#include "vlm/base/arena.h"

enum { CHUNK = 256 };

struct tensor_backend {
    struct tensor_options options;
};

struct tensor_backend *tensor_backend_new(const struct tensor_options *o)
{
    struct tensor_backend *b = mem_take(1, sizeof *b);
    b->options = *o;
    return b;
}

void tensor_backend_free(struct tensor_backend *b)
{
    mem_give(b);
}

size_t matmul_scratch_bytes(const struct tensor_backend *b, int n, int n_col)
{
    (void)b;
    return (size_t)n * (size_t)n_col;
}

struct job {
    const struct weight *w;
    const int32_t *row; /* NULL: all rows in order */
    const float *x;
    float *y;
    int n, y_stride;
};

static const uint8_t *row_at(const struct weight *w, int row)
{
    return (const uint8_t *)w->raw +
           (size_t)row * quant_row_bytes(w->type, w->n_col);
}

static void run_rows(void *arg, int first, int last, int thread)
{
    const struct job *j = arg;
    const struct weight *w = j->w;
    (void)thread;
    for (int r = first; r < last; r++) {
        const uint8_t *row = row_at(w, j->row ? j->row[r] : r);
        for (int t = 0; t < j->n; t++)
            j->y[(size_t)t * (size_t)j->y_stride + (size_t)r] = 0.0f;
        for (int k = 0; k < w->n_col; k += CHUNK) {
            float value[CHUNK];
            int n_k = w->n_col - k < CHUNK ? w->n_col - k : CHUNK;
            quant_decode(w->type, row + quant_row_bytes(w->type, k), n_k,
                         value);
            for (int t = 0; t < j->n; t++) {
                const float *x = j->x + (size_t)t * (size_t)w->n_col + k;
                float sum = 0.0f;
                for (int i = 0; i < n_k; i++)
                    sum += value[i] * x[i];
                j->y[(size_t)t * (size_t)j->y_stride + (size_t)r] +=
                    sum * w->scale;
            }
        }
    }
}

void matmul(const struct tensor_backend *b, struct pool *pool,
            const struct weight *w, const float *x, int n, float *y,
            void *scratch)
{
    matmul_many(b, pool, &w, 1, x, n, &y, scratch);
}

void matmul_many(const struct tensor_backend *b, struct pool *pool,
                 const struct weight *const *w, int n_weight, const float *x,
                 int n, float *const *y, void *scratch)
{
    (void)b, (void)scratch;
    for (int i = 0; i < n_weight; i++) {
        assert(w[i]->n_col == w[0]->n_col);
        struct job job = {
            .w = w[i], .x = x, .y = y[i], .n = n, .y_stride = w[i]->n_row};
        pool_run(pool, w[i]->n_row, 32, run_rows, &job);
    }
}

void matmul_rows(const struct tensor_backend *b, struct pool *pool,
                 const struct weight *w, const int32_t *row, int n_pick,
                 const float *x, int n, float *y, void *scratch)
{
    (void)b, (void)scratch;
    struct job job = {
        .w = w, .row = row, .x = x, .y = y, .n = n, .y_stride = n_pick};
    pool_run(pool, n_pick, 32, run_rows, &job);
}

struct weight weight_slice(const struct weight *w, int first, int n_row)
{
    assert(first >= 0 && n_row >= 0 && first + n_row <= w->n_row);
    struct weight s = *w;
    s.raw = row_at(w, first);
    s.n_row = n_row;
    return s;
}

void weight_row(const struct weight *w, int row, float *out)
{
    assert(row >= 0 && row < w->n_row);
    quant_decode(w->type, row_at(w, row), w->n_col, out);
    if (w->scale == 1.0f) return;
    for (int i = 0; i < w->n_col; i++)
        out[i] *= w->scale;
}
