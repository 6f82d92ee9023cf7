/* worker_pool.c - see worker_pool.h. */
#define _GNU_SOURCE
#include "pipeline/supervisor/worker_pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/process/signals.h"
#include "pipeline/supervisor/model_server.h"
#include "stages/engine/request_limit.h"
#include "stages/reason.h"
#include "vlm/base/clock.h"
#include "vlm/base/cpu.h"
#include "vlm/base/log.h"

enum { WALL_GRACE_S = 30, EXTRA_MAX = 8, HANDS = WORKER_POOL_MAX + EXTRA_MAX };
static const double load_patience_s = 1;

struct hand {
    pid_t pid; /* 0: none */
    int fd;
    bool busy, retired, killed_by_us;
    struct order order;
    struct event last;  /* of the document at hand */
    double since;       /* the document began, or its last page was kept */
    int n_kept;         /* pages of it, as far as is known */
    double loads_since; /* a schema; 0: it does not */
};

struct worker_pool {
    struct spool *spool;
    const struct config *config;
    int n, n_killed;
    bool in_process, stopping;
    struct hand hand[HANDS];      /* n, and who passes those that load */
    struct request_limit *share;  /* of an endpoint; NULL: each for itself */
    struct model_server *readers; /* NULL: each worker has a model of its own */
    struct model_server *former;  /* of the settings before */
    struct worker *own;           /* in_process */
    struct event own_event;
    bool own_ready;
};

/* Memory that workers share; without it each sends as many questions as it
 * might alone. */
static struct request_limit *share_new(void)
{
    struct request_limit *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return s == MAP_FAILED ? NULL : s;
}

static void count_workers(const struct worker_pool *c)
{
    _Static_assert((int)HANDS <= (int)REQUEST_LIMIT_SLOTS,
                   "a slot for each hand");
    int n = 0;
    for (int i = 0; i < HANDS; i++)
        n += c->hand[i].busy;
    if (!c->share) return;
    atomic_store(&c->share->most, c->config->stage.endpoint_parallel);
    atomic_store(&c->share->n_worker, n);
}

struct worker_pool *worker_pool_new(struct spool *s,
                                    const struct config *config, int n)
{
    struct worker_pool *c = mem_alloc(1, sizeof *c);
    c->spool = s;
    c->config = config;
    c->in_process = n == 0;
    c->n = n < 1 ? 1 : n > WORKER_POOL_MAX ? WORKER_POOL_MAX : n;
    for (int i = 0; i < HANDS; i++)
        c->hand[i].fd = -1;
    if (!c->in_process) c->share = share_new();
    if (!c->in_process) c->readers = model_server_new(config, c->n);
    return c;
}

/* --- in the worker's process -------------------------------------------- */

static bool asked_to_stop(void *arg)
{
    (void)arg;
    return signals_stopped();
}

static void tell_by_socket(void *arg, const struct event *event)
{
    int fd = *(int *)arg;
    /* nobody there any more: PR_SET_PDEATHSIG has the last word */
    if (send(fd, event, sizeof *event, MSG_NOSIGNAL) < 0) return;
}

/* Each worker takes its share of the processors. */
static void share_processors(struct config *config, int n)
{
    int total = config->stage.n_thread ? config->stage.n_thread : cpu_count();
    config->stage.n_thread = total / n > 0 ? total / n : 1;
}

static _Noreturn void work(struct worker_pool *c, const struct hand *h, int fd,
                           pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_OTHER);
    signals_open_worker();
    for (int i = 0; i < HANDS; i++)
        if (c->hand[i].fd >= 0 && c->hand[i].fd != fd) close(c->hand[i].fd);
    c->spool->supervisor = parent;
    struct config config = *c->config;
    share_processors(&config, c->n);
    config.stage.endpoint_share = c->share;
    config.stage.endpoint_slot = (int)(h - c->hand);
    config.stage.model_server_fd = model_server_enter(c->readers);
    struct worker *w = worker_new(&(struct worker_options){
        c->spool, &config, asked_to_stop, tell_by_socket, &fd});
    struct order order;
    while (recv(fd, &order, sizeof order, 0) == (ssize_t)sizeof order)
        if (!worker_process(w, &order)) _exit(EXIT_ENVIRONMENT);
    worker_free(w);
    _exit(EXIT_OK);
}

/* --- in the supervisor -------------------------------------------------- */

static void start(struct worker_pool *c, struct hand *h, struct err *err)
{
    int pair[2];
    if (err_failed(err)) return;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        err_errno(err, "cannot start a worker");
        return;
    }
    pid_t parent = getpid();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        work(c, h, pair[1], parent);
    }
    close(pair[1]);
    if (pid < 0) {
        err_errno(err, "cannot start a worker");
        close(pair[0]);
        return;
    }
    *h = (struct hand){.pid = pid, .fd = pair[0]};
}

static bool loads_long(const struct hand *h)
{
    return h->busy && h->loads_since > 0 &&
           clock_seconds() - h->loads_since > load_patience_s;
}

