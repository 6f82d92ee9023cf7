/* ink_find.c - rows to lines, by how broad what they say is: see ink.h. */
#include "stages/window/ink_laying.h"

#include <math.h>
#include <string.h>

static const double absent_worth = 0.25; /* of a value that is not there */
static const double agree_least = 0.3, price = 0.2, line_price = 0.02;
static const double repeated_price = 0.1, late_price = 0.1, head_price = 0.1;
static const double trusted_agree = 0.75, trusted_part = 0.7, sure_agree = 0.9,
                    all_agree = 0.99;
static const double column_least = 0.8; /* of the rows, which fit */
static const double shift_most = 1.5, shift_step = 0.25; /* em */
static const double cut_worth = 1;                       /* of rows that fit */
static const double apart_least = 0.7;                   /* em, of cells */
static const double apart_near = 0.1;                    /* pixels */
enum { ROWS_FEW = 8 };
enum { ASTRAY_MOST = 3 /* rows of other pages */ };
/* So many rows as broad as their print, but without gaps between words. */
enum { CLOSE_LEAST = 2, CLOSE_ONE_IN = 20 };

/* The page's lines with cells as the table's print has them. */
static void choose_sheet(struct ink_laying *t)
{
    double gap = apart_least * t->em;
    t->sheet = t->uncut = ink_sheet_of(t->whole, t->table->face);
    if (t->table->face == PRINT_EVEN) return;
    if (!t->apart || fabs(gap - t->gap) > apart_near) {
        t->apart = ink_sheet_apart(t->whole, gap, t->arena);
        t->gap = gap;
    }
    t->sheet = t->uncut = t->apart;
}

/* Where columns stand as close as words, cells end at their edges. */
static void cut_cells(struct ink_laying *t, double shift)
{
    struct ink_cutting cuts = {.gap = ink_cut_gap(t->uncut)};
    if (!t->table->cut) return;
    for (int c = 0; c < t->table->n_column; c++)
        cuts.cut[cuts.n++] = (struct ink_cut){
            .right = t->table->column[c].right,
            .x = t->table->column[c].edge * t->uncut->width + shift,
            .near = ink_near_edge * t->em};
    t->sheet = ink_cut_at(t->uncut, &cuts, t->arena);
}

/* Finds the table's columns on the page, moved by so many pixels. */
static void find_places(struct ink_laying *t, double shift)
{
    size_t n = (size_t)t->sheet->n_line + 1;
    cut_cells(t, shift);
    t->n_place = 0;
    for (int c = 0; c < t->table->n_column; c++) {
        struct ink_place own = {.column = &t->table->column[c], .key = -1};
        for (int k = 0; k < t->rows->n_key; k++)
            if (t->rows->key[k] == own.column->key) own.key = k;
        if (own.key < 0) continue;
        int *cell = arena_array(t->arena, n, sizeof *cell);
        for (int l = 0; l < t->sheet->n_line; l++)
            cell[l] =
                ink_is_taken(t, l)
                    ? -1
                    : ink_cell_at(&t->sheet->line[l], own.column->right,
                                  own.column->edge * t->sheet->width + shift,
                                  ink_near_edge * t->em);
        own.cell = cell;
        t->place[t->n_place++] = own;
    }
}

/* --- one row ------------------------------------------------------------------ */

/* How well the row fits the lines, -1 to 1. */
static double agreement(const struct ink_laying *t, int row, int line, int n)
{
    double sum = 0, all = 0;
    for (int p = 0; p < t->n_place; p++) {
        double width = ink_width_on(t, p, line, n);
        bool nothing = !ink_is_there(t, row, p) && width <= 0;
        double worth = nothing ? absent_worth : 1;
        all += worth;
        sum += ink_is_fitting(t, row, p, width) ? worth : -worth;
    }
    return all > 0 ? sum / all : -1;
}

/* Are the spaces of this print broad enough to be seen? */
static bool is_spaced(const struct ink_table *t)
{
    return t->n_close < CLOSE_LEAST || t->n_close * CLOSE_ONE_IN < t->n_broad;
}

/* Whether some value of the row is not what is printed on its lines. */
static bool is_odd(const struct ink_laying *t, int row, int line, int n)
{
    return !ink_is_as_broad(t, row, line, n) ||
           (is_spaced(t->table) && !ink_row_has_words(t, row, line, n));
}

