/* reader.c - see reader.h: first the process, then the caller's side. */
#define _GNU_SOURCE 1
#include "pipeline/reader/reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/process/confined.h"
#include "pipeline/process/document_sandbox.h"
#include "pipeline/spool/spool_part.h"
#include "stages/ask/classify.h"
#include "stages/confidence/confidence.h"
#include "stages/engine/endpoint_dialect.h"
#include "stages/engine/engine.h"
#include "stages/input/split.h"
#include "stages/record/record.h"
#include "stages/searchable/searchable.h"
#include "stages/stage.h"
#include "stages/version.h"
#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/fd_pass.h"
#include "vlm/json/json.h"

/* --- messages ------------------------------------------------------------- */

enum { CHUNK = 64 << 10 };

enum message_type {
    MESSAGE_PROGRESS = 1, /* struct event */
    MESSAGE_ROWS,         /* nothing: asks for the row file */
    MESSAGE_OUTCOME,      /* struct reader_outcome */
    MESSAGE_PART,         /* struct spool_part */
    MESSAGE_TEXT,         /* bytes of a record, or of an attached file */
    MESSAGE_PRINTED       /* struct reason_message: the record is complete */
};

struct reader_message {
    uint32_t type, size; /* enum message_type, bytes of the rest */
    union {
        struct event event;
        struct reader_outcome outcome;
        struct spool_part part;
        struct reason_message reason;
        char text[CHUNK];
    } of;
};

enum order_type { ORDER_ROWS = 1, ORDER_PRINT };

struct order {
    int32_t type; /* enum order_type; ROWS: with the descriptor, if any */
    int32_t what; /* PRINT: enum reader_print */
};

static const size_t head_size = offsetof(struct reader_message, of);

/* --- the process ------------------------------------------------------------ */

struct process {
    const struct reader_task *task;
    int fd; /* to the caller */
    struct settings settings;
    struct run_context context;
    struct calibration fit;
    struct document *doc;
    struct split split;
    struct reader_outcome outcome;
    struct reader_message *out; /* long, and a stack can be short */
    struct err *err;
};

/* Sends a message; without a caller there is nobody to work for. */
static void send_message(const struct process *p, enum message_type type,
                         size_t size)
{
    p->out->type = (uint32_t)type;
    p->out->size = (uint32_t)size;
    if (!fd_pass_send(p->fd, p->out, head_size + size, NULL, 0))
        _exit(EXIT_OTHER);
}

static struct order await_order(const struct process *p, int *fd)
{
    struct order order;
    int n_fd = 0;
    *fd = -1;
    if (!fd_pass_receive_some(p->fd, &order, sizeof order, fd, 1, &n_fd))
        _exit(EXIT_OK); /* the caller needs no more */
    return order;
}

static void send_progress(struct process *p, const char *stage)
{
    struct event *event = &p->outcome.event;
    event_cut(event->stage, sizeof event->stage, stage);
    p->out->of.event = *event;
    send_message(p, MESSAGE_PROGRESS, sizeof p->out->of.event);
}

