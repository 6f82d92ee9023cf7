/* attend_16bit.c - see attend_16bit.h. */
#include "vlm/device/cpu/vision/attend_16bit.h"

#include <string.h>

enum { QUERIES = ATTEND_UNIT_QUERIES, KEYS = ATTEND_UNIT_KEYS };

/* Numbers of a strip of queries or keys. */
static size_t strip(const struct attend_16bit *a)
{
    return gemm16_strip(a->gemm16, a->n_dim);
}

/* Numbers of a strip of KEYS weights or values. */
static size_t key_strip(const struct attend_16bit *a)
{
    return gemm16_strip(a->gemm16, KEYS);
}

/* Numbers of a block of values, [strip of n_dim][KEYS]. */
static size_t value_block(const struct attend_16bit *a)
{
    return gemm16_rows(a->n_dim) / GEMM16_TILE * key_strip(a);
}

static size_t n_block(const struct attend_16bit *a)
{
    return ((size_t)a->n + KEYS - 1) / KEYS;
}

size_t attend_16bit_q_size(const struct attend_16bit *a)
{
    return (size_t)a->n_head * gemm16_rows(a->n) / GEMM16_TILE * strip(a);
}

size_t attend_16bit_v_size(const struct attend_16bit *a)
{
    return (size_t)a->n_head * n_block(a) * value_block(a);
}

/* ---- storing ---------------------------------------------------------- */

/* Offset of the strip of patch i of a head in q or k. */
static size_t strip_at(const struct attend_16bit *a, int head, int i)
{
    size_t n = gemm16_rows(a->n) / GEMM16_TILE;
    return ((size_t)head * n + (size_t)i / GEMM16_TILE) * strip(a);
}

static void place_values(const struct attend_16bit *a, int head, int i, int n,
                         const float *rows, size_t stride)
{
    uint16_t *to = a->v + ((size_t)head * n_block(a) + (size_t)(i / KEYS)) *
                              value_block(a);
    to += (size_t)(i % KEYS / GEMM16_K) * (size_t)a->gemm16->tile;
    for (int d = 0; d < a->n_dim; d += GEMM16_TILE, to += key_strip(a)) {
        float part[ATTEND_UNIT * GEMM16_TILE] = {0};
        int left = a->n_dim - d;
        if (left >= GEMM16_TILE) {
            a->gemm16->pack_k(rows + d, stride, n, to);
            continue;
        }
        for (int j = 0; j < n; j++)
            memcpy(part + j * GEMM16_TILE, rows + (size_t)j * stride + d,
                   (size_t)left * sizeof *part);
        a->gemm16->pack_k(part, GEMM16_TILE, n, to);
    }
}

void attend_16bit_place(const struct attend_16bit *a, int i, int n,
                        const float *rows, size_t stride)
{
    size_t width = (size_t)(a->n_head * a->n_dim);
    for (int head = 0; head < a->n_head; head++) {
        const float *at = rows + head * a->n_dim;
        for (int j = 0; j < n; j += GEMM16_TILE) {
            int some = n - j < GEMM16_TILE ? n - j : GEMM16_TILE;
            const float *q = at + (size_t)j * stride;
            size_t to = strip_at(a, head, i + j);
            a->gemm16->pack_rows(q, stride, some, a->n_dim, a->q + to);
            a->gemm16->pack_columns(q + width, stride, some, a->n_dim,
                                    a->k + to);
        }
        place_values(a, head, i, n, at + 2 * width, stride);
    }
}

/* ---- attention -------------------------------------------------------- */

/* One thread's block. */
struct attend_block {
    float *score;     /* [QUERIES, KEYS] */
    float *out;       /* [QUERIES, n_dim in whole tiles] */
    float *most;      /* [QUERIES] */
    float *sum;       /* [QUERIES, GEMM16_LANES] */
    uint16_t *weight; /* strips of [KEYS] */
};

size_t attend_16bit_scratch_size(const struct attend_16bit *a)
{
    return QUERIES * (KEYS + gemm16_rows(a->n_dim) + 1 + GEMM16_LANES) +
           QUERIES / GEMM16_TILE * key_strip(a) / 2;
}

