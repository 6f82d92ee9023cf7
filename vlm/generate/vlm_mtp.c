/* vlm_mtp.c - see vlm_mtp.h. */
#include "vlm/generate/vlm_mtp.h"

#include <string.h>

#include "vlm/generate/vlm_draft.h"
#include "vlm/sample/constraint.h"
#include "vlm/text/tokenizer.h"

enum {
    PENDING_MOST = 8, /* a draft after more of them is rarely right */
    ROWS_MOST = 65536 /* of the head: later tokens of a vocabulary are rare
                       * words, and a wrong draft costs less than their rows */
};

struct mtp_guess {
    struct vlm_session *s;
    struct constraint *c;
    int32_t token[VLM_AHEAD_MAX]; /* the session's pending ones and the draft */
    int n, most;                  /* of these */
    int n_fed;                    /* of these passed to the device */
    int n_guessed, guess_most;
    struct err *err;
};

/* Rows of the head to predict from. */
static int pick_rows(struct vlm *v, struct constraint *c)
{
    int n_legal = v->shape->n_vocab, n = 0, n_word = (n_legal + 31) / 32;
    const uint32_t *mask = c ? constraint_mask(c, &n_legal) : v->real;
    if (n_legal > ROWS_MOST / 4 && n_word > ROWS_MOST / 32)
        n_word = ROWS_MOST / 32;
    for (int i = 0; i < n_word; i++)
        for (uint32_t bits = mask[i] & v->real[i]; bits; bits &= bits - 1)
            v->picked[n++] = i * 32 + __builtin_ctz(bits);
    return n;
}

/* Passes the other tokens to the device; the logits of the picked rows after
 * them are in v->logits. */
static void feed_tokens(struct mtp_guess *g, int n_pick)
{
    struct vlm_session *s = g->s;
    struct position at[VLM_AHEAD_MAX];
    for (int i = g->n_fed; i < g->n; i++)
        at[i] = position_text(s->n_pos + i);
    const struct device_guess guess = {.state = s->state,
                                       .ahead = g->n_fed,
                                       .n = g->n - g->n_fed,
                                       .token = g->token + g->n_fed,
                                       .at = at + g->n_fed};
    device_guess(s->v->device, &guess, 1, s->v->picked, n_pick, s->v->logits,
                 g->err);
    g->n_fed = g->n;
}

/* The most probable next token; -1: none, or the end of the answer. */
static int32_t predict_next(struct mtp_guess *g)
{
    struct vlm *v = g->s->v;
    int n = pick_rows(v, g->c), best = 0;
    if (n == 0) return -1;
    feed_tokens(g, n);
    if (err_failed(g->err)) return -1;
    for (int i = 1; i < n; i++)
        if (v->logits[i] > v->logits[best]) best = i;
    int32_t token = v->picked[best];
    return tokenizer_is_end(v->tokenizer, token) ? -1 : token;
}

static bool add_token(struct mtp_guess *g, int32_t token)
{
    if (g->c && !constraint_accept(g->c, token)) return false;
    g->token[g->n++] = token;
    return true;
}

/* Adds the forced tokens after a prediction: all of them or none. */
static bool add_forced(struct mtp_guess *g)
{
    if (!g->c) return true;
    struct vlm_session *s = g->s;
    struct vlm_forced f = vlm_forced(s->v, g->c, g->most - g->n, s->scratch);
    for (int i = 0; i < f.tokens.n && !f.cut; i++)
        if (!add_token(g, f.tokens.id[i])) return false;
    return !f.cut;
}

static void add_guesses(struct mtp_guess *g)
{
    while (g->n < g->most && g->n_guessed < g->guess_most &&
           !(g->c && constraint_done(g->c))) {
        int32_t token = predict_next(g);
        if (token < 0 || !add_token(g, token)) break;
        g->n_guessed++;
        if (!add_forced(g)) break;
    }
}

static bool may_guess(const struct vlm_session *s, struct constraint *c)
{
    return s->v->device->guesses && !s->watch && s->state->n_past > 0 &&
           s->n_pending <= PENDING_MOST && !(c && constraint_forced(c).size);
}

int vlm_mtp_guess(struct vlm_draft *d, struct vlm_session *s,
                  struct constraint *c, int most, int32_t *token,
                  struct err *err)
{
    if (err_failed(err)) return 0;
    int n_own = s->n_pending, trust = d->trust[DRAFT_OWN].most;
    struct mtp_guess g = {
        .s = s,
        .c = c,
        .n = n_own,
        .most = most < VLM_AHEAD_MAX - n_own ? n_own + most : VLM_AHEAD_MAX,
        .guess_most = vlm_mtp_most(n_own, s->v->device->n_together),
        .err = err};
    if (g.guess_most > trust) g.guess_most = trust;
    if (most < 1 || g.guess_most < 1 || !may_guess(s, c) ||
        !vlm_draft_due(d, DRAFT_OWN))
        return 0;
    memcpy(g.token, s->pending, (size_t)n_own * sizeof *g.token);
    if (c) constraint_hold(c);
    add_guesses(&g);
    if (c) constraint_back(c);
    arena_reset(s->scratch);
    memcpy(token, g.token + n_own, (size_t)(g.n - n_own) * sizeof *token);
    return g.n - n_own;
}
