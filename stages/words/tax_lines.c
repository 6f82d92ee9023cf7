/* tax_lines.c - the rows of taxes that are printed as lines (words_inside.h).
 *
 * "VAT 19 % of 2,231.10   423.91": a line with a percentage, and one or two amounts.
 * Of two, one times the rate is the other; a single one is the tax, if the line says
 * that it is about one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"
#include "stages/words/words_inside.h"

/* The slots of a row; -1: none. */
struct tax_slots {
    int rate, base, tax;
};

struct tax_line {
    const struct table_figure *rate, *base, *tax; /* base, tax: or NULL */
};

/* An array with a rate and at most two amounts, without texts and dates. */
static bool find_slots(const struct words_reading *r,
                       const struct slot_array *a, struct tax_slots *out)
{
    int n = 0;
    *out = (struct tax_slots){-1, -1, -1};
    for (int i = a->from; i < a->to; i++) {
        const struct leaf_slot *s = &r->slot[i];
        if (s->kind == SLOT_PERCENT && out->rate < 0)
            out->rate = i;
        else if (s->kind != SLOT_NUMBER || ++n > 2)
            return false;
        else if (wanted_has_meaning(s->wanted, "subtotal") && out->base < 0)
            out->base = i;
        else if (out->tax < 0)
            out->tax = i;
        else
            return false;
    }
    return out->rate >= 0 && out->tax >= 0;
}

static double number_of(const struct words_reading *r,
                        const struct leaf_slot *s, const struct table_figure *f)
{
    const char *text = words_print_number(r, s, f);
    return text ? strtod(text, NULL) : NAN;
}

/* Whether the rate of the base is the tax, to a cent. */
static bool is_tax_of(const struct words_reading *r, const struct leaf_slot *s,
                      const struct tax_line *line)
{
    double rate = number_of(r, s, line->rate);
    double base = number_of(r, s, line->base);
    return fabs(base * rate / 100 - number_of(r, s, line->tax)) < tax_rounding;
}

/* Reads a line outside of tables; false: it is none of a tax. */
static bool read_line(const struct words_reading *r, const struct leaf_slot *s,
                      int number, struct tax_line *out)
{
    const struct table_line *line = &r->l.table.line[number];
    const struct table_figure *amount[2];
    int n = 0;
    *out = (struct tax_line){NULL, NULL, NULL};
    for (int t = line->first; t < line[1].first; t++) {
        int i = r->figure_at[t];
        if (i < 0 || r->is_part[i]) continue;
        const struct table_figure *f = &r->l.table.figure[i];
        if (f->percent && out->rate) return false;
        if (f->percent)
            out->rate = f;
        else if (f->canon.kind == CANON_AMOUNT && n < 2)
            amount[n++] = f;
        else
            return false;
    }
    if (!out->rate || !n) return false;
    out->tax = amount[n - 1];
    if (n == 1)
        return words_print_says(r, line->first, line[1].first - 1,
                                VOCABULARY_TAX);
    out->base = amount[0];
    return is_tax_of(r, s, out);
}

/* Whether a row has the rate already: the line is printed twice. */
static bool has_rate(const struct words_reading *r, const struct slot_array *a,
                     int slot, const struct table_figure *rate)
{
    struct leaf_slot filled = r->slot[slot];
    const cJSON *row = NULL;
    bool found = false;
    filled.text = words_print_number(r, &filled, rate);
    cJSON *own = slots_value(&filled);
    cJSON_ArrayForEach(row, a->array)
    {
        found |= cJSON_Compare(
            cJSON_GetObjectItemCaseSensitive(row, filled.key), own, true);
    }
    cJSON_Delete(own);
    return found;
}

void tax_lines_read(struct words_reading *r, struct slot_array *a)
{
    struct tax_slots slots;
    if (!find_slots(r, a, &slots)) return;
    for (int i = 0; i < r->l.table.n_line; i++) {
        struct tax_line line;
        if (r->l.of_table[i] || !read_line(r, &r->slot[slots.tax], i, &line) ||
            has_rate(r, a, slots.rate, line.rate))
            continue;
        cJSON *row = cJSON_Duplicate(a->row, true);
        words_print_set_figure(r, a, row, slots.rate, BY_SUM, line.rate);
        words_print_set_figure(r, a, row, slots.base, BY_SUM, line.base);
        words_print_set_figure(r, a, row, slots.tax, BY_SUM, line.tax);
        cJSON_AddItemToArray(a->array, row);
        a->n_row++;
    }
}