static struct attend_block block_of(const struct attend_16bit *a,
                                    float *scratch, int thread)
{
    float *p = scratch + (size_t)thread * attend_16bit_scratch_size(a);
    struct attend_block l = {.score = p};
    l.out = l.score + (size_t)QUERIES * KEYS;
    l.weight = (uint16_t *)(void *)(l.out + QUERIES * gemm16_rows(a->n_dim));
    l.sum = l.out + QUERIES * gemm16_rows(a->n_dim) +
            QUERIES / GEMM16_TILE * key_strip(a) / 2;
    l.most = l.sum + (size_t)QUERIES * GEMM16_LANES;
    return l;
}

/* Scores of n_query strips on n_key keys, softmax, times the values. */
static void attend_keys(const struct attend_16bit *a,
                        const struct attend_block *l, int head, int n_query,
                        const uint16_t *q, int key)
{
    int n_key = a->n - key < KEYS ? a->n - key : KEYS;
    int n_out = (int)gemm16_rows(a->n_dim);
    const struct gemm16 *h = a->gemm16;
    h->mul(&(struct gemm16_product){
        .n_row = n_query,
        .n_column = (int)(gemm16_rows(n_key) / GEMM16_TILE),
        .n_k = (int)(gemm16_columns(a->n_dim) / GEMM16_K),
        .a = q,
        .b = a->k + strip_at(a, head, key),
        .a_step = strip(a),
        .b_step = strip(a),
        .c = l->score,
        .c_stride = KEYS});
    for (int i = 0; i < n_query; i++)
        h->softmax(&(struct gemm16_softmax){
            .score = l->score + i * GEMM16_TILE * KEYS,
            .stride = KEYS,
            .n_row = GEMM16_TILE,
            .n_key = n_key,
            .weight = l->weight + (size_t)i * key_strip(a),
            .most = l->most + i * GEMM16_TILE,
            .sum = l->sum + i * GEMM16_TILE * GEMM16_LANES,
            .out = l->out + i * GEMM16_TILE * n_out,
            .n_out = n_out,
            .first = key == 0});
    h->mul(&(struct gemm16_product){
        .n_row = n_query,
        .n_column = n_out / GEMM16_TILE,
        .n_k = (int)(gemm16_columns(n_key) / GEMM16_K),
        .a = l->weight,
        .b = a->v + ((size_t)head * n_block(a) + (size_t)(key / KEYS)) *
                        value_block(a),
        .a_step = key_strip(a),
        .b_step = key_strip(a),
        .c = l->out,
        .c_stride = (size_t)n_out,
        .add = key > 0});
}

static float sum_of(const float *lane)
{
    float t[GEMM16_LANES];
    memcpy(t, lane, sizeof t);
    for (int w = GEMM16_LANES / 2; w > 0; w /= 2)
        for (int i = 0; i < w; i++)
            t[i] += t[i + w];
    return t[0];
}

static void attend_block(const struct attend_16bit *a,
                         const struct attend_block *l, int head, int from)
{
    int n = a->n - from < QUERIES ? a->n - from : QUERIES;
    int n_query = (int)(gemm16_rows(n) / GEMM16_TILE);
    size_t n_out = gemm16_rows(a->n_dim),
           width = (size_t)(a->n_head * a->n_dim);
    for (int key = 0; key < a->n; key += KEYS)
        attend_keys(a, l, head, n_query, a->q + strip_at(a, head, from), key);
    for (int i = 0; i < n; i++) {
        float scale = 1 / sum_of(l->sum + i * GEMM16_LANES);
        float *to = a->out + (size_t)(from + i) * width + head * a->n_dim;
        for (int d = 0; d < a->n_dim; d++)
            to[d] = l->out[(size_t)i * n_out + (size_t)d] * scale;
    }
}

struct attend_16bit_job {
    const struct attend_16bit *a;
    float *scratch;
    int n_query_block;
};

static void run(void *arg, int first, int last, int thread)
{
    const struct attend_16bit_job *j = arg;
    struct attend_block l = block_of(j->a, j->scratch, thread);
    j->a->gemm16->begin();
    for (int i = first; i < last; i++)
        attend_block(j->a, &l, i / j->n_query_block,
                     i % j->n_query_block * QUERIES);
    j->a->gemm16->end();
}

void attend_16bit_run(const struct attend_16bit *a, struct pool *pool,
                      float *scratch)
{
    struct attend_16bit_job j = {.a = a, .scratch = scratch};
    j.n_query_block = (a->n + QUERIES - 1) / QUERIES;
    pool_run(pool, a->n_head * j.n_query_block, 1, run, &j);
}
