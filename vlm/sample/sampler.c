/* sampler.c - see sampler.h. */
#include "vlm/sample/sampler.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/tensor/vector_ops.h"

/* --- repeat ---------------------------------------------------------------- */

/* Detects that an answer loops.
 *
 * A loop is a repeated run of 1 to REPEAT_PERIOD_MAX tokens, at least
 * REPEAT_TIMES times in a row and over at least REPEAT_TOKENS tokens. That is
 * far more than table rows, dot leaders or padding contain. */

bool sampler_feed_repeat(struct repeat *r, int32_t token)
{
    bool loops = false;
    for (int p = 1; p <= REPEAT_PERIOD_MAX; p++) {
        bool same = r->n >= p && r->ring[(r->n - p) % REPEAT_RING] == token;
        r->same[p] = same ? r->same[p] + 1 : 0;
        /* `same` does not include the first run */
        int span = r->same[p] + p;
        if (span >= REPEAT_TOKENS && span >= REPEAT_TIMES * p) loops = true;
    }
    r->ring[r->n % REPEAT_RING] = token;
    r->n++;
    return loops;
}

/* --- sampler --------------------------------------------------------------- */

enum { BLOCK = 1024, WORD = 32 }; /* tokens processed together */

struct candidate {
    float logit;
    int32_t token;
};

struct sampler {
    struct sampler_options options;
    const struct vector_ops *ops;
    int n_vocab;
    uint64_t random;
    float block[BLOCK];       /* logits or weights of one block */
    float *weight;            /* [n_vocab] weights of the candidates */
    struct candidate *heap;   /* [n_vocab] */
    struct candidate *sorted; /* [n_vocab] */
    uint32_t *seen;           /* bit per token: occurs in this answer */
};

static size_t n_words(int n)
{
    return ((size_t)n + 31) / 32;
}

struct sampler *sampler_new(int n_vocab, const struct vector_ops *ops)
{
    struct sampler *s = mem_alloc(1, sizeof *s);
    size_t n = (size_t)n_vocab;
    s->n_vocab = n_vocab;
    s->ops = ops;
    s->weight = mem_alloc(n, sizeof *s->weight);
    s->heap = mem_alloc(n, sizeof *s->heap);
    s->sorted = mem_alloc(n, sizeof *s->sorted);
    s->seen = mem_alloc(n_words(n_vocab), sizeof *s->seen);
    return s;
}

void sampler_free(struct sampler *s)
{
    if (!s) return;
    mem_free(s->weight);
    mem_free(s->heap);
    mem_free(s->sorted);
    mem_free(s->seen);
    mem_free(s);
}

void sampler_start(struct sampler *s, const struct sampler_options *options)
{
    s->options = *options;
    s->random = options->seed;
    memset(s->seen, 0, n_words(s->n_vocab) * sizeof *s->seen);
}

static bool has_bit(const uint32_t *mask, int32_t token)
{
    return mask[token / 32] >> (token % 32) & 1;
}

void sampler_note(struct sampler *s, int32_t token)
{
    s->seen[token / 32] |= 1u << (token % 32);
}

/* splitmix64: any seed is good, and 64 bits of state are enough here. */
static double next_random(struct sampler *s)
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) / 9007199254740992.0;
}

/* Total order: larger logit first, then lower token. */
static bool ranks_before(struct candidate a, struct candidate b)
{
    return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
}

