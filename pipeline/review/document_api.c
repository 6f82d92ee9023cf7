/* document_api.c - see document_api.h: schemas, and answering with a
 * document. */
#include "pipeline/review/document_api.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <microhttpd.h>

#include "pipeline/spool/corrected_record.h"
#include "pipeline/spool/corrections.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/event.h"
#include "pipeline/spool/spool_part.h"
#include "stages/ask/schema_names.h"
#include "stages/confidence/checks.h"
#include "stages/document/reason.h"
#include "stages/document/version.h"
#include "stages/record/correct.h"
#include "stages/record/record.h"
#include "stages/record/record_format.h"
#include "stages/record/review_items.h"
#include "stages/stages.h"
#include "vlm/base/clock.h"
#include "vlm/base/suggest.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

/* --- document api correct -------------------------------------------------- */

/* Corrections of a record: checked and stored. */

enum { CHANGES_MAX = 5000 };

/* A request to correct a record. */
struct proposal {
    struct document_api *api;
    const cJSON *body;
    struct folder folder;
    struct corrections stored; /* review.jsonl so far */
    cJSON *record;             /* with the stored corrections */
    cJSON *data;               /* with the proposed changes as well */
    cJSON *lines;              /* to append to review.jsonl */
    bool *skip;                /* stored lines that are undone */
    struct request_reply *answer;
    bool refused;
};

static void add_value(struct buf *out, const char *key, const cJSON *value)
{
    buf_print(out, ",\"%s\":", key);
    if (value)
        json_print(out, value, 0);
    else
        buf_add_text(out, "null");
}

/* --- conflicts --- */

static void refuse_conflict(struct proposal *s, const cJSON *line,
                            const char *what)
{
    struct request_reply *a = s->answer;
    const cJSON *now = json_pointer_find(json_get(s->record, "data"), what);
    request_refuse(a, MHD_HTTP_CONFLICT, "changed", "confirmed by another");
    buf_cut(&a->text, a->text.size - 1);
    buf_print(&a->text, ",\"version\":%d", cJSON_GetArraySize(s->stored.line));
    json_print_member(&a->text, "pointer", what);
    json_print_member(&a->text, "who", json_get_text_or_empty(line, "who"));
    json_print_member(&a->text, "when", json_get_text_or_empty(line, "when"));
    add_value(&a->text, "value", now);
    buf_add_text(&a->text, "}");
    s->refused = true;
}

/* Refuses the change if a line after the user's version concerns the same
 * value, even if it was undone: the user saw another record. */
static void check_conflict(struct proposal *s, const char *pointer, bool moves)
{
    const cJSON *known = json_get(s->body, "version"), *line = NULL;
    int version = cJSON_IsNumber(known) ? known->valueint : 0, i = 0;
    cJSON_ArrayForEach(line, s->stored.line)
    {
        if (i++ < version || s->refused) continue;
        if (correct_meets(line, pointer, moves))
            refuse_conflict(s, line, pointer);
    }
}

/* --- changes --- */

static void refuse_proposal(struct proposal *s, unsigned status,
                            const char *code, const char *text)
{
    if (!s->refused) request_refuse(s->answer, status, code, "%s", text);
    s->refused = true;
}

static void refuse_body(struct proposal *s, const char *text)
{
    refuse_proposal(s, MHD_HTTP_BAD_REQUEST, "bad-request", text);
}

static cJSON *new_line(struct proposal *s, const char *pointer)
{
    char when[21];
    cJSON *line = cJSON_CreateObject();
    clock_utc_text(when);
    cJSON_AddStringToObject(line, "pointer", pointer);
    cJSON_AddStringToObject(line, "who", s->api->who);
    cJSON_AddStringToObject(line, "when", when);
    cJSON_AddItemToArray(s->lines, line);
    return line;
}

static void add_copy(cJSON *line, const char *key, const cJSON *value)
{
    if (value) cJSON_AddItemToObject(line, key, cJSON_Duplicate(value, true));
}

static bool is_box(const cJSON *page, const cJSON *box)
{
    const cJSON *n = NULL;
    if (!cJSON_IsNumber(page) || page->valueint < 1 || !cJSON_IsArray(box) ||
        cJSON_GetArraySize(box) != 4)
        return false;
    cJSON_ArrayForEach(n, box)
    {
        if (!cJSON_IsNumber(n) || n->valuedouble < 0 || n->valuedouble > 1)
            return false;
    }
    return true;
}

