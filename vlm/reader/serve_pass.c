/* serve_pass.c - the work of a reader, put together from what its clients ask
 * (serve.h). */
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/base/now.h"
#include "vlm/reader/serve_inside.h"

enum {
    PART = 128, /* tokens of a prompt that others' tokens wait for */
    ENOUGH = 8  /* answers that gain little from one more */
};

static bool asks(const struct serve_peer *p, enum wire_op op)
{
    return p->job.open && !p->gone && p->job.ask.op == (int)op;
}

/* --- predictions --------------------------------------------------------- */

static void head_rows(struct serve_room *r, struct serve_peer *p)
{
    struct serve_job *job = &p->job;
    struct err err = {0};
    device_head_rows(r->d, &(struct device_place){job->to->state, 0}, 1,
                     job->token, job->ask.n, r->logits, &err);
    serve_peer_reply(p, r->logits, (size_t)job->ask.n * sizeof *r->logits,
                     &err);
}

/* As many as there is room for; the others have their turn at once. */
static bool whole_heads(struct serve_room *r)
{
    struct device_place place[SERVE_ROWS];
    struct serve_peer *of[SERVE_ROWS];
    struct err err = {0};
    size_t row = (size_t)r->o->n_vocab;
    int n = 0;
    for (int i = 0; i < r->n_peer && n < SERVE_ROWS; i++) {
        if (!asks(r->peer[i], WIRE_HEAD)) continue;
        place[n] = (struct device_place){r->peer[i]->job.to->state, 0};
        of[n++] = r->peer[i];
    }
    if (n == 0) return false;
    device_head(r->d, place, n, r->logits, &err);
    for (int i = 0; i < n; i++)
        serve_peer_reply(of[i], r->logits + (size_t)i * row,
                         row * sizeof *r->logits, &err);
    return true;
}

bool serve_pass_heads(struct serve_room *r)
{
    bool any = whole_heads(r);
    for (int i = 0; i < r->n_peer; i++) {
        if (!asks(r->peer[i], WIRE_HEAD_ROWS)) continue;
        head_rows(r, r->peer[i]);
        any = true;
    }
    return any;
}

/* --- going forward ------------------------------------------------------- */

/* The runs of a pass, and whose they are. */
struct serve_pass {
    struct device_run run[SERVE_PEERS_MAX];
    struct serve_peer *of[SERVE_PEERS_MAX];
    int first[SERVE_PEERS_MAX]; /* row of the pass */
    int n, n_row;
};

/* Which of the picture's rows stand in tokens done .. done + run->n - 1. */
static void cut_picture(const struct serve_peer *p, struct device_run *run)
{
    const struct wire_ask *a = &p->job.ask;
    int done = p->job.done;
    if (a->picture < 0) return;
    int end = a->picture_at + a->n_picture;
    int first = done > a->picture_at ? done : a->picture_at;
    if (end > done + run->n) end = done + run->n;
    if (first >= end) return;
    run->picture = p->rows[a->picture];
    run->picture_first = a->picture_first + first - a->picture_at;
    run->picture_at = first - done;
    run->n_picture = end - first;
}

static void add_run(struct serve_pass *pass, struct serve_peer *p, int n)
{
    struct serve_job *job = &p->job;
    struct device_run *run = &pass->run[pass->n];
    *run = (struct device_run){.state = job->to->state,
                               .n = n,
                               .token = job->token + job->done,
                               .at = job->at + job->done,
                               .left_out = job->ask.left_out};
    cut_picture(p, run);
    if (job->done + n == job->ask.n) {
        run->n_asked = job->ask.n_asked;
        job->attention.from = job->ask.from - job->done;
        if (job->ask.n_head) run->attention = &job->attention;
    }
    pass->first[pass->n] = pass->n_row;
    pass->of[pass->n++] = p;
    pass->n_row += n;
}

/* The same text is being read by another: it will be kept. */
static bool has_twin(const struct serve_room *r, const struct serve_pass *pass,
                     const struct serve_peer *p)
{
    const struct serve_job *job = &p->job;
    if (!job->text.known || job->done || job->ask.n <= r->d->steps)
        return false;
    for (int i = 0; i < r->n_peer; i++) {
        const struct serve_peer *q = r->peer[i];
        bool begun = q->job.done > 0;
        for (int k = 0; k < pass->n; k++)
            begun = begun || pass->of[k] == q;
        if (q != p && begun && asks(q, WIRE_FORWARD) && q->job.text.known &&
            !strcmp(q->job.text.hash.hex, job->text.hash.hex))
            return true;
    }
    return false;
}

/* Is its page looked at, or a prompt read? All else that goes forward is of an
 * answer, or as short. */
static bool reads(const struct serve_peer *p)
{
    return asks(p, WIRE_LOOK) || (asks(p, WIRE_FORWARD) && p->job.ask.n > PART);
}

/* Few answers wait for the pages that others are reading, to go on with theirs:
 * the weights are then read once for all. But none waits for more than a page and
 * its prompt of each. */
static bool answers_wait(const struct serve_room *r)
{
    bool reading = false;
    int n = 0;
    for (int i = 0; i < r->n_peer; i++) {
        const struct serve_peer *p = r->peer[i];
        reading = reading || reads(p);
        if (!asks(p, WIRE_FORWARD) || reads(p)) continue;
        if (++n == ENOUGH || p->n_waited >= 2 * r->n_peer) return false;
    }
    return reading;
}

/* The peer's page or prompt was read. */
static void note_waits(struct serve_room *r, struct serve_peer *reader)
{
    for (int i = 0; i < r->n_peer; i++) {
        struct serve_peer *p = r->peer[i];
        p->n_waited += asks(p, WIRE_FORWARD) && !reads(p);
    }
    reader->n_waited = 0;
}

