/* nested_tables.c - see nested_tables.h. */
#include "stages/long/nested_tables.h"

#include <string.h>

#include "stages/print/canon.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { HEADING_LEAST = 2 }; /* values of a row that identify its heading */

bool nested_tables_is_around(const struct plan *plan, int array)
{
    for (int i = 0; i < array; i++)
        if (plan->array[i].of == array) return true;
    return false;
}

cJSON *nested_tables_table(const struct plan_array *array, const cJSON *row)
{
    cJSON *table = (cJSON *)json_pointer_find(row, array->within);
    return cJSON_IsArray(table) ? table : NULL;
}

bool nested_tables_shows(const struct plan *plan, const cJSON *value,
                         bool whole)
{
    for (int i = 0; i < plan->n_array; i++) {
        const struct plan_array *a = &plan->array[i];
        if (a->of < 0) continue;
        const struct plan_array *around = &plan->array[a->of];
        const char *at = whole ? around->pointer : around->window;
        const cJSON *row = NULL, *rows = json_pointer_find(value, at);
        int n = 0, n_row = cJSON_GetArraySize(rows);
        cJSON_ArrayForEach(row, rows)
        {
            n += cJSON_GetArraySize(nested_tables_table(a, row));
        }
        /* the first row of a part may be the end of one, without elements */
        if (!whole && n &&
            !cJSON_GetArraySize(nested_tables_table(a, rows->child)))
            n_row--;
        if (n && n >= n_row) return true;
    }
    return false;
}

/* --- what rows around say ------------------------------------------------------ */

/* Whether `row` and `own` agree where both have a value. *same: number of values that
 * both have. */
static bool agrees(const cJSON *own, const cJSON *row, int *same)
{
    if (!own || json_holds_nothing(own) || json_holds_nothing(row)) return true;
    if (!cJSON_IsObject(own) || !cJSON_IsObject(row)) {
        ++*same;
        return json_equal(own, row);
    }
    const cJSON *m = NULL;
    cJSON_ArrayForEach(m, row)
    {
        if (!agrees(json_get(own, m->string), m, same)) return false;
    }
    return true;
}

bool nested_tables_is_final(const cJSON *other, const cJSON *row)
{
    const cJSON *m = NULL;
    if (json_holds_nothing(row)) return true;
    if (!cJSON_IsObject(row)) return json_equal(other, row);
    cJSON_ArrayForEach(m, row)
    {
        if (!nested_tables_is_final(json_get(other, m->string), m))
            return false;
    }
    return true;
}

/* Whether they have a value in common, and none that differs. */
static bool is_same(const cJSON *own, const cJSON *entry)
{
    int same = 0;
    return agrees(json_get(own, "row"), json_get(entry, "row"), &same) && same;
}

static int n_values(const cJSON *row)
{
    const cJSON *m = NULL;
    int n = 0;
    cJSON_ArrayForEach(m, row)
    {
        n += !json_holds_nothing(m);
    }
    return n;
}

bool nested_tables_continues(const struct long_document *w, int around,
                             const cJSON *entry, bool told)
{
    const cJSON *waits = cJSON_GetArrayItem(w->last, around);
    const cJSON *row = json_get(entry, "row"), *own = json_get(waits, "row");
    int same = 0;
    if (!cJSON_IsObject(waits)) return false;
    if (json_holds_nothing(row)) return true;
    /* a heading has values of the same kind; an end has others, and fewer */
    return agrees(own, row, &same) &&
           (told || same || n_values(row) < n_values(own));
}

int nested_tables_find(struct long_document *w, int around, cJSON *entry)
{
    cJSON *all = w->around[around];
    const cJSON *waits = cJSON_GetArrayItem(w->last, around);
    int found = -1, n = cJSON_GetArraySize(all);
    for (int i = 0; i < n; i++) {
        const cJSON *own = cJSON_GetArrayItem(all, i);
        bool same = is_same(own, entry) ||
                    (!i && nested_tables_continues(w, around, own, false) &&
                     is_same(waits, entry));
        if (same && found < 0) found = i;
    }
    if (found >= 0 || json_holds_nothing(json_get(entry, "row"))) {
        cJSON_Delete(entry);
        return found;
    }
    cJSON_AddItemToArray(all, entry);
    return n;
}

