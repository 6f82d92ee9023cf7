/* reader.c - see reader.h: first the process, then the caller's side. */
#include "pipeline/reader/reader.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/process/document_sandbox.h"
#include "pipeline/spool/spool_part.h"
#include "stages/ask/classify.h"
#include "stages/ask/examples.h"
#include "stages/confidence/confidence.h"
#include "stages/document/version.h"
#include "stages/engine/endpoint_dialect.h"
#include "stages/engine/engine.h"
#include "stages/input/split.h"
#include "stages/process/process.h"
#include "stages/record/record.h"
#include "stages/searchable/searchable.h"
#include "stages/stages.h"
#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

/* --- messages ------------------------------------------------------------- */

enum {
    MESSAGE_PROGRESS = 1, /* struct event */
    MESSAGE_ROWS,         /* nothing: asks for the row file */
    MESSAGE_WORDS,        /* text: asks for examples by all of its words */
    MESSAGE_SOME_WORDS,   /* the same, by the first of its words */
    MESSAGE_OUTCOME,      /* struct reader_outcome */
    MESSAGE_PART,         /* struct spool_part */
    MESSAGE_TEXT,         /* bytes of a record, or of an attached file */
    MESSAGE_PRINTED,      /* struct reason_message: the record is complete */
    N_MESSAGE
};

enum {
    ORDER_ROWS = 1, /* nothing, with the descriptor, if any */
    ORDER_EXAMPLES, /* the same */
    ORDER_PRINT,    /* int32_t: enum reader_print */
    N_ORDER
};

static const struct message_type order[N_ORDER] = {
    [0] = {.least = 1},
    [ORDER_ROWS] = {.fds = 1},
    [ORDER_EXAMPLES] = {.fds = 1},
    [ORDER_PRINT] = {sizeof(int32_t), sizeof(int32_t), 0, NULL}};
static const struct message_types orders = {order, N_ORDER};

static const struct span nothing = {"", 0};

/* --- the process ------------------------------------------------------------ */

struct reader_process {
    const struct reader_task *task;
    int fd; /* to the caller */
    struct settings settings;
    struct run_context context;
    struct calibration fit;
    struct document *doc;
    struct split split;
    struct reader_outcome outcome;
    struct message
        *in; /* the order received last: long, and a stack can be short */
    struct err *err;
};

/* Nobody waits for the rest if the caller has gone. */
static void send_message(const struct reader_process *p, uint32_t type,
                         const void *body, size_t size)
{
    if (!message_send(p->fd, type, (struct span){body, size}, nothing))
        _exit(EXIT_INTERRUPTED);
}

/* Ends the process when the caller needs no more. */
static void await_order(const struct reader_process *p, struct message *m)
{
    if (message_receive(p->fd, &orders, true, m) != MESSAGE_RECEIVED)
        _exit(EXIT_OK);
}

static void send_progress(struct reader_process *p, const char *stage)
{
    struct event *event = &p->outcome.event;
    event_cut(event->stage, sizeof event->stage, stage);
    send_message(p, MESSAGE_PROGRESS, event, sizeof *event);
}

static void on_progress(void *arg, const struct document *doc, int page)
{
    struct reader_process *p = arg;
    struct event *event = &p->outcome.event;
    event->page = page;
    event->n_page = doc->n_page;
    event->n_kept = doc->n_kept;
    event->n_read = doc->n_read;
    send_progress(p, doc->stage);
}

/* -1: the file cannot be opened; a crash then costs all pages. */
static int get_rows(void *arg)
{
    struct reader_process *p = arg;
    send_message(p, MESSAGE_ROWS, "", 0);
    await_order(p, p->in);
    if (p->in->type != ORDER_ROWS) _exit(EXIT_INTERRUPTED);
    return p->in->n_fd ? p->in->fd[0] : -1;
}