/* Tokens of answers, all of them, and ends of prompts. */
static void gather_steps(const struct serve_room *r, struct serve_pass *pass)
{
    bool wait = answers_wait(r);
    for (int i = 0; i < r->n_peer; i++) {
        struct serve_peer *p = r->peer[i];
        int left = p->job.ask.n - p->job.done;
        if (wait && !reads(p)) continue;
        if (asks(p, WIRE_FORWARD) && left <= r->d->steps &&
            pass->n < r->d->n_run_max && pass->n_row + left <= r->d->n_row_max)
            add_run(pass, p, left);
    }
}

/* Parts of prompts and pages where there is room, by turns. */
static void gather_parts(struct serve_room *r, struct serve_pass *pass)
{
    bool company = pass->n > 0 || r->looker;
    int chunk = r->d->chunk, room = r->d->n_row_max - pass->n_row, turn = -1;
    if (company && room > PART) room = PART;
    for (int k = 0; k < r->n_peer && pass->n < r->d->n_run_max; k++) {
        int i = (r->next + k) % r->n_peer;
        struct serve_peer *p = r->peer[i];
        int left = p->job.ask.n - p->job.done;
        if (!asks(p, WIRE_FORWARD) || left <= r->d->steps ||
            has_twin(r, pass, p))
            continue;
        int n = left <= room ? left : room / chunk * chunk;
        if (n == 0) continue;
        add_run(pass, p, n);
        room -= n;
        if (turn < 0) turn = i + 1;
    }
    if (turn >= 0) r->next = turn;
}

static bool is_read(const struct serve_pass *pass, int i)
{
    const struct serve_job *job = &pass->of[i]->job;
    return job->done == job->ask.n;
}

/* The rows that runs first .. last - 1 asked for, behind their attention. */
static void bring_rows(struct serve_room *r, const struct serve_pass *pass,
                       int first, int last, struct err *err)
{
    struct device_place place[SERVE_ROWS];
    size_t vocab = (size_t)r->o->n_vocab;
    int n = 0;
    for (int i = first; i < last; i++) {
        int behind = pass->first[i] + pass->run[i].n - 1;
        for (int k = pass->run[i].n_asked; k > 0; k--)
            place[n++] = (struct device_place){NULL, behind - k};
    }
    if (n == 0) return;
    device_head(r->d, place, n, r->logits, err);
    const float *from = r->logits;
    for (int i = first; i < last; i++) {
        size_t size = (size_t)pass->run[i].n_asked * vocab;
        float *out = (float *)(void *)pass->of[i]->area;
        memcpy(out + pass->of[i]->job.n_weight, from, size * sizeof *out);
        from += size;
    }
}

static void bring_all_rows(struct serve_room *r, const struct serve_pass *pass,
                           struct err *err)
{
    int first = 0, n = 0;
    for (int i = 0; i < pass->n; i++) {
        if (n + pass->run[i].n_asked > SERVE_ROWS) {
            bring_rows(r, pass, first, i, err);
            first = i;
            n = 0;
        }
        n += pass->run[i].n_asked;
    }
    bring_rows(r, pass, first, pass->n, err);
}

static void end_runs(struct serve_room *r, struct serve_pass *pass,
                     struct err *err)
{
    for (int i = 0; i < pass->n; i++)
        pass->of[i]->job.done += pass->run[i].n;
    if (!err_failed(err)) bring_all_rows(r, pass, err);
    for (int i = 0; i < pass->n; i++) {
        struct serve_peer *p = pass->of[i];
        struct serve_job *job = &p->job;
        if (!is_read(pass, i) && !err_failed(err)) continue;
        if (reads(p)) note_waits(r, p);
        job->to->text = job->text;
        if (!err_failed(err)) serve_shelf_keep(r, job);
        serve_peer_reply(p, job->attention.weight,
                         job->n_weight * sizeof(float), err);
    }
}

/* Who begins with what is kept needs no pass. */
static bool take_kept(struct serve_room *r)
{
    struct err none = {0};
    bool any = false;
    for (int i = 0; i < r->n_peer; i++) {
        struct serve_peer *p = r->peer[i];
        if (!asks(p, WIRE_FORWARD) || p->job.done ||
            !serve_shelf_find(r, &p->job))
            continue;
        p->job.to->text = p->job.text;
        serve_peer_reply(p, NULL, 0, &none);
        any = true;
    }
    return any;
}

bool serve_pass_forward(struct serve_room *r)
{
    struct serve_pass pass = {.n = 0};
    struct err err = {0};
    bool any = take_kept(r);
    gather_steps(r, &pass);
    gather_parts(r, &pass);
    if (pass.n == 0) return any;
    double since = now_seconds();
    device_forward(r->d, pass.run, pass.n, &err);
    end_runs(r, &pass, &err);
    r->pass_s = now_seconds() - since;
    return true;
}

/* --- pictures ------------------------------------------------------------ */

bool serve_pass_look(struct serve_room *r)
{
    struct serve_peer *p = NULL;
    for (int k = 0; k < r->n_peer && !p; k++) {
        int i = (r->next + k) % r->n_peer;
        if (!asks(r->peer[i], WIRE_LOOK)) continue;
        p = r->peer[i];
        r->next = i + 1;
    }
    if (!p) return false;
    struct err err = {0};
    r->looker = p;
    r->sliced = now_seconds();
    p->rows[p->job.ask.picture] = device_look(r->d, &p->job.image, &err);
    r->looker = NULL;
    note_waits(r, p);
    serve_peer_reply(p, NULL, 0, &err);
    return true;
}
