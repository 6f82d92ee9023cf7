/* ink_fit_rest.c - the columns of keys whose values are all as broad (ink_inside.h). */
#include "stages/window/ink_fitting.h"

#include <math.h>

enum { FEW = 3 };
static const double near_edge = 0.35; /* of a letter: at the same place */
/* By which a cell's width may differ: of an em, and of the width. */
static const double fit_em = 0.4, fit_part = 0.02;
static const double rest_least = 0.8; /* of the rows, where such stand */

/* The part of the rows that are on a line for which the edge fits. */
static double share_on(const struct ink_fitting *f,
                       const struct ink_found *found, const struct ink_table *t,
                       const struct ink_column_choice *choice)
{
    const struct ink_edge *edge = choice->edge;
    int n = 0, n_fit = 0, n_there = 0;
    double em = t->em * f->sheet->width, near = near_edge * f->sheet->letter;
    for (int r = 0; r < f->rows->n_row; r++) {
        const struct row_print *v =
            &f->rows->value[r * INK_KEYS_MAX + choice->key];
        double w = 0;
        if (found->line_of_row[r] < 0) continue;
        for (int i = 0; i < found->n_line[r]; i++) {
            const struct ink_line *line =
                &f->sheet->line[found->line_of_row[r] + i];
            int c = ink_cell_at(line, edge->right, edge->x, near);
            if (c >= 0) w += line->cell[c].w;
        }
        bool there = choice->form < v->n_form;
        double own = there ? em * v->width[t->face][choice->form] : 0;
        own *= 1 + choice->more;
        n++;
        n_there += there;
        n_fit += there ? fabs(w - own) <= fit_em * em + fit_part * w : w <= 0;
    }
    /* one of a few rows may be on another's line for want of these columns */
    bool most = n_fit > rest_least * n || (n > FEW && n_fit >= n - 1);
    return n_there >= FEW && most ? (double)n_fit / n : 0;
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
            own.share = share_on(f, found, t, &own);
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
