/* fleet_worker.c - see fleet_worker.h. */
#define _GNU_SOURCE
#include "pipeline/fleet_worker/fleet_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/fleet/fleet.h"
#include "pipeline/fleet/fleet_settings.h"
#include "pipeline/fleet_worker/fleet_pool.h"
#include "pipeline/observe/metrics_export.h"
#include "pipeline/process/signals.h"
#include "pipeline/spool/spool.h"
#include "stages/document/reason.h"
#include "vlm/base/clock.h"
#include "vlm/base/err.h"
#include "vlm/base/log.h"
#include "vlm/base/text.h"
#include "vlm/json/json.h"

/* --- fleet scratch ----------------------------------------------------- */

/* A small spool of a worker, in which a job is an ordinary
 * document: reading and crash handling are the same.
 *
 * It can be deleted at any time: the database has the job, the store its bytes.
 */

struct fleet_scratch {
    char path[400];   /* DIR/platen-fleet.XXXXXX, removed at the end */
    int alive;        /* a lock: other workers do not remove the folder */
    char schemas[65]; /* hash of the list of schemas in it */
    struct spool spool;
};

/* Keeps the top folder: workers have it open. */
static int remove_entry(const char *path, const struct stat *st, int kind,
                        struct FTW *at)
{
    (void)st;
    if (at->level == 0) return 0;
    if (kind == FTW_DP)
        rmdir(path);
    else
        unlink(path);
    return 0;
}

static void empty_folder(const char *folder, const char *name)
{
    char path[500];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Opens the file that the folder's owner locks while it runs. */
static int open_alive(const char *folder)
{
    char path[500];
    snprintf(path, sizeof path, "%s/alive", folder);
    return open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Removes folders of killed workers; young ones may be about to be locked. */
static void sweep_dead(const char *folder)
{
    char pattern[400];
    struct stat st;
    glob_t found;
    snprintf(pattern, sizeof pattern, "%.300s/platen-fleet.??????", folder);
    if (glob(pattern, 0, NULL, &found) != 0) return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode) ||
            st.st_uid != getuid() || clock_utc() - (long long)st.st_mtime < 60)
            continue;
        int fd = open_alive(path);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            empty_folder(path, "");
            rmdir(path);
        }
        if (fd >= 0) close(fd);
    }
    globfree(&found);
}

/* Creates it. FAIL: as spool_open. */
static void fleet_scratch_open(struct fleet_scratch *s, const char *folder,
                               struct err *err)
{
    char path[500];
    *s = (struct fleet_scratch){.path = "", .alive = -1};
    if (err_failed(err)) return;
    sweep_dead(folder);
    snprintf(s->path, sizeof s->path, "%.300s/platen-fleet.XXXXXX", folder);
    if (!mkdtemp(s->path)) {
        err_errno(err, "scratch: %s", s->path);
        *s->path = '\0';
        return;
    }
    s->alive = open_alive(s->path);
    if (s->alive < 0 || flock(s->alive, LOCK_EX | LOCK_NB) != 0)
        err_errno(err, "scratch: %s", s->path);
    snprintf(path, sizeof path, "%s/spool", s->path);
    spool_open(&s->spool, path, true, err);
}

static void fleet_scratch_close(struct fleet_scratch *s)
{
    if (!*s->path) return;
    spool_close(&s->spool);
    empty_folder(s->path, "");
    rmdir(s->path);
    if (s->alive >= 0) close(s->alive);
    *s->path = '\0';
}

