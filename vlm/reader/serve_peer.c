/* serve_peer.c - one client of a reader: what it may ask, and its answers (serve.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vlm/base/arena.h"
#include "vlm/reader/serve_inside.h"

/* --- coming and going ---------------------------------------------------- */

/* Mapped, if it is as large as it must be and stays so. */
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

static bool say_hello(const struct serve_room *r, int fd, const char *why)
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
                                .identity = r->o->identity};
    if (r->d) snprintf(h.label, sizeof h.label, "%s", r->d->label);
    snprintf(h.text, sizeof h.text, "%s", why);
    return send(fd, &h, sizeof h, MSG_NOSIGNAL | MSG_DONTWAIT) ==
           (ssize_t)sizeof h;
}

struct serve_peer *serve_peer_new(const struct serve_room *r, int area, int fd,
                                  const char *why)
{
    char *mapped = map_area(area);
    if (mapped && say_hello(r, fd, why) && r->d) {
        struct serve_peer *p = mem_take(1, sizeof *p);
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
    mem_give(job->copy);
    image_free(&job->image);
    mem_give(job->attention.weight);
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
    mem_give(p);
}

void serve_peer_reply(struct serve_peer *p, const void *answer, size_t size,
                      const struct err *err)
{
    struct wire_reply reply = {.kind = (int32_t)err->kind};
    const struct device_rows *rows =
        p->job.ask.op == WIRE_LOOK || p->job.ask.op == WIRE_ROWS_NEW
            ? p->rows[p->job.ask.picture]
            : NULL;
    snprintf(reply.text, sizeof reply.text, "%.*s", WIRE_TEXT - 1, err->text);
    if (rows) {
        reply.n_y = rows->n_y;
        reply.n_x = rows->n_x;
    }
    if (answer) memcpy(p->area, answer, size);
    close_job(&p->job);
    p->thinking = true;
    if (send(p->fd, &reply, sizeof reply, MSG_NOSIGNAL | MSG_DONTWAIT) !=
        (ssize_t)sizeof reply)
        p->gone = true;
}

/* --- checks -------------------------------------------------------------- */

static bool in(int x, int from, int to)
{
    return x >= from && x <= to;
}

/* n things of `size` bytes each, copied from the area at *at. */
static void *take(const struct serve_peer *p, size_t *at, size_t n, size_t size)
{
    if (n > (WIRE_AREA - *at) / size) return NULL;
    void *copy = mem_take(n ? n : 1, size);
    memcpy(copy, p->area + *at, n * size);
    *at += n * size;
    return copy;
}

static bool picture_is_good(const struct serve_peer *p,
                            const struct wire_ask *a)
{
    if (a->picture < 0) return true;
    const struct device_rows *rows =
        a->picture < WIRE_PICTURES ? p->rows[a->picture] : NULL;
    return rows && in(a->picture_first, 0, rows->n_y * rows->n_x) &&
           in(a->n_picture, 0, rows->n_y * rows->n_x - a->picture_first) &&
           in(a->picture_at, 0, a->n) &&
           in(a->n_picture, 0, a->n - a->picture_at);
}

/* Rows that are asked for, or looked from, are few and at the end. */
static bool tail_is_good(const struct serve_room *r, const struct wire_ask *a)
{
    int most = a->n - 1 < SERVE_ROWS ? a->n - 1 : SERVE_ROWS;
    if (!in(a->n_asked, 0, most)) return false;
    if (a->n > r->d->steps && a->n_asked) return false;
    if (a->n_head == 0) return true;
    int least = a->n > r->d->steps ? a->n - 1 : 0;
    return in(a->n_head, 1, WIRE_HEADS) && in(a->from, least, a->n - 1) &&
           in(a->first, 0, r->d->n_ctx) &&
           in(a->n_key, 1, r->d->n_ctx - a->first);
}

static size_t weights_of(const struct wire_ask *a)
{
    return a->n_head
               ? (size_t)(a->n - a->from) * (size_t)a->n_head * (size_t)a->n_key
               : 0;
}

static bool answer_fits(const struct serve_room *r, const struct wire_ask *a)
{
    size_t logits = (size_t)a->n_asked * (size_t)r->o->n_vocab;
    return weights_of(a) + logits <= WIRE_AREA / sizeof(float);
}

static bool tokens_are_good(const struct serve_room *r, const int32_t *token,
                            int n)
{
    for (int i = 0; i < n; i++)
        if (!in(token[i], 0, r->o->n_vocab - 1)) return false;
    return true;
}

static bool places_are_good(const struct serve_room *r,
                            const struct position *at, int n)
{
    int most = 2 * r->d->n_ctx;
    for (int i = 0; i < n; i++)
        if (!in(at[i].t, 0, most) || !in(at[i].h, 0, most) ||
            !in(at[i].w, 0, most))
            return false;
    return true;
}

static bool heads_are_good(const struct device_head *head, int n)
{
    for (int i = 0; i < n; i++)
        if (!in(head[i].layer, 0, 1 << 16) || !in(head[i].head, 0, 1 << 16))
            return false;
    return true;
}

/* --- what waits for an answer -------------------------------------------- */

static struct serve_state *state_at(struct serve_peer *p, int number)
{
    return in(number, 0, WIRE_STATES - 1) && p->state[number].state
               ? &p->state[number]
               : NULL;
}

static bool open_forward(struct serve_room *r, struct serve_peer *p)
{
    struct serve_job *job = &p->job;
    const struct wire_ask *a = &job->ask;
    job->to = state_at(p, a->state);
    if (!job->to || !in(a->n, 1, r->d->n_ctx - job->to->state->n_past) ||
        !picture_is_good(p, a) || !tail_is_good(r, a) || !answer_fits(r, a))
        return false;
    size_t n = (size_t)a->n, n_head = (size_t)a->n_head, at = 0;
    size_t tokens = n * sizeof *job->token, places = n * sizeof *job->at;
    char *copy =
        take(p, &at, tokens + places + n_head * sizeof(struct device_head), 1);
    if (!copy) return false;
    job->copy = copy;
    job->token = (const int32_t *)(void *)copy;
    job->at = (const struct position *)(void *)(copy + tokens);
    job->attention = (struct device_attention){
        .head = (const struct device_head *)(void *)(copy + tokens + places),
        .n_head = a->n_head,
        .from = a->from,
        .first = a->first,
        .n_key = a->n_key};
    job->n_weight = weights_of(a);
    if (a->n_head)
        job->attention.weight = mem_take(job->n_weight, sizeof(float));
    job->text = serve_shelf_text(&job->to->text, job);
    return tokens_are_good(r, job->token, a->n) &&
           places_are_good(r, job->at, a->n) &&
           heads_are_good(job->attention.head, a->n_head);
}

static bool open_head(struct serve_room *r, struct serve_peer *p)
{
    struct serve_job *job = &p->job;
    size_t at = 0;
    job->to = state_at(p, job->ask.state);
    if (!job->to || job->to->state->n_past == 0) return false;
    if (job->ask.op == WIRE_HEAD) return true;
    if (!in(job->ask.n, 1, r->o->n_vocab)) return false;
    job->copy = take(p, &at, (size_t)job->ask.n, sizeof *job->token);
    job->token = job->copy;
    return job->copy && tokens_are_good(r, job->token, job->ask.n);
}

static bool is_free_picture(const struct serve_peer *p, int number)
{
    return in(number, 0, WIRE_PICTURES - 1) && !p->rows[number];
}

static bool open_look(struct serve_peer *p)
{
    struct serve_job *job = &p->job;
    const struct wire_ask *a = &job->ask;
    struct err err = {0};
    if (!is_free_picture(p, a->picture) || !in(a->width, 1, WIRE_SIDE) ||
        !in(a->height, 1, WIRE_SIDE) ||
        (a->n_channel != 1 && a->n_channel != 3))
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

/* Rows made elsewhere, at once. */
static bool take_rows(struct serve_room *r, struct serve_peer *p)
{
    const struct wire_ask *a = &p->job.ask;
    struct err err = {0};
    size_t at = 0;
    if (!is_free_picture(p, a->picture) || !in(a->width, 1, WIRE_SIDE) ||
        !in(a->height, 1, WIRE_SIDE) ||
        !in(a->height, 1, r->d->n_ctx / a->width))
        return false;
    float *rows = take(p, &at, (size_t)a->width * (size_t)a->height,
                       (size_t)r->d->n_embd * sizeof *rows);
    if (!rows) return false;
    p->rows[a->picture] =
        device_rows_new(r->d, rows, a->height, a->width, &err);
    mem_give(rows);
    serve_peer_reply(p, NULL, 0, &err);
    return true;
}

static bool give_rows(struct serve_room *r, struct serve_peer *p)
{
    int number = p->job.ask.picture;
    struct err err = {0};
    const struct device_rows *rows =
        in(number, 0, WIRE_PICTURES - 1) ? p->rows[number] : NULL;
    if (!rows) return false;
    size_t size = (size_t)rows->n_y * (size_t)rows->n_x * (size_t)r->d->n_embd *
                  sizeof(float);
    if (size > WIRE_AREA) return false;
    float *copy = mem_take(1, size);
    device_rows_read(rows, copy, &err);
    serve_peer_reply(p, copy, size, &err);
    mem_give(copy);
    return true;
}

static bool open_place(struct serve_peer *p)
{
    int number = p->job.ask.state;
    return in(number, 0, WIRE_STATES - 1) && !p->state[number].state;
}

void serve_peer_place(struct serve_room *r, struct serve_peer *p)
{
    int n = 0;
    struct err err = {0};
    for (int i = 0; i < r->n_peer; i++)
        for (int k = 0; k < WIRE_STATES; k++)
            n += r->peer[i]->state[k].state != NULL;
    if (n >= r->o->n_place) return;
    struct serve_state *s = &p->state[p->job.ask.state];
    *s = (struct serve_state){.state = device_state_new(r->d, &err)};
    s->text.known = true;
    serve_peer_reply(p, NULL, 0, &err);
}

static bool open_job(struct serve_room *r, struct serve_peer *p)
{
    switch ((enum wire_op)p->job.ask.op) {
    case WIRE_STATE_NEW: return open_place(p);
    case WIRE_FORWARD: return open_forward(r, p);
    case WIRE_HEAD:
    case WIRE_HEAD_ROWS: return open_head(r, p);
    case WIRE_LOOK: return open_look(p);
    case WIRE_ROWS_NEW: return take_rows(r, p);
    case WIRE_ROWS_READ: return give_rows(r, p);
    default: return false;
    }
}

/* --- what is done at once ------------------------------------------------ */

static bool mark(struct serve_state *s, int point)
{
    struct err err = {0};
    if (!in(point, 0, DEVICE_POINT_MAX - 1)) return false;
    device_mark(s->state, point, &err);
    s->point[point] = (struct serve_point){true, s->state->n_past, s->text};
    return !err_failed(&err);
}

static bool rewind_to(struct serve_state *s, int point)
{
    struct err err = {0};
    if (!in(point, 0, DEVICE_POINT_MAX - 1) || !s->point[point].marked)
        return false;
    device_rewind(s->state, point, &err);
    s->text = s->point[point].text;
    for (int i = 0; i < DEVICE_POINT_MAX; i++)
        if (s->point[i].n_past > s->state->n_past) s->point[i].marked = false;
    return !err_failed(&err);
}

static void begin_anew(struct serve_state *s)
{
    *s = (struct serve_state){.state = s->state, .text = {.known = true}};
}

static bool copy_state(struct serve_peer *p, struct serve_state *s, int other)
{
    struct err err = {0};
    const struct serve_state *from = state_at(p, other);
    if (!from || from == s) return false;
    begin_anew(s);
    s->text = from->text;
    device_state_copy(s->state, from->state, &err);
    return !err_failed(&err);
}

static bool free_rows(struct serve_peer *p, int number)
{
    if (!in(number, 0, WIRE_PICTURES - 1) || !p->rows[number]) return false;
    device_rows_free(p->rows[number]);
    p->rows[number] = NULL;
    return true;
}

static bool do_posted(struct serve_peer *p, const struct wire_ask *a)
{
    struct serve_state *s = state_at(p, a->state);
    if (a->op == WIRE_ROWS_FREE) return free_rows(p, a->picture);
    if (!s) return false;
    switch (a->op) {
    case WIRE_STATE_COPY: return copy_state(p, s, a->other);
    case WIRE_MARK: return mark(s, a->other);
    case WIRE_REWIND: return rewind_to(s, a->other);
    case WIRE_STATE_CLEAR:
        device_state_clear(s->state);
        begin_anew(s);
        return true;
    case WIRE_STATE_FREE:
        device_state_free(s->state);
        *s = (struct serve_state){.state = NULL};
        return true;
    default: return false;
    }
}

void serve_peer_hear(struct serve_room *r, struct serve_peer *p)
{
    struct wire_ask ask;
    ssize_t n = recv(p->fd, &ask, sizeof ask, MSG_DONTWAIT | MSG_TRUNC);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n != (ssize_t)sizeof ask || p->job.open ||
        !in(ask.op, 0, N_WIRE_OP - 1)) {
        p->gone = true;
        return;
    }
    p->thinking = false;
    if (ask.op >= WIRE_POSTED) {
        p->thinking = true; /* what it posts precedes what it asks */
        if (!do_posted(p, &ask)) p->gone = true;
        return;
    }
    p->job = (struct serve_job){.open = true, .ask = ask};
    if (!open_job(r, p)) p->gone = true;
}
