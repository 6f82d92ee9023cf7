/* document_api_correct.c - corrections of a record: checked and stored. */
#include <stdio.h>
#include <string.h>

#include "pipeline/review/corrected_record.h"
#include "pipeline/review/document_api.h"
#include "pipeline/review/document_api_inside.h"
#include "pipeline/spool/corrections.h"
#include "stages/confidence/checks.h"
#include "stages/record/correct.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

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
    struct document_api_answer *answer;
    bool refused;
};

/* --- conflicts --- */

static void refuse_conflict(struct proposal *s, const cJSON *line,
                            const char *what)
{
    struct document_api_answer *a = s->answer;
    const cJSON *now = json_pointer_find(json_get(s->record, "data"), what);
    buf_cut(&a->text, 0);
    a->status = DOCUMENT_API_CONFLICT;
    buf_print(&a->text, "{\"error\":\"confirmed by another\",\"version\":%d",
              cJSON_GetArraySize(s->stored.line));
    buf_add_text(&a->text, ",\"pointer\":");
    json_print_string(&a->text, span_of(what));
    buf_add_text(&a->text, ",\"who\":");
    json_print_string(&a->text, span_of(json_get_text_or_empty(line, "who")));
    buf_add_text(&a->text, ",\"when\":");
    json_print_string(&a->text, span_of(json_get_text_or_empty(line, "when")));
    buf_add_text(&a->text, ",\"value\":");
    if (now)
        json_print(&a->text, now, 0);
    else
        buf_add_text(&a->text, "null");
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
                            const char *text)
{
    if (!s->refused) document_api_refuse(s->answer, status, "%s", text);
    s->refused = true;
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
    if (!box || cJSON_IsNull(box)) {
        cJSON_AddNullToObject(line, "box");
        return;
    }
    if (!is_box(page, box) || !has_page(s->record, page->valueint)) {
        refuse_proposal(
            s, DOCUMENT_API_WRONG,
            "a box must be four numbers from 0 to 1 and a page of the "
            "document");
        return;
    }
    cJSON_AddItemToObject(line, "page", json_new_integer(page->valueint));
    add_copy(line, "box", box);
}

/* Applies a change to the data, and adds its line; `old` is the present
 * value. */
static void apply_change(struct proposal *s, const cJSON *change)
{
    struct err err = {0};
    const char *pointer = json_get_text(change, "pointer");
    bool insert = cJSON_IsTrue(json_get(change, "insert"));
    bool remove = cJSON_IsTrue(json_get(change, "remove"));
    if (!pointer || *pointer != '/' || (!remove && !json_get(change, "new"))) {
        refuse_proposal(s, DOCUMENT_API_WRONG,
                        "a change must have a pointer and a new value");
        return;
    }
    check_conflict(s, pointer, insert || remove);
    if (s->refused) return;
    cJSON *line = new_line(s, pointer);
    if (!insert) add_copy(line, "old", json_pointer_find(s->data, pointer));
    if (!remove) add_copy(line, "new", json_get(change, "new"));
    add_place(s, line, change);
    correct_data(&s->data, line, &err);
    if (err_failed(&err)) refuse_proposal(s, DOCUMENT_API_WRONG, err.text);
}

static void apply_undo(struct proposal *s, int from)
{
    const cJSON *line = cJSON_GetArrayItem(s->stored.line, from), *after = line;
    if (from < 0 || !line || s->skip[from]) {
        refuse_proposal(s, DOCUMENT_API_WRONG, "there is nothing to undo");
        return;
    }
    const char *pointer = json_get_text(line, "pointer");
    while (cJSON_IsTrue(json_get(after, "more")))
        after = after->next;
    int i = from + 1;
    for (const cJSON *l = line->next; l; l = l->next, i++) {
        bool own = l == after || cJSON_IsTrue(json_get(l->prev, "more"));
        if (!own && !s->skip[i] && correct_meets(l, pointer, true) &&
            !s->refused)
            refuse_conflict(s, l, pointer);
    }
    cJSON *undo = new_line(s, pointer);
    cJSON_AddItemToObject(undo, "undo", json_new_integer(from));
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
        refuse_proposal(s, DOCUMENT_API_WRONG,
                        "the request must have changes, undo or looked");
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
    if (err_failed(&err) || !s->data)
        refuse_proposal(s, DOCUMENT_API_WRONG, err.text);
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
    buf_add_text(out, ",\"text\":");
    json_print_string(out, span_of(broken->text));
    buf_add_text(out, "}");
}

