/* deltanet.c - Gated DeltaNet (MODEL.md, "The gated delta rule").
 *
 * A head's memory is a matrix S that maps a key to a value. A token computes
 * S's value for its key, and adds only the difference to its own value: the
 * delta. So a repeated key corrects the stored value instead of being added to
 * it. e^g <= 1 makes old values decay; beta in (0, 1) is the share of the
 * difference that is written.
 *
 * Example, sizes of 2, without decay, from S = 0:
 *   token 1  k = (1, 0), v = (4, 2), beta = 1.  S gives (0, 0); written is
 *            n1 = (4, 2):                       S = [4 2 | 0 0]
 *   token 2  k = (0.6, 0.8), v = (5, 5), beta = 0.5.  S gives 0.6 (4, 2) =
 *            (2.4, 1.2); written is n2 = 0.5 (5 - 2.4, 5 - 1.2) = (1.3, 1.9):
 *                                               S = [4.78 3.14 | 1.04 1.52]
 *
 * That is the step form: two passes over S for every token, fine for an answer.
 * A prompt would spend its time moving S, so the chunk form takes 32 tokens at
 * once and computes what all of them write, N, before S is changed. Each token
 * must omit what earlier tokens of the chunk wrote under similar keys: A_ij =
 * beta_i k_i.k_j D_ij below the diagonal. In the example A_21 = 0.5 * 0.6 =
 * 0.3; R, what each would write from S alone, is (4, 2) and (2.5, 2.5); (I + A)
 * N = R gives n1 = (4, 2) and n2 = (2.5, 2.5) - 0.3 (4, 2) = (1.3, 1.9), as
 * above. All of it is products of small matrices, and S is read and written
 * once per chunk. (The papers solve two triangular systems, U and W, and N = U
 * - W S; solving for N at once saves one.)
 *
 * Heads are independent and run on the pool. Both forms keep the same state but
 * differ in the last bits, so the form used for a token must not depend on the
 * other runs: chunks start where a run starts, and ends of up to DECODER_STEPS
 * tokens are processed step by step.
 */
#include <math.h>
#include <string.h>

#include "vlm/device/cpu/decode/layer.h"
#include "vlm/device/cpu/decode/state.h"

enum { SOLVE_ROWS = 8 }; /* rows per block of the triangular system */

static const float L2_EPS = 1e-6f;

struct delta_pass {
    const struct decoder *d;
    const struct decoder_batch *b;
    const struct gdn_weights *w;
    int layer;
    float *raw;          /* [n, conv_width] before the convolution */
    float *qkv;          /* [n, conv_width] after it; q, k normed */
    float *z;            /* [n, V] gate */
    float *o;            /* [n, V] result */
    float *alpha, *beta; /* [n, n_gdn_v]: become g and beta */
};

size_t deltanet_work(const struct shape *s, int n)
{
    size_t rows = (size_t)n;
    return 2 * layer_padded(rows * (size_t)s->conv_width) +
           2 * layer_padded(rows * (size_t)s->gdn_v_width) +
           2 * layer_padded(rows * (size_t)s->n_gdn_v);
}

size_t deltanet_thread(const struct shape *s)
{
    size_t d = (size_t)s->gdn_dim, c = DECODER_CHUNK;
    return 6 * layer_padded(d * c) + 3 * layer_padded(c * c) +
           3 * layer_padded(c);
}

/* Convolution over the current and earlier raw rows, then q and k to length one
 * (q also scaled), then decay and rate of every value head. */
