/* endpoint_sender.c - see endpoint_sender.h: the client side of
 * fetch_wire.h. */
#define _GNU_SOURCE
#include "stages/engine/endpoint_sender.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stages/engine/fetch_process.h"
#include "stages/engine/fetch_wire.h"
#include "vlm/base/clock.h"
#include "vlm/base/fd_pass.h"
#include "vlm/base/redact_url.h"

enum { POLL_MS = 50, SHOWN_MOST = 1 << 16, URL_SIZE = 8192 };
/* How long the fetch process may take for a message. It never waits for a
 * client, so only one that is being restarted needs longer. */
static const double patience_s = 2;

struct endpoint_sender {
    const struct settings *settings;
    const struct engine *engine;
    struct process_server *own; /* NULL: another process owns it */
    int door, fd;               /* -1: none */
    struct buf shown;           /* the URL without a password, for messages */
    struct flight *first;
    int n_flight;
    uint32_t last_number;
    struct message message; /* received last */
};

/* --- the connection ------------------------------------------------------- */

/* Connects unless that is done. FAIL: ERR_SYSTEM. */
static void connect_door(struct endpoint_sender *s, struct err *err)
{
    if (err_failed(err) || s->fd >= 0) return;
    process_server_ensure(s->own);
    if (s->door < 0)
        err_set(err, ERR_SYSTEM, "the fetch process has ended");
    else
        s->fd = fd_pass_connect(s->door, err);
}

static void set_done(struct flight *f, enum fetch_outcome outcome)
{
    f->reply.outcome = outcome;
    f->done = true;
    f->arrived = clock_seconds();
}

static void set_lost(const struct endpoint_sender *s, struct flight *f)
{
    set_done(f, s->door < 0 ? FETCH_LOST : FETCH_FAILED);
    f->reply.status = 0;
    snprintf(f->reply.text, sizeof f->reply.text,
             "the fetch process has ended");
}

/* Also after a message that breaks the protocol. */
static void lose(struct endpoint_sender *s)
{
    if (s->fd >= 0) close(s->fd);
    s->fd = -1;
    for (struct flight *f = s->first; f; f = f->next)
        if (!f->done) set_lost(s, f);
}

static bool stopped(const struct endpoint_sender *s)
{
    return s->engine->stop && s->engine->stop(s->engine->stop_arg);
}

/* --- receiving ------------------------------------------------------------ */

static void take_head(struct flight *f, const struct fetch_head *h)
{
    struct engine_endpoint_reply *r = &f->reply;
    r->status = h->status;
    r->retry_after = h->retry_after;
    snprintf(r->text, sizeof r->text, "%.*s", FETCH_TEXT - 1, h->text);
    f->left = (size_t)h->size;
    r->outcome = (enum fetch_outcome)h->outcome;
    if (!f->left) set_done(f, r->outcome);
}

/* False: the message breaks the protocol. */
static bool take_message(struct endpoint_sender *s, const struct fetch_head *h,
                         struct span body)
{
    struct flight *f = s->first;
    while (f && f->number != h->number)
        f = f->next;
    if (!f || f->done) return true; /* was dropped */
    if (h->op == FETCH_TURN) {
        if (!f->ahead || f->accepted || f->left) return false;
        f->accepted = h->ahead != 0;
        if (!f->accepted) set_done(f, FETCH_ABORTED);
        return true;
    }
    if (h->op == FETCH_BODY && body.size <= f->left) {
        f->left -= body.size;
        buf_add(&f->reply.body, body.data, body.size);
        if (!f->left) set_done(f, f->reply.outcome);
        return true;
    }
    if (h->op != FETCH_REPLY || f->left || h->size < 0 ||
        h->size > FETCH_REPLY_MOST || h->outcome < FETCH_ANSWERED ||
        h->outcome > FETCH_TOO_LONG)
        return false;
    take_head(f, h);
    return true;
}

/* Receives what has arrived, without waiting. */
static void receive(struct endpoint_sender *s)
{
    struct fetch_head head;
    struct span body;
    while (s->fd >= 0) {
        enum message_end end = fetch_wire_receive(s->fd, &fetch_wire_replies,
                                                  &s->message, &head, &body);
        if (end == MESSAGE_NONE) return;
        if (end != MESSAGE_RECEIVED || !take_message(s, &head, body)) lose(s);
    }
}

