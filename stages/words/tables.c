/* tables.c - the rows of arrays, from tables with headings (words_inside.h).
 *
 * The heading is the line, or up to three, whose cells name most keys of the array. A row is
 * a line below that fills most of its columns; a line of text alone continues the
 * row above it. A cell belongs to the head that it is aligned with: at the left, at
 * the right or in the middle.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/print/thresholds.h"
#include "stages/words/table_cells.h"
#include "stages/words/table_heading.h"
#include "stages/words/table_values.h"

enum { PAGE_HEAD = 16 /* lines at the head of a page */ };

/* --- rows */

/* Whether the cell is in the width of the table, and not beside it. */
static bool is_within(const struct words_reading *r,
                      const struct found_table *f, int first, int end)
{
    double right = 0;
    for (int h = 0; h < f->n_head; h++)
        right = fmax(right, f->head[h].right);
    return table_cells_left(r, first) >= f->head->left - same_edge &&
           table_cells_right(r, end - 1) <= right + same_edge;
}

/* Whether a cell of the line marks it as this. */
static bool line_says(const struct words_reading *r,
                      const struct found_table *f, int line,
                      enum vocabulary_line what)
{
    int end = r->l.table.line[line + 1].first;
    for (int t = r->l.table.line[line].first, next; t < end; t = next) {
        next = label_cell_end(&r->l, t);
        if (is_within(r, f, t, next) && words_print_says(r, t, next - 1, what))
            return true;
    }
    return false;
}

/* Whether a cell of the line is words for a sum only: "Nettosumme". */
static bool is_sum(const struct words_reading *r, const struct found_table *f,
                   int line)
{
    uint32_t sum[] = {meaning_of("total"), meaning_of("subtotal")};
    int end = r->l.table.line[line + 1].first;
    for (int t = r->l.table.line[line].first, next; t < end; t = next) {
        struct label_words p = {.n_meaning = 0};
        next = label_cell_end(&r->l, t);
        if (table_cells_have_figure(r, t, next) || !is_within(r, f, t, next))
            continue;
        for (int k = t; k < next; k++)
            label_add(&r->l, &p, k, 0);
        label_end(&r->l, &p, t, next - 1);
        if (p.n_meaning == 1 && meaning_shared(p.meaning, 1, sum, 2))
            return true;
    }
    return false;
}

/* Whether a cell of the line is the label of a number outside of tables. */
static bool names_scalar(const struct words_reading *r,
                         const struct found_table *f, int line)
{
    int end = r->l.table.line[line + 1].first;
    for (int t = r->l.table.line[line].first, next; t < end; t = next) {
        struct label_words p = {.n_meaning = 0};
        next = label_cell_end(&r->l, t);
        if (!is_within(r, f, t, next)) continue;
        for (int k = t; k < next; k++)
            if (!alignment_token(&r->l, k)->figure) label_add(&r->l, &p, k, 0);
        label_end(&r->l, &p, t, next - 1);
        for (int i = 0; i < r->n_slot; i++)
            if (r->slot[i].array < 0 && r->slot[i].kind == SLOT_NUMBER &&
                words_print_fit(&r->slot[i], &p) >= label_named_fully)
                return true;
    }
    return false;
}

/* Whether a number of the row is the sum of those above it. */
static bool is_sum_of_rows(const struct words_reading *r,
                           const struct found_table *f,
                           const struct table_row *row)
{
    for (int h = 0; h < f->n_head; h++) {
        const struct leaf_slot *s =
            f->head[h].slot < 0 ? NULL : &r->slot[f->head[h].slot];
        struct exact_sum sum = {0, 0}, one;
        if (!s || s->kind != SLOT_NUMBER ||
            !table_values_number(r, s, &row->cell[h], &one) || !one.n)
            continue;
        bool all = f->n_row > 0;
        for (int i = 0; i < f->n_row && all; i++) {
            struct exact_sum next;
            all = f->row[i].cell[h].first < 0 ||
                  (table_values_number(r, s, &f->row[i].cell[h], &next) &&
                   exact_sum_add(sum, next, &sum));
        }
        if (all && exact_sum_equals(sum, one)) return true;
    }
    return false;
}

