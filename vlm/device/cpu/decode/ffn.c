/* ffn.c - the feed-forward part: dense, or a mixture of experts (MODEL.md,
 * "Feed-forward").
 *
 * A router scores all experts for a token; the best few process it, and their
 * results are added up, weighted by score. The weights are most of the model
 * and each token needs few of them, so the tokens of a pass are grouped by
 * expert: an expert's weights are read once for all tokens that chose it.
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

struct moe {
    float *router;    /* [n, n_expert] logits, then probabilities */
    float *x;         /* [n, n_embd] rows of one expert */
    float *gate, *up; /* [n, n_ff_expert or n_ff_shared] */
    float *y;         /* [n, n_embd] their result */
    float *sum;       /* [n, n_embd] of all experts */
    float *weight;    /* [n, n_expert_used], then of a group's rows */
    int32_t *choice;  /* [n, n_expert_used] */
};

static size_t width(const struct shape *s)
{
    return (size_t)(s->n_ff_expert > s->n_ff_shared ? s->n_ff_expert
                                                    : s->n_ff_shared);
}

size_t ffn_moe_work(const struct shape *s, int n)
{
    size_t rows = (size_t)n;
    return layer_padded(rows * (size_t)s->n_expert) +
           3 * layer_padded(rows * (size_t)s->n_embd) +
           2 * layer_padded(rows * width(s)) +
           2 * layer_padded(rows * (size_t)s->n_expert_used);
}

static struct moe moe_at(const struct decoder *d, int n)
{
    const struct shape *s = d->shape;
    size_t rows = (size_t)n;
    float *at = d->work;
    struct moe m;
    m.router = layer_alloc(&at, rows * (size_t)s->n_expert);
    m.x = layer_alloc(&at, rows * (size_t)s->n_embd);
    m.y = layer_alloc(&at, rows * (size_t)s->n_embd);
    m.sum = layer_alloc(&at, rows * (size_t)s->n_embd);
    m.gate = layer_alloc(&at, rows * width(s));
    m.up = layer_alloc(&at, rows * width(s));
    m.weight = layer_alloc(&at, rows * (size_t)s->n_expert_used);
    m.choice = (int32_t *)layer_alloc(&at, rows * (size_t)s->n_expert_used);
    return m;
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

/* gate, up, down on m->x[n]: the result is m->y[n]. */
static void apply_expert(struct decoder *d, const struct moe *m,
                         const struct weight *gate, const struct weight *up,
                         const struct weight *down, int n, const float scale[3])
{
    const struct weight *const in[] = {gate, up};
    float *const out[] = {m->gate, m->up};
    matmul_many(d->products, d->pool, in, 2, m->x, n, out, d->scratch);
    int size = n * gate->n_row;
    if (scale[0] != 1) d->ops->scale(m->gate, m->gate, scale[0], size);
    if (scale[1] != 1) d->ops->scale(m->up, m->up, scale[1], size);
    d->ops->silu_mul(m->gate, m->gate, m->up, size);
    matmul(d->products, d->pool, down, m->gate, n, m->y, d->scratch);
    if (scale[2] != 1)
        d->ops->scale(m->y, m->y, scale[2], n * d->shape->n_embd);
}

static float scale_of(const float *scale, int e)
{
    return scale ? scale[e] : 1;
}

static void routed_expert(struct decoder *d, const struct ffn_weights *w,
                          const struct moe *m, int e, int n, const float *h)
{
    const struct shape *s = d->shape;
    size_t embd = (size_t)s->n_embd;
    int used = s->n_expert_used, count = 0;
    for (int i = 0; i < n * used; i++)
        if (m->choice[i] == e)
            memcpy(m->x + (size_t)count++ * embd, h + (size_t)(i / used) * embd,
                   embd * sizeof *h);
    if (!count) return;
    int first = e * w->exps_stride; /* see weights.h: gate and up may be one */
    struct weight gate =
        matmul_weight_slice(&w->gate_exps, first, s->n_ff_expert);
    struct weight up =
        matmul_weight_slice(&w->up_exps, first + w->up_first, s->n_ff_expert);
    struct weight down =
        matmul_weight_slice(&w->down_exps, e * s->n_embd, s->n_embd);
    const float scale[3] = {scale_of(w->gate_scale, e),
                            scale_of(w->up_scale, e),
                            scale_of(w->down_scale, e)};
    apply_expert(d, m, &gate, &up, &down, count, scale);
    count = 0;
    for (int i = 0; i < n * used; i++)
        if (m->choice[i] == e)
            d->ops->axpy(m->sum + (size_t)(i / used) * embd,
                         m->y + (size_t)count++ * embd, m->weight[i],
                         s->n_embd);
}

static void shared_expert(struct decoder *d, const struct ffn_weights *w,
                          const struct moe *m, int n, const float *h)
{
    const float one[3] = {1, 1, 1};
    size_t embd = (size_t)d->shape->n_embd;
    memcpy(m->x, h, (size_t)n * embd * sizeof *h);
    apply_expert(d, m, &w->gate, &w->up, &w->down, n, one);
    for (int t = 0; t < n; t++) {
        float gate =
            d->ops->dot(w->shared_gate, h + (size_t)t * embd, d->shape->n_embd);
        d->ops->axpy(m->sum + (size_t)t * embd, m->y + (size_t)t * embd,
                     1 / (1 + expf(-gate)), d->shape->n_embd);
    }
}

void ffn_moe_apply(struct decoder *d, const struct layer *w, int n, float *h)
{
    const struct shape *s = d->shape;
    struct moe m = moe_at(d, n);
    matmul(d->products, d->pool, &w->ffn.router, h, n, m.router, d->scratch);
    for (int t = 0; t < n; t++)
        choose_experts(d->ops, m.router + (size_t)t * (size_t)s->n_expert,
                       s->n_expert, s->n_expert_used,
                       m.choice + t * s->n_expert_used,
                       m.weight + t * s->n_expert_used);
    size_t size = (size_t)n * (size_t)s->n_embd * sizeof *h;
    memset(m.sum, 0, size);
    for (int e = 0; e < s->n_expert; e++)
        routed_expert(d, &w->ffn, &m, e, n, h);
    if (s->n_ff_shared) shared_expert(d, &w->ffn, &m, n, h);
    memcpy(h, m.sum, size);
}