/* --- all rows ------------------------------------------------------------------ */

/* How well all rows before one can lie on the lines before one. */
struct cell_best {
    double gain;
    signed char
        lines; /* of the row that ends here; 0: skips a line, -1: a row */
};

static double gain_of(const struct ink_laying *t, int row, int line, int n)
{
    for (int l = line; l < line + n; l++)
        if (ink_is_taken(t, l)) return -1;
    double agree = agreement(t, row, line, n);
    bool repeated = row == t->rows->repeated;
    /* what may be the page before's is here where all of it is as broad; spaces
     * between narrow words are not always seen */
    if (agree < agree_least || (repeated && !ink_is_as_broad(t, row, line, n)))
        return -1;
    return agree - price - line_price * (n - 1) -
           (repeated ? repeated_price : 0) -
           (ink_begins_late(t, line, n) ? late_price : 0) -
           (t->given->head && t->given->head[line] ? head_price : 0);
}

static struct cell_best best_of(const struct ink_laying *t,
                                const struct cell_best *best, size_t wide,
                                int row, int end)
{
    const struct cell_best *above = best + (size_t)row * wide;
    struct cell_best own = {above[end].gain, -1};
    if (end > 0 && above[wide + (size_t)end - 1].gain >= own.gain)
        own = (struct cell_best){above[wide + (size_t)end - 1].gain, 0};
    for (int n = 1; n <= INK_SPAN && n <= end; n++) {
        double gain = gain_of(t, row, end - n, n);
        if (gain <= 0 || above[end - n].gain + gain <= own.gain) continue;
        own.gain = above[end - n].gain + gain;
        own.lines = (signed char)n;
    }
    return own;
}

/* Lays all rows onto the lines, in order. */
static void lay(struct ink_laying *t, struct ink_found *out)
{
    int n_row = t->rows->n_row, n_line = t->sheet->n_line;
    size_t wide = (size_t)n_line + 1;
    struct cell_best *best = t->best;
    memset(best, 0, wide * sizeof *best);
    for (int r = 0; r < n_row; r++) {
        struct cell_best *row = best + ((size_t)r + 1) * wide;
        for (int l = 0; l <= n_line; l++)
            row[l] = best_of(t, best, wide, r, l);
    }
    t->total = best[(size_t)n_row * wide + (size_t)n_line].gain;
    t->n_found = 0;
    t->agree = 0;
    for (int r = 0; r < n_row; r++)
        out->line_of_row[r] = -1;
    for (int r = n_row, l = n_line; r > 0;) {
        int n = best[(size_t)r * wide + (size_t)l].lines;
        if (n > 0) {
            out->line_of_row[r - 1] = l - n;
            out->n_line[r - 1] = n;
            t->n_found++;
            t->agree += agreement(t, r - 1, l - n, n);
        }
        l -= n > 0 ? n : n == 0;
        r -= n != 0;
    }
    if (t->n_found) t->agree /= t->n_found;
}

/* --- the table ------------------------------------------------------------------ */

/* Are most rows on lines, and of those between the first and the last that are? */
static bool is_trusted(const struct ink_laying *t,
                       const struct ink_found *found, int least)
{
    int first = -1, last = -1;
    for (int r = 0; r < t->rows->n_row; r++) {
        if (found->line_of_row[r] < 0) continue;
        if (first < 0) first = r;
        last = r;
    }
    return first >= 0 && t->n_found >= least && t->agree >= trusted_agree &&
           t->n_found >= trusted_part * (last - first + 1) &&
           t->n_found >= trusted_part * (t->rows->n_row - ASTRAY_MOST);
}

/* Whether a table that is well known is on the page, though few rows were given
 * and they do not fit. */
static bool is_table_here(const struct ink_laying *t)
{
    const struct ink_table *known = t->given->before;
    int n = 0;
    if (known->n_row < ROWS_SURE || t->rows->n_row > ASTRAY_MOST) return false;
    for (int l = 0; l < t->sheet->n_line; l++)
        n += !ink_is_taken(t, l) && ink_looks_like_row(t, l);
    return n > 0;
}

