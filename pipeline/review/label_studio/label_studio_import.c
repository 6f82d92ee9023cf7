/* label_studio_import.c - see label_studio_import.h. */
#include "pipeline/review/label_studio/label_studio_import.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <microhttpd.h>

#include "pipeline/review/document_api.h"
#include "pipeline/review/label_studio/label_studio_annotation.h"
#include "pipeline/spool/corrected_files.h"
#include "pipeline/spool/corrections.h"
#include "pipeline/spool/delivery.h"
#include "pipeline/spool/event.h"
#include "stages/document/reason.h"
#include "stages/record/correct.h"
#include "stages/record/review_items.h"
#include "vlm/base/file_map.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { FILE_BYTES_MAX = 1 << 29, ANSWER_BYTES_MAX = 1 << 22 };

struct import_task {
    int number; /* from 1 */
    const char *id;
    char who[80]; /* the annotator */
    cJSON *body;  /* for document_api_correct; NULL: no changes */
    bool looked;  /* then also mark the whole record as checked */
    bool behind;  /* the document was corrected after the export */
};

struct import {
    struct document_api api;
    struct import_task *task;
    int n_task;
    struct studio_counts *counts;
    struct arena *arena;
    struct err *err;
};

/* --- annotators and annotations --- */

/* `by`: a number, or {email, username, id} depending on the export. */
static void name_annotator(const cJSON *by, struct import_task *t)
{
    const char *email = json_get_text(by, "email");
    const char *name = email ? email : json_get_text(by, "username");
    const cJSON *id = cJSON_IsObject(by) ? json_get(by, "id") : by;
    if (name)
        event_cut(t->who, sizeof t->who, name);
    else
        snprintf(t->who, sizeof t->who, "Label Studio %s",
                 cJSON_IsNumber(id) ? json_number(id) : "?");
}

/* The annotation of the task; NULL: none. Skipped tasks and empty results do
 * not count. */
static const cJSON *find_annotation(const cJSON *task, struct err *err)
{
    const cJSON *list = json_get(task, "annotations"), *each = NULL;
    const cJSON *found = NULL;
    cJSON_ArrayForEach(each, list)
    {
        const cJSON *result = json_get(each, "result");
        if (cJSON_IsTrue(json_get(each, "was_cancelled")) || !result ||
            !result->child)
            continue;
        if (found && !json_equal(json_get(found, "result"), result))
            err_set(err, ERR_INPUT,
                    "several annotations differ: keep one of them");
        found = each;
    }
    return found;
}

/* --- changes --- */

/* Does the present data have the changed value already? */
static bool is_applied(const cJSON *change, const cJSON *data)
{
    const cJSON *new = json_get(change, "new");
    const cJSON *now =
        json_pointer_find(data, json_get_text_or_empty(change, "pointer"));
    return new &&now && !json_get(change, "insert") &&
           !json_get(change, "box") && json_equal(new, now);
}

/* A copy of the data with the changes applied. */
static cJSON *apply_changes(const cJSON *data, const cJSON *changes,
                            struct err *err)
{
    cJSON *after = cJSON_Duplicate(data, true);
    const cJSON *change = NULL;
    cJSON_ArrayForEach(change, changes)
    {
        cJSON *line = cJSON_Duplicate(change, true);
        const cJSON *old =
            json_pointer_find(after, json_get_text_or_empty(change, "pointer"));
        if (old && !json_get(change, "insert"))
            cJSON_AddItemToObject(line, "old", cJSON_Duplicate(old, true));
        correct_data(&after, line, err);
        cJSON_Delete(line);
    }
    return after;
}

static bool has_line_by(const cJSON *lines, int from, const char *who)
{
    const cJSON *line = NULL;
    int i = 0;
    cJSON_ArrayForEach(line, lines)
    {
        if (i++ >= from && !strcmp(json_get_text_or_empty(line, "who"), who))
            return true;
    }
    return false;
}

/* Is there a change of the value, or of a value in it? */
static bool is_changed(const cJSON *changes, const char *pointer)
{
    const cJSON *change = NULL;
    size_t n = strlen(pointer);
    cJSON_ArrayForEach(change, changes)
    {
        const char *other = json_get_text_or_empty(change, "pointer");
        if (!strncmp(other, pointer, n) && (!other[n] || other[n] == '/'))
            return true;
    }
    return false;
}

/* Confirms doubtful values that the annotator left unchanged. The confirmations
 * come before the changes, which may renumber rows. */
