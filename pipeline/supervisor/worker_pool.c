/* worker_pool.c - see worker_pool.h. */
#define _GNU_SOURCE
#include "pipeline/supervisor/worker_pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/process/signals.h"
#include "pipeline/process/spawner_process.h"
#include "pipeline/supervisor/model_server.h"
#include "stages/engine/fetch_process.h"
#include "stages/reason.h"
#include "vlm/base/clock.h"
#include "vlm/base/cpu.h"
#include "vlm/base/log.h"

enum { WALL_GRACE_S = 30, EXTRA_MAX = 8, SLOTS = WORKER_POOL_MAX + EXTRA_MAX };
enum { RETIRED_MAX = 4 };
static const double load_patience_s = 1;

struct slot {
    pid_t pid; /* 0: none */
    int fd;
    bool busy, retired, killed_by_us;
    struct worker_job job;
    struct event last;  /* the latest event of the document */
    double since;       /* start of the document, or of its last kept page */
    int n_kept;         /* kept pages of the document */
    double loads_since; /* since when it loads a schema; 0: it does not */
};

struct worker_pool {
    struct spool *spool;
    const struct config *config;
    int n, n_killed;
    bool in_process, stopping;
    struct slot slot[SLOTS];     /* n, and spare ones to pass loading workers */
    struct model_server *server; /* NULL: each worker loads the model */
    struct model_server *former; /* the server of the previous settings */
    struct spawner_process *spawner;              /* NULL: not started */
    struct spawner_process *retired[RETIRED_MAX]; /* of previous settings */
    struct fetch_process *fetch;                  /* NULL: no endpoint */
    struct fetch_process *former_fetch; /* those of previous settings */
    struct config own_config;           /* in_process */
    struct worker *own;                 /* in_process */
    struct event own_event;
    bool own_ready;
};

/* The process that talks to the endpoint. NULL: none is needed, or each worker
 * starts one. */
static struct fetch_process *fetch_new(const struct config *config)
{
    struct err none = {0};
    if (strcmp(config->stage.engine, "endpoint") != 0) return NULL;
    return fetch_process_new(&config->stage, &none);
}

struct worker_pool *worker_pool_new(struct spool *s,
                                    const struct config *config, int n)
{
    struct worker_pool *c = mem_alloc(1, sizeof *c);
    c->spool = s;
    c->config = config;
    c->in_process = n == 0;
    c->n = n < 1 ? 1 : n > WORKER_POOL_MAX ? WORKER_POOL_MAX : n;
    for (int i = 0; i < SLOTS; i++)
        c->slot[i].fd = -1;
    if (!c->in_process) c->server = model_server_new(config, c->n);
    if (!c->in_process) c->fetch = fetch_new(config);
    return c;
}

/* Starts the process that starts children, also after it has ended. */
static void ensure_spawner(struct worker_pool *c, struct err *err)
{
    for (int i = 0; i < RETIRED_MAX; i++) {
        if (!c->retired[i] || !spawner_process_ended(c->retired[i])) continue;
        spawner_process_free(c->retired[i]);
        c->retired[i] = NULL;
    }
    if (!spawner_process_ended(c->spawner)) return;
    spawner_process_free(c->spawner);
    c->spawner = spawner_process_start(&c->config->stage, err);
}

/* The oldest of too many is ended with its children; their documents are tried
 * again. */
static void retire_spawner(struct worker_pool *c)
{
    spawner_process_retire(c->spawner);
    spawner_process_free(c->retired[0]);
    memmove(c->retired, c->retired + 1, (RETIRED_MAX - 1) * sizeof *c->retired);
    c->retired[RETIRED_MAX - 1] = c->spawner;
    c->spawner = NULL;
}

/* --- in the worker's process -------------------------------------------- */

static bool asked_to_stop(void *arg)
{
    (void)arg;
    return signals_stopped();
}

