/* supervisor.c - see supervisor.h. */
#include "pipeline/supervisor/supervisor.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/process/signals.h"
#include "pipeline/spool/corrected_files.h"
#include "pipeline/spool/delivery.h"
#include "pipeline/spool/queue_pause.h"
#include "pipeline/spool/spool_index.h"
#include "pipeline/supervisor/hooks.h"
#include "pipeline/supervisor/queue.h"
#include "pipeline/supervisor/worker_pool.h"
#include "stages/document/reason.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

/* A stop must end within 5 s; the workers get most of them. */
static const double stop_grace_s = 4;
static const double pause_first_s = 5, pause_most_s = 300;
/* Different documents in a row that are deferred for the same reason: watch
 * then processes one at a time, whatever the probe says; run ends. */
enum { STREAK_SLOW = 3, STREAK_END = 16 };
/* How long a run waits for a changing file, and for another platen that holds a
 * document. */
static const double stable_timeout_s = 10, elsewhere_patience_s = 3;

struct supervisor {
    const struct supervisor_options *o;
    const struct config *config;
    struct worker_pool *pool;
    struct queue *queue;
    struct spool_index *index;
    struct hooks *hooks;
    struct err hold; /* why the queue is paused */
    double pause_s, paused_until;
    char streak_code[24];
    int n_streak;
    double scanned, scan_cost; /* time of the last scan, and its duration */
    double counted;            /* time of the last count for metrics */
    double moved;              /* time of the last progress */
    size_t n_undelivered;
    bool scan_now, gone;
};

/* --- events ------------------------------------------------------------- */

/* For platen status. */
static void write_hold(const struct supervisor *f)
{
    struct queue_pause w = {.since = clock_utc()};
    if (f->o->forever) w.until = w.since + (long long)f->pause_s;
    snprintf(w.code, sizeof w.code, "%s", reason_of(&f->hold)->code);
    event_cut(w.text, sizeof w.text, f->hold.text);
    queue_pause_write(f->o->spool, &w);
}

/* `reported`: the error was logged already. */
static void pause_queue(struct supervisor *f, const char *code,
                        const char *text, bool reported)
{
    f->pause_s = clock_wait_longer(f->pause_s, pause_first_s, pause_most_s);
    f->paused_until = clock_seconds() + f->pause_s;
    f->hold = (struct err){0};
    const struct reason *row = reason_find(code);
    err_reason(&f->hold, ERR_SYSTEM, row ? row->code : "disk", "%s", text);
    if (!reported) reason_log(&f->hold);
    if (f->o->forever) log_note("the queue pauses for %.0f s", f->pause_s);
    write_hold(f);
}

/* A document was deferred. The others continue; but after several in a row only
 * one at a time is tried, without growing pauses, since each may be at fault
 * itself. */
static void count_deferral(struct supervisor *f, const struct event *event)
{
    bool same = !strcmp(f->streak_code, event->code);
    f->n_streak = same ? f->n_streak + 1 : 1;
    snprintf(f->streak_code, sizeof f->streak_code, "%s", event->code);
    if (f->n_streak < (f->o->forever ? STREAK_SLOW : STREAK_END)) return;
    f->pause_s = 0;
    pause_queue(f, event->code, event->text, true);
}

/* A document was processed: ends the pause. */
static void resume_queue(struct supervisor *f)
{
    f->n_streak = 0;
    *f->streak_code = '\0';
    if (f->pause_s <= 0) return;
    f->pause_s = 0;
    queue_undefer(f->queue, f->hold.reason);
    f->hold = (struct err){0};
    queue_pause_remove(f->o->spool);
}

static void handle_event(struct supervisor *f, const struct event *event)
{
    char twin[SPOOL_ID_SIZE];
    queue_event(f->queue, f->pool, event);
    if (event->kind != EVENT_BEGIN && event->kind != EVENT_PROGRESS &&
        event->kind != EVENT_SKIPPED)
        f->moved = clock_seconds();
    report_event(f->o->report, event);
    metrics_count_event(&f->o->exporter->metrics, event);
    if (event->kind == EVENT_WAIT && !queue_hold(f->queue, f->pool, event))
        pause_queue(f, event->code, event->text, true);
    if (event->kind == EVENT_DEFERRED) count_deferral(f, event);
    if (event->kind == EVENT_RETRY) f->n_streak = 0;
    if (event->kind != EVENT_DONE && event->kind != EVENT_FAILED) return;
    resume_queue(f);
    hooks_due(f->hooks, event->id);
    if (event->n_part) f->scan_now = true; /* a stack: its parts are in work/ */
    spool_index_put(f->index, event, twin);
    if (*twin) report_twin(f->o->report, event, twin);
}

