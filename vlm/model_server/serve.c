/* serve.c - see serve.h. */
#define _GNU_SOURCE
#include "vlm/model_server/serve.h"

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
#include "vlm/base/clock.h"
#include "vlm/model_server/serve_inside.h"

static void serve_peer_reply(struct serve_peer *p, const void *answer,
                             size_t size, const struct err *err);
static bool serve_shelf_find(struct serve_room *r, struct serve_job *job);
static void serve_shelf_keep(struct serve_room *r, const struct serve_job *job);
static struct serve_text serve_shelf_text(const struct serve_text *before,
                                          const struct serve_job *job);

/* --- serve pass ------------------------------------------------------------ */

/* The work of a reader, put together from what its clients ask. */

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
        if (job->ask.n_head) { /* else nobody checked `from` */
            job->attention.from = job->ask.from - job->done;
            run->attention = &job->attention;
        }
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
    double since = clock_seconds();
    device_forward(r->d, pass.run, pass.n, &err);
    end_runs(r, &pass, &err);
    r->pass_s = clock_seconds() - since;
    return true;
}

/* --- pictures ------------------------------------------------------------ */

bool serve_pass_encode(struct serve_room *r)
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
    r->sliced = clock_seconds();
    p->rows[p->job.ask.picture] =
        device_encode_image(r->d, &p->job.image, &err);
    r->looker = NULL;
    note_waits(r, p);
    serve_peer_reply(p, NULL, 0, &err);
    return true;
}

/* --- serve peer ------------------------------------------------------------ */

/* One client of a reader: what it may ask, and its answers (serve.h). */

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
    mem_free(job->attention.weight);
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

/* Ends the job; `size` bytes of answer are put into the area. */
static void serve_peer_reply(struct serve_peer *p, const void *answer,
                             size_t size, const struct err *err)
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
    void *copy = mem_alloc(n ? n : 1, size);
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
        job->attention.weight = mem_alloc(job->n_weight, sizeof(float));
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
static bool keep_rows(struct serve_room *r, struct serve_peer *p)
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
    mem_free(rows);
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
    float *copy = mem_alloc(1, size);
    device_rows_read(rows, copy, &err);
    serve_peer_reply(p, copy, size, &err);
    mem_free(copy);
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
    case WIRE_ROWS_NEW: return keep_rows(r, p);
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

void serve_peer_receive(struct serve_room *r, struct serve_peer *p)
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

/* --- serve shelf ----------------------------------------------------------- */

/* Beginnings of sequences that are kept (serve.h): a prompt with
 * its schema is read once, whoever asks. The text is named by a hash of tokens,
 * positions and the pieces that it was fed in, which together make its bits. */

/* The text behind n more tokens; not known where a picture is among them. */
static struct serve_text serve_shelf_text(const struct serve_text *before,
                                          const struct serve_job *job)
{
    struct serve_text text = {.known = false};
    size_t n = (size_t)job->ask.n;
    size_t tokens = n * sizeof *job->token, places = n * sizeof *job->at;
    if (!before->known || job->ask.picture >= 0 || job->ask.left_out)
        return text;
    size_t size = sizeof before->hash + tokens + places;
    char *all = mem_alloc(1, size);
    memcpy(all, &before->hash, sizeof before->hash);
    memcpy(all + sizeof before->hash, job->token, tokens);
    memcpy(all + sizeof before->hash + tokens, job->at, places);
    text = (struct serve_text){true, hash_bytes((struct span){all, size})};
    mem_free(all);
    return text;
}

/* Short texts are read faster than they are copied, and a copy has no points. */
static bool is_worth(const struct serve_room *r, const struct serve_job *job)
{
    for (int i = 0; i < DEVICE_POINT_MAX; i++)
        if (job->to->point[i].marked) return false;
    return job->text.known && job->ask.n > r->d->steps && !job->ask.n_asked;
}

/* Makes the job's sequence what it will be, if that is kept. */
static bool serve_shelf_find(struct serve_room *r, struct serve_job *job)
{
    struct err err = {0};
    if (!is_worth(r, job)) return false;
    for (int i = 0; i < SERVE_SHELF; i++) {
        struct serve_kept *k = &r->kept[i];
        if (!k->state || strcmp(k->hash.hex, job->text.hash.hex) != 0) continue;
        k->used = ++r->clock;
        device_state_copy(job->to->state, k->state, &err);
        return !err_failed(&err);
    }
    return false;
}

/* Keeps what the job has made. */
static void serve_shelf_keep(struct serve_room *r, const struct serve_job *job)
{
    struct err err = {0};
    struct serve_kept *k = &r->kept[0];
    if (!is_worth(r, job)) return;
    for (int i = 1; i < SERVE_SHELF; i++)
        if (r->kept[i].used < k->used) k = &r->kept[i];
    if (!k->state) k->state = device_state_new(r->d, &err);
    if (err_failed(&err)) return; /* no memory: everybody reads it then */
    device_state_copy(k->state, job->to->state, &err);
    k->hash = job->text.hash;
    k->used = ++r->clock;
}

void serve_cache_clear(struct serve_room *r)
{
    for (int i = 0; i < SERVE_SHELF; i++)
        device_state_free(r->kept[i].state);
}

/* --- serve ----------------------------------------------------------------- */

static const double idle_s = 1;

/* How long a pass waits for those who were just answered: a part of what it will
 * take, between these. */
