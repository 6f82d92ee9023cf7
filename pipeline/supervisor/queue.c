/* queue.c - see queue.h. */
#include "pipeline/supervisor/queue.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/deferral.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/durable.h"
#include "pipeline/spool/file_name.h"
#include "pipeline/spool/still_written.h"
#include "pipeline/worker/probe.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

/* --- log once ---------------------------------------------------------- */

/* Logs a warning once, not at each scan. */

enum { LOG_ONCE_MAX = 1000 };

struct log_once {
    struct arena *arena;
    const char *logged[LOG_ONCE_MAX];
    int n;
};

/* Logs a warning, unless it was logged before or LOG_ONCE_MAX others were.
 * `line` is escaped. */
static void log_once_warn(struct log_once *o, const char *line)
{
    bool known = o->n == LOG_ONCE_MAX;
    for (int i = 0; i < o->n && !known; i++)
        known = !strcmp(o->logged[i], line);
    if (known) return;
    log_warn("%s", line);
    o->logged[o->n++] = arena_copy(o->arena, span_of(line));
}

/* Warns about a name of in/, which is escaped here. */
static void log_once_warn_name(struct log_once *o, const char *folder,
                               const char *name, const char *what)
{
    struct buf text = buf_limit(4096);
    buf_add_text(&text, "in/");
    file_name_escape(folder, &text);
    if (*folder) buf_add_text(&text, "/");
    file_name_escape(name, &text);
    buf_print(&text, ": %s", what);
    log_once_warn(o, buf_span(&text).data);
    buf_free(&text);
}

/* Warns about a folder that cannot be listed ("NAME: why", escaped). */
static void log_once_warn_unlisted(struct log_once *o, const char *where,
                                   const char *name)
{
    struct buf text = buf_limit(4096);
    buf_print(&text, "%s/%s; its files are not read", where, name);
    log_once_warn(o, buf_span(&text).data);
    buf_free(&text);
}

/* --- queue ------------------------------------------------------------- */

static const double failed_first_s = 5, failed_most_s = 300;
static const double blocked_wait_s = 30;
static const double elsewhere_wait_s = 0.5;
enum { DEFERRED_TURN = 4 };

struct ticket { /* a folder in work/ */
    char id[SPOOL_ID_SIZE];
    char schema[FILE_NAME_BYTES_MAX + 1];
    double due;
    int n_wait;    /* failures of the environment, confirmed or not */
    int n_kept;    /* pages, in earlier turns */
    bool deferred; /* for `code`; other documents go first */
    bool tried;    /* deferred, and this run has tried it */
    char code[24];
    bool suspect;   /* runs alone */
    bool elsewhere; /* locked by another platen */
};

struct queue {
    struct spool *spool;
    const struct config *config;
    bool patient;
    struct arena *arena; /* of the last scan */
    struct arrival *arrival;
    size_t n_arrival, n_ignored, n_nested, n_unlisted;
    struct ticket *ticket;
    size_t n_ticket;
    int n_turn; /* documents since the last deferred one */
    /* with several backends */
    struct backend_queue {
        bool held;          /* not chosen: other models go first */
        double wait, until; /* after its failure: seconds, clock_seconds */
    } backend[WORKER_POOL_BACKENDS];
    struct log_once once;
};

struct queue *queue_new(struct spool *s, const struct config *config,
                        bool patient)
{
    struct queue *q = mem_alloc(1, sizeof *q);
    q->spool = s;
    queue_configure(q, config);
    q->patient = patient;
    q->arena = arena_new();
    q->once.arena = arena_new();
    return q;
}

void queue_free(struct queue *q)
{
    if (!q) return;
    arena_free(q->arena);
    arena_free(q->once.arena);
    mem_free(q->ticket);
    mem_free(q);
}

