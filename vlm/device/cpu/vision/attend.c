/* attend.c - see attend.h. */
#include "vlm/device/cpu/vision/attend.h"

#include <math.h>

enum { VECTOR_MAX = 16 };

int attend_padded(int n_dim)
{
    return (n_dim + VECTOR_MAX - 1) / VECTOR_MAX * VECTOR_MAX;
}

static size_t n_tile(const struct attend *a)
{
    return ((size_t)a->n + ATTEND_KEYS - 1) / ATTEND_KEYS;
}

size_t attend_k_size(const struct attend *a)
{
    return (size_t)a->n_head * n_tile(a) * ATTEND_KEYS * (size_t)a->n_dim;
}

size_t attend_v_size(const struct attend *a)
{
    return (size_t)a->n_head * (size_t)a->n * (size_t)a->n_dim_padded;
}

float *attend_key(const struct attend *a, int head, int i)
{
    size_t tile = (size_t)head * n_tile(a) + (size_t)i / ATTEND_KEYS;
    return a->k + tile * ATTEND_KEYS * (size_t)a->n_dim +
           (size_t)i % ATTEND_KEYS;
}

float *attend_value(const struct attend *a, int head, int i)
{
    return a->v +
           ((size_t)head * (size_t)a->n + (size_t)i) * (size_t)a->n_dim_padded;
}

/* One thread's tiles. */
struct patch_tile {
    float *score;      /* [ATTEND_QUERIES, ATTEND_KEYS] */
    float *out;        /* [ATTEND_QUERIES, n_dim_padded] */
    float *most, *sum; /* [ATTEND_QUERIES]: running maximum and sum */
};

size_t attend_scratch_size(const struct attend *a)
{
    return (size_t)ATTEND_QUERIES *
           (ATTEND_KEYS + (size_t)a->n_dim_padded + 2 + VECTOR_MAX);
}

static struct patch_tile tile_of(const struct attend *a, float *scratch,
                                 int thread)
{
    float *p = scratch + (size_t)thread * attend_scratch_size(a);
    struct patch_tile t = {.score = p};
    t.out = t.score + (size_t)ATTEND_QUERIES * ATTEND_KEYS;
    t.most = t.out + (size_t)ATTEND_QUERIES * (size_t)a->n_dim_padded;
    t.sum = t.most + ATTEND_QUERIES;
    return t;
}

/* Scores become weights relative to the running maximum; earlier sums are
 * scaled down when that maximum grows. */
static void softmax_tile(const struct attend *a, const struct vector_ops *ops,
                         struct patch_tile *t, int n_query, int n_key,
                         bool first)
{
    for (int i = 0; i < n_query; i++) {
        float *s = t->score + (size_t)i * ATTEND_KEYS;
        float most = ops->max(s, n_key);
        if (first) {
            t->sum[i] = 0;
        } else if (most > t->most[i]) {
            float shrink = expf(t->most[i] - most);
            float *o = t->out + (size_t)i * (size_t)a->n_dim_padded;
            t->sum[i] *= shrink;
            ops->scale(o, o, shrink, a->n_dim_padded);
        } else {
            most = t->most[i];
        }
        t->most[i] = most;
        t->sum[i] += ops->exp_shift(s, n_key, most);
    }
}

static void one_tile(const struct attend *a, const struct vector_ops *ops,
                     struct patch_tile *t, int head, int from)
{
    int width = a->n_head * a->n_dim;
    int n_query = a->n - from < ATTEND_QUERIES ? a->n - from : ATTEND_QUERIES;
    float *q = a->q + (size_t)from * (size_t)width + head * a->n_dim;
    for (int key = 0; key < a->n; key += ATTEND_KEYS) {
        int n_key = a->n - key < ATTEND_KEYS ? a->n - key : ATTEND_KEYS;
        ops->gemm(n_query, n_key, a->n_dim, q, width, attend_key(a, head, key),
                  ATTEND_KEYS, t->score, ATTEND_KEYS, false);
        softmax_tile(a, ops, t, n_query, n_key, key == 0);
        ops->gemm(n_query, a->n_dim_padded, n_key, t->score, ATTEND_KEYS,
                  attend_value(a, head, key), a->n_dim_padded, t->out,
                  a->n_dim_padded, key > 0);
    }
    for (int i = 0; i < n_query; i++)
        ops->scale(q + (size_t)i * (size_t)width,
                   t->out + (size_t)i * (size_t)a->n_dim_padded, 1 / t->sum[i],
                   a->n_dim);
}

struct attend_job {
    const struct attend *a;
    const struct vector_ops *ops;
    float *scratch;
    int n_query_tile;
};

static void run(void *arg, int first, int last, int thread)
{
    const struct attend_job *j = arg;
    struct patch_tile t = tile_of(j->a, j->scratch, thread);
    for (int i = first; i < last; i++)
        one_tile(j->a, j->ops, &t, i / j->n_query_tile,
                 i % j->n_query_tile * ATTEND_QUERIES);
}

void attend_run(const struct attend *a, const struct vector_ops *ops,
                struct pool *pool, float *scratch)
{
    struct attend_job j = {.a = a, .ops = ops, .scratch = scratch};
    j.n_query_tile = (a->n + ATTEND_QUERIES - 1) / ATTEND_QUERIES;
    pool_run(pool, a->n_head * j.n_query_tile, 1, run, &j);
}
