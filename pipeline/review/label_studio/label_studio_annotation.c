/* label_studio_annotation.c - see label_studio_annotation.h. */
#include "pipeline/review/label_studio/label_studio_annotation.h"

#include <math.h>
#include <string.h>

#include "pipeline/review/label_studio/label_studio_task.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum {
    TEXT_BYTES_MAX = 1 << 20,
    POINTER_BYTES_MAX = 1 << 16,
    ROW_DEPTH_MAX = 8
};

/* Smaller moves of a rectangle, as a share of the page, are Label Studio's
 * rounding. */
static const double moved_least = 0.002;

/* The annotation of one value. */
struct annotated {
    const char *pointer, *id; /* id: of its rectangle; NULL: it is a line */
    const char *text;         /* NULL: a rectangle without text */
    int page;                 /* 0: no place */
    double box[4];            /* 0..1 */
    bool used;                /* belongs to a value or a new row */
};

struct annotation {
    const cJSON *pages, *data, *fields;
    const struct schema *schema;
    cJSON *changes;
    struct annotated *value;
    int n_value;
    struct arena *arena;
    struct err *err;
};

static const char *trimmed(struct annotation *s, const char *text)
{
    while (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r')
        text++;
    size_t size = strlen(text);
    while (size && strchr(" \n\t\r", text[size - 1]))
        size--;
    return arena_copy(s->arena, (struct span){text, size});
}

/* Is the text unchanged? Label Studio may trim white space. */
static bool is_unchanged(struct annotation *s, const cJSON *old,
                         const char *text)
{
    struct buf shown = buf_limit(TEXT_BYTES_MAX);
    bool same = label_studio_task_text(old, &shown) &&
                !strcmp(trimmed(s, buf_span(&shown).data), trimmed(s, text));
    buf_free(&shown);
    return same;
}

/* --- reading the annotation --- */

static struct annotated *find_annotated(struct annotation *s,
                                        const char *pointer)
{
    for (int i = 0; i < s->n_value; i++)
        if (!strcmp(s->value[i].pointer, pointer)) return &s->value[i];
    return NULL;
}

static double percent_value(const cJSON *value, const char *key)
{
    const cJSON *n = json_get(value, key);
    double part = cJSON_IsNumber(n) ? n->valuedouble / 100 : NAN;
    return part > 1 ? 1 : part < 0 ? 0 : part;
}

static void read_box(struct annotation *s, const cJSON *result,
                     struct annotated *v)
{
    static const char *const key[] = {"x", "y", "width", "height"};
    const cJSON *index = json_get(result, "item_index");
    const cJSON *number = cJSON_GetArrayItem(
        s->pages, cJSON_IsNumber(index) ? index->valueint : 0);
    v->page = cJSON_IsNumber(number) ? number->valueint : 0;
    if (!v->page)
        err_set(s->err, ERR_INPUT,
                "%s is on a page that the task does not have", v->pointer);
    for (int i = 0; i < 4; i++) {
        v->box[i] = percent_value(json_get(result, "value"), key[i]);
        if (isnan(v->box[i]))
            err_set(s->err, ERR_INPUT, "the rectangle of %s has no %s",
                    v->pointer, key[i]);
    }
}

static struct annotated *add_annotated(struct annotation *s,
                                       const char *pointer)
{
    if (find_annotated(s, pointer))
        err_set(s->err, ERR_INPUT, "%s is annotated twice: keep one of them",
                pointer);
    s->value[s->n_value].pointer = pointer;
    return &s->value[s->n_value++];
}

static void read_rectangle(struct annotation *s, const cJSON *result)
{
    const cJSON *labels =
        json_get(json_get(result, "value"), "rectanglelabels");
    const cJSON *label = labels ? labels->child : NULL;
    if (!cJSON_IsString(label) || label->next) {
        err_set(s->err, ERR_INPUT,
                "a rectangle must have one label, the pointer of its value");
        return;
    }
    struct annotated *v = add_annotated(s, label->valuestring);
    v->id = json_get_text_or_empty(result, "id");
    read_box(s, result, v);
}

/* The first text of the result, or NULL. */
static const char *result_text(const cJSON *result)
{
    const cJSON *text = json_get(json_get(result, "value"), "text");
    if (cJSON_IsArray(text)) text = text->child;
    return cJSON_IsString(text) ? text->valuestring : NULL;
}

static void read_text(struct annotation *s, const cJSON *result)
{
    const char *id = json_get_text_or_empty(result, "id");
    for (int i = 0; i < s->n_value; i++) {
        struct annotated *v = &s->value[i];
        if (!v->id || strcmp(v->id, id) != 0) continue;
        v->text = result_text(result);
        return;
    }
    err_set(s->err, ERR_INPUT, "a text (`%.40s`) belongs to no rectangle",
            result_text(result) ? result_text(result) : "");
}

/* Parses "POINTER: TEXT". */
static void read_line(struct annotation *s, const char *line)
{
    const char *colon = strstr(line, ": ");
    if (*line != '/' || !colon) {
        err_set(s->err, ERR_INPUT, "`%.60s` is not POINTER: TEXT", line);
        return;
    }
    /* a key can contain ": " */
    for (const char *at = colon; at; at = strstr(at + 1, ": ")) {
        struct span pointer = {line, (size_t)(at - line)};
        if (json_pointer_find(s->data, arena_copy(s->arena, pointer)))
            colon = at;
    }
    const char *pointer =
        arena_copy(s->arena, (struct span){line, (size_t)(colon - line)});
    const struct annotated *there = find_annotated(s, pointer);
    bool drawn = there && there->id; /* it was given a rectangle */
    if (!drawn ||
        !is_unchanged(s, json_pointer_find(s->data, pointer), colon + 2))
        add_annotated(s, pointer)->text = colon + 2;
}

static void read_lines(struct annotation *s, const cJSON *result)
{
    const cJSON *text = json_get(json_get(result, "value"), "text");
    const cJSON *line = NULL;
    if (cJSON_IsString(text)) read_line(s, text->valuestring);
    if (!cJSON_IsArray(text)) return;
    cJSON_ArrayForEach(line, text)
    {
        if (cJSON_IsString(line) && !err_failed(s->err))
            read_line(s, line->valuestring);
    }
}

static int n_lines(const cJSON *list)
{
    const cJSON *r = NULL;
    int n = 0;
    cJSON_ArrayForEach(r, list)
    {
        n += 1 + cJSON_GetArraySize(json_get(json_get(r, "value"), "text"));
    }
    return n;
}

/* Rectangles first: texts and lines refer to them. */
static void read_result(struct annotation *s, const cJSON *list)
{
    static const struct {
        const char *from, *type;
        void (*take)(struct annotation *s, const cJSON *result);
    } part[] = {{STUDIO_FIELD, "rectanglelabels", read_rectangle},
                {STUDIO_TEXT, "textarea", read_text},
                {STUDIO_ELSEWHERE, "textarea", read_lines}};
    const cJSON *r = NULL;
    s->value =
        arena_array(s->arena, (size_t)n_lines(list) + 1, sizeof *s->value);
    for (int i = 0; i < 3; i++) {
        cJSON_ArrayForEach(r, list)
        {
            const char *from = json_get_text_or_empty(r, "from_name");
            const char *type = json_get_text_or_empty(r, "type");
            if (!strcmp(from, part[i].from) && !strcmp(type, part[i].type) &&
                !err_failed(s->err))
                part[i].take(s, r);
        }
    }
}

/* --- values --- */

/* Parses a number, true or false; NULL for any other text. */
static cJSON *literal(const char *text)
{
    struct err none = {0};
    cJSON *value = json_parse(span_of(text), &none);
    if (cJSON_IsNumber(value) || cJSON_IsBool(value)) return value;
    cJSON_Delete(value);
    return NULL;
}

/* Converts a text to a value. If the schema allows texts and others, the type
 * of the old value decides. */
static cJSON *text_value(struct annotation *s, const char *pointer,
                         const char *text, const cJSON *old)
{
    const cJSON *node = label_studio_task_schema(s->schema, pointer);
    bool is_other = schema_names_type(node, "number") ||
                    schema_names_type(node, "integer") ||
                    schema_names_type(node, "boolean");
    bool is_text = schema_names_type(node, "string") || cJSON_IsString(old);
    bool prefers =
        is_other && (!is_text || cJSON_IsNumber(old) || cJSON_IsBool(old));
    bool unknown = !is_other && !is_text;
    if (!*text) return cJSON_CreateNull();
    cJSON *value = prefers || unknown ? literal(text) : NULL;
    if (value) return value;
    if (prefers && !is_text)
        err_set(
            s->err, ERR_INPUT,
            "%s: `%.60s` is not valid under the schema: write it as in JSON "
            "(12.50, true)",
            pointer, text);
    return cJSON_CreateString(text);
}

/* --- changes --- */

static cJSON *new_change(struct annotation *s, const char *pointer,
                         cJSON *value)
{
    cJSON *change = cJSON_CreateObject();
    cJSON_AddStringToObject(change, "pointer", pointer);
    if (value) cJSON_AddItemToObject(change, "new", value);
    cJSON_AddItemToArray(s->changes, change);
    return change;
}

static void add_place(cJSON *change, const struct annotated *v)
{
    if (!v->page) return;
    json_add_integer(change, "page", v->page);
    cJSON *box = cJSON_AddArrayToObject(change, "box");
    for (int i = 0; i < 4; i++)
        cJSON_AddItemToArray(box,
                             json_new_exact(round(v->box[i] * 10000) / 10000));
}

/* Was the rectangle moved? */
static bool is_moved(const struct annotation *s, const struct annotated *v)
{
    const cJSON *list = json_get(json_get(s->fields, v->pointer), "evidence");
    const cJSON *first = list ? list->child : NULL;
    const cJSON *page = json_get(first, "page"), *box = json_get(first, "box");
    bool moved = !cJSON_IsNumber(page) || page->valueint != v->page;
    for (int i = 0; i < 4 && !moved; i++) {
        const cJSON *at = cJSON_GetArrayItem(box, i);
        moved = !at || fabs(at->valuedouble - v->box[i]) > moved_least;
    }
    return v->page && moved;
}

static void change_value(struct annotation *s, const char *pointer,
                         const cJSON *old)
{
    struct annotated *v = find_annotated(s, pointer);
    struct buf shown = buf_limit(TEXT_BYTES_MAX);
    bool was_shown = label_studio_task_text(old, &shown);
    buf_free(&shown);
    if (!v) {
        if (was_shown) new_change(s, pointer, cJSON_CreateNull());
        return;
    }
    v->used = true;
    bool same = !v->text || is_unchanged(s, old, v->text);
    if (same && (!was_shown || !is_moved(s, v))) return;
    cJSON *value = same ? cJSON_Duplicate(old, true)
                        : text_value(s, pointer, trimmed(s, v->text), old);
    add_place(new_change(s, pointer, value), v);
}

/* Does no value of the row have an annotation? *had: it had a value in the
 * task. */
static bool is_gone(struct annotation *s, const cJSON *value,
                    struct buf *pointer, bool *had)
{
    const cJSON *child = NULL;
    size_t size = pointer->size;
    int i = 0;
    if (!cJSON_IsArray(value) && !cJSON_IsObject(value)) {
        struct buf text = buf_limit(TEXT_BYTES_MAX);
        *had |= label_studio_task_text(value, &text);
        buf_free(&text);
        return !find_annotated(s, buf_span(pointer).data);
    }
    bool gone = true;
    cJSON_ArrayForEach(child, value)
    {
        json_pointer_add_child(pointer, value, child, i++);
        gone &= is_gone(s, child, pointer, had);
        buf_cut(pointer, size);
    }
    return gone;
}

/* A new row from its schema; values without an annotation are null. */
static cJSON *new_row(struct annotation *s, const cJSON *node,
                      struct buf *pointer, int depth, bool *any)
{
    const cJSON *properties = json_get(node, "properties"), *child = NULL;
    size_t size = pointer->size;
    if (!properties || depth == ROW_DEPTH_MAX) {
        struct annotated *v = find_annotated(s, buf_span(pointer).data);
        *any |= v && v->text;
        if (v) v->used = true;
        return v && v->text
                   ? text_value(s, v->pointer, trimmed(s, v->text), NULL)
                   : cJSON_CreateNull();
    }
    cJSON *row = cJSON_CreateObject();
    cJSON_ArrayForEach(child, properties)
    {
        json_pointer_add(pointer, child->string);
        cJSON_AddItemToObject(row, child->string,
                              new_row(s,
                                      schema_follow_nullable(s->schema, child),
                                      pointer, depth + 1, any));
        buf_cut(pointer, size);
    }
    return row;
}

/* Adds new rows after the old `n` rows, of which `left` remain. */
static void add_rows(struct annotation *s, struct buf *pointer, int n, int left)
{
    size_t size = pointer->size;
    const cJSON *items = json_get(
        label_studio_task_schema(s->schema, buf_span(pointer).data), "items");
    if (!cJSON_IsObject(items)) return;
    for (int i = 0; i < STUDIO_ROWS_MORE; i++) {
        bool any = false;
        json_pointer_add_index(pointer, n + i);
        cJSON *row = new_row(s, schema_follow_nullable(s->schema, items),
                             pointer, 0, &any);
        buf_cut(pointer, size);
        json_pointer_add_index(pointer, left);
        if (any)
            cJSON_AddTrueToObject(new_change(s, buf_span(pointer).data, row),
                                  "insert");
        else
            cJSON_Delete(row);
        left += any;
        buf_cut(pointer, size);
    }
}

static void change_all(struct annotation *s, const cJSON *value,
                       struct buf *pointer);

/* Starts with the last row, so that the rows before keep their numbers. */
static void change_rows(struct annotation *s, const cJSON *rows,
                        struct buf *pointer)
{
    size_t size = pointer->size;
    int n = cJSON_GetArraySize(rows), left = n;
    const cJSON *row = rows->child ? rows->child->prev : NULL;
    for (int i = n - 1; i >= 0; i--, row = row->prev) {
        bool had = false;
        json_pointer_add_index(pointer, i);
        bool gone = is_gone(s, row, pointer, &had) && had;
        left -= gone;
        if (gone)
            cJSON_AddTrueToObject(new_change(s, buf_span(pointer).data, NULL),
                                  "remove");
        else
            change_all(s, row, pointer);
        buf_cut(pointer, size);
    }
    add_rows(s, pointer, n, left);
}

static void change_all(struct annotation *s, const cJSON *value,
                       struct buf *pointer)
{
    const cJSON *child = NULL;
    size_t size = pointer->size;
    if (cJSON_IsArray(value)) {
        change_rows(s, value, pointer);
    } else if (cJSON_IsObject(value)) {
        cJSON_ArrayForEach(child, value)
        {
            json_pointer_add(pointer, child->string);
            change_all(s, child, pointer);
            buf_cut(pointer, size);
        }
    } else {
        change_value(s, buf_span(pointer).data, value);
    }
}

void label_studio_annotation_changes(const cJSON *result, const cJSON *pages,
                                     const cJSON *record,
                                     const struct schema *schema,
                                     cJSON *changes, struct err *err)
{
    if (err_failed(err)) return;
    struct annotation s = {.pages = pages,
                           .data = json_get(record, "data"),
                           .fields = json_get(record, "fields"),
                           .schema = schema,
                           .changes = changes,
                           .arena = arena_new(),
                           .err = err};
    struct buf pointer = buf_limit(POINTER_BYTES_MAX);
    read_result(&s, result);
    if (!err_failed(err)) change_all(&s, s.data, &pointer);
    for (int i = 0; i < s.n_value && !err_failed(err); i++)
        if (!s.value[i].used)
            err_set(err, ERR_INPUT, "%s is not a value of the record",
                    s.value[i].pointer);
    buf_free(&pointer);
    arena_free(s.arena);
}