static void on_progress(void *arg, const struct document *doc, int page)
{
    struct process *p = arg;
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
    struct process *p = arg;
    int fd;
    send_message(p, MESSAGE_ROWS, 0);
    struct order order = await_order(p, &fd);
    if (order.type != ORDER_ROWS) _exit(EXIT_OTHER);
    return fd;
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

/* For a part: its place in the stack and pages. */
static void set_part(struct process *p, struct document *doc)
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

static void classify(struct process *p)
{
    struct reader_outcome *out = &p->outcome;
    out->kind = classify_choose(p->doc, &p->context, p->task->choices, p->err);
    if (!out->kind.name) return;
    snprintf(out->schema, sizeof out->schema, "%s", out->kind.name);
    out->kind.name = NULL;
}

static void read_document(struct process *p)
{
    const struct reader_task *task = p->task;
    if (task->kind) classify_note(p->doc, task->kind);
    p->doc->stage = "extract";
    p->doc->schema = task->schema;
    p->doc->prompt = task->prompt;
    stage_run(p->doc, &p->context, p->err);
    /* after a crash the pages of a long document that were kept are not read
     * again */
    bool has_pages = !document_is_xml_invoice(p->doc);
    if (p->doc->want_kept_words && has_pages && !err_failed(p->err))
        searchable_read(p->doc, &p->settings, NULL, p->err);
}

static void find_parts(struct process *p)
{
    const struct jail_stop never = {NULL, NULL};
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

static void fill_outcome(struct process *p)
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

static void send_bytes(const struct process *p, enum message_type type,
                       struct span bytes)
{
    for (size_t at = 0, n; at < bytes.size; at += n) {
        n = bytes.size - at < CHUNK ? bytes.size - at : CHUNK;
        memcpy(p->out->of.text, bytes.data + at, n);
        send_message(p, type, n);
    }
}

static void set_mail(struct spool_part *to, const struct document_mail *mail)
{
    to->is_mail = true;
    snprintf(to->mail_from, sizeof to->mail_from, "%s", mail->from);
    snprintf(to->mail_date, sizeof to->mail_date, "%s", mail->date);
    snprintf(to->mail_id, sizeof to->mail_id, "%s", mail->message_id);
    snprintf(to->mail_subject, sizeof to->mail_subject, "%s", mail->subject);
}

static void set_attachment(struct spool_part *to, const struct split_part *from)
{
    to->is_attachment = true;
    to->bytes = (int64_t)from->bytes.size;
    snprintf(to->ending, sizeof to->ending, "%s", from->ending);
    snprintf(to->attachment, sizeof to->attachment, "%s", from->attachment);
    snprintf(to->sha256, sizeof to->sha256, "%s", from->sha256.hex);
}

static void send_parts(const struct process *p)
{
    for (int i = 0; i < p->outcome.n_part; i++) {
        const struct split_part *from = &p->split.part[i];
        struct spool_part *to = &p->out->of.part;
        *to = (struct spool_part){.number = i + 1, .count = p->split.n_part};
        snprintf(to->pages, sizeof to->pages, "%s", from->pages);
        snprintf(to->schema, sizeof to->schema, "%s", from->schema);
        snprintf(to->archive_number, sizeof to->archive_number, "%s",
                 from->archive_number);
        snprintf(to->warning, sizeof to->warning, "%s", from->warning);
        if (from->attachment) set_attachment(to, from);
        if (!i) snprintf(to->unread, sizeof to->unread, "%s", p->split.unread);
        to->attachments_read = !from->attachment && p->split.n_attached;
        if (p->doc->mail) set_mail(to, p->doc->mail);
        send_message(p, MESSAGE_PART, sizeof *to);
        send_bytes(p, MESSAGE_TEXT, from->bytes);
    }
}

/* --- printing -------------------------------------------------------------- */

static void send_text(void *arg, struct span bytes)
{
    send_bytes(arg, MESSAGE_TEXT, bytes);
}

static cJSON *list_sheets(const struct split *split)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < split->n_sheet; i++) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddItemToObject(o, "page",
                              json_new_integer(split->sheet[i].page));
        cJSON_AddStringToObject(o, "code", split->sheet[i].text);
        cJSON_AddItemToObject(o, "marks",
                              json_new_integer(split->sheet[i].marks));
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
    char created[21];
    clock_utc_text(created);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "format", RECORD_STACK_FORMAT);
    cJSON_AddStringToObject(o, "id", doc->id);
    cJSON_AddStringToObject(o, "created", created);
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

/* A PDF that libqpdf cannot change costs only the searchable PDF. */
static void print_pdf(struct process *p, struct buf *out, struct err *err)
{
    searchable_pdf(p->doc, &p->settings, out, err);
    if (err->kind != ERR_INPUT && err->kind != ERR_UNSUPPORTED &&
        err->kind != ERR_LIMIT)
        return;
    document_warn(
        p->doc,
        &(struct warning){.code = WARN_NOT_SEARCHABLE, .page = err->page},
        "no searchable PDF: %s", err->text);
    *err = (struct err){0};
}

/* A document without pages has none of these files. */
static void print_words(struct process *p, int what, struct buf *out,
                        struct err *err)
{
    if (document_is_xml_invoice(p->doc)) return;
    if (what == READER_PDF)
        print_pdf(p, out, err);
    else if (what == READER_HOCR)
        searchable_hocr(p->doc, out);
    else
        searchable_alto(p->doc, out);
}

enum reader_print reader_print_of(unsigned format)
{
    return format == FORMAT_XML    ? READER_XML
           : format == FORMAT_PDF  ? READER_PDF
           : format == FORMAT_HOCR ? READER_HOCR
           : format == FORMAT_ALTO ? READER_ALTO
                                   : READER_JSON;
}

