/* coverage_plain.c - rows without a date or an amount: names, codes, numbers of
 * pieces.
 *
 * Nothing on such a line tells a row by itself. But cells of a table begin below each
 * other, and numbers end so: what stands in every column in which nearly all rows have
 * something, among the rows or next to the last one, is a row.
 */
#include "stages/window/coverage_inside.h"

#include <math.h>
#include <string.h>

#include "vlm/base/sort.h"

enum { ROWS_TELL = 6, COLUMNS_MAX = 24, COLUMNS_LEAST = 2, VALUES_ONE_IN = 20 };

static const double near_edge = 0.005; /* of the page: at the same place */
static const double nearly_all = 0.9;  /* of the rows have the column */
static const double next_to = 1.6;     /* times the rows' usual distance */

struct column {
    double x;
    bool right; /* its cells end there */
};

struct plain {
    struct column column[COLUMNS_MAX];
    int n_column, n_row;
    int first;    /* line with a row */
    double pitch; /* from row to row */
};

static bool is_row(const struct comparison *t, int l)
{
    return t->line[l].row >= (t->rest ? 1 : 0);
}

/* Has hardly a row a date or an amount on its lines? */
static bool lack_values(const struct comparison *t, struct plain *p)
{
    int n_value = 0;
    for (int l = 0; l < t->n_line; l++) {
        if (is_row(t, l) && !p->n_row++) p->first = l;
        if (is_row(t, l) || t->line[l].goes_on)
            n_value += coverage_has_value(&t->line[l]);
    }
    return p->n_row >= ROWS_TELL && n_value * VALUES_ONE_IN <= p->n_row;
}

static double edge_of(const struct canon *item, bool right)
{
    return item->x + (right ? item->w : 0);
}

static bool stands_at(const struct canon *item, const struct column *column)
{
    return fabs(edge_of(item, column->right) - column->x) <= near_edge;
}

/* Does the item begin what a wide gap parts from what stands before it? */
static bool begins_part(const struct line *line, const struct canon *item)
{
    for (int i = 0; i < line->n_part; i++)
        if (fabs(line->part_x[i] - item->x) <= near_edge) return true;
    return false;
}

/* Numbers end below each other where they do not begin so. */
static bool is_at_edge(const struct plain *p, const struct line *line,
                       const struct canon *item, bool right)
{
    if (!right) return begins_part(line, item);
    for (int c = 0; c < p->n_column; c++)
        if (!p->column[c].right && stands_at(item, &p->column[c])) return false;
    return item->kind == CANON_NUMBER;
}

static void add_columns(const struct comparison *t, struct plain *p, bool right)
{
    size_t room = 1, n = 0;
    for (int l = 0; l < t->n_line; l++)
        room += is_row(t, l) ? (size_t)t->line[l].said.n_item : 0;
    double *x = arena_array(t->arena, room, sizeof *x);
    for (int l = 0; l < t->n_line; l++)
        for (int i = 0; is_row(t, l) && i < t->line[l].said.n_item; i++)
            if (is_at_edge(p, t->line[l].line, &t->line[l].said.item[i], right))
                x[n++] = edge_of(&t->line[l].said.item[i], right);
    sort_doubles(x, n);
    for (size_t i = 0, end; i < n && p->n_column < COLUMNS_MAX; i = end) {
        for (end = i; end < n && x[end] - x[i] <= near_edge;)
            end++;
        if ((double)(end - i) >= nearly_all * p->n_row)
            p->column[p->n_column++] = (struct column){x[(i + end) / 2], right};
        else
            end = i + 1;
    }
}

static bool has_column(const struct line_said *line,
                       const struct column *column)
{
    for (int i = 0; i < line->said.n_item; i++)
        if (stands_at(&line->said.item[i], column)) return true;
    return false;
}