static void prepare_row(const struct delta_pass *m,
                        const struct decoder_run *run, int i)
{
    const struct shape *s = m->d->shape;
    const struct vector_ops *l = m->d->ops;
    size_t row = (size_t)(run->first + i), wide = (size_t)s->conv_width;
    const float *tap[16];
    for (int j = 0; j < s->conv_kernel; j++) {
        int back = s->conv_kernel - 1 - j;
        tap[j] = back <= i ? m->raw + (row - (size_t)back) * wide
                           : state_conv(run->state, m->layer,
                                        run->state->n_past + i - back);
    }
    float *out = m->qkv + row * wide;
    l->conv_silu(out, tap, m->d->conv[m->layer], s->conv_kernel, s->conv_width);
    for (int h = 0; h < 2 * s->n_gdn_k; h++) {
        float *x = out + h * s->gdn_dim;
        float scale = 1 / sqrtf(l->sum_squares(x, s->gdn_dim) + L2_EPS);
        if (h < s->n_gdn_k) scale /= sqrtf((float)s->gdn_dim);
        l->scale(x, x, scale, s->gdn_dim);
    }
    for (int h = 0; h < s->n_gdn_v; h++) {
        size_t at = row * (size_t)s->n_gdn_v + (size_t)h;
        float a = m->alpha[at] + m->w->dt_bias[h];
        float softplus = a > 20 ? a : log1pf(expf(a));
        m->alpha[at] = m->w->a[h] * softplus;
        m->beta[at] = 1 / (1 + expf(-m->beta[at]));
    }
}

static void prepare(void *arg, int first, int last, int thread)
{
    const struct delta_pass *m = arg;
    (void)thread;
    for (int r = 0; r < m->b->n_run; r++) {
        const struct decoder_run *run = &m->b->run[r];
        for (int i = 0; i < run->n; i++)
            if (run->first + i >= first && run->first + i < last)
                prepare_row(m, run, i);
    }
}

/* Stores the last raw rows for the next run. */
static void store_tail(const struct delta_pass *m)
{
    const struct shape *s = m->d->shape;
    int rows = s->conv_kernel - 1;
    size_t wide = (size_t)s->conv_width;
    for (int r = 0; r < m->b->n_run; r++) {
        const struct decoder_run *run = &m->b->run[r];
        for (int i = run->n > rows ? run->n - rows : 0; i < run->n; i++)
            memcpy(state_conv(run->state, m->layer, run->state->n_past + i),
                   m->raw + (size_t)(run->first + i) * wide,
                   wide * sizeof(float));
    }
}

/* One value head of one chunk: pointers to its first row, strides in floats.
 * Rows of q and k are whole pages apart and would conflict in the first-level
 * cache, so the chunk form works on copies. */
struct chunk {
    const float *q, *k, *v; /* stride conv_width */
    const float *g, *beta;  /* stride n_gdn_v */
    float *s;               /* [dim, dim] */
    int n;
};

struct chunk_scratch {        /* a thread's scratch */
    float *q, *k, *o;         /* [n, dim] */
    float *kt;                /* [dim, n] keys by dimension */
    float *a, *p;             /* [n, n] both triangular systems */
    float *e;                 /* [n, n] e^(G_i - G_j), j <= i */
    float *rest;              /* [n, dim] R, then N */
    float *fade;              /* [dim, n] keys faded to the chunk's end */
    float *sum, *grow, *last; /* [n] G, e^G, e^(G_last - G) */
};

static struct chunk_scratch chunk_scratch_at(const struct decoder *d,
                                             int thread)
{
    float *at = d->thread + (size_t)thread * d->thread_floats;
    size_t dim = (size_t)d->shape->gdn_dim, c = DECODER_CHUNK;
    struct chunk_scratch r;
    r.q = layer_alloc(&at, dim * c);
    r.k = layer_alloc(&at, dim * c);
    r.o = layer_alloc(&at, dim * c);
    r.kt = layer_alloc(&at, dim * c);
    r.rest = layer_alloc(&at, dim * c);
    r.fade = layer_alloc(&at, dim * c);
    r.a = layer_alloc(&at, c * c);
    r.p = layer_alloc(&at, c * c);
    r.e = layer_alloc(&at, c * c);
    r.sum = layer_alloc(&at, c);
    r.grow = layer_alloc(&at, c);
    r.last = layer_alloc(&at, c);
    return r;
}

/* Sums of g inside the chunk, and their exponentials: only of differences that
 * are not positive, so nothing overflows. */
