/* gather.c - one value from what the pages gave (windows_inside.h). The rows stay
 * in their file: whoever looks at the value gets them from there, one by one and
 * each time the same (document.h, struct document_rows). */
#include "stages/window/windows_inside.h"

#include "stages/field.h"
#include "stages/window/scalars.h"
#include "vlm/base/json.h"
#include "vlm/base/pointer.h"

enum { DEPTH_MAX = 64 };

/* The array at the pointer, made with the objects on the way to it. */
static cJSON *make_array(cJSON **root, const char *pointer, struct arena *arena)
{
    struct span token;
    if (!*pointer) {
        cJSON_Delete(*root);
        return *root = cJSON_CreateArray();
    }
    cJSON *at = *root;
    while (pointer_next(&pointer, &token)) {
        const char *key = pointer_text(token, arena);
        cJSON *next = cJSON_GetObjectItemCaseSensitive(at, key);
        if (next && (!*pointer || !cJSON_IsObject(next))) {
            cJSON_DeleteItemFromObjectCaseSensitive(at, key);
            next = NULL;
        }
        if (!next) {
            next = *pointer ? cJSON_CreateObject() : cJSON_CreateArray();
            cJSON_AddItemToObject(at, key, next);
        }
        at = next;
    }
    return at;
}

static void add_scalar_fields(struct windows *w)
{
    struct document *doc = w->r->doc;
    const cJSON *entry = NULL, *f = NULL;
    cJSON_ArrayForEach(entry, w->scalars)
    {
        cJSON_ArrayForEach(f, json_get(entry, "fields"))
        {
            struct field *own = document_add_field(doc);
            *own = field_kept(f);
            own->pointer = arena_copy(doc->arena, span_of(own->pointer));
            if (own->evidence)
                own->evidence = arena_copy(doc->arena, span_of(own->evidence));
        }
    }
}

static bool is_required(const cJSON *node, const char *key)
{
    const cJSON *each = NULL;
    cJSON_ArrayForEach(each, json_get(node, "required"))
    {
        if (cJSON_IsString(each) && !strcmp(each->valuestring, key))
            return true;
    }
    return false;
}

/* The schema of a member; NULL where nothing is said of it. */
static const cJSON *member_schema(const cJSON *node, const char *key)
{
    const cJSON *own = json_get(json_get(node, "properties"), key), *p = NULL;
    if (own) return own;
    cJSON_ArrayForEach(p, json_get(node, "patternProperties"))
    {
        if (schema_pattern_may_cover(p->string, key)) return p;
    }
    return json_get(node, "additionalProperties");
}

/* A page may say null where the schema has none: for a member that need not be
 * there that means that it is not. */
static void drop_nulls(const struct schema *s, const cJSON *node, cJSON *value,
                       int depth)
{
    node = schema_follow(s, node);
    const cJSON *items = json_get(node, "items");
    if (depth > DEPTH_MAX) return;
    for (cJSON *next, *m = value->child; m; m = next) {
        next = m->next;
        const cJSON *p =
            cJSON_IsObject(value) ? member_schema(node, m->string) : items;
        if (!cJSON_IsObject(p)) continue;
        if (cJSON_IsNull(m) && cJSON_IsObject(value) &&
            !is_required(node, m->string) && !schema_admits(s, p, m))
            cJSON_Delete(cJSON_DetachItemViaPointer(value, m));
        else
            drop_nulls(s, p, m, depth + 1);
    }
}

/* --- rows, from their file --------------------------------------------------- */

struct gathered {
    struct document_rows rows;
    struct rows *file;
    const struct schema *schema;
    const cJSON *value; /* all but the rows */
    struct {
        const cJSON *array; /* in value, empty */
        const char *pointer;
        const cJSON *item; /* schema of a row, or NULL */
        int n_row, n_seen; /* of next_fields */
    } of[PLAN_ARRAY_MAX];
    int n_of;
    cJSON *row;          /* given last, */
    int index;           /* its place; -1: none */
    cJSON *line;         /* of the fields given last, */
    struct arena *arena; /* and theirs */
};

static struct gathered *gathered_of(void *rows)
{
    return rows; /* its first member */
}

static int find_array(const struct gathered *g, const cJSON *group)
{
    int i = 0;
    while (i < g->n_of && g->of[i].array != group)
        i++;
    return i < g->n_of ? i : -1;
}

static int count_rows(struct json_stream *stream, const cJSON *group)
{
    const struct gathered *g = gathered_of(stream);
    int i = find_array(g, group);
    return i < 0 ? -1 : g->of[i].n_row;
}

