/* document_api_correct.c - what a person says of a record, checked and kept. */
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

/* A proposal on its way. */
struct saying {
    struct document_api *papers;
    const cJSON *body;
    struct folder folder;
    struct corrections said;
    cJSON *record; /* as it stands, corrected */
    cJSON *data;   /* as it would be */
    cJSON *lines;  /* what would be added */
    bool *skip;    /* of said */
    struct document_api_answer *answer;
    bool refused;
};

/* --- who was faster --- */

static void refuse_faster(struct saying *s, const cJSON *line, const char *what)
{
    struct document_api_answer *a = s->answer;
    const cJSON *now = json_pointer_find(json_get(s->record, "data"), what);
    buf_cut(&a->text, 0);
    a->status = PAPERS_CONFLICT;
    buf_print(&a->text, "{\"error\":\"confirmed by another\",\"version\":%d",
              cJSON_GetArraySize(s->said.line));
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

/* What was said since the version that the person sees, and bears on it. Undone
 * or not: it is another record than the one on the screen. */
static void check_faster(struct saying *s, const char *pointer, bool moves)
{
    const cJSON *known = json_get(s->body, "version"), *line = NULL;
    int version = cJSON_IsNumber(known) ? known->valueint : 0, i = 0;
    cJSON_ArrayForEach(line, s->said.line)
    {
        if (i++ < version || s->refused) continue;
        if (correct_meets(line, pointer, moves))
            refuse_faster(s, line, pointer);
    }
}

/* --- what is said --- */

static void refuse(struct saying *s, unsigned status, const char *text)
{
    if (!s->refused) document_api_refuse(s->answer, status, "%s", text);
    s->refused = true;
}

static cJSON *line_new(struct saying *s, const char *pointer)
{
    char when[21];
    cJSON *line = cJSON_CreateObject();
    clock_utc_text(when);
    cJSON_AddStringToObject(line, "pointer", pointer);
    cJSON_AddStringToObject(line, "who", s->papers->who);
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

/* Of a stack each part has its own pages. A record that was filled in by hand
 * does not know its pages. */
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

static void add_place(struct saying *s, cJSON *line, const cJSON *change)
{
    const cJSON *page = json_get(change, "page"),
                *box = json_get(change, "box");
    if (!box || cJSON_IsNull(box)) {
        cJSON_AddNullToObject(line, "box");
        return;
    }
    if (!is_box(page, box) || !has_page(s->record, page->valueint)) {
        refuse(s, PAPERS_WRONG,
               "a box is four numbers in 0..1 of one of the document's pages");
        return;
    }
    cJSON_AddItemToObject(line, "page", json_new_integer(page->valueint));
    add_copy(line, "box", box);
}

/* One change, onto the data; what it takes the place of is what stands there. */
static void take_change(struct saying *s, const cJSON *change)
{
    struct err err = {0};
    const char *pointer = json_get_text(change, "pointer");
    bool insert = cJSON_IsTrue(json_get(change, "insert"));
    bool remove = cJSON_IsTrue(json_get(change, "remove"));
    if (!pointer || *pointer != '/' || (!remove && !json_get(change, "new"))) {
        refuse(s, PAPERS_WRONG, "a change has a pointer and a new value");
        return;
    }
    check_faster(s, pointer, insert || remove);
    if (s->refused) return;
    cJSON *line = line_new(s, pointer);
    if (!insert) add_copy(line, "old", json_pointer_find(s->data, pointer));
    if (!remove) add_copy(line, "new", json_get(change, "new"));
    add_place(s, line, change);
    correct_data(&s->data, line, &err);
    if (err_failed(&err)) refuse(s, PAPERS_WRONG, err.text);
}

static void take_undo(struct saying *s, int from)
{
    const cJSON *line = cJSON_GetArrayItem(s->said.line, from), *after = line;
    if (from < 0 || !line || s->skip[from]) {
        refuse(s, PAPERS_WRONG, "there is nothing to be taken back");
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
            refuse_faster(s, l, pointer);
    }
    cJSON *undo = line_new(s, pointer);
    cJSON_AddItemToObject(undo, "undo", json_new_integer(from));
    add_copy(undo, "old", json_get(line, "new"));
    add_copy(undo, "new", json_get(line, "old"));
}

static void take_changes(struct saying *s)
{
    const cJSON *changes = json_get(s->body, "changes"), *change = NULL;
    const cJSON *undo = json_get(s->body, "undo");
    if (cJSON_IsTrue(json_get(s->body, "looked"))) {
        check_faster(s, "", false);
        if (!s->refused) line_new(s, "");
    } else if (undo) {
        take_undo(s, cJSON_IsNumber(undo) ? undo->valueint : -1);
    } else if (!cJSON_IsArray(changes) || !changes->child ||
               cJSON_GetArraySize(changes) > CHANGES_MAX) {
        refuse(s, PAPERS_WRONG, "want changes, undo or looked");
    } else {
        cJSON_ArrayForEach(change, changes)
        {
            if (!s->refused) take_change(s, change);
        }
    }
}

/* The data as the lines leave it: taken back as a whole where one is undone. */
static void resolve_data(struct saying *s)
{
    struct err err = {0};
    const cJSON *line = s->lines->child;
    if (!json_get(line, "undo")) return;
    cJSON *all = cJSON_Duplicate(s->said.line, true);
    cJSON_AddItemToArray(all, cJSON_Duplicate(line, true));
    cJSON *record = document_api_record(s->papers, s->folder.fd, all, &err);
    cJSON_Delete(s->data);
    s->data = cJSON_DetachItemFromObjectCaseSensitive(record, "data");
    if (err_failed(&err) || !s->data) refuse(s, PAPERS_WRONG, err.text);
    cJSON_Delete(record);
    cJSON_Delete(all);
}

/* --- is it right? --- */

static void put_broken(void *arg, const struct checks_broken *broken)
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
    checks_run(checks, data, NULL, put_broken, out);
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
        document_api_refuse(a, PAPERS_INVALID, "%s", err.text);
    } else if (!valid) {
        document_api_refuse(a, PAPERS_INVALID, "the schema does not allow it");
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

static void answer(struct saying *s, const struct schema *schema, bool saved)
{
    int n = cJSON_GetArraySize(s->said.line);
    buf_print(&s->answer->text, "{\"line\":%d,\"version\":%d", n,
              saved ? n + cJSON_GetArraySize(s->lines) : n);
    document_api_add_broken(schema, s->data, &s->answer->text);
    buf_add_text(&s->answer->text, "}");
    s->answer->status = PAPERS_OK;
}

static void keep(struct saying *s)
{
    struct err err = {0};
    corrections_add(&s->folder, &s->said, s->lines,
                    document_api_touch(s->papers, s->folder.id), &err);
    if (err_failed(&err)) refuse(s, PAPERS_NOT_SAVED, err.text);
    if (s->refused) return;
    s->answer->changed = true;
    snprintf(s->answer->id, sizeof s->answer->id, "%s", s->folder.id);
}

/* --- all of it --- */

/* Another platen may deliver it just now. */
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
            a, PAPERS_NOT_SAVED, "%s",
            err_failed(&err)
                ? err.text
                : "another platen process is using the document, or "
                  "it was moved: try again");
    return locked;
}

