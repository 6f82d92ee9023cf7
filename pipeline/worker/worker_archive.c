/* worker_archive.c - see worker_archive.h. */
#define _GNU_SOURCE
#include "pipeline/worker/worker_archive.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/process/document_sandbox.h"
#include "pipeline/spool/example_choice.h"
#include "pipeline/spool/spool_examples.h"
#include "stages/ask/examples.h"
#include "stages/document/reason.h"
#include "stages/process/process.h"
#include "stages/record/xml.h"
#include "vlm/base/clock.h"
#include "vlm/base/file_map.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"

enum {
    MESSAGE_VALUE = 1, /* struct earlier_value */
    MESSAGE_PIECE,     /* of the new text */
    MESSAGE_FINDING,   /* struct archive_finding */
    MESSAGE_END,       /* struct reason_message: it is complete */
    MESSAGE_COMMIT,    /* to the process of the index */
    MESSAGE_EXAMPLES,  /* nothing, with a file if there are any */
    N_MESSAGE
};

struct archive_finding {
    int question;
    char text[2048];
};

static bool check_finding(void *body, size_t size)
{
    struct archive_finding *f = body;
    (void)size;
    MESSAGE_TEXT(f->text);
    message_count(&f->question, EARLIER_MOST);
    return true;
}

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
    [MESSAGE_FINDING] = {sizeof(struct archive_finding),
                         sizeof(struct archive_finding), 0, check_finding},
    [MESSAGE_END] = {sizeof(struct reason_message),
                     sizeof(struct reason_message), 0, NULL},
    [MESSAGE_COMMIT] = {0},
    [MESSAGE_EXAMPLES] = {.fds = 1}};
static const struct message_types types = {type, N_MESSAGE};

struct archive_task {
    const struct worker_archive *w;
    int fd;   /* of the record; its name gets another file meanwhile */
    int door; /* to the fleet, or -1 */
    const struct earlier_questions *q;
    struct arena *arena;
    struct earlier_value *value; /* q->n at most, and findings as well */
    struct archive_finding *found;
    int n_value, n_found;
    bool xml;      /* print XML */
    bool of_index; /* the messages come from the process of the index */
    bool failed;   /* a process that parses the record did */
    void (*run)(const struct archive_task *t, cJSON *record, int fd);
};

/* --- processes that parse the record -------------------------------------------------------- */

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
    struct earlier_finding *all =
        arena_array(t->arena, (size_t)t->n_found, sizeof *all);
    for (int i = 0; i < t->n_found; i++)
        all[i] = (struct earlier_finding){&t->q->question[t->found[i].question],
                                          t->found[i].text};
    earlier_amend(record, all, t->n_found);
    if (t->xml)
        xml_write_record(t->w->record, record, NULL, &out, &err);
    else
        json_print(&out, record, 2);
    if (!t->xml) buf_add_text(&out, "\n");
    buf_flush(&out);
    buf_free(&out);
    if (err_failed(&err)) _exit(EXIT_OTHER);
}

static void send_end(int fd, const struct err *err)
{
    struct reason_message reason;
    reason_pack(err, &reason);
    send_message(fd, MESSAGE_END, &reason, sizeof reason);
}

static void run_process(void *arg, int fd)
{
    const struct archive_task *t = arg;
    char path[32];
    struct err err = {0};
    snprintf(path, sizeof path, "/proc/self/fd/%d", t->fd);
    struct span text = file_map_open(path, &err);
    xml_start();
    document_sandbox_enter_alone(&t->w->config->stage, fd, &err);
    cJSON *record = err_failed(&err) ? NULL : json_parse(text, &err);
    if (!record) _exit(EXIT_OTHER);
    t->run(t, record, fd);
    send_end(fd, &err);
}

/* --- the process of the index ------------------------------------------------ */

/* Has what other documents say in its memory, and so is another process than the
 * worker, from which readers are forked. The transaction ends with it. */
