/* supervisor.c - see supervisor.h. */
#include "pipeline/supervisor/supervisor.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/process/signals.h"
#include "pipeline/review/corrected_record.h"
#include "pipeline/spool/delivery.h"
#include "pipeline/spool/spool_hold.h"
#include "pipeline/spool/spool_index.h"
#include "pipeline/supervisor/hooks.h"
#include "pipeline/supervisor/queue.h"
#include "pipeline/supervisor/worker_pool.h"
#include "stages/reason.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"

/* A stop must end within 5 s; the workers get most of them. */
static const double stop_grace_s = 4;
static const double pause_first_s = 5, pause_most_s = 300;
/* Different documents in a row that fail for one reason of the environment:
 * then one at a time goes, whatever the probe says; and a run gives up after
 * so many. */
enum { STREAK_SLOW = 3, STREAK_END = 16 };
/* A run ends rather than wait longer than this for a file that changes, or
 * for another platen to end what it holds. */
static const double stable_timeout_s = 10, elsewhere_patience_s = 3;

struct supervisor {
    const struct supervisor_options *o;
    const struct config *config;
    struct worker_pool *crew;
    struct queue *queue;
    struct spool_index *index;
    struct hooks *hooks;
    struct err weather; /* why the queue is paused */
    double pause_s, paused_until;
    char streak_code[24];
    int n_streak;
    double looked, look_cost; /* when, and how long it took */
    double counted;           /* for metrics */
    double moved;             /* when something last went forward */
    size_t n_undelivered;
    bool look_now, gone;
};

/* --- hearing ------------------------------------------------------------ */

/* For platen status. */
static void note_wait(const struct supervisor *f)
{
    struct spool_hold w = {.since = clock_utc()};
    if (f->o->forever) w.until = w.since + (long long)f->pause_s;
    snprintf(w.code, sizeof w.code, "%s", reason_of(&f->weather)->code);
    event_cut(w.text, sizeof w.text, f->weather.text);
    spool_hold_write(f->o->spool, &w);
}

/* `said`: somebody has told it in full already. */
static void pause_queue(struct supervisor *f, const char *code,
                        const char *text, bool said)
{
    f->pause_s = f->pause_s > 0 ? f->pause_s * 2 : pause_first_s;
    if (f->pause_s > pause_most_s) f->pause_s = pause_most_s;
    f->paused_until = clock_seconds() + f->pause_s;
    f->weather = (struct err){0};
    const struct reason *row = reason_find(code);
    err_reason(&f->weather, ERR_SYSTEM, row ? row->code : "disk", "%s", text);
    if (!said) reason_log(&f->weather);
    if (f->o->forever) log_note("the queue pauses for %.0f s", f->pause_s);
    note_wait(f);
}

/* A document was set back. The others go on, but a row of these is no chance:
 * then only one at a time finds out, without growing pauses, as each of them
 * may be to blame for itself. */
static void count_deferral(struct supervisor *f, const struct event *event)
{
    bool same = !strcmp(f->streak_code, event->code);
    f->n_streak = same ? f->n_streak + 1 : 1;
    snprintf(f->streak_code, sizeof f->streak_code, "%s", event->code);
    if (f->n_streak < (f->o->forever ? STREAK_SLOW : STREAK_END)) return;
    f->pause_s = 0;
    pause_queue(f, event->code, event->text, true);
}

/* Something got through. */
static void go_on(struct supervisor *f)
{
    f->n_streak = 0;
    *f->streak_code = '\0';
    if (f->pause_s <= 0) return;
    f->pause_s = 0;
    queue_forgive(f->queue, f->weather.reason);
    f->weather = (struct err){0};
    spool_hold_remove(f->o->spool);
}

static void hear(struct supervisor *f, const struct event *event)
{
    char twin[SPOOL_ID_SIZE];
    queue_heard(f->queue, event);
    if (event->kind != EVENT_BEGIN && event->kind != EVENT_PROGRESS &&
        event->kind != EVENT_SKIPPED)
        f->moved = clock_seconds();
    report_event(f->o->report, event);
    metrics_count_event(f->o->metrics, event);
    if (event->kind == EVENT_WAIT)
        pause_queue(f, event->code, event->text, true);
    if (event->kind == EVENT_DEFERRED) count_deferral(f, event);
    if (event->kind == EVENT_RETRY) f->n_streak = 0;
    if (event->kind != EVENT_DONE && event->kind != EVENT_FAILED) return;
    go_on(f);
    hooks_due(f->hooks, event->id);
    if (event->n_part) f->look_now = true; /* its parts are in work/ */
    spool_index_put(f->index, event, twin);
    if (*twin) report_twin(f->o->report, event, twin);
}

/* --- delivering what could not be delivered --- */

