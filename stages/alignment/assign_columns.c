/* assign_columns.c - values of one key are in one column (assign.h).
 *
 * If a row contains a value more than once, the column with the values of other
 * rows decides; then the table's head; then, if all other columns are in the
 * order of the keys, that order.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/assign.h"
#include "stages/alignment/label.h"
#include "stages/print/thresholds.h"
#include "vlm/base/sort.h"

/* The median of n places, and the median distance from it. */
static double middle_of(double *place, int n, double *spread)
{
    sort_doubles(place, (size_t)n);
    *spread = n > 1 ? place[(3 * n) / 4] - place[n / 4] : 0;
    return place[n / 2];
}

/* Whether another value of its row is at the same print, so that one of the two
 * was not read, and its column is unknown. */
static bool is_shared(const struct alignment *l, const struct wanted_value *a)
{
    const struct wanted_value *end = l->asking + l->n_asking, *b = a;
    while (b > l->asking && b[-1].table == a->table && b[-1].row == a->row)
        b--;
    for (; b < end && b->table == a->table && b->row == a->row; b++)
        if (b != a && b->chosen >= 0 && a->chosen >= 0 &&
            b->candidate[b->chosen].piece->token ==
                a->candidate[a->chosen].piece->token &&
            b->candidate[b->chosen].piece->from ==
                a->candidate[a->chosen].piece->from)
            return true;
    return false;
}

/* The median place of the key's decided values; -1: unknown. */
static void measure_column(struct alignment *l, int table, int column,
                           double *spread)
{
    size_t capacity = (size_t)l->n_asking;
    double *left = arena_array(l->arena, capacity, sizeof *left);
    double *right = arena_array(l->arena, capacity, sizeof *right);
    int n = 0, n_left;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *a = &l->asking[i];
        if (a->table != table || a->column != column || a->astray ||
            is_shared(l, a))
            continue;
        int only = a->chosen >= 0 ? a->chosen : assign_only(a, &n_left);
        if (only < 0) continue;
        left[n] = a->candidate[only].left;
        right[n++] = a->candidate[only].right;
    }
    l->column_left[column] = l->column_right[column] = -1;
    if (!n) return;
    l->column_left[column] = middle_of(left, n, &spread[0]);
    l->column_right[column] = middle_of(right, n, &spread[1]);
}

/* The candidate that is clearly nearest to the column, or -1. */
static int nearest(const struct alignment *l, const struct wanted_value *a,
                   const double *spread)
{
    double left = l->column_left[a->column], right = l->column_right[a->column];
    double first = 1, second = 1;
    int best = -1;
    if (left < 0) return -1;
    for (int i = 0; i < a->n_candidate; i++) {
        const struct occurrence *c = &a->candidate[i];
        double far = spread[0] < spread[1] ? fabs(c->left - left)
                                           : fabs(c->right - right);
        if (fabs(spread[0] - spread[1]) < 1e-9)
            far = fmin(fabs(c->left - left), fabs(c->right - right));
        if (c->away) continue;
        if (far < first) {
            second = first;
            first = far;
            best = i;
        } else if (far < second) {
            second = far;
        }
    }
    return second > nearest_clearly * first ? best : -1;
}

/* Decides values with one occurrence left, until nothing changes. */
static void resolve_only(struct alignment *l, int table)
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < l->n_asking; i++) {
            struct wanted_value *a = &l->asking[i];
            int n_left;
            if (a->table != table || a->chosen >= 0 || a->astray) continue;
            assign_leave_claimed(l, a);
            int only = assign_only(a, &n_left);
            if (only < 0) continue;
            assign_take(l, a, only);
            more = true;
        }
    }
}

static void resolve_nearest(struct alignment *l, int table, int n_column)
{
    for (int c = 0; c < n_column; c++) {
        double spread[2] = {0, 0};
        measure_column(l, table, c, spread);
        for (int i = 0; i < l->n_asking; i++) {
            struct wanted_value *a = &l->asking[i];
            if (a->table != table || a->column != c || a->chosen >= 0 ||
                a->astray)
                continue;
            assign_leave_claimed(l, a);
            int best = nearest(l, a, spread);
            if (best >= 0) assign_take(l, a, best);
        }
    }
}

/* --- the table's head */

static int first_line(const struct alignment *l, int table)
{
    int first = l->table.n_line;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *a = &l->asking[i];
        if (a->table == table && a->chosen >= 0 && !a->astray &&
            a->candidate[a->chosen].line < first)
            first = a->candidate[a->chosen].line;
    }
    return first;
}

