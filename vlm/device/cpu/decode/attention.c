/* attention.c - gated full attention (MODEL.md, "Gated attention").
 *
 * Query heads that share a key head are processed together, LAYER_QUERY_ROWS
 * rows or more at a time, against tiles of LAYER_KEYS keys that start at
 * multiples of that number; the softmax is carried from tile to tile (running
 * maximum and sum), so there is never a full score matrix. A row sees the same
 * tiles in the same order whether it is alone or in a prompt. Where a prompt's
 * token sees a whole tile, the tile is multiplied in int16 (attend_int16.h) if
 * the CPU supports it and keys are not stored in F32; otherwise in F32. A query
 * tile never spans two tiles of keys, so it uses one or the other.
 *
 * Example: 16 query heads on 4 key heads, 96 tokens after 200 evaluated ones. A
 * task is a key head and up to 64 tokens: those at 200 to 255, then 256 to 295;
 * row r is token r / 4 and the r % 4-th of the key head's query heads. The
 * first 224 rows see keys 0 to 255: tiles 0, 64, 128 whole, in int16, and 192
 * to 255, where the row of token 220 uses the first 29 keys (192 to 220) and
 * zeroes the rest. A tile costs two products, scores [224, 64] and weights
 * times values [224, head size].
 *
 * The running softmax, for one row with scores (1, 3 | 5): after the first tile
 * the maximum is 3, the sum e^-2 + 1 and o the values weighted so. The second
 * tile has 5, so sum and o are scaled by e^(3 - 5), then the new key is added
 * with weight 1: the same as the softmax over all three, without storing the
 * scores.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "vlm/device/cpu/decode/attend_int16.h"
#include "vlm/device/cpu/decode/layer.h"
#include "vlm/device/cpu/decode/state.h"
#include "vlm/device/device.h"

/* Shared by all tasks of one layer. */
struct attention_pass {
    const struct decoder *d;
    const struct decoder_batch *b;
    const struct attention_weights *w;
    int layer, group; /* query heads of a key head */
    int tile;         /* tokens per query tile */
    float *q;         /* [n, n_head, 2, n_embd_head]: query, gate; NULL: store
                       * keys and values only */
    float *k, *v;     /* [n, n_head_kv, n_embd_head] */
    float *o;         /* [n, n_head, n_embd_head] */
};

size_t attention_work(const struct shape *s, int n)
{
    size_t rows = (size_t)n, d = (size_t)s->n_embd_head;
    size_t q = rows * (size_t)s->n_head * d,
           k = rows * (size_t)s->n_head_kv * d;
    return layer_padded(2 * q) + 2 * layer_padded(k) + layer_padded(q);
}

/* Tokens per query tile: many, so that keys are unpacked for many rows, but a
 * few tiles per thread. A tile starts at a multiple of this number, which
 * divides LAYER_KEYS: all of its tokens are in the same tile of keys. */
static int tile_tokens(const struct decoder *d)
{
    const struct shape *s = d->shape;
    int group = s->n_head / s->n_head_kv, n = 1;
    for (int two = 2; two <= LAYER_KEYS; n = two, two *= 2) {
        int tasks = s->n_head_kv * (d->n_ubatch / two);
        int most = tasks >= 4 * pool_size(d->pool) ? LAYER_QUERY_MOST
                                                   : LAYER_QUERY_ROWS;
        if (two * group > most) break;
    }
    return n;
}

static int tile_rows(const struct decoder *d)
{
    return tile_tokens(d) * (d->shape->n_head / d->shape->n_head_kv);
}

size_t attention_thread(const struct decoder *dec)
{
    size_t rows = gemm16_rows(tile_rows(dec));
    size_t d = (size_t)dec->shape->n_embd_head;
    return 2 * layer_padded(rows * d) + layer_padded(rows * LAYER_KEYS) +
           2 * layer_padded(d * LAYER_KEYS) + 2 * layer_padded(rows) +
           attend_int16_scratch(dec->gemm_int16, (int)rows, (int)d);
}

/* Norms, rotates and scales the queries. */
static void prepare_queries(const struct attention_pass *m, int row)
{
    const struct decoder *d = m->d;
    const struct shape *s = d->shape;
    int dim = s->n_embd_head, half = d->rope.n_pair;
    const float *cos = d->cos + row * half, *sin = d->sin + row * half;
    float scale = 1 / sqrtf((float)dim);
    for (int h = 0; h < s->n_head; h++) {
        float *q = m->q + ((size_t)row * (size_t)s->n_head + (size_t)h) * 2 *
                              (size_t)dim;
        float ms = d->ops->sum_squares(q, dim) / (float)dim;
        d->ops->scale_mul(q, q, m->w->q_norm, 1 / sqrtf(ms + s->norm_eps), dim);
        rope_turn(q, cos, sin, half);
        d->ops->scale(q, q, scale, dim);
    }
}

