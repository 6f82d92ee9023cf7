/* worker.c - see worker.h. */
#include "pipeline/worker/worker.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/config/config.h"
#include "pipeline/observe/page_rate.h"
#include "pipeline/reader/reader.h"
#include "pipeline/spool/deferral.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/event.h"
#include "pipeline/worker/checker.h"
#include "pipeline/worker/probe.h"
#include "pipeline/worker/schema_cache.h"
#include "pipeline/worker/worker_archive.h"
#include "pipeline/worker/worker_fleet.h"
#include "pipeline/worker/worker_record.h"
#include "stages/ask/classify.h"
#include "stages/document/reason.h"
#include "stages/document/record_files.h"
#include "stages/engine/engine.h"
#include "stages/input/split.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"

struct worker_engine {
    struct engine *engine;    /* NULL: not open */
    struct settings settings; /* that the engine was opened with */
    int n_lost;               /* model servers lost with the present document */
    double alone_until;       /* clock_seconds: keep the own model until then */
};

/* --- worker engine --------------------------------------------------------- */

/* A worker's engine, opened for the first document that needs
 * it.
 *
 * The model can be in a model server (model_server.h), which can end at any
 * time. The document is then read again with the next server. For its third try
 * the worker loads the model itself: a document that crashes servers then
 * crashes only this worker, and is charged for it. The worker keeps its model
 * for a minute, so that it does not wait for servers that crash one after
 * another. */

enum { SERVER_TRIES = 2 };

static const double alone_s = 60;

static void close_engine(struct worker_engine *w)
{
    engine_close(w->engine);
    w->engine = NULL;
}

/* The next document begins. */
static void worker_engine_next(struct worker_engine *w)
{
    bool alone = w->n_lost >= SERVER_TRIES;
    if (alone && clock_seconds() < w->alone_until) return;
    if (alone) close_engine(w);
    w->n_lost = 0;
}

/* Opens the engine unless it is open. FAIL: as engine_open. */
static void worker_engine_open(struct worker_engine *w,
                               const struct settings *settings, struct err *err)
{
    if (err_failed(err) || w->engine) return;
    w->settings = *settings;
    if (w->n_lost >= SERVER_TRIES) {
        w->settings.model_server_fd = 0;
        w->settings.device = "cpu"; /* readers are forked: no CUDA */
    }
    w->engine = engine_open(&w->settings, err);
    /* each reader has a connection of its own */
    if (!err_failed(err)) engine_detach(w->engine);
}

/* Closes and opens the engine, which may be unusable after a failure. False: it
 * cannot be opened, for the reason `why`; so the document is not at fault. */
static bool worker_engine_renew(struct worker_engine *w,
                                const struct settings *settings,
                                struct err *why)
{
    *why = (struct err){0};
    close_engine(w);
    worker_engine_open(w, settings, why);
    return !err_failed(why);
}

/* Was the model server lost? If so, closes the engine and clears the error, so
 * that the document can be read again. */
static bool worker_engine_lost(struct worker_engine *w, struct err *err)
{
    if (!err_failed(err) || !err->reason || w->n_lost > SERVER_TRIES ||
        strcmp(err->reason, "model-server-lost") != 0)
        return false;
    close_engine(w);
    w->n_lost++;
    w->alone_until = clock_seconds() + alone_s;
    *err = (struct err){0};
    return true;
}

/* --- worker ---------------------------------------------------------------- */

enum { STILL_WRITTEN_WAIT_S = 2, PROGRESS_MS = 200 };

struct worker {
    struct worker_options o;
    struct worker_engine engine;
    struct schema_cache schemas;
    struct worker_fleet *fleet; /* NULL: documents are read here */

    /* the present document */
    struct folder folder;
    struct document_folder_state state;
    struct deferral deferral;
    struct document_folder_end poison;
    struct worker_job job;
    long long not_before;   /* when it is tried again, or the fleet asked */
    bool no_engine;         /* the engine could not be opened */
    struct spool_seal seal; /* the bytes that are read */
    bool handed;            /* it was handed over to the fleet */
    struct spool_part part;
    const struct schema *schema; /* of the reader's document */
    struct reader *reader;
    struct reader_outcome outcome;
    struct checker_result checked;
    unsigned dialect;   /* that earlier readers found */
    bool reader_failed; /* it, or the checker, is the source of *err */
    struct event event;
    double since, reported; /* its start, and the last progress event */
    struct page_rate rate;
    struct err *err;
};

