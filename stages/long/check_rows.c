/* check_rows.c - the rows of a part of a page, checked against its lines
 * (long_inside.h): rows of another page are removed, rows that were left out or made
 * of two are asked for by name, and what is still missing is a gap. */
#include "stages/long/check_rows.h"

#include <stdlib.h>
#include <string.h>

#include "stages/ask/field.h"
#include "stages/long/header_vote.h"
#include "stages/long/nested_tables.h"
#include "stages/long/split_row.h"
#include "stages/print/canon.h"
#include "stages/print/thresholds.h"
#include "vlm/base/buf.h"
#include "vlm/base/sort.h"
#include "vlm/json/json.h"

static const char *line_names(const struct row_check *s, const int *line,
                              int n);
static bool begins_row(const struct row_check *s, int l);
static void add_gaps(const struct row_check *s, const int *line, int n);
static int line_of(const struct row_check *s, const cJSON *entry);
static void insert_at(cJSON *list, int at, cJSON *item);

/* --- gaps --------------------------------------------------------------------- */

/* Whether the list contains it. */
static bool holds(const int *list, int n, int one)
{
    for (int i = 0; i < n; i++)
        if (list[i] == one) return true;
    return false;
}

/* The text of the row's lines, from `first` on. */
static const char *text_of_row(const struct row_check *s, int array, int row,
                               int first)
{
    const struct coverage *c = &s->found[array];
    struct buf text = buf_limit(CHECK_ROWS_BYTES_MAX);
    for (int l = first; l < s->table->n_line; l++)
        if (l == first || c->row_of_line[l] == row)
            buf_print(&text, "%s ", s->table->line[l].print->text);
    const char *copy = arena_copy(s->arena, buf_span(&text));
    buf_free(&text);
    return copy;
}

/* The last of these lines that can belong to a row of the array, or -1. */
static int last_missing(const struct row_check *s, int array, const int *line,
                        int n_line)
{
    const struct coverage *c = &s->found[array];
    for (int i = n_line - 1; i >= 0; i--)
        if (s->dropped[line[i]] >> array & 1 ||
            holds(c->missing, c->n_missing, line[i]))
            return line[i];
    return -1;
}

/* Marks the last row as complete if a later one is missing on the page. */
static void close_rows(struct row_check *s, const int *line, int n_line)
{
    for (int a = 0; a < s->w->plan->n_array; a++) {
        int n = cJSON_GetArraySize(s->entries[a]);
        int missing = last_missing(s, a, line, n_line);
        cJSON *last = cJSON_GetArrayItem(s->entries[a], n - 1);
        int l = n ? s->found[a].line_of_row[n - 1] : -1;
        if (n && l < 0) l = line_of(s, last); /* it was misread there */
        if (n && l < missing) row_file_mark_closed(last);
        if (l < 0) continue;
        cJSON_AddStringToObject(last, "text", s->table->line[l].print->text);
        cJSON_AddStringToObject(last, "lines", text_of_row(s, a, n - 1, l));
    }
}

bool check_rows_is_owned(const struct row_check *s, int l)
{
    for (int a = 0; a < s->w->plan->n_array; a++)
        if (s->found[a].row_of_line[l] >= 0) return true;
    return false;
}

/* Adds the lines on which rows made of two begin, where OCR read them: the rows stay,
 * since OCR may have made two of one line, but one may be missing. */
static int add_mixed(const struct row_check *s, int *line, int n)
{
    for (int a = 0; s->unsure && a < s->w->plan->n_array; a++) {
        const struct coverage *c = &s->found[a];
        int n_row = cJSON_GetArraySize(s->entries[a]);
        for (int i = 0; i < n_row && n < 2 * CHECK_ROWS_LINES_MAX; i++)
            if (c->line_of_row[i] >= 0 && c->doubt[i] == COVERAGE_MIXED &&
                !holds(line, n, c->line_of_row[i]))
                line[n++] = c->line_of_row[i];
    }
    return n;
}

/* Adds gaps for what is still missing, and marks rows as complete that are followed by
 * a missing one. */
static void leave_gaps(struct row_check *s)
{
    int *line = arena_array(s->arena, 2 * CHECK_ROWS_LINES_MAX, sizeof *line);
    int n = check_rows_find_missing(s, line);
    for (int l = 0; l < s->table->n_line && n < 2 * CHECK_ROWS_LINES_MAX; l++)
        if (s->dropped[l] && !check_rows_is_owned(s, l) && !holds(line, n, l))
            line[n++] = l;
    n = add_mixed(s, line, n);
    sort_ints(line, (size_t)n);
    close_rows(s, line, n);
    add_gaps(s, line, n);
}

