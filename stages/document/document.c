/* document.c - see document.h. */
#include "stages/document/document.h"

#include <stdarg.h>
#include <stdio.h>

#include "vlm/base/clock.h"
#include "vlm/base/utf8.h"

enum { FIELD_CAPACITY = 64, WARNING_TEXT_MAX = 511 };

struct document *document_new(const char *id, const char *name, int fd)
{
    struct arena *arena = arena_new();
    struct document *doc = arena_alloc(arena, sizeof *doc);
    doc->arena = arena;
    doc->scratch = arena;
    doc->id = arena_copy(arena, span_of(id));
    doc->name = arena_copy(arena, span_of(name));
    doc->fd = fd;
    doc->warnings = warnings_new(arena);
    clock_utc_text(doc->created);
    doc->stage = "identify";
    return doc;
}

void document_free(struct document *doc)
{
    if (!doc) return;
    document_drop_data(doc);
    cJSON_Delete(doc->gaps);
    cJSON_Delete(doc->conflicts);
    arena_free(doc->arena);
}

bool document_is_stage(const char *name)
{
    static const char *const known[] = {
        "identify", "split",      "classify", "rasterise", "prepare",
        "ocr",      "prompt",     "extract",  "unfence",   "validate",
        "evidence", "confidence", "export"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i], name)) return true;
    return false;
}

void document_add_time(struct document *doc, const char *stage, double seconds)
{
    for (int i = 0; i < doc->n_time; i++) {
        if (strcmp(doc->time[i].stage, stage) != 0) continue;
        doc->time[i].seconds += seconds;
        return;
    }
    if (doc->n_time < DOCUMENT_TIME_MAX)
        doc->time[doc->n_time++] = (struct stage_time){stage, seconds};
}

void document_warn(struct document *doc, const struct warning *about,
                   const char *fmt, ...)
{
    char text[WARNING_TEXT_MAX + UTF8_MAX]; /* the rest is for utf8_cut */
    struct warning one = *about;
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (strlen(text) > WARNING_TEXT_MAX)
        text[utf8_cut(text, WARNING_TEXT_MAX)] = '\0';
    one.text = text;
    warnings_add(doc->warnings, &one);
}

void document_copy_evidence(struct field *f, struct arena *arena)
{
    size_t n = (size_t)f->n_evidence;
    if (!n) return;
    struct evidence *own = arena_widen(arena, f->evidence, n, n, sizeof *own);
    for (size_t i = 0; i < n; i++)
        if (own[i].text) own[i].text = arena_copy(arena, span_of(own[i].text));
    f->evidence = own;
}

struct field *document_add_field(struct document *doc)
{
    if (doc->n_field == doc->field_capacity) {
        doc->field_capacity = 2 * doc->n_field + FIELD_CAPACITY;
        doc->field =
            arena_widen(doc->arena, doc->field, (size_t)doc->n_field,
                        (size_t)doc->field_capacity, sizeof *doc->field);
    }
    return &doc->field[doc->n_field++];
}

const struct field *document_next_fields(const struct document *doc,
                                         struct document_walk *walk,
                                         int *n_field)
{
    bool first = !walk->rows_begun;
    if (!walk->doc_given) {
        walk->doc_given = true;
        *n_field = doc->n_field;
        if (*n_field) return doc->field;
    }
    walk->rows_begun = true;
    *n_field = 0;
    return doc->rows ? doc->rows->next_fields(doc->rows, first, n_field) : NULL;
}

struct json_stream *document_stream(const struct document *doc)
{
    return doc->rows ? &doc->rows->stream : NULL;
}

void document_check_rows(const struct document *doc, struct err *err)
{
    if (err_failed(err) || !doc->rows) return;
    if (err_failed(&doc->rows->err)) *err = doc->rows->err;
}

void document_drop_answer(struct document *doc)
{
    doc->answer = (struct span){0};
    doc->token_probs = (struct document_token_probs){0};
    arena_reset(doc->scratch);
}

int document_find_field(const struct document *doc, const char *pointer,
                        int *at)
{
    for (int k = 0; k < doc->n_field; k++) {
        int i = (*at + k) % doc->n_field;
        if (strcmp(doc->field[i].pointer, pointer) != 0) continue;
        *at = i + 1;
        return i;
    }
    return -1;
}

void document_drop_data(struct document *doc)
{
    if (doc->rows) doc->rows->close(doc->rows);
    doc->rows = NULL;
    cJSON_Delete(doc->data);
    doc->data = NULL;
}
