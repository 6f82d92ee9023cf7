/* coverage_two.c - rows of two lines: those that have taken the line of another row
 * for their own, and those that have their values on the second one. */
#include "stages/long/check/coverage_inside.h"

#include <math.h>

static const double edge = 0.02; /* by which a column's edges may differ */

static bool is_value(const struct canon *item)
{
    return item->kind == CANON_DATE || item->kind == CANON_AMOUNT;
}

static const struct canon *leftmost(const struct canons *items)
{
    const struct canon *least = NULL;
    for (int i = 0; i < items->n_item; i++)
        if (!least || items->item[i].x < least->x) least = &items->item[i];
    return least;
}

/* How many of the values of `a` stand in a column of those of `b`; -1: one
 * does not. */
static int n_below(const struct canons *a, const struct canons *b)
{
    int n = 0;
    for (int i = 0; i < a->n_item; i++) {
        const struct canon *one = &a->item[i];
        bool found = false;
        if (!is_value(one)) continue;
        for (int k = 0; k < b->n_item && !found; k++)
            found = b->item[k].kind == one->kind &&
                    fabs(b->item[k].x + b->item[k].w - one->x - one->w) < edge;
        if (!found) return -1;
        n++;
    }
    return n;
}

/* Whether two lines begin with a number or a date, and have the same values in
 * the same columns. */
static bool are_alike(const struct canons *a, const struct canons *b)
{
    const struct canon *left = leftmost(a), *other = leftmost(b);
    return left && other && left->kind == other->kind &&
           left->kind != CANON_WORD && fabs(left->x - other->x) < edge &&
           n_below(a, b) > 0 && n_below(b, a) > 0;
}

static int n_said(const struct aligned_row *row, const struct line_said *line)
{
    int n = 0;
    for (int i = 0; i < line->said.n_item; i++)
        n += is_value(&line->said.item[i]) &&
             canon_holds(&row->said, &line->said.item[i]);
    return n;
}

bool coverage_is_two(const struct comparison *t, const struct aligned_row *row)
{
    const struct line_said *first = &t->line[row->line];
    bool says_first = n_said(row, first) > 0;
    for (int l = row->line + 1; l < row->line + row->n_line; l++)
        if (says_first != (n_said(row, &t->line[l]) > 0) &&
            are_alike(&first->said, &t->line[l].said))
            return true;
    return false;
}

/* Whether the line has a value, and each of them in a column of one that stands
 * below the first line of a row. */
static bool is_below_alike(const struct comparison *t,
                           const struct canons *said)
{
    for (int r = 0; r < t->n_row; r++) {
        const struct aligned_row *row = &t->row[r];
        if (row->line >= 0 && row->n_line > 1 &&
            n_below(said, &t->line[row->line + 1].said) > 0)
            return true;
    }
    return false;
}

bool coverage_is_begun(const struct comparison *t, int index,
                       const struct coverage_shape *own)
{
    if (own->n_date + own->n_amount > 0 || index + 1 >= t->n_line) return false;
    const struct line_said *first = &t->line[index], *next = first + 1;
    return first->row < 0 && !first->goes_on && !coverage_has_value(first) &&
           next->row < 0 && !next->goes_on && !coverage_is_sum(next) &&
           is_below_alike(t, &next->said) && coverage_fits(t, index, own, NULL);
}