static void add_gaps(const struct row_check *s, const int *line, int n)
{
    for (int i = 0; i < n; i++)
        page_lines_gap_add(s->w->gaps,
                           s->w->r->doc->page[s->part->index].number,
                           s->table->line[line[i]].print->text);
}

/* --- lines that OCR misread ----------------------------------------------------- */

/* Number of rows without a line between the rows around line `l`; *from: the line of the
 * row above, or -1. */
static int rows_between(const struct row_check *s, int array, int l, int *from)
{
    const int *line = s->found[array].line_of_row;
    int n = cJSON_GetArraySize(s->entries[array]), free_rows = 0;
    *from = -1;
    for (int i = 0; i < n; i++) {
        if (line[i] > l) return free_rows;
        if (line[i] < 0) {
            free_rows++;
        } else {
            *from = line[i];
            free_rows = 0;
        }
    }
    return free_rows;
}

/* For a line that looks like a row and belongs to none: whether a row without a line has
 * just this place in the order of rows, so that the line was misread. */
static bool is_in_order(const struct row_check *s, int array, int l)
{
    const struct coverage *c = &s->found[array];
    int from, n_line = 0;
    int n_row = rows_between(s, array, l, &from);
    for (int i = 0; i < c->n_missing; i++)
        n_line += c->missing[i] > from && c->missing[i] <= l;
    return n_line <= n_row;
}

static bool is_figure(const struct canon *item)
{
    return item->kind == CANON_DATE || item->kind == CANON_AMOUNT;
}

/* The row's values, and those of its lines without line `l`. */
static void read_row(const struct row_check *s, int array, int row, int l,
                     struct canons *says, struct canons *printed)
{
    const struct coverage *c = &s->found[array];
    const cJSON *entry = cJSON_GetArrayItem(s->entries[array], row);
    canon_add_value(says, json_get(entry, "row"), s->arena);
    for (int i = 0; i < s->table->n_line; i++)
        if (i != l && (c->row_of_line[i] == row || c->line_of_row[row] == i))
            canon_add_all(printed, &s->table->line[i].said, s->arena);
}

/* Whether the line has figures of the row that its other lines lack. Not if `late` has
 * other values, or, without it, the line has other figures. */
static bool completes(const struct row_check *s, int array, int row, int l,
                      const cJSON *late)
{
    struct canons says = {0}, printed = {0}, other = {0};
    const struct canons *line = &s->table->line[l].said;
    bool more = false;
    read_row(s, array, row, l, &says, &printed);
    if (late) canon_add_value(&other, json_get(late, "row"), s->arena);
    for (int i = 0; i < other.n_item; i++)
        if (!canon_holds(&says, &other.item[i])) return false;
    for (int i = 0; i < line->n_item; i++) {
        const struct canon *item = &line->item[i];
        if (!is_figure(item)) continue;
        bool is_own = canon_holds(&says, item);
        if (!is_own && !late) return false;
        more |= is_own && !canon_holds(&printed, item);
    }
    return more;
}

bool check_rows_is_of_row(const struct row_check *s, int array, int l,
                          const cJSON *late)
{
    const struct coverage *c = &s->found[array];
    int n = cJSON_GetArraySize(s->entries[array]);
    for (int i = 0; i < n; i++)
        if (c->line_of_row[i] >= 0 &&
            abs(c->line_of_row[i] - l) <= BESIDE_LINES &&
            completes(s, array, i, l, late))
            return true;
    return false;
}

/* --- rows for which there is no room ----------------------------------------- */

/* The nearest row with a line, from row i forward (step 1) or backward, or -1. */
static int next_placed(const struct row_check *s, int array, int i, int step)
{
    int n = cJSON_GetArraySize(s->entries[array]);
    while (i >= 0 && i < n && s->found[array].line_of_row[i] < 0)
        i += step;
    return i < n ? i : -1;
}

/* The last line of the row before a line that does not belong to it. */
static int last_line(const struct row_check *s, int array, int row)
{
    const struct coverage *c = &s->found[array];
    int l = c->line_of_row[row];
    while (l + 1 < s->table->n_line && c->row_of_line[l + 1] == row)
        l++;
    return l;
}

static double below(const struct row_check *s, int upper, int lower)
{
    return s->table->line[lower].print->y - s->table->line[upper].print->y;
}