void queue_configure(struct queue *q, const struct config *config)
{
    q->config = config;
    memset(q->backend, 0, sizeof q->backend);
    q->spool->limits = (struct spool_limits){config->stage.max_document_bytes,
                                             config->free_bytes};
    q->spool->flat = !config->recursive;
    q->spool->ignore = config->ignore;
}

static void report_object(void *arg, const char *folder, const char *name,
                          const char *what)
{
    log_once_warn_name(&((struct queue *)arg)->once, folder, name, what);
}

/* A folder that cannot be listed is an error of the whole run. */
static void report_unlisted(struct queue *q, const char *where,
                            const char *name)
{
    log_once_warn_unlisted(&q->once, where, name);
    q->n_unlisted++;
}

/* --- in/ ---------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct drop *x = &((const struct arrival *)a)->drop;
    const struct drop *y = &((const struct arrival *)b)->drop;
    int c = strcmp(x->path, y->path);
    return c ? c : strcmp(x->name, y->name);
}

static int by_due(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;
    if (x->due < y->due || x->due > y->due) return x->due < y->due ? -1 : 1;
    return by_name(a, b);
}

static void scan_in(struct queue *q, struct arena *arena, struct err *err)
{
    double now = clock_seconds();
    struct drops drops = spool_scan(q->spool, arena, report_object, q, err);
    if (err_failed(err)) return;
    for (size_t i = 0; i < drops.n_unlisted; i++)
        report_unlisted(q, "in", drops.unlisted[i]);
    struct arrival *list = arena_array(arena, drops.n_drop + 1, sizeof *list);
    struct arrival *old = q->arrival;
    if (q->n_arrival) qsort(old, q->n_arrival, sizeof *old, by_name);
    for (size_t i = 0; i < drops.n_drop; i++) {
        struct arrival *a = &list[i];
        a->drop = drops.drop[i];
        const struct arrival *known =
            q->n_arrival ? bsearch(a, old, q->n_arrival, sizeof *old, by_name)
                         : NULL;
        if (known && durable_same(&known->drop.stat, &a->drop.stat)) {
            a->changed = known->changed;
            a->due = known->due;
            a->blocked = known->blocked;
        } else {
            still_written_begin(a, q->config, now);
        }
    }
    q->arrival = list;
    q->n_arrival = drops.n_drop;
    q->n_ignored = drops.n_ignored;
    q->n_nested = drops.n_nested;
    if (drops.n_drop) qsort(list, drops.n_drop, sizeof *list, by_due);
}

/* --- work/ -------------------------------------------------------------- */

static struct ticket *find_ticket(struct queue *q, const char *id)
{
    for (size_t i = 0; i < q->n_ticket; i++)
        if (!strcmp(q->ticket[i].id, id)) return &q->ticket[i];
    return NULL;
}

static void drop_ticket(struct queue *q, struct ticket *t)
{
    *t = q->ticket[--q->n_ticket];
}

static struct ticket *add_ticket(struct queue *q, const char *id,
                                 const char *folder)
{
    struct ticket *t = MEM_ADD(q->ticket, q->n_ticket);
    *t = (struct ticket){0};
    snprintf(t->id, sizeof t->id, "%s", id);
    snprintf(t->schema, sizeof t->schema, "%s",
             *folder ? folder : q->config->default_schema);
    return t;
}

/* Converts UTC to clock_seconds; bounded, in case the clock jumped. */
static double monotonic_time(long long not_before, double most)
{
    double wait = (double)(not_before - clock_utc());
    return clock_seconds() + (wait < 0 ? 0 : wait < most ? wait : most);
}

static void set_deferral(struct queue *q, struct ticket *t,
                         const struct deferral *d)
{
    t->n_wait = d->times;
    t->deferred = d->times > 0;
    snprintf(t->code, sizeof t->code, "%s", d->code);
    double due = monotonic_time(d->not_before, deferral_wait(d->times));
    if (t->deferred && q->patient && due > t->due) t->due = due;
}

