/* check_first_row.c - is the first row of a part the rest of one that began before?
 * (check_rows.h) The reader says so; the lines say whether it can be. */
#include "stages/long/check/check_rows.h"

#include <string.h>

#include "stages/ask/field.h"
#include "stages/print/canon.h"
#include "vlm/json/json.h"

enum { REST_LINES = 3 };
static const double head_alike = 0.8; /* of a line's words */

/* Does the line say the head of the array's table? */
static bool is_head(const struct settling *s, int array, int l)
{
    const cJSON *head = cJSON_GetArrayItem(s->w->header, array);
    const struct canons *own = &s->table->line[l].said;
    struct canons said = {0};
    int n = 0;
    if (!cJSON_IsString(head)) return false;
    canon_add_text(&said, head->valuestring, s->arena);
    for (int i = 0; i < own->n_item; i++)
        n += canon_holds(&said, &own->item[i]);
    return own->n_item > 0 && n >= head_alike * own->n_item;
}

/* The first line on which a row begins, or looks as if it did, but for the
 * first row where that may be a rest; behind all lines: none. */
static int first_row(const struct settling *s, int array)
{
    const struct coverage *c = &s->found[array];
    for (int l = 0; l < s->table->n_line; l++)
        if (check_rows_begins_row(s, l) || c->looks[l] == COVERAGE_ROW)
            return l;
    return s->table->n_line;
}

/* Lines above `first` that belong to no row of this page and may be the rest of
 * one: below the table's head, or, where that is not known, with values. */
static int lines_of_rest(const struct settling *s, int array, int first,
                         int *line)
{
    const struct coverage *c = &s->found[array];
    int head = first - 1, n = 0;
    while (head >= 0 && head >= first - REST_LINES - 2 &&
           !is_head(s, array, head))
        head--;
    /* a part that nobody answered begins within the table as well */
    bool within = s->part->unanswered && s->part->top > 0;
    bool known = within || (head >= 0 && is_head(s, array, head));
    int from = known ? head + 1 : first - REST_LINES;
    for (int l = from < 0 ? 0 : from; l < first && n < REST_LINES; l++)
        if (c->looks[l] != COVERAGE_SUM &&
            (known || c->looks[l] == COVERAGE_LOOSE))
            line[n++] = l;
    return n;
}

/* Is the array's first row printed as the rest of one is? Not where it looks as
 * rows begin. */
static bool looks_as_rest(const struct settling *s, int array)
{
    const struct coverage *c = &s->found[array];
    if (!s->entries[array]->child) return false;
    int l = c->line_of_row[0];
    return l < 0 || c->looks[l] != COVERAGE_ROW || !c->shape.n_date;
}

/* The row that waits cannot be whole: it is a gap. */
static void withdraw(struct windows *w, int array)
{
    const cJSON *waits = cJSON_GetArrayItem(w->last, array);
    const char *text = json_get_text(waits, "text");
    const cJSON *page = json_get(waits, "page");
    if (!cJSON_IsObject(waits) || json_get(waits, "closed")) return;
    if (text && page) check_rows_gap(w, page->valueint, text);
    cJSON_ReplaceItemInArray(w->last, array, cJSON_CreateNull());
}

/* The rest is on these lines and was not given. */
static void ask_for_rest(struct settling *s, int array, const int *line, int n)
{
    bool rest = false;
    const char *named = check_rows_names(s, line, n);
    cJSON *value = ask_region_ask_lines(s->w, s->part, named);
    cJSON *late = value ? keep_rows(s->w, s->part, array, value, &rest) : NULL;
    s->continues[array] =
        rest && late && keep_rows_rest_fits(s->w, array, late->child);
    if (s->continues[array]) {
        check_rows_insert(s->entries[array], 0,
                          cJSON_DetachItemFromArray(late, 0));
    } else {
        withdraw(s->w, array);
        check_rows_name_gaps(s, line, n);
    }
    cJSON_Delete(late);
    cJSON_Delete(value);
}

/* The first row is the rest of one whose beginning is missing. */
static void drop_rest(struct settling *s, int array)
{
    int l = s->found[array].line_of_row[0];
    if (l < 0 || s->found[array].shape.n_date == 0) return;
    check_rows_name_gaps(s, &l, 1);
    cJSON_Delete(cJSON_DetachItemFromArray(s->entries[array], 0));
}

void check_first_row(struct settling *s, int array)
{
    int line[REST_LINES], n = 0;
    const cJSON *waits = cJSON_GetArrayItem(s->w->last, array);
    if (!cJSON_IsObject(waits)) return;
    if (s->part->unanswered) {
        n = lines_of_rest(s, array, first_row(s, array), line);
        if (n > 0) ask_for_rest(s, array, line, n);
        return;
    }
    if (!s->continues[array]) return;
    if (!looks_as_rest(s, array))
        n = lines_of_rest(s, array, first_row(s, array), line);
    if (n > 0) {
        ask_for_rest(s, array, line, n);
    } else if (!looks_as_rest(s, array)) {
        s->continues[array] = false;
    } else if (!keep_rows_rest_fits(s->w, array, s->entries[array]->child)) {
        s->continues[array] = false;
        drop_rest(s, array);
    }
}

/* --- where it stands -------------------------------------------------------------- */

/* The line that the middle of the box lies on, or -1. */
static int line_at(const struct page_table *table, const struct box *box)
{
    double middle = box->y + box->h / 2;
    for (int l = table->n_line - 1; l >= 0; l--) {
        const struct line *line = table->line[l].print;
        if (!line->turned && middle >= line->y && middle <= line->y + line->h)
            return l;
    }
    return -1;
}

/* The last line of a value's places on the page of the lines, or -1. */
static int line_of_places(const struct settling *s, const struct field *f)
{
    int last = -1;
    for (int i = 0; i < f->n_evidence; i++) {
        if (!f->evidence[i].page) continue;
        int l = line_at(s->table, &f->evidence[i].box);
        if (l > last) last = l;
    }
    return last;
}

int check_rows_line_of(const struct settling *s, const cJSON *entry)
{
    const int page = s->w->r->doc->page[s->part->index].number;
    int last = -1;
    const cJSON *f = NULL;
    cJSON_ArrayForEach(f, json_get(entry, "fields"))
    {
        struct field own = field_kept(f, s->arena);
        int l = own.page == page ? line_of_places(s, &own) : -1;
        if (l > last) last = l;
    }
    return last;
}

/* --- for both files ------------------------------------------------------------ */

/* cJSON_InsertItemInArray of Debian 12 refuses items that stood in a list. */
void check_rows_insert(cJSON *list, int at, cJSON *item)
{
    cJSON *tail = cJSON_CreateArray();
    while (cJSON_GetArrayItem(list, at))
        cJSON_AddItemToArray(tail, cJSON_DetachItemFromArray(list, at));
    cJSON_AddItemToArray(list, item);
    while (tail->child)
        cJSON_AddItemToArray(list, cJSON_DetachItemFromArray(tail, 0));
    cJSON_Delete(tail);
}