/* The usual distance from the last line of a row to the next row. */
static double usual_pitch(const struct row_check *s, int array)
{
    const int *line = s->found[array].line_of_row;
    int n = cJSON_GetArraySize(s->entries[array]), k = 0;
    double *pitch = arena_array(s->arena, (size_t)n + 1, sizeof *pitch);
    for (int i = 0; i + 1 < n; i++)
        if (line[i] >= 0 && line[i + 1] > line[i])
            pitch[k++] = below(s, last_line(s, array, i), line[i + 1]);
    sort_doubles(pitch, (size_t)k);
    return k ? pitch[k / 2] : 0;
}

bool check_rows_has_no_room(const struct row_check *s, int array, int row)
{
    int upper = next_placed(s, array, row, -1);
    int lower = next_placed(s, array, row, 1);
    if (!s->unsure || upper < 0 || lower < 0) return false;
    int from = last_line(s, array, upper);
    int to = s->found[array].line_of_row[lower];
    return to == from + 1 &&
           below(s, from, to) <= rows_next_to * usual_pitch(s, array);
}

/* --- a first row that is the rest of one on the page before --------------------- */

enum { REST_LINES = 3 };

/* Whether the line is the heading of the array's table. */
static bool is_head(const struct row_check *s, int array, int l)
{
    const cJSON *head = cJSON_GetArrayItem(s->w->header, array);
    const struct canons *own = &s->table->line[l].said;
    struct canons said = {0};
    int n = 0;
    if (!cJSON_IsString(head)) return false;
    canon_add_text(&said, head->valuestring, s->arena);
    for (int i = 0; i < own->n_item; i++)
        n += canon_holds(&said, &own->item[i]);
    return own->n_item > 0 && n >= clear_majority * own->n_item;
}

/* The first line on which a row begins or seems to; the number of lines: none. */
static int first_row(const struct row_check *s, int array)
{
    const struct coverage *c = &s->found[array];
    for (int l = 0; l < s->table->n_line; l++)
        if (begins_row(s, l) || c->looks[l] == COVERAGE_ROW) return l;
    return s->table->n_line;
}

/* Lines above `first` that can be the rest of a row: below the table's heading, or with
 * values if the heading is unknown. */
static int lines_of_rest(const struct row_check *s, int array, int first,
                         int *line)
{
    const struct coverage *c = &s->found[array];
    int head = first - 1, n = 0;
    while (head >= 0 && head >= first - REST_LINES - 2 &&
           !is_head(s, array, head))
        head--;
    /* a part without an answer begins within the table as well */
    bool within = s->part->unanswered && s->part->top > 0;
    bool known = within || (head >= 0 && is_head(s, array, head));
    int from = known ? head + 1 : first - REST_LINES;
    for (int l = from < 0 ? 0 : from; l < first && n < REST_LINES; l++)
        if (c->looks[l] != COVERAGE_SUM &&
            (known || c->looks[l] == COVERAGE_LOOSE))
            line[n++] = l;
    return n;
}

/* Whether the array's first row is printed like the rest of one, and not like the
 * beginning of a row. */
static bool looks_as_rest(const struct row_check *s, int array)
{
    const struct coverage *c = &s->found[array];
    if (!s->entries[array]->child) return false;
    int l = c->line_of_row[0];
    return l < 0 || c->looks[l] != COVERAGE_ROW || !c->shape.n_date;
}

/* Turns the waiting row, which cannot be complete, into a gap. */
static void withdraw(struct long_document *w, int array)
{
    const cJSON *waits = cJSON_GetArrayItem(w->last, array);
    const char *text = json_get_text(waits, "text");
    const cJSON *page = json_get(waits, "page");
    if (!cJSON_IsObject(waits) || json_get(waits, "closed")) return;
    if (text && page) page_lines_gap_add(w->gaps, page->valueint, text);
    cJSON_ReplaceItemInArray(w->last, array, cJSON_CreateNull());
}

/* Asks for the rest of a row on these lines. */
static void ask_for_rest(struct row_check *s, int array, const int *line, int n)
{
    bool rest = false;
    const char *named = line_names(s, line, n);
    cJSON *value = ask_region_ask_lines(s->w, s->part, named);
    cJSON *late =
        value ? answer_rows(s->w, s->part, array, value, &rest) : NULL;
    s->continues[array] =
        rest && late && split_row_fits(s->w, array, late->child);
    if (s->continues[array]) {
        insert_at(s->entries[array], 0, cJSON_DetachItemFromArray(late, 0));
    } else {
        withdraw(s->w, array);
        add_gaps(s, line, n);
    }
    cJSON_Delete(late);
    cJSON_Delete(value);
}

/* Drops a first row that is the rest of a row whose beginning is missing. */
static void drop_rest(struct row_check *s, int array)
{
    int l = s->found[array].line_of_row[0];
    if (l < 0 || s->found[array].shape.n_date == 0) return;
    add_gaps(s, &l, 1);
    cJSON_Delete(cJSON_DetachItemFromArray(s->entries[array], 0));
}

