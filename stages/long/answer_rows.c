/* answer_rows.c - the rows of an answer as entries of the file of rows
 * (long_inside.h). */
#include "stages/long/long_inside.h"

#include "stages/ask/field.h"
#include "stages/long/nested_tables.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

/* Detaches the value at the pointer, or returns NULL. */
static cJSON *detach(cJSON *value, const char *pointer, struct arena *arena)
{
    const char *slash = strrchr(pointer, '/');
    const cJSON *item = json_pointer_find(value, pointer);
    if (!item || !slash) return NULL;
    const char *above =
        arena_copy(arena, (struct span){pointer, (size_t)(slash - pointer)});
    cJSON *parent = (cJSON *)json_pointer_find(value, above);
    return cJSON_DetachItemViaPointer(parent, (cJSON *)item);
}

/* The elements of the array at the pointer `at` of an answer as entries, in order,
 * without nulls. */
static cJSON *entries_at(const struct long_document *w, const struct part *part,
                         int array, cJSON *rows, const char *at)
{
    cJSON *all = cJSON_CreateArray();
    struct buf top = buf_limit(1 << 16);
    for (long long i = 0; rows && rows->child; i++) {
        cJSON *row = cJSON_DetachItemViaPointer(rows, rows->child);
        buf_cut(&top, 0);
        buf_add_text(&top, at);
        json_pointer_add_index(&top, i);
        if (cJSON_IsNull(row)) {
            cJSON_Delete(row);
            continue;
        }
        cJSON *fields = field_keep_below(w->r->doc->field, w->r->doc->n_field,
                                         buf_span(&top), top.size);
        cJSON_AddItemToArray(
            all, row_file_entry(array, part_page(w, part), row, fields));
    }
    buf_free(&top);
    return all;
}

/* Removes the tables of the row, and their fields. */
static void drop_tables(const struct long_document *w, int around, cJSON *entry)
{
    cJSON *fields = cJSON_GetObjectItemCaseSensitive(entry, "fields");
    for (int c = 0; c < around; c++) {
        const struct plan_array *a = &w->plan->array[c];
        if (a->of != around) continue;
        cJSON *table = nested_tables_table(a, json_get(entry, "row"));
        while (table && table->child)
            cJSON_Delete(cJSON_DetachItemViaPointer(table, table->child));
        size_t n = strlen(a->within);
        for (cJSON *next, *f = fields->child; f; f = next) {
            next = f->next;
            const char *pointer = f->child->valuestring;
            if (!strncmp(pointer, a->within, n) && pointer[n] == '/')
                cJSON_Delete(cJSON_DetachItemViaPointer(fields, f));
        }
    }
}

/* The index in w->around of the i-th outer row of an answer, the k-th that is not
 * null. */
static int row_around(struct long_document *w, const struct part *part,
                      int around, const cJSON *row, int i, int k)
{
    if (!w->around[around]) return k;
    const char *at = arena_text(w->r->doc->scratch, "%s/%d",
                                w->plan->array[around].window, i);
    cJSON *fields = field_keep_below(w->r->doc->field, w->r->doc->n_field,
                                     span_of(at), strlen(at));
    cJSON *entry = row_file_entry(around, part_page(w, part),
                                  cJSON_Duplicate(row, true), fields);
    drop_tables(w, around, entry);
    return nested_tables_find(w, around, entry);
}

/* The rows of all tables within rows of an answer. */
static cJSON *entries_within(struct long_document *w, const struct part *part,
                             int array, cJSON *value)
{
    const struct plan_array *a = &w->plan->array[array];
    const char *top = w->plan->array[a->of].window;
    const cJSON *row = NULL;
    cJSON *all = cJSON_CreateArray();
    int i = -1, k = 0;
    cJSON_ArrayForEach(row, json_pointer_find(value, top))
    {
        i++;
        if (cJSON_IsNull(row)) continue;
        cJSON *table = nested_tables_table(a, row);
        int in =
            table && table->child ? row_around(w, part, a->of, row, i, k) : -1;
        cJSON *own = entries_at(
            w, part, array, table,
            arena_text(w->r->doc->scratch, "%s/%d%s", top, i, a->within));
        while (own->child) {
            cJSON *e = cJSON_DetachItemViaPointer(own, own->child);
            cJSON_AddItemToObject(e, "in", json_new_integer(in));
            cJSON_AddItemToArray(all, e);
        }
        cJSON_Delete(own);
        k++;
    }
    return all;
}

static void keep_header(struct long_document *w, int array, cJSON *header)
{
    if (cJSON_IsString(header) && *header->valuestring)
        cJSON_ReplaceItemInArray(w->header, array, header);
    else
        cJSON_Delete(header);
}

cJSON *answer_rows(struct long_document *w, const struct part *part, int array,
                   cJSON *value, bool *continues)
{
    const struct plan_array *a = &w->plan->array[array];
    struct arena *arena = w->r->doc->scratch;
    if (a->continues) {
        cJSON *mark = detach(value, a->continues, arena);
        if (continues) *continues = cJSON_IsTrue(mark);
        cJSON_Delete(mark);
        keep_header(w, array, detach(value, a->header, arena));
    }
    if (a->of >= 0)
        return w->nested ? entries_within(w, part, array, value)
                         : cJSON_CreateArray();
    cJSON *rows = detach(value, a->window, arena);
    cJSON *entries = entries_at(w, part, array, rows, a->window);
    cJSON_Delete(rows);
    if (!w->nested || !nested_tables_is_around(w->plan, array)) return entries;
    for (cJSON *e = entries->child; e; e = e->next)
        drop_tables(w, array, e);
    if (!w->around[array]) return entries;
    cJSON_Delete(entries); /* of another answer: nested_tables_find has them */
    return cJSON_CreateArray();
}
