/* keep_rows.c - rows of an answer: checked, joined to the row that waits, and written
 * (long_inside.h). */
#include "stages/long/long_inside.h"

#include "stages/ask/field.h"
#include "stages/long/header_vote.h"
#include "stages/long/nested_tables.h"
#include "stages/long/plan/relax_schema.h"
#include "stages/long/split_row.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

/* --- to the file ------------------------------------------------------------ */

/* Writes a complete row. */
static void write_row(struct long_document *w, int array, cJSON *entry)
{
    const cJSON *item = w->plan->array[array].item;
    cJSON *row = cJSON_GetObjectItemCaseSensitive(entry, "row");
    if (item) relax_schema_drop_nulls(w->plan->source, item, row);
    row_file_add(w->rows, entry, w->r->err);
}

/* Keeps the row until the next page, and writes the one that waited before. */
static void let_wait(struct long_document *w, int array, cJSON *entry)
{
    cJSON *waits = cJSON_GetArrayItem(w->last, array);
    if (cJSON_IsObject(waits)) write_row(w, array, waits);
    cJSON_ReplaceItemInArray(w->last, array, entry);
}

void keep_rows_flush(struct long_document *w)
{
    for (int i = 0; i < w->plan->n_array; i++)
        let_wait(w, i, cJSON_CreateNull());
}

static void write_entries(struct long_document *w, int array, cJSON *entries)
{
    while (entries->child)
        let_wait(w, array, cJSON_DetachItemViaPointer(entries, entries->child));
}

static void keep_page_as_row(struct long_document *w, const struct part *part,
                             cJSON *value)
{
    const struct document *doc = w->r->doc;
    cJSON *fields =
        field_keep_below(doc->field, doc->n_field, (struct span){"", 0}, 0);
    let_wait(w, 0, row_file_entry(0, part_page(w, part), value, fields));
}

/* --- rows with tables ---------------------------------------------------------- */

struct part_writing {
    struct long_document *w;
    const bool *continues;
    bool goes_on; /* the current row is the one that waits */
};

static void begin_row(void *arg, int around, cJSON *entry, bool first)
{
    struct part_writing *o = arg;
    struct long_document *w = o->w;
    o->goes_on = first && nested_tables_continues(w, around, entry,
                                                  o->continues[around]);
    if (o->goes_on) {
        split_row_add(cJSON_GetArrayItem(w->last, around), entry);
        cJSON_Delete(entry);
        return;
    }
    if (!entry) return;
    for (int c = 0; c < around; c++)
        if (w->plan->array[c].of == around) let_wait(w, c, cJSON_CreateNull());
    let_wait(w, around, entry);
}

static void keep_table(void *arg, int array, cJSON *entries)
{
    struct part_writing *o = arg;
    if (o->goes_on && o->continues[array]) split_row_join(o->w, array, entries);
    write_entries(o->w, array, entries);
}

static void write_part(struct long_document *w, cJSON **entries,
                       const bool *continues)
{
    struct part_writing writing = {.w = w, .continues = continues};
    const struct nested_tables_writer writer = {begin_row, keep_table,
                                                &writing};
    for (int i = 0; i < w->plan->n_array; i++) {
        if (w->plan->array[i].of >= 0) continue;
        if (nested_tables_is_around(w->plan, i)) {
            nested_tables_split(w, i, entries);
            nested_tables_join(w, i, entries, &writer);
            continue;
        }
        if (continues[i]) split_row_join(w, i, entries[i]);
        write_entries(w, i, entries[i]);
    }
    for (int i = 0; i < w->plan->n_array; i++)
        cJSON_Delete(entries[i]);
}

void keep_rows_part(struct long_document *w, const struct part *part,
                    cJSON *value)
{
    struct document *doc = w->r->doc;
    cJSON *entries[PLAN_ARRAY_MAX];
    bool continues[PLAN_ARRAY_MAX] = {false};
    if (w->plan->row_is_page) {
        keep_page_as_row(w, part, value);
        return;
    }
    w->nested = nested_tables_shows(w->plan, value, false);
    for (int i = 0; i < w->plan->n_array; i++)
        entries[i] = answer_rows(w, part, i, value, &continues[i]);
    if (part->scalars)
        header_vote_add(w->scalars, value, doc->field, doc->n_field,
                        doc->page[part->index].number);
    cJSON_Delete(value);
    nested_tables_set_aside(w, entries);
    check_rows_part(w, part, entries, continues);
    write_part(w, entries, continues);
}