/* Deletes all documents. */
static void fleet_scratch_empty(const struct fleet_scratch *s)
{
    static const char *const places[] = {"spool/work", "spool/done",
                                         "spool/failed", "spool/out",
                                         "spool/pending"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        empty_folder(s->path, places[i]);
}

/* The folder with the job's schemas; made if they differ from the last
 * job's. */
static const char *fleet_scratch_schemas(struct fleet_scratch *s,
                                         struct fleet *f,
                                         const struct fleet_job *job,
                                         struct arena *arena, struct err *err)
{
    if (err_failed(err)) return "";
    const char *folder = arena_text(arena, "%s/schemas", s->path);
    if (!strcmp(s->schemas, job->schemas)) return folder;
    *s->schemas = '\0';
    empty_folder(s->path, "schemas");
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        err_errno(err, "%s", folder);
    fleet_learn(f, err);
    fleet_settings_get(&f->store, job->schemas, folder, err);
    if (!err_failed(err))
        snprintf(s->schemas, sizeof s->schemas, "%s", job->schemas);
    return folder;
}

/* Makes work/<id> for the job, with its bytes. FAIL: "disk"; as
 * fleet_store_get. */
static void fleet_scratch_take(struct fleet_scratch *s, struct fleet *f,
                               const struct fleet_job *job, struct err *err)
{
    struct folder folder = {.fd = -1};
    if (err_failed(err)) return;
    if (!spool_is_id(job->id)) {
        err_reason(err, ERR_REMOTE, "fleet-refused",
                   "%.40s: not the id of a document", job->id);
        return;
    }
    fleet_learn(f, err);
    spool_admit(&s->spool, job->id, &folder, err);
    spool_write(&folder, "name.json", span_of(job->name), err);
    if (*job->part) spool_write(&folder, "part.json", span_of(job->part), err);
    int fd = err_failed(err)
                 ? -1
                 : openat(folder.fd, "doc",
                          O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) err_errno(err, "%s: doc", job->id);
    fleet_store_get(&f->store, job->document, fd, err);
    if (fd >= 0) close(fd);
    spool_unlock(&folder);
}

static struct span read_whole(int fd, const char *name, size_t most,
                              struct arena *arena)
{
    struct span text = spool_read(fd, name, most, arena);
    return text.data ? text : (struct span){"", 0};
}

static void read_reason(int fd, struct fleet_outcome *outcome,
                        struct arena *arena)
{
    struct err none = {0};
    struct span text = read_whole(fd, "reason.json", SPOOL_JSON_MAX, arena);
    cJSON *o = json_parse(text, &none);
    outcome->reason = arena_copy(arena, text);
    outcome->code =
        arena_copy(arena, span_of(json_get_text_or_empty(o, "code")));
    outcome->why =
        arena_copy(arena, span_of(json_get_text_or_empty(o, "text")));
    cJSON_Delete(o);
}

/* Reads the outcome from done/ or failed/, into the arena. FAIL: "disk"; as
 * fleet_store_put. */
static void fleet_scratch_outcome(struct fleet_scratch *s, struct fleet *f,
                                  const struct fleet_job *job, bool done,
                                  struct fleet_outcome *outcome,
                                  struct arena *arena, struct err *err)
{
    *outcome = (struct fleet_outcome){.state = FLEET_DEAD};
    if (err_failed(err)) return;
    size_t most = (size_t)f->config->stage.max_record_bytes;
    int fd =
        spool_folder_fd(&s->spool, done ? SPOOL_DONE : SPOOL_FAILED, job->id);
    if (fd < 0) {
        err_errno(err, "%s", job->id);
        return;
    }
    if (done) {
        struct span xml = read_whole(fd, "record.xml", most, arena);
        outcome->state = FLEET_RESULT;
        outcome->record =
            fleet_file_put(f, read_whole(fd, "record.json", most, arena), err);
        if (xml.size) outcome->xml = fleet_file_put(f, xml, err);
    } else {
        read_reason(fd, outcome, arena);
    }
    close(fd);
}

/* --- fleet worker ------------------------------------------------------ */

struct fleet_lock {
    int jobs, entry; /* descriptors; they close with the process */
};

/* --- fleet lock ------------------------------------------------------------ */

/* Lets a worker run alone on its machine.
 *
 * Two file locks next to the scratch folders. Each worker holds `jobs` shared
 * while it has a job. A worker that must run alone locks `entry` first, so that
 * no other worker starts a job while it waits for the others to end. */

static int open_lock(const char *folder, const char *what, struct err *err)
{
    char path[500];
    if (err_failed(err)) return -1;
    /* one per user: another user could hold it for ever */
    snprintf(path, sizeof path, "%.400s/platen-fleet.%s.%ld", folder, what,
             (long)getuid());
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) err_errno(err, "scratch: %s", path);
    return fd;
}

