/* ink_edge.c - rows at the edge of a table that are printed larger or smaller than the
 * others, bold, or with their sums and dates written otherwise (ink_laying.h).
 *
 * They fit no line and look like another page's rows. But where lines at that edge
 * have something in all columns, and the words of one row after the other are as
 * broad there as in the print of the others, all by the same factor, they are theirs.
 */
#include "stages/window/ink_laying.h"

#include <math.h>

/* So many rows tell; in another size of print. */
enum { ROWS_TELL = 2, ROWS_SIZED = 3, ROWS_MOST = 40 };
static const double sized = 0.05; /* the factor differs from 1 */
static const double factor_most = 1.6;
static const double spread_least = 1.5; /* em: words that differ */

/* The rows outside of those that are on lines, the nearest first, each with the
 * line that would be its one. */
struct ink_side {
    int step; /* -1: above, 1: below */
    int row[ROWS_MOST], line[ROWS_MOST];
    int n;
    double factor; /* by which their print is broader */
};

static bool is_near(const struct ink_laying *t, const struct ink_side *side,
                    int line, int last)
{
    return line >= 0 && line < t->sheet->n_line &&
           t->sheet->line[line].page == t->sheet->line[last].page &&
           (line - last) * side->step <= 2 * INK_SPAN;
}

/* Pairs the rows from `row` on with lines beyond `line`. */
static void pair_rows(const struct ink_laying *t, struct ink_side *side,
                      int row, int line)
{
    int first = t->given->rest ? 1 : 0, last = line;
    for (line += side->step;
         side->n < ROWS_MOST && row >= first && row < t->rows->n_row &&
         is_near(t, side, line, last);
         line += side->step) {
        if (!ink_is_filled(t, line)) continue;
        side->row[side->n] = row;
        side->line[side->n++] = last = line;
        row += side->step;
    }
}

/* By which factor the place's print is broader than the rows' values. */
static double factor_of(const struct ink_laying *t, const struct ink_side *side,
                        int p)
{
    double own = 0, expected = 0;
    for (int i = 0; i < side->n; i++) {
        own += ink_width_on(t, p, side->line[i], 1);
        expected += ink_expected(t, side->row[i], p);
    }
    return expected > 0 ? own / expected : 0;
}

/* Is the row's value as broad as its line's print, by the factor? */
static bool fits(const struct ink_laying *t, const struct ink_side *side, int i,
                 int p)
{
    double own = ink_width_on(t, p, side->line[i], 1);
    if (!ink_is_there(t, side->row[i], p)) return own <= 0;
    return fabs(own - side->factor * ink_expected(t, side->row[i], p)) <=
           t->place[p].column->slack * t->em;
}

/* Of how many of the rows it is. */
static int n_fit(const struct ink_laying *t, const struct ink_side *side, int p)
{
    int n = 0;
    for (int i = 0; i < side->n; i++)
        n += fits(t, side, i, p);
    return n;
}

/* Do the widths of the rows' words there differ? */
static bool is_telling(const struct ink_laying *t, const struct ink_side *side,
                       int p)
{
    double least = HUGE_VAL, most = 0;
    for (int i = 0; i < side->n; i++) {
        if (!ink_is_there(t, side->row[i], p)) return false;
        double wide = ink_expected(t, side->row[i], p);
        least = fmin(least, wide);
        most = fmax(most, wide);
    }
    return t->place[p].column->words && most - least >= spread_least * t->em;
}

/* Are all words there as broad as on the lines? */
static bool fit_words(const struct ink_laying *t, struct ink_side *side, int p)
{
    side->factor = factor_of(t, side, p);
    bool other = fabs(side->factor - 1) > sized;
    return side->n >= (other ? ROWS_SIZED : ROWS_TELL) &&
           side->factor <= factor_most && side->factor * factor_most >= 1 &&
           is_telling(t, side, p) && n_fit(t, side, p) == side->n;
}

static bool fit_any(const struct ink_laying *t, struct ink_side *side)
{
    for (int p = 0; p < t->n_place; p++)
        if (fit_words(t, side, p)) return true;
    return false;
}

/* Does a value of the row not fit, while most of the others do there? */
static bool is_unlike(const struct ink_laying *t, const struct ink_side *side,
                      int i)
{
    for (int p = 0; p < t->n_place; p++)
        if (!fits(t, side, i, p) && 2 * n_fit(t, side, p) > side->n)
            return true;
    return false;
}

/* Those beyond them were laid where another stands. */
static void seat(const struct ink_laying *t, struct ink_found *out,
                 const struct ink_side *side)
{
    int first = t->given->rest ? 1 : 0;
    for (int r = side->row[0]; r >= first && r < t->rows->n_row;
         r += side->step)
        out->line_of_row[r] = -1;
    for (int i = 0; i < side->n; i++) {
        out->line_of_row[side->row[i]] = side->line[i];
        out->n_line[side->row[i]] = 1;
        out->odd[side->row[i]] = is_unlike(t, side, i);
    }
}

static void seat_side(const struct ink_laying *t, struct ink_found *out,
                      int step, int row, int line)
{
    struct ink_side side = {.step = step};
    pair_rows(t, &side, row, line);
    for (int i = 0; i < side.n; i++)
        out->aside[side.line[i]] |= side.row[i] != t->rows->repeated;
    while (side.n && !fit_any(t, &side))
        side.n--;
    if (side.n) seat(t, out, &side);
}

/* Does the row stand on its line for sure? */
static bool is_seated(const struct ink_found *out, int row)
{
    return out->line_of_row[row] >= 0 && !out->odd[row];
}

/* Are most of these rows on no line? Others may be odd for specks alone. */
static bool are_nowhere(const struct ink_found *out, int from, int to)
{
    int n = 0;
    for (int r = from; r < to; r++)
        n += out->line_of_row[r] < 0;
    return 2 * n > to - from;
}

void ink_seat_edges(const struct ink_laying *t, struct ink_found *out)
{
    int first = 0, last = t->rows->n_row - 1;
    while (first <= last && !is_seated(out, first))
        first++;
    while (last > first && !is_seated(out, last))
        last--;
    if (first > last) return;
    if (are_nowhere(out, 0, first))
        seat_side(t, out, -1, first - 1, out->line_of_row[first]);
    if (are_nowhere(out, last + 1, t->rows->n_row))
        seat_side(t, out, 1, last + 1,
                  out->line_of_row[last] + out->n_line[last] - 1);
}
