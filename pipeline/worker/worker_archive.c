/* worker_archive.c - see worker_archive.h. */
#include "pipeline/worker/worker_archive.h"

#include <string.h>
#include <unistd.h>

#include "pipeline/process/document_sandbox.h"
#include "pipeline/spool/spool_archive.h"
#include "stages/document/reason.h"
#include "stages/process/process.h"
#include "stages/record/xml.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

enum {
    MESSAGE_VALUE = 1, /* struct earlier_value */
    MESSAGE_PIECE,     /* of the new text */
    MESSAGE_END,       /* it is complete */
    N_MESSAGE
};

static bool check_value(void *body, size_t size)
{
    struct earlier_value *v = body;
    (void)size;
    MESSAGE_TEXT(v->sender);
    MESSAGE_TEXT(v->value);
    MESSAGE_TEXT(v->name);
    MESSAGE_TEXT(v->text);
    message_bool(&v->differs);
    message_count(&v->question, EARLIER_MOST);
    return true;
}

static const struct message_type type[N_MESSAGE] = {
    [0] = {.least = 1},
    [MESSAGE_VALUE] = {sizeof(struct earlier_value),
                       sizeof(struct earlier_value), 0, check_value},
    [MESSAGE_PIECE] = {.least = 1, .most = MESSAGE_CHUNK},
    [MESSAGE_END] = {0}};
static const struct message_types types = {type, N_MESSAGE};

struct archive_task {
    const struct worker_archive *w;
    struct span text; /* of the record; its file is written anew meanwhile */
    const struct earlier_questions *q;
    struct arena *arena; /* for the values */
    struct earlier_values values;
    const struct earlier_finding *finding;
    int n_finding;
    bool xml; /* print XML */
    void (*run)(const struct archive_task *t, cJSON *record, int fd);
};

/* --- in the process -------------------------------------------------------- */

/* Nobody waits for the rest if the caller has gone. */
static void send_message(int fd, uint32_t kind, const void *body, size_t size)
{
    const struct span bytes = {body, size}, none = {"", 0};
    if (!message_send(fd, kind, bytes, none)) _exit(EXIT_OTHER);
}

static void send_values(const struct archive_task *t, cJSON *record, int fd)
{
    struct earlier_values values =
        earlier_values_of(t->q, record, false, t->arena);
    for (int i = 0; i < values.n; i++)
        send_message(fd, MESSAGE_VALUE, &values.value[i], sizeof *values.value);
}

static void send_piece(void *arg, struct span bytes)
{
    for (size_t at = 0, n; at < bytes.size; at += n) {
        n = bytes.size - at < MESSAGE_CHUNK ? bytes.size - at : MESSAGE_CHUNK;
        send_message(*(const int *)arg, MESSAGE_PIECE, bytes.data + at, n);
    }
}

static void send_text(const struct archive_task *t, cJSON *record, int fd)
{
    struct buf out = buf_drained(SIZE_MAX / 2, send_piece, &fd);
    struct err err = {0};
    earlier_amend(record, t->finding, t->n_finding);
    if (t->xml)
        xml_write_record(t->w->record, record, NULL, &out, &err);
    else
        json_print(&out, record, 2);
    if (!t->xml) buf_add_text(&out, "\n");
    buf_flush(&out);
    buf_free(&out);
    if (err_failed(&err)) _exit(EXIT_OTHER);
}

static void run_process(void *arg, int fd)
{
    const struct archive_task *t = arg;
    const struct settings *settings = &t->w->config->stage;
    struct err err = {0};
    xml_start();
    document_sandbox_enter_alone(settings, fd, &err);
    cJSON *record = t->text.data ? json_parse(t->text, &err) : NULL;
    if (!record) _exit(EXIT_OTHER);
    t->run(t, record, fd);
    send_message(fd, MESSAGE_END, "", 0);
}

/* --- the worker's side ------------------------------------------------------ */

/* Handles a message; false: it was the last. */
static bool handle(struct archive_task *t, const struct message *m,
                   struct buf *out)
{
    struct earlier_value v;
    if (m->type == MESSAGE_PIECE && out) buf_add(out, m->body.text, m->size);
    if (m->type == MESSAGE_VALUE && !out && t->values.n < EARLIER_MOST) {
        memcpy(&v, &m->body, sizeof v);
        if (v.question < t->q->n)
            *ARENA_ADD(t->arena, t->values.value, t->values.n) = v;
    }
    return m->type != MESSAGE_END;
}

