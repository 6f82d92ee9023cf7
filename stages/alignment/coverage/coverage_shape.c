/* coverage_shape.c - what rows of a table have in common on the page, and how a missing
 * row differs from a sum, a heading or a letterhead. */
#include "stages/alignment/coverage/coverage_inside.h"

#include <math.h>
#include <string.h>

#include "stages/print/thresholds.h"
#include "vlm/base/sort.h"

/* What a line has. */
struct look {
    int n_date, n_amount, n_figure, n_said;
    int n_alone; /* figures that are not a part of a name: Lamp 574 */
    bool has_words;
    double left, date_left; /* 1: none */
};

static int bin_of(double x)
{
    int bin = (int)(x * COVERAGE_BINS);
    return bin < 0 ? 0 : bin >= COVERAGE_BINS ? COVERAGE_BINS - 1 : bin;
}

static bool touches(const bool *at, const struct canon *item)
{
    for (int b = bin_of(item->x); b <= bin_of(item->x + item->w); b++)
        if (at[b]) return true;
    return false;
}

static void take_date(struct look *look, const struct canon *item,
                      const struct coverage_shape *shape)
{
    if (shape && (item->x < shape->date_from - loose_edge ||
                  item->x > shape->date_to + loose_edge))
        return;
    look->n_date++;
    look->date_left = fmin(look->date_left, item->x);
}

bool coverage_is_piece(const struct canons *said, const struct canon *item)
{
    for (int i = 0; i < said->n_item; i++) {
        const struct canon *whole = &said->item[i];
        if (whole->n_word > item->n_word && whole->first <= item->first &&
            whole->first + whole->n_word >= item->first + item->n_word)
            return true;
    }
    return false;
}

bool coverage_is_wordy(const struct line_tokens *line, const struct canon *item)
{
    if (item->kind != CANON_NUMBER) return item->kind == CANON_WORD;
    char c = *line->line->word[item->first].text;
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* What the line has; dates and amounts only where `shape` has them (NULL: anywhere). */
static struct look look_at(const struct line_tokens *line,
                           const struct coverage_shape *shape)
{
    struct look look = {.left = 1, .date_left = 1};
    for (int i = 0; i < line->said.n_item; i++) {
        const struct canon *item = &line->said.item[i];
        look.left = fmin(look.left, item->x);
        look.has_words |= coverage_is_wordy(line, item);
        if (coverage_is_piece(&line->said, item)) continue;
        if (item->kind == CANON_DATE) take_date(&look, item, shape);
        if (item->kind == CANON_AMOUNT)
            look.n_amount += !shape || touches(shape->amount_at, item);
        look.n_said += shape && touches(shape->token_at, item);
        bool figure = item->kind == CANON_NUMBER || item->kind == CANON_AMOUNT;
        look.n_figure += figure;
        look.n_alone += figure && (item->kind == CANON_AMOUNT ||
                                   coverage_begins_part(line->line, item));
    }
    return look;
}

/* --- columns of amounts ------------------------------------------------------ */

/* No percentage, no code. */
static bool is_bare_number(const struct line_tokens *line,
                           const struct canon *item)
{
    const char *text = line->line->word[item->first].text;
    return item->kind == CANON_NUMBER && item->n_word == 1 &&
           strspn(text, "0123456789.,-") == strlen(text);
}

/* The edges of amounts without decimals on the lines of rows; their number. */
static int amount_edges(const struct comparison *t, double *left, double *right)
{
    int n = 0;
    for (int l = 0; l < t->n_line; l++) {
        const struct line_tokens *line = &t->line[l];
        for (int i = 0; i < line->said.n_item; i++) {
            const struct canon *item = &line->said.item[i];
            if (item->kind != CANON_AMOUNT || item->form == FORM_DECIMALS ||
                (line->row < 0 && !line->goes_on))
                continue;
            left[n] = item->x;
            right[n++] = item->x + item->w;
        }
    }
    sort_doubles(left, (size_t)n);
    sort_doubles(right, (size_t)n);
    return n;
}

/* Whether one of the sorted edges is here. */
static bool is_at_edge(const double *x, int n, double at)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (x[middle] < at - figure_edge)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && x[low] <= at + figure_edge;
}

void coverage_find_amounts(const struct comparison *t)
{
    size_t room = 1;
    for (int l = 0; l < t->n_line; l++)
        room += (size_t)t->line[l].said.n_item;
    double *left = arena_array(t->arena, room, sizeof *left);
    double *right = arena_array(t->arena, room, sizeof *right);
    int n = amount_edges(t, left, right);
    for (int l = 0; l < t->n_line && n; l++) {
        struct line_tokens *line = &t->line[l];
        struct canons said = {0};
        canon_add_all(&said, &line->said, t->arena);
        for (int i = 0; i < said.n_item; i++) {
            struct canon *item = &said.item[i];
            if (is_bare_number(line, item) &&
                (is_at_edge(right, n, item->x + item->w) ||
                 is_at_edge(left, n, item->x)))
                item->kind = CANON_AMOUNT;
        }
        line->said = said;
    }
}

bool coverage_has_value(const struct line_tokens *line)
{
    struct look look = look_at(line, NULL);
    return look.n_date || look.n_amount;
}

