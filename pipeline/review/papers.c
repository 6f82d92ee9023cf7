/* papers.c - see papers.h: the schemas, and one document for the page. */
#include "pipeline/review/papers.h"

#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/review/papers_inside.h"
#include "pipeline/review/renew.h"
#include "pipeline/spool/corrections.h"
#include "pipeline/spool/event.h"
#include "pipeline/spool/folder.h"
#include "stages/reason.h"
#include "stages/record/correct.h"
#include "stages/record/doubts.h"
#include "stages/record/record_format.h"
#include "stages/schema_names.h"
#include "stages/stage.h"
#include "vlm/base/json.h"
#include "vlm/base/near.h"

enum { NOT_FOUND = 404 };

void papers_open(struct papers *p, struct spool *s, const struct config *config)
{
    *p = (struct papers){.spool = s, .config = config};
    char text[4096];
    struct passwd row, *found = NULL;
    if (getpwuid_r(getuid(), &row, text, sizeof text, &found) == 0 && found)
        event_cut(p->who, sizeof p->who, row.pw_name);
    else
        snprintf(p->who, sizeof p->who, "uid %ld", (long)getuid());
}

static void drop_schemas(struct papers *p)
{
    for (int i = 0; i < p->n_schema; i++) {
        schema_free(p->schema[i].schema);
        arena_free(p->schema[i].arena);
    }
    p->n_schema = 0;
}

void papers_close(struct papers *p)
{
    drop_schemas(p);
    mem_give(p->touched);
}

const struct schema *papers_schema(struct papers *p, const char *name,
                                   const char **why)
{
    struct papers_schema *s = p->schema;
    const struct papers_schema *end = s + p->n_schema;
    while (s < end && strcmp(s->name, name) != 0)
        s++;
    if (s == end) {
        const char *prompt;
        struct desk desk = {.settings = &p->config->stage};
        if (p->n_schema == PAPERS_SCHEMAS) drop_schemas(p);
        s = &p->schema[p->n_schema++];
        *s = (struct papers_schema){.arena = arena_new()};
        event_cut(s->name, sizeof s->name, name);
        s->schema = stage_load_schema(name, &desk, s->arena, &prompt, &s->err);
    }
    *why = s->schema ? NULL : s->err.text;
    return s->schema;
}

void papers_refuse(struct papers_answer *a, unsigned status, const char *fmt,
                   ...)
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

cJSON *papers_record(struct papers *p, int folder_fd, const cJSON *lines,
                     struct err *err)
{
    if (err_failed(err)) return NULL;
    cJSON *record = folder_json(folder_fd, "record.json",
                                (size_t)p->config->stage.record_bytes_max);
    record_check_format(record, err);
    if (!json_get(record, "data"))
        err_set(err, ERR_INPUT, "it has no whole record.json with data");
    correct_apply(record, lines, p->config->stage.review_below, err);
    if (!err_failed(err)) return record;
    cJSON_Delete(record);
    return NULL;
}

bool papers_touch(struct papers *p, const char *id)
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

static void put_text(struct buf *out, const char *key, const char *text)
{
    buf_print(out, ",\"%s\":", key);
    json_print_string(out, span_of(text));
}

static void put_value(struct buf *out, const char *key, const cJSON *value)
{
    buf_print(out, ",\"%s\":", key);
    if (value)
        json_print(out, value, 0);
    else
        buf_add_text(out, "null");
}

static void put_doubts(struct buf *out, const cJSON *record,
                       const struct config *config)
{
    struct arena *arena = arena_new();
    struct doubts d;
    doubts_of(record, config->stage.review_below, arena, &d);
    buf_add_text(out, ",\"doubts\":[");
    for (int i = 0; i < d.n; i++) {
        const struct doubt *one = &d.doubt[i];
        buf_print(out, "%s{\"page\":%d,\"weight\":%.4f,\"why\":\"%s\"",
                  i ? "," : "", one->page, one->weight, one->why);
        put_text(out, "pointer", one->pointer);
        buf_add_text(out, "}");
    }
    buf_add_text(out, "]");
    arena_free(arena);
}