void nested_tables_describe(const struct long_document *w, cJSON *known)
{
    const cJSON *e = NULL;
    cJSON *rows = cJSON_CreateArray();
    for (int i = 0; w->nested && i < w->plan->n_array; i++) {
        cJSON_ArrayForEach(e, w->around[i])
        {
            cJSON_AddItemToArray(rows,
                                 cJSON_Duplicate(json_get(e, "row"), true));
        }
    }
    if (cJSON_IsObject(known))
        cJSON_AddItemToObject(known, "around", rows);
    else
        cJSON_Delete(rows);
}

/* --- apart ---------------------------------------------------------------------- */

static void set_around(struct long_document *w, int around, cJSON **entries)
{
    w->around[around] = entries[around];
    w->n_around[around] = cJSON_GetArraySize(entries[around]);
    entries[around] = cJSON_CreateArray();
}

void nested_tables_set_aside(struct long_document *w, cJSON **entries)
{
    for (int i = 0; w->nested && i < w->plan->n_array; i++)
        if (nested_tables_is_around(w->plan, i)) set_around(w, i, entries);
}

/* Moves the fields of the element to `to`, with pointers relative to it. */
static void move_fields(cJSON *fields, const char *element, cJSON *to)
{
    size_t n = strlen(element);
    for (cJSON *next, *f = fields ? fields->child : NULL; f; f = next) {
        next = f->next;
        const char *at = f->child->valuestring;
        if (strncmp(at, element, n) != 0 || (at[n] && at[n] != '/')) continue;
        cJSON *own = cJSON_CreateString(at + n);
        cJSON_DetachItemViaPointer(fields, f);
        cJSON_ReplaceItemViaPointer(f, f->child, own);
        cJSON_AddItemToArray(to, f);
    }
}

static void keep_rows_table(const struct long_document *w, int array,
                            cJSON *around, int in, cJSON *entries)
{
    const struct plan_array *a = &w->plan->array[array];
    struct arena *arena = w->r->doc->scratch;
    cJSON *table = nested_tables_table(a, json_get(around, "row"));
    cJSON *fields = cJSON_GetObjectItemCaseSensitive(around, "fields");
    int page = json_get(around, "page")->valueint;
    for (int k = 0; table && table->child; k++) {
        cJSON *own = cJSON_CreateArray();
        move_fields(fields, arena_text(arena, "%s/%d", a->within, k), own);
        cJSON *row = cJSON_DetachItemViaPointer(table, table->child);
        cJSON *entry = row_file_entry(array, page, row, own);
        cJSON_AddItemToObject(entry, "in", json_new_integer(in));
        cJSON_AddItemToArray(entries, entry);
    }
}

void nested_tables_split(struct long_document *w, int around, cJSON **entries)
{
    int in = 0;
    if (w->around[around]) return; /* they are */
    for (cJSON *e = entries[around]->child; e; e = e->next, in++)
        for (int c = 0; c < around; c++)
            if (w->plan->array[c].of == around)
                keep_rows_table(w, c, e, in, entries[c]);
    set_around(w, around, entries);
}

/* --- and together ----------------------------------------------------------------- */

static int in_of(const cJSON *entry)
{
    const cJSON *in = entry ? json_get(entry, "in") : NULL;
    return in ? in->valueint : -1;
}

static void set(cJSON *entry, const char *key, int index)
{
    cJSON_DeleteItemFromObjectCaseSensitive(entry, key);
    cJSON_AddItemToObject(entry, key, json_new_integer(index));
}

/* Number of the row's values on the line; 0 if a single one could be a coincidence. */
static int says_of(const cJSON *row, const struct canons *line,
                   struct arena *arena)
{
    struct canons said = {0};
    int n = 0;
    canon_add_value(&said, row, arena);
    for (int i = 0; i < said.n_item; i++)
        n += canon_holds(line, &said.item[i]);
    return n == said.n_item || n >= HEADING_LEAST ? n : 0;
}

/* The last of the n rows, from `last` on, whose heading is one of the lines [from, to);
 * each line is the heading of the row that has most of its values. */
static int last_headed(const cJSON *all, int n, int last,
                       const struct page_table *table, int from, int to,
                       struct arena *arena)
{
    for (int l = from; l < to; l++) {
        int most = 0, best = last;
        for (int i = last < 0 ? 0 : last; i < n; i++) {
            const cJSON *row = json_get(cJSON_GetArrayItem(all, i), "row");
            int said = says_of(row, &table->line[l].said, arena);
            if (said <= most) continue;
            most = said;
            best = i;
        }
        last = best;
    }
    return last;
}