/* Whether the line is no row: a sum, or a balance carried forward. A line that fills all
 * columns, `n` of them, can begin with such a word: "Total wellness mat  40.00"; one of
 * many columns can have such a name: "Shipping  1  4.95  4.95"; then it is no sum of the
 * rows. */
static bool is_no_row(const struct words_reading *r,
                      const struct found_table *f, const struct table_row *row,
                      bool full, int n)
{
    int line = row->line;
    if (full && n > 2)
        return (is_sum(r, f, line) || line_says(r, f, line, VOCABULARY_SUM)) &&
               is_sum_of_rows(r, f, row);
    return is_sum(r, f, line) || names_scalar(r, f, line) ||
           (!full && (line_says(r, f, line, VOCABULARY_CARRIED) ||
                      line_says(r, f, line, VOCABULARY_SUM)));
}

/* Whether the line repeats the heading; then moves the heads to it. */
static bool repeat_heading(const struct words_reading *r, struct found_table *f,
                           int line)
{
    struct found_table again;
    if (!table_heading_is_repeated(r, f, line, &again)) return false;
    int more = f->n_head - again.n_head;
    for (int i = 0; i < again.n_head; i++) {
        f->head[i + more].left = again.head[i].left;
        f->head[i + more].right = again.head[i].right;
    }
    table_cells_place(r, f, line);
    return true;
}

/* The line that repeats the heading on the next page, where the table can go on: at the
 * head of it, or no lower than the table begins, below the same letterhead. -1: none. */
static int heading_ahead(const struct words_reading *r,
                         const struct found_table *f, int line)
{
    struct found_table again;
    const struct line *own = r->l.table.line[f->first].print;
    int k = line + 1, page;
    while (k < r->l.table.n_line &&
           table_cells_page(r, k) == table_cells_page(r, line))
        k++;
    if (k >= r->l.table.n_line) return -1;
    page = table_cells_page(r, k);
    for (int end = k + PAGE_HEAD;
         k < r->l.table.n_line && table_cells_page(r, k) == page &&
         (k < end || r->l.table.line[k].print->y < own->y + own->h);
         k++)
        if (table_heading_is_repeated(r, f, k, &again)) return k;
    return -1;
}

/* Whether the cell is the title of a group: in capitals below one that is not, and as far
 * from the next line. */
static bool is_title(const struct words_reading *r, int line,
                     const struct table_cell *c, const struct table_cell *above)
{
    static const char small[] = "abcdefghijklmnopqrstuvwxyz";
    static const char digits[] = "0123456789";
    const char *text = words_print_text(r, c->first, c->last);
    return strlen(text) > 3 && !strpbrk(text, small) &&
           !strpbrk(text, digits) &&
           strpbrk(words_print_text(r, above->first, above->last), small) &&
           line + 1 < r->l.table.n_line &&
           table_cells_page(r, line) == table_cells_page(r, line + 1) &&
           table_cells_heights(r, line - 1, line) >
               title_gap * table_cells_heights(r, line, line + 1);
}

/* Adds the text of the cell to that of the row. */
static void append_text(const struct words_reading *r, struct table_cell *to,
                        const struct table_cell *c)
{
    const char *text = words_print_text(r, c->first, c->last);
    to->more = to->more ? arena_text(r->arena, "%s %s", to->more, text) : text;
    for (int t = c->first; t <= c->last; t++)
        r->used[t] = true;
}

/* Adds figures on the line below the row to its columns that are empty: cells of a row can
 * be at other heights. False: it is no more of the row. */
static bool complete_row(const struct words_reading *r, struct found_table *f,
                         const struct table_row *next)
{
    struct table_row *row = f->n_row ? &f->row[f->n_row - 1] : NULL;
    int n = 0;
    if (!row ||
        table_cells_page(r, row->line) != table_cells_page(r, next->line) ||
        table_cells_heights(r, next->line - 1, next->line) > row_pitch ||
        is_no_row(r, f, next, false, 0))
        return false;
    for (int h = 0; h < f->n_head; h++) {
        const struct table_cell *c = &next->cell[h];
        if (c->first < 0 || !table_cells_are_figures(r, &f->head[h], c))
            continue;
        if (row->cell[h].first >= 0 ||
            !table_cells_have_figure(r, c->first, c->last + 1))
            return false;
        n++;
    }
    for (int h = 0; h < f->n_head && n; h++) {
        const struct table_cell *c = &next->cell[h];
        if (c->first < 0) continue;
        if (table_cells_are_figures(r, &f->head[h], c)) {
            row->cell[h] = *c;
            r->l.of_table[next->line] = true;
        } else if (f->head[h].slot >= 0 && row->cell[h].first >= 0) {
            append_text(r, &row->cell[h], c);
        }
    }
    return n > 0;
}

