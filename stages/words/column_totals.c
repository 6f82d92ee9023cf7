/* column_totals.c - totals that are printed below columns (table_values.h).
 *
 * A number below a column that is the sum of its cells is the column's total, and the
 * value of the key that says so: "total_hours" of "hours", "tenantTotal" of
 * "tenantShare"; "total_amount" of "amount" only if the column ends with it: below the
 * first sum can be taxes.
 */
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"
#include "stages/words/scalar_labels.h"
#include "stages/words/table_values.h"

static struct box box_of(const struct words_reading *r,
                         const struct table_figure *f)
{
    return page_table_box(&r->l.table, &f->piece[f->n_piece - 1]);
}

/* The sum of the column's cells, of at least two; false: some are no numbers. */
static bool add_up(const struct words_reading *r, const struct found_table *f,
                   int head, struct exact_sum *sum, struct box *last)
{
    const struct leaf_slot *s = &r->slot[f->head[head].slot];
    int n = 0;
    *sum = (struct exact_sum){0, 0};
    for (int i = 0; i < f->n_row; i++) {
        const struct table_cell *c = &f->row[i].cell[head];
        if (c->first < 0) continue;
        struct exact_sum one;
        if (!table_values_number(r, s, c, &one) ||
            !exact_sum_add(*sum, one, sum))
            return false;
        *last = box_of(r, table_values_figure(r, s, c));
        n++;
    }
    return n >= 2;
}

static int line_of(const struct words_reading *r, const struct table_figure *f)
{
    return alignment_token(&r->l, f->piece->token)->line;
}

/* Whether another amount is on the lines below the table, but for the total's: it may be
 * a tax, or a total of more. */
static bool has_more(const struct words_reading *r, int from,
                     const struct table_figure *total)
{
    for (int i = 0; i < r->l.table.n_figure; i++) {
        const struct table_figure *f = &r->l.table.figure[i];
        if (f->canon.kind == CANON_AMOUNT && line_of(r, f) >= from &&
            line_of(r, f) != line_of(r, total))
            return true;
    }
    return false;
}

/* Whether the words before the number are those of another value: "Subtotal". */
static bool has_other_label(const struct words_reading *r,
                            const struct leaf_slot *s,
                            const struct table_figure *f)
{
    bool crossed;
    struct label_words p = scalar_labels_beside(r, f->piece->token, &crossed);
    return p.n_meaning && words_print_fit(s, &p) < fit_least;
}

/* The number on the lines below the table that is the sum, in the column whose last
 * cell is `above`; or NULL. */
static const struct table_figure *printed_total(const struct words_reading *r,
                                                const struct found_table *f,
                                                const struct leaf_slot *s,
                                                struct exact_sum sum,
                                                struct box above)
{
    int from = f->row[f->n_row - 1].line + 1, end = from + TOTAL_LINES;
    for (int i = 0; i < r->l.table.n_figure; i++) {
        const struct table_figure *own = &r->l.table.figure[i];
        int line = line_of(r, own);
        struct box box = box_of(r, own);
        struct exact_sum value;
        if (r->is_part[i] || own->percent || r->used[own->piece->token] ||
            line < from || line >= end || box.x > above.x + above.w ||
            above.x > box.x + box.w)
            continue;
        const char *text = words_print_number(r, s, own);
        if (text && exact_sum_read(text, &value) &&
            exact_sum_equals(value, sum))
            return own;
    }
    return NULL;
}

/* Meanings that a total and its column share, but for those of any amount. */
static int n_shared(const struct wanted_value *total,
                    const struct wanted_value *column, bool ends)
{
    static const char *const any[] = {"total", "amount", "price"};
    int n = meaning_shared(total->meaning, total->n_meaning, column->meaning,
                           column->n_meaning);
    for (size_t i = 0; i < (ends ? 1 : sizeof any / sizeof *any); i++)
        n -= wanted_has_meaning(total, any[i]) &&
             wanted_has_meaning(column, any[i]);
    return n;
}

/* The only key of a total that shares most words with the column's; or NULL. */
static struct leaf_slot *total_of(struct words_reading *r,
                                  const struct leaf_slot *column, bool ends)
{
    struct leaf_slot *best = NULL;
    int most = 0;
    bool tie = false;
    for (struct leaf_slot *s = r->slot; s < r->slot + r->n_slot; s++) {
        if (s->array >= 0 || s->kind != SLOT_NUMBER || s->text ||
            !wanted_has_meaning(s->wanted, "total"))
            continue;
        int n = n_shared(s->wanted, column->wanted, ends);
        if (n < most || !n) continue;
        tie = n == most;
        most = n;
        best = s;
    }
    return tie ? NULL : best;
}

void column_totals_read(struct words_reading *r, const struct found_table *f)
{
    for (int h = 0; h < f->n_head; h++) {
        if (f->head[h].slot < 0) continue;
        const struct leaf_slot *column = &r->slot[f->head[h].slot];
        struct exact_sum sum;
        struct box last = {0, 0, 0, 0};
        if (column->kind != SLOT_NUMBER || !add_up(r, f, h, &sum, &last))
            continue;
        const struct table_figure *own = printed_total(r, f, column, sum, last);
        if (!own) continue;
        struct leaf_slot *s = total_of(r, column, false);
        if (!s && !has_more(r, f->row[f->n_row - 1].line + 1, own))
            s = total_of(r, column, true);
        if (!s || (!n_shared(s->wanted, column->wanted, false) &&
                   has_other_label(r, s, own)))
            continue;
        int end = own->piece[own->n_piece - 1].token;
        const char *text = words_print_number(r, s, own);
        if (slots_admit(r, s, text))
            words_print_take(r, s, BY_SUM, text, own->piece->token, end);
    }
}
