/* ink_looks.c - which lines look as rows begin (ink_laying.h). */
#include "stages/window/ink_laying.h"

#include <math.h>

static const double few_more = 3;  /* em: of few values the widths tell less, */
static const double any_more = 99; /* and those of words nothing */
static const double of_all = 0.95;
static const double gap_more = 0.04; /* em: half a pixel where print is small */

/* Whether nearly all rows have the column on their first line. */
static bool is_begin(const struct ink_laying *t, const struct ink_column *c)
{
    return c->n_begin >= of_all * t->table->n_row;
}

/* Do nearly all rows begin with a date, among others? */
static bool begins_with_date(const struct ink_laying *t)
{
    bool dated = false;
    for (int p = 0; p < t->n_place; p++)
        dated |= t->place[p].column->dated && is_begin(t, t->place[p].column);
    return dated;
}

/* Whether a line of rows that begin with a date may be one without the column, as
 * some are: their sums stand on a line below, or on the next page. */
static bool may_lack(const struct ink_laying *t, const struct ink_column *c,
                     int line)
{
    return !c->dated && (c->n_begin < t->table->n_row ||
                         (ink_is_sum(c) && ink_is_bare(t, line)));
}

/* Does the line's print run on where another column begins, or ends? */
static bool runs_on(const struct ink_laying *t, int line)
{
    double near = ink_near_edge * t->em;
    for (int p = 0; p < t->n_place; p++) {
        const struct ink_cell *cell = ink_cell(t, p, line);
        for (int q = 0; cell && q < t->n_place; q++) {
            double x = t->place[q].column->edge * t->sheet->width;
            if (q != p && x > cell->x + near && x < cell->x + cell->w - near)
                return true;
        }
    }
    return false;
}

/* Do sums stand on a line below, before something begins where the place's values do?
 * They may, where the page ends. */
static bool has_sums_below(const struct ink_laying *t, int p, int line)
{
    for (int l = line + 1; l < line + INK_SPAN; l++) {
        if (l >= t->sheet->n_line) return true;
        if (ink_cell(t, p, l)) return false;
        if (!ink_is_bare(t, l)) return true;
    }
    return false;
}

/* Whether the place's cell was cut out of a text: beside it stand words alone, and
 * these run on, or it falls into words itself, unlike the column's values; or there
 * are no sums, which each row has. */
static bool is_text(const struct ink_laying *t, int p, int line)
{
    const struct ink_column *c = t->place[p].column;
    const struct ink_cell *cell = ink_cell(t, p, line);
    if (!t->table->cut || c->words || !ink_is_bare(t, line)) return false;
    return runs_on(t, line) ||
           ink_gap(&t->sheet->line[line], cell) > (c->gap + gap_more) * t->em ||
           (!t->table->n_bare && !has_sums_below(t, p, line));
}

/* Whether what nearly all rows begin with stands on the line, about as broad as
 * theirs, words by `about` ems; a date tells by itself, however broad the words
 * beside it. */
static bool looks_about(const struct ink_laying *t, int line, double about)
{
    int n = 0;
    if (!t->table->n_row) return false;
    double few = fmin(about, few_more);
    bool dated = begins_with_date(t);
    if (dated) about = any_more;
    for (int p = 0; p < t->n_place; p++) {
        const struct ink_column *c = t->place[p].column;
        const struct ink_cell *cell = ink_cell(t, p, line);
        if (!is_begin(t, c) || (!cell && dated && may_lack(t, c, line)))
            continue;
        double more = c->slack + (c->most - c->least) / 2;
        if (!c->dated) more += c->words ? about : few;
        if (!cell || is_text(t, p, line) ||
            cell->w < (c->least - more) * t->em ||
            cell->w > (c->most + more) * t->em)
            return false;
        n += c->dated ? 2 : 1;
    }
    return n >= 2 || (n == 1 && t->n_place == 1);
}

bool ink_looks_like_row(const struct ink_laying *t, int line)
{
    bool few = t->given->strict && t->table->n_row < ROWS_LEAST;
    return looks_about(t, line, few ? few_more : 0);
}

bool ink_is_filled(const struct ink_laying *t, int line)
{
    int n = 0;
    for (int p = 0; p < t->n_place; p++) {
        const struct ink_column *c = t->place[p].column;
        const struct ink_cell *cell = ink_cell(t, p, line);
        if (!is_begin(t, c)) continue;
        if (!cell ||
            (c->dated && fabs(cell->w - c->most * t->em) > few_more * t->em))
            return false;
        n++;
    }
    return n >= 2;
}

bool ink_begins_late(const struct ink_laying *t, int line, int n)
{
    if (n < 2 || ink_looks_like_row(t, line)) return false;
    for (int l = line + 1; l < line + n; l++)
        if (ink_looks_like_row(t, l)) return true;
    return false;
}

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
        out->looks[l] |= below && !ink_is_taken(t, l) &&
                         looks_about(t, l, strict ? few_more : any_more);
    }
}

/* How many of the table's columns have on the line what is as broad as in its rows. */
static int n_alike(const struct ink_laying *t, int line)
{
    int n = 0;
    for (int p = 0; p < t->n_place; p++) {
        const struct ink_column *c = t->place[p].column;
        const struct ink_cell *cell = ink_cell(t, p, line);
        double w = cell ? cell->w / t->em : 0;
        n += cell && w >= c->least - c->slack && w <= c->most + c->slack;
    }
    return n;
}

/* Do most rows not look like ones, so that no line without a row would? A few say
 * too little: they may be those of which most is on another page. */
static bool is_shapeless(const struct ink_laying *t,
                         const struct ink_found *out)
{
    int n = 0, n_look = 0;
    for (int r = 0; r < t->rows->n_row; r++) {
        if (out->line_of_row[r] < 0) continue;
        n++;
        n_look += out->looks[out->line_of_row[r]];
    }
    return n >= ROWS_LEAST && 2 * n_look < n;
}

/* Where nobody knows how rows begin, what stands in two of their columns is one. */
static void look_at_any(const struct ink_laying *t, struct ink_found *out)
{
    if (t->given->strict || !is_shapeless(t, out)) return;
    for (int l = 0; l < t->sheet->n_line; l++)
        out->looks[l] |= !ink_is_taken(t, l) && n_alike(t, l) >= 2;
}

void ink_look_at_lines(const struct ink_laying *t, struct ink_found *out)
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
        out->looks[l] = !ink_is_taken(t, l) && ink_looks_like_row(t, l);
    }
    for (int r = 0; r < t->rows->n_row; r++)
        for (int i = 0; out->line_of_row[r] >= 0 && i < out->n_line[r]; i++)
            out->row_of_line[out->line_of_row[r] + i] = r;
    look_around(t, out);
    look_at_any(t, out);
}