static void set_due(struct queue *q, struct ticket *t,
                    const struct document_folder_state *state)
{
    t->suspect = state->n_death >= WORKER_SUSPECT;
    t->due = monotonic_time(state->not_before, 60);
    if (t->suspect && q->patient)
        t->due =
            clock_seconds() + deferral_wait(state->n_death - WORKER_SUSPECT);
}

/* Reports a folder without access; others are not documents, or are gone. */
static void report_denied(struct queue *q, const char *id)
{
    char text[160];
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return;
    snprintf(text, sizeof text, "%.39s: %s", id, strerror(errno));
    report_unlisted(q, "work", text);
}

static void scan_work(struct queue *q, struct arena *arena, struct err *err)
{
    struct document_folder_state state;
    struct deferral deferral;
    char **id = spool_list(q->spool, SPOOL_WORK, arena, NULL, err);
    if (err_failed(err)) return;
    size_t n = 0;
    while (id[n])
        n++;
    /* one pass over each: work/ can have tens of thousands of folders */
    bool *known = arena_array(arena, n + 1, sizeof *known);
    for (size_t i = q->n_ticket; i-- > 0;) {
        char **at = spool_find(id, n, q->ticket[i].id);
        if (at) known[at - id] = true;
        if (!at) drop_ticket(q, &q->ticket[i]);
    }
    for (size_t i = 0; i < n; i++) {
        if (known[i]) continue;
        int fd = spool_folder_fd(q->spool, SPOOL_WORK, id[i]);
        if (fd < 0) {
            report_denied(q, id[i]);
            continue;
        }
        document_folder_read(fd, id[i], &state);
        deferral_read(fd, &deferral);
        close(fd);
        if (!state.has_doc) continue;
        struct ticket *t = add_ticket(q, id[i], state.folder);
        set_due(q, t, &state);
        set_deferral(q, t, &deferral);
    }
}

void queue_scan(struct queue *q, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    q->n_unlisted = 0;
    scan_work(q, arena, err);
    scan_in(q, arena, err);
    if (err_failed(err)) {
        arena_free(arena);
        return;
    }
    arena_free(q->arena);
    q->arena = arena;
}

/* --- choosing ----------------------------------------------------------- */

enum lane { LANE_FRESH, LANE_DEFERRED, LANE_SUSPECT };

static enum lane lane_of(const struct ticket *t)
{
    return t->suspect ? LANE_SUSPECT : t->deferred ? LANE_DEFERRED : LANE_FRESH;
}

static bool is_due(const struct ticket *t, const struct worker_pool *pool,
                   double now)
{
    return !t->tried && t->due <= now && !worker_pool_holds(pool, t->id) &&
           !worker_pool_loads(pool, t->schema);
}

static bool is_held(const struct queue *q, const struct worker_pool *pool,
                    const char *schema)
{
    return worker_pool_backends(pool) > 1 &&
           q->backend[worker_pool_backend(pool, schema)].held;
}

/* Until when documents of the schema wait after a failure; 0: there was none. */
static double failed_until(const struct queue *q,
                           const struct worker_pool *pool, const char *schema)
{
    return worker_pool_backends(pool) > 1
               ? q->backend[worker_pool_backend(pool, schema)].until
               : 0;
}

bool queue_hold(struct queue *q, const struct worker_pool *pool,
                const struct event *event)
{
    const struct ticket *t = find_ticket(q, event->id);
    double now = clock_seconds();
    if (worker_pool_backends(pool) == 1 || !t ||
        (strncmp(event->code, "model-", 6) != 0 &&
         strncmp(event->code, "endpoint-", 9) != 0))
        return false;
    struct backend_queue *b = &q->backend[worker_pool_backend(pool, t->schema)];
    if (b->until > now) return true; /* another one has failed at that time */
    b->wait = clock_wait_longer(b->wait, failed_first_s, failed_most_s);
    b->until = q->patient ? now + b->wait : (double)INFINITY;
    log_note("other documents go on; those of %s wait for %s", t->schema,
             q->patient ? "a while" : "the next run");
    return true;
}