/* Documents at a time: as many as were asked for, and the reader has places. */
static int n_places(const struct worker_pool *c)
{
    int n = model_server_places(c->readers);
    return n > 0 && n < c->n ? n : c->n;
}

bool worker_pool_has_idle(const struct worker_pool *c)
{
    int taken = 0, busy = 0;
    if (c->in_process) return !c->own_ready;
    for (int i = 0; i < HANDS; i++) {
        busy += c->hand[i].busy;
        taken += c->hand[i].busy && !loads_long(&c->hand[i]);
    }
    return taken < n_places(c) && busy < c->n + EXTRA_MAX;
}

bool worker_pool_loads(const struct worker_pool *c, const char *schema)
{
    enum { LAST = sizeof c->hand[0].last.schema - 1 }; /* cut for display */
    for (int i = 0; i < HANDS; i++)
        if (loads_long(&c->hand[i]) &&
            !strncmp(c->hand[i].last.schema, schema, LAST))
            return true;
    return false;
}

int worker_pool_busy(const struct worker_pool *c)
{
    int n = c->own_ready;
    for (int i = 0; i < HANDS; i++)
        n += c->hand[i].busy;
    return n;
}

bool worker_pool_holds(const struct worker_pool *c, const char *id)
{
    for (int i = 0; i < HANDS; i++)
        if (c->hand[i].busy && !strcmp(c->hand[i].order.id, id)) return true;
    return c->own_ready && !strcmp(c->own_event.id, id);
}

int worker_pool_killed(const struct worker_pool *c)
{
    return c->n_killed;
}

static void keep_last(void *arg, const struct event *event)
{
    struct worker_pool *c = arg;
    if (event_is_last(event)) c->own_event = *event;
}

/* Signals are held back here, so look whether one waits. */
static bool stop_pending(void *arg)
{
    (void)arg;
    return signals_pending();
}

static void take_ourselves(struct worker_pool *c, const struct order *order)
{
    if (!c->own)
        c->own = worker_new(&(struct worker_options){
            c->spool, c->config, stop_pending, keep_last, c});
    if (!worker_process(c->own, order)) {
        worker_free(c->own);
        c->own = NULL;
    }
    c->own_ready = true;
}

/* One that waits, else a fresh one. */
static struct hand *free_hand(struct worker_pool *c, struct err *err)
{
    struct hand *none = NULL;
    for (int i = 0; i < HANDS; i++) {
        struct hand *h = &c->hand[i];
        if (!h->busy && h->pid) return h;
        if (!h->pid && !none) none = h;
    }
    if (none) start(c, none, err);
    return none;
}

void worker_pool_assign(struct worker_pool *c, const struct order *order,
                        struct err *err)
{
    if (err_failed(err)) return;
    if (c->in_process) {
        take_ourselves(c, order);
        return;
    }
    model_server_ensure(c->readers);
    struct hand *h = free_hand(c, err);
    if (err_failed(err) || !h) return;
    h->busy = true;
    h->order = *order;
    h->since = clock_seconds();
    h->n_kept = 0;
    h->loads_since = 0;
    h->last = (struct event){0};
    snprintf(h->last.id, sizeof h->last.id, "%s", order->id);
    count_workers(c);
    /* a worker that is gone is found by its end of file */
    if (send(h->fd, order, sizeof *order, MSG_NOSIGNAL) < 0) return;
}

/* What is said of a document whose worker ended without a last word. */
static void obituary(struct worker_pool *c, struct hand *h, int status,
                     struct event *event)
{
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    bool too_long = h->killed_by_us && !c->stopping;
    bool charge =
        too_long || (signal && signal != SIGKILL && signal != SIGTERM);
    char why[128];
    if (too_long)
        snprintf(why, sizeof why, "no end after %d s (document_timeout)%s",
                 c->config->stage.document_timeout_s,
                 h->loads_since > 0 ? ", its schema was still loading" : "");
    else if (signal)
        snprintf(why, sizeof why, "a worker was ended by signal %d", signal);
    else
        snprintf(why, sizeof why, "a worker ended with code %d",
                 WEXITSTATUS(status));
    const char *code = too_long ? "resource-time" : "internal";
    struct worker_death death = {.signal = signal,
                                 .code = charge ? code : NULL,
                                 .set_back = !c->stopping,
                                 .why = why};
    if (!charge && !c->stopping) c->n_killed++;
    *event = h->last;
    event->not_before = worker_report_death(c->spool, h->order.id, &death);
    event->kind = charge        ? EVENT_RETRY
                  : c->stopping ? EVENT_STOPPED
                                : EVENT_DEFERRED;
    snprintf(event->code, sizeof event->code, "%s",
             charge ? code : "cancelled");
    snprintf(event->text, sizeof event->text, "%s", why);
}