static void mark_bins(bool *at, const struct canon *item)
{
    for (int b = bin_of(item->x); b <= bin_of(item->x + item->w); b++)
        at[b] = true;
}

static void mark_columns(struct coverage_shape *shape,
                         const struct line_tokens *line)
{
    for (int i = 0; i < line->said.n_item; i++) {
        const struct canon *item = &line->said.item[i];
        if (item->kind == CANON_AMOUNT) mark_bins(shape->amount_at, item);
        if (line->taken[i]) mark_bins(shape->token_at, item);
    }
}

/* Sorts the n values; returns the 5th percentile. */
static double nearly_least(double *value, int n)
{
    sort_doubles(value, (size_t)n);
    return value[n / 20];
}

/* Where the first dates of rows begin: a second column of dates, and dates in texts, do
 * not identify a row. */
static void learn_dates(const struct comparison *t, int least,
                        struct coverage_shape *shape)
{
    double *left = arena_array(t->arena, (size_t)t->n_line, sizeof *left);
    int n = 0;
    for (int l = 0; l < t->n_line; l++)
        if (t->line[l].row >= least)
            left[n++] = look_at(&t->line[l], shape).date_left;
    if (!n) return;
    double from = nearly_least(left, n);
    shape->date_to = left[n - 1 - n / 20];
    shape->date_from = from;
}

struct coverage_shape coverage_learn(const struct comparison *t)
{
    struct coverage_shape shape = {.date_to = 1};
    double *value[6];
    for (int i = 0; i < 6; i++)
        value[i] = arena_array(t->arena, (size_t)t->n_line, sizeof **value);
    int n = 0;
    int least = t->rest ? 1 : 0;
    for (int l = 0; l < t->n_line; l++)
        if (t->line[l].row >= least) mark_columns(&shape, &t->line[l]);
    learn_dates(t, least, &shape);
    for (int l = 0; l < t->n_line; l++) {
        if (t->line[l].row < least) continue;
        struct look look = look_at(&t->line[l], &shape);
        value[0][n] = look.n_date;
        value[1][n] = look.n_amount;
        value[2][n] = look.n_alone;
        value[3][n] = look.has_words;
        value[4][n] = look.left;
        value[5][n++] = look.n_said;
    }
    shape.n_row = n;
    if (n == 0) return shape;
    shape.n_date = (int)nearly_least(value[0], n);
    shape.n_amount = (int)nearly_least(value[1], n);
    shape.n_figure = (int)nearly_least(value[2], n);
    shape.n_said = (int)nearly_least(value[5], n);
    shape.has_words = nearly_least(value[3], n) > 0;
    shape.left_from = nearly_least(value[4], n);
    shape.left_to = value[4][n - 1 - n / 20];
    return shape;
}

/* A date in the date column makes a row, even if its amounts are on other lines or
 * missing. */
static bool has_all(const struct look *look, const struct look *of)
{
    return of->n_date ? look->n_date > 0 : look->n_amount >= of->n_amount;
}

/* Whether the line has what one of the two rows above it has (below it if none is
 * above): tables on a page differ. */
static bool fits_beside(const struct comparison *t, int index,
                        const struct look *look)
{
    for (int step = -1; step <= 1; step += 2) {
        int n = 0;
        for (int l = index + step; l >= 0 && l < t->n_line && n < SHAPE_BESIDE;
             l += step) {
            if (t->line[l].row < 0) continue;
            struct look other = look_at(&t->line[l], NULL);
            if (has_all(look, &other)) return true;
            n++;
        }
    }
    return false;
}

static bool has_shape(const struct line_tokens *line,
                      const struct coverage_shape *shape)
{
    struct look look = look_at(line, shape);
    if (look.n_date < shape->n_date || (shape->n_said && !look.n_said) ||
        look.has_words < shape->has_words ||
        look.left < shape->left_from - loose_edge ||
        look.left > shape->left_to + loose_edge)
        return false;
    return shape->n_date || (look.n_amount >= shape->n_amount &&
                             look.n_figure >= shape->n_figure);
}

/* Whether it has as many items, at any position. */
static bool has_kind(const struct line_tokens *line,
                     const struct coverage_shape *shape)
{
    struct look look = look_at(line, NULL);
    return look.n_date >= shape->n_date && look.n_amount >= shape->n_amount &&
           look.n_figure >= shape->n_figure &&
           look.has_words >= shape->has_words;
}

bool coverage_fits(const struct comparison *t, int index,
                   const struct coverage_shape *own,
                   const struct coverage_shape *before)
{
    const struct line_tokens *line = &t->line[index];
    bool told = before && before->n_row >= ROWS_LEAST;
    if (own->n_row < ROWS_LEAST && !told && (!t->strict || t->open))
        return true;
    bool like_own = own->n_row > 0 && has_shape(line, own);
    bool like_before = own->n_row < ROWS_LEAST && told &&
                       (before->lies == t->lies ? has_shape(line, before)
                                                : has_kind(line, before));
    struct look look = look_at(line, NULL);
    return like_before || (like_own && fits_beside(t, index, &look));
}

bool coverage_begins_part(const struct line *line, const struct canon *item)
{
    for (int i = 0; i < line->n_part; i++)
        if (fabs(line->part_x[i] - item->x) <= figure_edge) return true;
    return false;
}