/* The row as it is published: nothing changes it any more. */
static void finish_row(struct gathered *g, int array)
{
    const cJSON *item = g->of[array].item;
    if (item) drop_nulls(g->schema, item, g->row, 0);
    schema_order_member(g->schema, g->value, g->of[array].array, g->index,
                        g->row);
}

static const cJSON *next_row(struct json_stream *stream, const cJSON *group,
                             const cJSON *child)
{
    struct gathered *g = gathered_of(stream);
    int i = find_array(g, group);
    if (i < 0) return child ? child->next : group->child;
    if (!child) {
        rows_rewind(g->file, &g->rows.err);
        g->index = -1;
    }
    cJSON_Delete(g->row);
    cJSON *line = rows_next(g->file, i, &g->rows.err);
    g->row = cJSON_DetachItemFromObjectCaseSensitive(line, "row");
    cJSON_Delete(line);
    g->index++;
    if (g->row) finish_row(g, i);
    return g->row;
}

/* The line's array, or -1: it is none of the plan's. */
static int array_of(const struct gathered *g, const cJSON *line)
{
    const cJSON *array = json_get(line, "array");
    int i = array ? array->valueint : -1;
    return i >= 0 && i < g->n_of ? i : -1;
}

static struct field *fields_of(struct gathered *g, const cJSON *line,
                               int *n_field)
{
    const cJSON *kept = json_get(line, "fields"), *f = NULL;
    int i = array_of(g, line), index = g->of[i].n_seen++, n = 0;
    struct field *field = arena_array(
        g->arena, (size_t)cJSON_GetArraySize(kept) + 1, sizeof *field);
    cJSON_ArrayForEach(f, kept)
    {
        field[n] = field_kept(f);
        field[n].pointer = arena_text(g->arena, "%s/%d%s", g->of[i].pointer,
                                      index, field[n].pointer);
        n++;
    }
    *n_field = n;
    return field;
}

static const struct field *next_fields(struct document_rows *rows, bool first,
                                       int *n_field)
{
    struct gathered *g = gathered_of(rows);
    arena_reset(g->arena);
    for (int i = 0; first && i < g->n_of; i++)
        g->of[i].n_seen = 0;
    if (first) rows_rewind(g->file, &rows->err);
    cJSON_Delete(g->line);
    g->line = rows_next(g->file, -1, &rows->err);
    return g->line ? fields_of(g, g->line, n_field) : NULL;
}

static void close_rows(struct document_rows *rows)
{
    struct gathered *g = gathered_of(rows);
    cJSON_Delete(g->row);
    cJSON_Delete(g->line);
    rows_close(g->file);
    arena_free(g->arena);
    mem_give(g);
}

/* Takes over the file. */
static struct gathered *gathered_new(struct windows *w)
{
    struct gathered *g = mem_take(1, sizeof *g);
    g->rows = (struct document_rows){.stream = {next_row, count_rows},
                                     .next_fields = next_fields,
                                     .close = close_rows};
    g->file = w->rows;
    g->arena = arena_new();
    w->rows = NULL;
    return g;
}

static void count_all(struct gathered *g, struct err *err)
{
    cJSON *line;
    rows_rewind(g->file, err);
    while ((line = rows_next(g->file, -1, err))) {
        int i = array_of(g, line);
        if (i >= 0)
            g->of[i].n_row++;
        else
            err_set(err, ERR_SYSTEM, "a row of no array was kept");
        cJSON_Delete(line);
    }
}

void windows_gather(struct windows *w)
{
    struct document *doc = w->r->doc;
    if (err_failed(w->r->err)) return;
    document_drop_data(doc);
    doc->n_field = doc->room_field = 0;
    doc->data = scalars_value(w->scalars);
    drop_nulls(doc->schema, schema_root(doc->schema), doc->data, 0);
    add_scalar_fields(w);
    struct gathered *g = gathered_new(w);
    doc->rows = &g->rows;
    g->schema = doc->schema;
    for (; g->n_of < w->plan->n_array; g->n_of++) {
        const struct plan_array *a = &w->plan->array[g->n_of];
        g->of[g->n_of].array = make_array(&doc->data, a->pointer, doc->arena);
        g->of[g->n_of].pointer = arena_copy(doc->arena, span_of(a->pointer));
        g->of[g->n_of].item = a->item;
    }
    g->value = doc->data;
    count_all(g, w->r->err);
}