/* Decides whether the array's first entry is the rest of the waiting row, in
 * s->continues[array]. A missing rest is asked for; without it the waiting row becomes
 * a gap, too. Not of rows that hold tables: their values decide
 * (nested_tables_continues). */
static void check_first_row(struct row_check *s, int array)
{
    int line[REST_LINES], n = 0;
    const cJSON *waits = cJSON_GetArrayItem(s->w->last, array);
    if (!cJSON_IsObject(waits) || s->w->around[array]) return;
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
    } else if (!split_row_fits(s->w, array, s->entries[array]->child)) {
        s->continues[array] = false;
        drop_rest(s, array);
    }
}

/* --- where it stands -------------------------------------------------------------- */

/* The line at the middle of the box, or -1. */
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

/* The last line of the evidence on this page, or -1. */
static int line_of_places(const struct row_check *s, const struct page *page,
                          const struct field *f)
{
    int last = -1;
    for (int i = 0; i < f->n_evidence; i++) {
        if (!f->evidence[i].page) continue;
        struct box box = page_lines_box(s->w, page, f->evidence[i].box);
        int l = line_at(s->table, &box);
        if (l > last) last = l;
    }
    return last;
}

/* The last line with evidence for a value of the entry, or -1. */
static int line_of(const struct row_check *s, const cJSON *entry)
{
    const struct page *page = &s->w->r->doc->page[s->part->index];
    int last = -1;
    const cJSON *f = NULL;
    cJSON_ArrayForEach(f, json_get(entry, "fields"))
    {
        struct field own = field_kept(f, s->arena);
        int l = own.page == page->number ? line_of_places(s, page, &own) : -1;
        if (l > last) last = l;
    }
    return last;
}

/* --- for both files ------------------------------------------------------------ */

/* cJSON_InsertItemInArray of Debian 12 refuses items that were in a list. */
static void insert_at(cJSON *list, int at, cJSON *item)
{
    cJSON *tail = cJSON_CreateArray();
    while (cJSON_GetArrayItem(list, at))
        cJSON_AddItemToArray(tail, cJSON_DetachItemFromArray(list, at));
    cJSON_AddItemToArray(list, item);
    while (tail->child)
        cJSON_AddItemToArray(list, cJSON_DetachItemFromArray(tail, 0));
    cJSON_Delete(tail);
}

/* --- rows and lines ------------------------------------------------------------- */

enum { ROUNDS_MAX = 16 };

enum { SHOWN_MAX = 120 };

/* The rows of the entries as an array of references; the caller's. */
static cJSON *rows_of(const cJSON *entries)
{
    cJSON *rows = cJSON_CreateArray();
    const cJSON *e = NULL;
    cJSON_ArrayForEach(e, entries)
    {
        cJSON_AddItemReferenceToArray(rows, (cJSON *)json_get(e, "row"));
    }
    return rows;
}

static bool lies(const struct row_check *s)
{
    if (!s->part) return false;
    const struct page *page = &s->w->r->doc->page[s->part->index];
    return (page->width_px > page->height_px) == (s->w->quarters % 2 == 0);
}

/* Compares the array's rows with the lines. */
static void compare_rows(struct row_check *s, int array)
{
    struct long_document *w = s->w;
    cJSON *others = cJSON_CreateObject();
    cJSON_AddItemReferenceToObject(others, "values", s->scalars);
    for (int i = 0; i < w->plan->n_array; i++)
        if (i != array)
            cJSON_AddItemToObject(others, w->plan->array[i].window,
                                  rows_of(s->entries[i]));
    cJSON *rows = rows_of(s->entries[array]);
    struct coverage_given given = {
        .rows = rows,
        .rest = s->continues[array],
        .others = others,
        .inexact =
            s->unsure || (s->part && (s->part->top > 0 || s->part->bottom < 1)),
        .lies = lies(s),
        .strict = w->strict,
        .open =
            w->r->empty_arrays >> array & 1 || (s->part && s->part->unanswered),
        .head = cJSON_GetArrayItem(w->header, array),
        .heads = w->header,
        .above = json_get(cJSON_GetArrayItem(w->last, array), "row")};
    for (int i = 0; i < w->plan->n_array; i++)
        given.exact |= coverage_text_is_exact(&w->shape[i]);
    coverage_find(s->table, &given, &w->shape[array], s->arena,
                  &s->found[array]);
    cJSON_Delete(rows);
    cJSON_Delete(others);
}

