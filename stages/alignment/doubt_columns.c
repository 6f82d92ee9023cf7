/* doubt_columns.c - columns that are exchanged (doubt.h).
 *
 * Every value of two exchanged columns is printed in its row. But the head of the
 * column fits the other key clearly better, and that key's values are in the
 * column whose head fits this one.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/doubt.h"
#include "stages/alignment/find.h"
#include "stages/alignment/label.h"
#include "stages/alignment/unit.h"
#include "stages/alignment/wanted.h"
#include "stages/print/fold.h"
#include "stages/print/thresholds.h"

enum { COLUMNS_MOST = 64 };

/* The columns of a table, by its first row on a page. */
struct table_heads {
    const struct wanted_value *of[COLUMNS_MOST]; /* or NULL */
    double fit[COLUMNS_MOST][COLUMNS_MOST];      /* of key i to column k */
    int n, first; /* first: of the lines with values */
    int from, to; /* lines of the heading */
};

static bool is_of(const struct wanted_value *a, int table, int column)
{
    return a->table == table && a->column == column &&
           a->column < COLUMNS_MOST && !a->astray && chosen_occurrence(a);
}

static int page_of(const struct alignment *l, const struct wanted_value *a)
{
    return alignment_token(l, chosen_occurrence(a)->piece->token)->page;
}

/* The first line of the table's values, and the first value of each column. */
static void read_columns(const struct alignment *l, int table, int page,
                         struct table_heads *h)
{
    h->n = 0;
    h->first = l->table.n_line;
    for (int c = 0; c < COLUMNS_MOST; c++)
        h->of[c] = NULL;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *a = &l->asking[i];
        if (a->column < 0 || !is_of(a, table, a->column) ||
            page_of(l, a) != page)
            continue;
        if (!h->of[a->column]) h->of[a->column] = a;
        if (a->column >= h->n) h->n = a->column + 1;
        if (chosen_occurrence(a)->line < h->first)
            h->first = chosen_occurrence(a)->line;
    }
}

static bool is_above(const struct token *word, const struct occurrence *column)
{
    return word->place->x < column->right &&
           word->place->x + word->place->w > column->left;
}

/* Whether a word of the line is above the column. */
static bool is_over(const struct alignment *l, const struct occurrence *column,
                    int line)
{
    for (int t = l->table.line[line].first; t < l->table.line[line + 1].first;
         t++)
        if (is_above(alignment_token(l, t), column)) return true;
    return false;
}

/* Whether the line is words above two columns at least, without figures. */
static bool is_over_columns(const struct alignment *l,
                            const struct table_heads *h, int line)
{
    int n = 0;
    for (int t = l->table.line[line].first; t < l->table.line[line + 1].first;
         t++)
        if (alignment_token(l, t)->figure) return false;
    for (int c = 0; c < h->n; c++)
        n += h->of[c] && is_over(l, chosen_occurrence(h->of[c]), line);
    return n >= 2;
}

static double distance(const struct alignment *l, int above, int below)
{
    const struct line *upper = l->table.line[above].print;
    const struct line *lower = l->table.line[below].print;
    return fabs(lower->y - upper->y) / fmax(upper->h, lower->h);
}

/* The page of the line. */
static int page_of_line(const struct alignment *l, int line)
{
    return alignment_token(l, l->table.line[line].first)->page;
}

/* The lines of the table's heading: from to before h->to; none if they are
 * equal. */
static void find_heading(const struct alignment *l, struct table_heads *h)
{
    int line = h->first - 1, least = h->first - HEADING_UP;
    while (line >= 0 && line >= least && !is_over_columns(l, h, line))
        line--;
    bool here = line >= 0 && page_of_line(l, line) == page_of_line(l, h->first);
    h->from = h->to = h->first;
    if (!here || line < least) return;
    h->to = line + 1;
    h->from = line;
    while (h->from > 0 && h->from > h->to - HEADING_UP &&
           page_of_line(l, h->from - 1) == page_of_line(l, h->first) &&
           is_over_columns(l, h, h->from - 1) &&
           distance(l, h->from - 1, h->from) < text_pitch)
        h->from--;
}

/* How well the heads above each column fit the key. */
static void fit_key(const struct alignment *l, struct table_heads *h, int key)
{
    for (int k = 0; k < h->n; k++)
        if (h->of[k])
            h->fit[key][k] = label_heading_fit(
                l, h->of[key], chosen_occurrence(h->of[k]), h->from, h->to);
}

static void fit_heads(const struct alignment *l, struct table_heads *h)
{
    for (int i = 0; i < h->n; i++)
        if (h->of[i]) fit_key(l, h, i);
}

