/* sums.c - amounts that sums prove (doubt.h).
 *
 * If one is the sum of two others, or of a column of rows, then all are what
 * their keys say, whatever their labels: "Totaal excl. btw" is the net amount.
 */
#include "stages/alignment/doubt.h"
#include "stages/print/thresholds.h"
#include "vlm/base/exact_sum.h"
#include "vlm/json/json.h"

static bool read_amount(const struct wanted_value *a, struct exact_sum *out)
{
    const struct occurrence *c = chosen_occurrence(a);
    return cJSON_IsNumber(a->asked->value) && c && !a->any &&
           a->asked->value->valuedouble != 0 &&
           exact_sum_read(json_number(a->asked->value), out);
}

/* The amounts outside of tables. */
struct summands {
    struct wanted_value **of;
    struct exact_sum *value;
    int n;
};

static struct summands read_scalars(const struct alignment *l)
{
    size_t room = (size_t)l->n_asking + 1;
    struct summands s = {arena_array(l->arena, room, sizeof *s.of),
                         arena_array(l->arena, room, sizeof *s.value), 0};
    for (int i = 0; i < l->n_asking; i++)
        if (l->asking[i].table < 0 && read_amount(&l->asking[i], &s.value[s.n]))
            s.of[s.n++] = &l->asking[i];
    return s;
}

/* Whether they are printed at three places. */
static bool are_apart(const struct wanted_value *a,
                      const struct wanted_value *b)
{
    const struct piece *one = chosen_occurrence(a)->piece;
    const struct piece *two = chosen_occurrence(b)->piece;
    return one->token != two->token || one->from != two->from;
}

static void prove_pair(struct summands *s, int i, int k)
{
    struct exact_sum sum;
    if (!are_apart(s->of[i], s->of[k]) ||
        !exact_sum_add(s->value[i], s->value[k], &sum))
        return;
    for (int m = 0; m < s->n; m++)
        if (m != i && m != k && exact_sum_equals(sum, s->value[m]) &&
            are_apart(s->of[m], s->of[i]) && are_apart(s->of[m], s->of[k]))
            s->of[i]->summed = s->of[k]->summed = s->of[m]->summed = true;
}

/* The sum of a column; false: it has too few rows, or a value that was not
 * found. */
static bool sum_column(const struct alignment *l, int table, int column,
                       struct exact_sum *sum)
{
    int n = 0;
    *sum = (struct exact_sum){0, 0};
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *a = &l->asking[i];
        struct exact_sum own;
        if (a->table != table || a->column != column) continue;
        if (!read_amount(a, &own) || !exact_sum_add(*sum, own, sum))
            return false;
        n++;
    }
    return n >= SUMMED_ROWS;
}

static void prove_column(const struct alignment *l, const struct summands *s,
                         int table, int column)
{
    struct exact_sum sum;
    if (!sum_column(l, table, column, &sum)) return;
    const struct wanted_value *one = NULL;
    for (int m = 0; m < s->n; m++) /* two at the same print: one is wrong */
        if (exact_sum_equals(sum, s->value[m])) {
            if (one && !are_apart(one, s->of[m])) return;
            one = s->of[m];
        }
    for (int m = 0; m < s->n; m++)
        if (exact_sum_equals(sum, s->value[m])) s->of[m]->summed = true;
}

enum { SUMMED_MOST = 200, COLUMNS_MOST = 64 };

void sums_prove(struct alignment *l)
{
    struct summands s = read_scalars(l);
    for (int t = 0; t < l->n_table; t++)
        for (int c = 0; c < COLUMNS_MOST; c++)
            prove_column(l, &s, t, c);
    for (int i = 0; i < s.n && s.n <= SUMMED_MOST; i++)
        for (int k = i + 1; k < s.n; k++)
            prove_pair(&s, i, k);
}