/* A part of a stack has its own pages. A record that was filled in by hand has
 * no pages; any is accepted. */
static bool has_page(const cJSON *record, int page)
{
    const cJSON *pages = json_get(record, "pages"), *one = NULL;
    cJSON_ArrayForEach(one, pages)
    {
        const cJSON *number = json_get(one, "number");
        if (cJSON_IsNumber(number) && number->valueint == page) return true;
    }
    return !cJSON_GetArraySize(pages);
}

static void add_place(struct proposal *s, cJSON *line, const cJSON *change)
{
    const cJSON *page = json_get(change, "page"),
                *box = json_get(change, "box");
    bool none = !box || cJSON_IsNull(box);
    if (none && (!page || cJSON_IsNumber(page))) {
        cJSON_AddNullToObject(line, "box");
        return;
    }
    if (none || !is_box(page, box) || !has_page(s->record, page->valueint)) {
        refuse_body(s,
                    "a box must be four numbers from 0 to 1 and a page of the "
                    "document");
        return;
    }
    json_add_integer(line, "page", page->valueint);
    add_copy(line, "box", box);
}

static bool is_flag(const cJSON *o, const char *key)
{
    const cJSON *value = json_get(o, key);
    return !value || cJSON_IsBool(value);
}

/* Applies a change to the data, and adds its line; `old` is the present
 * value. */
static void apply_change(struct proposal *s, const cJSON *change)
{
    struct err err = {0};
    const char *pointer = json_get_text(change, "pointer");
    bool insert = cJSON_IsTrue(json_get(change, "insert"));
    bool remove = cJSON_IsTrue(json_get(change, "remove"));
    if (!pointer || *pointer != '/' || (!remove && !json_get(change, "new")) ||
        !is_flag(change, "insert") || !is_flag(change, "remove")) {
        refuse_body(s, "a change must have a pointer and a new value");
        return;
    }
    check_conflict(s, pointer, insert || remove);
    if (s->refused) return;
    cJSON *line = new_line(s, pointer);
    if (!insert) add_copy(line, "old", json_pointer_find(s->data, pointer));
    if (!remove) add_copy(line, "new", json_get(change, "new"));
    add_place(s, line, change);
    correct_data(&s->data, line, &err);
    if (err_failed(&err)) refuse_body(s, err.text);
}

static void apply_undo(struct proposal *s, int from)
{
    const cJSON *line = cJSON_GetArrayItem(s->stored.line, from), *after = line;
    if (from < 0 || !line || s->skip[from]) {
        refuse_body(s, "there is nothing to undo");
        return;
    }
    const char *pointer = json_get_text(line, "pointer");
    while (cJSON_IsTrue(json_get(after, "more")))
        after = after->next;
    int i = from + 1;
    for (const cJSON *l = line->next; l; l = l->next, i++) {
        bool own = l == after || cJSON_IsTrue(json_get(l->prev, "more"));
        if (!own && !s->skip[i] && !json_get(l, "code") &&
            correct_meets(l, pointer, true) && !s->refused)
            refuse_conflict(s, l, pointer);
    }
    cJSON *undo = new_line(s, pointer);
    json_add_integer(undo, "undo", from);
    add_copy(undo, "old", json_get(line, "new"));
    add_copy(undo, "new", json_get(line, "old"));
}

static void apply_request(struct proposal *s)
{
    const cJSON *changes = json_get(s->body, "changes"), *change = NULL;
    const cJSON *undo = json_get(s->body, "undo");
    if (cJSON_IsTrue(json_get(s->body, "looked"))) {
        check_conflict(s, "", false);
        if (!s->refused) new_line(s, "");
    } else if (undo) {
        apply_undo(s, cJSON_IsNumber(undo) ? undo->valueint : -1);
    } else if (!cJSON_IsArray(changes) || !changes->child ||
               cJSON_GetArraySize(changes) > CHANGES_MAX) {
        refuse_body(s, "the request must have changes, undo or looked");
    } else {
        cJSON_ArrayForEach(change, changes)
        {
            if (!s->refused) apply_change(s, change);
        }
    }
}