/* --- undelivered records --- */

static void deliver_rest(struct supervisor *f, bool all)
{
    struct err why;
    corrected_files_begin(f->o->spool, f->config);
    size_t n = delivery_retry(f->o->spool, f->config->formats, all, &why);
    if (n > f->n_undelivered)
        log_warn("%zu record%s done and not delivered to out/ yet: %s", n,
                 n == 1 ? " is" : "s are", why.text);
    if (!n && f->n_undelivered) log_note("all records are delivered");
    f->n_undelivered = n;
}

/* Uses new folders after an operator moved or replaced done/ or another one. */
static void follow_places(struct supervisor *f, struct err *err)
{
    const char *name = spool_moved_away(f->o->spool);
    if (!name || !spool_follow_all(f->o->spool, err)) return;
    log_warn("%s/%s was moved or replaced; the folder with this name is used "
             "from now on",
             f->o->spool->path, name);
}

/* --- scanning and assigning --------------------------------------------- */

static void scan(struct supervisor *f)
{
    struct err err = {0};
    f->scan_now = false;
    f->gone = !spool_is_there(f->o->spool);
    if (f->gone) return;
    follow_places(f, &err);
    /* can move parts of a stack into work/ */
    deliver_rest(f, false);
    hooks_due(f->hooks, NULL); /* after corrections, or other processes */
    double now = clock_seconds();
    queue_scan(f->queue, &err);
    f->scanned = clock_seconds();
    f->scan_cost = f->scanned - now;
    f->gone = !spool_is_there(f->o->spool);
    if (f->gone) return;
    if (err_failed(&err)) pause_queue(f, "disk", err.text, false);
}

static bool paused(const struct supervisor *f)
{
    return clock_seconds() < f->paused_until;
}

/* While the queue recovers, one document is tried first. */
static bool can_assign(const struct supervisor *f)
{
    if (paused(f) || !worker_pool_has_idle(f->pool)) return false;
    if (!f->o->forever && err_failed(&f->hold)) return false;
    if (f->o->spool->unsure) return false;
    return f->pause_s <= 0 || worker_pool_busy(f->pool) == 0;
}

/* A long document lets others pass after its turn (G6). */
static void take_turns(struct supervisor *f)
{
    double due = queue_due(f->queue, f->pool);
    if (due >= 0 && due <= 0 && !paused(f) && !worker_pool_has_idle(f->pool))
        worker_pool_yield(f->pool);
}

static void assign_jobs(struct supervisor *f)
{
    struct worker_job job;
    take_turns(f);
    while (can_assign(f) && !signals_stopped()) {
        struct err err = {0};
        if (!queue_next(f->queue, f->pool, &job, &err)) {
            if (err_failed(&err)) pause_queue(f, "disk", err.text, false);
            return;
        }
        if (f->pause_s > 0 && f->hold.reason)
            snprintf(job.probe, sizeof job.probe, "%s", f->hold.reason);
        worker_pool_assign(f->pool, &job, &err);
        if (err_failed(&err)) pause_queue(f, "disk", err.text, false);
        if (job.alone) return;
    }
}

/* --- waiting ------------------------------------------------------------ */

static double sooner(double a, double b)
{
    if (a < 0) return b;
    return b < 0 || a < b ? a : b;
}

static double until(double moment)
{
    double left = moment - clock_seconds();
    return left > 0 ? left : 0;
}

