/* gather.c - one value from what the pages gave (windows_inside.h). */
#include "stages/window/windows_inside.h"

#include "stages/field.h"
#include "stages/window/scalars.h"
#include "vlm/base/buf.h"
#include "vlm/base/json.h"
#include "vlm/base/pointer.h"

enum { POINTER_MAX = 1 << 16, DEPTH_MAX = 64 };

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

/* Fields as rows.h has them, with `top` before their pointers. */
static void add_fields(struct document *doc, const cJSON *fields,
                       struct span top)
{
    const cJSON *f = NULL;
    cJSON_ArrayForEach(f, fields)
    {
        struct field *own = document_add_field(doc);
        *own = field_kept(f);
        own->pointer = arena_text(doc->arena, "%.*s%s", (int)top.size, top.data,
                                  own->pointer);
    }
}

static void add_scalar_fields(struct windows *w)
{
    const cJSON *entry = NULL;
    cJSON_ArrayForEach(entry, w->scalars)
    {
        add_fields(w->r->doc, json_get(entry, "fields"), (struct span){"", 0});
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

/* A page may say null where the schema has none: for a member that need not be
 * there that means that it is not. */
static void drop_nulls(const struct schema *s, const cJSON *node, cJSON *value,
                       int depth)
{
    node = schema_follow(s, node);
    const cJSON *properties = json_get(node, "properties");
    const cJSON *items = json_get(node, "items");
    if (depth > DEPTH_MAX) return;
    for (cJSON *next, *m = value->child; m; m = next) {
        next = m->next;
        const cJSON *p =
            cJSON_IsObject(value) ? json_get(properties, m->string) : items;
        if (!p) continue;
        if (cJSON_IsNull(m) && cJSON_IsObject(value) &&
            !is_required(node, m->string) && !schema_admits(s, p, m))
            cJSON_Delete(cJSON_DetachItemViaPointer(value, m));
        else
            drop_nulls(s, p, m, depth + 1);
    }
}

/* Puts a row behind its array's others. */
static void place_row(struct windows *w, cJSON *array, cJSON *line, int i,
                      int n)
{
    const struct plan_array *a = &w->plan->array[i];
    struct buf top = buf_limit(POINTER_MAX);
    buf_add_text(&top, a->pointer);
    pointer_add_index(&top, n);
    add_fields(w->r->doc, json_get(line, "fields"), buf_span(&top));
    buf_free(&top);
    cJSON *row = cJSON_DetachItemFromObjectCaseSensitive(line, "row");
    if (a->item) drop_nulls(w->r->doc->schema, a->item, row, 0);
    cJSON_AddItemToArray(array, row);
}

void windows_gather(struct windows *w)
{
    struct document *doc = w->r->doc;
    struct err *err = w->r->err;
    cJSON *array[PLAN_ARRAY_MAX], *line;
    int n[PLAN_ARRAY_MAX] = {0};
    if (err_failed(err)) return;
    doc->n_field = doc->room_field = 0;
    doc->data = scalars_value(w->scalars);
    drop_nulls(doc->schema, schema_root(doc->schema), doc->data, 0);
    add_scalar_fields(w);
    for (int i = 0; i < w->plan->n_array; i++)
        array[i] =
            make_array(&doc->data, w->plan->array[i].pointer, doc->arena);
    rows_rewind(w->rows, err);
    while ((line = rows_next(w->rows, err))) {
        const cJSON *at = json_get(line, "array");
        int i = at ? at->valueint : 0;
        if (i >= 0 && i < w->plan->n_array)
            place_row(w, array[i], line, i, n[i]++);
        cJSON_Delete(line);
    }
}