static void deliver_rest(struct supervisor *f, bool all)
{
    struct err why;
    corrected_record_begin(f->o->spool, f->config);
    size_t n = delivery_retry(f->o->spool, f->config->formats, all, &why);
    if (n > f->n_undelivered)
        log_warn("%zu record%s done and not delivered to out/ yet: %s", n,
                 n == 1 ? " is" : "s are", why.text);
    if (!n && f->n_undelivered) log_note("all records are delivered");
    f->n_undelivered = n;
}

/* done/ and the like, moved away or replaced by an operator. */
static void follow_places(struct supervisor *f, struct err *err)
{
    const char *name = spool_moved_away(f->o->spool);
    if (!name || !spool_follow_all(f->o->spool, err)) return;
    log_warn("%s/%s was moved away or replaced: the folder that has this name "
             "now is used from here on",
             f->o->spool->path, name);
}

/* --- giving out --------------------------------------------------------- */

static void look(struct supervisor *f)
{
    struct err err = {0};
    f->look_now = false;
    f->gone = !spool_is_there(f->o->spool);
    if (f->gone) return;
    follow_places(f, &err);
    /* which may bring parts of a stack into work/ */
    deliver_rest(f, false);
    hooks_due(f->hooks, NULL); /* of what was corrected, or came from others */
    double now = clock_seconds();
    queue_scan(f->queue, &err);
    f->looked = clock_seconds();
    f->look_cost = f->looked - now;
    f->gone = !spool_is_there(f->o->spool);
    if (f->gone) return;
    if (err_failed(&err)) pause_queue(f, "disk", err.text, false);
}

static bool paused(const struct supervisor *f)
{
    return clock_seconds() < f->paused_until;
}

/* While the queue recovers, one document probes the way for all. */
static bool may_give(const struct supervisor *f)
{
    if (paused(f) || !worker_pool_has_idle(f->crew)) return false;
    if (!f->o->forever && err_failed(&f->weather)) return false;
    if (f->o->spool->unsure) return false;
    return f->pause_s <= 0 || worker_pool_busy(f->crew) == 0;
}