/* A document was read: its backend works. */
static void note_success(struct queue *q, const struct worker_pool *pool,
                         const struct ticket *t)
{
    struct backend_queue *b = &q->backend[worker_pool_backend(pool, t->schema)];
    b->wait = b->until = 0;
}

static struct ticket *pick_ticket(struct queue *q,
                                  const struct worker_pool *pool,
                                  enum lane lane)
{
    struct ticket *best = NULL;
    double now = clock_seconds();
    for (size_t i = 0; i < q->n_ticket; i++) {
        struct ticket *t = &q->ticket[i];
        if (lane_of(t) != lane || !is_due(t, pool, now) ||
            is_held(q, pool, t->schema))
            continue;
        if (!best || t->n_wait < best->n_wait ||
            (t->n_wait == best->n_wait && strcmp(t->id, best->id) < 0))
            best = t;
    }
    return best;
}

/* Usually removes the first one, without moving all others (maybe 50,000). */
static void remove_arrival(struct queue *q, size_t i)
{
    if (i == 0)
        q->arrival++;
    else
        memmove(&q->arrival[i], &q->arrival[i + 1],
                (q->n_arrival - i - 1) * sizeof *q->arrival);
    q->n_arrival--;
}

/* Does the error affect only this file? Then it is blocked for a while, and the
 * error is cleared, so that the others are not delayed. */
static bool blocks_only_itself(struct queue *q, struct arrival *a, double now,
                               struct err *err)
{
    char what[600];
    struct err why;
    struct probe_options o = {.spool = q->spool, .config = q->config};
    if (!spool_is_of_entry(err) && probe_confirms(&o, "disk", &why))
        return false;
    snprintf(what, sizeof what, "cannot be taken out of in/: %s", err->text);
    log_once_warn_name(&q->once, a->drop.path, a->drop.name, what);
    a->blocked = true;
    a->due = now + blocked_wait_s;
    *err = (struct err){0};
    return true;
}

static const char *arrival_schema(const struct queue *q,
                                  const struct arrival *a)
{
    return *a->drop.folder ? a->drop.folder : q->config->default_schema;
}

static bool claim_next(struct queue *q, const struct worker_pool *pool,
                       struct worker_job *job, struct err *err)
{
    double now = clock_seconds();
    struct folder f;
    for (size_t i = 0; i < q->n_arrival && !err_failed(err);) {
        struct arrival *a = &q->arrival[i];
        const char *schema = arrival_schema(q, a);
        if (a->due > now || is_held(q, pool, schema) ||
            worker_pool_loads(pool, schema) ||
            still_written_again(q->spool, a, q->config, now)) {
            i++;
            continue;
        }
        if (!spool_has_space(q->spool, q->config->free_bytes)) {
            err_reason(err, ERR_SYSTEM, "disk",
                       "less than %lld bytes are free in %s (min_free_space)",
                       (long long)q->config->free_bytes, q->spool->path);
            return false;
        }
        bool taken = spool_claim(q->spool, &a->drop, &f, err);
        if (taken) {
            snprintf(job->id, sizeof job->id, "%s", f.id);
            snprintf(job->schema, sizeof job->schema, "%s", schema);
            add_ticket(q, f.id, a->drop.folder)->due = now;
            spool_unlock(&f);
            remove_arrival(q, i);
            return true;
        }
        if (!err_failed(err))
            remove_arrival(q, i); /* gone, or found by the next scan */
        else if (blocks_only_itself(q, a, now, err))
            i++;
    }
    return false;
}

static bool some_due_soon(const struct queue *q)
{
    double now = clock_seconds();
    for (size_t i = 0; i < q->n_arrival; i++)
        if (q->arrival[i].due <= now) return true;
    return false;
}

