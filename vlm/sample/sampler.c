/* sampler.c - see sampler.h. */
#include "vlm/sample/sampler.h"

#include <math.h>
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/tensor/lanes.h"

struct candidate {
    float logit;
    int32_t token;
};

struct sampler {
    struct sampler_options options;
    const struct lanes *lanes;
    int n_vocab;
    uint64_t random;
    float *work;              /* [n_vocab] weights of all, to report */
    float *weight;            /* [n_vocab] of what is drawn from */
    struct candidate *heap;   /* [n_vocab] */
    struct candidate *sorted; /* [n_vocab] */
    uint32_t *seen;           /* bit per token of this answer */
};

static size_t words(int n)
{
    return ((size_t)n + 31) / 32;
}

struct sampler *sampler_new(int n_vocab, const struct lanes *lanes)
{
    struct sampler *s = mem_take(1, sizeof *s);
    size_t n = (size_t)n_vocab;
    s->n_vocab = n_vocab;
    s->lanes = lanes;
    s->work = mem_take(n, sizeof *s->work);
    s->weight = mem_take(n, sizeof *s->weight);
    s->heap = mem_take(n, sizeof *s->heap);
    s->sorted = mem_take(n, sizeof *s->sorted);
    s->seen = mem_take(words(n_vocab), sizeof *s->seen);
    return s;
}

void sampler_free(struct sampler *s)
{
    if (!s) return;
    mem_give(s->work);
    mem_give(s->weight);
    mem_give(s->heap);
    mem_give(s->sorted);
    mem_give(s->seen);
    mem_give(s);
}

void sampler_start(struct sampler *s, const struct sampler_options *options)
{
    s->options = *options;
    s->random = options->seed;
    memset(s->seen, 0, words(s->n_vocab) * sizeof *s->seen);
}

static bool has(const uint32_t *mask, int32_t token)
{
    return mask[token / 32] >> (token % 32) & 1;
}

void sampler_note(struct sampler *s, int32_t token)
{
    s->seen[token / 32] |= 1u << (token % 32);
}

/* splitmix64: every seed is good, and 64 bits of state are enough here. */
static double next_random(struct sampler *s)
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) / 9007199254740992.0;
}

/* One pass finds nothing wrong in nearly all cases; a square may also
 * overflow, so look again before complaining. */
static bool all_finite(const struct sampler *s, const float *x, int n)
{
    if (isfinite(s->lanes->sum_squares(x, n))) return true;
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

/* Fills heap with what may be chosen, penalty applied. */
static int collect(struct sampler *s, const struct sampler_input *in)
{
    float penalty = s->options.presence_penalty;
    int n = 0;
    for (int i = 0; i < in->n;) {
        /* Skip words of the mask without a bit. */
        if (!in->id && i % 32 == 0 && !in->mask[i / 32]) {
            i += 32;
            continue;
        }
        int32_t token = in->id ? in->id[i] : i;
        if (has(in->mask, token) && has(in->real, token)) {
            float logit = in->logits[i];
            if (penalty != 0 && has(s->seen, token)) logit -= penalty;
            s->heap[n++] = (struct candidate){logit, token};
        }
        i++;
    }
    return n;
}

/* Larger logit first, then lower token: a total order. */
static bool before(struct candidate a, struct candidate b)
{
    return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
}

static void sift(struct candidate *h, int n, int at)
{
    for (;;) {
        int best = at, left = 2 * at + 1;
        if (left < n && before(h[left], h[best])) best = left;
        if (left + 1 < n && before(h[left + 1], h[best])) best = left + 1;
        if (best == at) return;
        struct candidate t = h[at];
        h[at] = h[best];
        h[best] = t;
        at = best;
    }
}

static struct candidate pop(struct candidate *h, int *n)
{
    struct candidate top = h[0];
    h[0] = h[--*n];
    sift(h, *n, 0);
    return top;
}

/* Draws from c[n] with the weights in weight[n]. */
static int32_t draw(struct sampler *s, const struct candidate *c, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)s->weight[i];
    double at = next_random(s) * sum;
    for (int i = 0; i < n; i++) {
        at -= (double)s->weight[i];
        if (at < 0) return c[i].token;
    }
    return c[n - 1].token;
}

