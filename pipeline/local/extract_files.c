/* extract_files.c - see extract_files.h. */
#define _GNU_SOURCE
#include "pipeline/local/extract_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/config/config.h"
#include "pipeline/observe/progress.h"
#include "pipeline/process/signals.h"
#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_part.h"
#include "pipeline/supervisor/model_server.h"
#include "stages/ask/classify.h"
#include "stages/children/spawner.h"
#include "stages/document/reason.h"
#include "stages/engine/engine.h"
#include "stages/engine/fetch_process.h"
#include "stages/input/split.h"
#include "stages/long/row_file.h"
#include "stages/record/record.h"
#include "stages/stages.h"
#include "vlm/base/clock.h"
#include "vlm/base/text.h"
#include "vlm/schema/schema.h"

/* --- local servers ----------------------------------------------------- */

/* The processes that serve the readers of a command: spawner, and model server
 * or fetch process if the engine needs one. */
struct local_servers {
    struct config config; /* with one job: a document at a time */
    struct process_server *spawner;
    struct model_server *model;   /* NULL: the command opens the model */
    struct process_server *fetch; /* NULL: no endpoint */
};

/* Starts those again that have ended. Call it repeatedly while a document is
 * read. NULL is fine. FAIL: ERR_SYSTEM. */
static void local_servers_ensure(struct local_servers *s)
{
    if (!s) return;
    process_server_ensure(s->spawner);
    model_server_ensure(s->model);
    process_server_ensure(s->fetch);
}

/* Ends them. NULL is fine. */
static void local_servers_free(struct local_servers *s)
{
    if (!s) return;
    model_server_free(s->model);
    process_server_free(s->fetch);
    process_server_free(s->spawner);
    mem_free(s);
}

/* Starts them. `settings`, a copy of the configuration's, gets their sockets;
 * both must outlive the result. NULL on failure. FAIL: ERR_SYSTEM. */
static struct local_servers *local_servers_new(const struct config *config,
                                               struct settings *settings,
                                               struct err *err)
{
    if (err_failed(err)) return NULL;
    struct local_servers *s = mem_alloc(1, sizeof *s);
    s->config = *config;
    s->config.jobs = 1;
    s->spawner = spawner_new(&config->stage, err);
    process_server_ensure(s->spawner); /* before the model is opened */
    if (!strcmp(config->stage.engine, "endpoint"))
        s->fetch = fetch_process_new(&config->stage, err);
    s->model = model_server_new(&s->config, 1);
    settings->fetch_fd = process_server_door(s->fetch);
    settings->model_server_fd = model_server_door(s->model);
    settings->spawner_door = process_server_door(s->spawner);
    local_servers_ensure(s);
    if (!err_failed(err)) return s;
    local_servers_free(s);
    return NULL;
}

/* --- extract files ----------------------------------------------------- */

enum { COPY_CHUNK = 1 << 16, PLACE_SIZE = 4400, PLACE_PAGES = 60 };

/* A loaded schema. */
struct kind {
    struct kind *next;
    const char *name;
    struct schema *schema;
    const char *prompt;
};

/* The present file. */
struct present {
    const char *path, *name;
    char id[SPOOL_ID_SIZE];
    int fd;
    struct stat before; /* its status when it was opened */
    char place[PLACE_SIZE], stage[24];
    struct reader_outcome outcome;
};

struct extract_files {
    const struct config *config;
    struct settings settings; /* with the sockets of `servers` */
    struct local_servers *servers;
    struct engine *engine;
    unsigned formats;
    bool choose; /* the model chooses the schema (classify.h) */
    struct classify_list *choices; /* of the model */
    struct kind *kind; /* list; the last is that of extract_files_open */
    struct arena *arena;
    struct progress *progress;
    size_t n_left; /* documents still to be read */
    void (*print)(const struct document *doc, int what, struct buf *out);
    int (*find_examples)(void *arg, struct span words, bool whole);
    void *examples;
    struct present now;
    unsigned dialect;      /* that earlier readers found */
    struct reader *reader; /* of the present document */
};

/* Lets signals end the process at once: nothing has been written yet while a
 * schema is loaded or compiled, and a file system that hangs never polls. */
static void begin_schema_work(const struct config *config)
{
    signals_at_once(
        (unsigned)config->stage.document_timeout_s,
        "platen: the schema took longer than document_timeout "
        "[resource-time]. Raise document_timeout, or make the schema "
        "smaller.\n");
}

