/* vlm_generate.c - generation of answers, several as a batch (vlm.h).
 *
 * A step of an answer is either a forced run (bytes that the grammar
 * determines, as tokens, evaluated at once) or one chosen token, with the
 * tokens forced after it and sometimes a draft of the following ones
 * (vlm_draft.h). A forced run needs no logits; the head is computed for chosen
 * tokens only, and for the legal rows only if these are few and no probability
 * over the whole vocabulary is needed.
 */
#include "vlm/base/clock.h"
#include "vlm/base/pool.h"
#include "vlm/generate/vlm_writer.h"
#include "vlm/session/vlm_inside.h"

struct vlm_batch {
    struct vlm *v;
    struct vlm_writer *writer[DEVICE_RUN_MAX];
    int n;
    struct vlm_part part[DEVICE_RUN_MAX];
};

struct vlm_batch *vlm_batch_new(struct vlm *v)
{
    struct vlm_batch *b = mem_alloc(1, sizeof *b);
    b->v = v;
    return b;
}

void vlm_batch_free(struct vlm_batch *b)
{
    if (!b) return;
    for (int i = 0; i < b->n; i++)
        vlm_writer_free(b->v, b->writer[i]);
    mem_free(b);
}

void vlm_batch_admit(struct vlm_batch *b, struct vlm_session *s,
                     const struct vlm_request *request, struct arena *arena,
                     struct vlm_answer *answer, struct err *err)
{
    if (err_failed(err)) return;
    struct vlm *v = b->v;
    *answer = (struct vlm_answer){0};
    if (b->n >= v->options.n_batch_max) {
        err_set(err, ERR_LIMIT, "%d answers in this batch already, at most %d",
                b->n, v->options.n_batch_max);
        return;
    }
    if (vlm_session_length(s) == 0) {
        err_set(err, ERR_ARGS, "the sequence is empty: feed a prompt first");
        return;
    }
    vlm_flush(s, err);
    if (err_failed(err)) return;
    struct vlm_writer *w = vlm_writer_new(s, request, arena, answer, err);
    if (w) b->writer[b->n++] = w;
}

bool vlm_batch_writing(const struct vlm_batch *b, const struct vlm_session *s)
{
    for (int i = 0; i < b->n; i++)
        if (b->writer[i]->session == s) return true;
    return false;
}

/* A device failure fails every answer of the batch. */
static void fail_writer(struct vlm_writer *w, const struct err *why)
{
    *w->err = *why;
    w->session = NULL;
}

/* Sampling of n answers in parallel. */
struct choosing {
    struct vlm_writer **writer;
    struct sampler_input input[DEVICE_RUN_MAX];
    struct sampler_choice choice[DEVICE_RUN_MAX];
};

static void pick_some(void *arg, int first, int last, int thread)
{
    struct choosing *c = arg;
    (void)thread;
    for (int i = first; i < last; i++)
        sampler_pick(c->writer[i]->sampler, &c->input[i], &c->choice[i],
                     c->writer[i]->err);
}

/* Uses all threads: sampling from a large vocabulary takes a millisecond. A
 * choice depends on its answer alone. */
static void pick_all(struct vlm *v, struct vlm_writer **w, int n)
{
    size_t vocab = (size_t)v->shape->n_vocab;
    bool apart = !v->pool || n < 2;
    for (int i = 0; i < n; i++)
        apart |= w[i]->request->dictated.size > 0;
    for (int i = 0; i < n && apart; i++)
        vlm_writer_choose(v, w[i], v->logits + (size_t)i * vocab);
    if (apart) return;
    struct choosing *c = mem_alloc(1, sizeof *c);
    c->writer = w;
    for (int i = 0; i < n; i++)
        c->input[i] =
            vlm_writer_sampler_input(v, w[i], v->logits + (size_t)i * vocab);
    pool_run(v->pool, n, 1, pick_some, c);
    for (int i = 0; i < n; i++)
        vlm_writer_append_choice(v, w[i], &c->choice[i]);
    mem_free(c);
}

/* Computes the head for all answers that need the whole vocabulary, in one
 * product, and samples. */
static void choose_whole(struct vlm_batch *b)
{
    struct vlm *v = b->v;
    struct vlm_writer *whole[DEVICE_RUN_MAX];
    struct device_place place[DEVICE_RUN_MAX];
    struct err err = {0};
    int n = 0;
    for (int i = 0; i < b->n; i++) {
        struct vlm_writer *w = b->writer[i];
        if (!w->session || !w->choosing || !w->whole) continue;
        if (verify_draft_has_logits(&w->ahead)) continue;
        place[n] = (struct device_place){w->session->state, 0};
        whole[n++] = w;
    }
    if (n == 0) return;
    device_head(v->device, place, n, v->logits, &err);
    for (int i = 0; i < n && err_failed(&err); i++)
        fail_writer(whole[i], &err);
    if (!err_failed(&err)) pick_all(v, whole, n);
}