/* FAIL: ERR_SYSTEM. */
static void fleet_lock_open(struct fleet_lock *a, const char *folder,
                            struct err *err)
{
    a->jobs = open_lock(folder, "room", err);
    a->entry = open_lock(folder, "gate", err);
}

static void fleet_lock_close(struct fleet_lock *a)
{
    if (a->jobs >= 0) close(a->jobs);
    if (a->entry >= 0) close(a->entry);
}

/* Call before claiming a job; false: another worker runs alone, or waits to. */
static bool fleet_lock_begin(struct fleet_lock *a)
{
    bool in = flock(a->entry, LOCK_SH | LOCK_NB) == 0 &&
              flock(a->jobs, LOCK_SH | LOCK_NB) == 0;
    flock(a->entry, LOCK_UN);
    return in;
}

/* Does no other worker on this machine have a job? Call it until it is true;
 * others start no new job meanwhile. */
static bool fleet_lock_only(struct fleet_lock *a)
{
    /* `jobs` is released meanwhile: two waiting workers would wait for each
     * other */
    flock(a->jobs, LOCK_UN);
    return flock(a->entry, LOCK_EX | LOCK_NB) == 0 &&
           flock(a->jobs, LOCK_EX | LOCK_NB) == 0;
}

/* Call after a job, or if none was claimed. */
static void fleet_lock_end(struct fleet_lock *a)
{
    flock(a->jobs, LOCK_UN);
    flock(a->entry, LOCK_UN);
}

/* --- fleet worker ---------------------------------------------------------- */

/* After so many leases that expired, a job runs alone on its machine. */
enum { SUSPECT = 3 };

enum { BEAT_S = FLEET_TTL_S / 4, POLL_S = 5, SHAKY_S = 1 };

static const double pause_first_s = 5, pause_most_s = 300;

struct fleet_worker {
    const struct fleet_worker_options *o;
    struct fleet *fleet;
    struct fleet_db *pulse; /* heartbeats have a connection of their own */
    struct fleet_scratch scratch;
    struct fleet_lock alone;
    struct fleet_pool *pool;
    const char *options, *schemas; /* of the pool; NULL: none */
    struct arena *kept;            /* for these texts */
    char name[160];
    int class[FLEET_CLASSES], n_class;
    struct fleet_job job;
    struct arena *arena; /* for the job */
    double beaten, since, pause_s, asked;
    bool found;                /* the last claim found a job */
    bool lost, drains, unsure; /* unsure: the result of a claim was lost */
    struct fleet_tally tally;
    struct metrics_export exporter;
};

/* --- heartbeat ----------------------------------------------------------- */

/* Adds the status of the whole fleet to this worker's metrics. */
static void update_metrics(struct fleet_worker *w, struct err *err)
{
    if (!metrics_export_is_open(&w->exporter)) return;
    struct arena *arena = arena_new();
    const char *status = fleet_queue_status(w->pulse, arena, err);
    metrics_set_fleet(&w->exporter.metrics, err_failed(err) ? NULL : status);
    arena_free(arena);
}

/* Renews the lease and does maintenance. Failures are repeated with the next
 * beat; the database decides whether the lease is still held. */
static void beat(struct fleet_worker *w, bool holds)
{
    struct err err = {0};
    if (metrics_export_is_open(&w->exporter)) metrics_export_poll(&w->exporter);
    if (clock_seconds() - w->beaten < BEAT_S) return;
    w->beaten = clock_seconds();
    if (holds) {
        bool held = fleet_queue_beat(w->pulse, &w->job, &err);
        w->lost = w->lost || (!held && !err_failed(&err));
    }
    w->drains =
        fleet_queue_lives(w->pulse, w->name, &w->tally, &err) || w->drains;
    fleet_queue_tend(w->pulse, &err);
    update_metrics(w, &err);
    if (err_failed(&err)) log_warn("heartbeat: %s", err.text);
}