static bool is_better(const struct table_heads *h, int key, int column)
{
    return h->fit[key][column] >= head_named &&
           h->fit[key][column] > h->fit[key][key] + clearly_better;
}

/* Whether the values of `key` are under a head that fits it less well than that of
 * `other`, whose values fit theirs no better: nor must they fit this one, if the
 * other head is just the key's name. */
static bool is_under_other(const struct table_heads *h, int key, int other)
{
    double mutual = h->fit[other][key] - h->fit[other][other];
    return is_better(h, key, other) &&
           (mutual > 0 ||
            (mutual >= 0 && h->fit[key][other] >= label_named_fully));
}

/* Whether the values of both keys are under the other's head. */
static bool are_exchanged(const struct table_heads *h, int i, int k)
{
    return i != k && h->of[i] && h->of[k] &&
           (is_under_other(h, i, k) || is_under_other(h, k, i));
}

/* --- codes and texts */

/* Whether the key of the column is named as a number, and most of its values are
 * none. */
static bool lacks_codes(const struct alignment *l, int table, int column)
{
    int n = 0, n_code = 0;
    bool named = false;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *a = &l->asking[i];
        if (!is_of(a, table, column)) continue;
        if (!cJSON_IsString(a->asked->value)) return false;
        n++;
        n_code += unit_is_code(a->asked->value->valuestring);
        named = wanted_has_meaning(a, "number");
    }
    return named && 2 * n_code < n;
}

/* Whether the column's texts are codes, although its key is not named so. */
static bool has_codes_only(const struct alignment *l, int table, int column)
{
    bool any = false;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *a = &l->asking[i];
        if (!is_of(a, table, column)) continue;
        if (!cJSON_IsString(a->asked->value) || a->canon.kind == CANON_DATE ||
            wanted_has_meaning(a, "number") ||
            !unit_is_code(a->asked->value->valuestring) ||
            strchr(a->asked->value->valuestring, ' '))
            return false;
        any = true;
    }
    return any;
}

/* --- amounts */

static bool is_named_amount(const struct wanted_value *a)
{
    static const char *const name[] = {"amount", "total", "price"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (wanted_has_meaning(a, name[i])) return true;
    return false;
}

/* Whether the number has more than one decimal: the price of a kilowatt hour. */
static bool has_more_decimals(double number)
{
    return fabs(number * 10 - round(number * 10)) > 1e-6;
}

/* Whether the column, of two numbers at least, is named as amounts, and all are printed
 * with one decimal at most; `other`: whether it is not named so, and all are amounts
 * with decimals. */
static bool has_form(const struct alignment *l, int table, int column,
                     bool other)
{
    int n = 0;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *a = &l->asking[i];
        if (!is_of(a, table, column)) continue;
        const struct table_figure *f =
            find_figure_at(l, a, chosen_occurrence(a));
        if (!cJSON_IsNumber(a->asked->value) || !f || f->percent ||
            is_named_amount(a) == other ||
            (f->canon.kind == CANON_AMOUNT) != other ||
            (other ? f->canon.form != FORM_DECIMALS
                   : has_more_decimals(a->asked->value->valuedouble)))
            return false;
        n++;
    }
    return n >= 2;
}

/* --- products */

enum factor { FACTOR_QUANTITY, FACTOR_PRICE, FACTOR_AMOUNT, N_FACTOR };

/* The only column whose key has the meaning, or -1. */
static int column_named(const struct table_heads *h, const char *word)
{
    int only = -1;
    for (int k = 0; k < h->n; k++) {
        if (!h->of[k] || !wanted_has_meaning(h->of[k], word)) continue;
        if (only >= 0) return -1;
        only = k;
    }
    return only;
}

static bool is_product(double a, double b, double product)
{
    return fabs(a * b - product) < tax_rounding;
}

/* In how many rows of the table column a times column b is column c, and not a times c
 * is b, as it is if a is 1; *against: in how many it is the other way round. */
static int n_products(const struct alignment *l, int table, int a, int b, int c,
                      int *against)
{
    const int column[N_FACTOR] = {a, b, c};
    double v[N_FACTOR];
    int row = -1, n = 0, n_product = 0;
    *against = 0;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *own = &l->asking[i];
        if (own->table != table || !cJSON_IsNumber(own->asked->value)) continue;
        if (own->row != row) n = 0;
        row = own->row;
        for (int k = 0; k < N_FACTOR; k++) {
            if (own->column != column[k]) continue;
            v[k] = own->asked->value->valuedouble;
            n++;
        }
        if (n < N_FACTOR) continue;
        n = 0;
        if (v[0] == 0 || v[1] == 0) continue;
        bool product = is_product(v[0], v[1], v[2]);
        bool other = is_product(v[0], v[2], v[1]);
        n_product += product && !other;
        *against += other && !product;
    }
    return n_product;
}