/* After an undo: computes the data again from all lines. */
static void recompute_data(struct proposal *s)
{
    struct err err = {0};
    const cJSON *line = s->lines->child;
    if (!json_get(line, "undo")) return;
    cJSON *all = cJSON_Duplicate(s->stored.line, true);
    cJSON_AddItemToArray(all, cJSON_Duplicate(line, true));
    cJSON *record = document_api_record(s->api, s->folder.fd, all, &err);
    cJSON_Delete(s->data);
    s->data = cJSON_DetachItemFromObjectCaseSensitive(record, "data");
    if (err_failed(&err) || !s->data) refuse_body(s, err.text);
    cJSON_Delete(record);
    cJSON_Delete(all);
}

/* --- checks --- */

static void add_broken(void *arg, const struct checks_broken *broken)
{
    struct buf *out = arg;
    buf_add_text(out, out->data[out->size - 1] == '[' ? "{\"pointer\":"
                                                      : ",{\"pointer\":");
    json_print_string(out, span_of(broken->pointer));
    json_print_member(out, "text", broken->text);
    buf_add_text(out, "}");
}

static void add_broken_list(const struct schema *schema, const cJSON *data,
                            struct buf *out)
{
    struct err err = {0};
    buf_add_text(out, ",\"broken\":[");
    struct checks *checks = checks_new(schema, &err);
    checks_run(checks, data, NULL, add_broken, out);
    checks_free(checks);
    buf_add_text(out, "]");
}

/* If the schema does not allow the data, `a` is refused with the findings. */
static bool is_valid(const struct schema *schema, const cJSON *data,
                     struct request_reply *a)
{
    struct arena *arena = arena_new();
    struct findings found = {0};
    struct err err = {0};
    bool valid = schema_validate(schema, data, arena, &found, &err);
    if (!valid && err_failed(&err)) {
        request_refuse(a, MHD_HTTP_UNPROCESSABLE_CONTENT, "not-valid", "%s",
                       err.text);
    } else if (!valid) {
        request_refuse(a, MHD_HTTP_UNPROCESSABLE_CONTENT, "not-valid",
                       "the schema does not allow this value");
        buf_cut(&a->text, a->text.size - 1);
        buf_add_text(&a->text, ",\"findings\":[");
        for (int i = 0; i < found.n_finding && i < 20; i++) {
            buf_add_text(&a->text, i ? ",{\"pointer\":" : "{\"pointer\":");
            json_print_string(&a->text, span_of(found.finding[i].instance));
            json_print_member(&a->text, "found", found.finding[i].found);
            json_print_member(&a->text, "wanted", found.finding[i].wanted);
            buf_add_text(&a->text, "}");
        }
        buf_add_text(&a->text, "]}");
    }
    arena_free(arena);
    return valid;
}

static void send_result(struct proposal *s, const struct schema *schema,
                        bool saved)
{
    int n = cJSON_GetArraySize(s->stored.line);
    buf_print(&s->answer->text, "{\"line\":%d,\"version\":%d", n,
              saved ? n + cJSON_GetArraySize(s->lines) : n);
    add_broken_list(schema, s->data, &s->answer->text);
    buf_add_text(&s->answer->text, "}");
    request_json(s->answer, MHD_HTTP_OK);
}

/* True on the first call for a document: this process has not written to it. */
static bool touch(struct document_api *p, const char *id)
{
    for (size_t i = 0; i < p->n_touched; i++)
        if (!strcmp(p->touched[i], id)) return false;
    event_cut(*MEM_ADD(p->touched, p->n_touched), SPOOL_ID_SIZE, id);
    return true;
}

static void store_lines(struct proposal *s)
{
    struct err err = {0};
    corrections_add(&s->folder, &s->stored, s->lines,
                    touch(s->api, s->folder.id), &err);
    if (err_failed(&err))
        refuse_proposal(s, MHD_HTTP_SERVICE_UNAVAILABLE, "disk", err.text);
    if (s->refused) return;
    request_changed(s->answer, s->folder.id);
}

/* --- the request --- */

/* Locks a folder of done/ (else of failed/) without waiting. False: `a` is
 * refused, with head.busy if another platen process holds the lock. */