/* Gives a row of figures the text above it, if that is of no other row: figures can be
 * beside the middle of a text of several lines. */
static void take_text_above(const struct words_reading *r,
                            const struct found_table *f, struct table_row *row)
{
    struct table_row above;
    int own = -1, line = row->line - 1;
    if (line <= f->last || r->l.of_table[line] ||
        table_cells_page(r, line) != table_cells_page(r, row->line) ||
        table_cells_heights(r, line, row->line) > row_pitch)
        return;
    table_cells_read_row(r, f, line, &above);
    for (int h = 0; h < f->n_head; h++) {
        if (above.cell[h].first < 0) continue;
        if (own >= 0 || row->cell[h].first >= 0 ||
            table_cells_are_figures(r, &f->head[h], NULL))
            return;
        own = h;
    }
    if (own < 0 || is_no_row(r, f, &above, false, 0)) return;
    row->cell[own] = above.cell[own];
}

/* Appends a line of text to the row above it; false: it does not continue it. Below a
 * sum it is the heading of a group. */
static bool continue_row(const struct words_reading *r, struct found_table *f,
                         const struct table_row *next)
{
    struct table_row *row = f->n_row ? &f->row[f->n_row - 1] : NULL;
    struct table_row above;
    if (!row ||
        table_cells_page(r, row->line) != table_cells_page(r, next->line) ||
        table_cells_heights(r, next->line - 1, next->line) > row_pitch)
        return false;
    table_cells_read_row(r, f, next->line - 1, &above);
    if (above.line != row->line && is_no_row(r, f, &above, false, 0))
        return false;
    for (int h = 0; h < f->n_head; h++) {
        const struct table_cell *c = &next->cell[h];
        if (c->first < 0) continue;
        bool text = f->head[h].slot >= 0
                        ? r->slot[f->head[h].slot].kind == SLOT_TEXT
                        : f->head[h].class == CLASS_TEXT;
        if (!text || row->cell[h].first < 0 ||
            fabs(table_cells_left(r, c->first) -
                 table_cells_left(r, row->cell[h].first)) > same_edge ||
            is_title(r, next->line, c, &row->cell[h]))
            return false;
    }
    struct table_cell *more = row->more;
    while (more < row->more + MORE_LINES && more->first >= 0)
        more++;
    for (int h = 0; h < f->n_head; h++) {
        const struct table_cell *c = &next->cell[h];
        if (c->first < 0) continue;
        if (more < row->more + MORE_LINES && more->first < 0) *more = *c;
        append_text(r, &row->cell[h], c);
    }
    return true;
}

static void mark_line(struct words_reading *r, const struct found_table *f,
                      const struct table_row *row)
{
    r->l.of_table[row->line] = true;
    r->row_left[row->line] = 2;
    for (int h = 0; h < f->n_head; h++) {
        const struct table_cell *c = &row->cell[h];
        if (f->head[h].slot < 0 && r->n_array > 1) continue; /* beside it */
        r->row_left[row->line] =
            fmin(r->row_left[row->line],
                 c->first < 0
                     ? f->head[h].left
                     : fmin(f->head[h].left, table_cells_left(r, c->first)));
        r->row_right[row->line] =
            fmax(r->row_right[row->line],
                 c->first < 0
                     ? f->head[h].right
                     : fmax(f->head[h].right, table_cells_right(r, c->last)));
    }
    for (int h = 0; h < f->n_head; h++)
        for (int t = row->cell[h].first;
             f->head[h].slot >= 0 && t >= 0 && t <= row->cell[h].last; t++)
            r->used[t] = true;
}

