/* assign_rows.c - values of a row are close together, and rows are in order
 * down the page (assign.h).
 *
 * The rows of a table are aligned with lines (row_lines.h); a row's values are
 * on its first line (its anchor) and those below, up to the next row's.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/assign.h"
#include "stages/alignment/row_lines.h"
#include "stages/print/thresholds.h"

struct row_table {
    struct alignment *l;
    int number, n_row, n_column;
    bool scalars;            /* rows of one value each can share a line */
    struct aligned_row *row; /* each begins at its anchor, or has none */
};

/* Collects the items of the rows. */
static void read_rows(struct row_table *t)
{
    struct alignment *l = t->l;
    size_t rows = (size_t)t->n_row;
    t->row = arena_array(l->arena, rows, sizeof *t->row);
    for (int r = 0; r < t->n_row; r++)
        t->row[r].line = -1;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *a = &l->asking[i];
        if (a->table != t->number) continue;
        canon_add_value(&t->row[a->row].said, a->asked->value, l->arena);
    }
}

/* Finds the line of each row; false if there are too many rows. */
static bool find_anchors(struct row_table *t)
{
    struct alignment *l = t->l;
    size_t lines = (size_t)l->table.n_line;
    const struct canons **items =
        arena_array(l->arena, lines + 1, sizeof *items);
    for (size_t i = 0; i < lines; i++)
        items[i] = &l->table.line[i].said;
    read_rows(t);
    struct row_alignment all = {.row = t->row,
                                .n_row = t->n_row,
                                .line = items,
                                .n_line = l->table.n_line,
                                .least = row_least,
                                .span = ROW_LINES_MAX,
                                .shared = t->scalars,
                                .arena = l->arena};
    return row_lines_find(&all);
}

/* The anchor of the next row with one (or the previous, by step), or -1. */
static int anchor_beside(const struct row_table *t, int row, int step)
{
    for (int r = row + step; r >= 0 && r < t->n_row; r += step)
        if (t->row[r].line >= 0) return t->row[r].line;
    return -1;
}

/* Rules out candidates outside of lines from..to, unless that is all. */
static bool keep_lines(struct wanted_value *a, int from, int to)
{
    bool any = false;
    for (int i = 0; i < a->n_candidate; i++)
        any |= a->candidate[i].line >= from && a->candidate[i].line <= to;
    for (int i = 0; any && i < a->n_candidate; i++)
        a->candidate[i].away =
            a->candidate[i].line < from || a->candidate[i].line > to;
    return any;
}

/* Keeps candidates on the row's first line, else on the next below, else above
 * it but below the previous row. False if there are none. */
static bool keep_nearest(struct wanted_value *a, int from, int to, int before)
{
    for (int line = from; line <= to; line++)
        if (keep_lines(a, line, line)) return true;
    for (int line = from - 1; line > before && line >= from - ROW_UP; line--)
        if (keep_lines(a, line, line)) return true;
    return false;
}

/* Keeps values on their rows' lines; those found on none are handled later. */
static void keep_bands(struct row_table *t)
{
    struct alignment *l = t->l;
    for (int i = 0; i < l->n_asking; i++) {
        struct wanted_value *a = &l->asking[i];
        if (a->table != t->number || !a->n_candidate) continue;
        int from = t->row[a->row].line, next = anchor_beside(t, a->row, 1);
        int before = anchor_beside(t, a->row, -1);
        int to = next >= 0 ? next - 1 : from + ROW_SPAN - 1;
        if (t->scalars) to = from;
        if (to > from + 2 * ROW_SPAN) to = from + 2 * ROW_SPAN;
        a->astray = from < 0 || !keep_nearest(a, from, to, before);
    }
}

static bool says_the_same(const struct wanted_value *a,
                          const struct wanted_value *b)
{
    return cJSON_Compare(a->asked->value, b->asked->value, true);
}