/* The rest of a file, in the arena. */
static const char *read_rest(int fd, struct arena *arena)
{
    struct buf text = buf_limit(EXAMPLES_TEXT_MOST);
    char chunk[4096];
    for (ssize_t n; (n = read(fd, chunk, sizeof chunk)) > 0;)
        buf_add(&text, chunk, (size_t)n);
    const char *copy = arena_copy(arena, buf_span(&text));
    buf_free(&text);
    return copy;
}

static const char *get_examples(void *arg, struct span words, bool whole,
                                struct arena *arena)
{
    struct reader_process *p = arg;
    send_message(p, whole ? MESSAGE_WORDS : MESSAGE_SOME_WORDS, words.data,
                 words.size);
    await_order(p, p->in);
    if (p->in->type != ORDER_EXAMPLES) _exit(EXIT_INTERRUPTED);
    if (!p->in->n_fd) return "";
    const char *text = read_rest(p->in->fd[0], arena);
    close(p->in->fd[0]);
    return text;
}

/* What its codes say. */
static void set_codes(struct document *doc, const char *archive_number,
                      const char *warning)
{
    if (*archive_number) doc->archive_number = archive_number;
    if (*warning)
        document_warn(doc, &(struct warning){.code = WARN_SEPARATORS_DIFFER},
                      "%s", warning);
}

static void warn_unread(struct document *doc, const char *which)
{
    document_warn(doc, &(struct warning){.code = WARN_ATTACHMENTS},
                  "attachments that were not read: %s", which);
}

/* A part that fails has no record to warn in. */
static void name_unread(const char *which, struct err *err)
{
    static const char also[] = "; also not read of the same file: ";
    char both[sizeof also + SPOOL_PART_UNREAD];
    size_t n = strlen(err->text), most = sizeof err->text - 1 - n;
    if (!err_failed(err) || !*which) return;
    snprintf(both, sizeof both, "%s%s", also, which);
    size_t more = strlen(both) < most ? strlen(both) : most;
    memcpy(err->text + n, both, more);
    err->text[n + more] = '\0';
}

/* For a part: its place in the stack and pages. */
static void set_part(struct reader_process *p, struct document *doc)
{
    const struct spool_part *part = p->task->part;
    spool_part_describe(part, doc);
    if (*part->pages) p->settings.pages = part->pages;
    if (*part->unread) warn_unread(doc, part->unread);
    split_check(doc, &p->settings, part->sha256, p->err);
    if (!err_failed(p->err) && *part->schema &&
        !split_names_schema(part->schema))
        err_reason(p->err, ERR_CONFIG, "unknown-schema",
                   "its separator names %.200s, which is not a schema name",
                   part->schema);
}

static void classify(struct reader_process *p)
{
    struct reader_outcome *out = &p->outcome;
    out->kind = classify_choose(p->doc, &p->context, p->task->choices, p->err);
    if (!out->kind.name) return;
    snprintf(out->schema, sizeof out->schema, "%s", out->kind.name);
    out->kind.name = NULL;
}

static void read_document(struct reader_process *p)
{
    const struct reader_task *task = p->task;
    if (task->kind) classify_note(p->doc, task->kind);
    p->doc->stage = "extract";
    p->doc->schema = task->schema;
    p->doc->prompt = task->prompt;
    stages_run(p->doc, &p->context, p->err);
    /* after a crash the pages of a long document that were kept are not read
     * again */
    bool has_pages = !document_is_xml_invoice(p->doc);
    if (p->doc->want_kept_words && has_pages && !err_failed(p->err))
        searchable_read(p->doc, &p->settings, NULL, p->err);
}

static void find_parts(struct reader_process *p)
{
    const struct child_process_stop never = {NULL, NULL};
    p->split = split_find(p->doc, &p->settings, &never, p->err);
    if (err_failed(p->err)) return;
    p->outcome.is_stack = split_is_stack(&p->split);
    p->outcome.n_part = p->split.n_part;
    if (p->outcome.is_stack && *p->split.unread)
        warn_unread(p->doc, p->split.unread);
    const struct split_part *first = &p->split.part[0];
    snprintf(p->outcome.archive_number, sizeof p->outcome.archive_number, "%s",
             first->archive_number);
    snprintf(p->outcome.warning, sizeof p->outcome.warning, "%s",
             first->warning);
}

