/* serve_peer.c - a client of the model server: its requests, their checks, replies
 * (serve_inside.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "vlm/base/arena.h"
#include "vlm/model_server/serve_inside.h"

/* Maps the area if it is large enough and sealed against shrinking. */
static char *map_area(int fd)
{
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st) != 0 ||
        st.st_size < WIRE_AREA)
        return NULL;
    void *area =
        mmap(NULL, WIRE_AREA, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return area == MAP_FAILED ? NULL : area;
}

static bool send_hello(const struct serve_context *r, int fd,
                       const struct err *why)
{
    struct wire_hello h = {.magic = WIRE_MAGIC};
    if (r->d)
        h = (struct wire_hello){.magic = WIRE_MAGIC,
                                .n_ctx = r->d->n_ctx,
                                .n_embd = r->d->n_embd,
                                .n_vocab = r->o->n_vocab,
                                .chunk = r->d->chunk,
                                .steps = r->d->steps,
                                .n_thread = r->d->n_thread,
                                .guesses = r->d->guesses,
                                .identity = r->o->identity};
    if (r->d) snprintf(h.label, sizeof h.label, "%s", r->d->label);
    if (why) {
        h.kind = (int32_t)why->kind;
        snprintf(h.text, sizeof h.text, "%s", why->text);
        snprintf(h.reason, sizeof h.reason, "%s",
                 why->reason ? why->reason : "");
    }
    return send(fd, &h, sizeof h, MSG_NOSIGNAL | MSG_DONTWAIT) ==
           (ssize_t)sizeof h;
}

struct serve_peer *serve_peer_new(const struct serve_context *r, int area,
                                  int fd, const struct err *why)
{
    char *mapped = map_area(area);
    if (mapped && send_hello(r, fd, why) && r->d) {
        struct serve_peer *p = mem_alloc(1, sizeof *p);
        p->fd = fd;
        p->area = mapped;
        return p;
    }
    if (mapped) munmap(mapped, WIRE_AREA);
    close(fd);
    return NULL;
}

static void close_job(struct serve_job *job)
{
    mem_free(job->copy);
    image_free(&job->image);
    *job = (struct serve_job){.open = false};
}

void serve_peer_free(struct serve_peer *p)
{
    close_job(&p->job);
    for (int i = 0; i < WIRE_PICTURES; i++)
        device_rows_free(p->rows[i]);
    for (int i = 0; i < WIRE_STATES; i++)
        device_state_free(p->state[i].state);
    munmap(p->area, WIRE_AREA);
    close(p->fd);
    mem_free(p);
}

void serve_peer_reply(struct serve_peer *p, const void *answer, size_t size,
                      const struct err *err)
{
    struct wire_reply reply = {.kind = (int32_t)err->kind,
                               .n_together = p->n_together};
    const struct device_rows *rows = p->job.request.op == WIRE_ENCODE
                                         ? p->rows[p->job.request.picture]
                                         : NULL;
    snprintf(reply.text, sizeof reply.text, "%.*s", WIRE_TEXT - 1, err->text);
    if (rows) {
        reply.n_y = rows->n_y;
        reply.n_x = rows->n_x;
    }
    /* after an error `answer` can be that of another client */
    if (answer && !err_failed(err)) memcpy(p->area, answer, size);
    close_job(&p->job);
    p->thinking = true;
    if (send(p->fd, &reply, sizeof reply, MSG_NOSIGNAL | MSG_DONTWAIT) !=
        (ssize_t)sizeof reply)
        p->gone = true;
}

/* --- checks -------------------------------------------------------------- */

static bool in_range(int x, int from, int to)
{
    return x >= from && x <= to;
}

/* Copies n elements of `size` bytes from the area at *at. */
static void *copy_array(const struct serve_peer *p, size_t *at, size_t n,
                        size_t size)
{
    if (n > (WIRE_AREA - *at) / size) return NULL;
    void *copy = mem_alloc(n ? n : 1, size);
    memcpy(copy, p->area + *at, n * size);
    *at += n * size;
    return copy;
}

static bool picture_is_good(const struct serve_peer *p,
                            const struct wire_request *a)
{
    if (a->picture < 0) return true;
    const struct device_rows *rows =
        a->picture < WIRE_PICTURES ? p->rows[a->picture] : NULL;
    return rows && in_range(a->picture_first, 0, rows->n_y * rows->n_x) &&
           in_range(a->n_picture, 0,
                    rows->n_y * rows->n_x - a->picture_first) &&
           in_range(a->picture_at, 0, a->n) &&
           in_range(a->n_picture, 0, a->n - a->picture_at);
}

