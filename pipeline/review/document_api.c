/* document_api.c - see document_api.h: schemas, and answering with a
 * document. */
#include "pipeline/review/document_api.h"

#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/review/corrected_record.h"
#include "pipeline/review/document_api_inside.h"
#include "pipeline/spool/corrections.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/event.h"
#include "stages/ask/schema_names.h"
#include "stages/reason.h"
#include "stages/record/correct.h"
#include "stages/record/record_format.h"
#include "stages/record/review_items.h"
#include "stages/stage.h"
#include "vlm/base/suggest.h"
#include "vlm/json/json.h"

enum { NOT_FOUND = 404 };

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
            stage_load_schema(name, &context, s->arena, &prompt, &s->err);
    }
    *why = s->schema ? NULL : s->err.text;
    return s->schema;
}

void document_api_refuse(struct document_api_answer *a, unsigned status,
                         const char *fmt, ...)
{
    char text[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    a->status = status;
    buf_cut(&a->text, 0);
    buf_add_text(&a->text, "{\"error\":");
    json_print_string(&a->text, span_of(text));
    buf_add_text(&a->text, "}");
}

cJSON *document_api_record(struct document_api *p, int folder_fd,
                           const cJSON *lines, struct err *err)
{
    if (err_failed(err)) return NULL;
    cJSON *record = document_folder_json(
        folder_fd, "record.json", (size_t)p->config->stage.max_record_bytes);
    record_check_format(record, err);
    if (!json_get(record, "data"))
        err_set(err, ERR_INPUT, "has no complete record.json with data");
    correct_apply(record, lines, p->config->stage.review_threshold, err);
    if (!err_failed(err)) return record;
    cJSON_Delete(record);
    return NULL;
}

bool document_api_touch(struct document_api *p, const char *id)
{
    for (size_t i = 0; i < p->n_touched; i++)
        if (!strcmp(p->touched[i], id)) return false;
    if (p->n_touched % 64 == 0)
        p->touched =
            mem_grow(p->touched, p->n_touched + 64, sizeof *p->touched);
    event_cut(p->touched[p->n_touched++], SPOOL_ID_SIZE, id);
    return true;
}

/* --- one document --- */

static void add_text(struct buf *out, const char *key, const char *text)
{
    buf_print(out, ",\"%s\":", key);
    json_print_string(out, span_of(text));
}

static void add_value(struct buf *out, const char *key, const cJSON *value)
{
    buf_print(out, ",\"%s\":", key);
    if (value)
        json_print(out, value, 0);
    else
        buf_add_text(out, "null");
}

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
        add_text(out, "pointer", one->pointer);
        buf_add_text(out, "}");
    }
    buf_add_text(out, "]");
    arena_free(arena);
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
        if (skip[i++]) continue;
        buf_print(out, "%s{\"line\":%d", first ? "" : ",", i - 1);
        add_text(out, "pointer", json_get_text(line, "pointer"));
        add_text(out, "who", json_get_text(line, "who"));
        add_text(out, "when", json_get_text(line, "when"));
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
    add_text(out, "schema_name", name);
    add_value(out, "schema", schema ? schema_root(schema) : NULL);
    if (why) add_text(out, "fault", why);
}

static void add_name(struct buf *out, const char *bytes)
{
    struct buf name = buf_limit(4096);
    file_name_escape(bytes, &name);
    add_text(out, "name", buf_span(&name).data);
    buf_free(&name);
}

static void answer_done(struct document_api *p, int fd,
                        struct document_api_answer *a)
{
    struct err err = {0};
    struct corrected_record_review review = {0};
    cJSON *record = corrected_record_record(fd, p->config, &review, &err);
    if (!record || json_get(record, "parts")) {
        document_api_refuse(
            a, DOCUMENT_API_UNUSABLE, "%s",
            record ? "this is a stack; its parts have the records" : err.text);
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
    if (near.best) add_text(out, "meant", near.best);
    arena_free(arena);
}

static void answer_failed(struct document_api *p, int fd,
                          const struct document_folder_state *state,
                          struct document_api_answer *a)
{
    cJSON *reason = document_folder_json(fd, "reason.json", SPOOL_JSON_MAX);
    const char *code = json_get_text_or_empty(reason, "code");
    const struct reason *row = reason_find(code);
    add_value(&a->text, "reason", reason);
    add_text(&a->text, "remedy", row ? row->remedy : "");
    const char *name =
        *state->folder ? state->folder : p->config->default_schema;
    add_schema(p, name, &a->text);
    add_schemas(p, name, &a->text);
    buf_add_text(&a->text, "}");
    cJSON_Delete(reason);
}

void document_api_document(struct document_api *p, const char *id,
                           struct document_api_answer *a)
{
    enum spool_place place = SPOOL_DONE;
    struct document_folder_state state;
    int fd = spool_folder_fd(p->spool, place, id);
    if (fd < 0) fd = spool_folder_fd(p->spool, place = SPOOL_FAILED, id);
    if (fd < 0) {
        document_api_refuse(a, NOT_FOUND,
                            "the document is no longer in done/ or failed/");
        return;
    }
    document_folder_read(fd, id, &state);
    a->status = DOCUMENT_API_OK;
    buf_print(&a->text, "{\"id\":\"%s\",\"place\":\"%s\"", id,
              spool_place_name(place));
    add_name(&a->text, state.name);
    if (place == SPOOL_DONE)
        answer_done(p, fd, a);
    else
        answer_failed(p, fd, &state, a);
    close(fd);
}
