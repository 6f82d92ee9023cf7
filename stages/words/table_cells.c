/* table_cells.c - see table_cells.h. */
#include "stages/words/table_cells.h"

#include <math.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/print/thresholds.h"
#include "stages/words/table_values.h"

enum { PLACED_LINES = 24 /* below a heading tell where its columns are */ };

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

/* Whether an amount or a rate begins at the token. */
static bool begin_amount(const struct words_reading *r, int t)
{
    int i = r->figure_at[t];
    return i >= 0 && (r->l.table.figure[i].percent ||
                      r->l.table.figure[i].canon.kind == CANON_AMOUNT);
}

bool table_cells_are_apart(const struct words_reading *r, int t)
{
    const struct token *own = alignment_token(&r->l, t), *before = own - 1;
    return own->part != before->part ||
           (before->figure && begin_amount(r, t) && !r->inside[t]);
}

/* How far the cell is from being aligned with the head, or with its other cells. */
static double misalignment(const struct table_head *h, double left,
                           double right)
{
    double at_left = fabs(left - h->from), at_right = fabs(right - h->to);
    double middle = fabs(left + right - h->from - h->to) / 2;
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
        double over = fmin(right, h->to) - fmax(left, h->from);
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

/* --- columns of figures */

/* Print below the heading, on several lines at one place. */
struct figure_column {
    double left, right;
    int n; /* cells */
};

struct figure_columns {
    struct figure_column item[HEADS_MOST];
    int n;
    int n_text[HEADS_MOST]; /* cells of words, of each head */
    int n_line;
};

static void add_figure_column(struct figure_columns *b, double left,
                              double right)
{
    struct figure_column own = {left, right, 1};
    int n = 0;
    for (int i = 0; i < b->n; i++) {
        const struct figure_column *o = &b->item[i];
        if (o->left < own.right && o->right > own.left) {
            own.left = fmin(own.left, o->left);
            own.right = fmax(own.right, o->right);
            own.n += o->n;
        } else {
            b->item[n++] = *o;
        }
    }
    int at = n;
    if (n == HEADS_MOST) return;
    while (at && b->item[at - 1].left > own.left) {
        b->item[at] = b->item[at - 1];
        at--;
    }
    b->item[at] = own;
    b->n = n + 1;
}

/* Whether the cell begins with a number or a date; "0AM1406" is a word. */
static bool is_number(const struct words_reading *r, int first, int last)
{
    const struct table_figure *own =
        words_print_figure(r, first, last, SLOT_PERCENT);
    return words_print_figure(r, first, last, SLOT_DATE) ||
           (own && own->piece->token == first);
}

/* Adds the cells of the line. */
static void add_line(const struct words_reading *r, const struct found_table *f,
                     int line, struct figure_columns *b)
{
    int end = r->l.table.line[line + 1].first;
    for (int t = r->l.table.line[line].first, next; t < end; t = next) {
        for (next = t + 1;
             next < end && !table_cells_are_apart(r, next) &&
             (r->inside[next] || !alignment_token(&r->l, next)->figure);)
            next++;
        double left = table_cells_left(r, t),
               right = table_cells_right(r, next - 1);
        int h = table_cells_head(f, left, right);
        if (h < 0 || r->used[t]) continue;
        if (is_number(r, t, next - 1))
            add_figure_column(b, left, right);
        else
            b->n_text[h]++;
    }
    b->n_line++;
}

/* Takes out what is nearest to a head over words, numbers in a text, and what is beside the
 * heading. */
static void drop_words(const struct found_table *f, struct figure_columns *b)
{
    int n = 0;
    for (int i = 0; i < b->n; i++) {
        int h = table_cells_head(f, b->item[i].left, b->item[i].right);
        if (h >= 0 && 2 * b->n_text[h] <= b->n_line &&
            b->item[i].right > f->head->left &&
            b->item[i].left < f->head[f->n_head - 1].right)
            b->item[n++] = b->item[i];
    }
    b->n = n;
}

/* Whether two columns of figures are nearest to the same head, and one is not under it:
 * both are under one that should be two. */
static bool share_head(const struct found_table *f,
                       const struct figure_columns *b)
{
    int last = -1;
    bool under = false;
    for (int i = 0; i < b->n; i++) {
        const struct figure_column *own = &b->item[i];
        int h = table_cells_head(f, own->left, own->right);
        bool is_under = h >= 0 && own->left < f->head[h].right &&
                        own->right > f->head[h].left;
        if (h >= 0 && h == last && !(under && is_under)) return true;
        last = h;
        under = is_under;
    }
    return false;
}

/* Gives the columns heads in their order, those that are least far in all; a head over
 * words has none. A figure on less than half of the lines need not be of a column; if
 * another one finds no head, nothing changes. */
static void match_columns(struct found_table *f, const struct figure_columns *b)
{
    double cost[HEADS_MOST + 1]
               [HEADS_MOST + 1]; /* of the first columns, heads */
    bool taken[HEADS_MOST + 1][HEADS_MOST + 1];
    for (int i = 0; i <= b->n; i++)
        for (int h = 0; h <= f->n_head; h++) {
            taken[i][h] = false;
            cost[i][h] = 0;
            if (!i) continue;
            const struct figure_column *own = &b->item[i - 1];
            cost[i][h] = 2 * own->n < b->n_line
                             ? cost[i - 1][h] + near_head * own->n
                             : INFINITY;
            if (!h) continue;
            double far = misalignment(&f->head[h - 1], own->left, own->right);
            double take = cost[i - 1][h - 1] + far * own->n;
            cost[i][h] = fmin(cost[i][h], cost[i][h - 1]);
            taken[i][h] = far < near_head && take < cost[i][h] &&
                          2 * b->n_text[h - 1] <= b->n_line;
            if (taken[i][h]) cost[i][h] = take;
        }
    if (!isfinite(cost[b->n][f->n_head])) return;
    for (int i = b->n, h = f->n_head; i && h;) {
        if (taken[i][h]) {
            f->head[h - 1].from = b->item[i - 1].left;
            f->head[h - 1].to = b->item[i - 1].right;
            i--;
            h--;
        } else if (cost[i][h] == cost[i][h - 1]) {
            h--;
        } else {
            i--;
        }
    }
}

void table_cells_place(const struct words_reading *r, struct found_table *f,
                       int line)
{
    struct figure_columns b = {.n = 0};
    for (int h = 0; h < f->n_head; h++) {
        f->head[h].from = f->head[h].left;
        f->head[h].to = f->head[h].right;
    }
    int last = line;
    for (int k = line + 1; k < r->l.table.n_line && k <= line + PLACED_LINES &&
                           table_cells_page(r, k) == table_cells_page(r, line);
         k++) {
        struct table_row row;
        if (b.n_line && table_cells_heights(r, last, k) > table_gap) break;
        table_cells_read_row(r, f, k, &row);
        if (!table_cells_line_has_figure(r, k) ||
            !table_cells_are_like_row(f, &row))
            continue;
        add_line(r, f, k, &b);
        last = k;
    }
    drop_words(f, &b);
    if (share_head(f, &b)) match_columns(f, &b);
}

/* --- rows */

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
        bool two = last->figure && begin_amount(r, t);
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