static void fill_outcome(struct reader_process *p)
{
    const struct document *doc = p->doc;
    struct event *event = &p->outcome.event;
    _Static_assert((int)EVENT_COSTS >= (int)DOCUMENT_TIME_MAX, "each stage");
    event_cut(event->stage, sizeof event->stage, doc->stage);
    snprintf(event->sha256, sizeof event->sha256, "%s", doc->sha256.hex);
    event->n_warning = warnings_count(doc->warnings);
    event->review = doc->trust && doc->trust->review;
    event->n_page = doc->n_page;
    event->n_prompt_tokens = doc->n_prompt_tokens;
    event->n_sampled = doc->n_sampled;
    event->n_forced = doc->n_forced;
    event->n_cost = doc->n_time;
    for (int i = 0; i < doc->n_time; i++) {
        event_cut(event->cost[i].stage, sizeof event->cost[i].stage,
                  doc->time[i].stage);
        event->cost[i].seconds = doc->time[i].seconds;
    }
    p->outcome.n_try = doc->n_try;
    if (p->task->engine) p->outcome.dialect = p->task->engine->dialect;
    reason_pack(p->err, &p->outcome.err);
}

static void send_bytes(const struct reader_process *p, struct span bytes)
{
    for (size_t at = 0, n; at < bytes.size; at += n) {
        n = bytes.size - at < MESSAGE_CHUNK ? bytes.size - at : MESSAGE_CHUNK;
        send_message(p, MESSAGE_TEXT, bytes.data + at, n);
    }
}

/* Names of the attached files, so that the records of one mail name each other:
 * an invoice can be in it as PDF and as XML. */
static char *names_of_parts(const struct split *split)
{
    cJSON *all = cJSON_CreateArray();
    size_t size = 2;
    for (int i = 0; i < split->n_part; i++) {
        const char *name = split->part[i].attachment;
        size += name ? strlen(name) * 6 + 3 : 0; /* a letter as \u0000 */
        if (!name || size >= SPOOL_PART_PAGES) continue;
        cJSON_AddItemToArray(all, cJSON_CreateString(name));
    }
    char *text = cJSON_PrintUnformatted(all);
    cJSON_Delete(all);
    return text;
}

static void set_mail(struct spool_part *to, const struct document_mail *mail,
                     const char *names)
{
    to->is_mail = true;
    snprintf(to->mail_from, sizeof to->mail_from, "%s", mail->from);
    snprintf(to->mail_date, sizeof to->mail_date, "%s", mail->date);
    snprintf(to->mail_id, sizeof to->mail_id, "%s", mail->message_id);
    snprintf(to->mail_subject, sizeof to->mail_subject, "%s", mail->subject);
    snprintf(to->mail_attachments, sizeof to->mail_attachments, "%s", names);
}

static void set_attachment(struct spool_part *to, const struct split_part *from)
{
    to->is_attachment = true;
    to->bytes = (int64_t)from->bytes.size;
    snprintf(to->ending, sizeof to->ending, "%s", from->ending);
    snprintf(to->attachment, sizeof to->attachment, "%s", from->attachment);
    snprintf(to->sha256, sizeof to->sha256, "%s", from->sha256.hex);
}

static void send_parts(const struct reader_process *p)
{
    char *names = names_of_parts(&p->split);
    for (int i = 0; i < p->outcome.n_part; i++) {
        const struct split_part *from = &p->split.part[i];
        struct spool_part part = {.number = i + 1, .count = p->split.n_part};
        struct spool_part *to = &part;
        snprintf(to->pages, sizeof to->pages, "%s", from->pages);
        snprintf(to->schema, sizeof to->schema, "%s", from->schema);
        snprintf(to->archive_number, sizeof to->archive_number, "%s",
                 from->archive_number);
        snprintf(to->warning, sizeof to->warning, "%s", from->warning);
        if (from->attachment) set_attachment(to, from);
        snprintf(to->unread, sizeof to->unread, "%s", p->split.unread);
        to->attachments_read = !from->attachment && p->split.n_attached;
        if (p->doc->mail) set_mail(to, p->doc->mail, names);
        send_message(p, MESSAGE_PART, to, sizeof *to);
        send_bytes(p, from->bytes);
    }
    cJSON_free(names);
}

