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

#include "pipeline/observe/progress.h"
#include "pipeline/process/signals.h"
#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_part.h"
#include "stages/ask/classify.h"
#include "stages/input/split.h"
#include "stages/reason.h"
#include "stages/record/record.h"
#include "vlm/base/clock.h"
#include "vlm/schema/schema.h"

enum { COPY_CHUNK = 1 << 16 };

/* A loaded schema. */
struct kind {
    struct kind *next;
    const char *name;
    struct schema *schema;
    const char *prompt;
    bool learnt; /* prepared by the engine */
};

struct extract_files {
    const struct config *config;
    struct engine *engine;
    unsigned formats;
    bool choose;       /* the model chooses the schema (classify.h) */
    struct classify_list *choices; /* of the model */
    struct kind *kind; /* list; the last is that of extract_files_open */
    struct arena *arena;
    struct progress *progress;
    size_t n_left; /* documents still to be read */
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
    k->schema = stage_load_schema(name, &context, o->arena, &k->prompt, err);
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
    o->config = config;
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
    engine_close(o->engine);
    progress_free(o->progress);
    for (struct kind *k = o->kind; k; k = k->next)
        schema_free(k->schema);
    arena_free(o->arena);
    mem_free(o);
}

const struct engine_facts *extract_files_facts(const struct extract_files *o)
{
    return engine_facts(o->engine);
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

/* Polled while an engine works, too, so that the progress line keeps moving. */
static bool draw_and_poll(void *arg)
{
    progress_draw(((struct extract_files *)arg)->progress);
    return signals_pending();
}

static void draw_progress(void *arg, const struct document *doc, int page)
{
    struct extract_files *o = arg;
    struct buf name = buf_limit(4096);
    file_name_escape(doc->name, &name);
    struct progress_step step = {
        .id = doc->id,
        .name = buf_span(&name).data,
        .stage = doc->stage,
        .page = page,
        .n_page = doc->n_page,
        .n_read = doc->n_read,
    };
    progress_update(o->progress, &step, clock_seconds());
    progress_draw(o->progress);
    buf_free(&name);
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

static void learn_schema(struct extract_files *o, struct kind *k,
                         struct err *err)
{
    if (k->learnt || err_failed(err)) return;
    begin_schema_work(o->config);
    engine_learn(o->engine, k->schema, k->prompt, err);
    k->learnt = !err_failed(err);
    signals_polled();
}

/* The schema named on its separator, that of extract_files_open, or the model's
 * choice. */
static struct kind *choose_schema(struct extract_files *o, struct document *doc,
                                  const char *schema,
                                  const struct run_context *context,
                                  struct err *err)
{
    /* anyone can print a separator; the model chooses among our files */
    if (*schema && !split_names_schema(schema))
        err_reason(err, ERR_CONFIG, "unknown-schema",
                   "its separator names %.200s, which is not a schema name",
                   schema);
    if (*schema || !o->choose) return find_kind(o, schema, err);
    if (!o->choices) o->choices = classify_list(&o->config->stage, o->arena, err);
    struct document_kind kind =
        classify_choose(doc, context, o->choices, err);
    if (!kind.name) return NULL;
    classify_note(doc, &kind);
    return find_kind(o, kind.name, err);
}

/* Fails if the file was changed while it was read: its pages are drawn after
 * its SHA-256 was calculated. */
static void check_unchanged(const struct document *doc,
                            const struct stat *before, struct err *err)
{
    struct stat now;
    if (err_failed(err)) return;
    if (fstat(doc->fd, &now) != 0) err_errno(err, "%s", doc->name);
    bool same = now.st_size == before->st_size &&
                now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
                now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
    if (same && now.st_ctim.tv_sec == before->st_ctim.tv_sec &&
        now.st_ctim.tv_nsec == before->st_ctim.tv_nsec)
        return;
    /* bytes, or only links or permissions? compares its SHA-256 */
    if (same && !err_failed(err) && lseek(doc->fd, 0, SEEK_SET) != 0)
        err_errno(err, "%s", doc->name);
    struct hash hash = hash_fd(doc->fd, err);
    if (err_failed(err) || (same && !strcmp(hash.hex, doc->sha256.hex))) return;
    err_reason(err, ERR_INPUT, "still-written",
               "the file was changed while it was read");
}

static void run_stages(struct extract_files *o, struct document *doc,
                       const char *schema, const struct settings *settings,
                       const struct stat *before, struct err *err)
{
    if (err_failed(err)) return;
    doc->stage = "extract";
    if (!o->engine) o->engine = engine_open(&o->config->stage, err);
    struct run_context context = {
        .settings = settings,
        .engine = o->engine,
        .stop = draw_and_poll,
        .stop_arg = o,
        .progress = draw_progress,
        .progress_arg = o,
    };
    struct kind *k = choose_schema(o, doc, schema, &context, err);
    if (!k) return;
    learn_schema(o, k, err);
    struct calibration fit =
        stage_calibration(settings, o->engine, k->schema);
    context.calibration = &fit;
    doc->schema = k->schema;
    doc->prompt = k->prompt;
    stage_run(doc, &context, err);
    check_unchanged(doc, before, err);
}

static void note_end(struct extract_files *o, const struct document *doc)
{
    progress_end(o->progress, doc->id, true, clock_seconds());
    extract_files_expect(o, o->n_left ? o->n_left - 1 : 0);
    progress_wipe(o->progress);
}

/* Returns the document; or NULL, and adds file, stage and page to the
 * failure. */
static struct document *finish_document(const char *path, struct document *doc,
                                        struct err *err)
{
    if (!err_failed(err)) return doc;
    char stage[32];
    snprintf(stage, sizeof stage, "%s", doc->fd < 0 ? "" : doc->stage);
    /* the same code as in reason.json */
    if (err->kind != ERR_ARGS) err->reason = reason_of(err)->code;
    if (err->page) err_context(err, "page %d", err->page);
    if (*stage) err_context(err, "%s", stage);
    err_context(err, "%s", path);
    document_free(doc);
    return NULL;
}

void extract_files_place(const char *path, const struct document_part *part,
                         char place[static EXTRACT_FILES_PLACE_SIZE])
{
    enum { PAGES_MAX = 60 };
    if (!part)
        snprintf(place, EXTRACT_FILES_PLACE_SIZE, "%s", path);
    else
        snprintf(place, EXTRACT_FILES_PLACE_SIZE,
                 "%.4300s, part %d (page %.*s)", path, part->number, PAGES_MAX,
                 part->pages);
}

static struct document *new_document(const char *id, const char *path, int fd)
{
    const char *slash = strrchr(path, '/');
    return document_new(id, slash ? slash + 1 : path, fd);
}

/* Opens the file and notes its status. */
static int open_with_stat(const struct extract_files *o, const char *path,
                          struct stat *before, struct err *err)
{
    *before = (struct stat){0};
    int fd =
        extract_files_open_file(path, o->config->stage.max_document_bytes, err);
    if (fd >= 0 && fstat(fd, before) != 0) err_errno(err, "%s", path);
    return fd;
}

struct document *extract_files_read(struct extract_files *o, const char *path,
                                    struct err *err)
{
    char id[SPOOL_ID_SIZE];
    if (err_failed(err)) return NULL;
    struct stat before;
    int fd = open_with_stat(o, path, &before, err);
    spool_make_id(id);
    struct document *doc = new_document(id, path, fd);
    run_stages(o, doc, "", &o->config->stage, &before, err);
    if (fd >= 0) close(fd);
    note_end(o, doc);
    return finish_document(path, doc, err);
}

/* --- stacks -------------------------------------------------------------- */

struct stack {
    const char *path, *id;
    int fd;
    struct stat before; /* status of the file when it was opened */
    struct split split;
    bool (*take)(void *arg, struct document *doc, int number, struct err *err);
    void *arg;
};

/* Reads document `number` of a stack; 0: the file is one document. */
static bool read_part(struct extract_files *o, const struct stack *s,
                      int number)
{
    char id[SPOOL_ID_SIZE];
    struct err err = {0};
    const struct split_part *part = &s->split.part[number ? number - 1 : 0];
    struct settings settings = o->config->stage;
    struct document_part own = {s->id, number, s->split.n_part, part->pages};
    spool_part_id(s->id, number, id);
    struct document *doc = new_document(number ? id : s->id, s->path, s->fd);
    if (*part->archive_number) doc->archive_number = part->archive_number;
    if (*part->warning)
        document_warn(doc, &(struct warning){.code = WARN_SEPARATORS_DIFFER},
                      "%s", part->warning);
    if (number) settings.pages = part->pages;
    if (number) doc->part = &own;
    run_stages(o, doc, part->schema, &settings, &s->before, &err);
    note_end(o, doc);
    char place[EXTRACT_FILES_PLACE_SIZE];
    extract_files_place(s->path, doc->part, place);
    doc = finish_document(place, doc, &err);
    bool more = s->take(s->arg, doc, number, &err);
    document_free(doc);
    return more;
}

static void read_stack(struct extract_files *o, const struct stack *s)
{
    bool stack = split_is_stack(&s->split);
    int n = stack ? 1 : 0, last = stack ? s->split.n_part : 0;
    if (stack && last) extract_files_expect(o, o->n_left + (size_t)last - 1);
    while (n <= last && read_part(o, s, n))
        n++;
}

void extract_files_read_each(struct extract_files *o, const char *path,
                             bool (*take)(void *arg, struct document *doc,
                                          int number, struct err *err),
                             void *arg, struct err *err)
{
    char id[SPOOL_ID_SIZE];
    struct jail_stop asked = {draw_and_poll, o};
    if (err_failed(err)) return;
    spool_make_id(id);
    struct stat before;
    int fd = open_with_stat(o, path, &before, err);
    struct document *whole = new_document(id, path, fd);
    struct stack s = {path, id, fd, before, {0}, take, arg};
    if (!err_failed(err))
        s.split = split_find(whole, &o->config->stage, &asked, err);
    if (err_failed(err)) note_end(o, whole);
    whole = finish_document(path, whole, err);
    if (whole) read_stack(o, &s);
    if (fd >= 0) close(fd);
    document_free(whole);
}
