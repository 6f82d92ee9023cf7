/* vlm_writer.c - see vlm_writer.h. */
#include "vlm/generate/vlm_writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/clock.h"
#include "vlm/generate/vlm_draft.h"
#include "vlm/generate/vlm_mtp.h"
#include "vlm/vlm.h"

/* --- vlm leaves ------------------------------------------------------------ */

/* Probabilities of an answer's values, while it is generated. */

enum { LEAF_START = 64, TOKEN_START = 1024 };

/* Allocates for an answer of usual length, so that few tokens allocate. */
static void vlm_leaves_begin(struct vlm_leaves *l)
{
    l->leaf_capacity = LEAF_START;
    l->leaf = mem_alloc(LEAF_START, sizeof *l->leaf);
    l->token_capacity = TOKEN_START;
    l->token = mem_alloc(TOKEN_START, sizeof *l->token);
}

static void vlm_leaves_end(struct vlm_leaves *l)
{
    mem_free(l->leaf);
    mem_free(l->token);
    *l = (struct vlm_leaves){.n_leaf = 0};
}

/* Does the last token belong to the value at `pointer`? */
static bool vlm_leaves_is_last(const struct vlm_leaves *l, const char *pointer)
{
    return l->n_leaf && !strcmp(l->leaf[l->n_leaf - 1].pointer, pointer);
}

static struct vlm_leaf *find_or_add_leaf(struct vlm_leaves *l,
                                         const char *pointer, double p_legal,
                                         struct arena *arena)
{
    if (vlm_leaves_is_last(l, pointer)) return &l->leaf[l->n_leaf - 1];
    if (l->n_leaf == l->leaf_capacity) {
        l->leaf_capacity *= 2;
        l->leaf = mem_grow(l->leaf, (size_t)l->leaf_capacity, sizeof *l->leaf);
    }
    struct vlm_leaf *leaf = &l->leaf[l->n_leaf++];
    *leaf = (struct vlm_leaf){.pointer = arena_copy(arena, span_of(pointer)),
                              .p = 1,
                              .p_min = 1,
                              .p_min_of_siblings = 1,
                              .p_legal = p_legal};
    return leaf;
}

/* Adds a token of the value at `pointer`, chosen with probability p. p_legal of
 * a value's first token is the leaf's. */
static void vlm_leaves_add(struct vlm_leaves *l, const char *pointer,
                           int32_t token, double p, double p_legal,
                           struct arena *arena)
{
    struct vlm_leaf *leaf = find_or_add_leaf(l, pointer, p_legal, arena);
    leaf->p *= p;
    leaf->n_token++;
    if (p < leaf->p_min) leaf->p_min = p;
    if (l->n_token == l->token_capacity) {
        l->token_capacity *= 2;
        l->token =
            mem_grow(l->token, (size_t)l->token_capacity, sizeof *l->token);
    }
    l->token[l->n_token++] = (struct vlm_leaf_token){l->n_leaf - 1, token, p};
}

/* Sorts by token, the least probable first. */
static int by_token(const void *a, const void *b)
{
    const struct vlm_leaf_token *one = a, *two = b;
    if (one->token != two->token)
        return (one->token > two->token) - (one->token < two->token);
    return (one->p > two->p) - (one->p < two->p);
}

/* Copies the leaves into the arena and computes their p_min_of_siblings. */
static struct vlm_leaf *vlm_leaves_finish(const struct vlm_leaves *l,
                                          struct arena *arena)
{
    size_t n_leaf = (size_t)l->n_leaf, n = (size_t)l->n_token;
    struct vlm_leaf *leaf = arena_array(arena, n_leaf, sizeof *leaf);
    struct vlm_leaf_token *token = arena_array(arena, n, sizeof *token);
    if (n_leaf) memcpy(leaf, l->leaf, n_leaf * sizeof *leaf);
    if (n) memcpy(token, l->token, n * sizeof *token);
    qsort(token, n, sizeof *token, by_token);
    double least = 1;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || token[i].token != token[i - 1].token) least = token[i].p;
        struct vlm_leaf *own = &leaf[token[i].leaf];
        if (least < own->p_min_of_siblings) own->p_min_of_siblings = least;
    }
    return leaf;
}

/* --- vlm writer ------------------------------------------------------------ */

enum {
    TEXT_MOST = 1 << 26,   /* bytes of an answer, maximum */
    TEXT_START = 64 << 10, /* allocated at once, so that tokens allocate
                            * nothing */
    PICK_SHARE = 8 /* only the legal rows if they are below 1/8 of all */
};