/* The first column, and of several others one may be empty. */
static bool has_columns(const struct plain *p, const struct line_said *line)
{
    int n = 0;
    for (int c = 0; c < p->n_column; c++)
        n += has_column(line, &p->column[c]);
    return has_column(line, &p->column[0]) && n >= COLUMNS_LEAST &&
           n >= p->n_column - 1;
}

/* Is one of two lines that say the same above all rows? */
static bool is_repeated(const struct comparison *t, const struct plain *p,
                        int l)
{
    const char *own = t->line[l].line->text;
    for (int i = 0; i < t->n_line; i++)
        if (i != l && (i < p->first || l < p->first) &&
            !strcmp(t->line[i].line->text, own))
            return true;
    return false;
}

/* Is it the table's head, as far as that is known or seen? */
static bool is_head(const struct comparison *t, const struct plain *p, int l)
{
    const struct line_said *line = &t->line[l];
    bool said = line->said.n_item > 0;
    for (int i = 0; i < line->said.n_item && said; i++)
        said = canon_holds(&t->head, &line->said.item[i]);
    return said || (has_columns(p, line) && is_repeated(t, p, l));
}

static double distance(const struct comparison *t, int above, int below)
{
    return t->line[below].line->y - t->line[above].line->y;
}

/* The nearest line with a row from l on, up (step -1) or down, of its page; -1:
 * none. */
static int next_row(const struct comparison *t, int l, int step)
{
    int page = line_page(t->line[l].line);
    for (l += step; l >= 0 && l < t->n_line; l += step) {
        if (line_page(t->line[l].line) != page) return -1;
        if (is_row(t, l) || t->line[l].plain) return l;
    }
    return -1;
}

static void find_pitch(const struct comparison *t, struct plain *p)
{
    double *each = arena_array(t->arena, (size_t)t->n_line + 1, sizeof *each);
    size_t n = 0;
    for (int l = 0; l < t->n_line; l++) {
        int below = is_row(t, l) ? next_row(t, l, 1) : -1;
        if (below >= 0) each[n++] = distance(t, l, below);
    }
    sort_doubles(each, n);
    p->pitch = n ? each[n / 2] : 0;
}

/* Is there no line's room between the rows' lines? */
static bool is_next_to(const struct comparison *t, const struct plain *p,
                       int above, int below)
{
    if (above < 0 || below < 0) return false;
    while (above + 1 < below && t->line[above + 1].goes_on)
        above++;
    return distance(t, above, below) <= next_to * p->pitch;
}

/* Stands the line between two rows, or right below the last one? */
static bool is_behind_row(const struct comparison *t, const struct plain *p,
                          int l)
{
    int above = next_row(t, l, -1);
    return above >= 0 && (next_row(t, l, 1) >= 0 || is_next_to(t, p, above, l));
}

/* Right above the first one, and below the table's head? */
static bool is_below_head(const struct comparison *t, const struct plain *p,
                          int l)
{
    int page = line_page(t->line[l].line);
    if (!is_next_to(t, p, l, next_row(t, l, 1))) return false;
    for (int h = l - 1; h >= 0 && line_page(t->line[h].line) == page; h--)
        if (t->line[h].row < 0 && is_head(t, p, h)) return true;
    return false;
}

static bool is_free(const struct comparison *t, const struct plain *p, int l)
{
    const struct line_said *line = &t->line[l];
    return line->row < 0 && !line->goes_on && !line->line->turned &&
           has_columns(p, line) && !coverage_is_sum(line) && !is_head(t, p, l);
}

void coverage_find_plain(struct comparison *t)
{
    struct plain p = {.n_row = 0};
    if (!lack_values(t, &p)) return;
    add_columns(t, &p, false);
    add_columns(t, &p, true);
    if (p.n_column < COLUMNS_LEAST) return;
    find_pitch(t, &p);
    for (int l = 0; l < t->n_line; l++)
        t->line[l].plain = is_free(t, &p, l) && is_behind_row(t, &p, l);
    for (int l = t->n_line - 1; l >= 0; l--)
        t->line[l].plain |= is_free(t, &p, l) && is_below_head(t, &p, l);
}