/* Norms and rotates the keys; stores keys and values in the state. */
static void store_keys(const struct attention_pass *m, struct state *state,
                       int row, int at)
{
    const struct decoder *d = m->d;
    const struct shape *s = d->shape;
    int dim = s->n_embd_head, half = d->rope.n_pair;
    const float *cos = d->cos + row * half, *sin = d->sin + row * half;
    for (int h = 0; h < s->n_head_kv; h++) {
        size_t i =
            ((size_t)row * (size_t)s->n_head_kv + (size_t)h) * (size_t)dim;
        float *k = m->k + i;
        float ms = d->ops->sum_squares(k, dim) / (float)dim;
        d->ops->scale_mul(k, k, m->w->k_norm, 1 / sqrtf(ms + s->norm_eps), dim);
        rope_turn(k, cos, sin, half);
        state_store(state, d->ops, m->layer, h, at, k, m->v + i);
    }
}

static void prepare(void *arg, int first, int last, int thread)
{
    const struct attention_pass *m = arg;
    (void)thread;
    for (int r = 0; r < m->b->n_run; r++) {
        const struct decoder_run *run = &m->b->run[r];
        for (int i = 0; i < run->n; i++) {
            int row = run->first + i;
            if (row < first || row >= last) continue;
            if (m->q) prepare_queries(m, row);
            store_keys(m, run->state, row, run->state->n_past + i);
        }
    }
}

/* One tile's scratch: rows are (token, query head) of one key head. */
struct query_tile {
    float *q, *o;      /* [rows, dim] */
    float *p;          /* [rows, LAYER_KEYS] scores, then weights */
    float *keys;       /* [dim, STATE_KEYS] per block */
    float *values;     /* [LAYER_KEYS, dim] */
    float *best, *sum; /* [rows] running maximum and sum */
    struct attend_int16 int16;
    int rows;
    const struct decoder_run *run;
    int first, head_kv; /* the run's token of row 0; the key head */
};

/* ---- tiles ---------------------------------------------------------------- */

/* Format of a tile of keys: int16; F32, unpacked first; or, for few rows, F16
 * in place, since unpacking would cost as much as the products. */
enum tile_format { TILE_INT16, TILE_F32, TILE_F16 };

static enum tile_format format_of(const struct query_tile *t, bool in_int16)
{
    if (in_int16) return TILE_INT16;
    bool small = t->rows <= LAYER_SMALL_BATCH;
    return small && t->run->state->plan->kv == DEVICE_KV_F16 ? TILE_F16
                                                             : TILE_F32;
}

static void unpack_tile(const struct attention_pass *m,
                        const struct query_tile *t, int at, int n)
{
    const struct vector_ops *l = m->d->ops;
    const struct state *state = t->run->state;
    for (int k = 0; k < n; k += STATE_KEYS)
        state_keys(state, l, m->layer, t->head_kv, at + k,
                   t->keys + (size_t)k * (size_t)m->d->shape->n_embd_head);
    state_values(state, l, m->layer, t->head_kv, at, n, t->values);
}

static void score_tile(const struct attention_pass *m,
                       const struct query_tile *t, int at, int n,
                       enum tile_format how)
{
    const struct vector_ops *l = m->d->ops;
    int dim = m->d->shape->n_embd_head;
    if (how == TILE_INT16) {
        attend_int16_score(&t->int16, t->rows, t->keys, t->p);
        return;
    }
    for (int k = 0; k < n; k += STATE_KEYS)
        if (how == TILE_F16)
            l->gemm_f16(
                t->rows, STATE_KEYS, dim, t->q, dim,
                state_keys_f16(t->run->state, m->layer, t->head_kv, at + k),
                STATE_KEYS, t->p + k, LAYER_KEYS, false);
        else
            l->gemm(t->rows, STATE_KEYS, dim, t->q, dim,
                    t->keys + (size_t)k * (size_t)dim, STATE_KEYS, t->p + k,
                    LAYER_KEYS, false);
}

