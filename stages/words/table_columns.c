/* table_columns.c - see table_columns.h. */
#include "stages/words/table_columns.h"

#include <ctype.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/alignment/wanted.h"
#include "stages/print/currency.h"
#include "stages/print/vocabulary.h"

enum { SHORT_LEAST = 3 /* letters of an abbreviation */ };

int table_columns_head_of(const struct found_table *f, int slot)
{
    for (int h = 0; h < f->n_head; h++)
        if (f->head[h].slot == slot || f->head[h].also == slot) return h;
    return -1;
}

int table_columns_class_of_slot(const struct leaf_slot *s)
{
    if (s->kind == SLOT_DATE) return CLASS_DATE;
    return slots_is_figure(s->kind) ? CLASS_NUMBER : CLASS_TEXT;
}

/* The first token of the cell but for signs and the code of a currency. */
static int behind_signs(const struct words_reading *r,
                        const struct table_cell *c)
{
    int t = c->first;
    while (t < c->last &&
           (!alignment_token(&r->l, t)->fold.n ||
            currency_code(alignment_token(&r->l, t)->place->text)))
        t++;
    return t;
}

int table_columns_class(const struct words_reading *r,
                        const struct found_table *f, int head)
{
    int n[CLASS_DATE + 1] = {0}, best = 0;
    for (int i = 0; i < f->n_row; i++) {
        const struct table_cell *c = &f->row[i].cell[head];
        if (c->first < 0) continue;
        const struct table_figure *date =
            words_print_figure(r, c->first, c->last, SLOT_DATE);
        const struct table_figure *number =
            words_print_figure(r, c->first, c->last, SLOT_PERCENT);
        bool alone = number && !words_print_is_in_code(r, number) &&
                     number->piece->token == behind_signs(r, c) &&
                     number->piece[number->n_piece - 1].token >= c->last - 1;
        n[date    ? CLASS_DATE
          : alone ? CLASS_NUMBER
                  : CLASS_TEXT] +=
            i || (date && !date->canon.year) ? 1 : 2; /* the first is a row */
    }
    for (int k = CLASS_TEXT; k <= CLASS_DATE; k++)
        if (n[k] && (!best || n[k] > n[best])) best = k;
    return best;
}

bool table_columns_has_amounts(const struct words_reading *r,
                               const struct found_table *f, int head)
{
    int n = 0, n_amount = 0;
    for (int i = 0; i < f->n_row; i++) {
        const struct table_cell *c = &f->row[i].cell[head];
        const struct table_figure *own =
            c->first < 0
                ? NULL
                : words_print_figure(r, c->first, c->last, SLOT_NUMBER);
        n += c->first >= 0;
        n_amount += own && own->canon.kind == CANON_AMOUNT &&
                    own->piece->token == behind_signs(r, c);
    }
    return 2 * n_amount > n;
}

/* Whether the head or its percent signs say that the column is something else. The total
 * of a row is its amount. */
static bool is_of_other(const struct leaf_slot *s, const struct table_head *h)
{
    static const char *const no_rate[] = {"amount", "price", "total",
                                          "quantity"};
    const struct wanted_value *a = s->wanted;
    for (size_t i = 0; i < sizeof no_rate / sizeof *no_rate; i++)
        if (h->has_rates && s->kind == SLOT_NUMBER &&
            wanted_has_meaning(a, no_rate[i]))
            return true;
    uint32_t sum[] = {meaning_of("total"), meaning_of("subtotal")};
    return meaning_roles_of_label(&h->words, a->kind) & ~a->excused &
           ~meaning_roles(sum, 2);
}

/* Between two known columns, in the order of the schema, as many keys of a class as
 * columns of it: they are in the same order. */
static void assign_between(const struct words_reading *r, struct found_table *f,
                           int from, int to, int left, int right, int class)
{
    int slot[HEADS_MOST], head[HEADS_MOST], n_slot = 0, n_head = 0, n_own = 0;
    bool codes = class == CLASS_TEXT;
    for (int s = from; s < to; s++)
        codes = codes && r->slot[s].kind == SLOT_CODE;
    for (int s = from; s < to; s++)
        if (table_columns_class_of_slot(&r->slot[s]) == class &&
            n_slot < HEADS_MOST && r->slot[s].kind != SLOT_NONE)
            slot[n_slot++] = s;
    for (int h = left + 1; h < right; h++)
        n_own += f->head[h].slot < 0 && table_columns_class(r, f, h) == class;
    for (int h = left + 1; h < right; h++)
        if (f->head[h].slot < 0 &&
            (table_columns_class(r, f, h) == class ||
             (codes && (n_own != n_slot) &&
              table_columns_class(r, f, h) == CLASS_NUMBER &&
              !table_columns_has_amounts(r, f, h))))
            head[n_head++] = h;
    if (!n_slot || n_slot != n_head) return;
    for (int i = 0; i < n_slot; i++)
        if (is_of_other(&r->slot[slot[i]], &f->head[head[i]])) return;
    for (int i = 0; i < n_slot; i++) {
        f->head[head[i]].slot = slot[i];
        f->head[head[i]].by = BY_ORDER;
    }
}