/* Whether the line may be the heading of another table: cells of words. */
static bool is_heading(const struct words_reading *r, int line)
{
    int first = r->l.table.line[line].first;
    int end = r->l.table.line[line + 1].first, n = 0;
    for (int t = first; t < end; t = label_cell_end(&r->l, t))
        n++;
    return n >= 3 && !table_cells_have_figure(r, first, end);
}

/* The most columns that a line below the heading fills, above another heading. */
static int most_filled(const struct words_reading *r,
                       const struct found_table *f)
{
    int most = 0, n_figure;
    for (int line = f->last + 1;
         line < r->l.table.n_line && line <= f->last + FIRST_ROWS; line++) {
        struct table_row row;
        if (most && is_heading(r, line)) break;
        table_cells_read_row(r, f, line, &row);
        int n = table_cells_filled(r, f, &row, &n_figure);
        if (n > most) most = n;
    }
    return most;
}

/* A date with a year: 01.02. can be an item of a tender. */
static bool has_date(const struct words_reading *r, const struct table_cell *c)
{
    const struct table_figure *f =
        c->first < 0 ? NULL
                     : words_print_figure(r, c->first, c->last, SLOT_DATE);
    return f && f->canon.year;
}

/* Whether all rows have a date in a column, and the line has none. */
static bool lacks_date(const struct words_reading *r,
                       const struct found_table *f, const struct table_row *row)
{
    bool lacks = false;
    for (int h = 0; h < f->n_head && f->n_row > 1; h++) {
        if (has_date(r, &row->cell[h])) return false;
        lacks |= f->head[h].n_date == f->n_row;
    }
    return lacks;
}

static void append_row(const struct words_reading *r, struct found_table *f,
                       const struct table_row *row)
{
    for (int h = 0; h < f->n_head; h++)
        f->head[h].n_date += has_date(r, &row->cell[h]);
    *ARENA_ADD(r->arena, f->row, f->n_row) = *row;
}

/* Whether one of the columns is of figures. */
static bool has_figures(const struct words_reading *r,
                        const struct found_table *f)
{
    for (int h = 0; h < f->n_head; h++)
        if (f->head[h].slot >= 0 &&
            slots_is_figure(r->slot[f->head[h].slot].kind))
            return true;
    return false;
}

/* Whether the line fills most columns, figures among them if the array has any. */
static bool is_row(const struct words_reading *r, const struct found_table *f,
                   int most, const struct table_row *row)
{
    int n_figure, n = table_cells_filled(r, f, row, &n_figure);
    return n >= 1 && (!has_figures(r, f) || n_figure) &&
           n > rows_filled * most && !lacks_date(r, f, row) &&
           !is_no_row(r, f, row, n >= most, n);
}

/* The line of the next row, if it lacks one column at most, but no figure, and follows
 * soon: lines of discounts and notes can be between two, and space below a heading. -1:
 * none. */
static int row_ahead(const struct words_reading *r, const struct found_table *f,
                     int most, int line)
{
    int end = line + ROW_SPAN, figures = 1;
    if (f->n_row) table_cells_filled(r, f, &f->row[f->n_row - 1], &figures);
    bool heading = /* more lines of it */
        !f->n_row || table_cells_page(r, f->row[f->n_row - 1].line) !=
                         table_cells_page(r, line);
    for (int k = line + 1; k < r->l.table.n_line && k <= end; k++) {
        struct table_row row;
        if (table_cells_page(r, k) != table_cells_page(r, line)) return -1;
        heading = heading && table_cells_heights(r, k - 1, k) <= heading_pitch;
        if (is_heading(r, k) && (!heading)) return -1;
        table_cells_read_row(r, f, k, &row);
        int n_figure, n = table_cells_filled(r, f, &row, &n_figure);
        if (n > 2 && n >= most - 1 && n_figure >= figures &&
            is_row(r, f, most, &row))
            return k;
    }
    return -1;
}