void document_api_add_broken(const struct schema *schema, const cJSON *data,
                             struct buf *out)
{
    struct err err = {0};
    buf_add_text(out, ",\"broken\":[");
    struct checks *checks = checks_new(schema, &err);
    checks_run(checks, data, NULL, add_broken, out);
    checks_free(checks);
    buf_add_text(out, "]");
}

bool document_api_is_valid(const struct schema *schema, const cJSON *data,
                           struct document_api_answer *a)
{
    struct arena *arena = arena_new();
    struct findings found = {0};
    struct err err = {0};
    bool valid = schema_validate(schema, data, arena, &found, &err);
    if (!valid && err_failed(&err)) {
        document_api_refuse(a, DOCUMENT_API_INVALID, "%s", err.text);
    } else if (!valid) {
        document_api_refuse(a, DOCUMENT_API_INVALID,
                            "the schema does not allow this value");
        buf_cut(&a->text, a->text.size - 1);
        buf_add_text(&a->text, ",\"findings\":[");
        for (int i = 0; i < found.n_finding && i < 20; i++) {
            buf_add_text(&a->text, i ? ",{\"pointer\":" : "{\"pointer\":");
            json_print_string(&a->text, span_of(found.finding[i].instance));
            buf_add_text(&a->text, ",\"found\":");
            json_print_string(&a->text, span_of(found.finding[i].found));
            buf_add_text(&a->text, ",\"wanted\":");
            json_print_string(&a->text, span_of(found.finding[i].wanted));
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
    document_api_add_broken(schema, s->data, &s->answer->text);
    buf_add_text(&s->answer->text, "}");
    s->answer->status = DOCUMENT_API_OK;
}

static void store_lines(struct proposal *s)
{
    struct err err = {0};
    corrections_add(&s->folder, &s->stored, s->lines,
                    document_api_touch(s->api, s->folder.id), &err);
    if (err_failed(&err)) refuse_proposal(s, DOCUMENT_API_NOT_SAVED, err.text);
    if (s->refused) return;
    s->answer->changed = true;
    snprintf(s->answer->id, sizeof s->answer->id, "%s", s->folder.id);
}

/* --- the request --- */

bool document_api_lock(struct document_api *p, const char *id, bool done,
                       struct folder *f, struct document_api_answer *a)
{
    struct err err = {0};
    bool locked = done ? spool_lock_done(p->spool, id, f, &err)
                       : spool_lock_failed(p->spool, id, f, &err);
    int place = p->spool->place[done ? SPOOL_DONE : SPOOL_FAILED];
    a->busy = !locked && !err_failed(&err) && spool_exists(place, id);
    if (!locked)
        document_api_refuse(
            a, DOCUMENT_API_NOT_SAVED, "%s",
            err_failed(&err)
                ? err.text
                : "another platen process is using the document, or it was "
                  "moved: try again");
    return locked;
}

static void process_request(struct proposal *s, bool save)
{
    struct err err = {0};
    const char *why = NULL;
    corrections_read(s->folder.fd, &s->stored, &err);
    s->record = document_api_record(s->api, s->folder.fd, s->stored.line, &err);
    if (err_failed(&err)) {
        refuse_proposal(s, DOCUMENT_API_UNUSABLE, err.text);
        return;
    }
    const struct schema *schema = document_api_schema(
        s->api, json_get_text_or_empty(json_get(s->record, "schema"), "name"),
        &why);
    if (!schema) {
        refuse_proposal(s, DOCUMENT_API_UNUSABLE, why);
        return;
    }
    s->skip = mem_alloc((size_t)cJSON_GetArraySize(s->stored.line) + 1, 1);
    correct_skip(s->stored.line, s->skip);
    s->data = cJSON_Duplicate(json_get(s->record, "data"), true);
    apply_request(s);
    if (!s->refused) recompute_data(s);
    if (!s->refused)
        s->refused = !document_api_is_valid(schema, s->data, s->answer);
    if (!s->refused && save) store_lines(s);
    if (!s->refused) send_result(s, schema, save);
}

void document_api_correct(struct document_api *p, const cJSON *body, bool save,
                          struct document_api_answer *a)
{
    const char *id = json_get_text_or_empty(body, "id");
    struct proposal s = {
        .api = p, .body = body, .lines = cJSON_CreateArray(), .answer = a};
    if (!spool_is_id(id))
        document_api_refuse(a, DOCUMENT_API_WRONG, "not the id of a document");
    else if (document_api_lock(p, id, true, &s.folder, a)) {
        process_request(&s, save);
        spool_unlock(&s.folder);
    }
    corrections_free(&s.stored);
    cJSON_Delete(s.record);
    cJSON_Delete(s.data);
    cJSON_Delete(s.lines);
    mem_free(s.skip);
}
