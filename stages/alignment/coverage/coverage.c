/* coverage.c - see coverage.h. */
#include "stages/alignment/coverage/coverage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/alignment/coverage/coverage_inside.h"
#include "stages/print/thresholds.h"

static struct line_tokens *coverage_read_lines(const struct page_table *table,
                                               struct arena *arena);
static bool coverage_is_explained(const struct line_tokens *line,
                                  const struct canons *items);

/* --- a table without a row that was given ---------------------------------------- */

static bool table_is_value(const struct canon *item)
{
    return item->kind == CANON_DATE || item->kind == CANON_AMOUNT;
}

/* Whether they begin or end at the same position across the page. */
static bool is_below(const struct canon *a, const struct canon *b)
{
    return a->kind == b->kind && (fabs(a->x - b->x) <= same_edge ||
                                  fabs(a->x + a->w - b->x - b->w) <= same_edge);
}

static bool shares_column(const struct line_tokens *a,
                          const struct line_tokens *b)
{
    for (int i = 0; i < a->said.n_item; i++)
        for (int k = 0; k < b->said.n_item && table_is_value(&a->said.item[i]);
             k++)
            if (is_below(&a->said.item[i], &b->said.item[k])) return true;
    return false;
}

static int pages_apart(const struct line_tokens *a, const struct line_tokens *b)
{
    return abs(line_page(a->line) - line_page(b->line));
}

static int n_figures(const struct line_tokens *line)
{
    int n = 0;
    for (int i = 0; i < line->said.n_item; i++)
        n += line->said.item[i].kind != CANON_WORD;
    return n;
}

int coverage_find_rowless(const struct page_table *table, int n_figure,
                          const cJSON *others, struct arena *arena, int *out)
{
    struct line_tokens *line = coverage_read_lines(table, arena);
    struct comparison t = {
        .line = line, .n_line = table->n_line, .arena = arena};
    int n_out = 0;
    canon_add_value(&t.others, others, arena);
    coverage_find_totals(&t);
    for (int l = 0; l < table->n_line; l++)
        line[l].like_row = coverage_has_value(&line[l]) &&
                           n_figures(&line[l]) >= n_figure && !line[l].total &&
                           !coverage_is_explained(&line[l], &t.others);
    for (int l = 0; l < table->n_line; l++) {
        int n = 0;
        for (int k = 0; k < table->n_line && line[l].like_row; k++)
            n += line[k].like_row && !pages_apart(&line[l], &line[k]) &&
                 shares_column(&line[l], &line[k]);
        line[l].row = n >= TABLE_LINES ? l : -1;
    }
    for (int l = 0; l < table->n_line; l++) {
        bool is = line[l].row >= 0;
        for (int k = 0; k < table->n_line && line[l].like_row && !is; k++)
            is = line[k].row >= 0 && pages_apart(&line[l], &line[k]) == 1 &&
                 n_figures(&line[l]) == n_figures(&line[k]) &&
                 shares_column(&line[l], &line[k]);
        if (is) out[n_out++] = l;
    }
    return n_out;
}

/* --- what is missing ------------------------------------------------------------ */

/* The page's lines, without rows yet. Owned by the arena. */
static struct line_tokens *coverage_read_lines(const struct page_table *table,
                                               struct arena *arena)
{
    struct line_tokens *said =
        arena_array(arena, (size_t)table->n_line + 1, sizeof *said);
    for (int l = 0; l < table->n_line; l++) {
        struct line_tokens *own = &said[l];
        own->line = table->line[l].print;
        own->said = table->line[l].said;
        own->row = -1;
        own->taken =
            arena_array(arena, (size_t)own->said.n_item + 1, sizeof(bool));
    }
    return said;
}

/* Whether all dates and amounts of the line are among the items; `parts`: those, too, that
 * are parts of numbers with spaces, "13 915,00". */
static bool says_only(const struct line_tokens *line,
                      const struct canons *items, bool parts)
{
    for (int i = 0; i < line->said.n_item; i++) {
        const struct canon *item = &line->said.item[i];
        if ((item->kind == CANON_DATE || item->kind == CANON_AMOUNT) &&
            !canon_holds(items, item) &&
            (parts || !coverage_is_piece(&line->said, item)))
            return false;
    }
    return true;
}

/* Whether all dates and amounts of the line are among the items. */
static bool coverage_is_explained(const struct line_tokens *line,
                                  const struct canons *items)
{
    return says_only(line, items, true);
}

/* Whether all its dates and amounts are the record's other values: a table of taxes. */
static bool is_of_others(const struct comparison *t,
                         const struct line_tokens *line)
{
    return says_only(line, &t->others, false);
}