static bool lock(struct document_api *p, const char *id, bool done,
                 struct folder *f, struct request_reply *a)
{
    struct err err = {0};
    enum spool_place place = done ? SPOOL_DONE : SPOOL_FAILED;
    bool locked = spool_lock(p->spool, place, id, f, &err);
    a->head.busy = !locked && !err_failed(&err) &&
                   spool_exists(p->spool->place[place], id);
    if (err_failed(&err))
        request_fail(a, MHD_HTTP_SERVICE_UNAVAILABLE, &err);
    else if (a->head.busy)
        request_refuse(a, MHD_HTTP_SERVICE_UNAVAILABLE, "busy",
                       "another platen process is using the document");
    else if (!locked)
        request_refuse(a, MHD_HTTP_NOT_FOUND, "not-found",
                       "the document is not in %s/", spool_place_name(place));
    return locked;
}

static void process_request(struct proposal *s, bool save)
{
    struct err err = {0};
    const char *why = NULL;
    corrections_read(s->folder.fd, &s->stored, &err);
    s->record = document_api_record(s->api, s->folder.fd, s->stored.line, &err);
    if (err_failed(&err)) {
        refuse_proposal(s, MHD_HTTP_UNPROCESSABLE_CONTENT, "unusable",
                        err.text);
        return;
    }
    const struct schema *schema = document_api_schema(
        s->api, json_get_text_or_empty(json_get(s->record, "schema"), "name"),
        &why);
    if (!schema) {
        refuse_proposal(s, MHD_HTTP_UNPROCESSABLE_CONTENT, "unknown-schema",
                        why);
        return;
    }
    s->skip = mem_alloc((size_t)cJSON_GetArraySize(s->stored.line) + 1, 1);
    correct_skip(s->stored.line, s->skip);
    s->data = cJSON_Duplicate(json_get(s->record, "data"), true);
    apply_request(s);
    if (!s->refused) recompute_data(s);
    if (!s->refused) s->refused = !is_valid(schema, s->data, s->answer);
    if (!s->refused && save) store_lines(s);
    if (!s->refused) send_result(s, schema, save);
}

void document_api_correct(struct document_api *p, const char *id,
                          const cJSON *body, bool save, struct request_reply *a)
{
    struct proposal s = {
        .api = p, .body = body, .lines = cJSON_CreateArray(), .answer = a};
    if (!cJSON_IsNumber(json_get(body, "version")))
        refuse_body(&s, "the request must have the version of the record");
    else if (lock(p, id, true, &s.folder, a)) {
        process_request(&s, save);
        spool_unlock(&s.folder);
    }
    corrections_free(&s.stored);
    cJSON_Delete(s.record);
    cJSON_Delete(s.data);
    cJSON_Delete(s.lines);
    mem_free(s.skip);
}

/* --- document api fill ----------------------------------------------------- */

static void add_zero(cJSON *o, const char *key)
{
    json_add_integer(o, key, 0);
}

/* A record without pages, model and fields. review.jsonl tells who entered the
 * data and when, and makes `person` the source of the values. */
static cJSON *record_by_hand(const struct document *doc,
                             const struct schema *schema, const cJSON *data)
{
    char created[21];
    cJSON *r = cJSON_CreateObject();
    clock_utc_text(created);
    cJSON_AddStringToObject(r, "format", RECORD_FORMAT);
    cJSON_AddStringToObject(r, "id", doc->id);
    cJSON_AddStringToObject(r, "created", created);
    cJSON_AddStringToObject(r, "verdict", "read");
    cJSON_AddFalseToObject(r, "review");
    cJSON_AddItemToObject(r, "source", record_source(doc));
    record_add_part(r, doc);
    cJSON_AddArrayToObject(r, "pages");
    cJSON *named = cJSON_AddObjectToObject(r, "schema");
    cJSON_AddStringToObject(named, "name", schema_name(schema));
    cJSON_AddStringToObject(named, "sha256", schema_hash(schema)->hex);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(r, "model"), "name", "");
    cJSON_AddStringToObject(r, "engine", "person");
    add_zero(r, "seed");
    add_zero(r, "attempts");
    cJSON_AddStringToObject(cJSON_AddObjectToObject(r, "versions"), "platen",
                            PLATEN_VERSION);
    cJSON *tokens = cJSON_AddObjectToObject(r, "tokens");
    add_zero(tokens, "prompt");
    add_zero(tokens, "sampled");
    add_zero(tokens, "forced");
    cJSON_AddObjectToObject(r, "seconds");
    cJSON_AddArrayToObject(r, "warnings");
    cJSON_AddObjectToObject(r, "fields");
    cJSON_AddItemToObject(r, "data", cJSON_Duplicate(data, true));
    return r;
}

