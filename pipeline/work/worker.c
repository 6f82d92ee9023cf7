/* worker.c - see worker.h. */
#include "pipeline/work/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/folder.h"
#include "stages/reason.h"
#include "stages/record/record.h"
#include "stages/stage.h"
#include "vlm/base/hash.h"
#include "vlm/base/json.h"
#include "vlm/base/log.h"
#include "vlm/base/now.h"
#include "vlm/schema/schema.h"

enum { SCHEMA_CACHE = 16, CRASH_WAIT_S = 10, STILL_WRITTEN_WAIT_S = 2 };
enum { PROGRESS_MS = 200 };

struct cached_schema {
    char name[NAME_BYTES_MAX + 1];
    struct schema *schema;
    const char *prompt;
    struct arena *arena;
};

struct worker {
    struct worker_options o;
    struct engine *engine;
    struct cached_schema cache[SCHEMA_CACHE];
    int n_cache;

    /* of the document at hand */
    struct folder folder;
    struct folder_state state;
    struct event event;
    struct document *doc;
    double since, told;
    struct err *err;
};

struct worker *worker_new(const struct worker_options *options)
{
    struct worker *w = mem_take(1, sizeof *w);
    w->o = *options;
    return w;
}

static void drop_schema(struct cached_schema *c)
{
    schema_free(c->schema);
    arena_free(c->arena);
}

void worker_free(struct worker *w)
{
    if (!w) return;
    for (int i = 0; i < w->n_cache; i++)
        drop_schema(&w->cache[i]);
    engine_close(w->engine);
    mem_give(w);
}

/* --- telling ------------------------------------------------------------ */

static void cut_text(char *out, size_t size, const char *escaped)
{
    size_t n = strlen(escaped);
    if (n >= size) {
        n = size - 1;
        while (n > 0 && ((unsigned char)escaped[n] & 0xc0) == 0x80)
            n--;
    }
    memcpy(out, escaped, n);
    out[n] = '\0';
}

static void put_escaped(char *out, size_t size, const char *raw)
{
    struct buf text = buf_limit(4096);
    name_escape(raw, &text);
    cut_text(out, size, buf_span(&text).data);
    buf_free(&text);
}

static void tell(struct worker *w, enum event_kind kind)
{
    w->event.kind = kind;
    w->event.seconds = now_seconds() - w->since;
    w->o.tell(w->o.arg, &w->event);
}

static void progress(void *arg, const struct document *doc, int page)
{
    struct worker *w = arg;
    double now = now_seconds();
    bool same = !strcmp(w->event.stage, doc->stage);
    if (same && now - w->told < PROGRESS_MS / 1000.0) return;
    w->told = now;
    cut_text(w->event.stage, sizeof w->event.stage, doc->stage);
    w->event.page = page;
    w->event.n_page = doc->n_page;
    tell(w, EVENT_PROGRESS);
}

/* --- schema ------------------------------------------------------------- */

static const char *schema_name_of(const struct worker *w)
{
    return *w->state.folder ? w->state.folder : w->o.config->default_schema;
}

static struct cached_schema *find_schema(struct worker *w)
{
    const char *name = schema_name_of(w);
    if (!*name) {
        err_reason(w->err, ERR_CONFIG, "no-schema",
                   "it lies directly in in/, and default_schema is not set");
        return NULL;
    }
    for (int i = 0; i < w->n_cache; i++)
        if (!strcmp(w->cache[i].name, name)) return &w->cache[i];
    struct cached_schema c = {.arena = arena_new()};
    snprintf(c.name, sizeof c.name, "%s", name);
    /* a sub-folder is a plain name, never a path or a file */
    if (*w->state.folder && (strchr(name, '/') || strstr(name, ".json")))
        err_reason(w->err, ERR_CONFIG, "unknown-schema",
                   "no schema has this name");
    c.schema = stage_load_schema(name, &w->o.config->stage, c.arena, &c.prompt,
                                 w->err);
    if (err_failed(w->err)) {
        drop_schema(&c);
        return NULL;
    }
    if (w->n_cache == SCHEMA_CACHE) drop_schema(&w->cache[--w->n_cache]);
    w->cache[w->n_cache] = c;
    return &w->cache[w->n_cache++];
}

/* --- outcomes ----------------------------------------------------------- */

