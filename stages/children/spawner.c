/* spawner.c - see spawner.h. */
#define _GNU_SOURCE 1 /* F_SETPIPE_SZ */

#include "stages/children/spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stages/reason.h"
#include "vlm/base/arena.h"
#include "vlm/base/fd_pass.h"

enum {
    MAGIC = 0x77707370,
    PIPE_BYTES = 1 << 20,
    CLIENTS_MAX = 256,
    CHILDREN_MAX = 8, /* at a time, of one client */
    TEXT_SIZE = 400
};

enum operation { START, END };

struct spawner_request {
    uint32_t magic;
    int32_t operation; /* enum operation */
    int64_t child;     /* END */
    struct spawn_job job;
};

struct spawner_reply {
    uint32_t magic;
    int64_t child;
    int32_t status; /* END */
    struct reason_message failure;
};

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
};

static int64_t *child_of(struct spawner_client *c, int64_t child)
{
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (c->child[i] == child) return &c->child[i];
    return NULL;
}

static bool start_for(struct spawner *s, struct spawner_client *c,
                      const struct spawn_job *job, int document)
{
    struct err err = {0};
    struct spawner_ends ends = {-1, -1, -1};
    struct spawner_reply reply = {.magic = MAGIC};
    int64_t *place = child_of(c, 0);
    if (!place || !spawn_job_is_good(job)) return false;
    *place = spawner_start_here(s->settings, job, document, &ends, &err);
    reply.child = *place;
    if (err_failed(&err)) reason_pack(&err, &reply.failure);
    const int fd[] = {ends.out, ends.complaints, ends.orders};
    int n_fd = err_failed(&err) ? 0 : document < 0 ? 3 : 2;
    bool sent = fd_pass_send(c->fd, &reply, sizeof reply, fd, n_fd);
    close_fd(&ends.out);
    close_fd(&ends.complaints);
    close_fd(&ends.orders);
    return sent;
}

static bool end_for(struct spawner_client *c, int64_t child)
{
    int64_t *place = child > 0 ? child_of(c, child) : NULL;
    struct spawner_reply reply = {.magic = MAGIC, .child = child};
    if (!place) return false;
    reply.status = spawn_end((long)child);
    *place = 0;
    return fd_pass_send(c->fd, &reply, sizeof reply, NULL, 0);
}

/* Serves one request. False: the client has gone, or broke the protocol. */
static bool serve_client(struct spawner *s, struct spawner_client *c)
{
    struct spawner_request request;
    int document = -1, n_fd = 0;
    bool good = fd_pass_receive_some(c->fd, &request, sizeof request, &document,
                                     1, &n_fd) &&
                request.magic == MAGIC;
    if (good && request.operation == START)
        good = start_for(s, c, &request.job, document);
    else
        good = good && request.operation == END && end_for(c, request.child);
    close_fd(&document);
    return good;
}

static void drop_client(struct spawner *s, int i)
{
    struct spawner_client *c = &s->client[i];
    for (int k = 0; k < CHILDREN_MAX; k++)
        if (c->child[k]) spawn_end((long)c->child[k]);
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

void spawner_serve(const struct settings *settings, int door)
{
    struct spawner *s = mem_alloc(1, sizeof *s);
    s->settings = settings;
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

/* --- the client ------------------------------------------------------------ */

static void lost(struct err *err)
{
    if (!err_failed(err))
        err_set(err, ERR_SYSTEM, "the process that starts programs has ended");
}

long spawner_start(int spawner, const struct spawn_job *job, int document,
                   struct spawner_ends *ends, struct err *err)
{
    int fd[3] = {-1, -1, -1}, n_fd = 0;
    struct spawner_reply reply;
    *ends = (struct spawner_ends){-1, -1, -1};
    if (err_failed(err)) return 0;
    struct spawner_request request = {
        .magic = MAGIC, .operation = START, .job = *job};
    if (!fd_pass_send(spawner, &request, sizeof request, &document,
                      document >= 0) ||
        !fd_pass_receive_some(spawner, &reply, sizeof reply, fd, 3, &n_fd)) {
        lost(err);
        return 0;
    }
    reason_unpack(&reply.failure, err);
    if (n_fd < 2) lost(err);
    *ends = (struct spawner_ends){fd[0], fd[1], fd[2]};
    return err_failed(err) ? 0 : (long)reply.child;
}

int spawner_end(int spawner, long child)
{
    struct spawner_request request = {
        .magic = MAGIC, .operation = END, .child = child};
    struct spawner_reply reply;
    if (!fd_pass_send(spawner, &request, sizeof request, NULL, 0) ||
        !fd_pass_receive(spawner, &reply, sizeof reply, NULL, 0))
        return SIGKILL; /* a status of that signal */
    return reply.status;
}