static double mass_of(const struct sampler *s, const struct candidate *c, int n,
                      float most)
{
    double mass = 0;
    for (int i = 0; i < n; i++)
        mass += exp((double)((c[i].logit - most) / s->options.temperature));
    return mass;
}

/* From all that the heap holds, as it lies there: nothing needs an order. */
static int32_t choose_from_all(struct sampler *s, int n)
{
    const struct sampler_options *o = &s->options;
    float most = s->heap[0].logit;
    int kept = 0;
    for (int i = 1; i < n; i++)
        if (s->heap[i].logit > most) most = s->heap[i].logit;
    for (int i = 0; i < n; i++) {
        float w = expf((s->heap[i].logit - most) / o->temperature);
        if (w < o->min_p) continue;
        s->weight[kept] = w;
        s->heap[kept++] = s->heap[i];
    }
    return draw(s, s->heap, kept);
}

/* Temperature first, then top_k, top_p of what is left, min_p. Takes from the
 * heap no more than it needs in order. */
static int32_t choose(struct sampler *s, int n)
{
    const struct sampler_options *o = &s->options;
    bool cut = o->top_k > 0 && o->top_k < n;
    if (!cut && o->top_p >= 1) return choose_from_all(s, n);
    int keep = cut ? o->top_k : n, kept = 0;
    for (int i = n / 2; i-- > 0;)
        sift(s->heap, n, i);
    float most = s->heap[0].logit;
    double total = cut ? 0 : mass_of(s, s->heap, n, most), mass = 0;
    for (int i = 0; cut && i < keep; i++)
        s->sorted[i] = pop(s->heap, &n);
    if (cut) total = mass_of(s, s->sorted, keep, most);
    while (kept < keep) {
        if (!cut) s->sorted[kept] = pop(s->heap, &n);
        float w = expf((s->sorted[kept].logit - most) / o->temperature);
        if (kept && w < o->min_p) break;
        s->weight[kept++] = w;
        mass += (double)w;
        if (o->top_p < 1 && mass >= (double)o->top_p * total) break;
    }
    return draw(s, s->sorted, kept);
}

static int32_t best_of(const struct sampler *s, int n)
{
    struct candidate best = s->heap[0];
    for (int i = 1; i < n; i++)
        if (before(s->heap[i], best)) best = s->heap[i];
    return best.token;
}

/* Fills work with weights of everything that was given and sets p_legal;
 * returns the weight of all. Before mask, penalty and temperature. */
static double measure(struct sampler *s, const struct sampler_input *in,
                      int n_legal, struct sampler_choice *c)
{
    double all = 0, legal = 0;
    for (int i = 0; i < in->n; i++) {
        bool real = in->id || has(in->real, i);
        s->work[i] = real ? in->logits[i] : -INFINITY;
    }
    float most = s->lanes->max(s->work, in->n);
    s->lanes->exp_shift(s->work, in->n, most);
    for (int i = 0; i < in->n; i++)
        all += (double)s->work[i];
    for (int i = 0; i < n_legal; i++)
        if (!in->id) legal += (double)s->work[s->heap[i].token];
    c->p_legal = in->id ? 1 : legal / all;
    return all;
}

static double weight_of(const struct sampler *s, const struct sampler_input *in,
                        int32_t token)
{
    if (!in->id) return (double)s->work[token];
    for (int i = 0; i < in->n; i++)
        if (in->id[i] == token) return (double)s->work[i];
    return 0;
}

void sampler_pick(struct sampler *s, const struct sampler_input *in,
                  struct sampler_choice *c, struct err *err)
{
    if (err_failed(err)) return;
    *c = (struct sampler_choice){.token = -1, .p = 1, .p_legal = 1};
    if (!all_finite(s, in->logits, in->n)) {
        err_reason(err, ERR_SYSTEM, "engine-error",
                   "the model gives numbers that are not finite");
        return;
    }
    int n = collect(s, in);
    if (n == 0) {
        err_set(err, ERR_ANSWER, "no token may follow here");
        return;
    }
    double all = 1;
    if (in->whole || in->id) all = measure(s, in, n, c);
    c->token = s->options.temperature > 0 ? choose(s, n) : best_of(s, n);
    if (in->whole || in->id) c->p = weight_of(s, in, c->token) / all;
    sampler_note(s, c->token);
}
