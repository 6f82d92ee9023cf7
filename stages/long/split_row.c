/* split_row.c - see split_row.h. */
#include "stages/long/split_row.h"

#include <string.h>

#include "stages/ask/field.h"
#include "stages/print/canon.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

static bool begins_with(const cJSON *whole, const cJSON *part)
{
    return !strncmp(whole->valuestring, part->valuestring,
                    strlen(part->valuestring));
}

/* Whether a text can be cut in two: not if its schema gives it a form. */
static bool is_free_text(const struct schema *s, const cJSON *node)
{
    node = schema_follow(s, node);
    return !json_get(node, "format") && !json_get(node, "enum") &&
           !json_get(node, "const") && !json_get(node, "pattern");
}

/* Whether `rest` can be the rest of `row` under the schema `node`: not if numbers or
 * dates differ. */
static bool may_join(const struct schema *s, const cJSON *node,
                     const cJSON *row, const cJSON *rest)
{
    if (!cJSON_IsObject(row) || !cJSON_IsObject(rest)) return false;
    const cJSON *properties = json_get(schema_follow(s, node), "properties");
    for (const cJSON *m = rest->child; m; m = m->next) {
        const cJSON *own = json_get(row, m->string);
        const cJSON *p = json_get(properties, m->string);
        if (cJSON_IsNull(m) || !own || cJSON_IsNull(own)) continue;
        if (cJSON_IsString(m) && cJSON_IsString(own) && is_free_text(s, p))
            continue;
        if (cJSON_IsObject(m) && may_join(s, p, own, m)) continue;
        if (!json_equal(own, m)) return false;
    }
    return true;
}

static bool ends_with(const cJSON *whole, const cJSON *part)
{
    size_t n = strlen(whole->valuestring), tail = strlen(part->valuestring);
    return n >= tail &&
           !strcmp(whole->valuestring + n - tail, part->valuestring);
}

/* Whether the rest repeats one text of two or more words from its beginning, but has
 * another one: then it is made of this row and the next one. */
static bool is_of_two(const cJSON *row, const cJSON *rest)
{
    bool again = false, more = false;
    const cJSON *m = NULL;
    cJSON_ArrayForEach(m, rest)
    {
        const cJSON *own = json_get(row, m->string);
        if (!cJSON_IsString(m) || !cJSON_IsString(own)) continue;
        bool same = begins_with(m, own);
        again |= same && strchr(own->valuestring, ' ');
        more |= !same && !ends_with(own, m);
    }
    return again && more;
}

/* Whether the row has a number of its rest already: then it was complete. */
static bool is_whole(const cJSON *row, const cJSON *rest)
{
    const cJSON *m = NULL;
    cJSON_ArrayForEach(m, rest)
    {
        if (cJSON_IsNumber(m) && cJSON_IsNumber(json_get(row, m->string)))
            return true;
    }
    return false;
}

static void join_member(cJSON *row, const cJSON *m)
{
    cJSON *own = cJSON_GetObjectItemCaseSensitive(row, m->string);
    if (!own) {
        cJSON_AddItemToObject(row, m->string, cJSON_Duplicate(m, true));
    } else if (cJSON_IsNull(own)) {
        cJSON_ReplaceItemInObjectCaseSensitive(row, m->string,
                                               cJSON_Duplicate(m, true));
    } else if (cJSON_IsObject(own)) {
        for (const cJSON *deep = m->child; deep; deep = deep->next)
            if (!cJSON_IsNull(deep)) join_member(own, deep);
    } else if (cJSON_IsString(own) &&
               strcmp(own->valuestring, m->valuestring)) {
        struct buf text = buf_limit(1 << 24);
        if (!begins_with(m, own)) buf_print(&text, "%s ", own->valuestring);
        buf_add_text(&text, m->valuestring);
        cJSON_SetValuestring(own, buf_span(&text).data);
        buf_free(&text);
    }
}

static int count(const struct canons *items, const struct canon *item)
{
    int n = 0;
    for (int i = 0; i < items->n_item; i++)
        n += canon_equal(&items->item[i], item);
    return n;
}

/* Whether the waiting row has a word of its rest more often than its own lines: then it
 * comes from the page of the rest. */
static bool has_more(const cJSON *waits, const cJSON *own, const cJSON *rest,
                     struct arena *arena)
{
    struct canons printed = {0}, said = {0}, more = {0};
    const char *lines = json_get_text(waits, "lines");
    if (!lines) return false;
    canon_add_text(&printed, lines, arena);
    canon_add_text(&said, own->valuestring, arena);
    canon_add_text(&more, rest->valuestring, arena);
    for (int i = 0; i < more.n_item; i++)
        if (count(&said, &more.item[i]) > count(&printed, &more.item[i]))
            return true;
    return false;
}

/* Adds the fields of the rest; of a field in both, the less probable one counts. */
static void join_fields(cJSON *entry, const cJSON *rest)
{
    cJSON *own = cJSON_GetObjectItemCaseSensitive(entry, "fields");
    const cJSON *f = NULL;
    cJSON_ArrayForEach(f, json_get(rest, "fields"))
    {
        struct field more = field_kept(f, NULL);
        const cJSON *value =
            json_pointer_find(json_get(rest, "row"), more.pointer);
        if (!value || cJSON_IsNull(value)) continue;
        cJSON *same = NULL;
        cJSON_ArrayForEach(same, own)
        {
            if (!strcmp(field_kept(same, NULL).pointer, more.pointer)) break;
        }
        if (!same)
            cJSON_AddItemToArray(own, cJSON_Duplicate(f, true));
        else
            cJSON_ReplaceItemViaPointer(own, same, field_keep_both(same, f));
    }
}

bool split_row_fits(const struct long_document *w, int array,
                    const cJSON *entry)
{
    const cJSON *waits = cJSON_GetArrayItem(w->last, array);
    return cJSON_IsObject(waits) && entry && !json_get(waits, "closed") &&
           may_join(w->plan->source, w->plan->array[array].item,
                    json_get(waits, "row"), json_get(entry, "row")) &&
           !is_of_two(json_get(waits, "row"), json_get(entry, "row"));
}

void split_row_join(struct long_document *w, int array, cJSON *entries)
{
    if (!split_row_fits(w, array, entries->child)) return;
    cJSON *waits = cJSON_GetArrayItem(w->last, array);
    cJSON *row = cJSON_GetObjectItemCaseSensitive(waits, "row");
    const cJSON *rest = json_get(entries->child, "row");
    bool whole = is_whole(row, rest);
    for (const cJSON *m = rest->child; m; m = m->next) {
        const cJSON *own = json_get(row, m->string);
        bool said = cJSON_IsString(m) && cJSON_IsString(own) &&
                    ends_with(own, m) &&
                    (whole || has_more(waits, own, m, w->r->doc->scratch));
        if (!cJSON_IsNull(m) && !said) join_member(row, m);
    }
    join_fields(waits, entries->child);
    if (json_get(entries->child, "closed")) row_file_mark_closed(waits);
    cJSON_Delete(cJSON_DetachItemViaPointer(entries, entries->child));
}

void split_row_add(cJSON *waits, const cJSON *entry)
{
    cJSON *row = cJSON_GetObjectItemCaseSensitive(waits, "row");
    const cJSON *m = NULL;
    cJSON_ArrayForEach(m, json_get(entry, "row"))
    {
        if (!cJSON_IsNull(m)) join_member(row, m);
    }
    join_fields(waits, entry);
}