static void say(struct saying *s, bool save)
{
    struct err err = {0};
    const char *why = NULL;
    corrections_read(s->folder.fd, &s->said, &err);
    s->record =
        document_api_record(s->papers, s->folder.fd, s->said.line, &err);
    if (err_failed(&err)) {
        refuse(s, PAPERS_UNUSABLE, err.text);
        return;
    }
    const struct schema *schema = document_api_schema(
        s->papers,
        json_get_text_or_empty(json_get(s->record, "schema"), "name"), &why);
    if (!schema) {
        refuse(s, PAPERS_UNUSABLE, why);
        return;
    }
    s->skip = mem_alloc((size_t)cJSON_GetArraySize(s->said.line) + 1, 1);
    correct_skip(s->said.line, s->skip);
    s->data = cJSON_Duplicate(json_get(s->record, "data"), true);
    take_changes(s);
    if (!s->refused) resolve_data(s);
    if (!s->refused)
        s->refused = !document_api_is_valid(schema, s->data, s->answer);
    if (!s->refused && save) keep(s);
    if (!s->refused) answer(s, schema, save);
}

void document_api_correct(struct document_api *p, const cJSON *body, bool save,
                          struct document_api_answer *a)
{
    const char *id = json_get_text_or_empty(body, "id");
    struct saying s = {
        .papers = p, .body = body, .lines = cJSON_CreateArray(), .answer = a};
    if (!spool_is_id(id))
        document_api_refuse(a, PAPERS_WRONG, "that is the id of no document");
    else if (document_api_lock(p, id, true, &s.folder, a)) {
        say(&s, save);
        spool_unlock(&s.folder);
    }
    corrections_free(&s.said);
    cJSON_Delete(s.record);
    cJSON_Delete(s.data);
    cJSON_Delete(s.lines);
    mem_free(s.skip);
}