static int timeout_ms(struct supervisor *f)
{
    double wait = -1;
    if (paused(f))
        wait = until(f->paused_until);
    else if (worker_pool_has_idle(f->pool))
        wait = queue_due(f->queue, f->pool);
    wait = sooner(wait, until(f->scanned + f->config->rescan_s));
    /* with very many events, scanning takes at most a tenth of the time */
    if (f->scan_now) wait = sooner(wait, until(f->scanned + 10 * f->scan_cost));
    if (worker_pool_busy(f->pool)) wait = sooner(wait, 1);
    wait = sooner(wait, hooks_wait(f->hooks));
    wait = sooner(wait, notify_wait(f->o->notify));
    if (wait <= 0) return 0;
    return wait > 3600 ? 3600000 : (int)(wait * 1000) + 1;
}

static void report_left(const struct supervisor *f)
{
    struct queue_left n = queue_left(f->queue, f->pool);
    report_tick(f->o->report, n.n_unstable + n.n_blocked + n.n_waiting +
                                  n.n_deferred + n.n_elsewhere + n.n_failed);
}

/* Counting costs as much as a rescan, and is done as often. */
static void update_metrics(struct supervisor *f)
{
    struct metrics *m = &f->o->exporter->metrics;
    if (!metrics_export_is_open(f->o->exporter)) return;
    double now = clock_seconds();
    if (f->counted <= 0 || now - f->counted >= f->config->rescan_s) {
        metrics_refresh(m, f->o->spool, f->index);
        f->counted = now;
    }
    m->n_busy = worker_pool_busy(f->pool);
    m->n_undelivered = (double)f->n_undelivered;
    m->n_hook = (double)hooks_left(f->hooks);
    metrics_export_poll(f->o->exporter);
}

static void wait_for_something(struct supervisor *f)
{
    struct event event;
    int ms = timeout_ms(f);
    int hint = f->o->hint_fd ? f->o->hint_fd(f->o->arg) : -1;
    struct pollfd look_at = {.fd = hint, .events = POLLIN};
    const int other[WORKER_POOL_OTHERS] = {hint, hooks_fd(f->hooks),
                                           metrics_export_fd(f->o->exporter)};
    while (worker_pool_next(f->pool, ms, other, &event)) {
        handle_event(f, &event);
        ms = 0;
    }
    report_left(f);
    notify_beat(f->o->notify);
    update_metrics(f);
    hooks_turn(f->hooks);
    if (hint >= 0 && signals_poll(&look_at, 1, 0) > 0) {
        f->o->hint_read(f->o->arg);
        f->scan_now = true;
    }
    double now = clock_seconds();
    if (now - f->scanned >= f->config->rescan_s ||
        (f->scan_now && now - f->scanned >= 10 * f->scan_cost))
        scan(f);
}

/* --- ending ------------------------------------------------------------- */

/* Why the run ends although documents are left. */
static enum supervisor_end end_of(const struct supervisor *f,
                                  const struct queue_left *left)
{
    if (worker_pool_killed(f->pool)) return SUPERVISOR_KILLED;
    if (left->n_failed) return SUPERVISOR_ENVIRONMENT;
    if (left->n_deferred) return SUPERVISOR_DEFERRED;
    return left->n_unstable || left->n_blocked || left->n_elsewhere
               ? SUPERVISOR_LEFT
               : SUPERVISOR_IDLE;
}

/* Is a run over? *end: how. */
static bool run_is_over(struct supervisor *f, enum supervisor_end *end)
{
    if (worker_pool_busy(f->pool) || hooks_has_untried(f->hooks)) return false;
    *end = SUPERVISOR_ENVIRONMENT;
    if (err_failed(&f->hold)) return true;
    struct queue_left left = queue_left(f->queue, f->pool);
    double still = clock_seconds() - f->moved;
    *end = end_of(f, &left);
    if (left.n_waiting) return false; /* due within a minute */
    if (left.n_unstable)
        return still > 2 * f->config->stable_for_s + stable_timeout_s;
    return !left.n_elsewhere || still > elsewhere_patience_s;
}

static void stop_workers(struct supervisor *f)
{
    struct event event;
    double since = clock_seconds();
    /* first what they have reported: one that has loaded its schema since then
     * must not be killed, maybe just before its commit */
    while (worker_pool_next(f->pool, 0, NULL, &event))
        handle_event(f, &event);
    worker_pool_stop(f->pool);
    while ((worker_pool_busy(f->pool) || hooks_is_running(f->hooks)) &&
           clock_seconds() - since < stop_grace_s) {
        if (worker_pool_next(f->pool, 100, NULL, &event))
            handle_event(f, &event);
        if (hooks_is_running(f->hooks)) hooks_reap(f->hooks);
    }
}