static const double patience_least_s = 0.0005, patience_most_s = 0.05;

enum { PATIENCE_SHARE = 4 };

/* --- coming and going ---------------------------------------------------- */

/* Two descriptors that came through the door, or false. */
static bool open_door(int door, int fds[2], bool *closed)
{
    int magic = 0;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } control = {0};
    struct iovec word = {&magic, sizeof magic};
    struct msghdr message = {.msg_iov = &word,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t n = recvmsg(door, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    struct cmsghdr *c = n >= 0 ? CMSG_FIRSTHDR(&message) : NULL;
    *closed = n == 0;
    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
        return false;
    int n_fd = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(fds, CMSG_DATA(c), (size_t)(n_fd < 2 ? n_fd : 2) * sizeof(int));
    if (n_fd == 2 && magic == WIRE_MAGIC) return true;
    for (int i = 0; i < n_fd && i < 2; i++)
        close(fds[i]);
    return false;
}

static void let_in(struct serve_room *r, const char *why)
{
    int fds[2];
    if (!open_door(r->o->door, fds, &r->closed)) return;
    struct serve_peer *p = r->n_peer < SERVE_PEERS_MAX
                               ? serve_peer_new(r, fds[0], fds[1], why)
                               : NULL;
    if (r->n_peer == SERVE_PEERS_MAX) close(fds[1]);
    close(fds[0]);
    if (p) r->peer[r->n_peer++] = p;
}

/* Those that are gone, but who is being worked for. */
static void reap(struct serve_room *r)
{
    int n = 0;
    for (int i = 0; i < r->n_peer; i++) {
        struct serve_peer *p = r->peer[i];
        if (p->gone && p != r->looker)
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

/* Hears all who have something to say; waits that long for the first. */
static void hear(struct serve_room *r, double wait_s)
{
    struct pollfd fds[SERVE_PEERS_MAX + 1];
    int n = r->n_peer;
    for (int i = 0; i < n; i++)
        fds[i] = (struct pollfd){.fd = r->peer[i]->gone ? -1 : r->peer[i]->fd,
                                 .events = POLLIN};
    fds[n] =
        (struct pollfd){.fd = r->closed ? -1 : r->o->door, .events = POLLIN};
    poll_for(fds, (nfds_t)n + 1, wait_s);
    for (int i = 0; i < n; i++)
        if (fds[i].revents) serve_peer_receive(r, r->peer[i]);
    if (fds[n].revents) let_in(r, "");
    reap(r);
    for (int i = 0; i < r->n_peer; i++)
        if (r->peer[i]->job.open && r->peer[i]->job.ask.op == WIRE_STATE_NEW)
            serve_peer_place(r, r->peer[i]);
}

static bool somebody_thinks(const struct serve_room *r)
{
    for (int i = 0; i < r->n_peer; i++)
        if (r->peer[i]->thinking) return true;
    return false;
}

/* Until all who were answered have asked again, or took too long for it. */
static void await_company(struct serve_room *r)
{
    double patience = r->pass_s / PATIENCE_SHARE;
    if (patience < patience_least_s) patience = patience_least_s;
    if (patience > patience_most_s) patience = patience_most_s;
    double until = clock_seconds() + patience, left = patience;
    hear(r, 0);
    for (; left > 0 && somebody_thinks(r); left = until - clock_seconds())
        hear(r, left);
    for (int i = 0; i < r->n_peer; i++)
        r->peer[i]->thinking = false;
}

/* --- working ------------------------------------------------------------- */

static bool work_once(struct serve_room *r)
{
    if (r->o->beat) r->o->beat(r->o->arg);
    await_company(r);
    return serve_pass_heads(r) || serve_pass_forward(r);
}

/* Answers go on for as long as the part before took. */
static void between_parts(void *arg)
{
    struct serve_room *r = arg;
    double now = clock_seconds(), until = now + (now - r->sliced);
    while (work_once(r) && clock_seconds() < until)
        continue;
    r->sliced = clock_seconds();
}

/* Nobody can be helped: who comes is told why. */
static void turn_away(struct serve_room *r, const char *why)
{
    while (!r->closed) {
        struct pollfd door = {.fd = r->o->door, .events = POLLIN};
        if (r->o->beat) r->o->beat(r->o->arg);
        poll_for(&door, 1, idle_s);
        if (door.revents) let_in(r, why);
    }
}

void serve(struct device *d, const struct serve_options *o, const char *why,
           struct err *err)
{
    if (err_failed(err)) return;
    struct serve_room *r = mem_alloc(1, sizeof *r);
    r->d = d;
    r->o = o;
    if (!d) {
        turn_away(r, why);
        mem_free(r);
        return;
    }
    d->between = between_parts;
    d->between_arg = r;
    r->logits =
        mem_alloc((size_t)SERVE_ROWS * (size_t)o->n_vocab, sizeof *r->logits);
    while (!device_lost(d) && (!r->closed || r->n_peer)) {
        bool worked = work_once(r);
        /* at once: answers never pause for long enough by themselves */
        if (!serve_pass_encode(r) && !worked) hear(r, idle_s);
        reap(r);
    }
    d->between = NULL;
    if (device_lost(d))
        err_reason(err, ERR_SYSTEM, "engine-error", "%s is lost", d->label);
    for (int i = 0; i < r->n_peer; i++)
        serve_peer_free(r->peer[i]);
    serve_cache_clear(r);
    mem_free(r->logits);
    mem_free(r);
}