/* Waits up to POLL_MS for messages, or for room to send one, and receives. */
static void wait_messages(struct endpoint_sender *s, bool sends)
{
    short events = (short)(POLLIN | (sends ? POLLOUT : 0));
    struct pollfd p = {.fd = s->fd, .events = events};
    process_server_ensure(s->own);
    poll(&p, 1, POLL_MS); /* fd -1: only the time */
    receive(s);
}

/* --- sending -------------------------------------------------------------- */

/* Sends a message. `wait_s`: how long the socket can be full. False if that has
 * passed, after a stop, or if the connection is lost. */
static bool send_message(struct endpoint_sender *s, const struct fetch_head *h,
                         struct span body, double wait_s)
{
    double end = clock_seconds() + wait_s;
    while (s->fd >= 0) {
        if (fetch_wire_send(s->fd, h, body)) return true;
        if (errno != EAGAIN) {
            lose(s);
            return false;
        }
        if (clock_seconds() > end || stopped(s)) return false;
        wait_messages(s, true);
    }
    return false;
}

/* Ends a request that the fetch process has or may have. */
static void drop(struct endpoint_sender *s, struct flight *f)
{
    struct fetch_head head = {.op = FETCH_DROP, .number = f->number};
    if (s->fd < 0 || send_message(s, &head, (struct span){"", 0}, patience_s))
        return;
    lose(s); /* the end of the connection drops it, too */
}

/* Sends the request's body. A request that was partly sent is dropped. */
static void send_body(struct endpoint_sender *s, struct flight *f)
{
    struct fetch_head head = {.op = FETCH_BODY, .number = f->number};
    struct span left = buf_span(&f->request);
    while (left.size && !f->done) {
        size_t n = left.size < FETCH_CHUNK ? left.size : FETCH_CHUNK;
        if (send_message(s, &head, (struct span){left.data, n}, HUGE_VAL)) {
            left.data += n;
            left.size -= n;
        } else if (!f->done) {
            drop(s, f);
            set_done(f, FETCH_ABORTED);
        }
    }
}

static struct flight *new_flight(struct endpoint_sender *s, size_t reply_most)
{
    struct flight *f = mem_alloc(1, sizeof *f);
    f->reply.body = buf_limit(reply_most);
    f->number = ++s->last_number;
    f->next = s->first;
    s->first = f;
    s->n_flight++;
    return f;
}

/* Requests in flight can queue on the server, which adds to their time. */
static int32_t timeout_ms(const struct endpoint_sender *s)
{
    double ms = s->settings->endpoint_timeout_s * 1000 * s->n_flight;
    return ms < INT32_MAX ? (int32_t)ms : INT32_MAX;
}

/* Sends the head of a request; if that fails, the request is lost. */
static void send_head(struct endpoint_sender *s, struct flight *f,
                      const struct fetch_head *head)
{
    struct err none = {0};
    connect_door(s, &none);
    if (send_message(s, head, (struct span){"", 0}, patience_s)) return;
    if (f->done) return;
    if (stopped(s)) {
        set_done(f, FETCH_ABORTED);
        return;
    }
    set_lost(s, f);
    lose(s);
}

static struct flight *post(struct endpoint_sender *s, struct buf *request,
                           bool ahead)
{
    struct flight *f = new_flight(s, FETCH_REPLY_MOST);
    f->ahead = ahead;
    f->request = *request;
    *request = (struct buf){0};
    if (f->request.size > FETCH_POST_MOST) {
        set_done(f, FETCH_FAILED);
        snprintf(f->reply.text, sizeof f->reply.text,
                 "a request of more than %d bytes", FETCH_POST_MOST);
        return f;
    }
    receive(s); /* notices a lost connection */
    send_head(s, f,
              &(struct fetch_head){.op = FETCH_POST,
                                   .number = f->number,
                                   .size = (int32_t)f->request.size,
                                   .time_ms = timeout_ms(s),
                                   .ahead = ahead});
    return f;
}

struct flight *endpoint_sender_start(struct endpoint_sender *s,
                                     struct buf *request)
{
    struct flight *f = post(s, request, false);
    send_body(s, f);
    return f;
}

