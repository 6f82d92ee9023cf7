/* spawner.c - see spawner.h. */
#define _GNU_SOURCE 1 /* F_SETPIPE_SZ */

#include "stages/children/spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stages/document/reason.h"
#include "vlm/base/arena.h"
#include "vlm/base/fd_pass.h"

enum {
    PIPE_BYTES = 1 << 20,
    CLIENTS_MAX = 256,
    CHILDREN_MAX = 8 /* at a time, of one client */
};

enum {
    REQUEST_START = 1, /* struct spawn_job, with the document, if any */
    REQUEST_END,       /* int64_t: the child */
    N_REQUEST
};

enum {
    REPLY_STARTED = 1, /* struct started, with the ends of its pipes */
    REPLY_ENDED,       /* int32_t: its status */
    N_REPLY
};

struct started {
    int64_t child;
    struct reason_message failure; /* none: it was started */
};

static bool check_job(void *body, size_t size)
{
    (void)size;
    return spawn_job_check(body);
}

static const struct message_type request[N_REQUEST] = {
    [0] = {.least = 1},
    [REQUEST_START] = {sizeof(struct spawn_job), sizeof(struct spawn_job), 1,
                       check_job},
    [REQUEST_END] = {sizeof(int64_t), sizeof(int64_t), 0, NULL}};
static const struct message_type reply[N_REPLY] = {
    [0] = {.least = 1},
    [REPLY_STARTED] = {sizeof(struct started), sizeof(struct started), 3, NULL},
    [REPLY_ENDED] = {sizeof(int32_t), sizeof(int32_t), 0, NULL}};
static const struct message_types requests = {request, N_REQUEST};
static const struct message_types replies = {reply, N_REPLY};

static struct span bytes_of(const void *data, size_t size)
{
    return (struct span){data, size};
}

/* --- starting ------------------------------------------------------------- */

static void close_fd(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static void make_pipe(int *reader, int *writer, struct err *err)
{
    int fd[2] = {-1, -1};
    if (err_failed(err)) return;
    if (pipe2(fd, O_CLOEXEC)) {
        err_errno(err, "cannot open a pipe");
        return;
    }
    *reader = fd[0];
    *writer = fd[1];
    fcntl(*reader, F_SETFL, O_NONBLOCK);
}

/* A socket, not a pipe: writing to a child that has gone is then an error, not
 * a signal. Nothing is sent back on it. */
static void make_orders(int *ours, int *child, struct err *err)
{
    int fd[2] = {-1, -1};
    if (err_failed(err)) return;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd)) {
        err_errno(err, "cannot open a socket");
        return;
    }
    shutdown(fd[1], SHUT_WR);
    fcntl(fd[0], F_SETFL, O_NONBLOCK);
    *ours = fd[0];
    *child = fd[1];
}

long spawner_start_here(const struct settings *settings,
                        const struct spawn_job *job, int document,
                        struct spawner_ends *ends, struct err *err)
{
    struct spawn_ends its = {.in = -1, .out = -1, .complaints = -1};
    int order_end = -1;
    *ends = (struct spawner_ends){-1, -1, -1};
    if (document < 0) make_orders(&ends->orders, &order_end, err);
    its.in = document < 0 ? order_end : document;
    make_pipe(&ends->out, &its.out, err);
    make_pipe(&ends->complaints, &its.complaints, err);
    if (!err_failed(err))
        fcntl(ends->out, F_SETPIPE_SZ, PIPE_BYTES); /* fewer wake-ups */
    long pid = spawn_start(job, settings, &its, err);
    close_fd(&order_end);
    close_fd(&its.out);
    close_fd(&its.complaints);
    if (!err_failed(err)) return pid;
    close_fd(&ends->orders);
    close_fd(&ends->out);
    close_fd(&ends->complaints);
    return 0;
}

/* --- the spawner ----------------------------------------------------------- */

struct spawner_client {
    int fd;
    int64_t child[CHILDREN_MAX]; /* 0: none */
};

struct spawner {
    const struct settings *settings;
    int door;
    bool closed;
    struct spawner_client client[CLIENTS_MAX];
    int n_client;
    struct message message; /* received last */
};

static int64_t *child_of(struct spawner_client *c, int64_t child)
{
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (c->child[i] == child) return &c->child[i];
    return NULL;
}

static bool start_for(struct spawner *s, struct spawner_client *c,
                      const struct message *m)
{
    struct err err = {0};
    struct spawner_ends ends = {-1, -1, -1};
    struct started told = {.child = 0};
    int64_t *place = child_of(c, 0);
    if (!place) return false;
    int document = m->n_fd ? m->fd[0] : -1;
    *place = spawner_start_here(s->settings, (const void *)&m->body, document,
                                &ends, &err);
    told.child = *place;
    reason_pack(&err, &told.failure);
    const int fd[] = {ends.out, ends.complaints, ends.orders};
    int n_fd = err_failed(&err) ? 0 : document < 0 ? 3 : 2;
    bool sent = message_send_fds(c->fd, REPLY_STARTED,
                                 bytes_of(&told, sizeof told), fd, n_fd);
    close_fd(&ends.out);
    close_fd(&ends.complaints);
    close_fd(&ends.orders);
    return sent;
}