void check_rows_find_all(struct row_check *s)
{
    for (int i = 0; i < s->w->plan->n_array; i++)
        compare_rows(s, i);
}

/* --- rows that are none of this page ----------------------------------------- */

static void say_dropped(const struct row_check *s, const cJSON *entry,
                        const char *why)
{
    struct buf text = buf_limit(1 << 16);
    json_print_brief(&text, json_get(entry, "row"), SHOWN_MAX);
    int page = s->w->r->doc->page[s->part->index].number;
    document_warn(s->w->r->doc,
                  &(struct warning){.code = WARN_ROW_DROPPED, .page = page},
                  "page %d: left out, %s: %s", page, why, buf_span(&text).data);
    buf_free(&text);
}

/* Whether it is the last row of the page before. */
static bool repeats_last(const struct row_check *s, int array,
                         const cJSON *entry)
{
    const cJSON *last = cJSON_GetArrayItem(s->w->last, array);
    return s->part->top <= 0 && entry == s->entries[array]->child &&
           cJSON_IsObject(last) &&
           json_equal(json_get(last, "row"), json_get(entry, "row"));
}

/* Removes rows that are on no line here: they belong to another page. */
static void drop_extra(struct row_check *s, int array, bool usable)
{
    struct coverage *c = &s->found[array];
    int n = cJSON_GetArraySize(s->entries[array]), i = 0;
    bool *extra = arena_array(s->arena, (size_t)n + 1, sizeof *extra);
    for (int k = 0; k < n; k++)
        extra[k] = holds(c->extra, c->n_extra, k) &&
                   (usable || check_rows_has_no_room(s, array, k));
    for (cJSON *next, *e = s->entries[array]->child; e; e = next, i++) {
        next = e->next;
        bool repeat =
            holds(c->extra, c->n_extra, i) && repeats_last(s, array, e);
        if (!extra[i] && !repeat) continue;
        if (!repeat) say_dropped(s, e, "it is not printed there");
        cJSON_Delete(cJSON_DetachItemViaPointer(s->entries[array], e));
    }
    compare_rows(s, array);
}

/* Whether the evidence doubts a value of the row. */
static bool is_doubted(const struct row_check *s, int array, int row)
{
    const cJSON *e = cJSON_GetArrayItem(s->entries[array], row), *f = NULL;
    cJSON_ArrayForEach(f, json_get(e, "fields"))
    {
        struct field own = field_kept(f, s->arena);
        if (own.verdict == FIELD_DIFFER || own.verdict == FIELD_UNSEEN ||
            own.verdict == FIELD_OVERLOOKED || field_is_doubtful(&own))
            return true;
    }
    return false;
}

/* The worst of the rows that are made of two, among those whose lines were asked about;
 * -1: none. A row with one wrong value is kept if its evidence tells. */
static int worst_mixed(const struct row_check *s, int array)
{
    const struct coverage *c = &s->found[array];
    int n = cJSON_GetArraySize(s->entries[array]), worst = -1;
    for (int i = 0; i < n; i++)
        if (c->line_of_row[i] >= 0 && c->doubt[i] == COVERAGE_MIXED &&
            !(c->one_wrong[i] && is_doubted(s, array, i)) &&
            s->asked[c->line_of_row[i]] &&
            (worst < 0 || c->said[i] < c->said[worst]))
            worst = i;
    return worst;
}

/* Removes rows that are made of two, the worst first: without it the rows whose lines it
 * took may be complete. */
static void drop_mixed(struct row_check *s, int array)
{
    for (int i; (i = worst_mixed(s, array)) >= 0;) {
        cJSON *e = cJSON_DetachItemFromArray(s->entries[array], i);
        s->dropped[s->found[array].line_of_row[i]] |= 1u << array;
        say_dropped(s, e, "no line says all of it");
        cJSON_Delete(e);
        compare_rows(s, array);
    }
}

/* Whether the row of the entry, which has no line, equals one that has. */
static bool is_twin(const struct row_check *s, int array, const cJSON *own)
{
    const cJSON *other = NULL;
    int i = 0;
    cJSON_ArrayForEach(other, s->entries[array])
    {
        if (s->found[array].line_of_row[i++] >= 0 &&
            json_equal(json_get(own, "row"), json_get(other, "row")))
            return true;
    }
    return false;
}