/* Whether the row is the table's first one again, below a sum: on the copy of a page. */
static bool is_copy(const struct words_reading *r, const struct found_table *f,
                    const struct table_row *row)
{
    bool closed = false;
    if (!f->n_row ||
        table_cells_page(r, row->line) == table_cells_page(r, f->row->line))
        return false;
    for (int k = f->row[f->n_row - 1].line + 1; k < row->line; k++)
        closed |= is_sum(r, f, k) || line_says(r, f, k, VOCABULARY_SUM);
    for (int h = 0; h < f->n_head; h++) {
        const struct table_cell *a = &f->row->cell[h], *b = &row->cell[h];
        if (a->first < 0 && b->first < 0) continue;
        if (a->first < 0 || b->first < 0 ||
            strcmp(words_print_text(r, a->first, a->last),
                   words_print_text(r, b->first, b->last)) != 0)
            return false;
    }
    return closed;
}

/* Reads the line; false: it is nothing of the table. *copy: it is the first row again. */
static bool read_line(const struct words_reading *r, struct found_table *f,
                      int most, int line, bool *copy)
{
    struct table_row row;
    int n_figure;
    table_cells_read_row(r, f, line, &row);
    if (is_row(r, f, most, &row)) {
        *copy = is_copy(r, f, &row);
        if (*copy) return false;
        take_text_above(r, f, &row);
        append_row(r, f, &row);
        return true;
    }
    int n = table_cells_filled(r, f, &row, &n_figure);
    if (!f->n_row && is_no_row(r, f, &row, false, 0))
        return true; /* an opening balance */
    return n && (complete_row(r, f, &row) ||
                 (!n_figure && continue_row(r, f, &row)));
}

/* Whether the line is the heading of the next table: below a gap, or above rows on a new
 * page, where there can be other lines of words. */
static bool is_of_next(const struct words_reading *r,
                       const struct found_table *f, int most, int last,
                       int line)
{
    if (!f->n_row || !has_figures(r, f) || !is_heading(r, line)) return false;
    if (table_cells_page(r, line) == table_cells_page(r, last))
        return table_cells_heights(r, last, line) > row_pitch;
    struct table_row row;
    if (line + 1 >= r->l.table.n_line) return false;
    table_cells_read_row(r, f, line + 1, &row);
    return is_row(r, f, most, &row);
}

static void read_rows(struct words_reading *r, struct found_table *f)
{
    int most = most_filled(r, f), skipped = 0, last = f->last;
    bool copy = false;
    for (int line = f->last + 1; line < r->l.table.n_line && !copy; line++) {
        bool new_page = table_cells_page(r, line) != table_cells_page(r, last);
        if (new_page) skipped = 0;
        if (repeat_heading(r, f, line)) {
            last = line;
            continue;
        }
        int next = line;
        if (!new_page && table_cells_heights(r, last, line) > table_gap)
            next = row_ahead(r, f, most, last);
        if (next < 0 || is_of_next(r, f, most, last, next)) {
            next = -1;
        } else if (read_line(r, f, most, next, &copy)) {
            skipped = 0;
            last = next;
        } else if (++skipped >= SKIPPED_MOST && !new_page &&
                   row_ahead(r, f, most, last) < 0) {
            next = -1;
        }
        if (next < 0) next = heading_ahead(r, f, last) - 1;
        if (next < 0) break;
        line = next;
    }
}

/* --- the table */

static void mark_heading(struct words_reading *r, const struct found_table *f)
{
    int end = r->l.table.line[f->last + 1].first;
    for (int k = f->first; k <= f->last; k++) {
        r->l.of_table[k] = true;
        r->row_left[k] = f->head->left;
        r->row_right[k] = f->head[f->n_head - 1].right;
    }
    for (int t = r->l.table.line[f->first].first; t < end; t++)
        for (int h = 0; h < f->n_head; h++)
            r->used[t] |= f->head[h].slot >= 0 &&
                          table_cells_left(r, t) < f->head[h].right &&
                          table_cells_right(r, t) > f->head[h].left;
}

static double right_of_cells(const struct words_reading *r,
                             const struct found_table *f, int head)
{
    double right = f->head[head].right;
    for (int i = 0; i < f->n_row; i++)
        if (f->row[i].cell[head].first >= 0)
            right =
                fmax(right, table_cells_right(r, f->row[i].cell[head].last));
    return right;
}

static void keep_columns(struct words_reading *r, const struct found_table *f)
{
    for (int h = 0; h < f->n_head; h++)
        *ARENA_ADD(r->arena, r->column, r->n_column) =
            (struct table_column){.left = f->head[h].left,
                                  .right = right_of_cells(r, f, h),
                                  .words = f->head[h].words,
                                  .last = f->row[f->n_row - 1].line};
}