/* The row whose lines include this one, or -1. */
static int row_over(const struct comparison *t, int index)
{
    int l = index;
    while (l > 0 && t->line[l].goes_on)
        l--;
    return t->line[index].goes_on ? t->line[l].row : -1;
}

/* Whether the row has half of the line's words: it continues there. */
static bool says_words(const struct canons *row, const struct line_tokens *line)
{
    int n = 0, n_said = 0;
    for (int i = 0; i < line->said.n_item; i++) {
        if (line->said.item[i].kind != CANON_WORD) continue;
        n++;
        n_said += canon_holds(row, &line->said.item[i]);
    }
    return 2 * n_said >= n;
}

/* Whether the line has what the row above it says, and its own line lacks: it is
 * another line of that row. */
static bool is_of_row_above(const struct comparison *t, int index)
{
    const struct line_tokens *line = &t->line[index];
    int l = index - 1;
    while (l >= 0 && l > index - ROW_LINES_MAX && t->line[l].row < 0)
        l--;
    const struct aligned_row *row =
        l >= 0 && t->line[l].row >= 0 ? &t->row[t->line[l].row] : NULL;
    if (!row || !coverage_is_explained(line, &row->said)) return false;
    for (int i = 0; i < line->said.n_item; i++)
        if (table_is_value(&line->said.item[i]) &&
            canon_holds(&t->line[l].said, &line->said.item[i]))
            return false;
    return true;
}

static bool ends_table(const struct comparison *t,
                       const struct line_tokens *line)
{
    return line->total || (coverage_has_value(line) &&
                           coverage_is_explained(line, &t->others));
}

/* Whether the table ends between the last row that was found and the line, with a sum
 * below the row on its page. A line with a date, or with two amounts like the rows,
 * continues the table after a subtotal. */
static bool is_behind_table(const struct comparison *t, int index,
                            const struct coverage_shape *own)
{
    int last = -1;
    if (own->n_date || own->n_amount > 1) return false;
    for (int l = 0; l < t->n_line; l++)
        if (t->line[l].row >= 0) last = l;
    if (last < 0 ||
        line_page(t->line[last].line) != line_page(t->line[index].line))
        return false;
    for (int l = last + 1; l < index; l++)
        if (ends_table(t, &t->line[l])) return true;
    return false;
}

/* Whether the line, which has no values, begins a row with its values below. */
static bool is_begun(const struct comparison *t, int index,
                     const struct coverage_shape *own)
{
    return t->strict && !t->line[index].total &&
           coverage_is_begun(t, index, own) &&
           !is_behind_table(t, index, own) &&
           !coverage_is_explained(&t->line[index + 1], &t->others);
}

static bool is_missing(const struct comparison *t, int index,
                       const struct coverage_shape *own,
                       const struct coverage_shape *before)
{
    const struct line_tokens *line = &t->line[index];
    if (line->row >= 0 || line->total) return false;
    if (line->plain && line->said.n_item)
        return !coverage_has_value(line) || !is_of_others(t, line);
    if (!coverage_has_value(line)) return is_begun(t, index, own);
    int over = row_over(t, index);
    if (over >= 0 && coverage_is_explained(line, &t->row[over].said) &&
        says_words(&t->row[over].said, line))
        return false;
    if (is_of_row_above(t, index) ||
        (t->strict && is_behind_table(t, index, own)))
        return false;
    return !is_of_others(t, line) && coverage_fits(t, index, own, before);
}

static void find_missing(const struct comparison *t,
                         const struct coverage_shape *before,
                         struct coverage *out)
{
    out->missing =
        arena_array(t->arena, (size_t)t->n_line + 1, sizeof *out->missing);
    for (int l = 0; l < t->n_line; l++)
        if (is_missing(t, l, &out->shape, before))
            out->missing[out->n_missing++] = l;
}

/* Whether the row has enough values to be missed. */
static bool says_enough(const struct aligned_row *row)
{
    for (int i = 0; i < row->n_item; i++)
        if (row->said.item[i].kind != CANON_WORD) return true;
    return row->n_item > 1;
}

/* Whether no line is left that could be a row, and all rows that were found are printed
 * like that: then the page has no other rows. */
static bool is_settled(const struct comparison *t,
                       const struct coverage_shape *before)
{
    if (!before || before->n_row < ROWS_LEAST) return false;
    for (int l = 0; l < t->n_line; l++)
        if (t->line[l].like_row && t->line[l].row < 0 && row_over(t, l) < 0)
            return false;
    for (int r = 0; r < t->n_row; r++)
        if (t->row[r].line >= 0 && t->row[r].found < nearly_all) return false;
    return true;
}