static void reserve_text(struct buf *text)
{
    static const char zeros[1024];
    *text = buf_limit(TEXT_MOST);
    for (int i = 0; i < TEXT_START; i += (int)sizeof zeros)
        buf_add(text, zeros, sizeof zeros);
    buf_cut(text, 0);
}

struct vlm_writer *vlm_writer_new(struct vlm_session *s,
                                  const struct vlm_request *request,
                                  struct arena *arena,
                                  struct vlm_answer *answer, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct vlm *v = s->v;
    struct vlm_writer *w = mem_alloc(1, sizeof *w);
    *w = (struct vlm_writer){.session = s,
                             .request = request,
                             .spent = &s->spent,
                             .arena = arena,
                             .answer = answer,
                             .err = err};
    if (request->grammar)
        w->constraint =
            constraint_cache_get(vlm_constraint_cache(v), request->grammar);
    w->sampler = sampler_new(v->shape->n_vocab, v->ops);
    const struct vlm_sampling *o = &request->sampling;
    /* a text that occurs twice on a page is twice in its record */
    float presence = request->grammar ? 0 : o->presence_penalty;
    struct sampler_options options = {.temperature = o->temperature,
                                      .top_k = o->top_k,
                                      .top_p = o->top_p > 0 ? o->top_p : 1,
                                      .min_p = o->min_p,
                                      .presence_penalty = presence,
                                      .seed = o->seed};
    sampler_start(w->sampler, &options);
    reserve_text(&w->text);
    vlm_leaves_begin(&w->leaves);
    if (!s->watch)
        vlm_draft_begin(&w->draft, request->words, request->expected);
    answer->n_prompt = s->n_read;
    answer->prompt_s = s->read_s;
    w->start_s = clock_seconds();
    return w;
}

void vlm_writer_free(struct vlm *v, struct vlm_writer *w)
{
    if (w->constraint) constraint_cache_put(v->constraints, w->constraint);
    sampler_free(w->sampler);
    buf_free(&w->text);
    vlm_leaves_end(&w->leaves);
    mem_free(w->ahead.logits);
    mem_free(w);
}

static void end_answer(struct vlm_writer *w, enum vlm_finish finish)
{
    struct vlm_answer *a = w->answer;
    verify_draft_drop(&w->ahead, w->session);
    a->finish = finish;
    a->text.data = arena_copy(w->arena, buf_span(&w->text));
    a->text.size = w->text.size;
    a->n_leaf = w->leaves.n_leaf;
    a->leaf = vlm_leaves_finish(&w->leaves, w->arena);
    a->sample_s = clock_seconds() - w->start_s;
    w->session->read_s = 0;
    w->session->n_read = 0;
    w->session = NULL;
}

/* Ends a draft: learns from the accepted tokens and drops the rest. */
static void resolve_guess(struct vlm_writer *w)
{
    struct verify_draft *a = &w->ahead;
    if (!a->n) return;
    vlm_draft_learn(&w->draft, a->n - a->n_own, a->n_right - a->n_own);
    w->n_again = verify_draft_has_pending(a) ? a->n_right : 0;
    if (w->n_again) verify_draft_drop(a, w->session);
    a->n = a->n_right = 0;
}

/* Appends a token to the answer. It is evaluated at the end of the step, unless
 * it was drafted. */
static void append_token(struct vlm_writer *w, int32_t token, bool chosen)
{
    struct vlm_session *s = w->session;
    struct span bytes = tokenizer_bytes(s->v->tokenizer, token);
    buf_add(&w->text, bytes.data, bytes.size);
    vlm_draft_note(&w->draft, buf_span(&w->text), chosen ? bytes.size : 0);
    bool guessed = verify_draft_accept(&w->ahead, s, token);
    if (chosen && !guessed) w->chose = true;
    *(guessed  ? &w->spent->n_drafted
      : chosen ? &w->spent->n_sampled
               : &w->spent->n_forced) += 1;
    if (!guessed || !verify_draft_has_pending(&w->ahead)) resolve_guess(w);
    if (!guessed) {
        assert(s->n_pending < VLM_PENDING_MAX);
        s->pending[s->n_pending++] = token;
    }
    if (sampler_feed_repeat(&w->repeat, token)) end_answer(w, VLM_FINISH_LOOP);
}

static int tokens_left(const struct vlm_writer *w)
{
    return w->request->max_tokens - w->answer->n_sampled - w->answer->n_forced;
}

/* Appends the forced tokens, at most `room`; with `whole` all of them or none.
 * False: none. */
