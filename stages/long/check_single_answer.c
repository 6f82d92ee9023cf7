/* check_single_answer.c - checks one answer about all pages against their lines
 * (long_document.h).
 *
 * The rows of an answer do not tell their page, so they are compared with the lines of
 * all pages at once.
 */
#include "stages/long/check_rows.h"

#include <stdlib.h>
#include <string.h>

#include "stages/alignment/verdict.h"
#include "stages/long/long_document.h"
#include "stages/long/long_findings.h"
#include "stages/long/nested_tables.h"
#include "stages/print/canon.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

/* --- lines of all pages -------------------------------------------------------- */

/* False: a page that is not blank has no words, so the result is unknown. */
static bool find_lines(struct long_document *w, struct arena *arena)
{
    struct document *doc = w->r->doc;
    struct text_lines *page =
        arena_array(arena, (size_t)doc->n_page, sizeof *page);
    int n = 0;
    for (int i = 0; i < doc->n_page; i++) {
        if (doc->page[i].blank) continue;
        const struct page_seen *seen = page_words_get(w->r->words, i);
        w->by_ocr |= page_words_may_err(seen);
        if (seen->words.n_word)
            text_lines_of_upright(&seen->words, arena, &page[i]);
        if (!page[i].n_line) return false;
        n += page[i].n_line;
    }
    struct text_lines all = {
        .line = arena_array(arena, (size_t)n + 1, sizeof(struct line)),
        .has_text = true};
    for (int i = 0; i < doc->n_page; i++)
        for (int l = 0; l < page[i].n_line; l++) {
            struct line *own = &all.line[all.n_line++];
            *own = page[i].line[l];
            own->y += i;
        }
    page_table_of_lines(&all, arena, &w->table);
    return all.n_line > 0;
}

/* --- the answer ------------------------------------------------------------------ */

static void move_rows(cJSON *rows, cJSON *entries)
{
    while (cJSON_IsArray(rows) && rows->child) {
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddItemToObject(entry, "row",
                              cJSON_DetachItemViaPointer(rows, rows->child));
        cJSON_AddItemToArray(entries, entry);
    }
}

/* Takes the rows of an array out of the value, as entries; the caller's. If rows hold
 * tables, takes these, and leaves the outer rows (nested_tables.h). */
static cJSON *take_entries(const struct long_document *w, cJSON *value,
                           int array)
{
    const struct plan_array *a = &w->plan->array[array];
    cJSON *entries = cJSON_CreateArray();
    const cJSON *row = NULL;
    if (a->of < 0 && !(w->nested && nested_tables_is_around(w->plan, array)))
        move_rows((cJSON *)json_pointer_find(value, a->pointer), entries);
    if (a->of < 0 || !w->nested) return entries;
    cJSON_ArrayForEach(row,
                       json_pointer_find(value, w->plan->array[a->of].pointer))
    {
        move_rows(nested_tables_table(a, row), entries);
    }
    return entries;
}

/* Whether the row has all values of the line. */
static bool says_line(const struct row_check *s, int array, int row, int l)
{
    const struct canons *line = &s->table->line[l].said;
    struct canons said = {0};
    const cJSON *entry = cJSON_GetArrayItem(s->entries[array], row);
    canon_add_value(&said, json_get(entry, "row"), s->arena);
    for (int i = 0; i < line->n_item; i++)
        if (!canon_holds(&said, &line->item[i])) return false;
    return line->n_item > 0;
}

static int page_of(const struct row_check *s, int l)
{
    return line_page(s->table->line[l].print);
}

/* Whether the line is a part of a row on the page before or after: the row is cut by the
 * page break, or printed on both. */
static bool is_cut_off(const struct row_check *s, int array, int row, int l)
{
    int own = s->found[array].line_of_row[row];
    return own >= 0 && abs(page_of(s, own) - page_of(s, l)) == 1 &&
           says_line(s, array, row, l);
}

static bool is_of_cut_row(const struct row_check *s, int l)
{
    for (int a = 0; a < s->w->plan->n_array; a++) {
        int n = cJSON_GetArraySize(s->entries[a]);
        for (int i = 0; i < n; i++)
            if (is_cut_off(s, a, i, l)) return true;
    }
    return false;
}