static bool give_out(struct queue *q, const struct ticket *t,
                     struct worker_job *job)
{
    if (!t) return false;
    q->n_turn = t->deferred ? 0 : q->n_turn + 1;
    snprintf(job->id, sizeof job->id, "%s", t->id);
    snprintf(job->schema, sizeof job->schema, "%s", t->schema);
    job->n_kept = t->n_kept;
    job->patient = q->patient;
    job->deferred = t->deferred;
    return true;
}

/* A document of the schema, due since `due`, waits unless its backend failed or
 * the schema is loaded. First what is cheap: there can be 50,000. */
static bool note_wait(const struct queue *q, const struct worker_pool *pool,
                      const char *schema, double due, double now, double *waits)
{
    double *at = &waits[worker_pool_backend(pool, schema)];
    if (due > now || (*at >= 0 && *at <= due) ||
        failed_until(q, pool, schema) > now || worker_pool_loads(pool, schema))
        return false;
    *at = due;
    return true;
}

/* Since when documents wait for each backend; those that run alone count if no
 * others do. */
static void note_waits(const struct queue *q, const struct worker_pool *pool,
                       double *waits)
{
    double now = clock_seconds();
    bool found = false;
    for (size_t i = 0; i < q->n_arrival; i++) {
        const struct arrival *a = &q->arrival[i];
        found |= note_wait(q, pool, arrival_schema(q, a), a->due, now, waits);
    }
    for (int alone = 0; alone < (found ? 1 : 2); alone++)
        for (size_t i = 0; i < q->n_ticket; i++) {
            const struct ticket *t = &q->ticket[i];
            if (t->suspect != alone || !is_due(t, pool, now)) continue;
            found |= note_wait(q, pool, t->schema, t->due, now, waits);
        }
}

/* Chooses the models whose documents are given out. */
static void choose_models(struct queue *q, struct worker_pool *pool)
{
    double waits[WORKER_POOL_BACKENDS];
    bool go[WORKER_POOL_BACKENDS];
    int n = worker_pool_backends(pool);
    if (n == 1) return;
    for (int i = 0; i < n; i++)
        waits[i] = -1;
    note_waits(q, pool, waits);
    worker_pool_choose(pool, waits, go);
    for (int i = 0; i < n; i++)
        q->backend[i].held = !go[i] || q->backend[i].until > clock_seconds();
}

static bool next_chosen(struct queue *q, const struct worker_pool *pool,
                        struct worker_job *job, struct err *err)
{
    if (err_failed(err)) return false;
    struct ticket *deferred = pick_ticket(q, pool, LANE_DEFERRED);
    if (q->patient && q->n_turn >= DEFERRED_TURN - 1 &&
        give_out(q, deferred, job))
        return true;
    if (give_out(q, pick_ticket(q, pool, LANE_FRESH), job)) return true;
    if (claim_next(q, pool, job, err)) {
        q->n_turn++;
        return true;
    }
    if (err_failed(err)) return false;
    if (give_out(q, deferred, job)) return true;
    /* suspects run only when nothing else is in flight or due */
    if (worker_pool_busy(pool) || some_due_soon(q)) return false;
    job->alone = give_out(q, pick_ticket(q, pool, LANE_SUSPECT), job);
    return job->alone;
}

bool queue_next(struct queue *q, struct worker_pool *pool,
                struct worker_job *job, struct err *err)
{
    *job = (struct worker_job){0};
    if (err_failed(err)) return false;
    choose_models(q, pool);
    if (next_chosen(q, pool, job, err)) return true;
    if (worker_pool_backends(pool) == 1 || err_failed(err)) return false;
    /* the chosen ones may turn out to be still written, or blocked */
    choose_models(q, pool);
    return next_chosen(q, pool, job, err);
}

static void defer(struct queue *q, struct ticket *t, const struct event *event)
{
    t->n_wait++;
    t->deferred = true;
    t->tried = !q->patient;
    t->due = monotonic_time(event->not_before, deferral_wait(t->n_wait));
    snprintf(t->code, sizeof t->code, "%s", event->code);
}