/* Runs the task; `out` NULL: for the values. FAIL: as checker_run. */
static void run_task(struct archive_task *t, struct buf *out, struct err *err)
{
    struct process process;
    const struct settings *s = &t->w->config->stage;
    const struct process_wait wait = {.deadline =
                                          clock_seconds() + s->page_timeout_s,
                                      .seconds = s->page_timeout_s,
                                      .key = "page_timeout"};
    if (err_failed(err)) return;
    process_start(&process,
                  &(struct process_options){.name = "platen-checker",
                                            .called = "the check of the record",
                                            .run = run_process,
                                            .arg = t,
                                            .confined = true},
                  err);
    if (err_failed(err)) return;
    struct message *m = mem_alloc(1, sizeof *m);
    while (process_receive(&process, &types, &wait, m, err) &&
           handle(t, m, out))
        continue;
    process_end(&process);
    mem_free(m);
}

static void print_text(void *arg, struct buf *out, struct err *err)
{
    run_task(arg, out, err);
}

/* Writes the files anew, with the findings; record.json as record.json.tmp. */
static void amend(struct archive_task *t, struct checker_result *checked,
                  struct err *err)
{
    struct folder *f = t->w->folder;
    size_t most = (size_t)t->w->config->stage.max_record_bytes;
    t->run = send_text;
    t->xml = spool_exists(f->fd, "record.xml");
    if (t->xml)
        spool_write_long(f, "record.xml", most, false, print_text, t, err);
    t->xml = false;
    spool_write_tmp(f, "record.json", most, false, print_text, t, err);
    if (err_failed(err)) return;
    checker_run(f, "record.json.tmp", t->w->record, "", &t->w->config->stage,
                checked, err);
    if (*checked->fault && !err_failed(err))
        err_reason(err, ERR_CHILD, "internal",
                   "the record with its warnings was refused: %s",
                   checked->fault);
}

static void refuse_duplicate(const struct archive_task *t, struct err *err)
{
    for (int i = 0; i < t->n_finding && !err_failed(err); i++)
        if (t->finding[i].question->unique)
            err_reason(err, ERR_INPUT, "duplicate", "%s", t->finding[i].text);
}

bool worker_archive_refused(const struct err *err)
{
    return err_failed(err) && err->reason && !strcmp(err->reason, "duplicate");
}

/* In a transaction until record.json is durable. */
static void compare(struct archive_task *t, struct checker_result *checked,
                    struct err *err)
{
    const struct worker_archive *w = t->w;
    bool is_new = strcmp(w->name, "record.json") != 0;
    struct spool_archive *a =
        spool_archive_new(w->folder->spool, w->config, w->stop, w->arg);
    t->finding =
        spool_archive_compare(a, w->folder->id, w->schema, t->q, &t->values,
                              t->arena, &t->n_finding, err);
    if (!strcmp(w->config->duplicates, "fail")) refuse_duplicate(t, err);
    if (t->n_finding && !err_failed(err)) amend(t, checked, err);
    if (t->n_finding || is_new) spool_keep_tmp(w->folder, "record.json", err);
    if (!err_failed(err)) spool_archive_commit(a, err);
    spool_archive_free(a);
}

void worker_archive_compare(const struct worker_archive *w,
                            struct checker_result *checked, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    struct earlier_questions q = earlier_questions_of(w->schema, arena);
    struct archive_task t = {
        .w = w, .q = &q, .arena = arena, .run = send_values};
    bool asks = q.n && !w->config->for_fleet;
    if (asks)
        t.text = spool_read(w->folder->fd, w->name,
                            (size_t)w->config->stage.max_record_bytes, arena);
    if (asks) run_task(&t, NULL, err);
    if (asks && !err_failed(err))
        compare(&t, checked, err);
    else if (strcmp(w->name, "record.json") != 0)
        spool_keep_tmp(w->folder, "record.json", err);
    arena_free(arena);
}