static void print_part_of(struct process *p, int what, struct buf *out,
                          struct err *err)
{
    const struct reader_task *task = p->task;
    if (what == READER_WARNINGS)
        warnings_print_text(p->doc->warnings, out);
    else if (what >= READER_OWN && task->print)
        task->print(p->doc, what, out);
    else if (task->goal == READER_SPLIT)
        print_stack(p->doc, &p->split, out);
    else if (what == READER_PDF || what == READER_HOCR || what == READER_ALTO)
        print_words(p, what, out, err);
    else if (what == READER_XML)
        record_xml(p->doc, engine_facts_for(task->engine, p->doc), out, err);
    else
        record_json(p->doc, engine_facts_for(task->engine, p->doc),
                    what == READER_JSON_LINE ? 0 : 2, out, err);
}

static void print_and_send(struct process *p, int what)
{
    struct err err = {0};
    bool whole =
        what == READER_PDF || what == READER_HOCR || what == READER_ALTO;
    size_t most = whole ? settings_whole_bytes(&p->settings)
                        : (size_t)p->settings.max_record_bytes;
    struct buf out = buf_drained(most, send_text, p);
    print_part_of(p, what, &out, &err);
    buf_flush(&out);
    if (out.full && !err_failed(&err))
        err_reason(&err, ERR_LIMIT, "too-large",
                   "the record is longer than %zu bytes (max_record_bytes)",
                   most);
    buf_free(&out);
    reason_pack(&err, &p->out->of.reason);
    send_message(p, MESSAGE_PRINTED, sizeof p->out->of.reason);
}

static void work(struct process *p)
{
    switch (p->task->goal) {
    case READER_SPLIT: find_parts(p); break;
    case READER_CLASSIFY: classify(p); break;
    case READER_READ: read_document(p); break;
    case READER_TEST: engine_test(p->task->engine, p->err); break;
    }
}

/* All that is needed from files is read before the sandbox is entered. */
static void open_process(struct process *p)
{
    const struct reader_task *task = p->task;
    p->settings = *task->settings;
    if (task->schema)
        p->fit = stage_calibration(&p->settings, task->engine, task->schema);
    p->context = (struct run_context){.settings = &p->settings,
                                      .engine = task->engine,
                                      .progress = on_progress,
                                      .progress_arg = p,
                                      .open_row_file = get_rows,
                                      .calibration = &p->fit};
    p->doc = document_new(task->id, task->name, task->document);
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
    struct process p = {
        .task = arg, .fd = fd, .out = mem_alloc(1, sizeof *p.out), .err = &err};
    open_process(&p);
    if (p.task->part && !err_failed(&err)) set_part(&p, p.doc);
    if (!err_failed(&err)) work(&p);
    fill_outcome(&p);
    p.out->of.outcome = p.outcome;
    send_message(&p, MESSAGE_OUTCOME, sizeof p.out->of.outcome);
    send_parts(&p);
    for (int none;;) {
        struct order order = await_order(&p, &none);
        if (order.type != ORDER_PRINT) _exit(EXIT_OTHER);
        print_and_send(&p, order.what);
    }
}

/* --- the caller's side ------------------------------------------------------- */

struct reader {
    const struct reader_task *task;
    struct confined process;
    struct reader_message in; /* the message received last */
    int64_t part_bytes;       /* of all attached files so far */
};

struct reader *reader_start(const struct reader_task *task, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct reader *r = mem_alloc(1, sizeof *r);
    r->task = task;
    confined_start(&r->process, "platen-reader", run_process,
                   (void *)(uintptr_t)task, err);
    if (!err_failed(err)) return r;
    mem_free(r);
    return NULL;
}

void reader_end(struct reader *r)
{
    if (!r) return;
    confined_end(&r->process);
    mem_free(r);
}

static void broke_protocol(struct err *err)
{
    if (!err_failed(err))
        err_reason(err, ERR_CHILD, "internal",
                   "the process that read it broke its protocol");
}

static void report_death(struct reader *r)
{
    if (!r->process.pid && r->task->died)
        r->task->died(r->task->arg, r->process.status);
}

/* Waits for the next message. FAIL: ERR_CANCELLED; a broken protocol. */
static bool receive(struct reader *r, struct err *err)
{
    const struct confined_stop stop = {r->task->stop, r->task->arg};
    if (err_failed(err)) return false;
    size_t n = confined_receive(&r->process, &r->in, sizeof r->in, &stop, err);
    report_death(r);
    if (err_failed(err)) return false;
    if (n >= head_size && n == head_size + r->in.size) return true;
    broke_protocol(err);
    return false;
}

static bool expect(struct reader *r, enum message_type type, size_t size,
                   struct err *err)
{
    if (!receive(r, err)) return false;
    if (r->in.type == (uint32_t)type && r->in.size == size) return true;
    broke_protocol(err);
    return false;
}

#define CLEAN(text) ((text)[sizeof(text) - 1] = '\0', reason_clean(text))

