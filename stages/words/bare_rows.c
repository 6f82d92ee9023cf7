/* bare_rows.c - the rows of receipts, which have no heading (words_inside.h).
 *
 * A row is a text and, at the right, an amount; a whole number on the line is the
 * quantity, and an amount that times it gives the last one is the price of a unit. The
 * rows are lines one below the other above the first sum.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"
#include "stages/words/words_inside.h"
#include "vlm/base/exact_sum.h"

enum { FIGURES_MOST = 8 };

struct bare_row {
    int first, last; /* tokens of its text */
    const struct table_figure *amount, *quantity, *price;
    double right;
};

/* The slots of a row: its first text, its quantity, and its last one or two
 * numbers; of more numbers a line does not tell which is which. */
struct bare_slots {
    int text, quantity, price, amount;
    enum words_reason by;
};

static bool find_slots(const struct words_reading *r,
                       const struct slot_array *a, struct bare_slots *out)
{
    int n_number = 0;
    *out = (struct bare_slots){-1, -1, -1, -1, BY_SHAPE};
    for (int i = a->from; i < a->to; i++) {
        const struct leaf_slot *s = &r->slot[i];
        if (s->kind == SLOT_TEXT && out->text < 0) {
            out->text = i;
        } else if (s->kind == SLOT_NUMBER) {
            if (wanted_has_meaning(s->wanted, "quantity")) {
                out->quantity = i;
            } else {
                out->price = out->amount;
                out->amount = i;
                n_number++;
            }
        } else if (s->kind == SLOT_DATE) {
            return false;
        }
    }
    return out->text >= 0 && (n_number == 1 || n_number == 2);
}

static bool is_sum(const struct words_reading *r, int first, int last)
{
    return words_print_says(r, first, last, VOCABULARY_SUM) ||
           words_print_says(r, first, last, VOCABULARY_TAX) ||
           words_print_says(r, first, last, VOCABULARY_PAYMENT);
}

/* Whether quantity times price is the amount. */
static bool is_product(const struct words_reading *r, const struct leaf_slot *s,
                       const struct table_figure *quantity,
                       const struct table_figure *price,
                       const struct table_figure *amount)
{
    struct exact_sum q, p, a, product;
    const char *one = words_print_number(r, s, quantity);
    const char *two = words_print_number(r, s, price);
    const char *all = words_print_number(r, s, amount);
    return one && two && all && exact_sum_read(one, &q) &&
           exact_sum_read(two, &p) && exact_sum_read(all, &a) &&
           exact_sum_multiply(q, p, &product) && exact_sum_equals(product, a);
}

/* Reads a line of text and figures; false: it is no row. */
static bool read_row(const struct words_reading *r, const struct leaf_slot *s,
                     int line, struct bare_row *row)
{
    const struct table_figure *figure[FIGURES_MOST];
    int n = 0, first = r->l.table.line[line].first,
        end = r->l.table.line[line + 1].first;
    *row = (struct bare_row){-1, -1, NULL, NULL, NULL, 0};
    for (int t = first; t < end; t++) {
        int i = r->figure_at[t];
        const struct token *own = alignment_token(&r->l, t);
        if (r->used[t]) return false;
        if (i >= 0 && !r->is_part[i] && n < FIGURES_MOST)
            figure[n++] = &r->l.table.figure[i];
        bool word = !own->figure && own->fold.n > 1;
        if (word && row->first < 0) row->first = t;
        if (word && (row->last < 0 || own->part == own[-1].part)) row->last = t;
    }
    if (!n || row->first < 0 || figure[n - 1]->canon.kind != CANON_AMOUNT ||
        figure[n - 1]->percent || figure[n - 1]->piece->token < row->last)
        return false;
    row->amount = figure[n - 1];
    row->right = page_table_right(&r->l.table, row->amount);
    for (int i = 0; i + 1 < n; i++) {
        if (figure[i]->canon.kind == CANON_NUMBER && !figure[i]->percent)
            row->quantity = figure[i];
        for (int k = 0; k + 1 < n; k++)
            if (k != i && is_product(r, s, figure[i], figure[k], row->amount)) {
                row->quantity = figure[i];
                row->price = figure[k];
                return true;
            }
    }
    return true;
}

static void add_row(struct words_reading *r, struct slot_array *a,
                    const struct bare_slots *s, const struct bare_row *row)
{
    cJSON *value = cJSON_Duplicate(a->row, true);
    words_print_set(r, a, value, s->text, s->by,
                    words_print_text(r, row->first, row->last), row->first,
                    row->last);
    words_print_set_figure(r, a, value, s->amount, s->by, row->amount);
    words_print_set_figure(r, a, value, s->quantity, s->by, row->quantity);
    words_print_set_figure(r, a, value, s->price, s->by, row->price);
    cJSON_AddItemToArray(a->array, value);
    a->n_row++;
    words_print_use_line(r, alignment_token(&r->l, row->first)->line);
}

/* The line of the first sum; n_line: none. */
static int first_sum(const struct words_reading *r, const struct leaf_slot *s)
{
    struct bare_row row;
    for (int line = 0; line < r->l.table.n_line; line++)
        if (read_row(r, s, line, &row) && is_sum(r, row.first, row.last))
            return line;
    return r->l.table.n_line;
}

/* Whether the rows' amounts add up to that of the sum's line. */
static bool add_up(const struct words_reading *r, const struct leaf_slot *s,
                   const struct bare_row *row, int n, int sum)
{
    struct exact_sum all = {0, 0}, one;
    struct bare_row total;
    if (!read_row(r, s, sum, &total)) return false;
    for (int i = 0; i < n; i++) {
        const char *text = words_print_number(r, s, row[i].amount);
        if (!text || !exact_sum_read(text, &one) ||
            !exact_sum_add(all, one, &all))
            return false;
    }
    const char *text = words_print_number(r, s, total.amount);
    return text && exact_sum_read(text, &one) && exact_sum_equals(all, one);
}

void bare_rows_read(struct words_reading *r, struct slot_array *a)
{
    struct bare_slots slots;
    struct bare_row *row = NULL;
    int n = 0;
    if (!find_slots(r, a, &slots)) return;
    const struct leaf_slot *amount = &r->slot[slots.amount];
    int sum = first_sum(r, amount);
    if (sum == r->l.table.n_line) return;
    for (int line = sum - 1, below = sum; line >= 0; line--) {
        struct bare_row one;
        const struct line *upper = r->l.table.line[line].print;
        double down = r->l.table.line[below].print->y - upper->y;
        if (down > bare_pitch * upper->h) break;
        if (!read_row(r, amount, line, &one) ||
            is_sum(r, one.first, one.last) ||
            (n && fabs(one.right - row[n - 1].right) > loose_edge))
            continue;
        *ARENA_ADD(r->arena, row, n) = one;
        below = line;
    }
    if (add_up(r, amount, row, n, sum)) slots.by = BY_SUM;
    for (int i = n - 1; i >= 0; i--)
        add_row(r, a, &slots, &row[i]);
}