static void run_index(void *arg, int fd)
{
    const struct archive_task *t = arg;
    const struct worker_archive *w = t->w;
    struct earlier_values values = {t->value, t->n_value};
    struct message m;
    struct err err = {0};
    int n = 0;
    struct spool_archive *a =
        spool_archive_new(w->folder->spool, w->config, true);
    if (t->door >= 0) spool_archive_use(a, t->door);
    struct earlier_finding *found = spool_archive_compare(
        a, w->folder->id, w->schema, t->q, &values, t->arena, &n, &err);
    for (int i = 0; i < n; i++) {
        struct archive_finding one = {
            .question = (int)(found[i].question - t->q->question)};
        snprintf(one.text, sizeof one.text, "%s", found[i].text);
        send_message(fd, MESSAGE_FINDING, &one, sizeof one);
    }
    send_end(fd, &err);
    if (err_failed(&err) ||
        message_receive(fd, &types, true, &m) != MESSAGE_RECEIVED)
        return;
    spool_archive_commit(a, &err);
    spool_archive_free(a);
    send_end(fd, &err);
}

/* --- the worker's side ------------------------------------------------------ */

/* Handles a message; false: it was the last. One that parses the record is not
 * believed more than its values and its text. */
static bool handle(struct archive_task *t, const struct message *m,
                   struct buf *out, struct err *err)
{
    const struct earlier_value *v = (const void *)&m->body;
    const struct archive_finding *f = (const void *)&m->body;
    bool of_index = t->of_index;
    if (m->type == MESSAGE_PIECE && out) buf_add(out, m->body.text, m->size);
    if (m->type == MESSAGE_VALUE && !of_index && !out && t->n_value < t->q->n &&
        v->question < t->q->n)
        t->value[t->n_value++] = *v;
    if (m->type == MESSAGE_FINDING && of_index && t->n_found < t->q->n &&
        f->question < t->q->n)
        t->found[t->n_found++] = *f;
    if (m->type == MESSAGE_END && of_index)
        reason_unpack((const struct reason_message *)&m->body, err);
    return m->type != MESSAGE_END;
}

/* Receives messages up to the next MESSAGE_END. */
static void receive(struct archive_task *t, struct process *process,
                    const struct process_wait *wait, struct buf *out,
                    struct err *err)
{
    if (err_failed(err)) return;
    struct message *m = mem_alloc(1, sizeof *m);
    while (process_receive(process, &types, wait, m, err) &&
           handle(t, m, out, err))
        continue;
    explicit_bzero(m, sizeof *m);
    mem_free(m);
}

/* Runs a process on the record; `out` is for its new text. FAIL: as
 * checker_run. */
static void run_task(struct archive_task *t, struct buf *out, struct err *err)
{
    struct process process = PROCESS_NONE;
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
    receive(t, &process, &wait, out, err);
    process_end(&process);
    t->failed = err_failed(err);
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
    for (int i = 0; i < t->n_found && !err_failed(err); i++)
        if (t->q->question[t->found[i].question].unique)
            err_reason(err, ERR_INPUT, "duplicate", "%s", t->found[i].text);
}

bool worker_archive_refused(const struct err *err)
{
    return err_failed(err) && err->reason && !strcmp(err->reason, "duplicate");
}

static bool is_new(const struct worker_archive *w)
{
    return strcmp(w->name, "record.json") != 0;
}