/* Whether a part of the row is on another page than its line. */
static bool is_cut(const struct row_check *s, int array, int row)
{
    for (int l = 0; l < s->table->n_line; l++)
        if (s->found[array].row_of_line[l] < 0 && is_cut_off(s, array, row, l))
            return true;
    return false;
}

/* The missing lines that are no parts of rows which a page break cuts; their number. */
static int find_missing(const struct row_check *s,
                        int line[static CHECK_ROWS_LINES_MAX])
{
    int n = 0, n_all = check_rows_find_missing(s, line);
    for (int i = 0; i < n_all; i++)
        if (!is_of_cut_row(s, line[i])) line[n++] = line[i];
    return n;
}

/* Whether the row is made of two, or has no line: that which OCR read may be misread. */
static bool is_wrong(const struct row_check *s, int array, int row)
{
    const struct coverage *c = &s->found[array];
    for (int i = 0; !s->unsure && i < c->n_extra; i++)
        if (c->extra[i] == row) return true;
    return c->line_of_row[row] >= 0 && c->doubt[row] == COVERAGE_MIXED &&
           !is_cut(s, array, row);
}

/* Too much to compare at once; page by page it is not. */
static bool is_too_much(const struct row_check *s)
{
    bool known = true;
    for (int a = 0; a < s->w->plan->n_array; a++)
        known &= s->found[a].known;
    return !known && s->w->r->doc->n_page > 1;
}

/* Whether the array's rows have several values each, like those of a table. */
static bool is_table(const struct plan *plan, int array)
{
    const cJSON *row =
        schema_follow_nullable(plan->source, plan->array[array].item);
    return cJSON_GetArraySize(json_get(row, "properties")) > 1;
}

/* Finds the lines of no row that look like a table: with two figures each if another
 * table has rows, of which they may be a summary. Their number. */
static int find_rowless(const struct row_check *s, bool given, int *line)
{
    size_t room = (size_t)s->table->n_line + 1;
    bool *left = arena_array(s->arena, room, sizeof *left);
    int *at = arena_array(s->arena, room, sizeof *at), n_left = 0;
    for (int l = 0; l < s->table->n_line; l++) {
        left[l] = !check_rows_is_owned(s, l);
        if (left[l]) at[n_left++] = l;
    }
    struct page_table table = page_table_some(s->table, left, s->arena);
    int n = coverage_find_rowless(&table, given ? 2 : 1, s->scalars, s->arena,
                                  line);
    for (int i = 0; i < n; i++)
        line[i] = at[line[i]];
    return n;
}

/* Marks the lines of tables that have no row. Returns bits of the tables that these can
 * be. */
static unsigned mark_rowless(const struct row_check *s, bool *gap)
{
    unsigned all = 0;
    bool given = false;
    for (int a = 0; a < s->w->plan->n_array; a++) {
        bool none = !cJSON_GetArraySize(s->entries[a]);
        given |= !none;
        all |= (none && is_table(s->w->plan, a) ? 1u : 0u) << a;
    }
    if (!all) return 0;
    int *line =
        arena_array(s->arena, (size_t)s->table->n_line + 1, sizeof *line);
    int n = find_rowless(s, given, line);
    for (int i = 0; i < n; i++)
        gap[line[i]] = true;
    return n ? all : 0;
}

/* Adds a gap for each of the lines. */
static void leave_gaps(const struct row_check *s, const bool *gap)
{
    struct document *doc = s->w->r->doc;
    cJSON_Delete(doc->gaps);
    doc->gaps = cJSON_CreateArray();
    for (int l = 0; l < s->table->n_line; l++)
        if (gap[l])
            page_lines_gap_add(doc->gaps, doc->page[page_of(s, l)].number,
                               s->table->line[l].print->text);
    long_findings_gaps(doc, s->w->r->context->settings);
}

static void doubt_row(const struct row_check *s, int array, int row)
{
    struct document *doc = s->w->r->doc;
    const char *pointer =
        arena_text(s->arena, "%s/%d/", s->w->plan->array[array].pointer, row);
    for (int i = 0; i < doc->n_field; i++)
        if (!strncmp(doc->field[i].pointer, pointer, strlen(pointer)) &&
            doc->field[i].verdict == FIELD_AGREE)
            verdict_doubt(&doc->field[i], DOUBT_PLACE);
}