/* Columns may stand as close as words for some of the rows alone, where a number has
 * a figure more: cells end at their edges, too, where more rows fit so. */
static void lay_cut(struct ink_laying *t, double shift, struct ink_found *out)
{
    double uncut = t->total;
    int found = t->n_found;
    if (t->table->cut || t->n_found == t->rows->n_row) return;
    t->table->cut = true;
    find_places(t, shift);
    lay(t, out);
    if (t->n_found > found && t->n_found == t->rows->n_row &&
        t->total > uncut + cut_worth)
        return;
    t->table->cut = false;
    t->sheet = t->uncut;
    find_places(t, shift);
    lay(t, out);
}

/* The columns as they were on a page before, a little aside. */
static bool lay_as_before(struct ink_laying *t, struct ink_found *out)
{
    double best = 0, most = -1;
    if (!t->given->before || !t->given->before->n_column) return false;
    *t->table = *t->given->before;
    t->em = t->table->em * t->whole->width;
    choose_sheet(t);
    double reach = t->given->fixed ? 0 : shift_most;
    for (double shift = -reach; shift <= reach; shift += shift_step) {
        find_places(t, shift * t->em);
        lay(t, out);
        double less = t->total - 0.001 * fabs(shift);
        if (less <= most) continue;
        most = less;
        best = shift;
    }
    find_places(t, best * t->em);
    lay(t, out);
    if (!t->given->fixed) lay_cut(t, best * t->em, out);
    return t->given->fixed || is_trusted(t, out, 1) || is_table_here(t);
}

static void lay_table(struct ink_laying *t, struct ink_found *out)
{
    t->em = t->table->em * t->whole->width;
    choose_sheet(t);
    find_places(t, 0);
    lay(t, out);
}

/* Of few rows: are all of them on lines, in columns enough? */
static bool is_sure(const struct ink_laying *t)
{
    return t->n_found == t->rows->n_row &&
           t->agree >= (t->n_place >= ROWS_TOLD ? sure_agree : all_agree);
}

/* Takes out columns that few of the rows fit: another value's, as broad as some of
 * theirs. */
static void drop_misfits(struct ink_laying *t, const struct ink_found *found)
{
    int n_column = 0;
    for (int p = 0; p < t->n_place; p++) {
        int n = 0, n_fit = 0;
        for (int r = 0; r < t->rows->n_row; r++) {
            int l = found->line_of_row[r];
            if (l < 0) continue;
            n++;
            n_fit += ink_is_fitting(t, r, p,
                                    ink_width_on(t, p, l, found->n_line[r]));
        }
        if (n_fit >= column_least * n)
            t->table->column[n_column++] = *t->place[p].column;
    }
    t->table->n_column = n_column;
}

/* Of few rows: has each value that all of them have a column? Of those without one
 * the widths tell nothing, and two rows' words are soon found elsewhere. */
static bool is_complete(const struct ink_laying *t)
{
    for (int k = 0; k < t->rows->n_key; k++) {
        int n = 0, p = 0;
        for (int r = 0; r < t->rows->n_row; r++)
            n += t->rows->value[r * INK_KEYS_MAX + k].n_form > 0;
        while (p < t->n_place && t->place[p].key != k)
            p++;
        if (n == t->rows->n_row && p == t->n_place) return false;
    }
    return true;
}

/* Values that are all as broad may stand as close as words, too. */
static void fit_rest(struct ink_laying *t, const struct ink_found *found)
{
    ink_fit_rest(t->sheet, t->given, t->rows, found, t->table);
    const struct ink_sheet *cut =
        t->table->cut ? ink_cut_often(t->sheet, t->given, t->rows) : NULL;
    if (cut) ink_fit_rest(cut, t->given, t->rows, found, t->table);
}