static void make_sound(struct event *event)
{
    CLEAN(event->stage);
    CLEAN(event->schema);
    CLEAN(event->sha256);
    CLEAN(event->model);
    int *const count[] = {&event->page,      &event->n_page,
                          &event->n_kept,    &event->n_read,
                          &event->n_warning, &event->n_prompt_tokens,
                          &event->n_sampled, &event->n_forced};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        if (*count[i] < 0) *count[i] = 0;
    if (event->n_cost < 0 || event->n_cost > EVENT_COSTS) event->n_cost = 0;
    for (int i = 0; i < event->n_cost; i++)
        CLEAN(event->cost[i].stage);
}

static void send_rows(struct reader *r)
{
    const struct order order = {.type = ORDER_ROWS};
    int fd = r->task->open_rows ? r->task->open_rows(r->task->arg) : -1;
    /* if the reader has died, the next message tells */
    (void)fd_pass_send(r->process.fd, &order, sizeof order, &fd, fd >= 0);
    if (fd >= 0) close(fd);
}

void reader_wait(struct reader *r, struct reader_outcome *outcome,
                 struct err *err)
{
    if (err_failed(err)) return;
    *outcome = (struct reader_outcome){.n_try = 0};
    while (receive(r, err)) {
        const struct reader_message *m = &r->in;
        if (m->type == MESSAGE_PROGRESS && m->size == sizeof m->of.event) {
            make_sound(&r->in.of.event);
            r->task->progress(r->task->arg, &m->of.event);
        } else if (m->type == MESSAGE_ROWS && m->size == 0) {
            send_rows(r);
        } else if (m->type == MESSAGE_OUTCOME &&
                   m->size == sizeof m->of.outcome) {
            break;
        } else {
            broke_protocol(err);
        }
    }
    if (err_failed(err)) return;
    *outcome = r->in.of.outcome;
    make_sound(&outcome->event);
    CLEAN(outcome->archive_number);
    CLEAN(outcome->warning);
    CLEAN(outcome->schema);
    outcome->kind.name = outcome->schema;
    if (r->task->engine)
        r->task->engine->dialect |= outcome->dialect & ENDPOINT_DIALECT;
    reason_unpack(&outcome->err, err);
    if (outcome->n_part < 0 || outcome->n_part > INT16_MAX) broke_protocol(err);
}

void reader_next_part(struct reader *r, struct spool_part *part,
                      struct err *err)
{
    if (err_failed(err)) return;
    *part = (struct spool_part){.number = 0};
    if (!expect(r, MESSAGE_PART, sizeof *part, err)) return;
    *part = r->in.of.part;
    CLEAN(part->pages);
    CLEAN(part->schema);
    CLEAN(part->archive_number);
    CLEAN(part->warning);
    CLEAN(part->attachment);
    CLEAN(part->unread);
    CLEAN(part->mail_from);
    CLEAN(part->mail_date);
    CLEAN(part->mail_id);
    CLEAN(part->mail_subject);
    CLEAN(part->sha256);
    CLEAN(part->ending);
    bool bad = strspn(part->ending, "abcdefghijklmnopqrstuvwxyz0123456789") !=
               strlen(part->ending);
    int64_t most = r->task->settings->max_document_bytes - r->part_bytes;
    if (bad || part->bytes < 0 || part->bytes > most) broke_protocol(err);
    if (!err_failed(err)) r->part_bytes += part->bytes;
}

void reader_part_bytes(struct reader *r, const struct spool_part *part,
                       struct buf *out, struct err *err)
{
    int64_t left = err_failed(err) ? 0 : part->bytes;
    while (left > 0 && receive(r, err)) {
        bool fits =
            r->in.type == MESSAGE_TEXT && r->in.size > 0 && r->in.size <= left;
        if (fits)
            buf_add(out, r->in.of.text, r->in.size);
        else
            broke_protocol(err);
        left = fits ? left - r->in.size : 0;
    }
}

void reader_print(struct reader *r, int what, struct buf *out, struct err *err)
{
    const struct order order = {.type = ORDER_PRINT, .what = what};
    if (err_failed(err)) return;
    /* if the reader has died, the next message tells */
    (void)fd_pass_send(r->process.fd, &order, sizeof order, NULL, 0);
    while (receive(r, err) && r->in.type == MESSAGE_TEXT)
        buf_add(out, r->in.of.text, r->in.size);
    if (err_failed(err)) return;
    if (r->in.type != MESSAGE_PRINTED || r->in.size != sizeof r->in.of.reason)
        broke_protocol(err);
    else
        reason_unpack(&r->in.of.reason, err);
}