static void send_event(void *arg, const struct event *event)
{
    int fd = *(int *)arg;
    /* if the supervisor died, PR_SET_PDEATHSIG ends this process */
    if (send(fd, event, sizeof *event, MSG_NOSIGNAL) < 0) return;
}

/* Divides the processors among the workers. */
static void share_processors(struct config *config, int n)
{
    int total = config->stage.n_thread ? config->stage.n_thread : cpu_count();
    config->stage.n_thread = total / n > 0 ? total / n : 1;
}

/* Only the fetch process and the worker's own process of the fleet read keys. */
static void close_keys(struct config *config, bool has_fetch)
{
    if (has_fetch) config->stage.endpoint_key_fd = 0;
    config_close_secrets(config->stage.endpoint_key_fd);
    config->fleet_fd = 0;
    config->stage.passwords_fd = 0; /* the spawner has them */
}

static _Noreturn void run_worker(struct worker_pool *c, int fd, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_OTHER);
    signals_open_worker();
    for (int i = 0; i < SLOTS; i++)
        if (c->slot[i].fd >= 0 && c->slot[i].fd != fd) close(c->slot[i].fd);
    c->spool->supervisor = parent;
    struct config config = *c->config;
    share_processors(&config, c->n);
    config.stage.model_server_fd = model_server_enter(c->server);
    config.stage.spawner_door = spawner_process_door(c->spawner);
    config.stage.fetch_fd = fetch_process_enter(c->fetch);
    struct worker *w = worker_new(&(struct worker_options){
        c->spool, &config, asked_to_stop, send_event, &fd});
    close_keys(&config, c->fetch != NULL);
    struct worker_job job;
    while (recv(fd, &job, sizeof job, 0) == (ssize_t)sizeof job)
        if (!worker_process(w, &job)) _exit(EXIT_ENVIRONMENT);
    worker_free(w);
    _exit(EXIT_OK);
}

/* --- in the supervisor -------------------------------------------------- */

static void start_worker(struct worker_pool *c, struct slot *h, struct err *err)
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
        run_worker(c, pair[1], parent);
    }
    close(pair[1]);
    if (pid < 0) {
        err_errno(err, "cannot start a worker");
        close(pair[0]);
        return;
    }
    *h = (struct slot){.pid = pid, .fd = pair[0]};
}

static bool loads_long(const struct slot *h)
{
    return h->busy && h->loads_since > 0 &&
           clock_seconds() - h->loads_since > load_patience_s;
}

/* Documents at a time: as configured, but no more than the model server
 * allows. */
static int n_places(const struct worker_pool *c)
{
    int n = model_server_places(c->server);
    return n > 0 && n < c->n ? n : c->n;
}

bool worker_pool_has_idle(const struct worker_pool *c)
{
    int taken = 0, busy = 0;
    if (c->in_process) return !c->own_ready;
    for (int i = 0; i < SLOTS; i++) {
        busy += c->slot[i].busy;
        taken += c->slot[i].busy && !loads_long(&c->slot[i]);
    }
    return taken < n_places(c) && busy < c->n + EXTRA_MAX;
}

bool worker_pool_loads(const struct worker_pool *c, const char *schema)
{
    enum { LAST = sizeof c->slot[0].last.schema - 1 }; /* cut for display */
    for (int i = 0; i < SLOTS; i++)
        if (loads_long(&c->slot[i]) &&
            !strncmp(c->slot[i].last.schema, schema, LAST))
            return true;
    return false;
}

int worker_pool_busy(const struct worker_pool *c)
{
    int n = c->own_ready;
    for (int i = 0; i < SLOTS; i++)
        n += c->slot[i].busy;
    return n;
}

