/* ink_find.c - rows to lines, by how broad what they say is: see ink.h. */
#include "stages/window/ink_laying.h"

#include <math.h>
#include <string.h>

static const double near_edge = 0.4;     /* em: a cell of the column */
static const double absent_worth = 0.25; /* of a value that is not there */
static const double agree_least = 0.3, price = 0.2, line_price = 0.02;
static const double repeated_price = 0.1, late_price = 0.1;
static const double trusted_agree = 0.75, trusted_part = 0.7, sure_agree = 0.9,
                    all_agree = 0.99;
static const double column_least = 0.8; /* of the rows, which fit */
static const double few_more = 3;  /* em: of few values the widths tell less, */
static const double any_more = 99; /* and those of words nothing */
static const double shift_most = 1.5, shift_step = 0.25; /* em */
static const double of_all = 0.95;
static const double apart_least = 0.7; /* em, of cells */
static const double apart_near = 0.1;  /* pixels */
enum { ROWS_LEAST = 6, ROWS_TOLD = 3, ROWS_FEW = 8, ROWS_SURE = 20 };
enum { ASTRAY_MOST = 3 /* rows of other pages */ };
/* So many rows as broad as their print, but without gaps between words. */
enum { CLOSE_LEAST = 2, CLOSE_ONE_IN = 20 };

/* The page's lines with cells as the table's print has them. */
static void choose_sheet(struct ink_laying *t)
{
    double gap = apart_least * t->em;
    t->sheet = ink_sheet_of(t->whole, t->table->face);
    if (t->table->face == PRINT_EVEN) return;
    if (!t->apart || fabs(gap - t->gap) > apart_near) {
        t->apart = ink_sheet_apart(t->whole, gap, t->arena);
        t->gap = gap;
    }
    t->sheet = t->apart;
}

static bool is_taken(const struct ink_laying *t, int line)
{
    return t->given->taken && t->given->taken[line];
}

