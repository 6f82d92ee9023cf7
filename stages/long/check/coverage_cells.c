/* coverage_cells.c - the cells of lines, and the columns that rows have in common.
 *
 * Rows without dates and amounts are told by their words: most begin a part of the
 * line, numbers end below each other. Where rows have values a cell may lack, and
 * what stands for it is of another kind: there cells are made of words, and both of
 * their edges count.
 */
#include "stages/long/check/coverage_inside.h"

#include <math.h>
#include <string.h>

#include "vlm/base/sort.h"
#include "vlm/base/utf8.h"

enum { COLUMNS_LEAST = 2, FEW_COLUMNS = 3, COLUMNS_IN_TEN = 6 };

static const double near_edge = 0.005; /* of the page: at the same place */
/* Of a letter's width, part cells; behind a number, whose unit may be near. */
static const double wide_gap = 1.1, unit_gap = 0.8;

/* Which edges are looked for, and in how many of the rows. */
struct search {
    bool right, amounts; /* of amounts alone */
    double part;
};

static double letter_of(const struct line *line)
{
    double w = 0, n = 0;
    for (int i = 0; i < line->n_word; i++) {
        w += line->word[i].w;
        n += (double)utf8_count(line->word[i].text);
    }
    return n > 0 ? w / n : 0;
}

/* Does a cell begin with word i? Behind a column of numbers the next one may begin
 * close by, but not as close as what belongs to the number. */
static bool begins_cell(const struct line *line, int i, double letter)
{
    if (i == 0) return true;
    const struct word *last = &line->word[i - 1], *own = &line->word[i];
    size_t n = strlen(last->text);
    char end = n ? last->text[n - 1] : ' ';
    bool number = end >= '0' && end <= '9';
    return own->x - last->x - last->w > (number ? unit_gap : wide_gap) * letter;
}

void coverage_find_cells(const struct comparison *t)
{
    for (int l = 0; l < t->n_line; l++) {
        struct line_said *own = &t->line[l];
        const struct line *line = own->line;
        double letter = letter_of(line);
        size_t room = (size_t)line->n_word + 1;
        own->cell = arena_array(t->arena, room, sizeof *own->cell);
        for (int i = 0; i < line->n_word; i++) {
            const struct word *word = &line->word[i];
            if (begins_cell(line, i, letter))
                own->cell[own->n_cell++].x = word->x;
            struct line_cell *cell = &own->cell[own->n_cell - 1];
            cell->w = word->x + word->w - cell->x;
        }
    }
}

static bool stands_at(const struct coverage_columns *c, int column, double x,
                      double w)
{
    return fabs(x + (c->right[column] ? w : 0) - c->x[column]) <= near_edge;
}

static bool in_column(const struct coverage_columns *c, double x, double w)
{
    for (int i = 0; i < c->n; i++)
        if (stands_at(c, i, x, w)) return true;
    return false;
}

/* Does the item begin what a wide gap parts from what stands before it? */
static bool begins_part(const struct line *line, const struct canon *item)
{
    for (int i = 0; i < line->n_part; i++)
        if (fabs(line->part_x[i] - item->x) <= near_edge) return true;
    return false;
}

/* Edges of a row's items, at x. Numbers end below each other where they do not
 * begin so. */
static size_t edges_of_items(const struct coverage_columns *c,
                             const struct line_said *line,
                             const struct search *s, double *x)
{
    size_t n = 0;
    for (int i = 0; i < line->said.n_item; i++) {
        const struct canon *item = &line->said.item[i];
        if (s->right ? item->kind == CANON_NUMBER && !in_column(c, item->x, 0)
                     : begins_part(line->line, item))
            x[n++] = item->x + (s->right ? item->w : 0);
    }
    return n;
}

static bool has_amount(const struct line_said *line,
                       const struct line_cell *cell)
{
    for (int i = 0; i < line->said.n_item; i++) {
        const struct canon *item = &line->said.item[i];
        if (item->kind == CANON_AMOUNT && item->x >= cell->x - near_edge &&
            item->x + item->w <= cell->x + cell->w + near_edge)
            return true;
    }
    return false;
}

/* The same of its cells that are in no column yet. */
static size_t edges_of_cells(const struct coverage_columns *c,
                             const struct line_said *line,
                             const struct search *s, double *x)
{
    size_t n = 0;
    for (int i = 0; i < line->n_cell; i++) {
        const struct line_cell *cell = &line->cell[i];
        if (!in_column(c, cell->x, cell->w) &&
            (!s->amounts || has_amount(line, cell)))
            x[n++] = cell->x + (s->right ? cell->w : 0);
    }
    return n;
}

