/* ink_fit.c - in which column, and how large, are a table's values printed?
 * (ink_inside.h)
 *
 * The widths of a value in row after row are a sequence, and those of the cells
 * at one place line after line are one, too. Where a value stands, the one runs
 * through the other.
 */
#include "stages/window/ink_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/sort.h"

enum { EDGES_MAX = 48, ROWS_MAX = 2000, STEPS = 34, STEPS_ASIDE = 2, FEW = 3 };
static const double em_least = 0.9, em_step = 1.028; /* of a letter's height */
static const double near_edge = 0.35; /* of a letter: at the same place */
/* By which a cell's width may differ: of an em, and of the width. */
static const double fit_em = 0.4, fit_part = 0.02;
static const double share_least = 0.5; /* of the values, found in order */
static const double narrow = 0.3;      /* em: widths that tell nothing */
static const double rest_least = 0.8;  /* of the rows, where such stand */
static const double unusual = 0.05;    /* of the values, that must fit better */
static const double alike = 1e-6;      /* of what two fits are worth */

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

struct ink_fitting {
    const struct ink_sheet *sheet;
    const struct ink_rows *rows;
    struct ink_edge edge[EDGES_MAX];
    int n_edge;
    int *line; /* those that may be the table's */
    int n_line;
    int *best, *next; /* of the sequence */
    bool close;       /* half of what may differ does */
    struct arena *arena;
};

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
    if (f->n_edge == EDGES_MAX) return;
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

/* Whether the two are edges of the same cells. */
static bool same_cells(const struct ink_fitting *f, const struct ink_edge *a,
                       const struct ink_edge *b)
{
    int n = 0;
    for (int i = 0; i < f->n_line; i++)
        n += a->cell[i] >= 0 && a->cell[i] == b->cell[i];
    return 2 * n > (a->n < b->n ? a->n : b->n);
}

struct column_choice {
    int key, form;
    const struct ink_edge *edge;
    double share, close; /* close: the share of what fits closely */
    double worth;
};

/* Sums end below each other, words and dates begin so, as a rule, and the first forms
 * are the usual ones. What differs on no page so far, as where all sums are positive,
 * or have as many digits, may differ on the next. */
static double usual(const struct row_print *kind, double share, int form,
                    const struct ink_edge *edge)
{
    bool whole = !kind->text && !kind->dated && kind->n_form == PRINT_FORMS;
    bool sum = !kind->text && !kind->dated;
    return share - (form ? unusual : 0) -
           (!whole && edge->right != sum ? unusual : 0);
}

/* A value of the key. */
static const struct row_print *kind_of(const struct ink_rows *rows, int key)
{
    const struct row_print *v = &rows->value[key];
    for (int r = 0; r < rows->n_row && !v->n_form; r++)
        v = &rows->value[r * INK_KEYS_MAX + key];
    return v;
}

/* Takes the other edge and form into the choice where they suit better than what is
 * there; of two that suit alike, those that fit closely more often. */
static void consider(struct column_choice *best, const struct row_print *kind,
                     const struct column_choice *other)
{
    if (best->edge) {
        double more = usual(kind, other->share, other->form, other->edge) -
                      usual(kind, best->share, best->form, best->edge);
        if (more < -alike || (more < alike && other->close <= best->close))
            return;
    }
    *best = *other;
}

/* How well the key's values suit the edge. */
static struct column_choice choice_at(struct ink_fitting *f, int key, int form,
                                      enum print_face face,
                                      const struct ink_edge *edge, double em)
{
    struct column_choice own = {.key = key, .form = form, .edge = edge};
    bool close = f->close;
    own.share = share_of(f, key, form, face, edge, em);
    f->close = true;
    if (own.share >= share_least)
        own.close = share_of(f, key, form, face, edge, em);
    f->close = close;
    return own;
}

static struct column_choice best_choice(struct ink_fitting *f, int key,
                                        enum print_face face, double em,
                                        const bool *gone)
{
    struct column_choice best = {.key = key};
    int n_form;
    double spread;
    const struct row_print *kind = kind_of(f->rows, key);
    int n = n_values(f->rows, key, &n_form, &spread);
    for (int e = 0; n >= FEW && spread >= narrow && e < f->n_edge; e++)
        for (int form = 0; !gone[e] && form < n_form; form++) {
            struct column_choice own =
                choice_at(f, key, form, face, &f->edge[e], em);
            if (own.share >= share_least) consider(&best, kind, &own);
        }
    best.worth = n * (best.share - share_least + 0.1);
    if (!best.edge) best.worth = 0;
    return best;
}

