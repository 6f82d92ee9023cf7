/* oneshot.c - see oneshot.h. */
#define _GNU_SOURCE
#include "pipeline/command/oneshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/spool/spool.h"
#include "pipeline/work/signals.h"
#include "stages/kind.h"
#include "stages/reason.h"
#include "stages/record/record.h"
#include "vlm/base/now.h"
#include "vlm/schema/schema.h"

enum { COPY_CHUNK = 1 << 16 };

struct oneshot {
    const struct config *config;
    struct engine *engine;
    struct schema *schema;
    const char *name, *prompt; /* of the schema */
    unsigned formats;
    bool choose; /* the model says which schema (kind.h) */
    struct arena *arena;
    bool terminal, drawn;
    bool learnt; /* the engine has seen the schema */
    double since;
};

/* While a schema is read and worked out nothing has been written yet: a stop
 * need not wait until somebody polls, which a file system that hangs never
 * does. */
static void begin_schema(const struct config *config)
{
    signals_at_once((unsigned)config->stage.document_wall_s,
                    "platen: the schema took longer than document_wall "
                    "[resource-time]. Raise document_wall, or make the schema "
                    "smaller.\n");
}

/* The schema from now on. */
static void take_schema(struct oneshot *o, const char *name, struct err *err)
{
    struct desk desk = {.settings = &o->config->stage};
    if (err_failed(err) || (o->schema && !strcmp(o->name, name))) return;
    schema_free(o->schema);
    o->name = arena_copy(o->arena, span_of(name));
    o->learnt = false;
    begin_schema(o->config);
    o->schema = stage_load_schema(name, &desk, o->arena, &o->prompt, err);
    if (o->formats & FORMAT_XML) record_check_xml(o->schema, err);
    signals_polled();
}

struct oneshot *oneshot_open(const struct config *config, const char *schema,
                             unsigned formats, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct oneshot *o = mem_take(1, sizeof *o);
    o->config = config;
    o->arena = arena_new();
    o->terminal = isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
    o->formats = formats;
    o->choose = !strcmp(schema, KIND_AUTO);
    if (o->choose)
        kind_check(&config->stage, err);
    else
        take_schema(o, schema, err);
    return o;
}

void oneshot_close(struct oneshot *o)
{
    if (!o) return;
    engine_close(o->engine);
    schema_free(o->schema);
    arena_free(o->arena);
    mem_give(o);
}

const struct engine_facts *oneshot_facts(const struct oneshot *o)
{
    return engine_facts(o->engine);
}

bool oneshot_hopeless(const struct err *err)
{
    if (!err_failed(err)) return false;
    const struct reason *row = reason_of(err);
    /* its probe was answered: another file may be */
    return row->fate == FATE_WAIT && strcmp(row->code, "endpoint-garbled") != 0;
}

static bool stop(void *arg)
{
    (void)arg;
    return signals_pending();
}

static void draw(void *arg, const struct document *doc, int page)
{
    struct oneshot *o = arg;
    if (!o->terminal) return;
    fprintf(stderr, "\r\033[K%.60s: %s, ", doc->name, doc->stage);
    if (page) fprintf(stderr, "page %d of %d, ", page, doc->n_page);
    fprintf(stderr, "%.1f s", now_seconds() - o->since);
    o->drawn = true;
}

/* A stream has no size and cannot be read twice: it becomes a file without a
 * name. */
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

static int open_file(const char *path, int64_t most, struct err *err)
{
    struct stat st;
    if (!strcmp(path, "-")) return copy_stdin(most, err);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        err_reason(err, ERR_INPUT, "unreadable", "%s", strerror(errno));
    } else if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        err_reason(err, ERR_INPUT, "not-regular", "it is not a regular file");
        close(fd);
        fd = -1;
    }
    return fd;
}

static void learn_schema(struct oneshot *o, struct err *err)
{
    if (o->learnt || err_failed(err)) return;
    begin_schema(o->config);
    engine_learn(o->engine, o->schema, err);
    o->learnt = !err_failed(err);
    signals_polled();
}

static void run_stages(struct oneshot *o, struct document *doc, struct err *err)
{
    doc->stage = "extract";
    if (!o->engine) o->engine = engine_open(&o->config->stage, err);
    struct desk desk = {
        .settings = &o->config->stage,
        .engine = o->engine,
        .stop = stop,
        .progress = draw,
        .progress_arg = o,
    };
    o->since = now_seconds();
    if (o->choose) {
        const char *name = kind_choose(doc, &desk, err);
        if (name) take_schema(o, name, err);
    }
    learn_schema(o, err);
    doc->schema = o->schema;
    doc->prompt = o->prompt;
    stage_run(doc, &desk, err);
}

struct document *oneshot_read(struct oneshot *o, const char *path,
                              struct err *err)
{
    char id[SPOOL_ID_SIZE];
    if (err_failed(err)) return NULL;
    const char *slash = strrchr(path, '/');
    int fd = open_file(path, o->config->stage.document_bytes_max, err);
    spool_make_id(id);
    struct document *doc = document_new(id, slash ? slash + 1 : path, fd);
    if (!err_failed(err)) run_stages(o, doc, err);
    if (fd >= 0) close(fd);
    if (o->drawn) fputs("\r\033[K", stderr);
    o->drawn = false;
    if (!err_failed(err)) return doc;
    char stage[32];
    snprintf(stage, sizeof stage, "%s", fd < 0 ? "" : doc->stage);
    /* as reason.json has it */
    if (err->kind != ERR_ARGS) err->reason = reason_of(err)->code;
    if (err->page) err_context(err, "page %d", err->page);
    if (*stage) err_context(err, "%s", stage);
    err_context(err, "%s", path);
    document_free(doc);
    return NULL;
}