struct worker *worker_new(const struct worker_options *options)
{
    struct worker *w = mem_alloc(1, sizeof *w);
    w->o = *options;
    w->schemas.stop = options->stop;
    w->schemas.stop_arg = options->arg;
    w->fleet = worker_fleet_new(options->spool, options->config);
    w->seal = (struct spool_seal){.fd = -1, .dropped = -1};
    return w;
}

void worker_free(struct worker *w)
{
    if (!w) return;
    schema_cache_clear(&w->schemas);
    engine_close(w->engine.engine);
    worker_fleet_free(w->fleet);
    mem_free(w);
}

/* --- events ------------------------------------------------------------- */

static void send_event(struct worker *w, enum event_kind kind)
{
    w->event.kind = kind;
    w->event.seconds = clock_seconds() - w->since;
    w->event.ends = w->o.spool->unsure;
    w->o.tell(w->o.arg, &w->event);
}

static void progress(void *arg, const struct event *now)
{
    struct worker *w = arg;
    double seconds = clock_seconds();
    bool same = !strcmp(w->event.stage, now->stage);
    if (same && seconds - w->reported < PROGRESS_MS / 1000.0) return;
    w->reported = seconds;
    event_cut(w->event.stage, sizeof w->event.stage, now->stage);
    w->event.page = now->page;
    w->event.n_page = now->n_page;
    w->event.n_kept = now->n_kept;
    w->event.n_read = now->n_read;
    send_event(w, EVENT_PROGRESS);
    worker_record_progress(&w->folder, &w->event, &w->rate);
}

/* --- schema ------------------------------------------------------------- */

static const char *schema_name_of(const struct worker *w)
{
    return *w->state.folder ? w->state.folder : w->o.config->default_schema;
}

/* Reported before loading, so that the supervisor lets others pass
 * meanwhile. */
static void report_loading(void *arg)
{
    struct worker *w = arg;
    event_cut(w->event.stage, sizeof w->event.stage, "schema");
    w->event.loads = true;
    send_event(w, EVENT_PROGRESS);
    w->event.loads = false;
}

/* --- outcomes ----------------------------------------------------------- */

/* The outcome must be for the bytes that are kept: if a producer still writes,
 * the document waits, whatever the outcome was. */
static void check_unchanged(struct worker *w)
{
    struct err err = {0};
    if (w->err->kind == ERR_CANCELLED) return;
    bool failed = err_failed(w->err);
    spool_seal_check(&w->seal, failed ? "" : w->outcome.event.sha256, &err);
    if (err_failed(&err)) *w->err = err;
}

static void commit_done(struct worker *w)
{
    w->event.n_part = w->checked.n_part;
    w->event.n_warning = w->checked.n_warning;
    w->event.review = w->checked.review;
    w->event.unread = w->checked.unread;
    spool_commit(&w->folder, SPOOL_DONE, w->err); /* F6 */
    if (err_failed(w->err)) return;
    struct err late = {0};
    spool_deliver(&w->folder, w->state.path, w->state.name,
                  w->o.config->formats, &late);
    if (err_failed(&late)) {
        log_warn("%s: %s; the record is in done/%s, and delivery is tried "
                 "again",
                 w->event.name, late.text, w->folder.id);
        snprintf(w->event.text, sizeof w->event.text, "%s", late.text);
    }
    /* before the event: a locked folder would not be counted as undelivered */
    spool_seal_drop(&w->seal);
    spool_unlock(&w->folder);
    send_event(w, EVENT_DONE);
}

static void set_failure(struct worker *w, const char *code, const char *text)
{
    snprintf(w->event.code, sizeof w->event.code, "%s", code);
    snprintf(w->event.text, sizeof w->event.text, "%s", text);
}