/* Gives each key its column, the surest first; returns what they are worth. */
static double choose(struct ink_fitting *f, enum print_face face, double em,
                     struct ink_table *out)
{
    bool gone[EDGES_MAX] = {false};
    struct column_choice choice[INK_KEYS_MAX];
    double worth = 0;
    out->n_column = 0;
    for (int k = 0; k < f->rows->n_key; k++)
        choice[k] = best_choice(f, k, face, em, gone);
    for (;;) {
        struct column_choice *best = NULL;
        for (int k = 0; k < f->rows->n_key; k++)
            if (choice[k].worth > (best ? best->worth : 0)) best = &choice[k];
        if (!best) return worth;
        worth += best->worth;
        out->column[out->n_column++] =
            (struct ink_column){.key = f->rows->key[best->key],
                                .right = best->edge->right,
                                .form = best->form,
                                .edge = best->edge->x / f->sheet->width,
                                .slack = fit_em};
        for (int e = 0; e < f->n_edge; e++)
            gone[e] |= same_cells(f, &f->edge[e], best->edge);
        best->worth = 0;
        for (int k = 0; k < f->rows->n_key; k++)
            if (choice[k].worth > 0 && gone[choice[k].edge - f->edge])
                choice[k] = best_choice(f, k, face, em, gone);
    }
}

/* Finds the edges of the lines that no other table has. */
static void begin(struct ink_fitting *f, const struct ink_given *given)
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

bool ink_fit(const struct ink_sheet *sheet, const struct ink_given *given,
             const struct ink_rows *rows, struct ink_table *out)
{
    struct size_range best = {.worth = 0};
    const struct ink_table *told = given->told;
    *out = (struct ink_table){.n_column = 0};
    if (rows->n_row < FEW || rows->n_row > ROWS_MAX) return false;
    for (enum print_face face = 0; face < PRINT_FACES; face++) {
        struct ink_fitting f = {.sheet = ink_sheet_of(sheet, face),
                                .rows = rows};
        if (told && told->face != face) continue;
        begin(&f, given);
        struct size_range own = find_size(&f, face, told);
        if (own.worth <= 0 || !is_better(&own, &best)) continue;
        best = own;
        *out = (struct ink_table){.face = face, .em = own.em / sheet->width};
        choose(&f, face, own.em, out);
    }
    return out->n_column > 0;
}

/* --- keys whose values are all as broad ----------------------------------------- */

/* The part of the rows that are on a line for which the edge fits. */
static double share_on(const struct ink_fitting *f,
                       const struct ink_found *found, const struct ink_table *t,
                       int key, int form, const struct ink_edge *edge)
{
    int n = 0, n_fit = 0, n_there = 0;
    double em = t->em * f->sheet->width, near = near_edge * f->sheet->letter;
    for (int r = 0; r < f->rows->n_row; r++) {
        const struct row_print *v = &f->rows->value[r * INK_KEYS_MAX + key];
        double w = 0;
        if (found->line_of_row[r] < 0) continue;
        for (int i = 0; i < found->n_line[r]; i++) {
            const struct ink_line *line =
                &f->sheet->line[found->line_of_row[r] + i];
            int c = ink_cell_at(line, edge->right, edge->x, near);
            if (c >= 0) w += line->cell[c].w;
        }
        bool there = form < v->n_form;
        double own = there ? em * v->width[t->face][form] : 0;
        n++;
        n_there += there;
        n_fit += there ? fabs(w - own) <= fit_em * em + fit_part * w : w <= 0;
    }
    /* one of a few rows may be on another's line for want of these columns */
    bool most = n_fit > rest_least * n || (n > FEW && n_fit >= n - 1);
    return n_there >= FEW && most ? (double)n_fit / n : 0;
}

static struct column_choice best_rest(const struct ink_fitting *f,
                                      const struct ink_found *found,
                                      const struct ink_table *t, int key,
                                      const bool *gone)
{
    struct column_choice best = {.key = key};
    const struct row_print *kind = kind_of(f->rows, key);
    for (int e = 0; e < f->n_edge; e++)
        for (int form = 0; !gone[e] && form < PRINT_FORMS; form++) {
            struct column_choice own = {
                .key = key, .form = form, .edge = &f->edge[e]};
            own.share = share_on(f, found, t, key, form, own.edge);
            if (own.share > 0) consider(&best, kind, &own);
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
                gone[e] |= same_cells(f, &f->edge[e], own);
        }
    }
}

void ink_fit_rest(const struct ink_sheet *sheet, const struct ink_given *given,
                  const struct ink_rows *rows, const struct ink_found *found,
                  struct ink_table *t)
{
    struct ink_fitting f = {.sheet = sheet, .rows = rows};
    begin(&f, given);
    for (;;) {
        bool gone[EDGES_MAX] = {false};
        struct column_choice best = {.share = 0};
        mark_gone(&f, t, gone);
        for (int k = 0; k < rows->n_key; k++) {
            if (has_column(t, rows->key[k])) continue;
            struct column_choice own = best_rest(&f, found, t, k, gone);
            if (own.edge && own.share > best.share) best = own;
        }
        if (!best.edge) return;
        t->column[t->n_column++] =
            (struct ink_column){.key = rows->key[best.key],
                                .right = best.edge->right,
                                .form = best.form,
                                .edge = best.edge->x / sheet->width,
                                .slack = fit_em};
    }
}