/* --- printing -------------------------------------------------------------- */

static void send_text(void *arg, struct span bytes)
{
    send_bytes(arg, bytes);
}

static cJSON *list_sheets(const struct split *split)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < split->n_sheet; i++) {
        cJSON *o = cJSON_CreateObject();
        json_add_integer(o, "page", split->sheet[i].page);
        cJSON_AddStringToObject(o, "code", split->sheet[i].text);
        json_add_integer(o, "marks", split->sheet[i].marks);
        if (split->sheet[i].is_back) cJSON_AddTrueToObject(o, "back");
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

static cJSON *list_parts(const char *stack, const struct split *split)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < split->n_part; i++) {
        const struct split_part *p = &split->part[i];
        char id[SPOOL_ID_SIZE];
        spool_part_id(stack, i + 1, id);
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "id", id);
        if (*p->pages) cJSON_AddStringToObject(o, "pages", p->pages);
        if (p->attachment) {
            cJSON_AddStringToObject(o, "attachment", p->attachment);
            cJSON_AddStringToObject(o, "sha256", p->sha256.hex);
        }
        if (*p->schema) cJSON_AddStringToObject(o, "schema", p->schema);
        if (*p->archive_number)
            cJSON_AddStringToObject(o, "archive_number", p->archive_number);
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

/* The record of a stack: its documents, their pages and ids, and the separator
 * sheets. */
static void print_stack(const struct document *doc, const struct split *split,
                        struct buf *out)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "format", RECORD_STACK_FORMAT);
    cJSON_AddStringToObject(o, "id", doc->id);
    cJSON_AddStringToObject(o, "created", doc->created);
    cJSON_AddItemToObject(o, "source", record_source(doc));
    cJSON_AddItemToObject(o, "parts", list_parts(doc->id, split));
    cJSON_AddItemToObject(o, "sheets", list_sheets(split));
    cJSON *versions = cJSON_AddObjectToObject(o, "versions");
    cJSON_AddStringToObject(versions, "platen", PLATEN_VERSION);
    cJSON_AddItemToObject(o, "warnings", warnings_print(doc->warnings, 0));
    json_print(out, o, 2);
    buf_add_text(out, "\n");
    cJSON_Delete(o);
}

/* A PDF that libqpdf cannot change, or dies of, costs only the searchable PDF. */
static void print_pdf(struct reader_process *p, struct buf *out,
                      struct err *err)
{
    searchable_pdf(p->doc, &p->settings, out, err);
    if (err->kind != ERR_INPUT && err->kind != ERR_UNSUPPORTED &&
        err->kind != ERR_LIMIT && err->kind != ERR_CHILD)
        return;
    buf_cut(out, 0);
    document_warn(
        p->doc,
        &(struct warning){.code = WARN_NOT_SEARCHABLE, .page = err->page},
        "no searchable PDF: %s", err->text);
    *err = (struct err){0};
}

/* A document without pages has none of these files. */
static void print_words(struct reader_process *p, int what, struct buf *out,
                        struct err *err)
{
    if (document_is_xml_invoice(p->doc)) return;
    if (what == FORMAT_PDF)
        print_pdf(p, out, err);
    else if (what == FORMAT_HOCR)
        searchable_hocr(p->doc, out);
    else
        searchable_alto(p->doc, out);
}

/* The formats of words are printed whole. */
static bool is_of_words(int what)
{
    return what < READER_JSON_LINE && what & FORMATS_OF_WORDS;
}