static struct kind *load_kind(struct extract_files *o, const char *name,
                              struct err *err)
{
    struct run_context context = {.settings = &o->config->stage};
    struct kind *k = arena_alloc(o->arena, sizeof *k);
    k->name = arena_copy(o->arena, span_of(name));
    begin_schema_work(o->config);
    k->schema = stages_load_schema(name, &context, o->arena, &k->prompt, err);
    if (o->formats & FORMAT_XML) record_check_xml(k->schema, err);
    signals_polled();
    k->next = o->kind;
    o->kind = k;
    return k;
}

/* The schema `name`, loaded on first use; "": that of extract_files_open. NULL
 * on failure. */
static struct kind *find_kind(struct extract_files *o, const char *name,
                              struct err *err)
{
    struct kind *k = o->kind;
    if (err_failed(err)) return NULL;
    while (*name ? k && strcmp(k->name, name) != 0 : k && k->next != NULL)
        k = k->next;
    if (!k && !err_failed(err)) k = load_kind(o, name, err);
    if (!err_failed(err) && !k->schema)
        err_reason(err, ERR_CONFIG, "unknown-schema", "cannot load schema %s",
                   name);
    return err_failed(err) ? NULL : k;
}

/* Can progress be drawn? Not into a pipe, which can lead to a program that
 * draws on the same terminal. */
static bool can_draw(void)
{
    struct stat st;
    return isatty(STDOUT_FILENO) == 1 ||
           (fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode));
}

struct extract_files *extract_files_open(const struct config *config,
                                         const char *schema, unsigned formats,
                                         struct err *err)
{
    if (err_failed(err)) return NULL;
    struct extract_files *o = mem_alloc(1, sizeof *o);
    config = config_for(config, schema);
    o->config = config;
    o->settings = config->stage;
    o->servers = local_servers_new(config, &o->settings, err);
    o->formats = formats;
    o->arena = arena_new();
    o->progress = progress_new(can_draw());
    o->choose = !strcmp(schema, CLASSIFY_AUTO);
    if (o->choose)
        classify_check(&config->stage, err);
    else
        load_kind(o, schema, err);
    return o;
}

void extract_files_close(struct extract_files *o)
{
    if (!o) return;
    reader_end(o->reader);
    engine_close(o->engine);
    local_servers_free(o->servers);
    progress_free(o->progress);
    for (struct kind *k = o->kind; k; k = k->next)
        schema_free(k->schema);
    arena_free(o->arena);
    mem_free(o);
}

void extract_files_own(struct extract_files *o,
                       void (*print)(const struct document *doc, int what,
                                     struct buf *out))
{
    if (o) o->print = print;
}

void extract_files_examples(struct extract_files *o,
                            int (*find)(void *arg, struct span words,
                                        bool whole),
                            void *arg)
{
    if (!o) return;
    o->find_examples = find;
    o->examples = arg;
}

const char *extract_files_place(const struct extract_files *o)
{
    return o->now.place;
}

bool extract_files_hopeless(const struct err *err)
{
    if (!err_failed(err)) return false;
    const struct reason *row = reason_of(err);
    static const char *const this_file[] = {
        "endpoint-invalid", /* its probe was answered */
        "still-written", "io-error"};
    for (size_t i = 0; i < sizeof this_file / sizeof *this_file; i++)
        if (!strcmp(row->code, this_file[i])) return false;
    return row->fate == FATE_WAIT;
}

void extract_files_expect(struct extract_files *o, size_t n_file)
{
    if (!o) return;
    o->n_left = n_file;
    progress_expect(o->progress, n_file);
}

/* Polled while a document is read. */
static bool draw_and_poll(void *arg)
{
    struct extract_files *o = arg;
    progress_draw(o->progress);
    local_servers_ensure(o->servers);
    return signals_pending(NULL);
}

static void draw_progress(void *arg, const struct event *event)
{
    struct extract_files *o = arg;
    struct buf name = buf_limit(4096);
    event_cut(o->now.stage, sizeof o->now.stage, event->stage);
    file_name_escape(o->now.name, &name);
    struct progress_step step = {
        .id = o->now.id,
        .name = buf_span(&name).data,
        .stage = event->stage,
        .page = event->page,
        .n_page = event->n_page,
        .n_read = event->n_read,
    };
    progress_update(o->progress, &step, clock_seconds());
    progress_draw(o->progress);
    buf_free(&name);
}