static void choose_all(struct vlm_batch *b)
{
    choose_whole(b);
    for (int i = 0; i < b->n; i++) {
        struct vlm_writer *w = b->writer[i];
        if (!w->session || !w->choosing) continue;
        if (verify_draft_has_logits(&w->ahead))
            vlm_writer_choose_ahead(b->v, w);
        else if (!w->whole)
            vlm_writer_choose_picked(b->v, w);
    }
    for (int i = 0; i < b->n; i++)
        vlm_writer_append_forced(b->writer[i]);
}

/* Rows of a pass that are left for drafts. */
static int rows_left(const struct vlm_batch *b)
{
    int left = b->v->device->n_row_max;
    for (int i = 0; i < b->n; i++)
        if (b->writer[i]->session) left -= b->writer[i]->session->n_pending;
    return left;
}

/* Evaluates the tokens of this step, all sequences together. */
static void read_all(struct vlm_batch *b)
{
    struct vlm_writer *with_part[DEVICE_RUN_MAX];
    struct err err = {0};
    int n = 0, room = rows_left(b), row = 0;
    if (!b->v->device->is_remote) b->v->device->n_together = b->n;
    for (int i = 0; i < b->n; i++)
        if (vlm_writer_part(b->writer[i], &room, &b->part[n]))
            with_part[n++] = b->writer[i];
    vlm_read(b->v, b->part, n, &err);
    for (int i = 0; i < n; row += b->part[i++].n)
        if (err_failed(&err))
            fail_writer(with_part[i], &err);
        else if (verify_draft_has_pending(&with_part[i]->ahead))
            verify_draft_read(&with_part[i]->ahead, with_part[i]->session, row,
                              with_part[i]->err);
}

/* Adds the time since the last call to each answer, by what it did. */
static void add_step_time(struct vlm_batch *b, double *since)
{
    double now = clock_seconds(), spent = now - *since;
    *since = now;
    for (int i = 0; i < b->n; i++) {
        struct vlm_writer *w = b->writer[i];
        *(w->ahead.n ? &w->spent->drafted_s
          : w->chose ? &w->spent->sampled_s
                     : &w->spent->forced_s) += spent;
    }
}

static void drop_ended(struct vlm_batch *b)
{
    int n = 0;
    for (int i = 0; i < b->n; i++) {
        if (b->writer[i]->session)
            b->writer[n++] = b->writer[i];
        else
            vlm_writer_free(b->v, b->writer[i]);
    }
    b->n = n;
}

/* Plans the step of each answer without pending tokens; false if there is
 * none. */
static bool plan_all(struct vlm_batch *b)
{
    bool any = false;
    for (int i = 0; i < b->n; i++) {
        struct vlm_writer *w = b->writer[i];
        w->choosing = false;
        if (!w->session || w->session->n_pending) continue;
        vlm_writer_plan(w);
        any = true;
    }
    return any;
}

int vlm_batch_step(struct vlm_batch *b)
{
    double since = clock_seconds();
    for (int i = 0; i < b->n; i++)
        b->writer[i]->chose = false;
    while (plan_all(b)) {
        choose_all(b);
        add_step_time(b, &since);
    }
    read_all(b);
    add_step_time(b, &since);
    drop_ended(b);
    return b->n;
}

void vlm_generate_batch(struct vlm_session *const *s,
                        const struct vlm_request *const *request, int n,
                        struct arena *arena, struct vlm_answer *answer,
                        struct err *err)
{
    if (err_failed(err) || n <= 0) return;
    struct vlm_batch *b = vlm_batch_new(s[0]->v);
    struct err *own = mem_alloc((size_t)n, sizeof *own);
    int next = 0, most = s[0]->v->options.n_batch_max;
    do {
        while (next < n && b->n < most) {
            vlm_batch_admit(b, s[next], request[next], arena, &answer[next],
                            &own[next]);
            next++;
        }
    } while (vlm_batch_step(b) || next < n);
    for (int i = 0; i < n && !err_failed(err); i++)
        if (err_failed(&own[i])) *err = own[i];
    mem_free(own);
    vlm_batch_free(b);
}

void vlm_generate(struct vlm_session *s, const struct vlm_request *request,
                  struct arena *arena, struct vlm_answer *answer,
                  struct err *err)
{
    vlm_generate_batch(&s, &request, 1, arena, answer, err);
}