static bool is_in_order(const struct found_table *f)
{
    int last = -1;
    for (int h = 0; h < f->n_head; h++) {
        if (f->head[h].slot < 0) continue;
        if (f->head[h].slot < last) return false;
        last = f->head[h].slot;
    }
    return true;
}

/* Takes keys from columns of another class: a number cannot be a column of words. */
static void drop_misfits(const struct words_reading *r, struct found_table *f)
{
    for (int h = 0; h < f->n_head; h++) {
        if (f->head[h].slot < 0) continue;
        int wanted = table_columns_class_of_slot(&r->slot[f->head[h].slot]);
        int class = table_columns_class(r, f, h);
        if (class && wanted != CLASS_TEXT && class == CLASS_TEXT)
            f->head[h].slot = -1;
    }
}

/* Whether the head has a percent sign. */
static bool says_percent(const struct words_reading *r,
                         const struct table_head *h)
{
    int end = h->first < 0 ? -1 : label_cell_end(&r->l, h->first);
    for (int t = h->first; t < end; t++)
        if (strchr(alignment_token(&r->l, t)->place->text, '%')) return true;
    return false;
}

bool table_columns_has_rates(const struct words_reading *r,
                             const struct found_table *f, int head)
{
    int n = 0, n_percent = 0;
    for (int i = 0; i < f->n_row; i++) {
        const struct table_cell *c = &f->row[i].cell[head];
        if (c->first < 0) continue;
        const struct table_figure *own =
            words_print_figure(r, c->first, c->last, SLOT_PERCENT);
        n++;
        n_percent += own && (own->percent || says_percent(r, &f->head[head]));
    }
    return 2 * n_percent > n;
}

/* Gives a rate the only column of percentages, if its own has none: a number that has
 * that column gets the rate's. */
static void move_rates(const struct words_reading *r,
                       const struct slot_array *a, struct found_table *f)
{
    for (int s = a->from; s < a->to; s++) {
        int own = table_columns_head_of(f, s), only = -1, n = 0;
        if (r->slot[s].kind != SLOT_PERCENT ||
            (own >= 0 && table_columns_has_rates(r, f, own)))
            continue;
        for (int h = 0; h < f->n_head; h++) {
            int other = f->head[h].slot;
            if ((other >= 0 && r->slot[other].kind != SLOT_NUMBER) ||
                !table_columns_has_rates(r, f, h))
                continue;
            only = h;
            n++;
        }
        if (n != 1) continue;
        if (own >= 0) f->head[own].slot = f->head[only].slot;
        f->head[only].slot = s;
    }
}

static bool has_word(const struct words_reading *r, const struct table_head *h,
                     enum vocabulary_line what)
{
    int end = h->first < 0 ? -1 : label_cell_end(&r->l, h->first);
    for (int t = h->first; t < end; t++) {
        const struct folded *word = &alignment_token(&r->l, t)->fold;
        if (word->n && vocabulary_is(word->byte, (size_t)word->n, what))
            return true;
    }
    return false;
}

/* Two columns, of what is paid out and in, are one number with a sign, if the
 * schema has no key for either. */
static void join_debits(const struct words_reading *r,
                        const struct slot_array *a, struct found_table *f)
{
    int debit = -1, credit = -1, slot = -1;
    for (int h = 0; h < f->n_head; h++) {
        if (f->head[h].slot >= 0) continue;
        if (has_word(r, &f->head[h], VOCABULARY_DEBIT)) debit = h;
        if (has_word(r, &f->head[h], VOCABULARY_CREDIT)) credit = h;
    }
    for (int s = a->from; s < a->to; s++)
        if (r->slot[s].kind == SLOT_NUMBER && table_columns_head_of(f, s) < 0)
            slot = slot < 0 ? s : a->to;
    if (debit < 0 || credit < 0 || slot < 0 || slot == a->to) return;
    f->head[debit].slot = f->head[credit].slot = slot;
    f->head[debit].debit = true;
}

bool table_columns_has_units(const struct words_reading *r,
                             const struct found_table *f, int head)
{
    int n = 0;
    for (int i = 0; i < f->n_row; i++) {
        const struct table_cell *c = &f->row[i].cell[head];
        n += c->first >= 0 && c->last > c->first &&
             words_print_has_digit(r, c->first, c->first) &&
             !isdigit((unsigned char)*alignment_token(&r->l, c->last)
                          ->place->text) && /* "39 m2" */
             alignment_token(&r->l, c->last)->fold.n;
    }
    return 2 * n > f->n_row;
}

