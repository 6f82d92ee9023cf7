/* merge.c - see merge.h. */
#include "stages/record/merge.h"

#include <stdio.h>
#include <stdlib.h>

#include "vlm/base/buf.h"
#include "vlm/base/json.h"

enum { POINTER_MAX = 1024 };

struct merge {
    struct document *doc;
    int number;
};

/* Moves `value` into `*into` (NULL: nothing there yet). */
static void merge_value(const struct merge *m, cJSON *into, cJSON *value,
                        const char *pointer)
{
    if (cJSON_IsArray(into) && cJSON_IsArray(value)) {
        while (value->child)
            cJSON_AddItemToArray(
                into, cJSON_DetachItemViaPointer(value, value->child));
        return;
    }
    if (!cJSON_IsObject(into) || !cJSON_IsObject(value)) {
        if (!cJSON_IsNull(value) && !json_equal(into, value))
            document_warn(m->doc,
                          "%s: page %d says something else than an "
                          "earlier page, whose value was kept",
                          pointer, m->number);
        return;
    }
    for (cJSON *next, *child = value->child; child; child = next) {
        next = child->next;
        cJSON *old = cJSON_GetObjectItemCaseSensitive(into, child->string);
        char place[POINTER_MAX];
        snprintf(place, sizeof place, "%s/%s", pointer, child->string);
        if (old && !cJSON_IsNull(old)) {
            merge_value(m, old, child, place);
            continue;
        }
        char *key = arena_copy(m->doc->arena, span_of(child->string));
        cJSON_DetachItemViaPointer(value, child);
        if (old)
            cJSON_ReplaceItemInObjectCaseSensitive(into, key, child);
        else
            cJSON_AddItemToObject(into, key, child);
    }
}

/* Where the leaf `pointer` of a page will stand in the joined value, or false
 * when an earlier page's value is kept there. Keys of our schemas hold no '~'
 * escapes that would matter here: the token is only compared. */
static bool place_of(const cJSON *joined, const char *pointer, struct buf *out)
{
    const cJSON *at = joined;
    while (*pointer == '/') {
        const char *token = ++pointer;
        pointer += strcspn(pointer, "/");
        char key[256];
        snprintf(key, sizeof key, "%.*s", (int)(pointer - token), token);
        if (cJSON_IsArray(at)) {
            buf_print(out, "/%d",
                      cJSON_GetArraySize(at) + (int)strtol(key, NULL, 10));
            at = NULL; /* behind everything that is there */
        } else {
            buf_print(out, "/%s", key);
            at = at ? json_get(at, key) : NULL;
        }
    }
    return !at || cJSON_IsNull(at);
}

/* The entry of that place (an earlier page's null), or a new one. */
static struct field *entry(struct field *all, int *n, struct span place)
{
    for (int i = 0; i < *n; i++)
        if (span_equal(span_of(all[i].pointer), place)) return &all[i];
    return &all[(*n)++];
}

static void merge_fields(struct document *doc, const struct field *field,
                         int n_field)
{
    struct field *all =
        arena_array(doc->arena, (size_t)(doc->n_field + n_field), sizeof *all);
    int n = 0;
    for (; n < doc->n_field; n++)
        all[n] = doc->field[n];
    struct buf place = buf_limit(POINTER_MAX);
    for (int i = 0; i < n_field; i++) {
        buf_cut(&place, 0);
        if (!place_of(doc->data, field[i].pointer, &place)) continue;
        struct field *to = entry(all, &n, buf_span(&place));
        *to = field[i];
        to->pointer = arena_copy(doc->arena, buf_span(&place));
    }
    buf_free(&place);
    doc->field = all;
    doc->n_field = n;
}

void merge_page(struct document *doc, cJSON *value, const struct field *field,
                int n_field, int number)
{
    merge_fields(doc, field, n_field);
    if (!doc->data) {
        doc->data = value;
        return;
    }
    merge_value(&(struct merge){doc, number}, doc->data, value, "");
    cJSON_Delete(value);
}