size_t reader_print_most(const struct settings *s, int what)
{
    return is_of_words(what) ? settings_whole_bytes(s)
                             : (size_t)s->max_record_bytes;
}

static void print_part_of(struct reader_process *p, int what, struct buf *out,
                          struct err *err)
{
    const struct reader_task *task = p->task;
    if (what == READER_WARNINGS)
        warnings_print_text(p->doc->warnings, out);
    else if (what >= READER_CUSTOM && task->print)
        task->print(p->doc, what, out);
    else if (task->goal == READER_SPLIT)
        print_stack(p->doc, &p->split, out);
    else if (is_of_words(what))
        print_words(p, what, out, err);
    else if (what == FORMAT_XML)
        record_xml(p->doc, engine_facts_for(task->engine, p->doc), out, err);
    else
        record_json(p->doc, engine_facts_for(task->engine, p->doc),
                    what == READER_JSON_LINE ? 0 : 2, out, err);
}

static void print_and_send(struct reader_process *p, int what)
{
    struct err err = {0};
    size_t most = reader_print_most(&p->settings, what);
    struct buf out = buf_drained(most, send_text, p);
    print_part_of(p, what, &out, &err);
    buf_flush(&out);
    if (out.full && !err_failed(&err))
        err_reason(&err, ERR_LIMIT, "too-large",
                   "the record is longer than %zu bytes (max_record_bytes)",
                   most);
    buf_free(&out);
    struct reason_message reason;
    reason_pack(&err, &reason);
    send_message(p, MESSAGE_PRINTED, &reason, sizeof reason);
}

static void work(struct reader_process *p)
{
    switch (p->task->goal) {
    case READER_SPLIT: find_parts(p); break;
    case READER_CLASSIFY: classify(p); break;
    case READER_READ: read_document(p); break;
    case READER_TEST: engine_test(p->task->engine, p->err); break;
    }
}

/* All that is needed from files is read before the sandbox is entered. */
static void open_process(struct reader_process *p)
{
    const struct reader_task *task = p->task;
    p->settings = *task->settings;
    if (task->schema)
        p->fit = stages_calibration(&p->settings, task->engine, task->schema);
    p->context = (struct run_context){
        .settings = &p->settings,
        .engine = task->engine,
        .progress = on_progress,
        .progress_arg = p,
        .open_row_file = get_rows,
        .find_examples = task->find_examples ? get_examples : NULL,
        .calibration = &p->fit};
    p->doc = document_new(task->id, task->name, task->document);
    p->doc->unlocked = task->unlocked;
    p->doc->turns = task->turns;
    p->doc->want_kept_words =
        task->goal == READER_READ && (task->formats & FORMATS_OF_WORDS);
    document_sandbox_enter(p->doc, task->engine, &p->settings, p->fd, p->err);
    set_codes(p->doc, task->archive_number, task->warning);
    if (task->part)
        set_codes(p->doc, task->part->archive_number, task->part->warning);
}

static void run_process(void *arg, int fd)
{
    struct err err = {0};
    struct reader_process p = {
        .task = arg, .fd = fd, .in = mem_alloc(1, sizeof *p.in), .err = &err};
    open_process(&p);
    if (p.task->part && !err_failed(&err)) set_part(&p, p.doc);
    if (!err_failed(&err)) work(&p);
    if (p.task->part) name_unread(p.task->part->unread, &err);
    fill_outcome(&p);
    send_message(&p, MESSAGE_OUTCOME, &p.outcome, sizeof p.outcome);
    send_parts(&p);
    for (int32_t what;;) {
        await_order(&p, p.in);
        if (p.in->type != ORDER_PRINT) _exit(EXIT_INTERRUPTED);
        memcpy(&what, p.in->body.text, sizeof what);
        print_and_send(&p, what);
    }
}

/* --- the caller's side: what the reader says is checked ------------------------ */

