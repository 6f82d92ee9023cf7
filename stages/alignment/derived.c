/* derived.c - numbers that OCR misread, and that those which it read make
 * (doubt.h).
 *
 * A wrong number would have to be the product, the sum or the difference of two others
 * of its row, or of its column and the row above, in a line on which OCR is sure of no
 * other number; outside of tables, the sum of a column that is read in all rows. Of many
 * numbers some two make any. */
#include <math.h>

#include "stages/alignment/doubt.h"
#include "stages/alignment/find.h"
#include "stages/alignment/occurrence.h"
#include "stages/print/thresholds.h"

enum { KNOWN_MOST = 64 };

static const double cent = 0.01;

/* Numbers that are printed and that a value may be made of. */
struct printed_numbers {
    double value[KNOWN_MOST];
    int n;
};

static bool is_long(double value)
{
    double whole = fabs(value);
    return whole >= 99.5 || fabs(whole - round(whole)) > cent / 2;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= cent / 2 + 1e-7;
}

/* Whether one of the factors of the product is the value, and another last
 * digit of it would be another product. */
static bool is_factor(double value, double other, double product)
{
    double step = fabs(value - round(value)) > cent / 2 ? cent : 1;
    return is_near(value * other, product) && fabs(step * other) > cent;
}

/* Two of the three must be long: 2 x 3 = 6 proves nothing. */
static bool makes(double value, double a, double b)
{
    if (is_long(value) + is_long(a) + is_long(b) < 2) return false;
    for (double unit = 1; unit <= 100; unit *= 100) {
        bool alone = fabs(a) > 1 && fabs(b) > 1;
        if (is_near(value, a * b / unit) && (alone || unit > 1)) return true;
        if (is_factor(value, a / unit, b) || is_factor(value, b / unit, a))
            return true;
    }
    return is_near(value, a + b) || is_near(value, fabs(a - b)) ||
           is_near(-value, fabs(a - b));
}

static bool is_number(const struct wanted_value *a)
{
    return cJSON_IsNumber(a->asked->value) &&
           fabs(a->asked->value->valuedouble) > 0;
}

static bool is_read(const struct wanted_value *a)
{
    return is_number(a) && a->n_candidate && !a->misplaced;
}

static void add_known(struct printed_numbers *k, double value)
{
    if (k->n < KNOWN_MOST) k->value[k->n++] = value;
}

/* Whether the value is the sum of the column that begins with asking[first], which is
 * read in all rows. */
static bool is_sum_of(const struct alignment *l, int first, double value)
{
    const struct wanted_value *a = &l->asking[first];
    double sum = 0;
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *own = &l->asking[i];
        if (own->table != a->table || own->column != a->column) continue;
        if (i < first || !is_read(own)) return false;
        sum += own->asked->value->valuedouble;
    }
    return is_near(value, sum);
}

/* Collects the other numbers of the row, and the one above the value. */
static void read_row(const struct alignment *l, const struct wanted_value *a,
                     struct printed_numbers *k)
{
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *own = &l->asking[i];
        if (own->table != a->table || !is_read(own)) continue;
        if (own->row == a->row ||
            (own->row == a->row - 1 && own->column == a->column))
            add_known(k, own->asked->value->valuedouble);
    }
}

/* Whether a value of the row can be printed at the token, or another one is. */
static bool is_claimed(const struct alignment *l, const struct wanted_value *a,
                       int token)
{
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *own = &l->asking[i];
        bool of_row = own->table == a->table && own->row == a->row;
        for (int c = 0; c < own->n_candidate; c++)
            if ((of_row || own->chosen == c) &&
                occurrence_has_token(&own->candidate[c], token))
                return true;
    }
    return false;
}

/* Whether OCR is sure of a number on a line of the row that is no value. */
static bool has_other_number(const struct alignment *l,
                             const struct wanted_value *a)
{
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *own = &l->asking[i];
        if (own->table != a->table || own->row != a->row || !own->n_candidate)
            continue;
        int line = l->table.token[own->candidate->piece->token].line;
        for (int t = l->table.line[line].first;
             t < l->table.line[line + 1].first; t++)
            if (l->table.token[t].figure &&
                l->table.token[t].place->confidence >= (float)ocr_sure_least &&
                !is_claimed(l, a, t))
                return true;
    }
    return false;
}

/* Whether the number outside of tables is the sum of a column. */
static bool is_total(const struct alignment *l, double value)
{
    for (int i = 0; i < l->n_asking; i++)
        if (l->asking[i].table >= 0 && is_read(&l->asking[i]) &&
            is_sum_of(l, i, value))
            return true;
    return false;
}

static bool is_made(const struct printed_numbers *k, double value)
{
    for (int i = 0; i < k->n; i++)
        for (int j = i + 1; j < k->n; j++)
            if (makes(value, k->value[i], k->value[j])) return true;
    return false;
}

void derived_find(struct alignment *l)
{
    if (!find_is_ocr(l)) return;
    for (int i = 0; i < l->n_asking; i++) {
        struct wanted_value *a = &l->asking[i];
        if (!is_number(a) || is_read(a)) continue;
        struct printed_numbers row = {.n = 0};
        double value = a->asked->value->valuedouble;
        if (a->table >= 0) read_row(l, a, &row);
        a->derived = a->table < 0
                         ? is_total(l, value)
                         : is_made(&row, value) && !has_other_number(l, a);
    }
}