static cJSON *line_by_hand(const struct document_api *p, const cJSON *data)
{
    char when[21];
    cJSON *list = cJSON_CreateArray(), *line = cJSON_CreateObject();
    clock_utc_text(when);
    cJSON_AddStringToObject(line, "pointer", "");
    cJSON_AddItemToObject(line, "new", cJSON_Duplicate(data, true));
    cJSON_AddStringToObject(line, "who", p->who);
    cJSON_AddStringToObject(line, "when", when);
    cJSON_AddItemToArray(list, line);
    return list;
}

/* Writes review.jsonl and record.json, then renames the folder. A crash before
 * the rename leaves a failed document, whose next retry removes both. */
static void store_record(struct document_api *p, struct folder *f,
                         const cJSON *record, const cJSON *data,
                         struct err *err)
{
    struct buf text = buf_limit(1 << 28);
    struct corrections none = {0};
    cJSON *lines = line_by_hand(p, data);
    json_print(&text, record, 2);
    buf_add_text(&text, "\n");
    if (text.full) err_set(err, ERR_LIMIT, "the record is too long");
    spool_remove(f, CORRECTIONS_FILE, err);
    corrections_add(f, &none, lines, false, err);
    spool_write(f, "record.json", buf_span(&text), err);
    spool_adopt(f, err);
    touch(p, f->id);
    cJSON_Delete(lines);
    buf_free(&text);
}

/* Sets the stack and its pages for the record of a part. */
static void set_part(struct document *doc, const struct spool_part *part)
{
    spool_part_describe(part, doc);
    if (*part->archive_number) doc->archive_number = part->archive_number;
}

static void answer_filled(const struct schema *schema, const cJSON *data,
                          int version, struct request_reply *a)
{
    buf_cut(&a->text, 0);
    buf_print(&a->text, "{\"line\":0,\"version\":%d", version);
    add_broken_list(schema, data, &a->text);
    buf_add_text(&a->text, "}");
    request_json(a, MHD_HTTP_OK);
}

static void fill_document(struct document_api *p, struct folder *f,
                          const struct request_source *source,
                          const struct schema *schema, const cJSON *data,
                          struct request_reply *a)
{
    struct err err = {0};
    struct document_folder_state state;
    struct spool_part part;
    document_folder_read(f->fd, f->id, &state);
    struct document *doc = document_new(f->id, state.name, -1);
    if (spool_part_read(f->fd, &part)) set_part(doc, &part);
    doc->type = (enum file_type)source->type;
    doc->size_bytes = source->bytes;
    snprintf(doc->sha256.hex, sizeof doc->sha256.hex, "%s", source->sha256);
    cJSON *record = record_by_hand(doc, schema, data);
    store_record(p, f, record, data, &err);
    cJSON_Delete(record);
    document_free(doc);
    if (err_failed(&err)) {
        request_fail(a,
                     err.kind == ERR_SYSTEM ? MHD_HTTP_SERVICE_UNAVAILABLE
                                            : MHD_HTTP_CONFLICT,
                     &err);
        return;
    }
    request_changed(a, f->id);
    answer_filled(schema, data, 1, a);
}

void document_api_fill(struct document_api *p, const char *id,
                       const cJSON *body, const struct request_source *source,
                       bool save, struct request_reply *a)
{
    struct folder f;
    struct document_folder_state state;
    const char *why = NULL;
    const cJSON *data = json_get(body, "data");
    if (!data)
        request_refuse(a, MHD_HTTP_BAD_REQUEST, "bad-request",
                       "the request must have data");
    if (!data || !lock(p, id, false, &f, a)) return;
    document_folder_read(f.fd, id, &state);
    const struct schema *schema = document_api_schema(
        p, *state.folder ? state.folder : p->config->default_schema, &why);
    if (!schema) {
        request_refuse(a, MHD_HTTP_UNPROCESSABLE_CONTENT, "unknown-schema",
                       "%s", why);
    } else if (is_valid(schema, data, a)) {
        a->head.asks = save && !*source->sha256;
        snprintf(a->head.id, sizeof a->head.id, "%s", id);
        if (!save)
            answer_filled(schema, data, 0, a);
        else if (!a->head.asks)
            fill_document(p, &f, source, schema, data, a);
    }
    spool_unlock(&f);
}

