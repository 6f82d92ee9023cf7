/* ink_fit_rest.c - the columns of keys whose values are all as broad (ink_inside.h). */
#include "stages/window/ink_fitting.h"

#include <math.h>

enum { FEW = 3 };
static const double near_edge = 0.35; /* of a letter: at the same place */
/* By which a cell's width may differ: of an em, and of the width. */
static const double fit_em = 0.4, fit_part = 0.02;
static const double rest_least = 0.8; /* of the rows, where such stand */

/* How broad the print at the edge is on the row's lines. */
static double width_on(const struct ink_fitting *f,
                       const struct ink_found *found, int row,
                       const struct ink_edge *edge)
{
    double w = 0, near = near_edge * f->sheet->letter;
    for (int i = 0; i < found->n_line[row]; i++) {
        const struct ink_line *line =
            &f->sheet->line[found->line_of_row[row] + i];
        int c = ink_cell_at(line, edge->right, edge->x, near);
        if (c >= 0) w += line->cell[c].w;
    }
    return w;
}

/* Weighs of the rows that are on a line the part for which the choice fits. What is
 * as broad in each row must fit half of them closely: most pages have a mark on each
 * line that is about as broad. */
static void weigh(const struct ink_fitting *f, const struct ink_found *found,
                  const struct ink_table *t, struct ink_column_choice *own)
{
    int n = 0, n_fit = 0, n_close = 0, n_there = 0;
    double em = t->em * f->sheet->width;
    for (int r = 0; r < f->rows->n_row; r++) {
        const struct row_print *v =
            &f->rows->value[r * INK_KEYS_MAX + own->key];
        if (found->line_of_row[r] < 0) continue;
        bool there = own->form < v->n_form;
        double w = width_on(f, found, r, own->edge);
        double wide = there ? em * v->width[t->face][own->form] : 0;
        double off = fabs(w - wide * (1 + own->more));
        double most = there ? fit_em * em + fit_part * w : 0;
        n++;
        n_there += there;
        n_fit += off <= most;
        n_close += off <= most / 2;
    }
    /* one of a few rows may be on another's line for want of these columns */
    bool most = n_fit > rest_least * n || (n > FEW && n_fit >= n - 1);
    if (n_there < FEW || !most || 2 * n_close < n) return;
    own->share = (double)n_fit / n;
    own->close = (double)n_close / n;
}

static struct ink_column_choice best_rest(const struct ink_fitting *f,
                                          const struct ink_found *found,
                                          const struct ink_table *t, int key,
                                          const bool *gone)
{
    struct ink_column_choice best = {.key = key};
    const struct row_print *kind = ink_kind_of(f->rows, key);
    for (int e = 0; e < f->n_edge; e++)
        for (int i = 0; !gone[e] && i < PRINT_FORMS * INK_SIZES; i++) {
            struct ink_column_choice own = {.key = key,
                                            .form = i / INK_SIZES,
                                            .edge = &f->edge[e],
                                            .more = ink_broader[i % INK_SIZES]};
            weigh(f, found, t, &own);
            if (own.share > 0) ink_consider(&best, kind, &own);
        }
    return best;
}

static bool has_column(const struct ink_table *t, uint64_t key)
{
    for (int c = 0; c < t->n_column; c++)
        if (t->column[c].key == key) return true;
    return false;
}

/* Edges of cells that stand where a column of the table does. */
static void mark_gone(const struct ink_fitting *f, const struct ink_table *t,
                      bool *gone)
{
    for (int c = 0; c < t->n_column; c++) {
        double x = t->column[c].edge * f->sheet->width;
        for (int i = 0; i < f->n_edge; i++) {
            const struct ink_edge *own = &f->edge[i];
            if (own->right != t->column[c].right || fabs(own->x - x) > 2)
                continue;
            for (int e = 0; e < f->n_edge; e++)
                gone[e] |= ink_same_cells(f, &f->edge[e], own);
        }
    }
}

void ink_fit_rest(const struct ink_sheet *sheet, const struct ink_given *given,
                  const struct ink_rows *rows, const struct ink_found *found,
                  struct ink_table *t)
{
    struct ink_fitting f = {.sheet = sheet, .rows = rows};
    ink_fit_begin(&f, given);
    for (;;) {
        bool gone[INK_EDGES_MAX] = {false};
        struct ink_column_choice best = {.share = 0};
        mark_gone(&f, t, gone);
        for (int k = 0; k < rows->n_key; k++) {
            if (has_column(t, rows->key[k])) continue;
            struct ink_column_choice own = best_rest(&f, found, t, k, gone);
            if (own.edge && own.share > best.share) best = own;
        }
        if (!best.edge) return;
        t->column[t->n_column++] = (struct ink_column){
            .key = rows->key[best.key],
            .right = best.edge->right,
            .form = best.form,
            .edge = best.edge->x / sheet->width,
            .offset = best.more * ink_mean_of(&f, &best, t->face),
            .slack = fit_em};
    }
}