/* Sleeps until a notification of the database or a signal comes. */
static void wait_for_hint(struct fleet_worker *w, double seconds, bool holds)
{
    double until = clock_seconds() + seconds;
    int fd = fleet_db_listen(w->fleet->db, "platen_ready");
    struct pollfd hint = {.fd = fd, .events = POLLIN};
    while (!signals_stopped() && (holds || !w->drains)) {
        double left = until - clock_seconds();
        if (left <= 0) return;
        signals_poll(&hint, fd >= 0, left > 1 ? 1000 : (int)(left * 1000) + 1);
        if (fd >= 0 && hint.revents && fleet_db_heard(w->fleet->db)) return;
        if (hint.revents & (POLLERR | POLLHUP)) fd = -1;
        beat(w, holds);
    }
}

/* --- one job ------------------------------------------------------------- */

static void prepare_pool(struct fleet_worker *w, struct err *err)
{
    bool same = w->options && !strcmp(w->options, w->job.options) &&
                !strcmp(w->schemas, w->job.schemas);
    const char *schemas =
        fleet_scratch_schemas(&w->scratch, w->fleet, &w->job, w->arena, err);
    if (same || err_failed(err)) return;
    w->options = NULL;
    fleet_pool_configure(w->pool, w->job.options, schemas, err);
    if (err_failed(err)) return;
    arena_reset(w->kept);
    w->options = arena_copy(w->kept, span_of(w->job.options));
    w->schemas = arena_copy(w->kept, span_of(w->job.schemas));
}

/* Reads the document in the scratch spool, with retries. False: the lease was
 * lost, or a stop was requested. */
static bool read_job(struct fleet_worker *w, struct event *event,
                     struct err *err)
{
    struct worker_job order = {.alone = w->job.attempt >= SUSPECT};
    snprintf(order.id, sizeof order.id, "%s", w->job.id);
    for (;;) {
        *event = (struct event){.kind = EVENT_BEGIN};
        fleet_pool_assign(w->pool, &order, err);
        while (!err_failed(err) && !event_is_last(event)) {
            if (signals_stopped() || w->lost) return false;
            if (fleet_pool_next(w->pool, 1000, event, err))
                metrics_count_event(&w->exporter.metrics, event);
            beat(w, true);
        }
        if (err_failed(err) || event->kind != EVENT_RETRY) return true;
        while (clock_utc() < event->not_before) {
            if (signals_stopped() || w->lost) return false;
            signals_poll(NULL, 0, 200);
            beat(w, true);
        }
    }
}

/* Publishes the outcome, repeatedly until it succeeds or the lease is lost. */
static void publish_outcome(struct fleet_worker *w, enum event_kind kind,
                            int n_page, struct err *err)
{
    struct fleet_outcome outcome;
    bool done = kind != EVENT_FAILED;
    double pause = SHAKY_S, took = clock_seconds() - w->since;
    fleet_scratch_outcome(&w->scratch, w->fleet, &w->job, done, &outcome,
                          w->arena, err);
    while (!err_failed(err)) {
        bool mine = done ? fleet_queue_publish(w->fleet->db, &w->job, w->name,
                                               took, n_page, &outcome, err)
                         : fleet_queue_fail_dead(w->fleet->db, &w->job, w->name,
                                                 &outcome, err);
        if (!err_failed(err)) {
            w->lost = !mine;
            return;
        }
        if (signals_stopped()) return;
        log_warn("%s: %s; its result is kept and sent again in %.0f s",
                 w->job.id, err->text, pause);
        *err = (struct err){0};
        wait_for_hint(w, pause, true);
        pause = clock_wait_longer(pause, pause_first_s, pause_most_s);
    }
}

static void give_back(struct fleet_worker *w, int wait_s)
{
    struct err err = {0};
    if (w->lost) return;
    fleet_queue_release(w->fleet->db, &w->job, wait_s, &err);
    if (err_failed(&err))
        log_warn("%s: %s; its lease will expire", w->job.id, err.text);
}

/* This machine's environment failed: returns the job, for another machine. */
static void return_job(struct fleet_worker *w, const char *code,
                       const char *text)
{
    const struct reason *row = reason_find(code);
    w->pause_s = clock_wait_longer(w->pause_s, pause_first_s, pause_most_s);
    log_warn("%s: given back: %s [%s]. %s", w->job.id, text, code,
             row ? row->remedy : "");
    give_back(w, (int)pause_first_s);
}