/* The value of the same column before asking `i` whose row has a known line, or
 * NULL. */
static const struct wanted_value *before(const struct row_table *t, int i)
{
    const struct wanted_value *a = &t->l->asking[i];
    while (--i >= 0) {
        const struct wanted_value *b = &t->l->asking[i];
        if (b->table == a->table && b->column == a->column &&
            t->row[b->row].line >= 0)
            return b;
    }
    return NULL;
}

/* For each column: whether a value is printed again although it equals that of
 * the previous row. If so, every row shows its own. */
static const bool *find_repeats(const struct row_table *t)
{
    const struct alignment *l = t->l;
    bool *repeats = arena_array(l->arena, (size_t)t->n_column, sizeof *repeats);
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *a = &l->asking[i], *b;
        if (a->table != t->number || a->astray || a->chosen < 0 ||
            repeats[a->column])
            continue;
        b = before(t, i);
        repeats[a->column] =
            b && !b->astray && b->chosen >= 0 && b->row == a->row - 1 &&
            b->candidate[b->chosen].line != a->candidate[a->chosen].line &&
            says_the_same(a, b);
    }
    return repeats;
}

/* Whether all rows between the line and that of asking `i` have the same
 * value. */
static bool is_run(const struct row_table *t, int i, int line)
{
    const struct wanted_value *a = &t->l->asking[i], *b = a;
    while ((b = before(t, (int)(b - t->l->asking))))
        if (t->row[b->row].line <= line)
            break;
        else if (!says_the_same(a, b))
            return false;
    return true;
}

/* Whether the first line of the value's row has print in its column. */
static bool has_own_cell(const struct row_table *t,
                         const struct wanted_value *a)
{
    const struct alignment *l = t->l;
    int line = t->row[a->row].line;
    double left = l->column_left[a->column], right = l->column_right[a->column];
    for (int i = l->table.line[line].first; i < l->table.line[line + 1].first;
         i++) {
        const struct word *w = l->table.token[i].place;
        if (l->table.token[i].fold.n && w->x < right && w->x + w->w > left)
            return true;
    }
    return false;
}

/* Places a value missing from its row: printed once for several rows, above, in
 * its column; or unique on the page. */
static void place_astray(struct row_table *t, struct wanted_value *a,
                         const bool *repeats)
{
    struct alignment *l = t->l;
    double left = l->column_left[a->column], right = l->column_right[a->column];
    int best = -1, from = t->row[a->row].line, n = 0;
    for (int i = 0; i < a->n_candidate; i++) {
        const struct occurrence *c = &a->candidate[i];
        bool under = fabs(c->left - left) < same_edge ||
                     fabs(c->right - right) < same_edge;
        if (from < 0 || left < 0 || !under || c->line >= from ||
            l->table.token[c->piece->token].page !=
                l->table.token[l->table.line[from].first].page ||
            repeats[a->column] || has_own_cell(t, a) ||
            !is_run(t, (int)(a - l->asking), c->line))
            continue;
        if (best < 0 || c->line > a->candidate[best].line) best = i;
    }
    if (best < 0 && !repeats[a->column]) {
        best = assign_only(a, &n);
        a->misplaced = true;
    }
    if (best >= 0) assign_take(l, a, best);
}

/* Counts values with one occurrence that is outside their row; *n_once: all
 * with one occurrence. Only columns whose values are in the rows count. */
static int count_astray(const struct row_table *t, int *n_once)
{
    const struct alignment *l = t->l;
    int n_astray = 0;
    *n_once = 0;
    for (int c = 0; c < t->n_column; c++) {
        int once = 0, astray = 0;
        for (int i = 0; i < l->n_asking; i++) {
            const struct wanted_value *a = &l->asking[i];
            if (a->table != t->number || a->column != c || a->n_candidate != 1)
                continue;
            once++;
            astray += a->astray;
        }
        if (2 * astray > once) continue; /* printed once for several rows */
        *n_once += once;
        n_astray += astray;
    }
    return n_astray;
}