void check_rows_warn_repeated(const struct row_check *s)
{
    struct warning warning = {.code = WARN_ROW_REPEATED};
    if (s->part) warning.page = s->w->r->doc->page[s->part->index].number;
    for (int a = 0; s->unsure && a < s->w->plan->n_array; a++) {
        const cJSON *e = NULL;
        int i = 0;
        cJSON_ArrayForEach(e, s->entries[a])
        {
            bool placed = s->found[a].line_of_row[i++] >= 0;
            if (placed || !is_twin(s, a, e)) continue;
            struct buf text = buf_limit(1 << 16);
            json_print_brief(&text, json_get(e, "row"), SHOWN_MAX);
            document_warn(s->w->r->doc, &warning,
                          "review: a row is given twice and was seen once: %s",
                          buf_span(&text).data);
            buf_free(&text);
        }
    }
}

/* --- what was left out ------------------------------------------------------ */

/* Whether a row of an array begins on the line, in the array's half of it. */
static bool is_taken(const struct row_check *s, int array, int l)
{
    const struct coverage *c = &s->found[array];
    for (int i = 0; i < s->w->plan->n_array; i++) {
        const struct coverage *its = &s->found[i];
        bool beside = its->to <= c->from || c->to <= its->from;
        int n_row = cJSON_GetArraySize(s->entries[i]);
        if (!beside && holds(its->line_of_row, n_row, l)) return true;
    }
    return false;
}

static bool is_missing(const struct row_check *s, int array, int l)
{
    const struct coverage *c = &s->found[array];
    return holds(c->missing, c->n_missing, l) && !is_taken(s, array, l) &&
           !(s->unsure && (is_in_order(s, array, l) ||
                           check_rows_is_of_row(s, array, l, NULL)));
}

int check_rows_find_missing(const struct row_check *s, int *line)
{
    int n = 0;
    for (int l = 0; l < s->table->n_line && n < CHECK_ROWS_LINES_MAX; l++) {
        bool missing = false;
        for (int i = 0; i < s->w->plan->n_array; i++)
            missing |= is_missing(s, i, l);
        if (missing) line[n++] = l;
    }
    return n;
}

/* The usual share of a row on its lines: the median; for few rows the best. */
static double usual_said(const struct row_check *s, int array)
{
    const struct coverage *c = &s->found[array];
    int n = cJSON_GetArraySize(s->entries[array]);
    double *said = arena_array(s->arena, (size_t)n + 1, sizeof *said);
    for (int i = 0; i < n; i++)
        said[i] = c->said[i];
    sort_doubles(said, (size_t)n);
    return n < 3 ? 1 : said[n < FEW_ROWS ? n - 1 : n / 2];
}

/* Whether its line is to be asked for again. Where OCR read the lines, only a row made
 * of two: it says a figure of each, and no misread word does that. */
static bool is_doubtful(const struct row_check *s, int array, int row,
                        double usual)
{
    const struct coverage *c = &s->found[array];
    if (s->unsure) return c->doubt[row] == COVERAGE_MIXED;
    return c->doubt[row] != COVERAGE_SURE || c->said[row] < usual - doubt_gap;
}

/* Adds lines of doubtful rows, unless they were asked about before. */
static int add_doubtful(const struct row_check *s, int *line, int n)
{
    for (int a = 0; a < s->w->plan->n_array; a++) {
        const struct coverage *c = &s->found[a];
        int n_row = cJSON_GetArraySize(s->entries[a]);
        double usual = usual_said(s, a);
        for (int i = 0; i < n_row && n < CHECK_ROWS_LINES_MAX; i++) {
            int l = c->line_of_row[i];
            if (l >= 0 && is_doubtful(s, a, i, usual) && !s->asked[l] &&
                !holds(line, n, l))
                line[n++] = l;
        }
    }
    return n;
}

/* "- text" of each. */
static const char *line_names(const struct row_check *s, const int *line, int n)
{
    struct buf text = buf_limit(CHECK_ROWS_BYTES_MAX);
    for (int i = 0; i < n; i++)
        buf_print(&text, "- %s\n", s->table->line[line[i]].print->text);
    const char *copy = text.size ? arena_copy(s->arena, buf_span(&text)) : NULL;
    buf_free(&text);
    return copy;
}

/* The (most certain) row that begins on line `l`, or -1. */
static int row_on(const struct row_check *s, int array, int l)
{
    const struct coverage *c = &s->found[array];
    int n = cJSON_GetArraySize(s->entries[array]), best = -1;
    for (int i = 0; i < n; i++)
        if (c->line_of_row[i] == l &&
            (best < 0 || c->doubt[i] < c->doubt[best]))
            best = i;
    return best;
}

/* The index after the row above line `l`. */
static int place_above(const struct row_check *s, int array, int l)
{
    int n = cJSON_GetArraySize(s->entries[array]), at = 0;
    const int *above = s->found[array].line_of_row;
    for (int i = 0; i < n; i++)
        if (above[i] >= 0 && above[i] < l) at = i + 1;
    return at;
}