/* --- document api ---------------------------------------------------------- */

void document_api_open(struct document_api *p, struct spool *s,
                       const struct config *config)
{
    *p = (struct document_api){.spool = s, .config = config};
    char text[4096];
    struct passwd row, *found = NULL;
    if (getpwuid_r(getuid(), &row, text, sizeof text, &found) == 0 && found)
        event_cut(p->who, sizeof p->who, row.pw_name);
    else
        snprintf(p->who, sizeof p->who, "uid %ld", (long)getuid());
}

static void drop_schemas(struct document_api *p)
{
    for (int i = 0; i < p->n_schema; i++) {
        schema_free(p->schema[i].schema);
        arena_free(p->schema[i].arena);
    }
    p->n_schema = 0;
}

void document_api_close(struct document_api *p)
{
    drop_schemas(p);
    mem_free(p->touched);
}

const struct schema *document_api_schema(struct document_api *p,
                                         const char *name, const char **why)
{
    struct document_api_schema *s = p->schema;
    const struct document_api_schema *end = s + p->n_schema;
    while (s < end && strcmp(s->name, name) != 0)
        s++;
    if (s == end) {
        const char *prompt;
        struct run_context context = {.settings = &p->config->stage};
        if (p->n_schema == DOCUMENT_API_SCHEMAS) drop_schemas(p);
        s = &p->schema[p->n_schema++];
        *s = (struct document_api_schema){.arena = arena_new()};
        event_cut(s->name, sizeof s->name, name);
        s->schema =
            stages_load_schema(name, &context, s->arena, &prompt, &s->err);
    }
    *why = s->schema ? NULL : s->err.text;
    return s->schema;
}

cJSON *document_api_record(struct document_api *p, int folder_fd,
                           const cJSON *lines, struct err *err)
{
    if (err_failed(err)) return NULL;
    cJSON *record = spool_read_json(folder_fd, "record.json",
                                    (size_t)p->config->stage.max_record_bytes);
    record_check_format(record, err);
    if (!json_get(record, "data"))
        err_set(err, ERR_INPUT, "has no complete record.json with data");
    correct_apply(record, lines, p->config->stage.review_threshold, err);
    if (!err_failed(err)) return record;
    cJSON_Delete(record);
    return NULL;
}

/* --- one document --- */

static void add_doubts(struct buf *out, const cJSON *record,
                       const struct config *config)
{
    struct arena *arena = arena_new();
    struct review_items d;
    review_items_of(record, config->stage.review_threshold, arena, &d);
    buf_add_text(out, ",\"doubts\":[");
    for (int i = 0; i < d.n; i++) {
        const struct doubt *one = &d.doubt[i];
        buf_print(out, "%s{\"page\":%d,\"weight\":%.4f,\"why\":\"%s\"",
                  i ? "," : "", one->page, one->weight, one->why);
        json_print_member(out, "pointer", one->pointer);
        buf_add_text(out, "}");
    }
    buf_add_text(out, "]");
    arena_free(arena);
}

/* Has platen said something of the value after the line? Then it is open again. */
static bool is_questioned(const cJSON *line)
{
    const char *pointer = json_get_text_or_empty(line, "pointer");
    for (const cJSON *l = line; l; l = l->next)
        if (json_get(l, "code") &&
            !strcmp(json_get_text_or_empty(l, "pointer"), pointer))
            return true;
    return false;
}

/* The valid corrections, with user and time. */
static void add_corrections(struct buf *out, int folder_fd)
{
    struct corrections c;
    struct err err = {0};
    corrections_read(folder_fd, &c, &err);
    int n = cJSON_GetArraySize(c.line), i = 0;
    bool *skip = mem_alloc((size_t)n + 1, sizeof *skip), first = true;
    const cJSON *line = NULL;
    correct_skip(c.line, skip);
    buf_add_text(out, ",\"said\":[");
    cJSON_ArrayForEach(line, c.line)
    {
        if (skip[i++] || is_questioned(line)) continue;
        buf_print(out, "%s{\"line\":%d", first ? "" : ",", i - 1);
        json_print_member(out, "pointer", json_get_text(line, "pointer"));
        json_print_member(out, "who", json_get_text(line, "who"));
        json_print_member(out, "when", json_get_text(line, "when"));
        buf_add_text(out, "}");
        first = false;
    }
    buf_add_text(out, "]");
    mem_free(skip);
    corrections_free(&c);
}

