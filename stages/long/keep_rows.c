/* keep_rows.c - a part's answer, taken apart (long_inside.h). */
#include "stages/long/long_inside.h"

#include "stages/ask/field.h"
#include "stages/long/header_vote.h"
#include "stages/long/nested_tables.h"
#include "stages/long/plan/relax_schema.h"
#include "stages/print/canon.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

/* Takes what is at the pointer out of the value; NULL where nothing is. */
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

cJSON *keep_rows_entry(int array, int page, cJSON *row, cJSON *fields)
{
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToObject(entry, "array", json_new_integer(array));
    cJSON_AddItemToObject(entry, "page", json_new_integer(page));
    cJSON_AddItemToObject(entry, "row", row);
    cJSON_AddItemToObject(entry, "fields", fields);
    return entry;
}

void keep_rows_close(cJSON *entry)
{
    if (cJSON_IsObject(entry) && !json_get(entry, "closed"))
        cJSON_AddTrueToObject(entry, "closed");
}

static int page_of(const struct windows *w, const struct part *part)
{
    return w->r->doc->page[part->index].number;
}

/* The elements of an array at the pointer `at` of an answer as entries, in order; null
 * is no row. */
static cJSON *entries_at(const struct windows *w, const struct part *part,
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
            all, keep_rows_entry(array, page_of(w, part), row, fields));
    }
    buf_free(&top);
    return all;
}

/* The row alone, without its tables and what is known of them. */
static void drop_tables(const struct windows *w, int around, cJSON *entry)
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

/* The i-th row around in an answer, the k-th that is one: which it is here. */
static int row_around(struct windows *w, const struct part *part, int around,
                      const cJSON *row, int i, int k)
{
    if (!w->around[around]) return k;
    const char *at = arena_text(w->r->doc->scratch, "%s/%d",
                                w->plan->array[around].window, i);
    cJSON *fields = field_keep_below(w->r->doc->field, w->r->doc->n_field,
                                     span_of(at), strlen(at));
    cJSON *entry = keep_rows_entry(around, page_of(w, part),
                                   cJSON_Duplicate(row, true), fields);
    drop_tables(w, around, entry);
    return nested_tables_find(w, around, entry);
}

