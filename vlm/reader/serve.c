/* serve.c - see serve.h. */
#define _GNU_SOURCE
#include "vlm/reader/serve.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "vlm/base/arena.h"
#include "vlm/base/now.h"
#include "vlm/reader/serve_inside.h"

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
        if (fds[i].revents) serve_peer_hear(r, r->peer[i]);
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
    double until = now_seconds() + patience, left = patience;
    hear(r, 0);
    for (; left > 0 && somebody_thinks(r); left = until - now_seconds())
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
    double now = now_seconds(), until = now + (now - r->sliced);
    while (work_once(r) && now_seconds() < until)
        continue;
    r->sliced = now_seconds();
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
    struct serve_room *r = mem_take(1, sizeof *r);
    r->d = d;
    r->o = o;
    if (!d) {
        turn_away(r, why);
        mem_give(r);
        return;
    }
    d->between = between_parts;
    d->between_arg = r;
    r->logits =
        mem_take((size_t)SERVE_ROWS * (size_t)o->n_vocab, sizeof *r->logits);
    while (!device_lost(d) && (!r->closed || r->n_peer)) {
        bool worked = work_once(r);
        /* at once: answers never pause for long enough by themselves */
        if (!serve_pass_look(r) && !worked) hear(r, idle_s);
        reap(r);
    }
    d->between = NULL;
    if (device_lost(d))
        err_reason(err, ERR_SYSTEM, "engine-error", "%s is lost", d->label);
    for (int i = 0; i < r->n_peer; i++)
        serve_peer_free(r->peer[i]);
    serve_shelf_clear(r);
    mem_give(r->logits);
    mem_give(r);
}