/* The store lacks the document, so no worker can read it; it can be submitted
 * again. */
static void fail_damaged(struct fleet_worker *w, const char *why)
{
    struct err err = {0};
    struct fleet_outcome outcome = {
        .code = "store-damaged", .reason = "", .why = why};
    log_warn("%s: %s", w->job.id, why);
    fleet_queue_fail_dead(w->fleet->db, &w->job, w->name, &outcome, &err);
    if (err_failed(&err)) log_warn("%s: %s", w->job.id, err.text);
}

static void end_outcome(struct fleet_worker *w, const struct event *event,
                        struct err *err)
{
    bool failed = event->kind == EVENT_FAILED;
    publish_outcome(w, event->kind, event->n_page, err);
    if (err_failed(err)) return;
    w->pause_s = 0;
    w->tally.n_job += !w->lost;
    w->tally.n_page += w->lost ? 0 : event->n_page;
    log_note("%s: %s, %.1f s%s%s", w->job.id, failed ? "failed" : "done",
             clock_seconds() - w->since, failed ? ": " : "",
             failed ? event->text : "");
    if (w->lost)
        log_warn("%s: its lease was lost to another worker", w->job.id);
}

static void end_job(struct fleet_worker *w, const struct event *event,
                    struct err *err)
{
    if (event->kind == EVENT_DONE || event->kind == EVENT_FAILED)
        end_outcome(w, event, err);
    else
        return_job(w, event->code, event->text);
}

/* Stops the workers and their document, when the lease or the time is over. */
static void stop_pool(struct fleet_worker *w)
{
    fleet_pool_stop(w->pool);
    w->options = NULL;
}

static void work_off(struct fleet_worker *w)
{
    struct err err = {0};
    struct event event = {.kind = EVENT_BEGIN};
    w->lost = false;
    w->since = w->beaten = clock_seconds();
    prepare_pool(w, &err);
    fleet_scratch_take(&w->scratch, w->fleet, &w->job, &err);
    bool ended = !err_failed(&err) && read_job(w, &event, &err);
    if (ended && !err_failed(&err)) end_job(w, &event, &err);
    if (err_failed(&err) && !strcmp(reason_of(&err)->code, "store-damaged"))
        fail_damaged(w, err.text);
    else if (err_failed(&err))
        return_job(w, reason_of(&err)->code, err.text);
    if (!ended && !err_failed(&err)) {
        if (w->lost)
            log_warn("%s: its lease was lost to another worker", w->job.id);
        give_back(w, 0);
        stop_pool(w);
    }
    fleet_scratch_empty(&w->scratch);
}

/* --- all of them --------------------------------------------------------- */

/* A claim whose result was lost may hold an unknown lease, which is returned
 * first. */
static bool claim(struct fleet_worker *w, struct err *err)
{
    arena_reset(w->arena);
    if (w->unsure) fleet_queue_forsake(w->fleet->db, w->name, err);
    double now = clock_seconds();
    if (now - w->asked > BEAT_S || !w->found) {
        w->n_class = fleet_queue_classes(w->fleet->db, w->name, w->class, err);
        w->asked = now;
    }
    bool found = false;
    for (int i = 0; i < w->n_class && !found; i++)
        found = fleet_queue_claim(w->fleet->db, w->name, w->class[i], &w -> job,
                                  w -> arena, err);
    w->unsure = err_failed(err);
    w->found = found;
    return found;
}

/* A job that may crash its machine is read while no other job runs. */
static void process_alone(struct fleet_worker *w)
{
    bool alone = w->job.attempt >= SUSPECT;
    double since = clock_seconds();
    while (alone && !fleet_lock_only(&w->alone)) {
        signals_poll(NULL, 0, 200);
        beat(w, true);
        if (!signals_stopped() && !w->lost && clock_seconds() - since < 600)
            continue;
        give_back(w, 60);
        return;
    }
    if (alone)
        log_note("%s: %d workers died on it, so it runs alone", w->job.id,
                 w->job.attempt - 1);
    work_off(w);
}