/* Requested logits must be few and at the end. */
static bool tail_is_good(const struct serve_context *r,
                         const struct wire_request *a)
{
    int most = a->n < SERVE_ROWS ? a->n : SERVE_ROWS;
    if (!in_range(a->n_asked, 0, most)) return false;
    return a->n <= r->d->steps || !a->n_asked;
}

static bool answer_fits(const struct serve_context *r,
                        const struct wire_request *a)
{
    size_t logits = (size_t)a->n_asked * (size_t)r->o->n_vocab;
    return logits <= WIRE_AREA / sizeof(float);
}

static bool tokens_are_good(const struct serve_context *r, const int32_t *token,
                            int n)
{
    for (int i = 0; i < n; i++)
        if (!in_range(token[i], 0, r->o->n_vocab - 1)) return false;
    return true;
}

static bool places_are_good(const struct serve_context *r,
                            const struct position *at, int n)
{
    int most = 2 * r->d->n_ctx;
    for (int i = 0; i < n; i++)
        if (!in_range(at[i].t, 0, most) || !in_range(at[i].h, 0, most) ||
            !in_range(at[i].w, 0, most))
            return false;
    return true;
}

/* --- requests with a reply ----------------------------------------------- */

static struct serve_state *state_at(struct serve_peer *p, int number)
{
    return in_range(number, 0, WIRE_STATES - 1) && p->state[number].state
               ? &p->state[number]
               : NULL;
}

static bool open_forward(struct serve_context *r, struct serve_peer *p)
{
    struct serve_job *job = &p->job;
    const struct wire_request *a = &job->request;
    job->to = state_at(p, a->state);
    if (!job->to || !in_range(a->n, 1, r->d->n_ctx - job->to->state->n_past) ||
        !picture_is_good(p, a) || !tail_is_good(r, a) || !answer_fits(r, a))
        return false;
    size_t n = (size_t)a->n, at = 0;
    size_t tokens = n * sizeof *job->token, places = n * sizeof *job->at;
    char *copy = copy_array(p, &at, tokens + places, 1);
    if (!copy) return false;
    job->copy = copy;
    job->token = (const int32_t *)(void *)copy;
    job->at = (const struct position *)(void *)(copy + tokens);
    job->text = serve_prefix_text(&job->to->text, job);
    return tokens_are_good(r, job->token, a->n) &&
           places_are_good(r, job->at, a->n);
}

/* Tokens after those of the request before, or after the sequence. */
static bool open_guess(struct serve_context *r, struct serve_peer *p)
{
    struct serve_job *job = &p->job;
    const struct wire_request *a = &job->request;
    job->to = state_at(p, a->state);
    if (!r->d->guesses || !job->to || job->to->state->n_past == 0) return false;
    int room = r->d->n_ctx - job->to->state->n_past;
    if ((a->other && a->other != job->to->n_guessed) ||
        !in_range(a->n, 1, r->d->steps) ||
        !in_range(a->n, 1, room - a->other) ||
        !in_range(a->n_asked, 1, r->o->n_vocab))
        return false;
    size_t n = (size_t)a->n, at = 0;
    size_t tokens = n * sizeof *job->token, places = n * sizeof *job->at;
    size_t picks = (size_t)a->n_asked * sizeof *job->pick;
    char *copy = copy_array(p, &at, tokens + places + picks, 1);
    if (!copy) return false;
    job->copy = copy;
    job->token = (const int32_t *)(void *)copy;
    job->at = (const struct position *)(void *)(copy + tokens);
    job->pick = (const int32_t *)(void *)(copy + tokens + places);
    return tokens_are_good(r, job->token, a->n) &&
           places_are_good(r, job->at, a->n) &&
           tokens_are_good(r, job->pick, a->n_asked);
}

static bool open_head(struct serve_context *r, struct serve_peer *p)
{
    struct serve_job *job = &p->job;
    size_t at = 0;
    job->to = state_at(p, job->request.state);
    if (!job->to || job->to->state->n_past == 0) return false;
    if (job->request.op == WIRE_HEAD) return true;
    if (!in_range(job->request.n, 1, r->o->n_vocab)) return false;
    job->copy = copy_array(p, &at, (size_t)job->request.n, sizeof *job->token);
    job->token = job->copy;
    return job->copy && tokens_are_good(r, job->token, job->request.n);
}

static bool is_free_picture(const struct serve_peer *p, int number)
{
    return in_range(number, 0, WIRE_PICTURES - 1) && !p->rows[number];
}

/* An honest client's picture has at most max_pixels, and its sides are rounded to
 * the grid of the model. A larger one would keep all others waiting. */
static bool is_too_large(const struct serve_options *o, int64_t width,
                         int64_t height)
{
    enum { GRID_MOST = 64 };
    return o->max_pixels > 0 &&
           width * height > o->max_pixels + GRID_MOST * (width + height);
}