/* What platen fsck would not take must not be published either. */
static void check_whole(const struct buf *text, struct err *err)
{
    struct err wrong = {0};
    if (err_failed(err) || text->full) return;
    cJSON_Delete(json_parse(buf_span(text), &wrong));
    if (err_failed(&wrong))
        err_reason(err, ERR_SYSTEM, "internal", "the record is no JSON: %s",
                   wrong.text);
}

static void write_record(struct worker *w, const struct engine_facts *facts)
{
    struct buf text = buf_limit((size_t)w->o.config->stage.record_bytes_max);
    if (w->o.config->formats & FORMAT_XML) {
        record_xml(w->doc, facts, &text, w->err);
        if (!err_failed(w->err) && !text.full)
            spool_write(&w->folder, "record.xml", buf_span(&text), w->err);
        buf_cut(&text, 0);
    }
    if (!err_failed(w->err)) record_json(w->doc, facts, &text);
    check_whole(&text, w->err);
    if (text.full)
        err_reason(w->err, ERR_LIMIT, "too-large",
                   "the record is longer than %lld bytes (record_bytes_max)",
                   (long long)w->o.config->stage.record_bytes_max);
    if (!err_failed(w->err))
        spool_write(&w->folder, "record.json", buf_span(&text), w->err); /*F5*/
    buf_free(&text);
}

/* The bytes on which a verdict rests must be the bytes that are kept: a
 * producer that still writes is waited for, whatever the verdict was. */
static void check_unchanged(struct worker *w, const struct stat *before)
{
    struct stat now;
    struct err err = {0};
    if (w->err->kind == ERR_CANCELLED) return;
    if (fstat(w->doc->fd, &now) != 0 || lseek(w->doc->fd, 0, SEEK_SET) != 0) {
        err_errno(w->err, "cannot read the document again");
        return;
    }
    bool same = now.st_size == before->st_size &&
                now.st_ctim.tv_sec == before->st_ctim.tv_sec &&
                now.st_ctim.tv_nsec == before->st_ctim.tv_nsec;
    if (same && !err_failed(w->err)) {
        struct hash hash = hash_fd(w->doc->fd, &err);
        same = !strcmp(hash.hex, w->doc->sha256.hex);
    }
    if (err_failed(&err))
        *w->err = err;
    else if (!same)
        *w->err = (struct err){.kind = ERR_SYSTEM,
                               .reason = "still-written",
                               .text = "the file changed while it was read"};
}

static void commit_done(struct worker *w)
{
    spool_commit(&w->folder, SPOOL_DONE, w->err); /* F6 */
    if (err_failed(w->err)) return;
    struct err late = {0};
    spool_deliver(w->o.spool, w->folder.id, w->state.folder, w->state.name,
                  w->o.config->formats, &late);
    if (err_failed(&late)) {
        log_warn("%s: %s; the record is in done/%s", w->event.name, late.text,
                 w->folder.id);
        snprintf(w->event.text, sizeof w->event.text, "%s", late.text);
    }
    tell(w, EVENT_DONE);
}

static void set_failure(struct worker *w, const char *code, const char *text)
{
    snprintf(w->event.code, sizeof w->event.code, "%s", code);
    snprintf(w->event.text, sizeof w->event.text, "%s", text);
}

/* Writes the reason and commits to failed/. */
static void give_up(struct worker *w, const struct folder_end *end)
{
    struct err err = {0};
    const struct engine_facts *facts =
        w->engine ? engine_facts(w->engine) : NULL;
    struct folder_reason reason = {
        .state = &w->state,
        .end = end,
        .sha256 = w->event.sha256,
        .schema = w->event.schema,
        .model = facts ? facts->model : "",
        .model_sha256 = facts ? facts->model_hash : "",
    };
    set_failure(w, end->code, end->text ? end->text : "");
    folder_give_reason(&w->folder, &reason, &err);
    spool_commit(&w->folder, SPOOL_FAILED, &err);
    if (err_failed(&err))
        *w->err = err;
    else
        tell(w, EVENT_FAILED);
}

/* --- one attempt -------------------------------------------------------- */

/* How often may this go wrong before it is the document's fault? */
static bool another_attempt(const struct worker *w, const struct reason *row)
{
    if (row->fate != FATE_RETRY) return false;
    if (row->exit == EXIT_CHILD || !strcmp(row->code, "internal"))
        return w->state.n_crash + 1 < WORKER_CRASH_MAX;
    /* the stages have asked twice themselves */
    bool asked_twice = w->doc && w->doc->n_try >= WORKER_MODEL_MAX;
    return !asked_twice && w->state.n_model + 1 < WORKER_MODEL_MAX;
}