/* Reaps the worker; true when an event came of it. */
static bool bury(struct worker_pool *c, struct hand *h, struct event *event)
{
    int status = 0;
    close(h->fd);
    while (waitpid(h->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    bool spoke = h->busy;
    if (spoke) obituary(c, h, status, event);
    *h = (struct hand){.fd = -1};
    if (c->share) atomic_store(&c->share->slot[h - c->hand], 0);
    count_workers(c);
    return spoke;
}

static int n_hands(const struct worker_pool *c)
{
    int n = 0;
    for (int i = 0; i < HANDS; i++)
        n += c->hand[i].pid != 0;
    return n;
}

static bool hear(struct worker_pool *c, struct hand *h, struct event *event)
{
    ssize_t n = recv(h->fd, event, sizeof *event, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (n != (ssize_t)sizeof *event) return bury(c, h, event);
    h->last = *event;
    if (!event_is_last(event)) {
        bool loads = !strcmp(event->stage, EVENT_LOADS);
        if (event->n_kept > h->n_kept) h->since = clock_seconds();
        h->n_kept = event->n_kept;
        if (!loads) h->loads_since = 0;
        if (loads && h->loads_since <= 0) h->loads_since = clock_seconds();
        if (loads && c->stopping)
            kill(h->pid, SIGKILL); /* see worker_pool_stop */
        return true;
    }
    h->busy = false;
    count_workers(c);
    if (h->retired || event->ends || n_hands(c) > n_places(c) ||
        event->kind == EVENT_WAIT || event->kind == EVENT_DEFERRED) {
        /* it ends by itself, and a fresh one looks again */
        struct event none;
        shutdown(h->fd, SHUT_WR);
        bury(c, h, &none);
    }
    return true;
}

/* The stages have limits of their own; this one holds whatever they do, and
 * it is the only one while a schema is loading. */
static void end_overdue(struct worker_pool *c)
{
    for (int i = 0; i < HANDS; i++) {
        struct hand *h = &c->hand[i];
        double most = c->config->stage.document_timeout_s +
                      (h->loads_since > 0 ? 0 : WALL_GRACE_S);
        if (!h->busy || h->killed_by_us || clock_seconds() - h->since < most)
            continue;
        h->killed_by_us = true;
        kill(h->pid, SIGKILL);
    }
}

bool worker_pool_next(struct worker_pool *c, int timeout_ms, const int *other,
                      struct event *event)
{
    if (c->own_ready) {
        c->own_ready = false;
        *event = c->own_event;
        return true;
    }
    struct pollfd fds[HANDS + WORKER_POOL_OTHERS + 1];
    struct hand *of[HANDS];
    nfds_t n = 0;
    for (int i = 0; i < HANDS; i++) {
        if (!c->hand[i].pid) continue;
        of[n] = &c->hand[i];
        fds[n++] = (struct pollfd){.fd = c->hand[i].fd, .events = POLLIN};
    }
    nfds_t n_hand = n;
    for (int i = 0; other && i < WORKER_POOL_OTHERS; i++)
        if (other[i] >= 0)
            fds[n++] = (struct pollfd){.fd = other[i], .events = POLLIN};
    if (worker_pool_busy(c)) model_server_ensure(c->readers);
    if (model_server_retired_ended(c->former)) {
        model_server_free(c->former);
        c->former = NULL;
    }
    fds[n++] =
        (struct pollfd){.fd = model_server_fd(c->readers), .events = POLLIN};
    end_overdue(c);
    if (signals_poll(fds, n, timeout_ms) <= 0) return false;
    for (nfds_t i = 0; i < n_hand; i++)
        if (fds[i].revents && hear(c, of[i], event)) return true;
    return false;
}

void worker_pool_renew(struct worker_pool *c, const struct config *config)
{
    c->config = config;
    worker_free(c->own);
    c->own = NULL;
    for (int i = 0; i < HANDS; i++) {
        struct hand *h = &c->hand[i];
        struct event none;
        if (!h->pid) continue;
        h->retired = true;
        if (h->busy) continue;
        shutdown(h->fd, SHUT_WR);
        bury(c, h, &none);
    }
    int n = config_jobs(config);
    if (c->in_process) return;
    c->n = n > WORKER_POOL_MAX ? WORKER_POOL_MAX : n;
    model_server_free(c->former);
    c->former = c->readers;
    model_server_retire(c->former);
    c->readers = model_server_new(config, c->n);
}

void worker_pool_stop(struct worker_pool *c)
{
    c->stopping = true;
    for (int i = 0; i < HANDS; i++)
        if (c->hand[i].pid) /* one that loads a schema does not listen */
            kill(c->hand[i].pid,
                 c->hand[i].loads_since > 0 ? SIGKILL : SIGTERM);
}

void worker_pool_free(struct worker_pool *c)
{
    if (!c) return;
    struct event none;
    c->stopping = true;
    for (int i = 0; i < HANDS; i++) {
        struct hand *h = &c->hand[i];
        if (!h->pid) continue;
        if (h->busy)
            kill(h->pid, SIGKILL);
        else
            shutdown(h->fd, SHUT_WR);
        bury(c, h, &none);
    }
    worker_free(c->own);
    model_server_free(c->former);
    model_server_free(c->readers);
    if (c->share) munmap(c->share, sizeof *c->share);
    mem_free(c);
}