static void give_out(struct supervisor *f)
{
    struct order order;
    while (may_give(f) && !signals_stopped()) {
        struct err err = {0};
        if (!queue_next(f->queue, f->crew, &order, &err)) {
            if (err_failed(&err)) pause_queue(f, "disk", err.text, false);
            return;
        }
        if (f->pause_s > 0 && f->weather.reason)
            snprintf(order.probe, sizeof order.probe, "%s", f->weather.reason);
        worker_pool_assign(f->crew, &order, &err);
        if (err_failed(&err)) pause_queue(f, "disk", err.text, false);
        if (order.alone) return;
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
    else if (worker_pool_has_idle(f->crew))
        wait = queue_due(f->queue, f->crew);
    wait = sooner(wait, until(f->looked + f->config->rescan_s));
    /* a flood of events makes looking dear: at most a tenth of the time */
    if (f->look_now) wait = sooner(wait, until(f->looked + 10 * f->look_cost));
    if (worker_pool_busy(f->crew)) wait = sooner(wait, 1);
    wait = sooner(wait, hooks_wait(f->hooks));
    wait = sooner(wait, notify_wait(f->o->notify));
    if (wait <= 0) return 0;
    return wait > 3600 ? 3600000 : (int)(wait * 1000) + 1;
}

static void tick(const struct supervisor *f)
{
    struct queue_left n = queue_left(f->queue);
    report_tick(f->o->report, n.n_unsettled + n.n_blocked + n.n_waiting +
                                  n.n_deferred + n.n_elsewhere);
}

static int told_fd(const struct supervisor_options *o)
{
    return o->told_fd ? o->told_fd(o->told_arg) : -1;
}

/* A look costs what a rescan does, and is made as often. */
static void tell(struct supervisor *f)
{
    struct metrics *m = f->o->metrics;
    if (!m) return;
    double now = clock_seconds();
    if (f->counted <= 0 || now - f->counted >= f->config->rescan_s) {
        metrics_refresh(m, f->o->spool, f->index);
        f->counted = now;
    }
    m->n_busy = worker_pool_busy(f->crew);
    m->n_undelivered = (double)f->n_undelivered;
    m->n_hook = (double)hooks_left(f->hooks);
    f->o->told(f->o->told_arg);
}

static void wait_for_something(struct supervisor *f)
{
    struct event event;
    int ms = timeout_ms(f);
    int hint = f->o->hint_fd ? f->o->hint_fd(f->o->arg) : -1;
    struct pollfd look_at = {.fd = hint, .events = POLLIN};
    const int other[WORKER_POOL_OTHERS] = {hint, hooks_fd(f->hooks),
                                           told_fd(f->o)};
    while (worker_pool_next(f->crew, ms, other, &event)) {
        hear(f, &event);
        ms = 0;
    }
    tick(f);
    notify_beat(f->o->notify);
    tell(f);
    hooks_turn(f->hooks);
    if (hint >= 0 && signals_poll(&look_at, 1, 0) > 0) {
        f->o->hint_read(f->o->arg);
        f->look_now = true;
    }
    double now = clock_seconds();
    if (now - f->looked >= f->config->rescan_s ||
        (f->look_now && now - f->looked >= 10 * f->look_cost))
        look(f);
}

/* --- ending ------------------------------------------------------------- */

/* What is left cannot go on now: why the run ends. */
static enum supervisor_end end_of(const struct supervisor *f,
                                  const struct queue_left *left)
{
    if (worker_pool_killed(f->crew)) return SUPERVISOR_KILLED;
    if (left->n_deferred) return SUPERVISOR_DEFERRED;
    return left->n_unsettled || left->n_blocked || left->n_elsewhere
               ? SUPERVISOR_LEFT
               : SUPERVISOR_IDLE;
}

/* Is a run over, and how? */
static bool run_is_over(struct supervisor *f, enum supervisor_end *end)
{
    if (worker_pool_busy(f->crew) || hooks_has_untried(f->hooks)) return false;
    *end = SUPERVISOR_WEATHER;
    if (err_failed(&f->weather)) return true;
    struct queue_left left = queue_left(f->queue);
    double still = clock_seconds() - f->moved;
    *end = end_of(f, &left);
    if (left.n_waiting) return false; /* due within a minute */
    if (left.n_unsettled)
        return still > 2 * f->config->stable_for_s + stable_timeout_s;
    return !left.n_elsewhere || still > elsewhere_patience_s;
}

static void stop_crew(struct supervisor *f)
{
    struct event event;
    double since = clock_seconds();
    worker_pool_stop(f->crew);
    while ((worker_pool_busy(f->crew) || hooks_is_running(f->hooks)) &&
           clock_seconds() - since < stop_grace_s) {
        if (worker_pool_next(f->crew, 100, NULL, &event)) hear(f, &event);
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
        worker_pool_renew(f->crew, config);
        /* whoever wrote it may have repaired what they wait for */
        queue_forgive(f->queue, NULL);
        f->paused_until = 0;
        look(f);
    }
    notify_send(f->o->notify, "READY=1");
}

static enum supervisor_end work(struct supervisor *f)
{
    enum supervisor_end end = SUPERVISOR_IDLE;
    look(f);
    notify_send(f->o->notify, "READY=1");
    for (;;) {
        if (f->gone) return SUPERVISOR_GONE;
        give_out(f);
        /* S7: nothing goes on in a process whose fsync failed */
        if (f->o->spool->unsure && !worker_pool_busy(f->crew))
            return SUPERVISOR_WEATHER;
        if (!f->o->forever && run_is_over(f, &end)) {
            /* what was dropped meanwhile is work as well */
            if (end == SUPERVISOR_WEATHER || end == SUPERVISOR_LEFT) return end;
            look(f);
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

/* What is left behind, although no document waits. */
static enum supervisor_end end_of_rest(const struct supervisor *f,
                                       enum supervisor_end end)
{
    struct queue_left left = queue_left(f->queue);
    if (f->n_undelivered) return SUPERVISOR_UNDELIVERED;
    if (hooks_left(f->hooks) && !f->o->forever) return SUPERVISOR_UNHOOKED;
    return left.n_unlisted || left.n_blocked || left.n_nested
               ? SUPERVISOR_DENIED
               : end;
}

enum supervisor_end supervisor_run(const struct supervisor_options *o,
                                   struct err *err)
{
    struct supervisor f = {.o = o, .config = o->config};
    spool_tidy(o->spool, err);
    if (err_failed(err)) return SUPERVISOR_WEATHER;
    f.crew = worker_pool_new(o->spool, o->config,
                             o->in_process ? 0 : config_jobs(o->config));
    f.queue = queue_new(o->spool, o->config, o->forever);
    f.moved = clock_seconds();
    spool_hold_remove(o->spool);
    deliver_rest(&f, true);
    f.hooks = hooks_new(o->spool, o->config);
    f.index = spool_index_open(o->spool, false);
    enum supervisor_end end = work(&f);
    if (!f.gone && !o->forever) deliver_rest(&f, false);
    f.counted = 0;
    if (!f.gone) tell(&f);
    if (end == SUPERVISOR_IDLE || end == SUPERVISOR_LEFT)
        end = end_of_rest(&f, end);
    notify_send(o->notify, "STOPPING=1");
    if (end == SUPERVISOR_INTERRUPTED || end == SUPERVISOR_GONE) stop_crew(&f);
    if (end == SUPERVISOR_GONE)
        err_reason(err, ERR_SYSTEM, "disk",
                   "%s was removed or replaced while platen used it",
                   o->spool->path);
    if (o->spool->unsure)
        log_note("the disk could not make something durable: platen ends, and "
                 "its next start looks at everything anew");
    worker_pool_free(f.crew);
    hooks_free(f.hooks);
    queue_free(f.queue);
    spool_index_close(f.index);
    return end;
}