static void end_badly(struct worker *w, int attempt)
{
    struct err err = *w->err;
    const struct reason *row = reason_of(&err);
    bool crash = row->exit == EXIT_CHILD && row->fate == FATE_RETRY;
    bool again = another_attempt(w, row);
    const char *stage = w->doc ? w->doc->stage : "settle";
    cut_text(w->event.stage, sizeof w->event.stage, stage);
    *w->err = (struct err){0};
    if (row->fate == FATE_WAIT) {
        folder_uncharge(&w->folder, attempt, w->err);
        *w->err = err;
        return;
    }
    struct folder_end end = {
        .outcome = crash   ? "crash"
                   : again ? "retry"
                           : "reject",
        .code = row->code,
        .stage = stage,
        .text = err.text,
        .page = err.page,
        .seconds = now_seconds() - w->since,
        .not_before = again && crash ? now_utc() + CRASH_WAIT_S : 0,
    };
    w->event.page = end.page;
    folder_end(&w->folder, attempt, &end, w->err);
    w->state.n_attempt = attempt;
    if (err_failed(w->err)) return;
    if (!again) {
        give_up(w, &end);
        return;
    }
    set_failure(w, row->code, err.text);
    w->event.not_before = end.not_before;
    tell(w, EVENT_RETRY);
}

static void run_stages(struct worker *w, const struct cached_schema *schema)
{
    w->doc->stage = "extract";
    if (!w->engine) w->engine = engine_open(&w->o.config->stage, w->err);
    if (err_failed(w->err)) {
        /* whatever is wrong with the engine, no document is to blame */
        if (reason_of(w->err)->fate != FATE_WAIT)
            w->err->reason = "model-refused";
        return;
    }
    struct desk desk = {
        .settings = &w->o.config->stage,
        .engine = w->engine,
        .stop = w->o.stop,
        .stop_arg = w->o.arg,
        .progress = progress,
        .progress_arg = w,
    };
    w->doc->schema = schema->schema;
    w->doc->prompt = schema->prompt;
    stage_run(w->doc, &desk, w->err);
}

static int open_doc(struct worker *w)
{
    if (S_ISLNK(w->state.doc.st_mode) || !S_ISREG(w->state.doc.st_mode)) {
        err_reason(w->err, ERR_INPUT, "not-regular",
                   "it is a link or a special file; its target was not opened");
        return -1;
    }
    int fd = openat(w->folder.fd, "doc",
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == EACCES)
        err_reason(w->err, ERR_INPUT, "unreadable",
                   "platen has no permission to read it");
    else if (fd < 0)
        err_errno(w->err, "cannot open the document");
    return fd;
}

static void attempt(struct worker *w, bool alone)
{
    int n = w->state.n_attempt + 1;
    struct stat before;
    folder_begin(&w->folder, n, alone, w->err); /* F4 */
    if (err_failed(w->err)) {
        struct err undo = {0};
        folder_uncharge(&w->folder, n, &undo);
        return;
    }
    tell(w, EVENT_BEGIN);
    int fd = open_doc(w);
    if (fd >= 0 && fstat(fd, &before) != 0)
        err_errno(w->err, "cannot look at the document");
    if (!err_failed(w->err)) {
        const struct cached_schema *schema = find_schema(w);
        w->doc = document_new(w->folder.id, w->event.name, fd);
        if (schema) run_stages(w, schema);
        check_unchanged(w, &before);
        snprintf(w->event.sha256, sizeof w->event.sha256, "%s",
                 w->doc->sha256.hex);
        w->event.n_warning = w->doc->n_warning;
        w->event.n_page = w->doc->n_page;
        if (!err_failed(w->err)) write_record(w, engine_facts(w->engine));
    }
    struct folder_end ok = {
        .outcome = "ok", .code = "", .seconds = now_seconds() - w->since};
    if (err_failed(w->err)) {
        end_badly(w, n);
    } else {
        folder_end(&w->folder, n, &ok, w->err);
        commit_done(w);
    }
    if (fd >= 0) close(fd);
    document_free(w->doc);
    w->doc = NULL;
}

/* --- what comes next ---------------------------------------------------- */

static const char *string_of(const cJSON *o, const char *key)
{
    const char *text = json_get_text(o, key);
    return text ? text : "";
}

