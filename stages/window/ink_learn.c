/* ink_learn.c - what rows on lines tell of the print of their table (ink_laying.h). */
#include "stages/window/ink_laying.h"
#include "vlm/base/sort.h"

#include <math.h>

enum { BROAD_LEAST = 6 /* cells, from which the size of print is told */ };
static const double slack_least = 0.4, slack_most = 0.8;

static double median(double *of, int n)
{
    sort_doubles(of, (size_t)n);
    return n ? of[n / 2] : 0;
}

void ink_learn_place(struct ink_laying *t, int p, const struct ink_found *found)
{
    struct ink_column *c = t->place[p].column;
    size_t room = (size_t)t->rows->n_row + 1;
    double *more = arena_array(t->arena, room, sizeof *more);
    double *edge = arena_array(t->arena, room, sizeof *edge);
    int n = 0;
    for (int r = 0; r < t->rows->n_row; r++) {
        int l = found->line_of_row[r];
        const struct ink_cell *cell = l < 0 ? NULL : ink_cell(t, p, l);
        if (!cell || !ink_is_there(t, r, p)) continue;
        edge[n] = cell->x + (c->right ? cell->w : 0);
        more[n++] =
            (ink_width_on(t, p, l, found->n_line[r]) - ink_expected(t, r, p)) /
            t->em;
    }
    if (n < 3) return;
    double middle = median(more, n);
    c->offset += middle;
    for (int i = 0; i < n; i++)
        more[i] = fabs(more[i] - middle);
    c->slack = fmin(slack_most, fmax(slack_least, 4 * median(more, n)));
    c->edge = median(edge, n) / t->sheet->width;
}

void ink_learn_em(struct ink_laying *t, const struct ink_found *found)
{
    size_t room = (size_t)t->rows->n_row * INK_KEYS_MAX + 1;
    double *ratio = arena_array(t->arena, room, sizeof *ratio);
    int n = 0;
    for (int r = 0; r < t->rows->n_row; r++)
        for (int p = 0; p < t->n_place; p++) {
            int l = found->line_of_row[r];
            if (l < 0 || !ink_value(t, r, p)->text) continue;
            double own = ink_expected(t, r, p);
            double width = ink_width_on(t, p, l, found->n_line[r]);
            if (own > 4 * t->em && width > 0) ratio[n++] = width / own;
        }
    if (n < BROAD_LEAST) return;
    t->em *= median(ratio, n);
    t->table->em = t->em / t->sheet->width;
}

static void learn_row(struct ink_laying *t, int row, int line)
{
    for (int p = 0; p < t->n_place; p++) {
        struct ink_column *c = t->place[p].column;
        const struct ink_cell *cell = ink_cell(t, p, line);
        if (!cell || !ink_is_there(t, row, p)) continue;
        c->dated |= ink_value(t, row, p)->dated;
        c->words |= ink_value(t, row, p)->text != NULL;
        double w = cell->w / t->em;
        double gap = ink_gap(&t->sheet->line[line], cell) / t->em;
        c->gap = c->n_begin ? fmax(c->gap, gap) : gap;
        c->least = c->n_begin ? fmin(c->least, w) : w;
        c->most = c->n_begin ? fmax(c->most, w) : w;
        c->n_begin++;
    }
}

void ink_learn_spaces(struct ink_laying *t, const struct ink_found *found)
{
    for (int r = 0; r < t->rows->n_row; r++) {
        int l = found->line_of_row[r], n = found->n_line[r];
        if (l < 0 || !ink_is_as_broad(t, r, l, n)) continue;
        t->table->n_broad++;
        t->table->n_close += !ink_row_has_words(t, r, l, n);
    }
}

/* Has the row no sum on any of its lines? */
static bool is_bare(const struct ink_laying *t, const struct ink_found *found,
                    int row)
{
    for (int i = 0; i < found->n_line[row]; i++)
        if (!ink_is_bare(t, found->line_of_row[row] + i)) return false;
    return true;
}

void ink_learn_rows(struct ink_laying *t, const struct ink_found *found)
{
    for (int r = 0; r < t->rows->n_row; r++) {
        int l = found->line_of_row[r];
        if (l < 0) continue;
        t->table->n_odd += found->odd[r];
        if (found->odd[r] || (r == 0 && t->given->rest)) continue;
        t->table->n_row++;
        learn_row(t, r, l);
        t->table->n_bare += r + 1 < t->rows->n_row && is_bare(t, found, r);
    }
}