static bool check_event(void *body, size_t size)
{
    struct event *event = body;
    (void)size;
    MESSAGE_TEXT(event->stage);
    MESSAGE_TEXT(event->schema);
    MESSAGE_TEXT(event->sha256);
    MESSAGE_TEXT(event->model);
    message_bool(&event->review);
    int *const count[] = {&event->page,      &event->n_page,
                          &event->n_kept,    &event->n_read,
                          &event->n_warning, &event->n_prompt_tokens,
                          &event->n_sampled, &event->n_forced};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        message_count(count[i], INT_MAX);
    if (!document_is_stage(event->stage)) *event->stage = '\0';
    message_count(&event->n_cost, EVENT_COSTS);
    for (int i = 0; i < event->n_cost; i++) {
        MESSAGE_TEXT(event->cost[i].stage);
        message_seconds(&event->cost[i].seconds);
        if (!document_is_stage(event->cost[i].stage)) event->n_cost = i;
    }
    if (event->n_kept > event->n_page) event->n_kept = event->n_page;
    return true;
}

static bool check_outcome(void *body, size_t size)
{
    struct reader_outcome *o = body;
    MESSAGE_TEXT(o->archive_number);
    MESSAGE_TEXT(o->warning);
    MESSAGE_TEXT(o->schema);
    message_bool(&o->is_stack);
    message_count(&o->n_try, INT_MAX);
    o->dialect &= ENDPOINT_DIALECT;
    o->kind.name = NULL;
    return check_event(&o->event, size) && o->n_part >= 0;
}

static bool check_part(void *body, size_t size)
{
    struct spool_part *part = body;
    (void)size;
    MESSAGE_TEXT(part->pages);
    MESSAGE_TEXT(part->schema);
    MESSAGE_TEXT(part->archive_number);
    MESSAGE_TEXT(part->warning);
    MESSAGE_TEXT(part->attachment);
    MESSAGE_TEXT(part->unread);
    MESSAGE_TEXT(part->mail_from);
    MESSAGE_TEXT(part->mail_date);
    MESSAGE_TEXT(part->mail_id);
    MESSAGE_TEXT(part->mail_subject);
    MESSAGE_TEXT(part->mail_attachments);
    MESSAGE_TEXT(part->sha256);
    MESSAGE_TEXT(part->ending);
    message_bool(&part->is_attachment);
    message_bool(&part->is_mail);
    message_bool(&part->attachments_read);
    return part->bytes >= 0 &&
           strspn(part->ending, "abcdefghijklmnopqrstuvwxyz0123456789") ==
               strlen(part->ending);
}

static const struct message_type told[N_MESSAGE] = {
    [0] = {.least = 1},
    [MESSAGE_PROGRESS] = {sizeof(struct event), sizeof(struct event), 0,
                          check_event},
    [MESSAGE_ROWS] = {.most = 0},
    [MESSAGE_WORDS] = {.least = 1, .most = EXAMPLES_WORDS_MOST},
    [MESSAGE_SOME_WORDS] = {.least = 1, .most = EXAMPLES_WORDS_MOST},
    [MESSAGE_OUTCOME] = {sizeof(struct reader_outcome),
                         sizeof(struct reader_outcome), 0, check_outcome},
    [MESSAGE_PART] = {sizeof(struct spool_part), sizeof(struct spool_part), 0,
                      check_part},
    [MESSAGE_TEXT] = {.least = 1, .most = MESSAGE_CHUNK},
    [MESSAGE_PRINTED] = {sizeof(struct reason_message),
                         sizeof(struct reason_message), 0, NULL}};

/* --- the caller's side --------------------------------------------------------- */

struct reader {
    const struct reader_task *task;
    struct process process;
    struct message in;  /* received last */
    int64_t part_bytes; /* of all attached files so far */
    int n_file;
    int n_page, n_kept; /* as told so far: they only grow */
    bool has_asked;     /* for examples */
    double deadline;
};

/* A document has document_timeout from its start, or from its last page that is
 * kept. It has at most max_pages, and a page is kept once. */