static void fill_decay(const struct vector_ops *l, const struct chunk *c,
                       int stride, const struct chunk_scratch *r)
{
    int n = c->n;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += c->g[i * stride];
        r->sum[i] = -sum;
        r->grow[i] = sum;
    }
    l->exp_shift(r->grow, n, 0);
    for (int i = 0; i < n; i++) {
        memcpy(r->e + i * n, r->sum, (size_t)n * sizeof(float));
        l->exp_shift(r->e + i * n, i + 1, r->sum[i]);
    }
    memcpy(r->last, r->e + (n - 1) * n, (size_t)n * sizeof(float));
}

/* rest = N, in place of R: forward substitution, blocks of rows by products
 * with the rows before them. `a` holds -A. */
static void solve_rest(const struct vector_ops *l,
                       const struct chunk_scratch *r, int n, int dim)
{
    for (int at = 0; at < n; at += SOLVE_ROWS) {
        int m = n - at < SOLVE_ROWS ? n - at : SOLVE_ROWS;
        if (at)
            l->gemm(m, dim, at, r->a + at * n, n, r->rest, dim,
                    r->rest + at * dim, dim, true);
        for (int i = at + 1; i < at + m; i++)
            for (int j = at; j < i; j++)
                l->axpy(r->rest + i * dim, r->rest + j * dim, r->a[i * n + j],
                        dim);
    }
}

static void chunk_apply(const struct decoder *d, const struct chunk *c,
                        const struct chunk_scratch *r)
{
    const struct shape *s = d->shape;
    const struct vector_ops *l = d->ops;
    int n = c->n, dim = s->gdn_dim, wide = s->conv_width;
    int heads = s->n_gdn_v;
    fill_decay(l, c, heads, r);
    for (int i = 0; i < n; i++) {
        memcpy(r->q + i * dim, c->q + i * wide, (size_t)dim * sizeof(float));
        memcpy(r->k + i * dim, c->k + i * wide, (size_t)dim * sizeof(float));
        for (int j = 0; j < dim; j++)
            r->kt[j * n + i] = r->k[i * dim + j];
    }

    /* -A below the diagonal, P on and below it */
    l->gemm(n, n, dim, r->k, dim, r->kt, n, r->a, n, false);
    l->gemm(n, n, dim, r->q, dim, r->kt, n, r->p, n, false);
    for (int i = 0; i < n; i++) {
        float beta = c->beta[i * heads];
        for (int j = 0; j < n; j++) {
            r->a[i * n + j] *= j < i ? -beta * r->e[i * n + j] : 0;
            r->p[i * n + j] = j <= i ? r->p[i * n + j] * r->e[i * n + j] : 0;
        }
    }
    /* R = beta (v - e^G K S), then N */
    l->gemm(n, dim, dim, r->k, dim, c->s, dim, r->rest, dim, false);
    for (int i = 0; i < n; i++) {
        float *x = r->rest + i * dim, beta = c->beta[i * heads];
        l->scale(x, x, -beta * r->grow[i], dim);
        l->axpy(x, c->v + i * wide, beta, dim);
    }
    solve_rest(l, r, n, dim);
    /* O = e^G Q S + P N */
    l->gemm(n, dim, dim, r->q, dim, c->s, dim, r->o, dim, false);
    for (int i = 0; i < n; i++)
        l->scale(r->o + i * dim, r->o + i * dim, r->grow[i], dim);
    l->gemm(n, dim, n, r->p, n, r->rest, dim, r->o, dim, true);
    /* S = e^(G_last) S + (e^(G_last - G) K)' N */
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < n; i++)
            r->fade[j * n + i] = r->kt[j * n + i] * r->last[i];
    l->scale(c->s, c->s, r->grow[n - 1], dim * dim);
    l->gemm(dim, dim, n, r->fade, n, r->rest, dim, c->s, dim, true);
}

static void steps_apply(const struct decoder *d, const struct chunk *c,
                        const struct chunk_scratch *r)
{
    const struct shape *s = d->shape;
    for (int i = 0; i < c->n; i++)
        d->ops->delta_step(c->s, c->q + i * s->conv_width,
                           c->k + i * s->conv_width, c->v + i * s->conv_width,
                           expf(c->g[i * s->n_gdn_v]), c->beta[i * s->n_gdn_v],
                           s->gdn_dim, s->gdn_dim, r->rest,
                           r->o + i * s->gdn_dim);
}