/* Whether the only place of the value is that of another row's value of the same
 * key. */
static bool is_taken_above(const struct row_table *t,
                           const struct wanted_value *a)
{
    for (const struct wanted_value *b = t->l->asking; b < a; b++)
        if (b->table == a->table && b->column == a->column && b->chosen >= 0 &&
            b->candidate[b->chosen].piece->token ==
                a->candidate->piece->token &&
            b->candidate[b->chosen].piece->from == a->candidate->piece->from)
            return true;
    return false;
}

/* Whether the rows are not in order down the page: a quarter of the values, and
 * not only one. Then values with one
 * occurrence are accepted, and the rest stay open. */
static bool is_no_table(const struct row_table *t)
{
    int n_once, n_astray = count_astray(t, &n_once);
    if (n_astray < 2 || 4 * n_astray <= n_once) return false;
    for (int i = 0; i < t->l->n_asking; i++) {
        struct wanted_value *a = &t->l->asking[i];
        if (a->table != t->number) continue;
        a->unordered = true;
        for (int k = 0; k < a->n_candidate; k++)
            a->candidate[k].away = false;
        if (a->n_candidate == 1) {
            if (!a->any && is_taken_above(t, a)) a->misplaced = true;
            assign_take(t->l, a, 0);
        }
        a->settled = true;
    }
    return true;
}

static void place_table(struct alignment *l, int number)
{
    struct row_table t = {.l = l, .number = number, .scalars = true};
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *a = &l->asking[i];
        if (a->table != number) continue;
        if (a->row >= t.n_row) t.n_row = a->row + 1;
        if (a->column >= t.n_column) t.n_column = a->column + 1;
        t.scalars = t.scalars && !*a->key;
    }
    if (!t.n_row || !l->table.n_line || !find_anchors(&t)) return;
    keep_bands(&t);
    if (is_no_table(&t)) return;
    assign_columns(l, number, t.n_column);
    const bool *repeats = find_repeats(&t);
    for (int i = 0; i < l->n_asking; i++) {
        struct wanted_value *a = &l->asking[i];
        if (a->table != number) continue;
        if (a->astray && a->n_candidate) place_astray(&t, a, repeats);
        a->settled = true;
    }
}

/* --- values among the rows of a nested table ------------------------------ */

/* Whether the value is in the row of the outer array. */
static bool is_in(const struct wanted_value *a, const char *row)
{
    size_t n = strlen(row);
    return a->asked->pointer[n] == '/' && !strncmp(a->asked->pointer, row, n);
}

/* Drops the candidates of asking `i` that are above a nested row of an earlier
 * outer row, or below one of a later, unless that is all. */
static void keep_among(struct alignment *l, int i)
{
    struct wanted_value *a = &l->asking[i];
    int from = -1, to = l->table.n_line, n = 0;
    for (int k = 0; k < l->n_asking; k++) {
        const struct wanted_value *b = &l->asking[k];
        if (b->table < 0 || b->chosen < 0 || b->astray || is_in(b, a->among))
            continue;
        int line = b->candidate[b->chosen].line;
        if (k < i && line > from) from = line;
        if (k > i && line < to) to = line;
    }
    for (int k = 0; k < a->n_candidate; k++)
        n += a->candidate[k].line > from && a->candidate[k].line < to;
    if (!n) return;
    n = 0;
    for (int k = 0; k < a->n_candidate; k++)
        if (a->candidate[k].line > from && a->candidate[k].line < to)
            a->candidate[n++] = a->candidate[k];
    a->n_candidate = n;
}

void assign_rows(struct alignment *l)
{
    for (int t = 0; t < l->n_table; t++)
        place_table(l, t);
    for (int i = 0; i < l->n_asking; i++)
        if (l->asking[i].among) keep_among(l, i);
}
