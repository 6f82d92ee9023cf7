/* worker_pool.c - see worker_pool.h. */
#include "pipeline/supervisor/worker_pool.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/process/signals.h"
#include "pipeline/supervisor/backends.h"
#include "stages/children/spawner.h"
#include "stages/document/reason.h"
#include "vlm/base/clock.h"
#include "vlm/base/cpu.h"
#include "vlm/base/log.h"

enum { WALL_GRACE_S = 30, EXTRA_MAX = 8, SLOTS = WORKER_POOL_MAX + EXTRA_MAX };
static const double load_patience_s = 1;

enum {
    MESSAGE_JOB = 1, /* struct worker_job, to the worker */
    MESSAGE_EVENT,   /* struct event, from the worker */
    N_MESSAGE
};

static const struct message_type type[N_MESSAGE] = {
    {.least = 1},
    {.least = sizeof(struct worker_job), .most = sizeof(struct worker_job)},
    {.least = sizeof(struct event), .most = sizeof(struct event)}};
static const struct message_types types = {type, N_MESSAGE};

struct slot {
    struct process process;      /* pid 0: none */
    const struct config *config; /* with which it reads documents */
    int backend;                 /* that it asks; -1: one of former settings */
    bool busy, retired, yields, killed_by_us;
    struct worker_job job;
    struct event last;  /* the latest event of the document */
    double begun;       /* start of the document */
    double since;       /* the same, or its last kept page */
    int n_kept;         /* kept pages of the document */
    double loads_since; /* since when it loads a schema; 0: it does not */
};

struct worker_pool {
    struct spool *spool;
    const struct config *config;
    int n, n_killed;
    bool in_process, stopping;
    struct slot slot[SLOTS]; /* n, and spare ones to pass loading workers */
    struct backends *backends;
    struct backends *former; /* of the previous settings */
    struct process_server *spawner;
    struct process_server *retired; /* of previous settings */
    struct config own_config;       /* in_process */
    const struct config *own_of;    /* the one it is a copy of */
    struct worker *own;             /* in_process */
    struct event own_event;
    bool own_ready;
};

struct worker_pool *worker_pool_new(struct spool *s,
                                    const struct config *config, int n)
{
    struct worker_pool *c = mem_alloc(1, sizeof *c);
    c->spool = s;
    c->config = config;
    c->in_process = n == 0;
    c->n = n < 1 ? 1 : n > WORKER_POOL_MAX ? WORKER_POOL_MAX : n;
    for (int i = 0; i < SLOTS; i++)
        c->slot[i].process = PROCESS_NONE;
    c->backends = backends_new(config, c->in_process ? 0 : c->n);
    return c;
}

/* Starts what documents need, also after it has ended. */
static void ensure_servers(struct worker_pool *c, struct err *err)
{
    if (!c->spawner) c->spawner = spawner_new(&c->config->stage, err);
    process_server_ensure(c->spawner);
    c->retired = process_server_tidy(c->retired);
}

/* --- in the worker's process -------------------------------------------- */

static bool asked_to_stop(void *arg)
{
    (void)arg;
    return signals_stopped();
}