/* Norm first, then the gate: y = w o rms(o) silu(z), for rows of a chunk. */
static void gate_rows(const struct delta_pass *m, size_t row, int n, int head,
                      const float *o)
{
    const struct shape *s = m->d->shape;
    const struct vector_ops *l = m->d->ops;
    int dim = s->gdn_dim;
    for (int i = 0; i < n; i++, o += dim) {
        size_t at = (row + (size_t)i) * (size_t)s->gdn_v_width +
                    (size_t)head * (size_t)dim;
        float ms = l->sum_squares(o, dim) / (float)dim;
        l->scale_mul(m->o + at, o, m->w->norm, 1 / sqrtf(ms + s->norm_eps),
                     dim);
        l->silu_mul(m->o + at, m->z + at, m->o + at, dim);
    }
}

static void run_head(const struct delta_pass *m, const struct decoder_run *run,
                     int head, int thread)
{
    const struct shape *s = m->d->shape;
    size_t dim = (size_t)s->gdn_dim, wide = (size_t)s->conv_width;
    size_t key = (size_t)(head % s->n_gdn_k) * dim, value = (size_t)head * dim;
    struct chunk_scratch r = chunk_scratch_at(m->d, thread);
    struct chunk c = {.s = state_delta(run->state, m->layer) + value * dim};
    for (int at = 0; at < run->n; at += c.n) {
        size_t row = (size_t)(run->first + at);
        int left = run->n - at;
        c.q = m->qkv + row * wide + key;
        c.k = c.q + s->gdn_k_width;
        c.v = m->qkv + row * wide + 2 * (size_t)s->gdn_k_width + value;
        c.g = m->alpha + row * (size_t)s->n_gdn_v + head;
        c.beta = m->beta + row * (size_t)s->n_gdn_v + head;
        c.n = left < DECODER_CHUNK ? left : DECODER_CHUNK;
        if (c.n <= DECODER_STEPS)
            steps_apply(m->d, &c, &r);
        else
            chunk_apply(m->d, &c, &r);
        gate_rows(m, row, c.n, head, r.o);
    }
}

/* Tasks are (run, value head), numbered in that order. */
static void run_heads(void *arg, int first, int last, int thread)
{
    const struct delta_pass *m = arg;
    int heads = m->d->shape->n_gdn_v;
    for (int i = first; i < last; i++)
        run_head(m, &m->b->run[i / heads], i % heads, thread);
}

void deltanet_mix(struct decoder *d, const struct decoder_batch *b, int layer,
                  float *h)
{
    const struct shape *s = d->shape;
    const struct gdn_weights *w = &d->w->layer[layer].gdn;
    size_t rows = (size_t)b->n;
    float *at = d->work;
    struct delta_pass m = {.d = d, .b = b, .w = w, .layer = layer};
    m.raw = layer_alloc(&at, rows * (size_t)s->conv_width);
    m.qkv = layer_alloc(&at, rows * (size_t)s->conv_width);
    m.z = layer_alloc(&at, rows * (size_t)s->gdn_v_width);
    m.o = layer_alloc(&at, rows * (size_t)s->gdn_v_width);
    m.alpha = layer_alloc(&at, rows * (size_t)s->n_gdn_v);
    m.beta = layer_alloc(&at, rows * (size_t)s->n_gdn_v);

    const struct weight *const in[] = {&w->qkv, &w->z, &w->alpha, &w->beta};
    float *const out[] = {m.raw, m.z, m.alpha, m.beta};
    matmul_many(d->products, d->pool, in, 4, h, b->n, out, d->scratch);
    pool_run(d->pool, b->n, 4, prepare, &m);
    store_tail(&m);
    pool_run(d->pool, b->n_run * s->n_gdn_v, 1, run_heads, &m);
    matmul(d->products, d->pool, &w->out, m.o, b->n, h, d->scratch);
}
