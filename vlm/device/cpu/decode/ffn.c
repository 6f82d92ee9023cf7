/* ffn.c - the feed-forward part: dense, or a mixture of experts (MODEL.md,
 * "Feed-forward").
 *
 * A router scores all experts for a token; the best few process it, and their
 * results are added up, weighted by score. The weights are most of the model
 * and each token needs few of them, so the tokens of a pass are sorted by
 * expert: an expert's weights are read once for all tokens that chose it. As
 * many experts as have ffn_moe_rows rows run together, since threads should wait
 * for each other a few times a layer, not a few times an expert.
 *
 * Example: 4 experts, 2 per token, 5 tokens.
 *     token 0, router after softmax over all:  0.1  0.5  0.1  0.3
 *     it uses experts 1 and 3, with weights 0.5 / 0.8 = 0.625 and 0.375
 *     choices     0: 1 3    1: 1 2    2: 0 1    3: 3 1    4: 2 3
 *     expert 0 gets the rows of token 2; expert 1 those of 0, 1, 2 and 3 in one
 *     product; expert 2 those of 1 and 4; expert 3 those of 0, 3 and 4
 * Experts run in the order of their numbers, so token 3, whose best expert is
 * 3, still adds expert 1 first: the order of a token's sum depends on its own
 * choice only. A product gives a row the same bits in any batch (matmul.h), so
 * a token has the same result alone and in a prompt.
 *
 * The shared expert processes every token and is weighted by its own gate.
 */
#include <math.h>
#include <string.h>

#include "vlm/device/cpu/decode/layer.h"

/* --- ffn ------------------------------------------------------------------- */

/* Dense feed-forward part: down(silu(gate a) * up a). */

size_t ffn_work(const struct shape *s, int n)
{
    return 2 * layer_padded((size_t)n * (size_t)s->n_ff);
}

struct activation {
    const struct vector_ops *ops;
    float *gate, *up;
    int n_ff;
};

static void activate(void *arg, int first, int last, int thread)
{
    const struct activation *a = arg;
    (void)thread;
    for (int i = first; i < last; i++) {
        float *gate = a->gate + (size_t)i * (size_t)a->n_ff;
        a->ops->silu_mul(gate, gate, a->up + (size_t)i * (size_t)a->n_ff,
                         a->n_ff);
    }
}

void ffn_apply(struct decoder *d, const struct layer *w, int n, float *h)
{
    size_t size = (size_t)n * (size_t)d->shape->n_ff;
    float *at = d->work;
    struct activation a = {.ops = d->ops, .n_ff = d->shape->n_ff};
    a.gate = layer_alloc(&at, size);
    a.up = layer_alloc(&at, size);

    const struct weight *const in[] = {&w->ffn.gate, &w->ffn.up};
    float *const out[] = {a.gate, a.up};
    matmul_many(d->products, d->pool, in, 2, h, n, out, d->scratch);
    pool_run(d->pool, n, 4, activate, &a);
    matmul(d->products, d->pool, &w->ffn.down, a.gate, n, h, d->scratch);
}

/* --- moe ------------------------------------------------------------------- */

static const float SUM_MIN = 6.103515625e-5f; /* 2^-14, as llama.cpp */

enum {
    ROWS_MIN = 128, /* rows processed together, if there are that many */
    COLUMNS = 512   /* of a sum, added at a time */
};

/* A token that an expert processes. */
struct routed {
    int token;
    float weight;
};

struct expert {
    struct weight gate, up, down;
    float scale[3];
    int first, n; /* its rows among those processed together */
};

struct moe {
    struct decoder *d;
    const struct ffn_weights *w;
    const float *h;
    float *router;   /* [n, n_expert] logits, then probabilities */
    float *sum;      /* [n, n_embd] of all experts */
    float *weight;   /* [n, slots] */
    int32_t *choice; /* [n, slots] experts; the shared one is n_expert */
    int32_t *end; /* [n_expert + 1] where each expert's rows end in by_expert */
    struct routed *by_expert; /* [n * slots] by expert, then by token */

