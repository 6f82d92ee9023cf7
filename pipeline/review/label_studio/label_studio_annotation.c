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

/* Of a page: by so much Label Studio may round. */
static const double moved_least = 0.002;

/* What is said of one value. */
struct spoken {
    const char *pointer, *id; /* id: of its rectangle; NULL: a line */
    const char *text;         /* NULL: a rectangle without */
    int page;                 /* 0: no place */
    double box[4];            /* 0..1 */
    bool used;
};

struct hearing {
    const cJSON *pages, *data, *fields;
    const struct schema *schema;
    cJSON *changes;
    struct spoken *value;
    int n_value;
    struct arena *arena;
    struct err *err;
};

static const char *trimmed(struct hearing *s, const char *text)
{
    while (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r')
        text++;
    size_t size = strlen(text);
    while (size && strchr(" \n\t\r", text[size - 1]))
        size--;
    return arena_copy(s->arena, (struct span){text, size});
}

/* Is it what was shown? Label Studio may trim what it shows. */
static bool is_as_shown(struct hearing *s, const cJSON *old, const char *text)
{
    struct buf shown = buf_limit(TEXT_BYTES_MAX);
    bool same = label_studio_task_text(old, &shown) &&
                !strcmp(trimmed(s, buf_span(&shown).data), trimmed(s, text));
    buf_free(&shown);
    return same;
}

/* --- reading what is there --- */

static struct spoken *find(struct hearing *s, const char *pointer)
{
    for (int i = 0; i < s->n_value; i++)
        if (!strcmp(s->value[i].pointer, pointer)) return &s->value[i];
    return NULL;
}

static double part_of(const cJSON *value, const char *key)
{
    const cJSON *n = json_get(value, key);
    double part = cJSON_IsNumber(n) ? n->valuedouble / 100 : NAN;
    return part > 1 ? 1 : part < 0 ? 0 : part;
}

static void read_box(struct hearing *s, const cJSON *result, struct spoken *v)
{
    static const char *const key[] = {"x", "y", "width", "height"};
    const cJSON *index = json_get(result, "item_index");
    const cJSON *number = cJSON_GetArrayItem(
        s->pages, cJSON_IsNumber(index) ? index->valueint : 0);
    v->page = cJSON_IsNumber(number) ? number->valueint : 0;
    if (!v->page)
        err_set(s->err, ERR_INPUT, "%s stands on a page that the task has not",
                v->pointer);
    for (int i = 0; i < 4; i++) {
        v->box[i] = part_of(json_get(result, "value"), key[i]);
        if (isnan(v->box[i]))
            err_set(s->err, ERR_INPUT, "the rectangle of %s has no %s",
                    v->pointer, key[i]);
    }
}

static struct spoken *add(struct hearing *s, const char *pointer)
{
    if (find(s, pointer))
        err_set(s->err, ERR_INPUT, "two are given for %s: leave one of them",
                pointer);
    s->value[s->n_value].pointer = pointer;
    return &s->value[s->n_value++];
}

static void take_rectangle(struct hearing *s, const cJSON *result)
{
    const cJSON *labels =
        json_get(json_get(result, "value"), "rectanglelabels");
    const cJSON *label = labels ? labels->child : NULL;
    if (!cJSON_IsString(label) || label->next) {
        err_set(s->err, ERR_INPUT, "a rectangle has one label, a value's");
        return;
    }
    struct spoken *v = add(s, label->valuestring);
    v->id = json_get_text_or_empty(result, "id");
    read_box(s, result, v);
}

/* Its one text, or NULL. */
static const char *text_of(const cJSON *result)
{
    const cJSON *text = json_get(json_get(result, "value"), "text");
    if (cJSON_IsArray(text)) text = text->child;
    return cJSON_IsString(text) ? text->valuestring : NULL;
}

static void take_text(struct hearing *s, const cJSON *result)
{
    const char *id = json_get_text_or_empty(result, "id");
    for (int i = 0; i < s->n_value; i++) {
        struct spoken *v = &s->value[i];
        if (!v->id || strcmp(v->id, id) != 0) continue;
        v->text = text_of(result);
        return;
    }
    err_set(s->err, ERR_INPUT, "a text (`%.40s`) belongs to no rectangle",
            text_of(result) ? text_of(result) : "");
}

/* "POINTER: TEXT". */
static void take_line(struct hearing *s, const char *line)
{
    const char *colon = strstr(line, ": ");
    if (*line != '/' || !colon) {
        err_set(s->err, ERR_INPUT, "`%.60s` is not POINTER: TEXT", line);
        return;
    }
    /* a key may have ": " in it */
    for (const char *at = colon; at; at = strstr(at + 1, ": ")) {
        struct span pointer = {line, (size_t)(at - line)};
        if (json_pointer_find(s->data, arena_copy(s->arena, pointer)))
            colon = at;
    }
    const char *pointer =
        arena_copy(s->arena, (struct span){line, (size_t)(colon - line)});
    const struct spoken *there = find(s, pointer);
    bool drawn = there && there->id; /* it has a rectangle by now */
    if (!drawn ||
        !is_as_shown(s, json_pointer_find(s->data, pointer), colon + 2))
        add(s, pointer)->text = colon + 2;
}

static void take_lines(struct hearing *s, const cJSON *result)
{
    const cJSON *text = json_get(json_get(result, "value"), "text");
    const cJSON *line = NULL;
    if (cJSON_IsString(text)) take_line(s, text->valuestring);
    if (!cJSON_IsArray(text)) return;
    cJSON_ArrayForEach(line, text)
    {
        if (cJSON_IsString(line) && !err_failed(s->err))
            take_line(s, line->valuestring);
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

/* Rectangles first: texts and lines are held against them. */
static void read_result(struct hearing *s, const cJSON *list)
{
    static const struct {
        const char *from, *type;
        void (*take)(struct hearing *s, const cJSON *result);
    } part[] = {{STUDIO_FIELD, "rectanglelabels", take_rectangle},
                {STUDIO_TEXT, "textarea", take_text},
                {STUDIO_ELSEWHERE, "textarea", take_lines}};
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

/* A number or a truth, as it is written; NULL: it is neither. */
static cJSON *literal(const char *text)
{
    struct err none = {0};
    cJSON *value = json_parse(span_of(text), &none);
    if (cJSON_IsNumber(value) || cJSON_IsBool(value)) return value;
    cJSON_Delete(value);
    return NULL;
}

/* Where a schema takes both, what the value was decides. */
static cJSON *value_of(struct hearing *s, const char *pointer, const char *text,
                       const cJSON *old)
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
        err_set(s->err, ERR_INPUT,
                "%s: `%.60s` is no value of the schema: write it as JSON does "
                "(12.50, true)",
                pointer, text);
    return cJSON_CreateString(text);
}

/* --- changes --- */

static cJSON *new_change(struct hearing *s, const char *pointer, cJSON *value)
{
    cJSON *change = cJSON_CreateObject();
    cJSON_AddStringToObject(change, "pointer", pointer);
    if (value) cJSON_AddItemToObject(change, "new", value);
    cJSON_AddItemToArray(s->changes, change);
    return change;
}

static void put_place(cJSON *change, const struct spoken *v)
{
    if (!v->page) return;
    cJSON_AddItemToObject(change, "page", json_new_integer(v->page));
    cJSON *box = cJSON_AddArrayToObject(change, "box");
    for (int i = 0; i < 4; i++)
        cJSON_AddItemToArray(box,
                             json_new_exact(round(v->box[i] * 10000) / 10000));
}

/* Does the rectangle stand elsewhere than the value was shown? */
static bool is_moved(const struct hearing *s, const struct spoken *v)
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

static void change_value(struct hearing *s, const char *pointer,
                         const cJSON *old)
{
    struct spoken *v = find(s, pointer);
    struct buf shown = buf_limit(TEXT_BYTES_MAX);
    bool was_shown = label_studio_task_text(old, &shown);
    buf_free(&shown);
    if (!v) {
        if (was_shown) new_change(s, pointer, cJSON_CreateNull());
        return;
    }
    v->used = true;
    bool same = !v->text || is_as_shown(s, old, v->text);
    if (same && (!was_shown || !is_moved(s, v))) return;
    cJSON *value = same ? cJSON_Duplicate(old, true)
                        : value_of(s, pointer, trimmed(s, v->text), old);
    put_place(new_change(s, pointer, value), v);
}

/* Had the row values, and has it none any more? */
static bool is_gone(struct hearing *s, const cJSON *value, struct buf *pointer,
                    bool *had)
{
    const cJSON *child = NULL;
    size_t size = pointer->size;
    int i = 0;
    if (!cJSON_IsArray(value) && !cJSON_IsObject(value)) {
        struct buf text = buf_limit(TEXT_BYTES_MAX);
        *had |= label_studio_task_text(value, &text);
        buf_free(&text);
        return !find(s, buf_span(pointer).data);
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

/* A new row from its schema: what nobody speaks of is null. */
static cJSON *row_of(struct hearing *s, const cJSON *node, struct buf *pointer,
                     int depth, bool *any)
{
    const cJSON *properties = json_get(node, "properties"), *child = NULL;
    size_t size = pointer->size;
    if (!properties || depth == ROW_DEPTH_MAX) {
        struct spoken *v = find(s, buf_span(pointer).data);
        *any |= v && v->text;
        if (v) v->used = true;
        return v && v->text ? value_of(s, v->pointer, trimmed(s, v->text), NULL)
                            : cJSON_CreateNull();
    }
    cJSON *row = cJSON_CreateObject();
    cJSON_ArrayForEach(child, properties)
    {
        json_pointer_add(pointer, child->string);
        cJSON_AddItemToObject(row, child->string,
                              row_of(s,
                                     schema_follow_nullable(s->schema, child),
                                     pointer, depth + 1, any));
        buf_cut(pointer, size);
    }
    return row;
}

/* Behind the `n` rows that were there, of which `left` are left. */
static void add_rows(struct hearing *s, struct buf *pointer, int n, int left)
{
    size_t size = pointer->size;
    const cJSON *items = json_get(
        label_studio_task_schema(s->schema, buf_span(pointer).data), "items");
    if (!cJSON_IsObject(items)) return;
    for (int i = 0; i < STUDIO_ROWS_MORE; i++) {
        bool any = false;
        json_pointer_add_index(pointer, n + i);
        cJSON *row = row_of(s, schema_follow_nullable(s->schema, items),
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

static void change_all(struct hearing *s, const cJSON *value,
                       struct buf *pointer);

/* From the last row on, so that those in front keep their numbers. */
static void change_rows(struct hearing *s, const cJSON *rows,
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

static void change_all(struct hearing *s, const cJSON *value,
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
    struct hearing s = {.pages = pages,
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
            err_set(err, ERR_INPUT, "%s is no value of the record",
                    s.value[i].pointer);
    buf_free(&pointer);
    arena_free(s.arena);
}
