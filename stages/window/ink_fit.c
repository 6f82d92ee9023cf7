/* ink_fit.c - in which column, and how large, are a table's values printed?
 * (ink_inside.h)
 *
 * The widths of a value in row after row are a sequence, and those of the cells
 * at one place line after line are one, too. Where a value stands, the one runs
 * through the other.
 */
#include "stages/window/ink_fitting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/sort.h"

enum { ROWS_MAX = 2000, STEPS = 34, STEPS_ASIDE = 2, FEW = 3 };
static const double em_least = 0.9, em_step = 1.028; /* of a letter's height */
static const double near_edge = 0.35; /* of a letter: at the same place */
/* By which a cell's width may differ: of an em, and of the width. */
static const double fit_em = 0.4, fit_part = 0.02;
static const double share_least = 0.5; /* of the values, found in order */
static const double narrow = 0.3;      /* em: widths that tell nothing */
static const double unusual = 0.05;    /* of the values, that must fit better */
const double ink_broader[INK_SIZES] = {0, -0.08, 0.08};
static const double alike = 1e-6; /* of what two fits are worth */

/* --- edges ------------------------------------------------------------------ */

int ink_cell_at(const struct ink_line *line, bool right, double x, double near)
{
    int best = -1;
    double least = near;
    for (int c = 0; c < line->n_cell; c++) {
        const struct ink_cell *cell = &line->cell[c];
        double d = fabs(cell->x + (right ? cell->w : 0) - x);
        if (d > least) continue;
        least = d;
        best = c;
    }
    return best;
}

static int often_first(const void *a, const void *b)
{
    const struct ink_edge *one = a, *two = b;
    if (one->n != two->n) return one->n > two->n ? -1 : 1;
    return (one->x > two->x) - (one->x < two->x);
}

static void add_edge(struct ink_fitting *f, bool right, double x, int least)
{
    struct ink_edge edge = {.right = right, .x = x};
    double near = near_edge * f->sheet->letter;
    if (f->n_edge == INK_EDGES_MAX) return;
    int *cell = arena_array(f->arena, (size_t)f->n_line + 1, sizeof *cell);
    for (int i = 0; i < f->n_line; i++) {
        cell[i] = ink_cell_at(&f->sheet->line[f->line[i]], right, x, near);
        edge.n += cell[i] >= 0;
    }
    edge.cell = cell;
    if (edge.n >= least) f->edge[f->n_edge++] = edge;
}

/* Places where cells of several lines begin, or end. */
static void find_edges(struct ink_fitting *f, bool right, int least)
{
    size_t n = 0, room = (size_t)f->n_line * INK_CELLS_MAX + 1;
    double *x = arena_array(f->arena, room, sizeof *x);
    for (int i = 0; i < f->n_line; i++) {
        const struct ink_line *line = &f->sheet->line[f->line[i]];
        for (int c = 0; c < line->n_cell; c++)
            x[n++] = line->cell[c].x + (right ? line->cell[c].w : 0);
    }
    sort_doubles(x, n);
    double wide = 2 * near_edge * f->sheet->letter;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && x[end] - x[i] <= wide;)
            end++;
        if ((int)(end - i) >= least)
            add_edge(f, right, x[i + (end - i) / 2], least);
    }
}

/* --- sequences ---------------------------------------------------------------- */

static bool fits(const struct ink_fitting *f, const struct ink_edge *edge,
                 int i, double expected, double em)
{
    int c = edge->cell[i];
    if (c < 0) return false;
    double w = f->sheet->line[f->line[i]].cell[c].w;
    double most = fit_em * em + fit_part * w;
    return fabs(w - expected) <= (f->close ? most / 2 : most);
}

/* Of the rows that have the value, the part whose widths are found line after
 * line. */
static double share_of(struct ink_fitting *f, int key, int form,
                       enum print_face face, const struct ink_edge *edge,
                       double em)
{
    int n = 0, m = f->n_line;
    int *last = f->best, *own = f->next;
    memset(last, 0, ((size_t)m + 1) * sizeof *last);
    for (int r = 0; r < f->rows->n_row; r++) {
        const struct row_print *v = &f->rows->value[r * INK_KEYS_MAX + key];
        if (form >= v->n_form) continue;
        n++;
        own[0] = 0;
        for (int i = 0; i < m; i++) {
            int with =
                last[i] + fits(f, edge, i, em * v->width[face][form], em);
            own[i + 1] = with > last[i + 1] ? with : last[i + 1];
            if (own[i] > own[i + 1]) own[i + 1] = own[i];
        }
        int *swap = last;
        last = own;
        own = swap;
    }
    return n >= FEW ? (double)last[m] / n : 0;
}