    /* Experts processed together, and their rows. */
    struct expert expert[MATMUL_INPUTS];
    int n_expert, n_row;
    const struct routed *routed; /* [n_row] */
    float *x, *y;                /* [n_row, n_embd] */
    float *gate, *up;            /* [n_row, width] */
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Experts of a token. */
static int slots(const struct shape *s)
{
    return s->n_expert_used + (s->n_ff_shared > 0);
}

static size_t width(const struct shape *s)
{
    return (size_t)larger(s->n_ff_expert, s->n_ff_shared);
}

int ffn_moe_rows(const struct shape *s, int n)
{
    int all = n * slots(s);
    return larger(n, all < ROWS_MIN ? all : ROWS_MIN);
}

size_t ffn_moe_work(const struct shape *s, int n)
{
    size_t tokens = (size_t)n, rows = (size_t)ffn_moe_rows(s, n);
    size_t embd = (size_t)s->n_embd, parts = tokens * (size_t)slots(s);
    return layer_padded(tokens * (size_t)s->n_expert) +
           layer_padded(tokens * embd) + 2 * layer_padded(parts) +
           layer_padded((size_t)s->n_expert + 1) + layer_padded(2 * parts) +
           2 * layer_padded(rows * embd) + 2 * layer_padded(rows * width(s));
}

static void divide_work(struct moe *m, int n)
{
    const struct shape *s = m->d->shape;
    size_t tokens = (size_t)n, rows = (size_t)ffn_moe_rows(s, n);
    size_t embd = (size_t)s->n_embd, parts = tokens * (size_t)slots(s);
    float *at = m->d->work;
    m->router = layer_alloc(&at, tokens * (size_t)s->n_expert);
    m->sum = layer_alloc(&at, tokens * embd);
    m->weight = layer_alloc(&at, parts);
    m->choice = (int32_t *)layer_alloc(&at, parts);
    m->end = (int32_t *)layer_alloc(&at, (size_t)s->n_expert + 1);
    m->by_expert = (struct routed *)layer_alloc(&at, 2 * parts);
    m->x = layer_alloc(&at, rows * embd);
    m->y = layer_alloc(&at, rows * embd);
    m->gate = layer_alloc(&at, rows * width(s));
    m->up = layer_alloc(&at, rows * width(s));
}

/* The k largest of p[n], the lower number first among equals, and their
 * weights, normalised to 1. Softmax over all, as the router was trained. */
static void choose_experts(const struct vector_ops *l, float *p, int n, int k,
                           int32_t *choice, float *weight)
{
    float all = l->exp_shift(p, n, l->max(p, n)), sum = 0;
    for (int i = 0; i < k; i++) {
        int best = 0;
        for (int e = 1; e < n; e++)
            if (p[e] > p[best]) best = e;
        choice[i] = best;
        weight[i] = p[best] / all;
        sum += weight[i];
        p[best] = -1;
    }
    sum = sum > SUM_MIN ? sum : SUM_MIN;
    for (int i = 0; i < k; i++)
        weight[i] /= sum;
}

/* Pool work, by token: its experts and their weights. */
static void route(void *arg, int first, int last, int thread)
{
    const struct moe *m = arg;
    const struct shape *s = m->d->shape;
    const struct vector_ops *ops = m->d->ops;
    (void)thread;
    for (int t = first; t < last; t++) {
        float *weight = m->weight + t * slots(s);
        int32_t *choice = m->choice + t * slots(s);
        int used = s->n_expert_used;
        choose_experts(ops, m->router + (size_t)t * (size_t)s->n_expert,
                       s->n_expert, used, choice, weight);
        if (!s->n_ff_shared) continue;
        const float *h = m->h + (size_t)t * (size_t)s->n_embd;
        float gate = ops->dot(m->w->shared_gate, h, s->n_embd);
        choice[used] = s->n_expert;
        weight[used] = 1 / (1 + expf(-gate));
    }
}

/* Sorts the tokens' choices by expert. */
static void sort_by_expert(const struct moe *m, int n)
{
    const struct shape *s = m->d->shape;
    int n_routed = n * slots(s), at = 0;
    memset(m->end, 0, ((size_t)s->n_expert + 1) * sizeof *m->end);
    for (int i = 0; i < n_routed; i++)
        m->end[m->choice[i]]++;
    for (int e = 0; e <= s->n_expert; e++) {
        int count = m->end[e];
        m->end[e] = at; /* where they begin, until they are placed */
        at += count;
    }
    for (int i = 0; i < n_routed; i++)
        m->by_expert[m->end[m->choice[i]]++] =
            (struct routed){i / slots(s), m->weight[i]};
}

static float scale_of(const float *scale, int e)
{
    return scale ? scale[e] : 1;
}

static struct expert expert_of(const struct moe *m, int e)
{
    const struct shape *s = m->d->shape;
    const struct ffn_weights *w = m->w;
    if (e == s->n_expert)
        return (struct expert){
            .gate = w->gate, .up = w->up, .down = w->down, .scale = {1, 1, 1}};
    int first = e * w->exps_stride; /* see weights.h: gate and up may be one */
    return (struct expert){
        .gate = matmul_weight_slice(&w->gate_exps, first, s->n_ff_expert),
        .up = matmul_weight_slice(&w->up_exps, first + w->up_first,
                                  s->n_ff_expert),
        .down = matmul_weight_slice(&w->down_exps, e * s->n_embd, s->n_embd),
        .scale = {scale_of(w->gate_scale, e), scale_of(w->up_scale, e),
                  scale_of(w->down_scale, e)}};
}

/* Takes experts from e on, as many as fit; returns the next one. */
static int take_experts(struct moe *m, int e, int rows)
{
    int n_expert = m->d->shape->n_expert, from = e ? m->end[e - 1] : 0;
    m->routed = m->by_expert + from;
    m->n_expert = m->n_row = 0;
    for (; e <= n_expert && m->n_expert < MATMUL_INPUTS; e++) {
        int n = m->end[e] - from - m->n_row;
        if (n == 0) continue;
        if (m->n_row + n > rows) break;
        struct expert *x = &m->expert[m->n_expert++];
        *x = expert_of(m, e);
        x->first = m->n_row, x->n = n;
        m->n_row += n;
    }
    return e;
}

/* Pool work, by row: the token's. */
static void gather(void *arg, int first, int last, int thread)
{
    const struct moe *m = arg;
    size_t embd = (size_t)m->d->shape->n_embd;
    (void)thread;
    for (int i = first; i < last; i++)
        memcpy(m->x + (size_t)i * embd,
               m->h + (size_t)m->routed[i].token * embd, embd * sizeof *m->x);
}

/* Pool work, by row: silu(gate) * up. */
static void activate_experts(void *arg, int first, int last, int thread)
{
    const struct moe *m = arg;
    const struct vector_ops *ops = m->d->ops;
    const struct expert *x = m->expert;
    (void)thread;
    for (int i = first; i < last; i++) {
        while (i >= x->first + x->n)
            x++;
        int n = x->gate.n_row;
        size_t at = (size_t)x->first * width(m->d->shape) +
                    (size_t)(i - x->first) * (size_t)n;
        float *gate = m->gate + at, *up = m->up + at;
        if (x->scale[0] != 1) ops->scale(gate, gate, x->scale[0], n);
        if (x->scale[1] != 1) ops->scale(up, up, x->scale[1], n);
        ops->silu_mul(gate, gate, up, n);
    }
}

/* Pool work, by COLUMNS: adds the rows to their tokens' sums. */
static void add_rows(void *arg, int first, int last, int thread)
{
    const struct moe *m = arg;
    const struct vector_ops *ops = m->d->ops;
    int embd = m->d->shape->n_embd, from = first * COLUMNS;
    int n = last * COLUMNS < embd ? last * COLUMNS - from : embd - from;
    const struct expert *x = m->expert;
    (void)thread;
    for (int i = 0; i < m->n_row; i++) {
        x += i >= x->first + x->n;
        float *y = m->y + (size_t)i * (size_t)embd + from;
        size_t token = (size_t)m->routed[i].token;
        if (x->scale[2] != 1) ops->scale(y, y, x->scale[2], n);
        ops->axpy(m->sum + token * (size_t)embd + from, y, m->routed[i].weight,
                  n);
    }
}

static void apply_experts(struct moe *m)
{
    const struct decoder *d = m->d;
    size_t embd = (size_t)d->shape->n_embd, wide = width(d->shape);
    struct matmul_input in[MATMUL_INPUTS], down[MATMUL_INPUTS];
    for (int i = 0; i < m->n_expert; i++) {
        const struct expert *x = &m->expert[i];
        size_t first = (size_t)x->first;
        float *gate = m->gate + first * wide, *up = m->up + first * wide;
        in[i] = (struct matmul_input){.x = m->x + first * embd,
                                      .n = x->n,
                                      .n_weight = 2,
                                      .weight = {&x->gate, &x->up},
                                      .y = {gate, up}};
        down[i] = (struct matmul_input){.x = gate,
                                        .n = x->n,
                                        .n_weight = 1,
                                        .weight = {&x->down},
                                        .y = {m->y + first * embd}};
    }
    pool_run(d->pool, m->n_row, 16, gather, m);
    matmul_each(d->products, d->pool, in, m->n_expert, d->scratch);
    pool_run(d->pool, m->n_row, 16, activate_experts, m);
    matmul_each(d->products, d->pool, down, m->n_expert, d->scratch);
    int n_column = (d->shape->n_embd + COLUMNS - 1) / COLUMNS;
    pool_run(d->pool, n_column, 1 + 32 / m->n_row, add_rows, m);
}

void ffn_moe_apply(struct decoder *d, const struct layer *w, int n, float *h)
{
    const struct shape *s = d->shape;
    struct moe m = {.d = d, .w = &w->ffn, .h = h};
    divide_work(&m, n);
    matmul(d->products, d->pool, &w->ffn.router, h, n, m.router, d->scratch);
    pool_run(d->pool, n, 16, route, &m);
    sort_by_expert(&m, n);
    size_t size = (size_t)n * (size_t)s->n_embd * sizeof *h;
    memset(m.sum, 0, size);
    for (int e = 0; e <= s->n_expert;) {
        e = take_experts(&m, e, ffn_moe_rows(s, n));
        if (m.n_row) apply_experts(&m);
    }
    memcpy(h, m.sum, size);
}