static void reload(struct supervisor *f)
{
    notify_reloading(f->o->notify);
    const struct config *config = f->o->reload(f->o->arg);
    if (config) {
        f->config = config;
        queue_configure(f->queue, config);
        hooks_configure(f->hooks, config);
        worker_pool_renew(f->pool, config);
        /* the new configuration may fix what deferred documents wait for */
        queue_undefer(f->queue, NULL);
        f->paused_until = 0;
        scan(f);
    }
    notify_send(f->o->notify, "READY=1");
}

static enum supervisor_end run_loop(struct supervisor *f)
{
    enum supervisor_end end = SUPERVISOR_IDLE;
    scan(f);
    notify_send(f->o->notify, "READY=1");
    for (;;) {
        if (f->gone) return SUPERVISOR_SPOOL_LOST;
        assign_jobs(f);
        /* S7: a process with a failed fsync must not continue */
        if (f->o->spool->unsure && !worker_pool_busy(f->pool))
            return SUPERVISOR_ENVIRONMENT;
        if (!f->o->forever && run_is_over(f, &end)) {
            /* files may have been dropped meanwhile */
            if (end == SUPERVISOR_ENVIRONMENT || end == SUPERVISOR_LEFT)
                return end;
            scan(f);
            hooks_turn(f->hooks);
            if (run_is_over(f, &end)) return end;
            continue;
        }
        if (signals_stopped()) return SUPERVISOR_INTERRUPTED;
        wait_for_something(f);
        if (signals_stopped()) return SUPERVISOR_INTERRUPTED;
        if (signals_reload() && f->o->reload) reload(f);
    }
}

/* How the run ended, if no document is left: undelivered records, hooks. */
static enum supervisor_end end_of_rest(const struct supervisor *f,
                                       enum supervisor_end end)
{
    struct queue_left left = queue_left(f->queue, f->pool);
    if (f->n_undelivered) return SUPERVISOR_UNDELIVERED;
    if (hooks_left(f->hooks) && !f->o->forever) return SUPERVISOR_HOOK_FAILED;
    return left.n_unlisted || left.n_blocked || left.n_nested
               ? SUPERVISOR_DENIED
               : end;
}

enum supervisor_end supervisor_run(const struct supervisor_options *o,
                                   struct err *err)
{
    struct supervisor f = {.o = o, .config = o->config};
    spool_clean_up(o->spool, err);
    if (err_failed(err)) return SUPERVISOR_ENVIRONMENT;
    f.pool = worker_pool_new(o->spool, o->config,
                             o->in_process ? 0 : config_jobs(o->config));
    f.queue = queue_new(o->spool, o->config, o->forever);
    f.moved = clock_seconds();
    queue_pause_remove(o->spool);
    hooks_arm(o->spool, o->config);
    deliver_rest(&f, true);
    f.hooks = hooks_new(o->spool, o->config);
    f.index = spool_index_open(o->spool, false);
    enum supervisor_end end = run_loop(&f);
    if (!f.gone && !o->forever) deliver_rest(&f, false);
    f.counted = 0;
    if (!f.gone) update_metrics(&f);
    if (end == SUPERVISOR_IDLE || end == SUPERVISOR_LEFT)
        end = end_of_rest(&f, end);
    notify_send(o->notify, "STOPPING=1");
    if (end == SUPERVISOR_INTERRUPTED || end == SUPERVISOR_SPOOL_LOST)
        stop_workers(&f);
    if (end == SUPERVISOR_SPOOL_LOST)
        err_reason(err, ERR_SYSTEM, "disk",
                   "%s was removed or replaced while platen used it",
                   o->spool->path);
    if (o->spool->unsure)
        log_note("an fsync failed: platen exits, and its next start scans the "
                 "whole spool again");
    worker_pool_free(f.pool);
    hooks_free(f.hooks);
    queue_free(f.queue);
    spool_index_close(f.index);
    return end;
}
