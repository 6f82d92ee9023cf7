/* ink_cut.c - cells that are one because their columns stand as close as words
 * (ink_inside.h).
 *
 * Words of a text begin anywhere; a gap that stands at one place on most lines is
 * where a column begins, or ends, however narrow it is.
 */
#include "stages/window/ink_inside.h"

#include <math.h>

#include "vlm/base/sort.h"

static const double gap_least = 0.3, /* of a letter: between words */
    even_least = 0.8; /* the same where all letters are as broad */
static const double near_place = 0.25; /* of a letter: at one place */
static const double most_part = 0.7;   /* of the lines with print there */
enum { FEW = 3, OFTEN = 2 /* one row of so many */ };

double ink_cut_gap(const struct ink_sheet *sheet)
{
    double least = sheet->even == sheet ? even_least : gap_least;
    return fmax(1, least * sheet->letter);
}

/* Pixels from..to of a cell without ink. */
struct gap {
    int from, to;
};

/* The next gap of the cell behind that one, of `least` pixels and more; the first
 * behind {x, x} of its beginning. */
static bool next_gap(const struct ink_line *line, const struct ink_cell *cell,
                     double least, struct gap *gap)
{
    int last = gap->to; /* where ink ended */
    for (int x = gap->to; x < cell->x + cell->w; x++) {
        if (!line->ink[x]) continue;
        if (x > last && x - last >= least) {
            *gap = (struct gap){last, x};
            return true;
        }
        last = x + 1;
    }
    return false;
}

static bool is_cut(const struct ink_cutting *cuts, struct gap gap)
{
    for (int i = 0; i < cuts->n; i++) {
        const struct ink_cut *c = &cuts->cut[i];
        if (fabs((c->right ? gap.from : gap.to) - c->x) <= c->near) return true;
    }
    return false;
}

/* Adds the cell to the line in as many pieces as it has places to be cut at. */
static void add_pieces(const struct ink_cutting *cuts, struct ink_line *line,
                       struct ink_cell cell)
{
    struct gap gap = {cell.x, cell.x};
    while (line->n_cell < INK_CELLS_MAX - 1 &&
           next_gap(line, &cell, cuts->gap, &gap)) {
        if (!is_cut(cuts, gap)) continue;
        line->cell[line->n_cell++] =
            (struct ink_cell){cell.x, gap.from - cell.x};
        cell = (struct ink_cell){gap.to, cell.x + cell.w - gap.to};
    }
    if (line->n_cell < INK_CELLS_MAX) line->cell[line->n_cell++] = cell;
}

const struct ink_sheet *ink_cut_at(const struct ink_sheet *sheet,
                                   const struct ink_cutting *cuts,
                                   struct arena *arena)
{
    struct ink_sheet *own = arena_array(arena, 1, sizeof *own);
    *own = *sheet;
    own->line =
        arena_array(arena, (size_t)sheet->n_line + 1, sizeof *own->line);
    for (int l = 0; l < sheet->n_line; l++) {
        const struct ink_line *line = &sheet->line[l];
        own->line[l] = *line;
        own->line[l].n_cell = 0;
        for (int c = 0; c < line->n_cell; c++)
            add_pieces(cuts, &own->line[l], line->cell[c]);
    }
    if (sheet->even == sheet) own->even = own;
    return own;
}

/* --- places that recur ------------------------------------------------------------ */

int ink_gap(const struct ink_line *line, const struct ink_cell *cell)
{
    int most = 0;
    struct gap gap = {cell->x, cell->x};
    while (next_gap(line, cell, most + 1, &gap))
        most = gap.to - gap.from;
    return most;
}

/* A search for places on lines that no other table has. */
struct seeking {
    const struct ink_sheet *sheet;
    const bool *taken;
    int least; /* lines */
    bool right;
    double near;
};

/* Rows have more than one cell still; a text has not. */
static bool is_sought(const struct seeking *s, int line)
{
    return (!s->taken || !s->taken[line]) && s->sheet->line[line].n_cell > 1;
}

/* Where gaps within the line's cells end, or, `right`, begin; returns how many. */
static size_t add_gaps(const struct ink_line *line, double least, bool right,
                       double *at)
{
    size_t n = 0;
    for (int c = 0; c < line->n_cell; c++) {
        struct gap gap = {line->cell[c].x, line->cell[c].x};
        while (next_gap(line, &line->cell[c], least, &gap))
            at[n++] = right ? gap.from : gap.to;
    }
    return n;
}

/* How many lines have a cell from left of x to right of it. */
static int n_across(const struct seeking *s, double x)
{
    int n = 0;
    for (int l = 0; l < s->sheet->n_line; l++)
        for (int c = 0; is_sought(s, l) && c < s->sheet->line[l].n_cell; c++) {
            const struct ink_cell *cell = &s->sheet->line[l].cell[c];
            n += x > cell->x + s->near && x < cell->x + cell->w - s->near;
        }
    return n;
}

/* Where so many gaps stand together that most of what is printed there has one. */
static void add_places(const struct seeking *s, const double *at, size_t n,
                       struct ink_cutting *cuts)
{
    for (size_t i = 0, end; i < n; i++) {
        for (end = i; end < n && at[end] - at[i] <= 2 * s->near;)
            end++;
        int here = (int)(end - i);
        double x = at[i + (end - i) / 2];
        if (here < s->least || cuts->n == INK_CUTS_MAX ||
            here < most_part * n_across(s, x))
            continue;
        cuts->cut[cuts->n++] = (struct ink_cut){s->right, x, s->near};
        i = end - 1;
    }
}

static void find_places(const struct seeking *s, struct ink_cutting *cuts,
                        struct arena *arena)
{
    size_t n = 0, each = (size_t)(s->sheet->width / cuts->gap) + 1;
    size_t room = (size_t)s->sheet->n_line * each + 1;
    double *at = arena_array(arena, room, sizeof *at);
    for (int l = 0; l < s->sheet->n_line; l++)
        if (is_sought(s, l))
            n += add_gaps(&s->sheet->line[l], cuts->gap, s->right, at + n);
    sort_doubles(at, n);
    add_places(s, at, n, cuts);
}

const struct ink_sheet *ink_cut_often(const struct ink_sheet *sheet,
                                      const struct ink_given *given,
                                      const struct ink_rows *rows)
{
    struct ink_cutting cuts = {.gap = ink_cut_gap(sheet)};
    int part = rows->n_row / OFTEN;
    struct seeking s = {.sheet = sheet,
                        .taken = given->taken,
                        .least = part > FEW ? part : FEW,
                        .near = near_place * sheet->letter};
    find_places(&s, &cuts, rows->arena);
    s.right = true;
    find_places(&s, &cuts, rows->arena);
    return cuts.n ? ink_cut_at(sheet, &cuts, rows->arena) : NULL;
}