/* Does so large a request leave room for one that is urgent? */
static bool has_room(const struct endpoint_sender *s, size_t size)
{
    for (const struct flight *f = s->first; f; f = f->next)
        if (!f->done) size += f->request.size;
    return size <= FETCH_CLIENT_MOST - FETCH_POST_MOST;
}

struct flight *endpoint_sender_start_ahead(struct endpoint_sender *s,
                                           struct buf *request)
{
    if (!has_room(s, request->size)) return NULL;
    struct flight *f = post(s, request, true);
    double end = clock_seconds() + patience_s;
    while (!f->done && !f->accepted && clock_seconds() < end && !stopped(s))
        wait_messages(s, false);
    if (f->accepted) send_body(s, f);
    if (f->accepted && !f->done) return f;
    *request = f->request;
    f->request = (struct buf){0};
    endpoint_sender_end(s, f);
    return NULL;
}

void endpoint_sender_await(struct endpoint_sender *s, struct flight *f)
{
    receive(s);
    while (!f->done) {
        if (stopped(s)) {
            drop(s, f);
            f->reply.status = 0;
            set_done(f, FETCH_ABORTED);
        } else if (f->due > 0 && clock_seconds() > f->due) {
            drop(s, f);
            set_lost(s, f);
        } else {
            wait_messages(s, false);
        }
    }
}

void endpoint_sender_pause(struct endpoint_sender *s, double seconds)
{
    double end = clock_seconds() + seconds;
    while (clock_seconds() < end && !stopped(s)) {
        receive(s);
        nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL);
    }
}

void endpoint_sender_end(struct endpoint_sender *s, struct flight *f)
{
    struct flight **at = &s->first;
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    s->n_flight--;
    if (!f->done) drop(s, f);
    buf_free(&f->request);
    buf_free(&f->reply.body);
    mem_free(f);
}

void endpoint_sender_rest(struct endpoint_sender *s)
{
    struct fetch_head head = {.op = FETCH_REST};
    if (s->fd >= 0) send_message(s, &head, (struct span){"", 0}, patience_s);
}

void endpoint_sender_get(struct endpoint_sender *s, enum fetch_target target,
                         int time_ms, struct engine_endpoint_reply *reply)
{
    struct flight *f = new_flight(s, FETCH_GET_REPLY_MOST);
    f->due = clock_seconds() + time_ms / 1000.0 + patience_s;
    receive(s);
    send_head(s, f,
              &(struct fetch_head){.op = FETCH_GET,
                                   .number = f->number,
                                   .target = (int32_t)target,
                                   .time_ms = time_ms});
    endpoint_sender_await(s, f);
    *reply = f->reply;
    f->reply.body = (struct buf){0};
    endpoint_sender_end(s, f);
}

/* --- life ----------------------------------------------------------------- */

struct endpoint_sender *endpoint_sender_new(const struct settings *settings,
                                            const struct engine *engine,
                                            const char **url, struct err *err)
{
    if (err_failed(err)) return NULL;
    char address[URL_SIZE];
    struct endpoint_sender *s = mem_alloc(1, sizeof *s);
    s->settings = settings;
    s->engine = engine;
    s->fd = s->door = -1;
    s->shown = buf_limit(SHOWN_MOST);
    fetch_wire_url(settings->endpoint, FETCH_CHAT, address, sizeof address);
    redact_url_secrets(address, &s->shown);
    *url = buf_span(&s->shown).data;
    if (settings->fetch_fd <= 0) s->own = fetch_process_new(settings, err);
    s->door = s->own ? process_server_door(s->own) : settings->fetch_fd;
    connect_door(s, err);
    if (!err_failed(err)) return s;
    endpoint_sender_free(s);
    return NULL;
}

void endpoint_sender_detach(struct endpoint_sender *s)
{
    lose(s);
}

int endpoint_sender_renew(struct endpoint_sender *s, struct err *err)
{
    if (err_failed(err)) return -1;
    lose(s);
    process_server_forget(s->own); /* the parent ends it */
    s->own = NULL;
    connect_door(s, err);
    s->door = -1;
    return s->fd;
}

void endpoint_sender_free(struct endpoint_sender *s)
{
    if (!s) return;
    while (s->first)
        endpoint_sender_end(s, s->first);
    if (s->fd >= 0) close(s->fd);
    process_server_free(s->own);
    buf_free(&s->shown);
    mem_free(s);
}