/* Whether a row begins on the line. */
static bool begins_row(const struct row_check *s, int l)
{
    for (int a = 0; a < s->w->plan->n_array; a++)
        if (row_on(s, a, l) >= 0) return true;
    return false;
}

/* The lines asked about and their continuations, in order; at[]: their indices on the
 * page. */
static struct page_table asked_lines(const struct row_check *s, const int *line,
                                     int n_line, int *at)
{
    int n = s->table->n_line, k = 0;
    bool *on = arena_array(s->arena, (size_t)n + 1, sizeof *on);
    for (int l = 0; l < n; l++) {
        on[l] = holds(line, n_line, l) || (l && on[l - 1] && !begins_row(s, l));
        if (on[l]) at[k++] = l;
    }
    return page_table_some(s->table, on, s->arena);
}

/* Replaces row `old` by the entry if that fits its line better. */
static void put_over(struct row_check *s, int array, int old, int l, cJSON *e)
{
    enum coverage_doubt doubt = s->found[array].doubt[old];
    double said = s->found[array].said[old];
    cJSON *list = s->entries[array];
    /* an answer about one line of a row with a heading has less */
    if (nested_tables_is_around(s->w->plan, array) &&
        nested_tables_is_final(json_get(cJSON_GetArrayItem(list, old), "row"),
                               json_get(e, "row"))) {
        cJSON_Delete(e);
        return;
    }
    cJSON *before = cJSON_DetachItemFromArray(list, old);
    insert_at(list, old, e);
    compare_rows(s, array);
    const struct coverage *c = &s->found[array];
    bool better = c->doubt[old] < doubt ||
                  (c->doubt[old] == doubt && c->said[old] > said);
    better = better && c->line_of_row[old] == l;
    e = cJSON_DetachItemFromArray(list, old);
    compare_rows(s, array);
    if (better)
        insert_at(list, place_above(s, array, l), e);
    else
        insert_at(list, old, before);
    cJSON_Delete(better ? before : e);
    compare_rows(s, array);
}

/* Whether line `l` was asked about, or the line below it: a row can begin above its
 * values. */
static bool is_asked(const struct row_check *s, const int *line, int n, int l)
{
    return holds(line, n, l) || (holds(line, n, l + 1) && !begins_row(s, l));
}

/* Share of a row's weight on its lines: all but rounding. */
static const double wholly = 0.999;

/* Inserts each entry of `late` that is on one of these lines at its line's place among
 * the rows. */
static void put_in(struct row_check *s, int array, cJSON *late, const int *line,
                   int n_line)
{
    struct coverage c = {0};
    int *at = arena_array(s->arena, (size_t)s->table->n_line + 1, sizeof *at);
    struct page_table asked = asked_lines(s, line, n_line, at);
    cJSON *rows = rows_of(late);
    struct coverage_given given = {
        .rows = rows, .inexact = true, .lies = lies(s)};
    coverage_find(&asked, &given, &s->w->shape[array], s->arena, &c);
    cJSON_Delete(rows);
    for (int i = 0; late->child; i++) {
        cJSON *e = cJSON_DetachItemFromArray(late, 0);
        int l = c.line_of_row[i] < 0 ? -1 : at[c.line_of_row[i]];
        int old = l < 0 ? -1 : row_on(s, array, l);
        bool told = l >= 0 && old < 0 && s->unsure &&
                    check_rows_is_of_row(s, array, l, e);
        /* a row that was read before, answered again */
        told = told || (l >= 0 && c.said[i] < wholly && is_twin(s, array, e));
        if (l < 0 || told || !is_asked(s, line, n_line, l)) {
            cJSON_Delete(e);
        } else if (old >= 0) {
            put_over(s, array, old, l, e);
        } else {
            insert_at(s->entries[array], place_above(s, array, l), e);
            compare_rows(s, array);
        }
    }
}

/* Asks for rows on these lines; in halves if they do not fit one answer. */
static void ask_again(struct row_check *s, const int *line, int n)
{
    struct long_document *w = s->w;
    const char *named = line_names(s, line, n);
    cJSON *value = named ? ask_region_ask_lines(w, s->part, named) : NULL;
    if (!value && n > 1 && !err_failed(w->r->err)) {
        ask_again(s, line, n / 2);
        ask_again(s, line + n / 2, n - n / 2);
        return;
    }
    w->n_answer += value != NULL;
    for (int i = 0; value && i < w->plan->n_array; i++) {
        cJSON *late = answer_rows(w, s->part, i, value, NULL);
        put_in(s, i, late, line, n);
        cJSON_Delete(late);
    }
    cJSON_Delete(value);
    check_rows_find_all(s);
}