/* `told`: in the print of another table. */
static bool lay_anew(struct ink_laying *t, bool told, struct ink_found *out)
{
    struct ink_given given = *t->given;
    *t->table = (struct ink_table){.n_row = 0};
    if (!told) given.told = NULL;
    if (!ink_fit(t->whole, &given, t->rows, t->table)) return false;
    if (t->given->told) {
        t->table->n_broad = t->given->told->n_broad;
        t->table->n_close = t->given->told->n_close;
    }
    for (int round = 0; round < 4; round++) {
        lay_table(t, out);
        if (round == 3) break;
        ink_learn_em(t, out);
        for (int p = 0; p < t->n_place; p++)
            ink_learn_place(t, p, out);
        if (round == 0) drop_misfits(t, out);
        /* as the size is known better, more of them fit */
        fit_rest(t, out);
    }
    lay_cut(t, 0, out);
    bool few = told || t->given->strict;
    return t->n_place >= 2 &&
           is_trusted(t, out, few ? ROWS_TOLD : ROWS_LEAST) &&
           (t->rows->n_row >= ROWS_LEAST ||
            (told ? is_complete(t) : is_sure(t)));
}

/* By a single row and its line, the two for which most rows fit. */
static bool lay_few(struct ink_laying *t, struct ink_found *out)
{
    struct ink_table best = {.n_row = 0};
    double most = 0;
    if (!t->given->told || t->rows->n_row > ROWS_FEW) return false;
    t->table->face = t->given->told->face;
    t->em = t->given->told->letters * t->whole->letter;
    choose_sheet(t);
    for (int r = 0; r < t->rows->n_row; r++)
        for (int l = 0; l < t->sheet->n_line; l++) {
            if (!ink_fit_row(t->sheet, t->given, t->rows, r, l, t->table))
                continue;
            lay_table(t, out);
            if (t->total <= most) continue;
            most = t->total;
            best = *t->table;
        }
    *t->table = best;
    if (!best.n_column) return false;
    lay_table(t, out);
    return is_trusted(t, out, 1);
}

/* Where all that it says of rows and lines is to stand. */
static void make_room(const struct ink_laying *t, struct arena *arena,
                      struct ink_found *out)
{
    size_t n_row = (size_t)t->rows->n_row + 1;
    size_t n_line = (size_t)t->whole->n_line + 1;
    out->line_of_row = arena_array(arena, n_row, sizeof *out->line_of_row);
    out->n_line = arena_array(arena, n_row, sizeof *out->n_line);
    out->has_date = arena_array(arena, n_row, sizeof *out->has_date);
    out->odd = arena_array(arena, n_row, sizeof *out->odd);
    out->row_of_line = arena_array(arena, n_line, sizeof *out->row_of_line);
    out->aside = arena_array(arena, n_line, sizeof *out->aside);
    out->looks = arena_array(arena, n_line, sizeof *out->looks);
}

static void find(struct ink_laying *t, struct ink_found *out)
{
    const struct ink_rows *rows = t->rows;
    bool told = t->given->told;
    out->trusted = lay_as_before(t, out) || (told && lay_anew(t, true, out)) ||
                   lay_anew(t, false, out) || lay_few(t, out);
    if (!out->trusted) return;
    out->table.letters = t->em / t->whole->letter;
    out->table.letter = t->whole->letter;
    if (!t->given->fixed) ink_learn_spaces(t, out);
    for (int r = 0; r < rows->n_row; r++)
        if (out->line_of_row[r] >= 0)
            out->odd[r] = is_odd(t, r, out->line_of_row[r], out->n_line[r]);
    if (!t->given->fixed) ink_learn_rows(t, out);
    ink_seat_edges(t, out);
    ink_look_at_lines(t, out);
}

/* What is tried on the way ends with it: of a page of forty rows, megabytes. */
void ink_find(const struct ink_sheet *sheet, const struct ink_given *given,
              struct arena *arena, struct ink_found *out)
{
    struct ink_rows rows;
    struct ink_laying t = {.whole = sheet,
                           .sheet = sheet,
                           .given = given,
                           .rows = &rows,
                           .arena = arena_new(),
                           .table = &out->table};
    *out = (struct ink_found){.trusted = false};
    ink_read_rows(given, t.arena, &rows);
    make_room(&t, arena, out);
    for (int i = 0; i < rows.n_row * INK_KEYS_MAX; i++)
        out->has_date[i / INK_KEYS_MAX] |= rows.value[i].dated;
    t.best = arena_array(t.arena,
                         ((size_t)rows.n_row + 1) * ((size_t)sheet->n_line + 1),
                         sizeof *t.best);
    if (sheet->n_line && rows.n_row) find(&t, out);
    arena_free(t.arena);
}