/* It was stopped to let others pass: they go first now. */
static void let_pass(struct ticket *t, const struct event *event)
{
    t->n_wait++;
    t->deferred = true;
    t->n_kept = event->n_kept;
    t->due = clock_seconds();
    *t->code = '\0';
}

void queue_event(struct queue *q, const struct worker_pool *pool,
                 const struct event *event)
{
    struct ticket *t = find_ticket(q, event->id);
    if (!t || !event_is_last(event)) return;
    switch (event->kind) {
    case EVENT_DONE:
    case EVENT_FAILED:
        note_success(q, pool, t);
        drop_ticket(q, t);
        return;
    case EVENT_RETRY:
        t->due = monotonic_time(event->not_before, 60);
        t->deferred = false;
        return;
    case EVENT_WAIT: t->n_wait++; return;
    case EVENT_DEFERRED: defer(q, t, event); return;
    case EVENT_SKIPPED:
        t->elsewhere = true;
        t->due = clock_seconds() + elsewhere_wait_s;
        return;
    case EVENT_STOPPED: let_pass(t, event); return;
    case EVENT_BEGIN:
    case EVENT_PROGRESS: return;
    }
}

void queue_undefer(struct queue *q, const char *code)
{
    double now = clock_seconds();
    for (size_t i = 0; i < q->n_ticket; i++) {
        struct ticket *t = &q->ticket[i];
        if (t->deferred && (!code || !strcmp(t->code, code))) t->due = now;
    }
}

/* When it can be given out; INFINITY: not without an event. A free place is not
 * for those that are held; without one they wait as all others. */
static double due_with_model(const struct queue *q,
                             const struct worker_pool *pool, const char *schema,
                             double due, double now)
{
    double until = failed_until(q, pool, schema);
    if (until > due) due = until;
    bool held = due <= now && is_held(q, pool, schema);
    return held && worker_pool_has_idle(pool) ? (double)INFINITY : due;
}

double queue_due(const struct queue *q, const struct worker_pool *pool)
{
    double soonest = (double)INFINITY, now = clock_seconds();
    for (size_t i = 0; i < q->n_arrival; i++) {
        const struct arrival *a = &q->arrival[i];
        double due = due_with_model(q, pool, arrival_schema(q, a), a->due, now);
        if (due < soonest) soonest = due;
    }
    for (size_t i = 0; i < q->n_ticket; i++) {
        const struct ticket *t = &q->ticket[i];
        if (t->tried || worker_pool_holds(pool, t->id) ||
            worker_pool_loads(pool, t->schema) ||
            (t->suspect && worker_pool_busy(pool)))
            continue;
        double due = due_with_model(q, pool, t->schema, t->due, now);
        if (due < soonest) soonest = due;
    }
    if (isinf(soonest)) return -1;
    return soonest > now ? soonest - now : 0;
}

struct queue_left queue_left(const struct queue *q,
                             const struct worker_pool *pool)
{
    struct queue_left left = {.n_ignored = q->n_ignored,
                              .n_nested = q->n_nested,
                              .n_unlisted = q->n_unlisted};
    for (size_t i = 0; i < q->n_arrival; i++) {
        const struct arrival *a = &q->arrival[i];
        bool failed = isinf(failed_until(q, pool, arrival_schema(q, a)));
        left.n_failed += failed;
        left.n_blocked += !failed && a->blocked;
        left.n_unstable += !failed && !a->blocked;
    }
    for (size_t i = 0; i < q->n_ticket; i++) {
        const struct ticket *t = &q->ticket[i];
        if (isinf(failed_until(q, pool, t->schema))) {
            left.n_failed++;
            continue;
        }
        left.n_deferred += t->tried;
        left.n_elsewhere += !t->tried && t->elsewhere;
        left.n_waiting += !t->tried && !t->elsewhere;
    }
    return left;
}