/* In the transaction of the other process until record.json is durable. */
static void compare(struct archive_task *t, struct checker_result *checked,
                    struct err *err)
{
    const struct worker_archive *w = t->w;
    struct process index = PROCESS_NONE;
    const struct process_wait wait = {.stop = w->stop, .arg = w->arg};
    t->door = w->fleet ? worker_fleet_door(w->fleet, err) : -1;
    if (err_failed(err)) return;
    process_start(&index,
                  &(struct process_options){
                      .name = "platen-archive", .run = run_index, .arg = t},
                  err);
    if (t->door >= 0) close(t->door);
    t->of_index = true;
    receive(t, &index, &wait, NULL, err);
    t->of_index = false;
    if (!strcmp(w->config->duplicates, "fail")) refuse_duplicate(t, err);
    if (t->n_found && !err_failed(err)) amend(t, checked, err);
    if (t->n_found || is_new(w)) spool_keep_tmp(w->folder, "record.json", err);
    const struct span none = {"", 0};
    if (!err_failed(err) && !message_send(index.fd, MESSAGE_COMMIT, none, none))
        err_reason(err, ERR_SYSTEM, "disk",
                   "the process of the archive has ended");
    t->of_index = true;
    receive(t, &index, &wait, NULL, err);
    process_end(&index);
}

/* What it has of the document is wiped: the next reader is forked from here. */
static void compare_record(struct archive_task *t,
                           struct checker_result *checked, struct err *err)
{
    size_t n = (size_t)t->q->n;
    t->value = mem_alloc(n, sizeof *t->value);
    t->found = mem_alloc(n, sizeof *t->found);
    t->fd =
        openat(t->w->folder->fd, t->w->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    run_task(t, NULL, err);
    compare(t, checked, err);
    if (t->fd >= 0) close(t->fd);
    explicit_bzero(t->value, n * sizeof *t->value);
    explicit_bzero(t->found, n * sizeof *t->found);
    mem_free(t->value);
    mem_free(t->found);
}

/* --- examples ----------------------------------------------------------------- */

struct example_task {
    const struct worker_archive *w;
    struct span words;
};

static void run_search(void *arg, int fd)
{
    const struct example_task *t = arg;
    const struct worker_archive *w = t->w;
    struct err err = {0};
    struct buf list = buf_limit(EXAMPLES_TEXT_MOST - 2);
    spool_examples_find(w->folder->spool, w->config, w->schema, t->words,
                        config_examples(w->config), &list, &err);
    if (err_failed(&err)) log_warn("no examples: %s", err.text);
    int found = example_choice_file(&list);
    message_send_fds(fd, MESSAGE_EXAMPLES, (struct span){"", 0}, &found,
                     found >= 0);
}

bool worker_archive_wants_examples(const struct config *config,
                                   const struct schema *schema)
{
    struct arena *arena = arena_new();
    struct earlier_questions q = {.n = 0};
    bool fleet = config->for_fleet || *config->fleet;
    if (config_examples(config) && !fleet && schema)
        q = earlier_questions_of(schema, arena);
    bool wanted = earlier_example(&q);
    arena_free(arena);
    return wanted;
}

int worker_archive_find_examples(const struct worker_archive *w,
                                 struct span words, bool whole)
{
    struct process process = PROCESS_NONE;
    struct err err = {0}, late = {0};
    struct example_task task = {w, words};
    const struct process_wait wait = {.stop = w->stop, .arg = w->arg};
    struct message *m = mem_alloc(1, sizeof *m);
    int found = -1;
    if (whole) spool_write(w->folder, SPOOL_WORDS, words, &late);
    process_start(&process,
                  &(struct process_options){.name = "platen-archive",
                                            .run = run_search,
                                            .arg = &task},
                  &err);
    if (process_receive(&process, &types, &wait, m, &err) && m->n_fd)
        found = m->fd[0];
    process_end(&process);
    mem_free(m);
    return found;
}

bool worker_archive_compare(const struct worker_archive *w,
                            struct checker_result *checked, struct err *err)
{
    if (err_failed(err)) return false;
    struct arena *arena = arena_new();
    struct earlier_questions q = earlier_questions_of(w->schema, arena);
    struct archive_task t = {
        .w = w, .q = &q, .arena = arena, .run = send_values};
    if (q.n && !w->config->for_fleet)
        compare_record(&t, checked, err);
    else if (is_new(w))
        spool_keep_tmp(w->folder, "record.json", err);
    arena_free(arena);
    return t.failed;
}
