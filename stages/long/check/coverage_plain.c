/* coverage_plain.c - rows that no date and no amount tells: of names, codes, numbers
 * of pieces, or with a price on request where the others have theirs.
 *
 * Nothing on such a line tells a row by itself. But cells of a table begin below each
 * other, and numbers end so (coverage_cells.c): what stands in the columns in which
 * nearly all rows have something, among the rows or next to the last one, is a row.
 * Where other rows have values a heading or a note may look so, too: there the line is
 * also held to the rows' distance, and to what the rows beside it say.
 */
#include "stages/long/check/coverage_inside.h"

#include <string.h>

#include "vlm/base/sort.h"

enum { ROWS_TELL = 6, VALUES_ONE_IN = 20, PAGE_HEAD_CELLS = 2 };

static const double next_to = 1.6; /* times the rows' usual distance */
static const double apart = 0.8;   /* times the least that is usual */

struct plain {
    struct coverage_columns columns;
    int n_row;
    int first; /* line with a row */
    bool told; /* the columns are those of a page before */
};

bool coverage_has_row(const struct comparison *t, int l)
{
    return t->line[l].row >= (t->rest ? 1 : 0);
}

/* Counts the rows; has hardly one of them a date or an amount on its lines? */
static void count_rows(const struct comparison *t, struct plain *p)
{
    int n_value = 0;
    for (int l = 0; l < t->n_line; l++) {
        bool row = coverage_has_row(t, l);
        if (row && !p->n_row++) p->first = l;
        if (row || t->line[l].goes_on)
            n_value += coverage_has_value(&t->line[l]);
    }
    p->columns.values = n_value * VALUES_ONE_IN > p->n_row;
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

static int n_held(const struct canons *items, const struct line_said *line)
{
    int n = 0;
    for (int i = 0; i < line->said.n_item; i++)
        n += canon_holds(items, &line->said.item[i]);
    return n;
}

/* Is it the table's head, as far as that is known or seen? */
static bool is_head(const struct comparison *t, const struct plain *p, int l)
{
    const struct line_said *line = &t->line[l];
    if (line->said.n_item && n_held(&t->head, line) == line->said.n_item)
        return true;
    return coverage_has_columns(&p->columns, line) && is_repeated(t, p, l);
}

/* Or, among rows with values, much like one: of another table, or above a part of
 * this one. */
static bool is_like_head(const struct comparison *t, const struct plain *p,
                         int l)
{
    const struct line_said *line = &t->line[l];
    return is_head(t, p, l) ||
           (p->columns.values &&
            2 * n_held(&t->heads, line) >= line->said.n_item);
}

static double distance(const struct comparison *t, int above, int below)
{
    return t->line[below].line->y - t->line[above].line->y;
}

/* The nearest line with a row from l on, up (step -1) or down, of its page; -1:
 * none. What looks so by its values is one where rows have some. */
static int next_row(const struct comparison *t, const struct plain *p, int l,
                    int step)
{
    int page = line_page(t->line[l].line);
    for (l += step; l >= 0 && l < t->n_line; l += step) {
        if (line_page(t->line[l].line) != page) return -1;
        if (coverage_has_row(t, l) || t->line[l].plain ||
            (p->columns.values && t->line[l].like_row))
            return l;
    }
    return -1;
}

static void find_pitch(const struct comparison *t, struct plain *p)
{
    double *each = arena_array(t->arena, (size_t)t->n_line + 1, sizeof *each);
    size_t n = 0;
    for (int l = 0; l < t->n_line; l++) {
        int below = coverage_has_row(t, l) ? next_row(t, p, l, 1) : -1;
        if (below >= 0) each[n++] = distance(t, l, below);
    }
    sort_doubles(each, n);
    p->columns.pitch = n ? each[n / 2] : 0;
    p->columns.least = n ? each[n / 10] : 0;
}

/* The columns of the rows here, or of a page before where these are few. */
static void find_columns(const struct comparison *t,
                         const struct coverage_shape *before, struct plain *p)
{
    count_rows(t, p);
    if (p->n_row >= ROWS_TELL) {
        if (p->columns.values) coverage_find_cells(t);
        coverage_find_columns(t, p->n_row, &p->columns);
        if (p->columns.n) find_pitch(t, p);
    } else if (before && before->columns.n && before->lies == t->lies) {
        p->told = true;
        p->columns = before->columns;
        if (p->columns.values) coverage_find_cells(t);
    }
}

/* Is there no line's room between the rows' lines? */
static bool is_next_to(const struct comparison *t, const struct plain *p,
                       int above, int below)
{
    if (above < 0 || below < 0) return false;
    while (above + 1 < below && t->line[above + 1].goes_on)
        above++;
    return distance(t, above, below) <= next_to * p->columns.pitch;
}

/* Is there none from line to line, whatever stands on them? */
static bool is_unbroken(const struct comparison *t, const struct plain *p,
                        int above, int below)
{
    if (above < 0 || below < 0) return false;
    for (int l = above; l < below; l++)
        if (distance(t, l, l + 1) > next_to * p->columns.pitch) return false;
    return true;
}

/* May all that stands between be lines of the row above? */
static bool is_of_row(const struct comparison *t, int above, int l)
{
    if (l - above > ALIGNMENT_LINES_MAX) return false;
    for (int i = above + 1; i < l; i++)
        if (coverage_has_value(&t->line[i]) || coverage_is_sum(&t->line[i]))
            return false;
    return true;
}

/* Stands the line between two rows, or right below the last one? */
static bool is_behind_row(const struct comparison *t, const struct plain *p,
                          int l)
{
    int above = next_row(t, p, l, -1);
    if (above < 0) return false;
    bool between = next_row(t, p, l, 1) >= 0;
    if (p->columns.values)
        between =
            is_unbroken(t, p, above, l) && (between || is_of_row(t, above, l));
    return between || is_next_to(t, p, above, l);
}

/* Right above the first one, and below the table's head, which a page that goes on
 * with it may lack? */
static bool is_below_head(const struct comparison *t, const struct plain *p,
                          int l)
{
    int page = line_page(t->line[l].line), below = next_row(t, p, l, 1);
    bool near = is_next_to(t, p, l, below) ||
                (p->columns.values && is_unbroken(t, p, l, below));
    for (int h = l + 1; h < below; h++)
        if (is_head(t, p, h)) return false;
    for (int h = l - 1; h >= 0 && line_page(t->line[h].line) == page; h--)
        if (t->line[h].row < 0 && is_head(t, p, h))
            return near || (p->told && is_unbroken(t, p, h, l));
    return near && p->columns.values && p->columns.n > PAGE_HEAD_CELLS &&
           t->above.n_item && t->head.n_item;
}

/* Does the row on line `at` say the line, besides what stands there? It goes on
 * there, or begins. */
static bool is_said_by(const struct comparison *t, int at, int l)
{
    if (at < 0 || t->line[at].row < 0) return false;
    const struct canons *row = &t->row[t->line[at].row].said,
                        *line = &t->line[l].said;
    int n = 0;
    for (int i = 0; i < line->n_item; i++)
        n += canon_holds(row, &line->item[i]) &&
             !canon_holds(&t->line[at].said, &line->item[i]);
    return 2 * n >= line->n_item;
}

/* Is it no nearer to the rows than they are to each other, and none of their
 * lines? */
static bool is_apart(const struct comparison *t, const struct plain *p, int l)
{
    int above = next_row(t, p, l, -1), below = next_row(t, p, l, 1);
    double least = apart * p->columns.least;
    return !(above >= 0 && distance(t, above, l) < least) &&
           !(below >= 0 && distance(t, l, below) < least) &&
           !is_said_by(t, above, l) && !is_said_by(t, below, l);
}

static bool is_free(const struct comparison *t, const struct plain *p, int l)
{
    const struct line_said *line = &t->line[l];
    if (line->row >= 0 || line->goes_on || line->line->turned ||
        !coverage_has_columns(&p->columns, line) || coverage_is_sum(line) ||
        is_like_head(t, p, l))
        return false;
    return !p->columns.values || (!line->like_row && is_apart(t, p, l) &&
                                  !(t->strict && coverage_is_payment(line)));
}

void coverage_find_plain(struct comparison *t,
                         const struct coverage_shape *before,
                         struct coverage_columns *columns)
{
    struct plain p = {.n_row = 0};
    find_columns(t, before, &p);
    *columns = p.columns;
    if (!p.columns.n) return;
    for (int l = 0; l < t->n_line; l++)
        t->line[l].plain = is_free(t, &p, l) && is_behind_row(t, &p, l);
    for (int l = t->n_line - 1; l >= 0; l--)
        t->line[l].plain |= is_free(t, &p, l) && is_below_head(t, &p, l);
}