/* Whether rows have something in two columns that are the array's, or in its only one: a
 * label over other labels is no table. */
static bool has_columns(const struct slot_array *a, const struct found_table *f)
{
    int n = 0;
    for (int h = 0; h < f->n_head; h++) {
        bool any = false;
        for (int i = 0; i < f->n_row; i++)
            any |= f->row[i].cell[h].first >= 0;
        n += any && f->head[h].slot >= 0;
    }
    return n > 1 || a->to - a->from == 1;
}

static bool is_number(const struct words_reading *r, int slot)
{
    return table_columns_class_of_slot(&r->slot[slot]) == CLASS_NUMBER;
}

/* Whether the row has a figure, behind its first cell, that no key's column has. */
static bool has_more_figures(const struct words_reading *r,
                             const struct found_table *f,
                             const struct table_row *row)
{
    int first = r->l.table.line[row->line].first,
        end = r->l.table.line[row->line + 1].first;
    for (int t = label_cell_end(&r->l, first); t < end; t++) {
        bool own = !alignment_token(&r->l, t)->figure;
        for (int h = 0; h < f->n_head && !own; h++)
            own = f->head[h].slot >= 0 && t >= row->cell[h].first &&
                  t <= row->cell[h].last;
        if (!own) return true;
    }
    return false;
}

/* If a key for numbers has no column, and most rows have figures without a key, one
 * column may have been taken for another: those of numbers are doubtful. */
static void doubt_numbers(const struct words_reading *r,
                          const struct slot_array *a, struct found_table *f)
{
    bool lacks = false;
    for (int k = a->from; k < a->to; k++)
        lacks |= is_number(r, k) && table_columns_head_of(f, k) < 0;
    int n = 0;
    for (int i = 0; i < f->n_row && lacks; i++)
        n += has_more_figures(r, f, &f->row[i]);
    for (int h = 0; h < f->n_head && 2 * n > f->n_row; h++)
        if (f->head[h].slot >= 0 && is_number(r, f->head[h].slot) &&
            words_print_fit(&r->slot[f->head[h].slot], &f->head[h].words) <
                label_named_fully)
            f->head[h].by = BY_SHAPE;
}

static void read_table(struct words_reading *r, struct slot_array *a,
                       struct found_table *f)
{
    table_heading_add_unheaded(r, a, f);
    read_rows(r, f);
    if (!f->n_row) return;
    table_columns_assign(r, a, f);
    if (!has_columns(a, f)) return;
    doubt_numbers(r, a, f);
    mark_heading(r, f);
    keep_columns(r, f);
    for (int i = 0; i < f->n_row; i++) {
        mark_line(r, f, &f->row[i]);
        table_values_add(r, a, f, &f->row[i]);
    }
    column_totals_read(r, f);
}

/* Reads the table of the array, of those that are not done, whose heading fits best:
 * two can have "Date" and "Amount". False: none of them has a heading. */
static bool read_best(struct words_reading *r, bool *done)
{
    struct found_table best;
    int own = -1;
    for (int i = 0; i < r->n_array; i++) {
        struct found_table f;
        if (done[i] || !table_heading_find(r, &r->array[i], &f) ||
            (own >= 0 && f.fit <= best.fit + 0.01))
            continue;
        best = f;
        own = i;
    }
    if (own < 0) return false;
    done[own] = true;
    read_table(r, &r->array[own], &best);
    return true;
}

void tables_read(struct words_reading *r)
{
    bool *done = arena_array(r->arena, (size_t)r->n_array + 1, sizeof *done);
    while (read_best(r, done))
        continue;
    for (int i = 0; i < r->n_array; i++) {
        struct slot_array *a = &r->array[i];
        struct found_table f;
        if (!a->n_row && table_heading_find_shape(r, a, &f))
            read_table(r, a, &f);
        if (!a->n_row) stacked_rows_read(r, a);
        if (!a->n_row && r->n_array == 1) bare_rows_read(r, a);
        if (!a->n_row) tax_lines_read(r, a);
    }
}