/* Writes the reason and commits to failed/. */
static void give_up(struct worker *w, const struct document_folder_end *end)
{
    struct err err = {0};
    const struct engine_facts *facts =
        w->engine.engine ? engine_facts(w->engine.engine) : NULL;
    struct document_folder_reason reason = {
        .state = &w->state,
        .end = end,
        .sha256 = w->event.sha256,
        .schema = w->event.schema,
        .model = facts ? facts->model : "",
        .model_sha256 = facts ? facts->model_hash : "",
    };
    set_failure(w, end->code, end->text ? end->text : "");
    if (w->seal.fd >= 0)
        spool_seal_end(&w->seal, &err);
    else
        spool_seal_found(&w->folder, &err);
    document_folder_set_reason(&w->folder, &reason, &err);
    spool_commit(&w->folder, SPOOL_FAILED, &err);
    if (err_failed(&err))
        *w->err = err;
    else
        send_event(w, EVENT_FAILED);
}

/* --- one attempt -------------------------------------------------------- */

static void end_badly(struct worker *w, int make_attempt)
{
    bool last = w->reader_failed && reason_of(w->err)->fate == FATE_WAIT &&
                deferral_judge(&w->deferral, w->err);
    struct err err = *w->err;
    const struct reason *row = reason_of(&err);
    bool crash = reason_is_crash(row);
    bool again = worker_death_again(&w->state, row, w->outcome.n_try);
    const char *stage =
        *w->outcome.event.stage ? w->outcome.event.stage : "settle";
    event_cut(w->event.stage, sizeof w->event.stage, stage);
    *w->err = (struct err){0};
    if (row->fate == FATE_WAIT && !last) {
        document_folder_uncharge(&w->folder, make_attempt, w->err);
        *w->err = err;
        return;
    }
    struct document_folder_end end = {
        .outcome = crash   ? "crash"
                   : again ? "retry"
                           : "reject",
        .code = row->code,
        .stage = stage,
        .text = err.text,
        .page = err.page,
        .seconds = clock_seconds() - w->since,
        .not_before = again && crash ? clock_utc() + WORKER_CRASH_WAIT_S : 0,
    };
    w->event.page = end.page;
    if (w->deferral.times) deferral_clear(&w->folder, w->err);
    document_folder_end(&w->folder, make_attempt, &end, w->err);
    w->state.n_attempt = make_attempt;
    if (err_failed(w->err)) return;
    if (!again) {
        give_up(w, &end);
        return;
    }
    set_failure(w, row->code, err.text);
    w->event.not_before = end.not_before;
    send_event(w, EVENT_RETRY);
}

/* Reported first if it is new to the engine, since that can take long. */
static void learn_schema(struct worker *w, struct schema_cache_schema *schema)
{
    if (err_failed(w->err)) return;
    if (!schema->learnt) report_loading(w);
    schema_cache_prefer(schema, w->engine.engine, w->err);
}