static int n_values(const struct ink_rows *rows, int key, int *n_form,
                    double *spread)
{
    int n = 0;
    double sum = 0, squares = 0;
    *n_form = 0;
    for (int r = 0; r < rows->n_row; r++) {
        const struct row_print *v = &rows->value[r * INK_KEYS_MAX + key];
        if (!v->n_form) continue;
        n++;
        sum += v->width[0][0];
        squares += v->width[0][0] * v->width[0][0];
        *n_form = v->n_form;
    }
    *spread = n ? sqrt(fmax(0, squares / n - sum / n * sum / n)) : 0;
    return n;
}

bool ink_same_cells(const struct ink_fitting *f, const struct ink_edge *a,
                    const struct ink_edge *b)
{
    int n = 0;
    for (int i = 0; i < f->n_line; i++)
        n += a->cell[i] >= 0 && a->cell[i] == b->cell[i];
    return 2 * n > (a->n < b->n ? a->n : b->n);
}

/* Sums end below each other, words and dates begin so, as a rule, and the first forms
 * are the usual ones. What differs on no page so far, as where all sums are positive,
 * or have as many digits, may differ on the next. */
static double usual(const struct row_print *kind,
                    const struct ink_column_choice *own)
{
    bool whole = !kind->text && !kind->dated && kind->n_form == PRINT_FORMS;
    bool sum = !kind->text && !kind->dated;
    int first = whole ? PRINT_WHOLE : 0;
    return own->share - (own->form != first ? unusual : 0) -
           (fabs(own->more) > 0 ? unusual : 0) -
           (!whole && own->edge->right != sum ? unusual : 0);
}

const struct row_print *ink_kind_of(const struct ink_rows *rows, int key)
{
    const struct row_print *v = &rows->value[key];
    for (int r = 0; r < rows->n_row && !v->n_form; r++)
        v = &rows->value[r * INK_KEYS_MAX + key];
    return v;
}

void ink_consider(struct ink_column_choice *best, const struct row_print *kind,
                  const struct ink_column_choice *other)
{
    if (best->edge) {
        double more = usual(kind, other) - usual(kind, best);
        if (more < -alike || (more < alike && other->close <= best->close))
            return;
    }
    *best = *other;
}

/* How well the key's values suit the edge. */
static void weigh(struct ink_fitting *f, enum print_face face, double em,
                  struct ink_column_choice *own)
{
    bool close = f->close;
    em *= 1 + own->more;
    own->share = share_of(f, own->key, own->form, face, own->edge, em);
    f->close = true;
    own->close = own->share >= share_least
                     ? share_of(f, own->key, own->form, face, own->edge, em)
                     : 0;
    f->close = close;
}

static struct ink_column_choice best_choice(struct ink_fitting *f, int key,
                                            enum print_face face, double em,
                                            const bool *gone)
{
    struct ink_column_choice best = {.key = key};
    int n_form;
    double spread;
    const struct row_print *kind = ink_kind_of(f->rows, key);
    int n = n_values(f->rows, key, &n_form, &spread);
    for (int e = 0; n >= FEW && spread >= narrow && e < f->n_edge; e++)
        for (int form = 0; !gone[e] && form < n_form; form++)
            for (int i = 0; i < (f->scaled ? INK_SIZES : 1); i++) {
                struct ink_column_choice own = {.key = key,
                                                .form = form,
                                                .edge = &f->edge[e],
                                                .more = ink_broader[i]};
                weigh(f, face, em, &own);
                if (own.share >= share_least) ink_consider(&best, kind, &own);
            }
    best.worth = n * (best.share - share_least + 0.1);
    if (!best.edge) best.worth = 0;
    return best;
}

double ink_mean_of(const struct ink_fitting *f,
                   const struct ink_column_choice *own, enum print_face face)
{
    int n = 0;
    double sum = 0;
    for (int r = 0; r < f->rows->n_row; r++) {
        const struct row_print *v =
            &f->rows->value[r * INK_KEYS_MAX + own->key];
        if (own->form >= v->n_form) continue;
        sum += v->width[face][own->form];
        n++;
    }
    return n ? sum / n : 0;
}

/* Gives each key its column, the surest first; returns what they are worth. */
static double choose(struct ink_fitting *f, enum print_face face, double em,
                     struct ink_table *out)
{
    bool gone[INK_EDGES_MAX] = {false};
    struct ink_column_choice choice[INK_KEYS_MAX];
    double worth = 0;
    out->n_column = 0;
    for (int k = 0; k < f->rows->n_key; k++)
        choice[k] = best_choice(f, k, face, em, gone);
    for (;;) {
        struct ink_column_choice *best = NULL;
        for (int k = 0; k < f->rows->n_key; k++)
            if (choice[k].worth > (best ? best->worth : 0)) best = &choice[k];
        if (!best) return worth;
        worth += best->worth;
        out->column[out->n_column++] = (struct ink_column){
            .key = f->rows->key[best->key],
            .right = best->edge->right,
            .form = best->form,
            .edge = best->edge->x / f->sheet->width,
            .offset = best->more * ink_mean_of(f, best, face),
            .slack = fit_em};
        for (int e = 0; e < f->n_edge; e++)
            gone[e] |= ink_same_cells(f, &f->edge[e], best->edge);
        best->worth = 0;
        for (int k = 0; k < f->rows->n_key; k++)
            if (choice[k].worth > 0 && gone[choice[k].edge - f->edge])
                choice[k] = best_choice(f, k, face, em, gone);
    }
}