static void add_columns(const struct comparison *t, int n_row,
                        const struct search *s, struct coverage_columns *c)
{
    size_t room = 1, n = 0;
    for (int l = 0; l < t->n_line; l++)
        room += (size_t)(t->line[l].said.n_item + t->line[l].n_cell);
    double *x = arena_array(t->arena, room, sizeof *x);
    for (int l = 0; l < t->n_line; l++)
        if (coverage_has_row(t, l))
            n += c->values ? edges_of_cells(c, &t->line[l], s, x + n)
                           : edges_of_items(c, &t->line[l], s, x + n);
    sort_doubles(x, n);
    for (size_t i = 0, end; i < n && c->n < COVERAGE_COLUMNS; i = end) {
        for (end = i; end < n && x[end] - x[i] <= near_edge;)
            end++;
        if ((double)(end - i) >= s->part * n_row) {
            c->x[c->n] = x[(i + end) / 2];
            c->right[c->n++] = s->right;
        } else {
            end = i + 1;
        }
    }
}

/* The leftmost becomes the first. */
static void put_first(struct coverage_columns *c)
{
    for (int i = 1; i < c->n; i++) {
        if (c->x[i] >= c->x[0]) continue;
        double x = c->x[0];
        bool right = c->right[0];
        c->x[0] = c->x[i];
        c->right[0] = c->right[i];
        c->x[i] = x;
        c->right[i] = right;
    }
}

/* A column of values may be empty in some rows; and amounts that end below each
 * other begin so, too, where most have as many digits. */
void coverage_find_columns(const struct comparison *t, int n_row,
                           struct coverage_columns *c)
{
    static const struct search plain[] = {{false, false, 0.9},
                                          {true, false, 0.9}};
    static const struct search values[] = {{true, true, 0.6},
                                           {false, false, 0.9},
                                           {true, false, 0.6},
                                           {false, false, 0.6}};
    if (!c->values) {
        for (int i = 0; i < 2; i++)
            add_columns(t, n_row, &plain[i], c);
    } else {
        for (int i = 0; i < 4; i++)
            add_columns(t, n_row, &values[i], c);
        put_first(c);
    }
    if (c->n < COLUMNS_LEAST) c->n = 0;
}

/* Where rows have values, what merely crosses a column is none of its cells. */
static bool has_column(const struct coverage_columns *c,
                       const struct line_said *line, int column)
{
    for (int i = 0; c->values && i < line->n_cell; i++)
        if (stands_at(c, column, line->cell[i].x, line->cell[i].w)) return true;
    for (int i = 0; !c->values && i < line->said.n_item; i++)
        if (stands_at(c, column, line->said.item[i].x, line->said.item[i].w))
            return true;
    return false;
}

/* Of several columns one may be empty, and more where values may be lacking; a
 * heading has a few, and so has a sum, with a value. */
static int columns_needed(const struct coverage_columns *c,
                          const struct line_said *line)
{
    if (!c->values) return c->n > COLUMNS_LEAST ? c->n - 1 : COLUMNS_LEAST;
    int some = (c->n * COLUMNS_IN_TEN + 9) / 10,
        least = c->n < FEW_COLUMNS ? c->n : FEW_COLUMNS;
    if (coverage_has_value(line)) least = FEW_COLUMNS + 1;
    return some > least ? some : least;
}

/* A heading of a table of two columns has as many as a row: whether what the line
 * ends with may stand where others have an amount. */
static bool ends_as_row(const struct line_said *line)
{
    const struct canon *last = NULL;
    for (int i = 0; i < line->said.n_item; i++)
        if (!last || line->said.item[i].x > last->x) last = &line->said.item[i];
    return (last && last->kind == CANON_NUMBER) || coverage_is_unpriced(line);
}

bool coverage_has_columns(const struct coverage_columns *c,
                          const struct line_said *line)
{
    int n = 0, needed = columns_needed(c, line);
    for (int i = 0; i < c->n; i++)
        n += has_column(c, line, i);
    if (!has_column(c, line, 0) || n < needed) return false;
    return !c->values || (line->n_cell >= needed &&
                          (c->n >= FEW_COLUMNS || ends_as_row(line)));
}