/* Who spoke of which value, last. */
static void put_said(struct buf *out, int folder_fd)
{
    struct corrections c;
    struct err err = {0};
    corrections_read(folder_fd, &c, &err);
    int n = cJSON_GetArraySize(c.line), i = 0;
    bool *skip = mem_take((size_t)n + 1, sizeof *skip), first = true;
    const cJSON *line = NULL;
    correct_skip(c.line, skip);
    buf_add_text(out, ",\"said\":[");
    cJSON_ArrayForEach(line, c.line)
    {
        if (skip[i++]) continue;
        buf_print(out, "%s{\"line\":%d", first ? "" : ",", i - 1);
        put_text(out, "pointer", json_get_text(line, "pointer"));
        put_text(out, "who", json_get_text(line, "who"));
        put_text(out, "when", json_get_text(line, "when"));
        buf_add_text(out, "}");
        first = false;
    }
    buf_add_text(out, "]");
    mem_give(skip);
    corrections_free(&c);
}

static void put_schema(struct papers *p, const char *name, struct buf *out)
{
    const char *why;
    const struct schema *schema = papers_schema(p, name, &why);
    put_text(out, "schema_name", name);
    put_value(out, "schema", schema ? schema_root(schema) : NULL);
    if (why) put_text(out, "fault", why);
}

static void put_name(struct buf *out, const char *bytes)
{
    struct buf name = buf_limit(4096);
    name_escape(bytes, &name);
    put_text(out, "name", buf_span(&name).data);
    buf_free(&name);
}

static void document_done(struct papers *p, int fd, struct papers_answer *a)
{
    struct err err = {0};
    struct renew_said said = {0};
    cJSON *record = renew_record(fd, p->config, &said, &err);
    if (!record || json_get(record, "parts")) {
        papers_refuse(a, PAPERS_UNUSABLE, "%s",
                      record ? "it is a stack: its parts have the records"
                             : err.text);
    } else {
        buf_print(&a->text, ",\"version\":%d", said.n_line);
        put_doubts(&a->text, record, p->config);
        put_said(&a->text, fd);
        put_schema(p,
                   json_get_text_or_empty(json_get(record, "schema"), "name"),
                   &a->text);
        put_value(&a->text, "record", record);
        buf_add_text(&a->text, "}");
    }
    cJSON_Delete(record);
}

/* Those it may be read with instead, and the one that was probably meant. */
static void put_schemas(const struct papers *p, const char *name,
                        struct buf *out)
{
    struct arena *arena = arena_new();
    struct near near = near_begin(name);
    const char **one = schema_names(p->config->stage.schemas, arena);
    buf_add_text(out, ",\"schemas\":[");
    for (bool first = true; *one; one++, first = false) {
        near_try(&near, *one);
        if (!first) buf_add_text(out, ",");
        json_print_string(out, span_of(*one));
    }
    buf_add_text(out, "]");
    if (near.best) put_text(out, "meant", near.best);
    arena_free(arena);
}

static void document_failed(struct papers *p, int fd,
                            const struct folder_state *state,
                            struct papers_answer *a)
{
    cJSON *reason = folder_json(fd, "reason.json", SPOOL_JSON_MAX);
    const char *code = json_get_text_or_empty(reason, "code");
    const struct reason *row = reason_find(code);
    put_value(&a->text, "reason", reason);
    put_text(&a->text, "remedy", row ? row->remedy : "");
    const char *name =
        *state->folder ? state->folder : p->config->default_schema;
    put_schema(p, name, &a->text);
    put_schemas(p, name, &a->text);
    buf_add_text(&a->text, "}");
    cJSON_Delete(reason);
}

void papers_document(struct papers *p, const char *id, struct papers_answer *a)
{
    enum spool_place place = SPOOL_DONE;
    struct folder_state state;
    int fd = spool_folder_fd(p->spool, place, id);
    if (fd < 0) fd = spool_folder_fd(p->spool, place = SPOOL_FAILED, id);
    if (fd < 0) {
        papers_refuse(a, NOT_FOUND,
                      "it is neither in done/ nor in failed/ any more");
        return;
    }
    folder_read(fd, id, &state);
    a->status = PAPERS_OK;
    buf_print(&a->text, "{\"id\":\"%s\",\"place\":\"%s\"", id,
              spool_place_name(place));
    put_name(&a->text, state.name);
    if (place == SPOOL_DONE)
        document_done(p, fd, a);
    else
        document_failed(p, fd, &state, a);
    close(fd);
}