static void commit_reason(struct worker *w)
{
    cJSON *o = folder_json(w->folder.fd, "reason.json", SPOOL_JSON_MAX);
    const cJSON *page = json_get(o, "page");
    set_failure(w, string_of(o, "code"), string_of(o, "text"));
    cut_text(w->event.stage, sizeof w->event.stage, string_of(o, "stage"));
    w->event.page = page ? page->valueint : 0;
    cJSON_Delete(o);
    spool_commit(&w->folder, SPOOL_FAILED, w->err);
    if (!err_failed(w->err)) tell(w, EVENT_FAILED);
}

/* The limits of README.md, "Who is to blame", for what happened before this
 * attempt. */
static bool is_poison(struct worker *w)
{
    struct folder_end end = {.outcome = "reject", .stage = "spool"};
    if (w->state.n_crash >= WORKER_CRASH_MAX) {
        end.code = *w->state.last_code ? w->state.last_code : "internal";
        end.text =
            *w->state.last_text ? w->state.last_text : "a worker died on it";
    } else if (w->state.n_death_alone >= WORKER_DEATH_MAX ||
               w->state.n_attempt >= FOLDER_ATTEMPT_MAX) {
        end.code = "poison-host";
        end.text = "platen itself died while it alone was in work";
    } else {
        return false;
    }
    give_up(w, &end);
    return true;
}

static void next_step(struct worker *w, bool alone)
{
    size_t most = (size_t)w->o.config->stage.record_bytes_max;
    folder_read(w->folder.fd, w->folder.id, &w->state);
    if (!w->state.has_doc) {
        tell(w, EVENT_SKIPPED); /* a claim that was cut off; spool_tidy */
        return;
    }
    if (w->state.unreleased) spool_release(&w->folder, w->err);
    if (w->state.retrying) {
        spool_forget(&w->folder, w->err);
        folder_read(w->folder.fd, w->folder.id, &w->state);
    }
    put_escaped(w->event.name, sizeof w->event.name, w->state.name);
    put_escaped(w->event.folder, sizeof w->event.folder, w->state.folder);
    cut_text(w->event.schema, sizeof w->event.schema, schema_name_of(w));
    w->event.bytes = (long long)w->state.doc.st_size;
    w->event.attempt = w->state.n_attempt + 1;
    if (err_failed(w->err)) return;
    if (w->state.has_record &&
        !folder_record_fault(w->folder.fd, w->folder.id, most))
        commit_done(w);
    else if (w->state.has_reason &&
             !folder_reason_fault(w->folder.fd, w->folder.id))
        commit_reason(w);
    else if (!is_poison(w))
        attempt(w, alone);
}

bool worker_take(struct worker *w, const char *id, bool alone)
{
    struct err err = {0};
    w->err = &err;
    w->event = (struct event){0};
    snprintf(w->event.id, sizeof w->event.id, "%s", id);
    w->since = w->told = now_seconds();
    if (!spool_lock(w->o.spool, id, &w->folder, &err)) {
        if (!err_failed(&err)) {
            tell(w, EVENT_SKIPPED);
            return true;
        }
    } else {
        next_step(w, alone);
    }
    spool_unlock(&w->folder);
    if (!err_failed(&err)) return true;
    const struct reason *row = reason_of(&err);
    set_failure(w, row->code, err.text);
    if (!strcmp(row->code, "still-written")) {
        w->event.not_before = now_utc() + STILL_WRITTEN_WAIT_S;
        tell(w, EVENT_RETRY);
        return true;
    }
    tell(w, err.kind == ERR_CANCELLED ? EVENT_STOPPED : EVENT_WAIT);
    return err.kind == ERR_CANCELLED;
}

void worker_bury(struct spool *s, const char *id, int signal, const char *code,
                 const char *why)
{
    struct folder f;
    struct folder_state state;
    struct err err = {0};
    if (!spool_lock(s, id, &f, &err)) return;
    folder_read(f.fd, id, &state);
    char name[32];
    snprintf(name, sizeof name, "attempt.%d.end", state.n_attempt);
    bool open = state.n_attempt > 0 && !spool_exists(f.fd, name) &&
                !state.has_record && !state.has_reason;
    if (open && code) {
        struct folder_end end = {
            .outcome = "crash",
            .code = code,
            .text = why,
            .signal = signal,
            .not_before = now_utc() + CRASH_WAIT_S,
        };
        folder_end(&f, state.n_attempt, &end, &err);
    } else if (open) {
        folder_uncharge(&f, state.n_attempt, &err);
    }
    spool_unlock(&f);
}