static bool append_forced(struct vlm_writer *w, int room, bool whole)
{
    struct vlm_session *s = w->session;
    struct vlm_forced f = vlm_forced(s->v, w->constraint, room, s->scratch);
    int n = whole && f.cut ? 0 : f.tokens.n;
    for (int i = 0; i < n && w->session; i++) {
        constraint_accept(w->constraint, f.tokens.id[i]);
        sampler_note(w->sampler, f.tokens.id[i]);
        w->answer->n_forced++;
        append_token(w, f.tokens.id[i], false);
    }
    arena_reset(s->scratch);
    return n > 0;
}

void vlm_writer_append_forced(struct vlm_writer *w)
{
    if (!w->session || !w->choosing || !w->constraint) return;
    int room = w->session->v->device->steps - w->session->n_pending;
    if (room > tokens_left(w)) room = tokens_left(w);
    if (room > 0) append_forced(w, room, true);
}

void vlm_writer_plan(struct vlm_writer *w)
{
    const struct vlm_request *r = w->request;
    w->choosing = false;
    if (r->stop && r->stop(r->stop_arg)) {
        end_answer(w, VLM_FINISH_CANCELLED);
        return;
    }
    if (w->constraint && constraint_done(w->constraint)) {
        end_answer(w, VLM_FINISH_STOP);
        return;
    }
    if (tokens_left(w) <= 0) {
        end_answer(w, VLM_FINISH_LENGTH);
        return;
    }
    int room =
        tokens_left(w) < VLM_PENDING_MAX ? tokens_left(w) : VLM_PENDING_MAX;
    if (w->constraint && append_forced(w, room, false)) return;
    w->choosing = true;
    w->whole = true;
    if (!w->constraint || w->request->dictated.size) return;
    int n_legal = 0;
    bool start = false;
    constraint_mask(w->constraint, &n_legal);
    const char *leaf = constraint_leaf(w->constraint, &start);
    w->whole = start || !leaf || !vlm_leaves_is_last(&w->leaves, leaf) ||
               n_legal > w->session->v->shape->n_vocab / PICK_SHARE;
}

/* Lists the legal rows. */
static void pick_rows(struct vlm *v, struct vlm_writer *w)
{
    int n_legal = 0, n_word = (v->shape->n_vocab + 31) / 32;
    const uint32_t *mask = constraint_mask(w->constraint, &n_legal);
    w->n_picked = 0;
    for (int i = 0; i < n_word; i++)
        for (uint32_t bits = mask[i] & v->real[i]; bits; bits &= bits - 1)
            v->picked[w->n_picked++] = i * 32 + __builtin_ctz(bits);
}

/* A token counts for the leaf it continues. One that starts between leaves
 * counts for the leaf it ends in, if it holds more of it than an opening
 * quote. */
static void accept_choice(struct vlm_writer *w, const struct sampler_choice *c)
{
    bool start = false;
    const char *leaf = constraint_leaf(w->constraint, &start);
    bool inside = leaf != NULL;
    struct span bytes = tokenizer_bytes(w->session->v->tokenizer, c->token);
    if (inside)
        vlm_leaves_add(&w->leaves, leaf, c->token, c->p, c->p_legal, w->arena);
    constraint_accept(w->constraint, c->token);
    if (!inside) w->draft.between = c->token;
    leaf = constraint_leaf(w->constraint, &start);
    if (!inside && leaf && !start && bytes.size &&
        bytes.data[bytes.size - 1] != '"')
        vlm_leaves_add(&w->leaves, leaf, c->token, c->p, c->p_legal, w->arena);
}

/* The legal tokens that continue the dictated text. */
static const uint32_t *keep_dictated(struct vlm *v, struct vlm_writer *w,
                                     const uint32_t *legal)
{
    struct span all = w->request->dictated;
    int n_word = (v->shape->n_vocab + 31) / 32, n_kept = 0;
    size_t done = w->text.size, left = all.size > done ? all.size - done : 0;
    bool fits = left && !memcmp(w->text.data, all.data, done);
    for (int i = 0; i < n_word && fits; i++) {
        v->dictated[i] = 0;
        for (uint32_t bits = legal[i] & v->real[i]; bits; bits &= bits - 1) {
            int bit = __builtin_ctz(bits);
            struct span t = tokenizer_bytes(v->tokenizer, i * 32 + bit);
            if (!t.size || t.size > left ||
                memcmp(t.data, all.data + done, t.size) != 0)
                continue;
            v->dictated[i] |= 1u << bit;
            n_kept++;
        }
    }
    if (!n_kept)
        err_set(w->err, ERR_ARGS,
                "the dictated answer does not fit the grammar at byte %zu",
                done);
    return v->dictated;
}