/* The sum of squares can overflow, so then each value is checked. */
static bool all_finite(const struct sampler *s, const float *x, int n)
{
    if (isfinite(s->ops->sum_squares(x, n))) return true;
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

/* Result of the first pass over the logits. The heap then holds the candidates:
 * all legal tokens, the top_k best of them, or only the best if greedy. */
struct logit_scan {
    float most;  /* largest logit, without padding rows */
    int n_legal; /* candidates */
};

/* Sifts the entry at `at` down; the best is on top, or with `worst` the
 * worst. */
static void sift(struct candidate *h, int n, int at, bool worst)
{
    for (;;) {
        int best = at, left = 2 * at + 1;
        if (left < n && ranks_before(h[left], h[best]) != worst) best = left;
        if (left + 1 < n && ranks_before(h[left + 1], h[best]) != worst)
            best = left + 1;
        if (best == at) return;
        struct candidate t = h[at];
        h[at] = h[best];
        h[best] = t;
        at = best;
    }
}

static void make_heap(struct candidate *h, int n, bool worst)
{
    for (int i = n / 2; i-- > 0;)
        sift(h, n, i, worst);
}

/* Adds a candidate; keeps the top_k best. */
static void keep_best(struct sampler *s, struct candidate c, int n_legal)
{
    int most = s->options.top_k;
    if (most <= 0 || n_legal < most) {
        s->heap[n_legal] = c;
        return;
    }
    if (n_legal == most) make_heap(s->heap, most, true);
    if (!ranks_before(c, s->heap[0])) return;
    s->heap[0] = c;
    sift(s->heap, most, 0, true);
}

/* Adds the token of logit i, which is legal. */
static void add_legal(struct sampler *s, const struct sampler_input *in, int i,
                      struct logit_scan *l)
{
    int32_t token = in->id ? in->id[i] : i;
    float logit = in->logits[i], penalty = s->options.presence_penalty;
    if (penalty != 0 && has_bit(s->seen, token)) logit -= penalty;
    struct candidate c = {logit, token};
    if (s->options.temperature > 0)
        keep_best(s, c, l->n_legal++);
    else if (!l->n_legal || ranks_before(c, s->heap[0]))
        s->heap[0] = c, l->n_legal = 1;
}

/* The bits of tokens at .. at + WORD - 1 in a mask; 0 beyond the last token. */
static uint32_t mask_word(const uint32_t *mask, int at, int n)
{
    uint32_t within = n - at < WORD ? (1u << (n - at)) - 1 : UINT32_MAX;
    return mask[at / WORD] & within;
}

/* Copies a block of logits to s->block, padding rows as -INFINITY. */
static void copy_piece(struct sampler *s, const struct sampler_input *in,
                       int at, int n)
{
    memcpy(s->block, in->logits + at, (size_t)n * sizeof *s->block);
    for (int w = 0; w < n && !in->id; w += WORD) {
        uint32_t all = n - w < WORD ? (1u << (n - w)) - 1 : UINT32_MAX;
        uint32_t none = all & ~mask_word(in->real, at + w, in->n);
        for (; none; none &= none - 1)
            s->block[w + __builtin_ctz(none)] = -INFINITY;
    }
}

/* Can no token become a candidate whose logit is at most `most`? */
static bool all_rank_behind(const struct sampler *s, const struct logit_scan *l,
                            float most)
{
    const struct sampler_options *o = &s->options;
    /* with one more than top_k the heap is full, its worst on top */
    int n_kept = o->temperature > 0 ? o->top_k : 0;
    bool full = l->n_legal > n_kept && (n_kept > 0 || o->temperature <= 0);
    return full && o->presence_penalty >= 0 && most < s->heap[0].logit;
}

/* The first pass, block by block. False if a logit is not finite. */
static bool scan_logits(struct sampler *s, const struct sampler_input *in,
                        struct logit_scan *l)
{
    *l = (struct logit_scan){-INFINITY, 0};
    for (int at = 0; at < in->n; at += BLOCK) {
        int n = in->n - at < BLOCK ? in->n - at : BLOCK;
        if (!all_finite(s, in->logits + at, n)) return false;
        copy_piece(s, in, at, n);
        float most = s->ops->max(s->block, n);
        if (most > l->most) l->most = most;
        if (!in->id && all_rank_behind(s, l, most)) continue;
        for (int i = at; i < at + n && in->id; i++)
            if (has_bit(in->mask, in->id[i]) && has_bit(in->real, in->id[i]))
                add_legal(s, in, i, l);
        for (int w = at; w < at + n && !in->id; w += WORD)
            for (uint32_t bits = mask_word(in->mask, w, in->n) &
                                 mask_word(in->real, w, in->n);
                 bits; bits &= bits - 1)
                add_legal(s, in, w + __builtin_ctz(bits), l);
    }
    return true;
}

static struct candidate heap_pop(struct candidate *h, int *n)
{
    struct candidate top = h[0];
    h[0] = h[--*n];
    sift(h, *n, 0, false);
    return top;
}

/* Draws from c[n] with the weights in weight[n]. */
static int32_t draw_token(struct sampler *s, const struct candidate *c, int n)
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

static double sum_mass(const struct sampler *s, const struct candidate *c,
                       int n, float most)
{
    double mass = 0;
    for (int i = 0; i < n; i++)
        mass += exp((double)((c[i].logit - most) / s->options.temperature));
    return mass;
}

/* Draws from the whole heap without sorting it. */
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
    return draw_token(s, s->heap, kept);
}