/* The rows of all tables within rows of an answer. */
static cJSON *entries_within(struct windows *w, const struct part *part,
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

/* --- a row that a page break cuts ------------------------------------------ */

static bool begins_with(const cJSON *whole, const cJSON *part)
{
    return !strncmp(whole->valuestring, part->valuestring,
                    strlen(part->valuestring));
}

/* Can a text be cut in two? Not one that has a form of its own. */
static bool is_free_text(const struct schema *s, const cJSON *node)
{
    node = schema_follow(s, node);
    return !json_get(node, "format") && !json_get(node, "enum") &&
           !json_get(node, "const") && !json_get(node, "pattern");
}

/* Can `rest` be the rest of `row`, of the schema `node`? Not where a number or
 * a date says two things. */
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

/* Does the rest give one text of two words or more from its beginning, and another
 * one not? Then it is made of this row and the next one. */
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

/* Does the row say a number of its rest already? Then it was given whole. */
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

/* Does the row that waits say a word of its rest more often than its own lines
 * do? Then it has it from the page where the rest stands. */
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

/* Fields of the rest: new ones are added, the less probable counts. */
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

bool keep_rows_rest_fits(const struct windows *w, int array, const cJSON *entry)
{
    const cJSON *waits = cJSON_GetArrayItem(w->last, array);
    return cJSON_IsObject(waits) && entry && !json_get(waits, "closed") &&
           may_join(w->plan->source, w->plan->array[array].item,
                    json_get(waits, "row"), json_get(entry, "row")) &&
           !is_of_two(json_get(waits, "row"), json_get(entry, "row"));
}

/* Joins the first of `entries` to the row that waits, where it is its rest. */
static void join_rest(struct windows *w, int array, cJSON *entries)
{
    if (!keep_rows_rest_fits(w, array, entries->child)) return;
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
    if (json_get(entries->child, "closed")) keep_rows_close(waits);
    cJSON_Delete(cJSON_DetachItemViaPointer(entries, entries->child));
}

/* --- to the file ------------------------------------------------------------ */

/* A row to which nothing comes any more. */
static void write_row(struct windows *w, int array, cJSON *entry)
{
    const cJSON *item = w->plan->array[array].item;
    cJSON *row = cJSON_GetObjectItemCaseSensitive(entry, "row");
    if (item) relax_schema_drop_nulls(w->plan->source, item, row);
    row_file_add(w->rows, entry, w->r->err);
}

/* The array's last row may go on: it waits, and what waited is written. */
static void let_wait(struct windows *w, int array, cJSON *entry)
{
    cJSON *waits = cJSON_GetArrayItem(w->last, array);
    if (cJSON_IsObject(waits)) write_row(w, array, waits);
    cJSON_ReplaceItemInArray(w->last, array, entry);
}

void keep_rows_flush(struct windows *w)
{
    for (int i = 0; i < w->plan->n_array; i++)
        let_wait(w, i, cJSON_CreateNull());
}

static void write_entries(struct windows *w, int array, cJSON *entries)
{
    while (entries->child)
        let_wait(w, array, cJSON_DetachItemViaPointer(entries, entries->child));
}

/* --- the answer -------------------------------------------------------------- */

static void keep_header(struct windows *w, int array, cJSON *header)
{
    if (cJSON_IsString(header) && *header->valuestring)
        cJSON_ReplaceItemInArray(w->header, array, header);
    else
        cJSON_Delete(header);
}

cJSON *keep_rows(struct windows *w, const struct part *part, int array,
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

static void keep_rows_page_as_row(struct windows *w, const struct part *part,
                                  cJSON *value)
{
    const struct document *doc = w->r->doc;
    cJSON *fields =
        field_keep_below(doc->field, doc->n_field, (struct span){"", 0}, 0);
    let_wait(w, 0, keep_rows_entry(0, page_of(w, part), value, fields));
}

/* --- rows with tables ---------------------------------------------------------- */

struct part_writing {
    struct windows *w;
    const bool *continues;
    bool goes_on; /* the row at hand is the one that waits */
};

static void begin_row(void *arg, int around, cJSON *entry, bool first)
{
    struct part_writing *o = arg;
    struct windows *w = o->w;
    o->goes_on = first && nested_tables_continues(w, around, entry,
                                                  o->continues[around]);
    if (o->goes_on) {
        cJSON *waits = cJSON_GetArrayItem(w->last, around);
        cJSON *row = cJSON_GetObjectItemCaseSensitive(waits, "row");
        const cJSON *m = NULL;
        cJSON_ArrayForEach(m, json_get(entry, "row"))
        {
            if (!cJSON_IsNull(m)) join_member(row, m);
        }
        join_fields(waits, entry);
        cJSON_Delete(entry);
        return;
    }
    if (!entry) return;
    for (int c = 0; c < around; c++)
        if (w->plan->array[c].of == around) let_wait(w, c, cJSON_CreateNull());
    let_wait(w, around, entry);
}

static void keep_rows_table(void *arg, int array, cJSON *entries)
{
    struct part_writing *o = arg;
    if (o->goes_on && o->continues[array]) join_rest(o->w, array, entries);
    write_entries(o->w, array, entries);
}

static void write_part(struct windows *w, cJSON **entries,
                       const bool *continues)
{
    struct part_writing writing = {.w = w, .continues = continues};
    const struct nested_tables_writer writer = {begin_row, keep_rows_table,
                                                &writing};
    for (int i = 0; i < w->plan->n_array; i++) {
        if (w->plan->array[i].of >= 0) continue;
        if (nested_tables_is_around(w->plan, i)) {
            nested_tables_split(w, i, entries);
            nested_tables_join(w, i, entries, &writer);
            continue;
        }
        if (continues[i]) join_rest(w, i, entries[i]);
        write_entries(w, i, entries[i]);
    }
    for (int i = 0; i < w->plan->n_array; i++)
        cJSON_Delete(entries[i]);
}

void keep_rows_part(struct windows *w, const struct part *part, cJSON *value)
{
    struct document *doc = w->r->doc;
    cJSON *entries[PLAN_ARRAY_MAX];
    bool continues[PLAN_ARRAY_MAX] = {false};
    if (w->plan->row_is_page) {
        keep_rows_page_as_row(w, part, value);
        return;
    }
    w->nested = nested_tables_shows(w->plan, value, false);
    for (int i = 0; i < w->plan->n_array; i++)
        entries[i] = keep_rows(w, part, i, value, &continues[i]);
    if (part->scalars)
        header_vote_add(w->scalars, value, doc->field, doc->n_field,
                        doc->page[part->index].number);
    cJSON_Delete(value);
    nested_tables_set_aside(w, entries);
    check_rows_part(w, part, entries, continues);
    write_part(w, entries, continues);
}