/* -1: the file cannot be opened; a crash then costs all pages. */
static int open_rows(void *arg)
{
    return openat(((struct worker *)arg)->folder.fd, SPOOL_ROWS,
                  O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static int find_examples(void *arg, struct span words, bool whole)
{
    struct worker *w = arg;
    const struct worker_archive archive = {.folder = &w->folder,
                                           .schema = w->schema,
                                           .config = w->o.config,
                                           .stop = w->o.stop,
                                           .arg = w->o.arg};
    return worker_archive_find_examples(&archive, words, whole);
}

static void set_stage(struct worker *w, const char *stage)
{
    snprintf(w->outcome.event.stage, sizeof w->outcome.event.stage, "%s",
             stage);
}

/* Runs a reader until its outcome; it can then print the record. */
static void run_reader(struct worker *w, struct reader_task *task)
{
    if (err_failed(w->err)) return;
    task->settings = &w->o.config->stage;
    task->formats = w->o.config->formats;
    task->id = w->folder.id;
    task->name = w->event.name;
    task->document = w->seal.fd;
    task->unlocked = w->seal.unlocked;
    task->turns = w->state.turns;
    task->stop = w->o.stop;
    task->progress = progress;
    task->open_rows = open_rows;
    task->arg = w;
    reader_learn_dialect(task, w->dialect);
    if (task->engine) w->dialect = 0;
    w->reader = reader_start(task, w->err);
    if (!w->reader) return;
    reader_wait(w->reader, &w->outcome, w->err);
    w->reader_failed = err_failed(w->err);
    w->dialect |= w->outcome.dialect;
}

static void end_reader(struct worker *w)
{
    reader_end(w->reader);
    w->reader = NULL;
}

static void open_engine(struct worker *w)
{
    set_stage(w, "extract");
    worker_engine_open(&w->engine, &w->o.config->stage, w->err);
    w->no_engine = err_failed(w->err);
    if (w->no_engine && w->o.config->of_schema)
        err_context(w->err, "[schema.%s] (%s)", w->o.config->of_schema,
                    config_origin(w->o.config, "model"));
    /* a failing engine is never the document's fault */
    if (w->no_engine && reason_of(w->err)->fate != FATE_WAIT)
        w->err->reason = "model-refused";
}

/* The schema that the model chooses for the document. */
static struct schema_cache_schema *choose_schema(struct worker *w,
                                                 struct reader_task *task)
{
    struct arena *arena = arena_new();
    open_engine(w);
    task->goal = READER_CLASSIFY;
    task->engine = w->engine.engine;
    if (!w->no_engine)
        task->choices = classify_list(&w->o.config->stage, arena, w->err);
    run_reader(w, task);
    end_reader(w);
    arena_free(arena);
    if (err_failed(w->err)) return NULL;
    event_cut(w->event.schema, sizeof w->event.schema, w->outcome.schema);
    return schema_cache_find(&w->schemas, w->outcome.schema, w->o.config,
                             report_loading, w, w->err);
}

/* The other formats of a record that was refused. */
static void remove_others(struct folder *f)
{
    struct err late = {0};
    const struct record_file *file;
    for (size_t i = 0; (file = record_files_at(i)); i++)
        spool_remove(f, file->name, &late);
}

/* What earlier documents say of the record, the file `name`. */
static void compare(struct worker *w, const struct schema_cache_schema *schema,
                    const char *name)
{
    const struct worker_archive archive = {.folder = &w->folder,
                                           .name = name,
                                           .schema = schema->schema,
                                           .record = schema->record,
                                           .config = w->o.config,
                                           .fleet = w->fleet,
                                           .stop = w->o.stop,
                                           .arg = w->o.arg};
    w->reader_failed |= worker_archive_compare(&archive, &w->checked, w->err);
}

/* `schema` NULL: it lists the parts of a stack. */
static void write_record(struct worker *w,
                         const struct schema_cache_schema *schema)
{
    const struct schema *record = schema ? schema->record : NULL;
    w->reader_failed |= worker_record_write(
        &w->folder, w->reader,
        w->outcome.is_stack ? FORMAT_JSON : w->o.config->formats, w->o.config,
        w->err);
    if (err_failed(w->err)) return;
    /* check_unchanged has compared the bytes with this hash */
    checker_run(&w->folder, "record.json.tmp", record, w->outcome.event.sha256,
                &w->o.config->stage, &w->checked, w->err);
    if (*w->checked.fault && !err_failed(w->err))
        err_reason(w->err, ERR_CHILD, "internal", "the record was refused: %s",
                   w->checked.fault);
    w->reader_failed |= w->err->reason != NULL;
    if (err_failed(w->err)) remove_others(&w->folder);
    if (schema) compare(w, schema, "record.json.tmp");
    if (!schema) spool_keep_tmp(&w->folder, "record.json", w->err);
    if (worker_archive_refused(w->err)) remove_others(&w->folder);
}

/* Reads the document and writes its record. */
static void read_here(struct worker *w, struct reader_task *task)
{
    bool unknown =
        !strcmp(schema_name_of(w), CLASSIFY_AUTO) && !*w->state.folder;
    struct schema_cache_schema *schema =
        unknown ? choose_schema(w, task)
                : schema_cache_find(&w->schemas, w->state.folder, w->o.config,
                                    report_loading, w, w->err);
    struct reader_outcome chosen = w->outcome;
    if (schema && !err_failed(w->err)) open_engine(w);
    if (schema) learn_schema(w, schema);
    task->goal = READER_READ;
    task->engine = w->engine.engine;
    task->kind = unknown ? &chosen.kind : NULL;
    if (schema) task->schema = schema->schema;
    if (schema) task->prompt = schema->prompt;
    w->schema = task->schema;
    if (worker_archive_wants_examples(w->o.config, w->schema))
        task->find_examples = find_examples;
    chosen.kind.name = chosen.schema;
    /* of an attempt before, perhaps at other bytes */
    if (spool_exists(w->folder.fd, SPOOL_WORDS))
        spool_remove(&w->folder, SPOOL_WORDS, w->err);
    run_reader(w, task);
    check_unchanged(w);
    worker_record_cost(&w->event, &w->outcome.event, w->engine.engine);
    if (!err_failed(w->err)) spool_seal_end(&w->seal, w->err);
    if (!err_failed(w->err)) write_record(w, schema);
}

/* Makes the documents of a stack. */
static void write_stack(struct worker *w)
{
    check_unchanged(w);
    worker_record_cost(&w->event, &w->outcome.event, NULL);
    if (!err_failed(w->err)) spool_seal_end(&w->seal, w->err);
    w->reader_failed |= worker_record_parts(&w->folder, &w->state, &w->outcome,
                                            w->reader, w->err);
    if (!err_failed(w->err)) write_record(w, NULL);
}

static void read_document(struct worker *w)
{
    struct reader_task task = {.goal = READER_SPLIT,
                               .part = w->event.is_part ? &w->part : NULL,
                               .archive_number = "",
                               .warning = ""};
    w->outcome = (struct reader_outcome){.n_try = 0};
    w->reader_failed = false;
    set_stage(w, "identify");
    if (!w->event.is_part &&
        split_is_wanted(&w->o.config->stage, w->state.name))
        run_reader(w, &task);
    w->handed = w->fleet && !w->outcome.is_stack && !err_failed(w->err) &&
                worker_fleet_hand(w->fleet, &w->folder, &w->seal, w->err);
    if (w->outcome.is_stack) {
        write_stack(w);
    } else if (!w->handed && !err_failed(w->err)) {
        struct reader_outcome found = w->outcome;
        task.archive_number = found.archive_number;
        task.warning = found.warning;
        end_reader(w);
        read_here(w, &task);
    }
    end_reader(w);
}

/* Tries the document later, without a message and without charging it. */
static void try_later(struct worker *w, long long not_before)
{
    w->event.not_before = not_before;
    w->event.quiet = true;
    send_event(w, EVENT_RETRY);
}

static void make_attempt(struct worker *w, bool alone)
{
    int n = w->state.n_attempt + 1;
    document_folder_begin(&w->folder, n, alone, w->err); /* F4 */
    if (err_failed(w->err)) {
        document_folder_uncharge(&w->folder, n, &(struct err){0});
        return;
    }
    send_event(w, EVENT_BEGIN);
    spool_part_clear(&w->folder, w->err);
    spool_seal_begin(&w->folder, &w->seal, w->err);
    if (!err_failed(w->err)) read_document(w);
    struct document_folder_end ok = {
        .outcome = "ok", .code = "", .seconds = clock_seconds() - w->since};
    if (err_failed(w->err)) {
        end_badly(w, n);
    } else if (w->handed) {
        document_folder_uncharge(&w->folder, n, w->err);
        try_later(w, clock_utc() + 1);
    } else {
        if (w->deferral.times) deferral_clear(&w->folder, w->err);
        document_folder_end(&w->folder, n, &ok, w->err);
        commit_done(w);
    }
    spool_seal_drop(&w->seal);
}

/* A model server that was lost is no attempt's end: the document is read again
 * with the next one. */
static void attempt(struct worker *w)
{
    for (bool again = true; again;) {
        make_attempt(w, w->job.alone);
        again = worker_engine_lost(&w->engine, w->err);
        if (again)
            schema_cache_clear(&w->schemas); /* a new engine knows none */
    }
}

/* --- the next step ------------------------------------------------------ */

static void skip(struct worker *w)
{
    send_event(w, EVENT_SKIPPED);
}

static void commit_reason(struct worker *w)
{
    cJSON *o = spool_read_json(w->folder.fd, "reason.json", SPOOL_JSON_MAX);
    const cJSON *page = json_get(o, "page");
    set_failure(w, json_get_text_or_empty(o, "code"),
                json_get_text_or_empty(o, "text"));
    event_cut(w->event.stage, sizeof w->event.stage,
              json_get_text_or_empty(o, "stage"));
    w->event.page = page ? page->valueint : 0;
    cJSON_Delete(o);
    spool_commit(&w->folder, SPOOL_FAILED, w->err);
    if (!err_failed(w->err)) send_event(w, EVENT_FAILED);
}

/* An earlier process may have died before it compared the record; a fleet does not
 * compare. A schema that is gone asks nothing. */
static void commit_found(struct worker *w)
{
    struct err gone = {0};
    const struct schema_cache_schema *schema =
        *w->checked.schema ? schema_cache_find(&w->schemas, w->checked.schema,
                                               w->o.config, NULL, NULL, &gone)
                           : NULL;
    if (schema) compare(w, schema, "record.json");
    struct err why = *w->err;
    if (worker_archive_refused(&why)) {
        *w->err = (struct err){0};
        remove_others(&w->folder);
        give_up(w, &(struct document_folder_end){.outcome = "reject",
                                                 .code = "duplicate",
                                                 .stage = "settle",
                                                 .text = why.text});
    } else if (!err_failed(w->err)) {
        commit_done(w);
    }
}

static void give_up_poison(struct worker *w)
{
    give_up(w, &w->poison);
}

static void wait_until_due(struct worker *w)
{
    try_later(w, w->not_before);
}

static void wait_after_crash(struct worker *w)
{
    set_failure(w, w->state.last_code, w->state.last_text);
    try_later(w, w->state.not_before);
}

/* The document was copied, but its name in in/ is not removed yet. */
static void release(struct worker *w)
{
    spool_release(&w->folder, w->err);
}

/* An operator retries it: the history goes. */
static void forget(struct worker *w)
{
    spool_forget(&w->folder, w->err);
    document_folder_read(w->folder.fd, w->folder.id, &w->state);
    w->deferral = (struct deferral){0};
}

static bool lacks_doc(struct worker *w)
{
    return !w->state
                .has_doc; /* an interrupted claim; see spool_crash_cleanup.c */
}

static bool is_unreleased(struct worker *w)
{
    return w->state.unreleased;
}

static bool is_retried(struct worker *w)
{
    return w->state.retrying;
}

static bool is_with_fleet(struct worker *w)
{
    return worker_fleet_waits(w->fleet, &w->folder, &w->state, &w->not_before,
                              w->err);
}

static bool has_record(struct worker *w)
{
    return worker_record_found(&w->folder, &w->state, true, w->o.config,
                               &w->checked, w->err);
}

static bool has_reason(struct worker *w)
{
    return worker_record_found(&w->folder, &w->state, false, w->o.config,
                               &w->checked, w->err);
}

static bool is_poison(struct worker *w)
{
    return worker_death_is_poison(&w->state, &w->poison);
}

static bool is_early(struct worker *w)
{
    long long now = clock_utc();
    return w->state.not_before >
               now && /* else due, or the clock was set back */
           w->state.not_before <= now + WORKER_CRASH_WAIT_S;
}

/* By another platen, that is: its own deferrals a queue knows. */
static bool is_deferred(struct worker *w)
{
    w->not_before = w->deferral.not_before;
    double left = (double)(w->not_before - clock_utc());
    return w->job.patient && !w->job.deferred && w->deferral.times &&
           left > 0 && left <= deferral_wait(w->deferral.times);
}

static bool always(struct worker *w)
{
    (void)w;
    return true;
}

/* What is in the document's folder, and what happens next: the first row that
 * applies and ends. docs/spool.md, "The next step", has the same rows. */
static const struct step {
    bool (*applies)(struct worker *w);
    void (*then)(struct worker *w);
    bool goes_on; /* to the next row */
} steps[] = {
    {lacks_doc, skip, false},
    {is_unreleased, release, true},
    {is_retried, forget, true},
    {is_with_fleet, wait_until_due, false},
    {has_record, commit_found, false},
    {has_reason, commit_reason, false},
    {is_poison, give_up_poison, false},
    {is_early, wait_after_crash, false},
    {is_deferred, wait_until_due, false},
    {always, attempt, false}, /* one row a line */
};

static void describe(struct worker *w)
{
    event_name(w->event.name, sizeof w->event.name, w->state.name);
    event_name(w->event.folder, sizeof w->event.folder, w->state.path);
    event_cut(w->event.schema, sizeof w->event.schema, schema_name_of(w));
    w->event.bytes = (long long)w->state.doc.st_size;
    w->event.attempt = w->state.n_attempt + 1;
    w->event.is_part = spool_part_read(w->folder.fd, &w->part);
}

static void next_step(struct worker *w)
{
    worker_record_progress_begin(&w->folder, &w->rate);
    document_folder_read(w->folder.fd, w->folder.id, &w->state);
    if (w->state.has_doc && !worker_await_death(&w->folder, &w->state)) {
        skip(w);
        return;
    }
    deferral_read(w->folder.fd, &w->deferral);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        describe(w);
        bool applies = steps[i].applies(w);
        if (err_failed(w->err)) return;
        if (applies) steps[i].then(w);
        if (err_failed(w->err) || (applies && !steps[i].goes_on)) return;
    }
}

/* --- the environment ---------------------------------------------------- */

static bool probe_fails(struct worker *w, const char *code, struct err *why)
{
    if (!strcmp(code, "engine-error")) {
        schema_cache_clear(&w->schemas);
        return !worker_engine_renew(&w->engine, &w->o.config->stage, why);
    }
    *why = (struct err){0};
    if (!strncmp(code, "endpoint-", 9))
        worker_engine_open(&w->engine, &w->o.config->stage, why);
    if (err_failed(why)) return true;
    struct probe_options o = {.spool = w->o.spool,
                              .config = w->o.config,
                              .fleet = w->fleet,
                              .engine = w->engine.engine,
                              .stop = w->o.stop,
                              .arg = w->o.arg};
    return probe_confirms(&o, code, why);
}

/* Before a queue that paused for `code` continues: false if the probe fails. */
static bool probe_passes(struct worker *w, const char *code)
{
    struct err why;
    if (!*code || !probe_fails(w, code, &why)) return true;
    set_failure(w, reason_of(&why)->code, why.text);
    send_event(w, EVENT_WAIT);
    return false;
}

/* After an uncharged attempt: puts the queue on hold if a probe confirms the
 * failure, else defers only this document. */
static void hold_or_defer(struct worker *w, const struct err *err)
{
    struct err why, late = {0};
    const char *code = reason_of(err)->code;
    struct deferral *d = &w->deferral;
    set_failure(w, code, err->text);
    if (w->no_engine || probe_fails(w, code, &why)) {
        send_event(w, EVENT_WAIT);
        return;
    }
    event_cut(d->stage, sizeof d->stage, w->event.stage);
    event_cut(d->text, sizeof d->text, err->text);
    d->not_before = clock_utc() + (long long)deferral_wait(d->times + 1);
    /* if this cannot be written, it is deferred until a restart */
    if (w->folder.fd >= 0) deferral_add(&w->folder, d, code, &late);
    w->event.not_before = d->not_before;
    send_event(w, EVENT_DEFERRED);
}

bool worker_process(struct worker *w, const struct worker_job *job)
{
    struct err err = {0};
    w->err = &err;
    w->no_engine = w->reader_failed = false;
    w->job = *job;
    worker_engine_next(&w->engine);
    w->deferral = (struct deferral){0};
    w->event = (struct event){0};
    snprintf(w->event.id, sizeof w->event.id, "%s", job->id);
    w->since = w->reported = clock_seconds();
    if (!probe_passes(w, job->probe)) return true;
    spool_follow_all(w->o.spool, &err);
    if (spool_lock(w->o.spool, SPOOL_WORK, job->id, &w->folder, &err))
        next_step(w);
    else if (!err_failed(&err))
        send_event(w, EVENT_SKIPPED);
    if (err.kind == ERR_CANCELLED) {
        set_failure(w, reason_of(&err)->code, err.text);
        send_event(w, EVENT_STOPPED);
    } else if (err_failed(&err) &&
               !strcmp(reason_of(&err)->code, "still-written")) {
        set_failure(w, "still-written", err.text);
        w->event.not_before = clock_utc() + STILL_WRITTEN_WAIT_S;
        send_event(w, EVENT_RETRY);
        err = (struct err){0};
    } else if (err_failed(&err)) {
        hold_or_defer(w, &err);
    }
    spool_unlock(&w->folder);
    return !w->o.spool->unsure &&
           (!err_failed(&err) || err.kind == ERR_CANCELLED);
}
