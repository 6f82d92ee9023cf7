/* ink_fit_row.c - the columns of one row on one line (ink_inside.h). */
#include "stages/window/ink_inside.h"

#include <math.h>

enum { FEW = 3 };
static const double fit_em = 0.4; /* by which a cell's width may differ */

/* The cell of the line that is as broad as the value in some form, of those that
 * are not gone, or -1; *form: in which. */
static int cell_for(const struct ink_line *line, const struct row_print *v,
                    const struct ink_table *t, double em, const bool *gone,
                    int *form)
{
    int best = -1;
    double least = fit_em * em;
    for (int c = 0; c < line->n_cell; c++)
        for (int i = 0; i < v->n_form && !gone[c]; i++) {
            double off = fabs(line->cell[c].w - em * v->width[t->face][i]);
            if (off >= least) continue;
            least = off;
            best = c;
            *form = i;
        }
    return best;
}

/* Whether what stands between the first and the last of the cells is all gone. */
static bool is_whole(const struct ink_line *line, const bool *gone)
{
    int first = line->n_cell, last = -1;
    for (int c = 0; c < line->n_cell; c++) {
        if (!gone[c]) continue;
        if (last < 0) first = c;
        last = c;
    }
    for (int c = first; c < last; c++)
        if (!gone[c]) return false;
    return last == line->n_cell - 1;
}

bool ink_fit_row(const struct ink_sheet *sheet, const struct ink_given *given,
                 const struct ink_rows *rows, int row, int line,
                 struct ink_table *t)
{
    bool gone[INK_CELLS_MAX] = {false};
    const struct ink_line *own = &sheet->line[line];
    const struct ink_table *told = given->told;
    double em = told->letters * sheet->letter;
    *t = (struct ink_table){.face = told->face,
                            .em = em / sheet->width,
                            .n_broad = told->n_broad,
                            .n_close = told->n_close};
    if (given->taken && given->taken[line]) return false;
    for (int k = 0; k < rows->n_key; k++) {
        const struct row_print *v = &rows->value[row * INK_KEYS_MAX + k];
        int form = 0, c = cell_for(own, v, t, em, gone, &form);
        if (!v->n_form) continue;
        if (c < 0) return false;
        gone[c] = true;
        bool right = !v->text && !v->dated;
        t->column[t->n_column++] = (struct ink_column){
            .key = rows->key[k],
            .right = right,
            .form = form,
            .edge = (own->cell[c].x + (right ? own->cell[c].w : 0.0)) /
                    sheet->width,
            .slack = fit_em};
    }
    return t->n_column >= FEW && is_whole(own, gone);
}