/* Without the supervisor this process ends by itself. */
static void send_event(void *arg, const struct event *event)
{
    const struct span body = {(const char *)event, sizeof *event};
    (void)message_send(*(int *)arg, MESSAGE_EVENT, body, (struct span){"", 0});
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

/* A new worker, and its pool. */
struct recruit {
    struct worker_pool *pool;
    const struct config *config;
    int backend;
};

static void run_worker(void *arg, int fd)
{
    const struct recruit *its = arg;
    struct worker_pool *c = its->pool;
    struct message m;
    signals_open_worker();
    for (int i = 0; i < SLOTS; i++)
        process_forget(&c->slot[i].process);
    c->spool->supervisor = getppid();
    struct config config = *its->config;
    share_processors(&config, c->n);
    backends_enter(c->backends, its->backend, &config.stage);
    config.stage.spawner_door = process_server_enter(c->spawner);
    struct worker *w = worker_new(&(struct worker_options){
        c->spool, &config, asked_to_stop, send_event, &fd});
    close_keys(&config, config.stage.fetch_fd > 0);
    while (message_receive(fd, &types, true, &m) == MESSAGE_RECEIVED &&
           m.type == MESSAGE_JOB)
        if (!worker_process(w, (const void *)&m.body)) _exit(EXIT_ENVIRONMENT);
    worker_free(w);
}

/* --- in the supervisor -------------------------------------------------- */

static void start_worker(struct slot *h, const struct recruit *its,
                         struct err *err)
{
    *h = (struct slot){.process = PROCESS_NONE,
                       .config = its->config,
                       .backend = its->backend};
    process_start(&h->process,
                  &(struct process_options){.name = "platen",
                                            .run = run_worker,
                                            .arg = (void *)(uintptr_t)its,
                                            .keeps_signals = true},
                  err);
}

static bool loads_long(const struct slot *h)
{
    return h->busy && h->loads_since > 0 &&
           clock_seconds() - h->loads_since > load_patience_s;
}

/* Documents at a time: as configured, but no more than the model server
 * allows; with several, see is_full. */
static int n_places(const struct worker_pool *c)
{
    int n =
        backends_count(c->backends) == 1 ? backends_places(c->backends, 0) : 0;
    return n > 0 && n < c->n ? n : c->n;
}

static int busy_with(const struct worker_pool *c, int backend)
{
    int n = 0;
    for (int i = 0; i < SLOTS; i++)
        n += c->slot[i].busy && c->slot[i].backend == backend;
    return n;
}

static bool is_full(const struct worker_pool *c, int backend)
{
    int n = backends_places(c->backends, backend);
    return n > 0 && busy_with(c, backend) >= n;
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

static void process_here(struct worker_pool *c, const struct worker_job *job)
{
    const struct config *config = config_for(c->config, job->schema);
    if (c->own_of != config) {
        worker_free(c->own);
        c->own = NULL;
        c->own_of = config;
    }
    c->own_config = *config;
    c->own_config.stage.spawner_door = process_server_door(c->spawner);
    if (!c->own)
        c->own = worker_new(&(struct worker_options){
            c->spool, &c->own_config, signals_pending, keep_last, c});
    if (!worker_process(c->own, job)) {
        worker_free(c->own);
        c->own = NULL;
    }
    c->own_ready = true;
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
    bool was_busy = h->busy;
    int status = process_end(&h->process);
    if (was_busy) on_death(c, h, status, event);
    *h = (struct slot){.process = PROCESS_NONE};
    return was_busy;
}

/* An idle worker ends when it gets no more work. */
static void dismiss(struct worker_pool *c, struct slot *h)
{
    struct event none;
    reap(c, h, &none);
}

static int n_workers(const struct worker_pool *c)
{
    int n = 0;
    for (int i = 0; i < SLOTS; i++)
        n += c->slot[i].process.pid != 0;
    return n;
}

/* The slot of an idle worker with this configuration, else of a new one; where
 * there are enough, an idle one with another configuration ends for it. */
static struct slot *free_slot(struct worker_pool *c,
                              const struct config *config, struct err *err)
{
    struct slot *none = NULL, *other = NULL;
    for (int i = 0; i < SLOTS; i++) {
        struct slot *h = &c->slot[i];
        bool idle = !h->busy && h->process.pid;
        if (idle && h->config == config) return h;
        if (idle && !other) other = h;
        if (!h->process.pid && !none) none = h;
    }
    if (other && (!none || n_workers(c) >= c->n)) {
        dismiss(c, other);
        none = other;
    }
    const struct recruit its = {c, config, backends_of(c->backends, config)};
    if (none) start_worker(none, &its, err);
    return none;
}

void worker_pool_assign(struct worker_pool *c, const struct worker_job *job,
                        struct err *err)
{
    ensure_servers(c, err);
    if (err_failed(err)) return;
    if (c->in_process) {
        process_here(c, job);
        return;
    }
    const struct config *config = config_for(c->config, job->schema);
    backends_use(c->backends, backends_of(c->backends, config));
    struct slot *h = free_slot(c, config, err);
    if (err_failed(err) || !h) return;
    h->busy = true;
    h->job = *job;
    h->begun = h->since = clock_seconds();
    h->n_kept = job->n_kept;
    h->loads_since = 0;
    h->last = (struct event){0};
    snprintf(h->last.id, sizeof h->last.id, "%s", job->id);
    /* a worker that has died is found by end of file */
    (void)message_send(h->process.fd, MESSAGE_JOB,
                       (struct span){(const char *)job, sizeof *job},
                       (struct span){"", 0});
}

/* A worker reports what its reader says of pages: at most max_pages are kept, each
 * once (reader.c). */
static void note_progress(struct worker_pool *c, struct slot *h,
                          const struct event *event)
{
    if (event->n_kept > h->n_kept) {
        h->since = clock_seconds();
        h->n_kept = event->n_kept;
    }
    if (!event->loads) h->loads_since = 0;
    if (event->loads && h->loads_since <= 0) h->loads_since = clock_seconds();
    if (event->loads && c->stopping)
        kill(h->process.pid, SIGKILL); /* see worker_pool_stop */
}

static bool receive_event(struct worker_pool *c, struct slot *h,
                          struct event *event)
{
    struct message m;
    enum message_end end = message_receive(h->process.fd, &types, false, &m);
    if (end == MESSAGE_NONE) return false;
    if (end != MESSAGE_RECEIVED || m.type != MESSAGE_EVENT)
        return reap(c, h, event);
    memcpy(event, &m.body, sizeof *event);
    h->last = *event;
    if (!event_is_last(event)) {
        note_progress(c, h, event);
        return true;
    }
    h->busy = false;
    /* the worker exits; a new one tries again */
    if (h->retired || event->ends || n_workers(c) > n_places(c) ||
        event->kind == EVENT_WAIT || event->kind == EVENT_DEFERRED)
        dismiss(c, h);
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
        kill(h->process.pid, SIGKILL);
    }
}

/* backend -1: of any. */
static void yield(struct worker_pool *c, int backend)
{
    struct slot *longest = NULL;
    double turn = clock_seconds() - c->config->stage.document_timeout_s;
    for (int i = 0; i < SLOTS; i++) {
        struct slot *h = &c->slot[i];
        if (backend >= 0 && h->backend != backend) continue;
        if (h->busy && h->yields) return;
        bool goes_on = h->busy && h->since > h->begun && h->begun < turn;
        if (goes_on && (!longest || h->begun < longest->begun)) longest = h;
    }
    if (!longest) return;
    longest->yields = longest->retired = true;
    kill(longest->process.pid, SIGTERM);
}

void worker_pool_yield(struct worker_pool *c)
{
    yield(c, -1);
}

int worker_pool_backends(const struct worker_pool *c)
{
    return backends_count(c->backends);
}

int worker_pool_backend(const struct worker_pool *c, const char *schema)
{
    return backends_of(c->backends, config_for(c->config, schema));
}

static void unload(struct worker_pool *c, int backend)
{
    for (int i = 0; i < SLOTS; i++)
        if (c->slot[i].process.pid && c->slot[i].backend == backend)
            dismiss(c, &c->slot[i]);
    backends_unload(c->backends, backend);
}

void worker_pool_choose(struct worker_pool *c, const double *waits, bool *go)
{
    struct model_order_row row[BACKENDS_MOST] = {0};
    int n = backends_count(c->backends);
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < n; i++) {
            row[i].waits = waits[i];
            row[i].busy = busy_with(c, i) > 0;
        }
        backends_order(c->backends, row);
        for (int i = 0; i < n; i++) {
            go[i] = row[i].go && !is_full(c, i);
            again |= row[i].unload;
            if (row[i].unload)
                unload(c, i);
            else if (!row[i].go && row[i].loaded)
                yield(c, i); /* a long document lets the others pass */
        }
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
    struct pollfd fds[SLOTS + WORKER_POOL_OTHERS + 2 * BACKENDS_MOST];
    struct slot *of[SLOTS];
    nfds_t n = 0;
    for (int i = 0; i < SLOTS; i++) {
        if (!c->slot[i].process.pid) continue;
        of[n] = &c->slot[i];
        fds[n++] =
            (struct pollfd){.fd = c->slot[i].process.fd, .events = POLLIN};
    }
    nfds_t n_slot = n;
    for (int i = 0; other && i < WORKER_POOL_OTHERS; i++)
        if (other[i] >= 0)
            fds[n++] = (struct pollfd){.fd = other[i], .events = POLLIN};
    backends_ensure(c->backends, worker_pool_busy(c) > 0);
    c->retired = process_server_tidy(c->retired);
    if (c->former && backends_retired_ended(c->former)) {
        backends_free(c->former);
        c->former = NULL;
    }
    n += backends_fds(c->backends, fds + n);
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
    c->own_of = NULL;
    for (int i = 0; i < SLOTS; i++) {
        struct slot *h = &c->slot[i];
        if (!h->process.pid) continue;
        h->retired = true;
        h->backend = -1;
        if (!h->busy) dismiss(c, h);
    }
    int n = config_jobs(config);
    c->retired = process_server_retire(c->spawner, c->retired);
    c->spawner = NULL;
    if (!c->in_process) c->n = n > WORKER_POOL_MAX ? WORKER_POOL_MAX : n;
    backends_free(c->former);
    c->former = c->backends;
    c->retired = backends_retire(c->former, c->retired);
    c->backends = backends_new(config, c->in_process ? 0 : c->n);
}

void worker_pool_stop(struct worker_pool *c)
{
    c->stopping = true;
    for (int i = 0; i < SLOTS; i++)
        if (c->slot[i]
                .process.pid) /* one that loads a schema ignores SIGTERM */
            kill(c->slot[i].process.pid,
                 c->slot[i].loads_since > 0 ? SIGKILL : SIGTERM);
}

void worker_pool_free(struct worker_pool *c)
{
    if (!c) return;
    c->stopping = true;
    for (int i = 0; i < SLOTS; i++)
        if (c->slot[i].process.pid) dismiss(c, &c->slot[i]);
    worker_free(c->own);
    backends_free(c->former);
    backends_free(c->backends);
    process_server_free(c->spawner);
    process_server_free(c->retired);
    mem_free(c);
}