/* Until a stop, or until no more jobs are to be processed. A pool that has ended
 * cannot be started again here, where the passwords are. */
static void process_jobs(struct fleet_worker *w)
{
    struct err err = {0};
    while (!signals_stopped() && !w->drains && !fleet_pool_ended(w->pool)) {
        bool free = fleet_lock_begin(&w->alone);
        bool found = free && claim(w, &err);
        if (found) process_alone(w);
        fleet_lock_end(&w->alone);
        if (err_failed(&err)) {
            w->pause_s =
                clock_wait_longer(w->pause_s, pause_first_s, pause_most_s);
            log_warn("%s; again in %.0f s", err.text, w->pause_s);
            err = (struct err){0};
        }
        if (w->o->jobs && w->tally.n_job >= w->o->jobs) return;
        if (!found && free && w->pause_s <= 0 && w->o->once) return;
        if (w->pause_s > 0)
            wait_for_hint(w, w->pause_s, false);
        else if (!found)
            wait_for_hint(w, POLL_S, false);
        beat(w, false);
    }
}

/* What the worker offers; by default the model's file name and the machine's
 * memory. */
static struct fleet_can worker_offer(const struct config *config, char *model,
                                     size_t size)
{
    struct fleet_can can = fleet_can_of(config);
    const char *name = text_base_name(config->stage.model);
    if (!strcmp(config->stage.engine, "endpoint"))
        name = config->stage.endpoint_model;
    size_t n = text_stem(name, ".gguf");
    snprintf(model, size, "%.*s", (int)(n ? n : strlen(name)), name);
    if (!*can.model) can.model = model;
    if (!can.memory)
        can.memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    return can;
}

static void introduce(struct fleet_worker *w, struct err *err)
{
    char id[SPOOL_ID_SIZE], model[200];
    struct fleet_can can = worker_offer(w->o->config, model, sizeof model);
    spool_make_id(id);
    snprintf(w->name, sizeof w->name, "%s:%ld:%.8s", w->fleet->host,
             (long)getpid(), strchr(id, '-') + 1);
    fleet_queue_hello(w->pulse, w->name, w->fleet->host, &can, err);
    fleet_learn(w->fleet, err);
}

int fleet_worker_run(const struct fleet_worker_options *o, struct err *err)
{
    if (err_failed(err)) return EXIT_OTHER;
    struct fleet_worker w = {.o = o, .arena = arena_new(), .kept = arena_new()};
    fleet_scratch_open(&w.scratch, o->scratch, err);
    w.pool = fleet_pool_start(&w.scratch.spool, o->config, err);
    prctl(PR_SET_DUMPABLE, 0);
    w.fleet = fleet_new(o->config);
    w.pulse = fleet_db_new(w.fleet->secrets->conninfo);
    metrics_export_open(&w.exporter, o->config, err);
    w.exporter.metrics.no_spool = true;
    fleet_lock_open(&w.alone, o->scratch, err);
    introduce(&w, err);
    bool up = !err_failed(err);
    if (up) update_metrics(&w, err);
    if (up) log_note("worker %s", w.name);
    if (up) process_jobs(&w);
    struct err late = {0};
    w.tally.ended = true;
    if (up) fleet_queue_lives(w.pulse, w.name, &w.tally, &late);
    if (up)
        log_note("ended: %lld job%s", (long long)w.tally.n_job,
                 w.tally.n_job == 1 ? "" : "s");
    if (up && fleet_pool_ended(w.pool))
        err_set(err, ERR_CHILD, "the process that starts the workers ended");
    fleet_pool_free(w.pool);
    metrics_export_close(&w.exporter);
    metrics_set_fleet(&w.exporter.metrics, NULL);
    fleet_scratch_close(&w.scratch);
    fleet_lock_close(&w.alone);
    fleet_db_free(w.pulse);
    fleet_free(w.fleet);
    arena_free(w.arena);
    arena_free(w.kept);
    return up ? EXIT_OK : EXIT_OTHER;
}