/* Finds the table's columns on the page, moved by so many pixels. */
static void find_places(struct ink_laying *t, double shift)
{
    size_t n = (size_t)t->sheet->n_line + 1;
    t->n_place = 0;
    for (int c = 0; c < t->table->n_column; c++) {
        struct ink_place own = {.column = &t->table->column[c], .key = -1};
        for (int k = 0; k < t->rows->n_key; k++)
            if (t->rows->key[k] == own.column->key) own.key = k;
        if (own.key < 0) continue;
        int *cell = arena_array(t->arena, n, sizeof *cell);
        for (int l = 0; l < t->sheet->n_line; l++)
            cell[l] =
                is_taken(t, l)
                    ? -1
                    : ink_cell_at(&t->sheet->line[l], own.column->right,
                                  own.column->edge * t->sheet->width + shift,
                                  near_edge * t->em);
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

/* Whether nearly all rows have the column on their first line. */
static bool is_begin(const struct ink_laying *t, const struct ink_column *c)
{
    return c->n_begin >= of_all * t->table->n_row;
}

static bool is_sum(const struct ink_column *c)
{
    return !c->words && !c->dated;
}

/* Has the line none of the sums that rows begin with? */
static bool is_bare(const struct ink_laying *t, int line)
{
    for (int p = 0; p < t->n_place; p++)
        if (is_sum(t->place[p].column) && ink_cell(t, p, line)) return false;
    return true;
}

/* Do nearly all rows begin with a date, among others? */
static bool begins_with_date(const struct ink_laying *t)
{
    bool dated = false;
    for (int p = 0; p < t->n_place; p++)
        dated |= t->place[p].column->dated && is_begin(t, t->place[p].column);
    return dated;
}

/* Whether a line that begins with a date may be a row without the column, as some
 * rows are: their sums stand on a line below, or on the next page. */
static bool may_lack(const struct ink_laying *t, const struct ink_column *c,
                     int line)
{
    return begins_with_date(t) && !c->dated &&
           (c->n_begin < t->table->n_row || (is_sum(c) && is_bare(t, line)));
}

/* Whether what nearly all rows begin with stands on the line, about as broad as
 * theirs, words by `about` ems; a date tells by itself, however broad the words
 * beside it. */
static bool looks_about(const struct ink_laying *t, int line, double about)
{
    int n = 0;
    if (!t->table->n_row) return false;
    double few = fmin(about, few_more);
    if (begins_with_date(t)) about = any_more;
    for (int p = 0; p < t->n_place; p++) {
        const struct ink_column *c = t->place[p].column;
        const struct ink_cell *cell = ink_cell(t, p, line);
        if (!is_begin(t, c) || (!cell && may_lack(t, c, line))) continue;
        double more = c->slack + (c->most - c->least) / 2;
        if (!c->dated) more += c->words ? about : few;
        if (!cell || cell->w < (c->least - more) * t->em ||
            cell->w > (c->most + more) * t->em)
            return false;
        n += c->dated ? 2 : 1;
    }
    return n >= 2 || (n == 1 && t->n_place == 1);
}

static bool looks_like_row(const struct ink_laying *t, int line)
{
    bool few = t->given->strict && t->table->n_row < ROWS_LEAST;
    return looks_about(t, line, few ? few_more : 0);
}

/* Does what rows begin with stand on a later one of the lines alone? Then what is
 * printed above it may be the rest of the row before. */
static bool begins_late(const struct ink_laying *t, int line, int n)
{
    if (n < 2 || looks_like_row(t, line)) return false;
    for (int l = line + 1; l < line + n; l++)
        if (looks_like_row(t, l)) return true;
    return false;
}

/* --- all rows ------------------------------------------------------------------ */

struct cell_best {
    double gain;
    signed char
        lines; /* of the row that ends here; 0: skips a line, -1: a row */
};

static double gain_of(const struct ink_laying *t, int row, int line, int n)
{
    for (int l = line; l < line + n; l++)
        if (is_taken(t, l)) return -1;
    double agree = agreement(t, row, line, n);
    bool repeated = row == t->rows->repeated;
    /* what may be the page before's is here where all of it is as broad; spaces
     * between narrow words are not always seen */
    if (agree < agree_least || (repeated && !ink_is_as_broad(t, row, line, n)))
        return -1;
    return agree - price - line_price * (n - 1) -
           (repeated ? repeated_price : 0) -
           (begins_late(t, line, n) ? late_price : 0);
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
    struct cell_best *best =
        arena_array(t->arena, ((size_t)n_row + 1) * wide, sizeof *best);
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

/* --- lines ---------------------------------------------------------------------- */

/* What stands in all columns of few rows is a row, however broad: these are soon
 * broader or narrower than the next one. Where little is known, only between two of
 * them; above and below it may be a head. */
static void look_around(const struct ink_laying *t, struct ink_found *out)
{
    bool strict = t->given->strict, below = !strict;
    int last = t->sheet->n_line - 1;
    while (strict && last >= 0 && out->row_of_line[last] < 0)
        last--;
    if (!out->firm || t->table->n_row >= (strict ? ROWS_LEAST : ROWS_SURE))
        return;
    for (int l = 0; l <= last; l++) {
        below |= out->row_of_line[l] >= 0;
        out->looks[l] |= below && !is_taken(t, l) &&
                         looks_about(t, l, strict ? few_more : any_more);
    }
}

static void look_at_lines(const struct ink_laying *t, struct ink_found *out)
{
    int n = 0;
    for (int p = 0; p < t->n_place; p++) {
        bool begin = is_begin(t, t->place[p].column);
        n += begin;
        out->dated |= begin && t->place[p].column->dated;
    }
    out->firm = out->dated || n >= ROWS_TOLD;
    for (int l = 0; l < t->sheet->n_line; l++) {
        out->row_of_line[l] = -1;
        out->looks[l] = !is_taken(t, l) && looks_like_row(t, l);
    }
    for (int r = 0; r < t->rows->n_row; r++)
        for (int i = 0; out->line_of_row[r] >= 0 && i < out->n_line[r]; i++)
            out->row_of_line[out->line_of_row[r] + i] = r;
    look_around(t, out);
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
        n += !is_taken(t, l) && looks_like_row(t, l);
    return n > 0;
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
        ink_fit_rest(t->sheet, t->given, t->rows, out, t->table);
    }
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

void ink_find(const struct ink_sheet *sheet, const struct ink_given *given,
              struct arena *arena, struct ink_found *out)
{
    struct ink_rows rows;
    struct ink_laying t = {.whole = sheet,
                           .sheet = sheet,
                           .given = given,
                           .rows = &rows,
                           .arena = arena,
                           .table = &out->table};
    bool told = given->told;
    *out = (struct ink_found){.trusted = false};
    ink_read_rows(given, arena, &rows);
    size_t n_row = (size_t)rows.n_row + 1, n_line = (size_t)sheet->n_line + 1;
    out->line_of_row = arena_array(arena, n_row, sizeof *out->line_of_row);
    out->n_line = arena_array(arena, n_row, sizeof *out->n_line);
    out->has_date = arena_array(arena, n_row, sizeof *out->has_date);
    for (int i = 0; i < rows.n_row * INK_KEYS_MAX; i++)
        out->has_date[i / INK_KEYS_MAX] |= rows.value[i].dated;
    out->odd = arena_array(arena, n_row, sizeof *out->odd);
    out->row_of_line = arena_array(arena, n_line, sizeof *out->row_of_line);
    out->looks = arena_array(arena, n_line, sizeof *out->looks);
    if (!sheet->n_line || !rows.n_row) return;
    out->trusted = lay_as_before(&t, out) ||
                   (told && lay_anew(&t, true, out)) ||
                   lay_anew(&t, false, out) || lay_few(&t, out);
    if (!out->trusted) return;
    out->table.letters = t.em / sheet->letter;
    out->table.letter = sheet->letter;
    if (!given->fixed) ink_learn_spaces(&t, out);
    for (int r = 0; r < rows.n_row; r++)
        if (out->line_of_row[r] >= 0)
            out->odd[r] = is_odd(&t, r, out->line_of_row[r], out->n_line[r]);
    if (!given->fixed) ink_learn_rows(&t, out);
    look_at_lines(&t, out);
}
