/* serve.c - see serve.h. */
#define _GNU_SOURCE
#include "vlm/model_server/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/fd_pass.h"
#include "vlm/model_server/serve_inside.h"

/* --- passes of the device, for several clients -------------------------------- */

enum {
    PART = 128, /* tokens of a prompt that other clients' tokens wait for */
    ENOUGH = 8  /* answers in a pass that gain little from one more */
};

static void head_rows(struct serve_context *r, struct serve_peer *p)
{
    struct serve_job *job = &p->job;
    struct err err = {0};
    device_head_rows(r->d, &(struct device_place){job->to->state, 0}, 1,
                     job->token, job->request.n, r->logits, &err);
    serve_peer_reply(p, r->logits, (size_t)job->request.n * sizeof *r->logits,
                     &err);
}

/* Serves as many as fit; the others are served in the next call. */
static bool whole_heads(struct serve_context *r)
{
    struct device_place place[SERVE_ROWS];
    struct serve_peer *of[SERVE_ROWS];
    struct err err = {0};
    size_t row = (size_t)r->o->n_vocab;
    int n = 0;
    for (int i = 0; i < r->n_peer && n < SERVE_ROWS; i++) {
        if (!serve_requesting(r->peer[i], WIRE_HEAD)) continue;
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

bool serve_pass_heads(struct serve_context *r)
{
    bool any = whole_heads(r);
    for (int i = 0; i < r->n_peer; i++) {
        if (!serve_requesting(r->peer[i], WIRE_HEAD_ROWS)) continue;
        head_rows(r, r->peer[i]);
        any = true;
    }
    return any;
}

/* --- going forward ------------------------------------------------------- */

/* The runs of a pass, and their clients. */
struct serve_pass {
    struct device_run run[SERVE_PEERS_MAX];
    struct serve_peer *of[SERVE_PEERS_MAX];
    int first[SERVE_PEERS_MAX]; /* first row of each run in the pass */
    int n, n_row;
};

/* Sets the image rows among tokens done .. done + run->n - 1. */
static void cut_picture(const struct serve_peer *p, struct device_run *run)
{
    const struct wire_request *a = &p->job.request;
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
                               .left_out = job->request.left_out,
                               .prompt = job->request.prompt != 0};
    cut_picture(p, run);
    if (job->done + n == job->request.n) run->n_asked = job->request.n_asked;
    pass->first[pass->n] = pass->n_row;
    pass->of[pass->n++] = p;
    pass->n_row += n;
}

/* Is another client evaluating the same text? Its result will be cached. */
static bool same_text_in_progress(const struct serve_context *r,
                                  const struct serve_pass *pass,
                                  const struct serve_peer *p)
{
    const struct serve_job *job = &p->job;
    if (!job->text.known || job->done || job->request.n <= r->d->steps)
        return false;
    for (int i = 0; i < r->n_peer; i++) {
        const struct serve_peer *q = r->peer[i];
        bool begun = q->job.done > 0;
        for (int k = 0; k < pass->n; k++)
            begun = begun || pass->of[k] == q;
        if (q != p && begun && serve_requesting(q, WIRE_FORWARD) &&
            q->job.text.known &&
            !strcmp(q->job.text.hash.hex, job->text.hash.hex))
            return true;
    }
    return false;
}

/* Is its image being encoded, or a prompt evaluated? Other forward requests
 * belong to an answer, or are as short. */
static bool is_prefill(const struct serve_peer *p)
{
    return serve_requesting(p, WIRE_ENCODE) ||
           (serve_requesting(p, WIRE_FORWARD) && p->job.request.n > PART);
}

/* A few answers wait for the pages of other clients, to go on together: the
 * weights are then read once for all. None waits for more than one page and its
 * prompt per client. */
static bool answers_wait(const struct serve_context *r)
{
    bool reading = false;
    int n = 0;
    for (int i = 0; i < r->n_peer; i++) {
        const struct serve_peer *p = r->peer[i];
        reading = reading || is_prefill(p);
        if (!serve_requesting(p, WIRE_FORWARD) || is_prefill(p)) continue;
        if (++n == ENOUGH || p->n_waited >= 2 * r->n_peer) return false;
    }
    return reading;
}

/* The peer's page or prompt is done. */
static void note_waits(struct serve_context *r, struct serve_peer *done)
{
    for (int i = 0; i < r->n_peer; i++) {
        struct serve_peer *p = r->peer[i];
        p->n_waited += serve_requesting(p, WIRE_FORWARD) && !is_prefill(p);
    }
    done->n_waited = 0;
}

/* Adds the tokens of all answers, and the ends of prompts. If drafts are too many
 * for one pass, the next one begins with the first that is left. */
static void gather_steps(struct serve_context *r, struct serve_pass *pass)
{
    bool wait = answers_wait(r);
    int first = -1;
    for (int k = 0; k < r->n_peer; k++) {
        int i = (r->next_step + k) % r->n_peer;
        struct serve_peer *p = r->peer[i];
        int left = p->job.request.n - p->job.done;
        if (wait && !is_prefill(p)) continue;
        if (!serve_requesting(p, WIRE_FORWARD) || left > r->d->steps) continue;
        if (pass->n < r->d->n_run_max && pass->n_row + left <= r->d->n_row_max)
            add_run(pass, p, left);
        else if (first < 0)
            first = i;
    }
    if (first >= 0) r->next_step = first;
}

/* Adds parts of prompts and pages while rows are left, round-robin. */
static void gather_parts(struct serve_context *r, struct serve_pass *pass)
{
    bool company = pass->n > 0 || r->encoding;
    int chunk = r->d->chunk, room = r->d->n_row_max - pass->n_row, turn = -1;
    if (company && room > PART) room = PART;
    for (int k = 0; k < r->n_peer && pass->n < r->d->n_run_max; k++) {
        int i = (r->next + k) % r->n_peer;
        struct serve_peer *p = r->peer[i];
        int left = p->job.request.n - p->job.done;
        if (!serve_requesting(p, WIRE_FORWARD) || left <= r->d->steps ||
            same_text_in_progress(r, pass, p))
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
    return job->done == job->request.n;
}

/* Copies the logits requested by runs first .. last - 1 into their areas. */
static void copy_asked_rows(struct serve_context *r,
                            const struct serve_pass *pass, int first, int last,
                            struct err *err)
{
    struct device_place place[SERVE_ROWS];
    size_t vocab = (size_t)r->o->n_vocab;
    int n = 0;
    for (int i = first; i < last; i++) {
        int end = pass->first[i] + pass->run[i].n;
        for (int k = pass->run[i].n_asked; k > 0; k--)
            place[n++] = (struct device_place){NULL, end - k};
    }
    if (n == 0) return;
    device_head(r->d, place, n, r->logits, err);
    if (err_failed(err)) return; /* they are those of an earlier request */
    const float *from = r->logits;
    for (int i = first; i < last; i++) {
        size_t size = (size_t)pass->run[i].n_asked * vocab;
        memcpy(pass->of[i]->area, from, size * sizeof *from);
        from += size;
    }
}

static void copy_all_asked_rows(struct serve_context *r,
                                const struct serve_pass *pass, struct err *err)
{
    int first = 0, n = 0;
    for (int i = 0; i < pass->n; i++) {
        if (n + pass->run[i].n_asked > SERVE_ROWS) {
            copy_asked_rows(r, pass, first, i, err);
            first = i;
            n = 0;
        }
        n += pass->run[i].n_asked;
    }
    copy_asked_rows(r, pass, first, pass->n, err);
}

/* Is it writing an answer, or about to? */
static bool is_answering(const struct serve_peer *p)
{
    const struct serve_job *job = &p->job;
    return serve_requesting(p, WIRE_HEAD) ||
           serve_requesting(p, WIRE_HEAD_ROWS) ||
           serve_requesting(p, WIRE_GUESS) ||
           (serve_requesting(p, WIRE_FORWARD) &&
            (!is_prefill(p) || job->done == job->request.n));
}

/* Counts the answers that share passes. One that is late for a pass counts for a
 * while. */
static void count_answers(struct serve_context *r)
{
    int n = 0;
    for (int i = 0; i < r->n_peer; i++)
        n += is_answering(r->peer[i]);
    r->n_together = n < r->n_together ? r->n_together - 1 : n;
    for (int i = 0; i < r->n_peer; i++)
        r->peer[i]->n_together = r->n_together;
}

static void end_runs(struct serve_context *r, struct serve_pass *pass,
                     struct err *err)
{
    for (int i = 0; i < pass->n; i++)
        pass->of[i]->job.done += pass->run[i].n;
    count_answers(r);
    if (!err_failed(err)) copy_all_asked_rows(r, pass, err);
    for (int i = 0; i < pass->n; i++) {
        struct serve_peer *p = pass->of[i];
        struct serve_job *job = &p->job;
        if (!is_read(pass, i) && !err_failed(err)) continue;
        if (is_prefill(p)) note_waits(r, p);
        job->to->n_guessed = 0;
        job->to->text =
            err_failed(err) ? (struct serve_text){.known = false} : job->text;
        if (!err_failed(err)) serve_prefix_store(r, job);
        serve_peer_reply(p, NULL, 0, err);
    }
}

/* Completes requests whose text is a cached prefix, without a pass. */
static bool use_cached_prefixes(struct serve_context *r)
{
    struct err none = {0};
    bool any = false;
    for (int i = 0; i < r->n_peer; i++) {
        struct serve_peer *p = r->peer[i];
        if (!serve_requesting(p, WIRE_FORWARD) || p->job.done ||
            !serve_prefix_find(r, &p->job))
            continue;
        p->job.to->text = p->job.text;
        p->job.to->n_guessed = 0;
        serve_peer_reply(p, NULL, 0, &none);
        any = true;
    }
    return any;
}

bool serve_pass_forward(struct serve_context *r)
{
    struct serve_pass pass = {.n = 0};
    struct err err = {0};
    bool any = use_cached_prefixes(r);
    gather_steps(r, &pass);
    gather_parts(r, &pass);
    if (pass.n == 0) return any;
    double since = clock_seconds();
    device_forward(r->d, pass.run, pass.n, &err);
    end_runs(r, &pass, &err);
    r->pass_s = clock_seconds() - since;
    return true;
}

bool serve_pass_encode(struct serve_context *r)
{
    struct serve_peer *p = NULL;
    for (int k = 0; k < r->n_peer && !p; k++) {
        int i = (r->next + k) % r->n_peer;
        if (!serve_requesting(r->peer[i], WIRE_ENCODE)) continue;
        p = r->peer[i];
        r->next = i + 1;
    }
    if (!p) return false;
    struct err err = {0};
    r->encoding = p;
    r->sliced = clock_seconds();
    p->rows[p->job.request.picture] =
        device_encode_image(r->d, &p->job.image, &err);
    r->encoding = NULL;
    note_waits(r, p);
    serve_peer_reply(p, NULL, 0, &err);
    return true;
}

/* --- the loop ---------------------------------------------------------------- */

static const double idle_s = 1;

/* How long a pass waits for clients that just got a reply: a share of the last
 * pass's duration, between these limits. */
static const double patience_least_s = 0.0005, patience_most_s = 0.05;

enum { PATIENCE_SHARE = 4 };

/* Receives two descriptors of a new client, or returns false. */
static bool receive_fds(int listen_fd, int fds[2], bool *closed)
{
    int magic = 0;
    struct pollfd p = {.fd = listen_fd, .events = POLLIN};
    if (poll(&p, 1, 0) <= 0) return false;
    if (!fd_pass_receive(listen_fd, &magic, sizeof magic, fds, 2)) {
        *closed = p.revents & POLLHUP; /* and nothing is left to receive */
        return false;
    }
    if (magic == WIRE_MAGIC) return true;
    close(fds[0]);
    close(fds[1]);
    return false;
}

static void accept_peer(struct serve_context *r, const struct err *why)
{
    int fds[2];
    if (!receive_fds(r->o->listen_fd, fds, &r->closed)) return;
    struct serve_peer *p = r->n_peer < SERVE_PEERS_MAX
                               ? serve_peer_new(r, fds[0], fds[1], why)
                               : NULL;
    if (r->n_peer == SERVE_PEERS_MAX) close(fds[1]);
    close(fds[0]);
    if (p) r->peer[r->n_peer++] = p;
}

/* Frees clients that are gone, except the one being encoded. */
static void reap(struct serve_context *r)
{
    int n = 0;
    for (int i = 0; i < r->n_peer; i++) {
        struct serve_peer *p = r->peer[i];
        if (p->gone && p != r->encoding)
            serve_peer_free(p);
        else
            r->peer[n++] = p;
    }
    r->n_peer = n;
}

/* --- listening ----------------------------------------------------------- */

static void poll_for(struct pollfd *fds, nfds_t n, double wait_s)
{
    struct timespec t = {(time_t)wait_s,
                         (long)((wait_s - (double)(time_t)wait_s) * 1e9)};
    if (ppoll(fds, n, &t, NULL) >= 0) return;
    for (nfds_t i = 0; i < n; i++)
        fds[i].revents = 0; /* interrupted */
}

/* Receives from all clients; waits up to wait_s for the first. */
static void receive_all(struct serve_context *r, double wait_s)
{
    struct pollfd fds[SERVE_PEERS_MAX + 1];
    int n = r->n_peer;
    for (int i = 0; i < n; i++)
        fds[i] = (struct pollfd){.fd = r->peer[i]->gone ? -1 : r->peer[i]->fd,
                                 .events = POLLIN};
    fds[n] = (struct pollfd){.fd = r->closed ? -1 : r->o->listen_fd,
                             .events = POLLIN};
    poll_for(fds, (nfds_t)n + 1, wait_s);
    for (int i = 0; i < n; i++)
        if (fds[i].revents) serve_peer_receive(r, r->peer[i]);
    if (fds[n].revents) accept_peer(r, NULL);
    reap(r);
    for (int i = 0; i < r->n_peer; i++)
        if (r->peer[i]->job.open &&
            r->peer[i]->job.request.op == WIRE_STATE_NEW)
            serve_peer_open_state(r, r->peer[i]);
}

static bool any_thinking(const struct serve_context *r)
{
    for (int i = 0; i < r->n_peer; i++)
        if (r->peer[i]->thinking) return true;
    return false;
}

/* Waits until all clients that got a reply have sent a request, or time is
 * up. */
static void wait_for_requests(struct serve_context *r)
{
    double wait_s = r->pass_s / PATIENCE_SHARE;
    if (wait_s < patience_least_s) wait_s = patience_least_s;
    if (wait_s > patience_most_s) wait_s = patience_most_s;
    double until = clock_seconds() + wait_s, left = wait_s;
    receive_all(r, 0);
    for (; left > 0 && any_thinking(r); left = until - clock_seconds())
        receive_all(r, left);
    for (int i = 0; i < r->n_peer; i++)
        r->peer[i]->thinking = false;
}

/* --- working ------------------------------------------------------------- */

static bool work_once(struct serve_context *r)
{
    if (r->o->beat) r->o->beat(r->o->arg);
    wait_for_requests(r);
    return serve_pass_heads(r) || serve_pass_guesses(r) ||
           serve_pass_forward(r);
}

/* Serves answers for as long as the last part of the image took. */
static void between_parts(void *arg)
{
    struct serve_context *r = arg;
    double now = clock_seconds(), until = now + (now - r->sliced);
    while (work_once(r) && clock_seconds() < until)
        continue;
    r->sliced = clock_seconds();
}

/* Refuses every client with `why`. */
static void refuse_all(struct serve_context *r, const struct err *why)
{
    while (!r->closed) {
        struct pollfd listen_fd = {.fd = r->o->listen_fd, .events = POLLIN};
        if (r->o->beat) r->o->beat(r->o->arg);
        poll_for(&listen_fd, 1, idle_s);
        if (listen_fd.revents) accept_peer(r, why);
    }
}

void serve(struct device *d, const struct serve_options *o,
           const struct err *why, struct err *err)
{
    if (err_failed(err)) return;
    struct serve_context *r = mem_alloc(1, sizeof *r);
    r->d = d;
    r->o = o;
    if (!d) {
        refuse_all(r, why);
        mem_free(r);
        return;
    }
    d->between = between_parts;
    d->between_arg = r;
    serve_rows_new(r);
    while (!device_lost(d) && (!r->closed || r->n_peer)) {
        bool worked = work_once(r);
        /* between passes: answers alone never leave enough of a gap */
        if (!serve_pass_encode(r) && !worked) receive_all(r, idle_s);
        reap(r);
    }
    d->between = NULL;
    if (device_lost(d))
        err_reason(err, ERR_SYSTEM, "engine-error", "device %s is lost",
                   d->label);
    for (int i = 0; i < r->n_peer; i++)
        serve_peer_free(r->peer[i]);
    serve_cache_clear(r);
    serve_rows_free(r);
    mem_free(r);
}