/* Applies temperature, then top_k, top_p of the rest, min_p. Sorts no more of
 * the heap than necessary. */
static int32_t choose_candidate(struct sampler *s, int n)
{
    const struct sampler_options *o = &s->options;
    bool cut = o->top_k > 0 && o->top_k < n;
    if (!cut && o->top_p >= 1) return choose_from_all(s, n);
    int keep = cut ? o->top_k : n, kept = 0;
    n = keep; /* the heap has no more */
    make_heap(s->heap, n, false);
    float most = s->heap[0].logit;
    double total = cut ? 0 : sum_mass(s, s->heap, n, most), mass = 0;
    for (int i = 0; cut && i < keep; i++)
        s->sorted[i] = heap_pop(s->heap, &n);
    if (cut) total = sum_mass(s, s->sorted, keep, most);
    while (kept < keep) {
        if (!cut) s->sorted[kept] = heap_pop(s->heap, &n);
        float w = expf((s->sorted[kept].logit - most) / o->temperature);
        if (kept && w < o->min_p) break;
        s->weight[kept++] = w;
        mass += (double)w;
        if (o->top_p < 1 && mass >= (double)o->top_p * total) break;
    }
    return draw_token(s, s->sorted, kept);
}

/* Sums of weights: all tokens, legal tokens, the chosen token. */
struct weight_sums {
    double all, legal, one;
};

/* Sum of a word of weights (padding rows are 0), in four chains. */
static double sum_word(const float *x, int n)
{
    double sum[4] = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++)
            sum[j] += (double)x[i + j];
    for (; i < n; i++)
        sum[0] += (double)x[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* Adds the weights of logits at .. at + n - 1 from s->block. */
static void add_weights(const struct sampler *s, const struct sampler_input *in,
                        int at, int n, struct weight_sums *w)
{
    const float *x = s->block + at % BLOCK;
    double sum = sum_word(x, n);
    w->all += sum;
    if (in->id) return;
    uint32_t real = mask_word(in->real, at, in->n);
    uint32_t bits = mask_word(in->mask, at, in->n) & real;
    if (bits == real) {
        w->legal += sum;
        return;
    }
    for (; bits; bits &= bits - 1)
        w->legal += (double)x[__builtin_ctz(bits)];
}

/* The second pass: weights before mask, penalty and temperature. */
static struct weight_sums sum_weights(struct sampler *s,
                                      const struct sampler_input *in,
                                      float most, int32_t token)
{
    struct weight_sums w = {0};
    for (int at = 0; at < in->n; at += BLOCK) {
        int n = in->n - at < BLOCK ? in->n - at : BLOCK;
        copy_piece(s, in, at, n);
        s->ops->exp_shift(s->block, n, most);
        for (int i = 0; i < n; i += WORD)
            add_weights(s, in, at + i, n - i < WORD ? n - i : WORD, &w);
        for (int i = 0; i < n && in->id; i++)
            if (in->id[at + i] == token) w.one = (double)s->block[i];
        if (!in->id && token >= at && token < at + n)
            w.one = (double)s->block[token - at];
    }
    if (in->id) w.legal = w.all;
    return w;
}

void sampler_pick(struct sampler *s, const struct sampler_input *in,
                  struct sampler_choice *c, struct err *err)
{
    if (err_failed(err)) return;
    struct logit_scan l;
    *c = (struct sampler_choice){.token = -1, .p = 1, .p_legal = 1};
    if (!scan_logits(s, in, &l)) {
        err_reason(err, ERR_SYSTEM, "engine-error",
                   "the model's output is not finite (NaN or infinity)");
        return;
    }
    if (l.n_legal == 0) {
        err_set(err, ERR_ANSWER, "no token is possible here");
        return;
    }
    c->token = s->options.temperature > 0 ? choose_candidate(s, l.n_legal)
                                          : s->heap[0].token;
    if (in->whole || in->id) {
        struct weight_sums w = sum_weights(s, in, l.most, c->token);
        c->p = w.one / w.all;
        c->p_legal = w.legal / w.all;
    }
    sampler_note(s, c->token);
}