/* A row without a line is extra if the other rows show that the page's text has all
 * rows. */
static void find_extra(const struct comparison *t,
                       const struct coverage_shape *before,
                       struct coverage *out)
{
    int n_found = 0;
    out->extra =
        arena_array(t->arena, (size_t)t->n_row + 1, sizeof *out->extra);
    for (int r = 0; r < t->n_row; r++)
        n_found += t->row[r].line >= 0;
    out->settled = n_found > 0 && is_settled(t, before);
    bool trusted = out->settled || (n_found > 0 && 2 * n_found >= t->n_row);
    for (int r = 0; r < t->n_row && trusted; r++)
        if (t->row[r].line < 0 && says_enough(&t->row[r]))
            out->extra[out->n_extra++] = r;
}

/* Rows of other arrays take their lines too, as a table of their own on the remaining
 * lines. */
static void take_other_rows(struct comparison *t, const cJSON *others,
                            const bool *beside)
{
    const cJSON *other = NULL;
    cJSON_ArrayForEach(other, others)
    {
        if (*beside++ || !cJSON_IsArray(other)) continue;
        struct comparison rest = *t;
        rest.row = coverage_read_rows(other, t->arena, &rest.n_row);
        rest.line =
            arena_array(t->arena, (size_t)t->n_line + 1, sizeof *rest.line);
        for (int l = 0; l < t->n_line; l++) {
            rest.line[l] = t->line[l];
            if (t->line[l].row >= 0) rest.line[l].said.n_item = 0;
        }
        if (!coverage_align(&rest)) continue;
        for (int r = 0; r < rest.n_row; r++)
            for (int i = 0; rest.row[r].line >= 0 && i < rest.row[r].n_line;
                 i++)
                t->line[rest.row[r].line + i].said.n_item = 0;
    }
}

static void read_others(struct comparison *t, const cJSON *others)
{
    const cJSON *other = NULL;
    cJSON_ArrayForEach(other, others)
    {
        if (!cJSON_IsArray(other)) canon_add_value(&t->others, other, t->arena);
    }
}

/* A row of the page before can be found by its balance alone if that is carried forward;
 * it is on none of these lines. */
static void leave_sums(struct comparison *t)
{
    for (int r = 0; r < t->n_row; r++) {
        struct aligned_row *row = &t->row[r];
        if (row->line < 0 || row->found > well_found ||
            !t->line[row->line].total)
            continue;
        t->line[row->line].row = -1;
        row->line = -1;
    }
}

/* The line after those that can belong to the row: where the next row begins. */
static int end_of_row(const struct comparison *t, const struct aligned_row *row,
                      bool stop_at_rows)
{
    int end = row->line + 1;
    while (end < t->n_line && end < row->line + ROW_LINES_MAX &&
           !(stop_at_rows && t->line[end].like_row) &&
           (end < row->line + row->n_line ||
            (t->line[end].row < 0 && !coverage_has_value(&t->line[end]))))
        end++;
    return end;
}

/* Marks the lines that look like the beginning of a row. Returns whether few of them are
 * continuation lines of rows, which can look the same. */
static bool mark_rows(struct comparison *t, struct coverage_shape *own,
                      const struct coverage_shape *before)
{
    int n_found = 0, n_within = 0;
    for (int l = 0; l < t->n_line; l++)
        t->line[l].like_row = coverage_has_value(&t->line[l]) &&
                              !t->line[l].total &&
                              coverage_fits(t, l, own, before);
    coverage_find_plain(t, before, &own->columns);
    for (int l = 0; l < t->n_line; l++)
        t->line[l].like_row |= t->line[l].plain;
    for (int r = 0; r < t->n_row; r++) {
        const struct aligned_row *row = &t->row[r];
        if (row->line < 0) continue;
        bool within = false;
        for (int l = row->line + 1; l < row->line + row->n_line; l++)
            within |= t->line[l].like_row;
        n_found++;
        n_within += within;
    }
    return 5 * n_within <= n_found;
}

static void find_ends(struct comparison *t, struct coverage_shape *own,
                      const struct coverage_shape *before)
{
    bool few = mark_rows(t, own, before);
    for (int r = 0; r < t->n_row; r++)
        if (t->row[r].line >= 0) t->row[r].end = end_of_row(t, &t->row[r], few);
}

