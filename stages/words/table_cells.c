/* table_cells.c - see table_cells.h. */
#include "stages/words/table_cells.h"

#include <math.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/print/thresholds.h"
#include "stages/words/table_values.h"

int table_cells_page(const struct words_reading *r, int line)
{
    return alignment_token(&r->l, r->l.table.line[line].first)->page;
}

double table_cells_heights(const struct words_reading *r, int above, int below)
{
    const struct line *a = r->l.table.line[above].print;
    const struct line *b = r->l.table.line[below].print;
    return (b->y - a->y) / fmax(a->h, b->h);
}

double table_cells_left(const struct words_reading *r, int t)
{
    return page_table_box(&r->l.table, &(struct piece){t, 0, 1}).x;
}

double table_cells_right(const struct words_reading *r, int t)
{
    int n = (int)strlen(alignment_token(&r->l, t)->place->text);
    struct box box = page_table_box(&r->l.table, &(struct piece){t, 0, n});
    return box.x + box.w;
}

double table_cells_middle(const struct words_reading *r, int first, int last)
{
    return (table_cells_left(r, first) + table_cells_right(r, last)) / 2;
}

/* Whether there is a figure, but for that of a unit: "m²". */
bool table_cells_have_figure(const struct words_reading *r, int first, int end)
{
    for (int t = first; t < end; t++)
        if (alignment_token(&r->l, t)->figure && !words_print_is_power(r, t))
            return true;
    return false;
}

bool table_cells_line_has_figure(const struct words_reading *r, int line)
{
    return table_cells_have_figure(r, r->l.table.line[line].first,
                                   r->l.table.line[line + 1].first);
}

bool table_cells_begin_amount(const struct words_reading *r, int t)
{
    int i = r->figure_at[t];
    return i >= 0 && (r->l.table.figure[i].percent ||
                      r->l.table.figure[i].canon.kind == CANON_AMOUNT);
}

/* How far the cell is from being aligned with the head. */
static double misalignment(const struct table_head *h, double left,
                           double right)
{
    double at_left = fabs(left - h->left), at_right = fabs(right - h->right);
    double middle = fabs(left + right - h->left - h->right) / 2;
    return fmin(fmin(at_left, at_right), middle);
}

/* The head of the cell, or -1; of heads that it is under the one that is over most of it.
 */
int table_cells_head(const struct found_table *f, double left, double right)
{
    int best = -1;
    double least = near_head, most = 0;
    for (int i = 0; i < f->n_head; i++) {
        const struct table_head *h = &f->head[i];
        double over = fmin(right, h->right) - fmax(left, h->left);
        double far = misalignment(h, left, right);
        if (over > 0 && far > same_edge) far = same_edge;
        if (far > least || (far == least && (over <= most || best < 0)))
            continue;
        least = far;
        most = fmax(over, 0);
        best = i;
    }
    return best;
}

/* Whether the tokens are under the head, and not just near it. */
bool table_cells_are_under(const struct words_reading *r,
                           const struct table_head *h, int first, int last)
{
    return table_cells_left(r, first) < h->right &&
           table_cells_right(r, last) > h->left;
}

/* Adds the tokens to the row's cell under their head. A number beside a cell that is under
 * the head is none of the column: that of the row. */
static void add_cell(const struct words_reading *r, const struct found_table *f,
                     struct table_row *row, int first, int last)
{
    int h = table_cells_head(f, table_cells_left(r, first),
                             table_cells_right(r, last));
    if (h < 0) return;
    struct table_cell *c = &row->cell[h];
    if (c->first >= 0 && c->first == c->last &&
        alignment_token(&r->l, c->first)->figure &&
        !table_cells_are_under(r, &f->head[h], c->first, c->last) &&
        table_cells_are_under(r, &f->head[h], first, last))
        c->first = c->last = -1;
    if (c->first < 0 || first < c->first) c->first = first;
    if (last > c->last) c->last = last;
}

/* Where a cell of several words must be cut, since what follows is under another
 * head: at a figure among words; at an amount behind another figure, or a gap that is wider
 * than a space, if that is not just near the head. The token after the cut, or `end`. */
static int cut_of(const struct words_reading *r, const struct found_table *f,
                  int first, int end)
{
    for (int t = first + 1; t < end; t++) {
        const struct token *own = alignment_token(&r->l, t), *last = own - 1;
        bool figures = own->figure != last->figure;
        bool two = last->figure && table_cells_begin_amount(r, t);
        double gap = table_cells_left(r, t) - table_cells_right(r, t - 1);
        if (r->inside[t] ||
            (!figures && !two && gap <= space_most * own->place->h))
            continue;
        int before = table_cells_head(f, table_cells_left(r, first),
                                      table_cells_right(r, t - 1));
        int after = table_cells_head(f, table_cells_left(r, t),
                                     table_cells_right(r, end - 1));
        if (before >= 0 && after >= 0 && before != after &&
            (figures || table_cells_are_under(r, &f->head[after], t, end - 1)))
            return t;
    }
    return end;
}

void table_cells_read_row(const struct words_reading *r,
                          const struct found_table *f, int line,
                          struct table_row *row)
{
    int end = r->l.table.line[line + 1].first;
    *row = (struct table_row){.line = line};
    for (int i = 0; i < MORE_LINES; i++)
        row->more[i].first = -1;
    for (int h = 0; h < HEADS_MOST; h++)
        row->cell[h] = (struct table_cell){-1, -1, NULL};
    for (int t = r->l.table.line[line].first, next; t < end; t = next) {
        next = cut_of(r, f, t, label_cell_end(&r->l, t));
        if (!r->used[t]) add_cell(r, f, row, t, next - 1);
    }
}

/* The number of columns that the row fills, and of those of the array's figures. */
int table_cells_filled(const struct words_reading *r,
                       const struct found_table *f, const struct table_row *row,
                       int *n_figure)
{
    int n = 0;
    *n_figure = 0;
    for (int h = 0; h < f->n_head; h++) {
        if (row->cell[h].first < 0) continue;
        n++;
        if (f->head[h].slot < 0) continue;
        const struct leaf_slot *s = &r->slot[f->head[h].slot];
        *n_figure += slots_is_figure(s->kind) &&
                     table_values_figure(r, s, &row->cell[h]);
    }
    return n;
}

/* Whether the line fills half of the columns. */
bool table_cells_are_like_row(const struct found_table *f,
                              const struct table_row *row)
{
    int n = 0;
    for (int h = 0; h < f->n_head; h++)
        n += row->cell[h].first >= 0;
    return n >= 2 && 2 * n >= f->n_head;
}

/* Whether the column is one of figures; if nothing tells, by the cell, or NULL. */
bool table_cells_are_figures(const struct words_reading *r,
                             const struct table_head *h,
                             const struct table_cell *c)
{
    if (h->slot < 0 && !h->class && c)
        return alignment_token(&r->l, c->first)->figure;
    return h->slot >= 0 ? slots_is_figure(r->slot[h->slot].kind)
                        : h->class == CLASS_NUMBER || h->class == CLASS_DATE;
}
