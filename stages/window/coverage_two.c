/* coverage_two.c - rows that have taken the line of another row for their own. */
#include "stages/window/coverage_inside.h"

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

static int n_said(const struct row_said *row, const struct line_said *line)
{
    int n = 0;
    for (int i = 0; i < line->said.n_item; i++)
        n += is_value(&line->said.item[i]) &&
             canon_holds(&row->said, &line->said.item[i]);
    return n;
}

bool coverage_is_two(const struct comparison *t, const struct row_said *row)
{
    const struct line_said *first = &t->line[row->line];
    bool says_first = n_said(row, first) > 0;
    for (int l = row->line + 1; l < row->line + row->n_line; l++)
        if (says_first != (n_said(row, &t->line[l]) > 0) &&
            are_alike(&first->said, &t->line[l].said))
            return true;
    return false;
}