/* Adds the rows' weights of n keys times their values. */
static void add_values(const struct attention_pass *m,
                       const struct query_tile *t, int at, int n,
                       enum tile_format how)
{
    const struct vector_ops *l = m->d->ops;
    int dim = m->d->shape->n_embd_head;
    if (how == TILE_INT16)
        attend_int16_add_values(&t->int16, t->rows, t->p, t->values, t->o);
    else if (how == TILE_F16)
        l->gemm_f16(t->rows, dim, n, t->p, LAYER_KEYS,
                    state_values_f16(t->run->state, m->layer, t->head_kv, at),
                    dim, t->o, dim, true);
    else
        l->gemm(t->rows, dim, n, t->p, LAYER_KEYS, t->values, dim, t->o, dim,
                true);
}

/* Adds keys at .. at + n - 1 to the rows. A row of token t sees keys up to its
 * own position `first_position + t`. */
static void fold_tile(const struct attention_pass *m,
                      const struct query_tile *t, int at, int n,
                      int first_position, enum tile_format how)
{
    const struct vector_ops *l = m->d->ops;
    int dim = m->d->shape->n_embd_head;
    if (how != TILE_F16) unpack_tile(m, t, at, n);
    score_tile(m, t, at, n, how);
    for (int r = 0; r < t->rows; r++) {
        float *p = t->p + r * LAYER_KEYS, *o = t->o + r * dim;
        int seen = first_position + r / m->group - at + 1;
        if (seen > n) seen = n;
        float best = l->max(p, seen);
        if (best > t->best[r]) {
            float fade = expf(t->best[r] - best);
            t->sum[r] *= fade;
            l->scale(o, o, fade, dim);
            t->best[r] = best;
        }
        t->sum[r] += l->exp_shift(p, seen, t->best[r]);
        memset(p + seen, 0, (size_t)(n - seen) * sizeof *p);
    }
    add_values(m, t, at, n, how);
}

static struct query_tile tile_at(const struct attention_pass *m, int thread,
                                 const struct decoder_run *run, int first,
                                 int n_token, int head_kv)
{
    size_t rows = gemm16_rows(tile_rows(m->d));
    size_t dim = (size_t)m->d->shape->n_embd_head;
    float *at = m->d->thread + (size_t)thread * m->d->thread_floats;
    struct query_tile t = {.rows = n_token * m->group,
                           .run = run,
                           .first = first,
                           .head_kv = head_kv};
    t.q = layer_alloc(&at, rows * dim);
    t.o = layer_alloc(&at, rows * dim);
    t.p = layer_alloc(&at, rows * LAYER_KEYS);
    t.keys = layer_alloc(&at, dim * LAYER_KEYS);
    t.values = layer_alloc(&at, dim * LAYER_KEYS);
    t.best = layer_alloc(&at, rows);
    t.sum = layer_alloc(&at, rows);
    t.int16 = attend_int16_layout(m->d->gemm_int16, (int)rows, (int)dim, at);
    return t;
}

/* Tokens of the run that deltanet.c processes in chunks: keys before them are
 * read in int16. Up to DECODER_STEPS follow, for which int16 gains nothing. */
static int n_chunked(const struct decoder_run *run)
{
    int left = run->n % DECODER_CHUNK;
    return left <= DECODER_STEPS ? run->n - left : run->n;
}

static bool is_int16(const struct attention_pass *m,
                     const struct decoder_run *run, int token)
{
    return m->d->gemm_int16 && run->state->plan->kv != DEVICE_KV_F32 &&
           token < n_chunked(run);
}

/* Attention of tokens first .. first + n - 1 of a run, all query heads of key
 * head h. */
static void attend_tokens(const struct attention_pass *m,
                          const struct decoder_run *run, int first, int n,
                          int h, int thread)
{
    const struct shape *s = m->d->shape;
    const struct vector_ops *l = m->d->ops;
    int dim = s->n_embd_head, position = run->state->n_past + first;
    size_t bytes = (size_t)dim * sizeof(float);
    struct query_tile t = tile_at(m, thread, run, first, n, h);
    for (int r = 0; r < t.rows; r++) {
        size_t row = (size_t)(run->first + first + r / m->group);
        size_t head = (size_t)(h * m->group + r % m->group);
        memcpy(t.q + r * dim,
               m->q + (row * (size_t)s->n_head + head) * 2 * (size_t)dim,
               bytes);
        memset(t.o + r * dim, 0, bytes);
        t.best[r] = -INFINITY;
        t.sum[r] = 0;
    }
    bool int16 = is_int16(m, run, first);
    if (int16) attend_int16_set_queries(&t.int16, t.rows, t.q);
    for (int at = 0; at < position + n; at += LAYER_KEYS) {
        int keys = position + n - at;
        if (keys > LAYER_KEYS) keys = LAYER_KEYS;
        bool whole = at + LAYER_KEYS <= position;
        fold_tile(m, &t, at, keys, position, format_of(&t, int16 && whole));
    }
    for (int r = 0; r < t.rows; r++) {
        size_t row = (size_t)(run->first + first + r / m->group);
        size_t head = (size_t)(h * m->group + r % m->group);
        size_t i = row * (size_t)s->n_head + head;
        float *o = m->o + i * (size_t)dim;
        l->scale(o, t.o + r * dim, 1 / t.sum[r], dim);
        l->sigmoid_mul(o, m->q + (2 * i + 1) * (size_t)dim, dim);
    }
}