/* Share of the dates and amounts of the row's first line that the row has. */
static double said_of_line(const struct comparison *t,
                           const struct aligned_row *row)
{
    const struct line_tokens *line = &t->line[row->line];
    int n = 0, n_said = 0;
    for (int i = 0; i < line->said.n_item; i++) {
        const struct canon *item = &line->said.item[i];
        if (item->kind != CANON_DATE && item->kind != CANON_AMOUNT) continue;
        n++;
        n_said += canon_holds(&row->said, item);
    }
    return n ? (double)n_said / n : 1;
}

/* Share of the row's items on its lines, or share of its line's values in the row: the
 * smaller one. */
static double said_by_lines(const struct comparison *t,
                            const struct aligned_row *row)
{
    int n = 0;
    if (row->line < 0 || !row->said.n_item) return row->line < 0 ? 0 : 1;
    for (int i = 0; i < row->said.n_item; i++) {
        bool there = false;
        for (int l = row->line; l < row->end && !there; l++)
            there = canon_holds(&t->line[l].said, &row->said.item[i]);
        n += there;
    }
    double part = (double)n / row->said.n_item, of_line = said_of_line(t, row);
    return part < of_line ? part : of_line;
}

static void look_at_lines(const struct comparison *t, struct coverage *out)
{
    size_t room = (size_t)t->n_line + 1;
    out->looks = arena_array(t->arena, room, sizeof *out->looks);
    out->row_of_line = arena_array(t->arena, room, sizeof *out->row_of_line);
    for (int l = 0; l < t->n_line; l++) {
        out->row_of_line[l] = -1;
        const struct line_tokens *line = &t->line[l];
        bool loose = line->row < 0 && row_over(t, l) < 0 &&
                     coverage_has_value(line) &&
                     !coverage_is_explained(line, &t->others);
        out->looks[l] = line->like_row ? COVERAGE_ROW
                        : line->total  ? COVERAGE_SUM
                        : loose        ? COVERAGE_LOOSE
                                       : COVERAGE_TEXT;
    }
    for (int r = 0; r < t->n_row; r++)
        for (int l = t->row[r].line; l >= 0 && l < t->row[r].end; l++)
            out->row_of_line[l] = r;
}

static void find_by_text(struct comparison *t, const cJSON *rows,
                         const cJSON *others,
                         const struct coverage_shape *before,
                         struct coverage *out)
{
    out->known = coverage_align(t);
    if (!out->known) return;
    size_t n_other = (size_t)cJSON_GetArraySize(others) + 1;
    bool *beside = arena_array(t->arena, n_other, sizeof *beside);
    if (coverage_cut_beside(t, others, beside, &out->from, &out->to)) {
        t->row = coverage_read_rows(rows, t->arena, &t->n_row);
        coverage_align(t);
    }
    coverage_find_amounts(t);
    read_others(t, others);
    coverage_find_totals(t);
    leave_sums(t);
    out->shape = coverage_learn(t);
    out->shape.lies = t->lies;
    find_ends(t, &out->shape, before);
    for (int r = 0; r < t->n_row; r++) {
        out->line_of_row[r] = t->row[r].line;
        out->said[r] = said_by_lines(t, &t->row[r]);
    }
    coverage_judge(t, before, out);
    take_other_rows(t, others, beside);
    find_missing(t, before, out);
    find_extra(t, before, out);
    look_at_lines(t, out);
    bool told = before && before->n_row > out->shape.n_row;
    if (out->shape.n_row < 3 && told) out->shape = *before;
}

void coverage_find(const struct page_table *print,
                   const struct coverage_given *given,
                   const struct coverage_shape *before, struct arena *arena,
                   struct coverage *out)
{
    struct comparison table = {.arena = arena, .n_line = print->n_line};
    *out = (struct coverage){.from = -1, .to = 2};
    table.row = coverage_read_rows(given->rows, arena, &table.n_row);
    size_t room = (size_t)table.n_row + 1;
    out->line_of_row = arena_array(arena, room, sizeof *out->line_of_row);
    out->said = arena_array(arena, room, sizeof *out->said);
    out->doubt = arena_array(arena, room, sizeof *out->doubt);
    out->one_wrong = arena_array(arena, room, sizeof *out->one_wrong);
    for (int r = 0; r < table.n_row; r++)
        out->line_of_row[r] = -1;
    if (given->above) canon_add_value(&table.above, given->above, arena);
    if (given->head) canon_add_value(&table.head, given->head, arena);
    if (given->heads) canon_add_value(&table.heads, given->heads, arena);
    table.rest = given->rest;
    table.exact = given->exact;
    table.strict = given->strict;
    table.open = given->open && !table.n_row;
    table.lies = given->lies;
    table.inexact = given->inexact || (before && before->n_row);
    table.line = coverage_read_lines(print, arena);
    find_by_text(&table, given->rows, given->others, before, out);
}