void ink_fit_begin(struct ink_fitting *f, const struct ink_given *given)
{
    size_t room = (size_t)f->sheet->n_line + 2;
    f->arena = f->rows->arena;
    f->line = arena_array(f->arena, room, sizeof *f->line);
    f->best = arena_array(f->arena, room, sizeof *f->best);
    f->next = arena_array(f->arena, room, sizeof *f->next);
    for (int l = 0; l < f->sheet->n_line; l++)
        if (!given->taken || !given->taken[l]) f->line[f->n_line++] = l;
    int least = f->rows->n_row / 3 > FEW ? f->rows->n_row / 3 : FEW;
    find_edges(f, false, least);
    find_edges(f, true, least);
    qsort(f->edge, (size_t)f->n_edge, sizeof *f->edge, often_first);
}

/* Sizes of print that fit a face alike, the best there are: of steps first..last
 * from an em of `least` letters on. */
struct size_range {
    enum print_face face;
    double least, worth;
    int first, last;
    double em,
        close; /* where closer fits are the most, and what they are worth */
};

static double em_at(const struct size_range *r, const struct ink_sheet *sheet,
                    double step)
{
    return sheet->letter * r->least * pow(em_step, step);
}

/* The best of the steps from..to. */
static void find_steps(struct ink_fitting *f, struct size_range *own, int from,
                       int to)
{
    own->worth = 0;
    for (int step = from; step <= to; step++) {
        struct ink_table one = {.n_column = 0};
        double worth = choose(f, own->face, em_at(own, f->sheet, step), &one);
        if (worth > own->worth + alike) own->first = step;
        if (worth > own->worth - alike) own->last = step;
        if (worth > own->worth) own->worth = worth;
    }
}

/* By how many steps print may be larger or smaller than told: letters are measured
 * in whole pixels, and where they seem larger on one page than on another, they may
 * be as large. */
static int steps_aside(const struct ink_fitting *f,
                       const struct ink_table *told)
{
    double one = told->letter, two = f->sheet->letter;
    double least = fmax(fmin(one, two), 1);
    if (fabs(one - two) < 0.5) return STEPS_ASIDE;
    return STEPS_ASIDE + (int)(log(1 + 1 / least) / log(em_step));
}

static struct size_range find_size(struct ink_fitting *f, enum print_face face,
                                   const struct ink_table *told)
{
    int aside = told ? steps_aside(f, told) : 0;
    double least = told ? told->letters / pow(em_step, aside) : em_least;
    struct size_range own = {.face = face, .least = least};
    find_steps(f, &own, 0, told ? 2 * aside : STEPS - 1);
    struct size_range close = own;
    f->close = true;
    find_steps(f, &close, own.first, own.last);
    f->close = false;
    own.close = close.worth;
    if (close.worth <= 0) close = own;
    own.em = em_at(&own, f->sheet, (close.first + close.last) / 2.0);
    return own;
}

static bool is_better(const struct size_range *one,
                      const struct size_range *two)
{
    if (fabs(one->worth - two->worth) > alike) return one->worth > two->worth;
    return one->close > two->close + alike;
}

/* What the face fits best on a sheet of it. */
static void fit_sheet(const struct ink_sheet *sheet, bool cut,
                      const struct ink_given *given,
                      const struct ink_rows *rows, enum print_face face,
                      struct size_range *best, struct ink_table *out)
{
    struct ink_fitting f = {.sheet = sheet, .rows = rows};
    ink_fit_begin(&f, given);
    struct size_range own = find_size(&f, face, given->told);
    if (own.worth <= 0 || !is_better(&own, best)) return;
    *best = own;
    *out = (struct ink_table){
        .face = face, .cut = cut, .em = own.em / sheet->width};
    f.scaled = true;
    choose(&f, face, own.em, out);
}

bool ink_fit(const struct ink_sheet *sheet, const struct ink_given *given,
             const struct ink_rows *rows, struct ink_table *out)
{
    struct size_range best = {.worth = 0};
    const struct ink_sheet *own = NULL, *cut = NULL;
    *out = (struct ink_table){.n_column = 0};
    if (rows->n_row < FEW || rows->n_row > ROWS_MAX) return false;
    for (enum print_face face = 0; face < PRINT_FACES; face++) {
        if (given->told && given->told->face != face) continue;
        if (own != ink_sheet_of(sheet, face)) {
            own = ink_sheet_of(sheet, face);
            cut = ink_cut_often(own, given, rows);
        }
        fit_sheet(own, false, given, rows, face, &best, out);
        /* where more fits with cells cut, columns stand as close as words */
        if (cut) fit_sheet(cut, true, given, rows, face, &best, out);
    }
    return out->n_column > 0;
}