static int find_examples(void *arg, struct span words, bool whole)
{
    struct extract_files *o = arg;
    return o->find_examples(o->examples, words, whole);
}

static int open_rows(void *arg)
{
    (void)arg;
    return row_file_unnamed();
}

/* Copies stdin to an unnamed file: a stream has no size and cannot be read
 * twice. */
static int copy_stdin(int64_t most, struct err *err)
{
    char chunk[COPY_CHUNK];
    int64_t total = 0;
    int fd = memfd_create("stdin", MFD_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : 1;
    while (fd >= 0 && got > 0 && total <= most) {
        got = read(STDIN_FILENO, chunk, sizeof chunk);
        for (ssize_t n = 0, put; n < got; n += put) {
            put = write(fd, chunk + n, (size_t)(got - n));
            if (put <= 0) got = put = -1;
        }
        total += got > 0 ? got : 0;
    }
    if (got < 0) err_errno(err, "cannot read stdin");
    return fd;
}

int extract_files_open_file(const char *path, int64_t most, struct err *err)
{
    struct stat st;
    if (err_failed(err)) return -1;
    if (!strcmp(path, "-")) return copy_stdin(most, err);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        err_reason(err, ERR_INPUT, "unreadable", "%s", strerror(errno));
    } else if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        err_reason(err, ERR_INPUT, "not-regular", "not a regular file");
        close(fd);
        fd = -1;
    }
    return fd;
}

void extract_files_work(const char *path, struct document_work *work,
                        struct err *err)
{
    if (err_failed(err)) return;
    work->name = text_base_name(path);
    work->fd =
        extract_files_open_file(path, work->settings->max_document_bytes, err);
    document_work_run(work, err);
    if (work->fd >= 0) close(work->fd);
    if (!err_failed(err)) return;
    if (err->page) err_context(err, "page %d", err->page);
    err_context(err, "%s", path);
}

/* For each document: the engine knows what it learnt last. */
static void learn_schema(struct extract_files *o, const struct kind *k,
                         struct err *err)
{
    if (err_failed(err)) return;
    begin_schema_work(o->config);
    engine_learn(o->engine, k->schema, k->prompt, err);
    signals_polled();
}

/* --- one document ---------------------------------------------------------- */

/* Fails if the file was changed while it was read: its pages are drawn after
 * its SHA-256 was calculated. */
static void check_unchanged(const struct present *now, struct err *err)
{
    struct stat after;
    const struct stat *before = &now->before;
    if (err_failed(err)) return;
    if (fstat(now->fd, &after) != 0) err_errno(err, "%s", now->name);
    bool same = after.st_size == before->st_size &&
                after.st_mtim.tv_sec == before->st_mtim.tv_sec &&
                after.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
    if (same && after.st_ctim.tv_sec == before->st_ctim.tv_sec &&
        after.st_ctim.tv_nsec == before->st_ctim.tv_nsec)
        return;
    /* bytes, or only links or permissions? compares its SHA-256 */
    struct hash hash = hash_fd(now->fd, err);
    const char *read = now->outcome.event.sha256;
    if (err_failed(err) || (same && !strcmp(hash.hex, read))) return;
    err_reason(err, ERR_INPUT, "still-written",
               "the file was changed while it was read");
}

/* Runs a reader until its outcome; it can then print. */
static void run_reader(struct extract_files *o, struct reader_task *task,
                       struct err *err)
{
    struct present *now = &o->now;
    reader_end(o->reader);
    snprintf(now->id, sizeof now->id, "%s", task->id);
    task->settings = &o->settings;
    task->formats = o->formats;
    task->name = now->name;
    task->document = now->fd;
    task->print = o->print;
    task->stop = draw_and_poll;
    task->progress = draw_progress;
    task->open_rows = open_rows;
    if (o->find_examples) task->find_examples = find_examples;
    task->arg = o;
    local_servers_ensure(o->servers);
    reader_learn_dialect(task, o->dialect);
    if (task->engine) o->dialect = 0;
    o->reader = reader_start(task, err);
    if (!o->reader) return;
    reader_wait(o->reader, &now->outcome, err);
    o->dialect |= now->outcome.dialect;
    if (*now->outcome.event.stage)
        event_cut(now->stage, sizeof now->stage, now->outcome.event.stage);
}

/* The schema named on its separator, that of extract_files_open, or the model's
 * choice. */