bool worker_pool_holds(const struct worker_pool *c, const char *id)
{
    for (int i = 0; i < SLOTS; i++)
        if (c->slot[i].busy && !strcmp(c->slot[i].job.id, id)) return true;
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

/* Signals are blocked here, so check for pending ones. */
static bool stop_pending(void *arg)
{
    (void)arg;
    return signals_pending();
}

static void process_here(struct worker_pool *c, const struct worker_job *job)
{
    c->own_config = *c->config;
    c->own_config.stage.spawner_door = spawner_process_door(c->spawner);
    if (!c->own)
        c->own = worker_new(&(struct worker_options){
            c->spool, &c->own_config, stop_pending, keep_last, c});
    if (!worker_process(c->own, job)) {
        worker_free(c->own);
        c->own = NULL;
    }
    c->own_ready = true;
}

/* The slot of an idle worker, else of a new one. */
static struct slot *free_slot(struct worker_pool *c, struct err *err)
{
    struct slot *none = NULL;
    for (int i = 0; i < SLOTS; i++) {
        struct slot *h = &c->slot[i];
        if (!h->busy && h->pid) return h;
        if (!h->pid && !none) none = h;
    }
    if (none) start_worker(c, none, err);
    return none;
}

void worker_pool_assign(struct worker_pool *c, const struct worker_job *job,
                        struct err *err)
{
    ensure_spawner(c, err);
    if (err_failed(err)) return;
    if (c->in_process) {
        process_here(c, job);
        return;
    }
    model_server_ensure(c->server);
    fetch_process_ensure(c->fetch);
    struct slot *h = free_slot(c, err);
    if (err_failed(err) || !h) return;
    h->busy = true;
    h->job = *job;
    h->since = clock_seconds();
    h->n_kept = 0;
    h->loads_since = 0;
    h->last = (struct event){0};
    snprintf(h->last.id, sizeof h->last.id, "%s", job->id);
    /* a worker that has died is found by end of file */
    if (send(h->fd, job, sizeof *job, MSG_NOSIGNAL) < 0) return;
}

/* Records the death of a worker during a document, and makes the event. */
static void on_death(struct worker_pool *c, struct slot *h, int status,
                     struct event *event)
{
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    bool too_long = h->killed_by_us && !c->stopping;
    bool charge =
        too_long || (signal && signal != SIGKILL && signal != SIGTERM);
    char why[128];
    if (too_long)
        snprintf(why, sizeof why,
                 "not finished after %d s (document_timeout)%s",
                 c->config->stage.document_timeout_s,
                 h->loads_since > 0 ? ", the schema was still loading" : "");
    else if (signal)
        snprintf(why, sizeof why, "a worker was killed by signal %d", signal);
    else
        snprintf(why, sizeof why, "a worker exited with code %d",
                 WEXITSTATUS(status));
    const char *code = too_long ? "resource-time" : "internal";
    struct worker_death death = {.signal = signal,
                                 .code = charge ? code : NULL,
                                 .defer = !c->stopping,
                                 .why = why};
    if (!charge && !c->stopping) c->n_killed++;
    *event = h->last;
    event->not_before = worker_report_death(c->spool, h->job.id, &death);
    event->kind = charge        ? EVENT_RETRY
                  : c->stopping ? EVENT_STOPPED
                                : EVENT_DEFERRED;
    snprintf(event->code, sizeof event->code, "%s",
             charge ? code : "cancelled");
    snprintf(event->text, sizeof event->text, "%s", why);
}

/* Reaps a worker; true: it died during a document, and `event` is filled. */
static bool reap(struct worker_pool *c, struct slot *h, struct event *event)
{
    int status = 0;
    close(h->fd);
    while (waitpid(h->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    bool was_busy = h->busy;
    if (was_busy) on_death(c, h, status, event);
    *h = (struct slot){.fd = -1};
    return was_busy;
}

static int n_workers(const struct worker_pool *c)
{
    int n = 0;
    for (int i = 0; i < SLOTS; i++)
        n += c->slot[i].pid != 0;
    return n;
}

static bool receive_event(struct worker_pool *c, struct slot *h,
                          struct event *event)
{
    ssize_t n = recv(h->fd, event, sizeof *event, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (n != (ssize_t)sizeof *event) return reap(c, h, event);
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
    if (h->retired || event->ends || n_workers(c) > n_places(c) ||
        event->kind == EVENT_WAIT || event->kind == EVENT_DEFERRED) {
        /* the worker exits; a new one tries again */
        struct event none;
        shutdown(h->fd, SHUT_WR);
        reap(c, h, &none);
    }
    return true;
}

/* A last limit in addition to those of the stages, and the only one while a
 * schema is loading. */
static void end_overdue(struct worker_pool *c)
{
    for (int i = 0; i < SLOTS; i++) {
        struct slot *h = &c->slot[i];
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
    struct pollfd fds[SLOTS + WORKER_POOL_OTHERS + 2];
    struct slot *of[SLOTS];
    nfds_t n = 0;
    for (int i = 0; i < SLOTS; i++) {
        if (!c->slot[i].pid) continue;
        of[n] = &c->slot[i];
        fds[n++] = (struct pollfd){.fd = c->slot[i].fd, .events = POLLIN};
    }
    nfds_t n_slot = n;
    for (int i = 0; other && i < WORKER_POOL_OTHERS; i++)
        if (other[i] >= 0)
            fds[n++] = (struct pollfd){.fd = other[i], .events = POLLIN};
    /* an idle server that has ended is reaped, or its descriptor stays ready */
    if (worker_pool_busy(c) || model_server_fd(c->server) >= 0)
        model_server_ensure(c->server);
    fetch_process_ensure(c->fetch);
    c->former_fetch = fetch_process_tidy(c->former_fetch);
    if (model_server_retired_ended(c->former)) {
        model_server_free(c->former);
        c->former = NULL;
    }
    fds[n++] =
        (struct pollfd){.fd = model_server_fd(c->server), .events = POLLIN};
    fds[n++] =
        (struct pollfd){.fd = fetch_process_end_fd(c->fetch), .events = POLLIN};
    end_overdue(c);
    if (signals_poll(fds, n, timeout_ms) <= 0) return false;
    for (nfds_t i = 0; i < n_slot; i++)
        if (fds[i].revents && receive_event(c, of[i], event)) return true;
    return false;
}

void worker_pool_renew(struct worker_pool *c, const struct config *config)
{
    c->config = config;
    worker_free(c->own);
    c->own = NULL;
    for (int i = 0; i < SLOTS; i++) {
        struct slot *h = &c->slot[i];
        struct event none;
        if (!h->pid) continue;
        h->retired = true;
        if (h->busy) continue;
        shutdown(h->fd, SHUT_WR);
        reap(c, h, &none);
    }
    int n = config_jobs(config);
    retire_spawner(c);
    if (c->in_process) return;
    c->n = n > WORKER_POOL_MAX ? WORKER_POOL_MAX : n;
    model_server_free(c->former);
    c->former = c->server;
    model_server_retire(c->former);
    c->server = model_server_new(config, c->n);
    c->former_fetch = fetch_process_retire(c->fetch, c->former_fetch);
    c->fetch = fetch_new(config);
}

void worker_pool_stop(struct worker_pool *c)
{
    c->stopping = true;
    for (int i = 0; i < SLOTS; i++)
        if (c->slot[i].pid) /* one that loads a schema ignores SIGTERM */
            kill(c->slot[i].pid,
                 c->slot[i].loads_since > 0 ? SIGKILL : SIGTERM);
}

void worker_pool_free(struct worker_pool *c)
{
    if (!c) return;
    struct event none;
    c->stopping = true;
    for (int i = 0; i < SLOTS; i++) {
        struct slot *h = &c->slot[i];
        if (!h->pid) continue;
        if (h->busy)
            kill(h->pid, SIGKILL);
        else
            shutdown(h->fd, SHUT_WR);
        reap(c, h, &none);
    }
    worker_free(c->own);
    model_server_free(c->former);
    model_server_free(c->server);
    spawner_process_free(c->spawner);
    for (int i = 0; i < RETIRED_MAX; i++)
        spawner_process_free(c->retired[i]);
    fetch_process_free(c->former_fetch);
    fetch_process_free(c->fetch);
    mem_free(c);
}