/* The unit without a column stands behind the quantities. */
static void join_units(const struct words_reading *r,
                       const struct slot_array *a, struct found_table *f)
{
    for (int s = a->from; s < a->to; s++) {
        const struct wanted_value *own = r->slot[s].wanted;
        if (r->slot[s].kind != SLOT_TEXT || own->n_meaning != 1 ||
            !wanted_has_meaning(own, "unit") ||
            table_columns_head_of(f, s) >= 0)
            continue;
        for (int h = 0; h < f->n_head; h++) {
            struct table_head *head = &f->head[h];
            if (head->slot >= 0 && head->also < 0 &&
                wanted_has_meaning(r->slot[head->slot].wanted, "quantity") &&
                table_columns_has_units(r, f, h))
                head->also = s;
        }
    }
}

/* Gives the only number without a column, if it is no quantity, the only column of amounts
 * that are no rates. */
static void assign_amounts(const struct words_reading *r,
                           const struct slot_array *a, struct found_table *f)
{
    int slot = -1, head = -1, n_slot = 0, n_head = 0;
    for (int s = a->from; s < a->to; s++)
        if (r->slot[s].kind == SLOT_NUMBER && table_columns_head_of(f, s) < 0) {
            slot = s;
            n_slot++;
        }
    for (int h = 0; h < f->n_head; h++)
        if (f->head[h].slot < 0 && table_columns_has_amounts(r, f, h) &&
            table_columns_class(r, f, h) == CLASS_NUMBER &&
            !table_columns_has_rates(r, f, h)) {
            head = h;
            n_head++;
        }
    if (n_slot != 1 || n_head != 1 ||
        wanted_has_meaning(r->slot[slot].wanted, "quantity") ||
        is_of_other(&r->slot[slot], &f->head[head]))
        return;
    f->head[head].slot = slot;
    f->head[head].by = BY_ORDER;
}

/* Whether the head is short for the key: with a full stop, and its first letters, or some of
 * them, the first and the last one among them: "Bonif.", "Cdad.", "Base Amt." */
static bool is_short_for(const struct leaf_slot *s, const struct table_head *h)
{
    int own = 0, n = h->text.n, size = s->word.n;
    if (!h->stopped || n < SHORT_LEAST || n >= size ||
        h->text.byte[0] != s->word.byte[0])
        return false;
    if (!memcmp(h->text.byte, s->word.byte, (size_t)n)) return true;
    for (int i = 0; i < size && own < n; i++)
        own += h->text.byte[own] == s->word.byte[i];
    return own == n && h->text.byte[n - 1] == s->word.byte[size - 1];
}

/* Gives a key without a column the only one whose head is short for it, and for no other. */
static void assign_shortened(const struct words_reading *r,
                             const struct slot_array *a, struct found_table *f)
{
    for (int h = 0; h < f->n_head; h++) {
        int slot = -1, n = 0;
        for (int s = a->from; s < a->to && f->head[h].slot < 0; s++) {
            int class = table_columns_class(r, f, h);
            if (table_columns_head_of(f, s) >= 0 ||
                !is_short_for(&r->slot[s], &f->head[h]) ||
                (class && class != table_columns_class_of_slot(&r->slot[s])))
                continue;
            slot = s;
            n++;
        }
        for (int i = 0; i < f->n_head && n == 1; i++)
            n += i != h && f->head[i].slot < 0 &&
                 is_short_for(&r->slot[slot], &f->head[i]);
        if (n != 1) continue;
        f->head[h].slot = slot;
        f->head[h].by = BY_ORDER;
    }
}

/* Gives columns the keys that are left, by the classes of their cells and the order of the
 * schema. */
static void assign_by_order(const struct words_reading *r,
                            const struct slot_array *a, struct found_table *f)
{
    if (!is_in_order(f)) {
        for (int class = CLASS_TEXT; class <= CLASS_DATE; class ++) {
            int n = 0, only = -1;
            for (int s = a->from; s < a->to; s++)
                if (table_columns_class_of_slot(&r->slot[s]) == class &&
                    table_columns_head_of(f, s) < 0) {
                    n++;
                    only = s;
                }
            if (n == 1)
                assign_between(r, f, only, only + 1, -1, f->n_head, class);
        }
        return;
    }
    for (int from = a->from; from < a->to;) {
        int to = from;
        while (to < a->to && table_columns_head_of(f, to) < 0)
            to++;
        int left = from > a->from ? table_columns_head_of(f, from - 1) : -1;
        int right = to < a->to ? table_columns_head_of(f, to) : f->n_head;
        for (int class = CLASS_TEXT; class <= CLASS_DATE; class ++)
            assign_between(r, f, from, to, left, right, class);
        from = to + 1;
    }
}

void table_columns_assign(const struct words_reading *r,
                          const struct slot_array *a, struct found_table *f)
{
    drop_misfits(r, f);
    move_rates(r, a, f);
    join_debits(r, a, f);
    join_units(r, a, f);
    assign_by_order(r, a, f);
    assign_amounts(r, a, f);
    assign_shortened(r, a, f);
}