static struct kind *choose_schema(struct extract_files *o,
                                  struct reader_task *task, const char *schema,
                                  struct document_kind *chosen, struct err *err)
{
    /* anyone can print a separator; the model chooses among our files */
    if (*schema && !split_names_schema(schema))
        err_reason(err, ERR_CONFIG, "unknown-schema",
                   "its separator names %.200s, which is not a schema name",
                   schema);
    if (*schema || !o->choose) return find_kind(o, schema, err);
    if (!o->choices)
        o->choices = classify_list(&o->config->stage, o->arena, err);
    if (err_failed(err)) return NULL;
    task->goal = READER_CLASSIFY;
    task->choices = o->choices;
    run_reader(o, task, err);
    if (err_failed(err)) return NULL;
    *chosen = o->now.outcome.kind;
    chosen->name = arena_copy(o->arena, span_of(o->now.outcome.schema));
    task->kind = chosen;
    return find_kind(o, chosen->name, err);
}

static void read_document(struct extract_files *o, struct reader_task *task,
                          struct err *err)
{
    struct document_kind chosen = {0};
    if (err_failed(err)) return;
    snprintf(o->now.stage, sizeof o->now.stage, "extract");
    if (!o->engine) {
        o->engine = engine_open(&o->settings, err);
        /* each reader has a connection of its own */
        if (!err_failed(err)) engine_detach(o->engine);
    }
    task->engine = o->engine;
    const char *schema = task->part ? task->part->schema : "";
    struct kind *k =
        err_failed(err) ? NULL : choose_schema(o, task, schema, &chosen, err);
    if (!k) return;
    learn_schema(o, k, err);
    task->goal = READER_READ;
    task->schema = k->schema;
    task->prompt = k->prompt;
    if (err_failed(err)) return;
    run_reader(o, task, err);
    check_unchanged(&o->now, err);
}

/* Adds file, stage and page to a failure, and hands the document over. */
static bool finish_document(struct extract_files *o, extract_files_take *take,
                            void *arg, int number, struct err *err)
{
    progress_end(o->progress, o->now.id, true, clock_seconds());
    extract_files_expect(o, o->n_left ? o->n_left - 1 : 0);
    progress_wipe(o->progress);
    if (err_failed(err)) {
        /* the same code as in reason.json */
        if (err->kind != ERR_ARGS) err->reason = reason_of(err)->code;
        if (err->page) err_context(err, "page %d", err->page);
        if (o->now.fd >= 0) err_context(err, "%s", o->now.stage);
        err_context(err, "%s", o->now.place);
    }
    bool more = take(arg, number, err);
    reader_end(o->reader);
    o->reader = NULL;
    return more;
}

/* Opens the file and notes its status. */
static void open_present(struct extract_files *o, const char *path,
                         struct err *err)
{
    struct present *now = &o->now;
    *now = (struct present){.path = path, .name = text_base_name(path)};
    snprintf(now->place, sizeof now->place, "%.4300s", path);
    snprintf(now->stage, sizeof now->stage, "identify");
    now->fd =
        extract_files_open_file(path, o->config->stage.max_document_bytes, err);
    if (now->fd >= 0 && fstat(now->fd, &now->before) != 0)
        err_errno(err, "%s", path);
}

static void close_present(struct extract_files *o)
{
    if (o->now.fd >= 0) close(o->now.fd);
    o->now.fd = -1;
}

void extract_files_read(struct extract_files *o, const char *path,
                        extract_files_take *take, void *arg)
{
    char id[SPOOL_ID_SIZE];
    struct err err = {0};
    struct reader_task task = {.id = id, .archive_number = "", .warning = ""};
    spool_make_id(id);
    open_present(o, path, &err);
    read_document(o, &task, &err);
    finish_document(o, take, arg, 0, &err);
    close_present(o);
}

void extract_files_print(struct extract_files *o, int what, struct buf *out,
                         struct err *err)
{
    if (!err_failed(err)) reader_print(o->reader, what, out, err);
}

/* --- stacks ---------------------------------------------------------------- */

struct stack {
    const char *id;
    struct spool_part *part;
    int *file;  /* of each part: its bytes, if it is an attached file; or -1 */
    int n_part; /* 0: the file is one document */
    char archive_number[READER_ARCHIVE_NUMBER], warning[SPOOL_PART_TEXT];
};