/* Number of query tiles of tokens first .. last - 1 of a run. */
static int tiles_of(const struct attention_pass *m,
                    const struct decoder_run *run, int first, int last)
{
    int begun = (run->state->n_past + first) % m->tile;
    return first < last ? (begun + last - first + m->tile - 1) / m->tile : 0;
}

static int n_tile(const struct attention_pass *m, const struct decoder_run *run)
{
    int chunked = n_chunked(run);
    return tiles_of(m, run, 0, chunked) + tiles_of(m, run, chunked, run->n);
}

/* The i-th query tile of a run, of key head h. */
static void attend_tile(const struct attention_pass *m,
                        const struct decoder_run *run, int i, int h, int thread)
{
    int chunked = n_chunked(run), n = tiles_of(m, run, 0, chunked);
    int begin = i < n ? 0 : chunked, end = i < n ? chunked : run->n;
    int at = begin + (i < n ? i : i - n) * m->tile -
             (run->state->n_past + begin) % m->tile;
    int last = at + m->tile < end ? at + m->tile : end;
    if (at < begin) at = begin;
    attend_tokens(m, run, at, last - at, h, thread);
}

/* Tasks are (run, tile, key head), numbered in that order. */
static void attend_tasks(void *arg, int first, int last, int thread)
{
    const struct attention_pass *m = arg;
    int n_head = m->d->shape->n_head_kv, before = 0;
    for (int r = 0; r < m->b->n_run && before < last; r++) {
        const struct decoder_run *run = &m->b->run[r];
        int n = n_tile(m, run) * n_head;
        for (int i = first > before ? first - before : 0;
             i < n && before + i < last; i++)
            attend_tile(m, run, i / n_head, i % n_head, thread);
        before += n;
    }
}

void attention_mix(struct decoder *d, const struct decoder_batch *b, int layer,
                   float *h)
{
    const struct shape *s = d->shape;
    const struct attention_weights *w = &d->w->layer[layer].attention;
    size_t rows = (size_t)b->n, dim = (size_t)s->n_embd_head;
    float *at = d->work;
    struct attention_pass m = {.d = d, .b = b, .w = w, .layer = layer};
    m.group = s->n_head / s->n_head_kv;
    m.tile = tile_tokens(d);
    m.q = layer_alloc(&at, rows * (size_t)s->n_head * 2 * dim);
    m.k = layer_alloc(&at, rows * (size_t)s->n_head_kv * dim);
    m.v = layer_alloc(&at, rows * (size_t)s->n_head_kv * dim);
    m.o = layer_alloc(&at, rows * (size_t)s->n_head * dim);

    const struct weight *const in[] = {&w->q, &w->k, &w->v};
    float *const out[] = {m.q, m.k, m.v};
    matmul_many(d->products, d->pool, in, 3, h, b->n, out, d->scratch);
    pool_run(d->pool, b->n, 4, prepare, &m);
    int n_task = 0;
    for (int r = 0; r < b->n_run; r++)
        n_task += n_tile(&m, &b->run[r]) * s->n_head_kv;
    pool_run(d->pool, n_task, 1, attend_tasks, &m);
    matmul(d->products, d->pool, &w->out, m.o, b->n, h, d->scratch);
}

void attention_store(struct decoder *d, const struct decoder_batch *b,
                     int layer, const float *h)
{
    const struct shape *s = d->shape;
    const struct attention_weights *w = &d->w->layer[layer].attention;
    size_t kv = (size_t)b->n * (size_t)s->n_head_kv * (size_t)s->n_embd_head;
    float *at = d->work;
    struct attention_pass m = {.d = d, .b = b, .w = w, .layer = layer};
    m.k = layer_alloc(&at, kv);
    m.v = layer_alloc(&at, kv);
    const struct weight *const in[] = {&w->k, &w->v};
    float *const out[] = {m.k, m.v};
    matmul_many(d->products, d->pool, in, 2, h, b->n, out, d->scratch);
    pool_run(d->pool, b->n, 4, prepare, &m);
}
