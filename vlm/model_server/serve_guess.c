/* serve_guess.c - drafts by multi-token prediction, of several clients together
 * (serve.h). */
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/model_server/serve_inside.h"

_Static_assert(DEVICE_GUESS_MAX <= (int)SERVE_ROWS, "logits of all fit");

void serve_rows_new(struct serve_context *r)
{
    size_t vocab = (size_t)r->o->n_vocab;
    r->logits = device_floats_new(r->d, SERVE_ROWS * vocab);
    r->picks.column = mem_alloc(vocab, sizeof *r->picks.column);
    r->picks.row = mem_alloc(vocab, sizeof *r->picks.row);
}

void serve_rows_free(struct serve_context *r)
{
    device_floats_free(r->d, r->logits);
    mem_free(r->picks.column);
    mem_free(r->picks.row);
}

/* The rows of the head that drafts 0 .. n - 1 want, each once and in order:
 * row[], and column[row] is the number after it. Returns how many. */
static int union_of_picks(struct serve_picks *all, int n_vocab,
                          struct serve_peer *const *of, int n)
{
    int n_row = 0;
    memset(all->column, 0, (size_t)n_vocab * sizeof *all->column);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < of[i]->job.request.n_asked; k++)
            all->column[of[i]->job.pick[k]] = 1;
    for (int row = 0; row < n_vocab; row++) {
        if (!all->column[row]) continue;
        all->row[n_row++] = row;
        all->column[row] = n_row;
    }
    return n_row;
}

static void reply_guess(struct serve_peer *p, const struct serve_picks *all,
                        const float *logits, const struct err *err)
{
    struct serve_job *job = &p->job;
    const struct wire_request *a = &job->request;
    float *out = (float *)(void *)p->area;
    for (int k = 0; k < a->n_asked && !err_failed(err); k++)
        out[k] = logits[all->column[job->pick[k]] - 1];
    job->to->n_guessed = err_failed(err) ? 0 : a->other + a->n;
    serve_peer_reply(p, NULL, 0, err);
}

/* The weights are read once for the drafts of all, as in a pass. */
bool serve_pass_guesses(struct serve_context *r)
{
    struct device_guess guess[DEVICE_GUESS_MAX];
    struct serve_peer *of[DEVICE_GUESS_MAX];
    struct err err = {0};
    int n = 0, most = r->d->n_run_max;
    if (most > DEVICE_GUESS_MAX) most = DEVICE_GUESS_MAX;
    for (int i = 0; i < r->n_peer && n < most; i++) {
        const struct serve_job *job = &r->peer[i]->job;
        if (!serve_requesting(r->peer[i], WIRE_GUESS)) continue;
        guess[n] = (struct device_guess){.state = job->to->state,
                                         .ahead = job->request.other,
                                         .n = job->request.n,
                                         .token = job->token,
                                         .at = job->at};
        of[n++] = r->peer[i];
    }
    if (n == 0) return false;
    int n_row = union_of_picks(&r->picks, r->o->n_vocab, of, n);
    device_guess(r->d, guess, n, r->picks.row, n_row, r->logits, &err);
    for (int i = 0; i < n; i++)
        reply_guess(of[i], &r->picks, r->logits + (size_t)i * (size_t)n_row,
                    &err);
    return true;
}