static void renew_deadline(struct reader *r)
{
    r->deadline = clock_seconds() + r->task->settings->document_timeout_s;
}

struct reader *reader_start(const struct reader_task *task, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct reader *r = mem_alloc(1, sizeof *r);
    r->task = task;
    renew_deadline(r);
    process_start(
        &r->process,
        &(struct process_options){.name = "platen-reader",
                                  .called = "the process that read it",
                                  .run = run_process,
                                  .arg = (void *)(uintptr_t)task,
                                  .confined = true},
        err);
    if (!err_failed(err)) return r;
    mem_free(r);
    return NULL;
}

void reader_end(struct reader *r)
{
    if (!r) return;
    process_end(&r->process);
    mem_free(r);
}

static void broke_protocol(struct reader *r, struct err *err)
{
    process_end(&r->process);
    if (!err_failed(err))
        err_reason(err, ERR_CHILD, "internal",
                   "the process that read it broke its protocol");
}

/* Waits for the next message. FAIL: as process_receive. */
static bool receive(struct reader *r, struct err *err)
{
    const struct message_types types = {told, N_MESSAGE};
    const struct process_wait wait = {.stop = r->task->stop,
                                      .arg = r->task->arg,
                                      .deadline = r->deadline,
                                      .seconds =
                                          r->task->settings->document_timeout_s,
                                      .key = "document_timeout"};
    return process_receive(&r->process, &types, &wait, &r->in, err);
}

static bool expect(struct reader *r, uint32_t type, struct err *err)
{
    if (!receive(r, err)) return false;
    if (r->in.type == type) return true;
    broke_protocol(r, err);
    return false;
}

/* Reports the progress. False: it says what cannot be. */
static bool take_progress(struct reader *r, const struct event *event)
{
    int n = event->n_page;
    if (n > r->task->settings->max_pages || (n && r->n_page && n != r->n_page))
        return false;
    if (n) r->n_page = n;
    if (event->n_kept > r->n_kept) {
        r->n_kept = event->n_kept;
        renew_deadline(r);
    }
    r->task->progress(r->task->arg, event);
    return true;
}

/* Sends a descriptor, or none, and closes it. */
static void send_file(struct reader *r, uint32_t what, int fd)
{
    /* if the reader has died, the next message tells */
    (void)message_send_fds(r->process.fd, what, nothing, &fd, fd >= 0);
    if (fd >= 0) close(fd);
}

static void send_rows(struct reader *r)
{
    send_file(r, ORDER_ROWS,
              r->task->open_rows ? r->task->open_rows(r->task->arg) : -1);
}

/* One that is taken over could ask for any sender's; once is enough for its own. */
static bool send_examples(struct reader *r)
{
    if (!r->task->find_examples || r->has_asked) return false;
    r->has_asked = true;
    send_file(r, ORDER_EXAMPLES,
              r->task->find_examples(r->task->arg,
                                     (struct span){r->in.body.text, r->in.size},
                                     r->in.type == MESSAGE_WORDS));
    return true;
}

/* What only the caller can know is nothing that a reader can report. */
static bool is_no_reason_of_a_reader(const struct err *err)
{
    static const char *const callers[] = {"cancelled", "killed",
                                          "still-written", "crash-loop"};
    if (err->kind == ERR_CANCELLED) return true;
    for (size_t i = 0; err->reason && i < sizeof callers / sizeof *callers; i++)
        if (!strcmp(err->reason, callers[i])) return true;
    return false;
}

static void take_reason(struct reader *r, const void *message, struct err *err)
{
    reason_unpack(message, err);
    if (!is_no_reason_of_a_reader(err)) return;
    *err = (struct err){0};
    broke_protocol(r, err);
}

/* A document that has more pages is refused, with their number. */
static void limit_pages(const struct reader *r, struct event *event)
{
    int most = r->task->settings->max_pages;
    if (event->n_page > most) event->n_page = most;
    if (event->n_kept > event->n_page) event->n_kept = event->n_page;
}