static bool end_for(struct spawner_client *c, const struct message *m)
{
    int64_t child;
    memcpy(&child, m->body.text, sizeof child);
    int64_t *place = child > 0 ? child_of(c, child) : NULL;
    if (!place) return false;
    int32_t status = process_kill((pid_t)child);
    *place = 0;
    return message_send(c->fd, REPLY_ENDED, bytes_of(&status, sizeof status),
                        bytes_of("", 0));
}

/* Serves one request. False: the client has gone, or broke the protocol. */
static bool serve_client(struct spawner *s, struct spawner_client *c)
{
    struct message *m = &s->message;
    enum message_end end = message_receive(c->fd, &requests, false, m);
    if (end != MESSAGE_RECEIVED) return end == MESSAGE_NONE;
    bool good = m->type == REQUEST_START ? start_for(s, c, m) : end_for(c, m);
    for (int i = 0; i < m->n_fd; i++)
        close(m->fd[i]);
    return good;
}

static void drop_client(struct spawner *s, int i)
{
    struct spawner_client *c = &s->client[i];
    for (int k = 0; k < CHILDREN_MAX; k++)
        if (c->child[k]) process_kill((pid_t)c->child[k]);
    close(c->fd);
    *c = s->client[--s->n_client];
}

static void accept_client(struct spawner *s)
{
    int fd = fd_pass_accept(s->door, &s->closed);
    if (fd < 0) return;
    if (s->n_client == CLIENTS_MAX)
        close(fd);
    else
        s->client[s->n_client++] = (struct spawner_client){.fd = fd};
}

static void serve(void *arg, int door, const int keep[static 2])
{
    struct spawner *s = mem_alloc(1, sizeof *s);
    (void)keep;
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    s->settings = arg;
    s->door = door;
    while (!s->closed || s->n_client) {
        struct pollfd fds[CLIENTS_MAX + 1];
        int n = s->n_client;
        for (int i = 0; i < n; i++)
            fds[i] = (struct pollfd){.fd = s->client[i].fd, .events = POLLIN};
        fds[n] = (struct pollfd){.fd = s->closed ? -1 : door, .events = POLLIN};
        if (poll(fds, (nfds_t)n + 1, -1) < 0) continue;
        for (int i = n - 1; i >= 0;
             i--) /* the last takes a dropped one's place */
            if (fds[i].revents && !serve_client(s, &s->client[i]))
                drop_client(s, i);
        if (fds[n].revents) accept_client(s);
    }
    mem_free(s);
}

struct process_server *spawner_new(const struct settings *settings,
                                   struct err *err)
{
    return process_server_new(
        &(struct process_server_options){.name = "platen-spawner",
                                         .called =
                                             "the process that starts programs",
                                         .run = serve,
                                         .arg = (void *)(uintptr_t)settings,
                                         .keep = settings->passwords_fd},
        err);
}

/* --- the client ------------------------------------------------------------ */

static void lost(struct err *err)
{
    if (!err_failed(err))
        err_reason(err, ERR_SYSTEM, "no-process",
                   "the process that starts programs has ended");
}

/* Sends a request and waits for its answer, which is large for a short stack: the
 * caller frees it. NULL: the spawner has ended, or answers something else. */
static struct message *ask(int spawner, uint32_t type, struct span body,
                           int document, uint32_t answer)
{
    struct message *m = mem_alloc(1, sizeof *m);
    if (message_send_fds(spawner, type, body, &document, document >= 0) &&
        message_receive(spawner, &replies, true, m) == MESSAGE_RECEIVED) {
        if (m->type == answer) return m;
        for (int i = 0; i < m->n_fd; i++)
            close(m->fd[i]);
    }
    mem_free(m);
    return NULL;
}

long spawner_start(int spawner, const struct spawn_job *job, int document,
                   struct spawner_ends *ends, struct err *err)
{
    *ends = (struct spawner_ends){-1, -1, -1};
    if (err_failed(err)) return 0;
    struct message *m = ask(spawner, REQUEST_START, bytes_of(job, sizeof *job),
                            document, REPLY_STARTED);
    if (!m) {
        lost(err);
        return 0;
    }
    const struct started *told = (const void *)&m->body;
    int *const end[] = {&ends->out, &ends->complaints, &ends->orders};
    for (int i = 0; i < m->n_fd; i++)
        *end[i] = m->fd[i];
    reason_unpack(&told->failure, err);
    if (m->n_fd < 2) lost(err);
    long child = (long)told->child;
    mem_free(m);
    return err_failed(err) ? 0 : child;
}

int spawner_end(int spawner, long child)
{
    const int64_t which = child;
    int32_t status = SIGKILL; /* a status of that signal */
    struct message *m = ask(spawner, REQUEST_END,
                            bytes_of(&which, sizeof which), -1, REPLY_ENDED);
    if (m) memcpy(&status, m->body.text, sizeof status);
    mem_free(m);
    return status;
}