static void add_schema(struct document_api *p, const char *name,
                       struct buf *out)
{
    const char *why;
    const struct schema *schema = document_api_schema(p, name, &why);
    json_print_member(out, "schema_name", name);
    add_value(out, "schema", schema ? schema_root(schema) : NULL);
    if (why) json_print_member(out, "fault", why);
}

static void add_name(struct buf *out, const char *bytes)
{
    struct buf name = buf_limit(4096);
    file_name_escape(bytes, &name);
    json_print_member(out, "name", buf_span(&name).data);
    buf_free(&name);
}

static void answer_done(struct document_api *p, int fd, struct request_reply *a)
{
    struct err err = {0};
    struct corrected_record_review review = {0};
    cJSON *record = corrected_record_record(fd, p->config, &review, &err);
    if (!record || json_get(record, "parts")) {
        request_refuse(a, MHD_HTTP_UNPROCESSABLE_CONTENT, "unusable", "%s",
                       record ? "this is a stack; its parts have the records"
                              : err.text);
    } else {
        buf_print(&a->text, ",\"version\":%d", review.n_line);
        add_doubts(&a->text, record, p->config);
        add_corrections(&a->text, fd);
        add_schema(p,
                   json_get_text_or_empty(json_get(record, "schema"), "name"),
                   &a->text);
        add_value(&a->text, "record", record);
        buf_add_text(&a->text, "}");
    }
    cJSON_Delete(record);
}

/* All schemas, and the one that was probably meant. */
static void add_schemas(const struct document_api *p, const char *name,
                        struct buf *out)
{
    struct arena *arena = arena_new();
    struct suggest near = suggest_begin(name);
    const char **one = schema_names(p->config->stage.schemas, arena);
    buf_add_text(out, ",\"schemas\":[");
    for (bool first = true; *one; one++, first = false) {
        suggest_try(&near, *one);
        if (!first) buf_add_text(out, ",");
        json_print_string(out, span_of(*one));
    }
    buf_add_text(out, "]");
    if (near.best) json_print_member(out, "meant", near.best);
    arena_free(arena);
}

static void answer_failed(struct document_api *p, int fd,
                          const struct document_folder_state *state,
                          struct request_reply *a)
{
    cJSON *reason = spool_read_json(fd, "reason.json", SPOOL_JSON_MAX);
    const char *code = json_get_text_or_empty(reason, "code");
    const struct reason *row = reason_find(code);
    add_value(&a->text, "reason", reason);
    json_print_member(&a->text, "meaning", row ? row->meaning : "");
    json_print_member(&a->text, "remedy", row ? row->remedy : "");
    const char *name =
        *state->folder ? state->folder : p->config->default_schema;
    add_schema(p, name, &a->text);
    add_schemas(p, name, &a->text);
    buf_add_text(&a->text, "}");
    cJSON_Delete(reason);
}

void document_api_document(struct document_api *p, const char *id,
                           struct request_reply *a)
{
    enum spool_place place = SPOOL_DONE;
    struct document_folder_state state;
    int fd = spool_folder_fd(p->spool, place, id);
    if (fd < 0) fd = spool_folder_fd(p->spool, place = SPOOL_FAILED, id);
    if (fd < 0) {
        request_refuse(a, MHD_HTTP_NOT_FOUND, "not-found",
                       "the document is not in done/ or failed/");
        return;
    }
    document_folder_read(fd, id, &state);
    request_json(a, MHD_HTTP_OK);
    buf_print(&a->text, "{\"id\":\"%s\",\"place\":\"%s\"", id,
              spool_place_name(place));
    add_name(&a->text, state.name);
    if (state.turns) buf_print(&a->text, ",\"turns\":%d", state.turns);
    if (place == SPOOL_DONE)
        answer_done(p, fd, a);
    else
        answer_failed(p, fd, &state, a);
    close(fd);
}