static int parts_most(const struct settings *s)
{
    return s->max_pages > SPLIT_FILES_MAX ? s->max_pages : SPLIT_FILES_MAX;
}

void reader_wait(struct reader *r, struct reader_outcome *outcome,
                 struct err *err)
{
    const void *body = &r->in.body;
    if (err_failed(err)) return;
    *outcome = (struct reader_outcome){.n_try = 0};
    while (receive(r, err) && r->in.type != MESSAGE_OUTCOME) {
        bool sound = true;
        switch (r->in.type) {
        case MESSAGE_ROWS: send_rows(r); break;
        case MESSAGE_PROGRESS: sound = take_progress(r, body); break;
        case MESSAGE_WORDS:
        case MESSAGE_SOME_WORDS: sound = send_examples(r); break;
        default: sound = false;
        }
        if (!sound) broke_protocol(r, err);
    }
    if (err_failed(err)) return;
    memcpy(outcome, body, sizeof *outcome);
    outcome->kind.name = outcome->schema;
    limit_pages(r, &outcome->event);
    if (outcome->n_part > parts_most(r->task->settings)) broke_protocol(r, err);
    take_reason(r, &outcome->err, err);
}

static void ignore_progress(void *arg, const struct event *event)
{
    (void)arg;
    (void)event;
}

void reader_test_engine(const struct settings *settings, struct engine *engine,
                        bool (*stop)(void *arg), void *arg, struct err *err)
{
    struct reader_outcome found = {.n_try = 0};
    const struct reader_task task = {.goal = READER_TEST,
                                     .settings = settings,
                                     .id = "",
                                     .name = "",
                                     .document = -1,
                                     .archive_number = "",
                                     .warning = "",
                                     .engine = engine,
                                     .progress = ignore_progress,
                                     .stop = stop,
                                     .arg = arg};
    if (err_failed(err)) return;
    struct reader *r = reader_start(&task, err);
    if (r) reader_wait(r, &found, err);
    reader_end(r);
    engine->dialect |= found.dialect;
}

void reader_learn_dialect(const struct reader_task *task, unsigned dialect)
{
    struct err none = {0};
    if (task->engine && dialect & ~task->engine->dialect)
        reader_test_engine(task->settings, task->engine, task->stop, task->arg,
                           &none);
}

void reader_next_part(struct reader *r, struct spool_part *part,
                      struct err *err)
{
    if (err_failed(err)) return;
    *part = (struct spool_part){.number = 0};
    if (!expect(r, MESSAGE_PART, err)) return;
    memcpy(part, &r->in.body, sizeof *part);
    int64_t most = r->task->settings->max_document_bytes - r->part_bytes;
    r->n_file += part->is_attachment;
    if (part->bytes > most || r->n_file > SPLIT_FILES_MAX)
        broke_protocol(r, err);
    if (!err_failed(err)) r->part_bytes += part->bytes;
}

void reader_part_bytes(struct reader *r, const struct spool_part *part,
                       struct buf *out, struct err *err)
{
    int64_t left = err_failed(err) ? 0 : part->bytes;
    while (left > 0 && expect(r, MESSAGE_TEXT, err)) {
        if (r->in.size > left) {
            broke_protocol(r, err);
            return;
        }
        buf_add(out, r->in.body.text, r->in.size);
        left -= r->in.size;
    }
}

void reader_print(struct reader *r, int what, struct buf *out, struct err *err)
{
    const int32_t which = what;
    const struct span body = {(const char *)&which, sizeof which};
    if (err_failed(err)) return;
    renew_deadline(r);
    /* if the reader has died, the next message tells */
    (void)message_send(r->process.fd, ORDER_PRINT, body, nothing);
    while (receive(r, err) && r->in.type == MESSAGE_TEXT)
        buf_add(out, r->in.body.text, r->in.size);
    if (err_failed(err)) return;
    if (r->in.type != MESSAGE_PRINTED)
        broke_protocol(r, err);
    else
        take_reason(r, &r->in.body, err);
}