static bool open_encode(const struct serve_context *r, struct serve_peer *p)
{
    struct serve_job *job = &p->job;
    const struct wire_request *a = &job->request;
    struct err err = {0};
    if (!is_free_picture(p, a->picture) || !in_range(a->width, 1, WIRE_SIDE) ||
        !in_range(a->height, 1, WIRE_SIDE) ||
        (a->n_channel != 1 && a->n_channel != 3) ||
        is_too_large(r->o, a->width, a->height))
        return false;
    size_t size = (size_t)a->width * (size_t)a->height * (size_t)a->n_channel;
    if (size > WIRE_AREA) return false;
    job->image = image_new(a->width, a->height, a->n_channel, &err);
    if (err_failed(&err))
        serve_peer_reply(p, NULL, 0, &err);
    else
        memcpy(job->image.data, p->area, size);
    return true;
}

static bool open_state(struct serve_peer *p)
{
    int number = p->job.request.state;
    return in_range(number, 0, WIRE_STATES - 1) && !p->state[number].state;
}

void serve_peer_open_state(struct serve_context *r, struct serve_peer *p)
{
    int n = 0;
    struct err err = {0};
    for (int i = 0; i < r->n_peer; i++)
        for (int k = 0; k < WIRE_STATES; k++)
            n += r->peer[i]->state[k].state != NULL;
    if (n >= r->o->n_place) return;
    struct serve_state *s = &p->state[p->job.request.state];
    *s = (struct serve_state){.state = device_state_new(r->d, &err)};
    s->text.known = true;
    serve_peer_reply(p, NULL, 0, &err);
}

static bool open_job(struct serve_context *r, struct serve_peer *p)
{
    switch ((enum wire_op)p->job.request.op) {
    case WIRE_STATE_NEW: return open_state(p);
    case WIRE_FORWARD: return open_forward(r, p);
    case WIRE_HEAD:
    case WIRE_HEAD_ROWS: return open_head(r, p);
    case WIRE_GUESS: return open_guess(r, p);
    case WIRE_ENCODE: return open_encode(r, p);
    default: return false;
    }
}

/* --- posted requests ----------------------------------------------------- */

static bool mark_point(struct serve_state *s, int point)
{
    struct err err = {0};
    if (!in_range(point, 0, DEVICE_POINT_MAX - 1)) return false;
    device_mark(s->state, point, &err);
    s->point[point] = (struct serve_point){true, s->state->n_past, s->text};
    return !err_failed(&err);
}

static bool rewind_to(struct serve_state *s, int point)
{
    struct err err = {0};
    if (!in_range(point, 0, DEVICE_POINT_MAX - 1) || !s->point[point].marked)
        return false;
    device_rewind(s->state, point, &err);
    s->text = s->point[point].text;
    s->n_guessed = 0;
    for (int i = 0; i < DEVICE_POINT_MAX; i++)
        if (s->point[i].n_past > s->state->n_past) s->point[i].marked = false;
    return !err_failed(&err);
}

static void reset_text(struct serve_state *s)
{
    *s = (struct serve_state){.state = s->state, .text = {.known = true}};
}

static bool free_rows(struct serve_peer *p, int number)
{
    if (!in_range(number, 0, WIRE_PICTURES - 1) || !p->rows[number])
        return false;
    device_rows_free(p->rows[number]);
    p->rows[number] = NULL;
    return true;
}

static bool do_posted(struct serve_peer *p, const struct wire_request *a)
{
    struct serve_state *s = state_at(p, a->state);
    if (a->op == WIRE_ROWS_FREE) return free_rows(p, a->picture);
    if (!s) return false;
    switch (a->op) {
    case WIRE_MARK: return mark_point(s, a->other);
    case WIRE_REWIND: return rewind_to(s, a->other);
    case WIRE_STATE_CLEAR:
        device_state_clear(s->state);
        reset_text(s);
        return true;
    case WIRE_STATE_FREE:
        device_state_free(s->state);
        *s = (struct serve_state){.state = NULL};
        return true;
    default: return false;
    }
}

void serve_peer_receive(struct serve_context *r, struct serve_peer *p)
{
    struct wire_request request;
    ssize_t n = recv(p->fd, &request, sizeof request, MSG_DONTWAIT | MSG_TRUNC);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n != (ssize_t)sizeof request || p->job.open ||
        !in_range(request.op, 0, N_WIRE_OP - 1)) {
        p->gone = true;
        return;
    }
    p->thinking = false;
    if (request.op >= WIRE_POSTED) {
        p->thinking = true; /* a posted request precedes the next one */
        if (!do_posted(p, &request)) p->gone = true;
        return;
    }
    p->job = (struct serve_job){.open = true, .request = request};
    if (!open_job(r, p)) p->gone = true;
}
