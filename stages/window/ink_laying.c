/* ink_laying.c - see ink_laying.h. */
#include "stages/window/ink_laying.h"

#include <math.h>

static const double slack_part = 0.012;
const double ink_near_edge = 0.4;

bool ink_is_taken(const struct ink_laying *t, int line)
{
    return t->given->taken && t->given->taken[line];
}

const struct row_print *ink_value(const struct ink_laying *t, int row, int p)
{
    return &t->rows->value[row * INK_KEYS_MAX + t->place[p].key];
}

const struct ink_cell *ink_cell(const struct ink_laying *t, int p, int line)
{
    int c = t->place[p].cell[line];
    return c < 0 ? NULL : &t->sheet->line[line].cell[c];
}

bool ink_is_sum(const struct ink_column *c)
{
    return !c->words && !c->dated;
}

bool ink_is_bare(const struct ink_laying *t, int line)
{
    for (int p = 0; p < t->n_place; p++)
        if (ink_is_sum(t->place[p].column) && ink_cell(t, p, line))
            return false;
    return true;
}

double ink_expected(const struct ink_laying *t, int row, int p)
{
    const struct ink_column *c = t->place[p].column;
    return t->em *
           (ink_value(t, row, p)->width[t->table->face][c->form] + c->offset);
}

double ink_width_on(const struct ink_laying *t, int p, int line, int n)
{
    double sum = 0;
    for (int l = line; l < line + n; l++) {
        const struct ink_cell *cell = ink_cell(t, p, l);
        if (cell) sum += cell->w + (sum > 0 ? ink_space * t->em : 0);
    }
    return sum;
}

bool ink_is_there(const struct ink_laying *t, int row, int p)
{
    return t->place[p].column->form < ink_value(t, row, p)->n_form;
}

bool ink_is_fitting(const struct ink_laying *t, int row, int p, double width)
{
    if (!ink_is_there(t, row, p)) return width <= 0;
    double slack = t->place[p].column->slack * t->em + slack_part * width;
    return width > 0 && fabs(width - ink_expected(t, row, p)) <= slack;
}

bool ink_is_as_broad(const struct ink_laying *t, int row, int line, int n)
{
    for (int p = 0; p < t->n_place; p++)
        if (!ink_is_fitting(t, row, p, ink_width_on(t, p, line, n)))
            return false;
    return true;
}

bool ink_row_has_words(const struct ink_laying *t, int row, int line, int n)
{
    for (int p = 0; p < t->n_place; p++) {
        const struct ink_cell *cell = ink_cell(t, p, line);
        const char *text = ink_value(t, row, p)->text;
        if (text && cell && ink_width_on(t, p, line, n) <= cell->w &&
            !ink_has_words(&t->sheet->line[line], cell, text, t->table->face,
                           t->em))
            return false;
    }
    return true;
}