static void resolve_by_head(struct alignment *l, int table)
{
    int first = first_line(l, table);
    for (int i = 0; i < l->n_asking; i++) {
        struct wanted_value *a = &l->asking[i];
        double best = label_fit_least, second = 0;
        int which = -1;
        if (a->table != table || a->chosen >= 0 || a->astray) continue;
        assign_leave_claimed(l, a);
        for (int k = 0; k < a->n_candidate; k++) {
            if (a->candidate[k].away) continue;
            const struct occurrence *c = &a->candidate[k];
            double fit =
                fmax(label_head_fit(l, a, c, first), label_fit(l, a, c));
            if (fit > best) {
                second = best;
                best = fit;
                which = k;
            } else if (fit > second) {
                second = fit;
            }
        }
        if (which >= 0 && best > second + clearly_better)
            assign_take(l, a, which);
    }
}

/* --- the order of keys */

/* Whether the known columns, two at least, are in the order of their keys. */
static bool is_in_order(const struct alignment *l, int n_column)
{
    double before = -1;
    int n = 0;
    for (int c = 0; c < n_column; c++) {
        double left = l->column_left[c];
        if (left < 0) continue;
        if (left <= before) return false;
        before = left;
        n++;
    }
    return n >= 2;
}

/* The first candidate to the right of the preceding known column, if the number
 * of adjacent unknown columns equals that of candidates. */
static void resolve_by_order(struct alignment *l, struct wanted_value *a,
                             int n_column)
{
    double from = -1, to = 2;
    int rank = 0, unknown = 1, n = 0, which = -1;
    for (int c = a->column - 1; c >= 0 && l->column_left[c] < 0; c--)
        rank++;
    for (int c = a->column + 1; c < n_column && l->column_left[c] < 0; c++)
        unknown++;
    unknown += rank;
    if (a->column > rank) from = l->column_left[a->column - rank - 1];
    for (int c = a->column; c < n_column && to > 1; c++)
        if (l->column_left[c] >= 0) to = l->column_left[c];
    for (int i = 0; i < a->n_candidate; i++) {
        const struct occurrence *c = &a->candidate[i];
        int left = 0;
        if (c->left <= from || c->left >= to) continue;
        for (int k = 0; k < a->n_candidate; k++)
            left += a->candidate[k].left < c->left &&
                    a->candidate[k].left > from &&
                    a->candidate[k].line == a->candidate[i].line;
        if (c->line != a->candidate[0].line) return;
        if (left == rank) which = i;
        n++;
    }
    if (n == unknown && which >= 0) assign_take(l, a, which);
}

/* Whether the values, which are undecided, are equal figures of one row. */
static bool are_twins(const struct wanted_value *a,
                      const struct wanted_value *b)
{
    return b->table == a->table && b->row == a->row && b->chosen < 0 &&
           !b->astray && a->figure && b->figure &&
           canon_equal(&a->canon, &b->canon);
}

/* Of equal figures in a row, such as the price and the amount of one piece, each is one
 * of as many prints on its line, in the order of their keys. */
static void resolve_twins(struct alignment *l, struct wanted_value *a)
{
    int n_twin = 0, n_print = 0, first = -1;
    if (a->chosen >= 0 || a->astray) return;
    for (int i = 0; i < l->n_asking; i++)
        n_twin += are_twins(a, &l->asking[i]);
    for (int i = 0; i < a->n_candidate; i++) {
        const struct occurrence *c = &a->candidate[i];
        if (c->away || assign_is_claimed(l, c)) continue;
        if (first >= 0 && c->line != a->candidate[first].line) return;
        if (first < 0 || c->left < a->candidate[first].left) first = i;
        n_print++;
    }
    if (n_twin > 1 && n_print == n_twin) assign_take(l, a, first);
}

void assign_columns(struct alignment *l, int table, int n_column)
{
    size_t n = (size_t)n_column;
    double spread[2];
    l->column_left = arena_array(l->arena, n + 1, sizeof *l->column_left);
    l->column_right = arena_array(l->arena, n + 1, sizeof *l->column_right);
    resolve_only(l, table);
    resolve_nearest(l, table, n_column);
    resolve_only(l, table);
    resolve_by_head(l, table);
    resolve_nearest(l, table, n_column);
    for (int c = 0; c < n_column; c++)
        measure_column(l, table, c, spread);
    for (int i = 0; i < l->n_asking && is_in_order(l, n_column); i++) {
        struct wanted_value *a = &l->asking[i];
        if (a->table == table && a->chosen < 0 && !a->astray &&
            a->n_candidate && l->column_left[a->column] < 0)
            resolve_by_order(l, a, n_column);
    }
    for (int i = 0; i < l->n_asking; i++)
        if (l->asking[i].table == table) resolve_twins(l, &l->asking[i]);
    resolve_only(l, table);
}