struct sampler_input vlm_writer_sampler_input(struct vlm *v,
                                              struct vlm_writer *w,
                                              const float *logits)
{
    int n_legal = 0;
    struct sampler_input in = {.logits = logits,
                               .n = v->shape->n_vocab,
                               .mask = v->real,
                               .real = v->real,
                               .whole = w->constraint != NULL};
    if (w->constraint) in.mask = constraint_mask(w->constraint, &n_legal);
    if (w->constraint && w->request->dictated.size)
        in.mask = keep_dictated(v, w, in.mask);
    if (!w->whole) {
        in.id = v->picked;
        in.n = w->n_picked;
        in.whole = false;
    }
    return in;
}

void vlm_writer_append_choice(struct vlm *v, struct vlm_writer *w,
                              const struct sampler_choice *c)
{
    if (err_failed(w->err)) {
        w->session = NULL;
        return;
    }
    w->answer->n_sampled++;
    if (tokenizer_is_end(v->tokenizer, c->token)) {
        end_answer(w, VLM_FINISH_STOP);
        return;
    }
    if (w->constraint) accept_choice(w, c);
    append_token(w, c->token, true);
}

void vlm_writer_choose(struct vlm *v, struct vlm_writer *w, const float *logits)
{
    struct sampler_input in = vlm_writer_sampler_input(v, w, logits);
    struct sampler_choice c;
    sampler_pick(w->sampler, &in, &c, w->err);
    vlm_writer_append_choice(v, w, &c);
}

void vlm_writer_choose_ahead(struct vlm *v, struct vlm_writer *w)
{
    const float *logits = verify_draft_logits(&w->ahead, v);
    if (!w->whole) {
        pick_rows(v, w);
        for (int i = 0; i < w->n_picked; i++)
            v->logits[i] = logits[v->picked[i]];
        logits = v->logits;
    }
    vlm_writer_choose(v, w, logits);
}

void vlm_writer_choose_picked(struct vlm *v, struct vlm_writer *w)
{
    struct device_place last = {w->session->state, 0};
    pick_rows(v, w);
    device_head_rows(v->device, &last, 1, v->picked, w->n_picked, v->logits,
                     w->err);
    if (err_failed(w->err))
        w->session = NULL;
    else
        vlm_writer_choose(v, w, v->logits);
}

/* Evaluates rewound tokens on their own if all pending ones in one pass would
 * give other bits. */
static void read_again(struct vlm_writer *w)
{
    struct vlm_session *s = w->session;
    int n = w->n_again;
    w->n_again = 0;
    if (n == 0 || s->n_pending <= s->v->device->steps) return;
    struct vlm_part part = {.session = s, .token = s->pending, .n = n};
    vlm_read(s->v, &part, 1, w->err);
    s->n_pending -= n;
    memmove(s->pending, s->pending + n,
            (size_t)s->n_pending * sizeof *s->pending);
}

/* Drafts the following tokens, as many as the pass has room for. */
static void add_guess(struct vlm_writer *w, int room)
{
    struct vlm_session *s = w->session;
    int32_t token[VLM_AHEAD_MAX];
    int left = s->v->device->n_ctx - vlm_session_length(s);
    int most = s->v->device->steps < VLM_AHEAD_MAX ? s->v->device->steps
                                                   : VLM_AHEAD_MAX;
    most -= s->n_pending;
    if (most > room) most = room;
    if (most > left) most = left;
    if (most > tokens_left(w)) most = tokens_left(w);
    int n = vlm_draft_guess(&w->draft, s->v, w->constraint, buf_span(&w->text),
                            most, token, s->scratch);
    arena_reset(s->scratch);
    if (n == 0 && !w->request->dictated.size)
        n = vlm_mtp_guess(&w->draft, s, w->constraint, most, token, w->err);
    if (n > 0) verify_draft_add(&w->ahead, s, token, n, w->err);
    w->spent->n_guessed += n;
}

bool vlm_writer_part(struct vlm_writer *w, int *room, struct vlm_part *part)
{
    struct vlm_session *s = w->session;
    if (!s || !s->n_pending) return false;
    read_again(w);
    int own = s->n_pending;
    if (*room > 0) add_guess(w, *room);
    *room -= s->n_pending - own;
    int size = s->n_pending;
    s->n_pending = 0;
    w->answer->n_pass++;
    w->spent->n_pass++;
    if (!vlm_fits(s, size, w->err)) {
        w->session = NULL;
        return false;
    }
    *part = (struct vlm_part){.session = s, .token = s->pending, .n = size};
    return true;
}