/* Whether a row is wrong; of an answer that stays, doubts the values of such rows. */
static bool has_wrong_row(const struct row_check *s, int array, bool final)
{
    int n = cJSON_GetArraySize(s->entries[array]);
    bool wrong = false;
    for (int i = 0; i < n && (final || !wrong); i++) {
        if (!is_wrong(s, array, i)) continue;
        wrong = true;
        if (final) doubt_row(s, array, i);
    }
    return wrong;
}

/* Whether rows are missing or wrong. Of an answer that stays, says so. */
static bool is_lacking(struct row_check *s)
{
    int line[CHECK_ROWS_LINES_MAX];
    bool *gap =
        arena_array(s->arena, (size_t)s->table->n_line + 1, sizeof *gap);
    bool final = long_document_is_final(s->w->r);
    check_rows_find_all(s);
    if (is_too_much(s)) return true;
    if (!check_rows_text_is_usable(s)) return false;
    int n = find_missing(s, line);
    for (int i = 0; i < n; i++)
        gap[line[i]] = true;
    s->w->r->empty_arrays = mark_rowless(s, gap);
    bool lacking = s->w->r->empty_arrays || n;
    if (lacking && final) leave_gaps(s, gap);
    for (int a = 0; a < s->w->plan->n_array; a++)
        lacking |= has_wrong_row(s, a, final);
    return lacking;
}

/* Adds a gap for each page with print and no words. For a document of one page `entries`
 * are its rows; for several pages the page of a row is unknown. */
static void leave_unchecked(const struct long_document *w, cJSON **entries)
{
    struct document *doc = w->r->doc;
    int n_row = doc->n_page > 1 ? -1 : 0;
    for (int i = 0; i < w->plan->n_array && doc->n_page == 1; i++)
        n_row += cJSON_GetArraySize(entries[i]);
    cJSON_Delete(doc->gaps);
    doc->gaps = cJSON_CreateArray();
    for (int i = 0; i < doc->n_page; i++)
        if (w->r->print_lines[i] &&
            !page_words_get(w->r->words, i)->words.n_word)
            page_lines_unchecked_add(doc->gaps, doc->page[i].number,
                                     w->r->print_lines[i], n_row);
    long_findings_gaps(doc, w->r->context->settings);
}

static bool holds(struct long_document *w, struct arena *arena)
{
    cJSON *entries[PLAN_ARRAY_MAX];
    bool continues[PLAN_ARRAY_MAX] = {false};
    bool text = find_lines(w, arena);
    if (!text && !w->r->print_lines) return true;
    struct row_check s = {.w = w,
                          .table = &w->table,
                          .entries = entries,
                          .continues = continues,
                          .scalars = cJSON_Duplicate(w->r->doc->data, true),
                          .unsure = w->by_ocr,
                          .arena = arena};
    w->nested = nested_tables_shows(w->plan, s.scalars, true);
    for (int i = 0; i < w->plan->n_array; i++)
        entries[i] = take_entries(w, s.scalars, i);
    bool lacking = text && is_lacking(&s);
    if (text && !lacking) check_rows_warn_repeated(&s);
    if (!text) leave_unchecked(w, entries);
    for (int i = 0; i < w->plan->n_array; i++)
        cJSON_Delete(entries[i]);
    cJSON_Delete(s.scalars);
    return !lacking;
}

bool long_document_is_final(const struct document_run *r)
{
    return engine_facts(r->context->engine)->reads_words && r->doc->n_page > 1;
}

bool long_document_check_single(struct document_run *r, const struct plan *plan)
{
    struct long_document w = {.r = r, .plan = plan, .strict = true};
    if (!plan->n_array || plan->lists || plan->row_is_page) return true;
    struct arena *arena = arena_new();
    bool hold = holds(&w, arena);
    arena_free(arena);
    return hold;
}

void long_document_keep_given(struct long_document *w)
{
    struct document *doc = w->r->doc;
    if (doc->n_page > 1) return;
    for (int i = 0; i < w->plan->n_array; i++)
        if (strcmp(w->plan->array[i].pointer, w->plan->array[i].window) != 0)
            return;
    w->given = doc->data;
    doc->data = NULL;
}