void nested_tables_place(const struct long_document *w, int array,
                         cJSON *entries, const int *line,
                         const struct page_table *table, struct arena *arena)
{
    int of = w->plan->array[array].of, last = -1, from = 0, k = 0;
    const cJSON *all = of < 0 ? NULL : w->around[of];
    int n = all ? w->n_around[of] : 0;
    for (cJSON *e = n ? entries->child : NULL; e; e = e->next, k++) {
        int in = in_of(e);
        if (line[k] >= 0 && (in < 0 || in >= n)) {
            last = last_headed(all, n, last, table, from, line[k], arena);
            set(e, in < 0 ? "in" : "after", in < 0 && last < 0 ? 0 : last);
        }
        if (in > last && in < n) last = in;
        if (line[k] >= 0) from = line[k] + 1;
    }
}

/* Gives an entry without an outer row, or alone among entries of another one, the outer
 * row of the entry before, or else of the one after. */
static void fill_in(cJSON *entries)
{
    for (cJSON *e = entries->child; e; e = e->next) {
        int before = e == entries->child ? -1 : in_of(e->prev);
        const cJSON *behind = e->next;
        while (behind && in_of(behind) < 0)
            behind = behind->next;
        int next = in_of(behind);
        if (before >= 0 && (in_of(e) < 0 || before == next))
            set(e, "in", before);
        else if (in_of(e) < 0)
            set(e, "in", next < 0 ? 0 : next);
    }
}

/* Moves `id` behind `before`, or to the front. */
static void move_behind(int *order, int n, int id, int before)
{
    int out = 0, at = 0;
    for (int i = 0; i < n; i++)
        if (order[i] != id) order[out++] = order[i];
    for (int i = 0; i < out; i++)
        if (order[i] == before) at = i + 1;
    memmove(&order[at + 1], &order[at], (size_t)(out - at) * sizeof *order);
    order[at] = id;
}

/* Moves each row from another answer behind the one printed above it, or behind the one
 * of the element before its first. order[n]: indices in w->around. */
static void sort_in(const cJSON *entries, int n_main, int *order, int n)
{
    for (int id = n_main; id < n; id++) {
        const cJSON *e = entries->child;
        while (e && in_of(e) != id)
            e = e->next;
        if (!e) continue;
        const cJSON *after = json_get(e, "after");
        int before = e == entries->child ? -1 : in_of(e->prev);
        move_behind(order, n, id, after ? after->valueint : before);
    }
}

/* Removes the entries of that outer row from the list, and returns them. */
static cJSON *those_in(cJSON *entries, int in)
{
    cJSON *out = cJSON_CreateArray();
    for (cJSON *next, *e = entries->child; e; e = next) {
        next = e->next;
        if (in_of(e) != in) continue;
        cJSON_DetachItemViaPointer(entries, e);
        cJSON_DeleteItemFromObjectCaseSensitive(e, "in");
        cJSON_DeleteItemFromObjectCaseSensitive(e, "after");
        cJSON_AddItemToArray(out, e);
    }
    return out;
}

/* A row with its tables. An empty one is no row; one with nothing but tables continues
 * the row before. */
static void put_row(struct long_document *w, int around, int in,
                    cJSON **entries, const struct nested_tables_writer *writer,
                    bool *first)
{
    const struct plan *plan = w->plan;
    const cJSON *row = cJSON_GetArrayItem(w->around[around], in);
    cJSON *table[PLAN_ARRAY_MAX];
    bool headed = !json_holds_nothing(json_get(row, "row")), nothing = !headed;
    for (int c = 0; c < around; c++) {
        if (plan->array[c].of != around) continue;
        table[c] = those_in(entries[c], in);
        nothing &= !table[c]->child;
    }
    if (!nothing)
        writer->begin(writer->arg, around,
                      headed || *first ? cJSON_Duplicate(row, true) : NULL,
                      *first);
    *first &= nothing;
    for (int c = 0; c < around; c++) {
        if (plan->array[c].of != around) continue;
        if (!nothing) writer->take(writer->arg, c, table[c]);
        cJSON_Delete(table[c]);
    }
}

void nested_tables_join(struct long_document *w, int around, cJSON **entries,
                        const struct nested_tables_writer *writer)
{
    int n = cJSON_GetArraySize(w->around[around]);
    int *order = arena_array(w->r->doc->scratch, (size_t)n + 1, sizeof *order);
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int c = 0; c < around; c++) {
        if (w->plan->array[c].of != around) continue;
        fill_in(entries[c]);
        sort_in(entries[c], w->n_around[around], order, n);
    }
    bool first = true;
    for (int i = 0; i < n; i++)
        put_row(w, around, order[i], entries, writer, &first);
    cJSON_Delete(w->around[around]);
    w->around[around] = NULL;
}