static cJSON *confirm_doubts(const struct import *x, struct import_task *t,
                             const cJSON *now, const cJSON *changes)
{
    struct arena *arena = arena_new();
    cJSON *all = cJSON_CreateArray();
    const cJSON *change = NULL;
    struct review_items d;
    review_items_of(now, x->api.config->stage.review_threshold, arena, &d);
    for (int i = 0; i < d.n; i++) {
        const char *pointer = d.doubt[i].pointer;
        const cJSON *value = json_pointer_find(json_get(now, "data"), pointer);
        t->looked |= !*pointer;
        if (!*pointer || !value || is_changed(changes, pointer)) continue;
        cJSON *same = cJSON_CreateObject();
        cJSON_AddStringToObject(same, "pointer", pointer);
        cJSON_AddItemToObject(same, "new", cJSON_Duplicate(value, true));
        cJSON_AddItemToArray(all, same);
    }
    cJSON_ArrayForEach(change, changes)
    {
        cJSON_AddItemToArray(all, cJSON_Duplicate(change, true));
    }
    t->looked |= !all->child;
    arena_free(arena);
    return all;
}

static void drop_known(cJSON *changes, const cJSON *data)
{
    cJSON *next = NULL;
    for (cJSON *c = changes->child; c; c = next) {
        next = c->next;
        if (is_applied(c, data))
            cJSON_Delete(cJSON_DetachItemViaPointer(changes, c));
    }
}

/* `then`: the record as exported; `now`: the present record. */
static void make_body(struct import *x, struct import_task *t,
                      const cJSON *then, const cJSON *now, const cJSON *lines,
                      int version, cJSON *changes)
{
    cJSON *after = apply_changes(json_get(then, "data"), changes, x->err);
    bool same = json_equal(after, json_get(now, "data"));
    cJSON_Delete(after);
    if (same && has_line_by(lines, version, t->who))
        return; /* this file was imported before */
    drop_known(changes, json_get(now, "data"));
    t->body = cJSON_CreateObject();
    json_add_integer(t->body, "version", version);
    cJSON_AddItemToObject(t->body, "changes",
                          confirm_doubts(x, t, now, changes));
}

static const struct schema *record_schema(struct import *x, const cJSON *record)
{
    const char *why = NULL;
    const struct schema *schema = document_api_schema(
        &x->api, json_get_text_or_empty(json_get(record, "schema"), "name"),
        &why);
    if (!schema) err_set(x->err, ERR_CONFIG, "%s", why);
    return schema;
}

/* The first `n` lines. */
static cJSON *first_lines(const cJSON *lines, int n, struct err *err)
{
    cJSON *first = cJSON_CreateArray();
    const cJSON *line = NULL;
    int i = 0;
    cJSON_ArrayForEach(line, lines)
    {
        if (i++ < n) cJSON_AddItemToArray(first, cJSON_Duplicate(line, true));
    }
    if (n < 0 || n > i)
        err_set(err, ERR_INPUT,
                "its record has %d corrections, but the task was made after "
                "%d: it comes from another spool",
                i, n);
    return first;
}

static void compare_records(struct import *x, struct import_task *t,
                            const cJSON *about, const cJSON *annotation, int fd)
{
    struct corrections stored = {0};
    const cJSON *number = json_get(about, "version");
    int version = cJSON_IsNumber(number) ? number->valueint : -1;
    corrections_read(fd, &stored, x->err);
    cJSON *first = first_lines(stored.line, version, x->err);
    cJSON *then = document_api_record(&x->api, fd, first, x->err);
    cJSON *now = document_api_record(&x->api, fd, stored.line, x->err);
    const struct schema *schema =
        err_failed(x->err) ? NULL : record_schema(x, now);
    cJSON *changes = cJSON_CreateArray();
    if (schema)
        label_studio_annotation_changes(json_get(annotation, "result"),
                                        json_get(about, "pages"), then, schema,
                                        changes, x->err);
    if (!err_failed(x->err))
        make_body(x, t, then, now, stored.line, version, changes);
    cJSON_Delete(changes);
    cJSON_Delete(then);
    cJSON_Delete(now);
    cJSON_Delete(first);
    corrections_free(&stored);
}

static void read_task(struct import *x, const cJSON *task,
                      struct import_task *t)
{
    const cJSON *about = json_get(json_get(task, "data"), "platen");
    t->id = json_get_text_or_empty(about, "id");
    if (!spool_is_id(t->id)) {
        err_set(x->err, ERR_INPUT,
                "not a task of platen export --to ls (no data.platen.id); "
                "export from Label Studio as JSON, not JSON-MIN");
        return;
    }
    const cJSON *annotation = find_annotation(task, x->err);
    if (err_failed(x->err) || !annotation) return;
    name_annotator(json_get(annotation, "completed_by"), t);
    int fd = spool_folder_fd(x->api.spool, SPOOL_DONE, t->id);
    if (fd < 0)
        err_set(x->err, ERR_INPUT, "done/ has no document %s", t->id);
    else
        compare_records(x, t, about, annotation, fd);
    if (fd >= 0) close(fd);
}

static void read_tasks(struct import *x, const cJSON *file)
{
    const cJSON *task = NULL;
    if (!cJSON_IsArray(file)) err_set(x->err, ERR_INPUT, "not a list of tasks");
    x->task = arena_array(x->arena, (size_t)cJSON_GetArraySize(file) + 1,
                          sizeof *x->task);
    cJSON_ArrayForEach(task, file)
    {
        if (err_failed(x->err)) return;
        struct import_task *t = &x->task[x->n_task++];
        t->number = x->n_task;
        read_task(x, task, t);
        err_context(x->err, "task %d%s%s", t->number, *t->id ? " of " : "",
                    t->id);
        x->counts->n_skipped += !*t->who;
    }
}