/* Whether the question differs from those before: a line is new, or fewer are missing. */
static bool is_new(struct row_check *s, const int *line, int n, int n_missing)
{
    bool is = n_missing < s->n_missing;
    for (int i = 0; i < n; i++) {
        is |= !s->asked[line[i]];
        s->asked[line[i]] = true;
    }
    s->n_missing = n_missing;
    return is;
}

/* Asks for missing rows as long as that finds some, and for each doubtful row once. */
static void ask_for_lines(struct row_check *s)
{
    int *line = arena_array(s->arena, CHECK_ROWS_LINES_MAX, sizeof *line);
    for (int round = 0; round < ROUNDS_MAX; round++) {
        int n_missing = check_rows_find_missing(s, line);
        int n = add_doubtful(s, line, n_missing);
        if (!n || !is_new(s, line, n, n_missing)) return;
        sort_ints(line, (size_t)n);
        ask_again(s, line, n);
        if (err_failed(s->w->r->err)) return;
        for (int i = 0; i < s->w->plan->n_array; i++) {
            if (!s->unsure) drop_mixed(s, i);
            drop_extra(s, i, !s->unsure);
        }
        check_rows_find_all(s);
    }
}

/* Whether the text was exact on the pages before, and a line looks like a row here. */
static bool text_was_exact(const struct row_check *s)
{
    for (int a = 0; a < s->w->plan->n_array; a++) {
        if (!coverage_text_is_exact(&s->w->shape[a])) continue;
        for (int l = 0; l < s->table->n_line; l++)
            if (s->found[a].looks[l] == COVERAGE_ROW) return true;
    }
    return false;
}

bool check_rows_text_is_usable(const struct row_check *s)
{
    int n = 0, n_on = 0;
    for (int a = 0; a < s->w->plan->n_array; a++) {
        const struct coverage *c = &s->found[a];
        if (!c->known) return false;
        int n_row = cJSON_GetArraySize(s->entries[a]);
        for (int i = 0; i < n_row; i++)
            n_on += c->line_of_row[i] >= 0;
        n += c->settled ? n_row - c->n_extra : n_row;
    }
    return n_on >= well_found * n || (n < FEW_ROWS && text_was_exact(s));
}

static void check_first_rows(struct row_check *s)
{
    for (int i = 0; i < s->w->plan->n_array; i++)
        check_first_row(s, i);
    check_rows_find_all(s);
}

/* Removes rows that are not there and, if the text is usable, asks for missing ones. */
static void ask(struct row_check *s, bool usable)
{
    int n_array = s->w->plan->n_array;
    for (int i = 0; i < n_array; i++)
        drop_extra(s, i, usable && !s->unsure);
    check_rows_find_all(s);
    if (!usable) return;
    if (s->part->unanswered)
        check_first_rows(s); /* or they are asked for as rows */
    ask_for_lines(s);
    if (!s->part->unanswered) check_first_rows(s);
}

void check_rows_part(struct long_document *w, const struct part *part,
                     cJSON **entries, bool *continues)
{
    int n_array = w->plan->n_array;
    if (!n_array || err_failed(w->r->err)) return;
    page_lines_read(w, part->index);
    if (!w->table.n_line) {
        for (int i = 0; i < n_array; i++)
            w->n_unchecked += cJSON_GetArraySize(entries[i]);
        return;
    }
    struct row_check s = {.w = w,
                          .part = part,
                          .entries = entries,
                          .continues = continues,
                          .scalars = header_vote_value(w->scalars),
                          .unsure = w->by_ocr,
                          .arena = arena_new()};
    nested_tables_describe(w, s.scalars);
    struct page_table table = page_lines_of_part(w, part, s.arena);
    s.table = &table;
    s.asked = arena_array(s.arena, (size_t)table.n_line + 1, sizeof *s.asked);
    s.dropped =
        arena_array(s.arena, (size_t)table.n_line + 1, sizeof *s.dropped);
    check_rows_find_all(&s);
    bool usable = check_rows_text_is_usable(&s);
    if (page_lines_can_ask(w)) ask(&s, usable);
    if (usable) leave_gaps(&s);
    check_rows_warn_repeated(&s);
    for (int i = 0; i < n_array; i++) {
        if (s.found[i].known) w->shape[i] = s.found[i].shape;
        nested_tables_place(w, i, entries[i], s.found[i].line_of_row, &table,
                            s.arena);
    }
    cJSON_Delete(s.scalars);
    arena_free(s.arena);
}