/* Reads document `number` of a stack; 0: the file is one document. */
static bool read_part(struct extract_files *o, const struct stack *s,
                      int number, extract_files_take *take, void *arg)
{
    char id[SPOOL_ID_SIZE];
    struct err err = {0};
    const struct spool_part *part = number ? &s->part[number - 1] : NULL;
    struct reader_task task = {.id = number ? id : s->id,
                               .part = part,
                               .archive_number =
                                   number ? "" : s->archive_number,
                               .warning = number ? "" : s->warning};
    spool_part_id(s->id, number, id);
    struct present whole = o->now;
    if (part && part->is_attachment) {
        o->now.fd = s->file[number - 1];
        if (fstat(o->now.fd, &o->now.before) != 0)
            err_errno(&err, "an attached file");
        snprintf(o->now.place, PLACE_SIZE, "%.4000s, part %d (%s)", whole.path,
                 number, *part->attachment ? part->attachment : "attached");
    } else if (part && !*part->pages)
        snprintf(o->now.place, PLACE_SIZE, "%.4300s, part %d", o->now.path,
                 number);
    else if (part)
        snprintf(o->now.place, PLACE_SIZE, "%.4300s, part %d (page %.*s)",
                 o->now.path, number, PLACE_PAGES, part->pages);
    read_document(o, &task, &err);
    bool more = finish_document(o, take, arg, number, &err);
    if (part && part->is_attachment) o->now = whole;
    return more;
}

/* Keeps an attached file, which the reader sends, in memory. */
static int keep_attached(struct extract_files *o, const struct spool_part *part,
                         struct err *err)
{
    struct buf all = buf_limit((size_t)part->bytes);
    reader_part_bytes(o->reader, part, &all, err);
    int fd = err_failed(err) ? -1 : memfd_create("attached", MFD_CLOEXEC);
    size_t done = 0;
    for (ssize_t n; fd >= 0 && done < all.size; done += (size_t)n)
        if ((n = write(fd, all.data + done, all.size - done)) <= 0) break;
    if (!err_failed(err) && (fd < 0 || done < all.size))
        err_errno(err, "cannot keep an attached file");
    buf_free(&all);
    return fd;
}

/* Finds the documents in the present file. */
static void split_present(struct extract_files *o, struct stack *s,
                          struct err *err)
{
    struct reader_task task = {
        .goal = READER_SPLIT, .id = s->id, .archive_number = "", .warning = ""};
    const struct reader_outcome *found = &o->now.outcome;
    run_reader(o, &task, err);
    if (err_failed(err)) return;
    snprintf(s->archive_number, sizeof s->archive_number, "%s",
             found->archive_number);
    snprintf(s->warning, sizeof s->warning, "%s", found->warning);
    s->n_part = found->is_stack ? found->n_part : 0;
    s->part = mem_alloc((size_t)s->n_part + 1, sizeof *s->part);
    s->file = mem_alloc((size_t)s->n_part + 1, sizeof *s->file);
    for (int i = 0; i < s->n_part; i++)
        s->file[i] = -1;
    for (int i = 0; i < s->n_part && !err_failed(err); i++) {
        reader_next_part(o->reader, &s->part[i], err);
        if (s->part[i].is_attachment && !err_failed(err))
            s->file[i] = keep_attached(o, &s->part[i], err);
        snprintf(s->part[i].stack, sizeof s->part[i].stack, "%s", s->id);
        if (!s->part[i].is_attachment)
            snprintf(s->part[i].sha256, sizeof s->part[i].sha256, "%s",
                     found->event.sha256);
        s->part[i].number = i + 1;
        s->part[i].count = s->n_part;
    }
}

void extract_files_read_each(struct extract_files *o, const char *path,
                             extract_files_take *take, void *arg)
{
    char id[SPOOL_ID_SIZE];
    struct err err = {0};
    struct stack s = {.id = id};
    spool_make_id(id);
    open_present(o, path, &err);
    if (!err_failed(&err)) split_present(o, &s, &err);
    if (err_failed(&err)) {
        finish_document(o, take, arg, 0, &err);
    } else {
        int n = s.n_part ? 1 : 0;
        if (s.n_part) extract_files_expect(o, o->n_left + (size_t)s.n_part - 1);
        while (n <= s.n_part && read_part(o, &s, n, take, arg))
            n++;
    }
    close_present(o);
    for (int i = 0; s.file && i < s.n_part; i++)
        if (s.file[i] >= 0) close(s.file[i]);
    mem_free(s.part);
    mem_free(s.file);
}