/* --- storing --- */

static void set_error(const struct import_task *t,
                      const struct request_reply *a, struct err *err)
{
    struct err none = {0};
    cJSON *answer = json_parse(buf_span(&a->text), &none);
    const cJSON *list = json_get(answer, "findings");
    const cJSON *first = list ? list->child : NULL;
    if (a->head.status == MHD_HTTP_SERVICE_UNAVAILABLE)
        err_reason(err, ERR_SYSTEM, "disk", "task %d of %s: %s", t->number,
                   t->id, json_get_text_or_empty(answer, "detail"));
    else
        err_set(err, ERR_INPUT, "task %d of %s: %s: %s%s%s", t->number, t->id,
                json_get_text_or_empty(answer, "detail"),
                json_get_text_or_empty(first, "pointer"), first ? ": " : "",
                json_get_text_or_empty(first, "wanted"));
    cJSON_Delete(answer);
}

static void warn_behind(const struct import_task *t,
                        const struct request_reply *a)
{
    struct err none = {0};
    cJSON *answer = json_parse(buf_span(&a->text), &none);
    log_warn("task %d of %s skipped: %s corrected %s at %s, after the export; "
             "check it with platen review, or export it again",
             t->number, t->id, json_get_text_or_empty(answer, "who"),
             json_get_text_or_empty(answer, "pointer"),
             json_get_text_or_empty(answer, "when"));
    cJSON_Delete(answer);
}

/* Checks the changes and, with `save`, stores them. False: they were
 * refused. */
static bool submit(struct import *x, struct import_task *t, const cJSON *body,
                   bool save)
{
    struct request_reply a = {.text = buf_limit(ANSWER_BYTES_MAX), .fd = -1};
    if (err_failed(x->err)) return false;
    event_cut(x->api.who, sizeof x->api.who, t->who);
    document_api_correct(&x->api, t->id, body, save, &a);
    t->behind |= a.head.status == MHD_HTTP_CONFLICT;
    if (a.head.status == MHD_HTTP_CONFLICT)
        warn_behind(t, &a);
    else if (a.head.status != MHD_HTTP_OK)
        set_error(t, &a, x->err);
    bool taken = a.head.status == MHD_HTTP_OK;
    buf_free(&a.text);
    return taken;
}

static void submit_checked(struct import *x, struct import_task *t)
{
    cJSON *body = cJSON_CreateObject();
    const cJSON *version = json_get(t->body, "version");
    cJSON_AddItemToObject(body, "version", cJSON_Duplicate(version, true));
    cJSON_AddTrueToObject(body, "looked");
    submit(x, t, body, true);
    cJSON_Delete(body);
}

static void submit_task(struct import *x, struct import_task *t, bool save)
{
    const cJSON *changes = json_get(t->body, "changes");
    if (!t->body || t->behind || err_failed(x->err)) return;
    bool sent = !changes->child || submit(x, t, t->body, save);
    if (!save || !sent) return;
    x->counts->n_change += cJSON_GetArraySize(changes);
    if (t->looked) submit_checked(x, t);
}

static void submit_all(struct import *x, bool save)
{
    for (int i = 0; i < x->n_task; i++)
        submit_task(x, &x->task[i], save);
}

static void count_documents(struct import *x)
{
    for (int i = 0; i < x->n_task; i++) {
        const struct import_task *t = &x->task[i];
        x->counts->n_document += *t->who && !t->behind;
        x->counts->n_behind += t->behind;
    }
}

void label_studio_import_file(struct spool *s, const struct config *config,
                              const char *path, struct studio_counts *counts,
                              struct err *err)
{
    if (err_failed(err)) return;
    struct import x = {.counts = counts, .arena = arena_new(), .err = err};
    struct json_rules rules = {.depth_max = JSON_DEPTH_MOST, .nul = true};
    *counts = (struct studio_counts){0};
    document_api_open(&x.api, s, config);
    corrected_files_begin(s, config);
    struct span text = file_map_read(path, FILE_BYTES_MAX, x.arena, err);
    cJSON *file = err_failed(err) ? NULL : json_parse_rules(text, rules, err);
    if (file) read_tasks(&x, file);
    submit_all(&x, false);
    err_context(err, "%s: nothing was changed", path);
    bool checked = !err_failed(err);
    if (checked) submit_all(&x, true);
    count_documents(&x);
    struct err why = {0};
    if (checked && delivery_retry(s, config->formats, false, &why) > 0)
        log_warn("not delivered to out/ yet: %s", why.text);
    for (int i = 0; i < x.n_task; i++)
        cJSON_Delete(x.task[i].body);
    cJSON_Delete(file);
    document_api_close(&x.api);
    arena_free(x.arena);
}