/* Whether the column's head is its key's. */
static bool is_headed(const struct table_heads *h, int column)
{
    return h->fit[column][column] >= head_named;
}

/* The columns of quantities, prices and amounts; false: there is none of one. */
static bool find_factors(const struct table_heads *h, int column[N_FACTOR])
{
    column[FACTOR_QUANTITY] = column_named(h, "quantity");
    column[FACTOR_PRICE] = column_named(h, "price");
    column[FACTOR_AMOUNT] = column_named(h, "amount");
    if (column[FACTOR_AMOUNT] < 0)
        column[FACTOR_AMOUNT] = column_named(h, "total");
    for (int k = 0; k < N_FACTOR; k++)
        if (column[k] < 0) return false;
    return true;
}

/* The column of amounts that are products, of which then no head says that they are
 * others: a quantity can be headed "Amount"; -1: none. */
static int find_products(const struct alignment *l, int table,
                         const struct table_heads *h)
{
    int column[N_FACTOR], against;
    if (!find_factors(h, column) ||
        n_products(l, table, column[FACTOR_QUANTITY], column[FACTOR_PRICE],
                   column[FACTOR_AMOUNT], &against) <= against)
        return -1;
    return column[FACTOR_AMOUNT];
}

/* Marks amounts, and prices or quantities, that are exchanged: in a row the other factor
 * times the amount is the price or the quantity, and in none their product is the amount;
 * unless their heads are their keys'. */
static void mark_products(const struct alignment *l, int table,
                          const struct table_heads *h, bool *wrong)
{
    int column[N_FACTOR], against;
    if (!find_factors(h, column)) return;
    int amount = column[FACTOR_AMOUNT];
    for (int k = 0; k < FACTOR_AMOUNT; k++) {
        int factor = column[k], other = column[FACTOR_PRICE - k];
        if (!n_products(l, table, other, factor, amount, &against) && against &&
            !(is_headed(h, factor) && is_headed(h, amount)))
            wrong[factor] = wrong[amount] = true;
    }
}

/* Marks the table's heading on the page, and its exchanged columns; false: it has
 * no value there. */
static bool mark_table(struct alignment *l, int table, int page,
                       bool *exchanged)
{
    struct table_heads h;
    bool wrong[COLUMNS_MOST] = {false}, lacks[COLUMNS_MOST],
         codes[COLUMNS_MOST], bare[COLUMNS_MOST], amounts[COLUMNS_MOST];
    read_columns(l, table, page, &h);
    if (!h.n) return false;
    find_heading(l, &h);
    for (int k = h.from; k < h.to; k++)
        l->of_table[k] = true;
    fit_heads(l, &h);
    int sure = find_products(l, table, &h);
    for (int i = 0; i < h.n; i++) {
        lacks[i] = lacks_codes(l, table, i);
        codes[i] = has_codes_only(l, table, i);
        bare[i] = has_form(l, table, i, false);
        amounts[i] = has_form(l, table, i, true);
    }
    for (int i = 0; i < h.n; i++)
        for (int k = 0; k < h.n; k++)
            wrong[i] |= (i != sure && k != sure && are_exchanged(&h, i, k)) ||
                        (lacks[i] && codes[k]) || (lacks[k] && codes[i]) ||
                        (bare[i] && amounts[k]) || (bare[k] && amounts[i]);
    mark_products(l, table, &h, wrong);
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *a = &l->asking[i];
        exchanged[i] |= a->table == table && a->column >= 0 &&
                        a->column < COLUMNS_MOST && wrong[a->column];
    }
    return true;
}

static void mark_rows(struct alignment *l, int table)
{
    for (int i = 0; i < l->n_asking; i++)
        if (l->asking[i].table == table && chosen_occurrence(&l->asking[i]))
            l->of_table[chosen_occurrence(&l->asking[i])->line] = true;
}

void doubt_columns(struct alignment *l, bool *exchanged)
{
    l->of_table =
        arena_array(l->arena, (size_t)l->table.n_line + 1, sizeof *l->of_table);
    for (int t = 0; t < l->n_table; t++) {
        bool any = false;
        for (int page = 0; page < l->n_page; page++)
            any |= mark_table(l, t, page, exchanged);
        if (any) mark_rows(l, t);
    }
}
