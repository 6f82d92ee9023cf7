/* totals.c - what labels leave open and arithmetic or uniqueness decides
 * (words_inside.h).
 *
 * A base, the rate of it as tax, and their sum, all printed: no labels are needed, in
 * no language. And the only period that is printed is that of the two dates that the
 * schema asks for.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"
#include "stages/words/words_inside.h"

enum { AMOUNTS_MOST = 64, RATES_MOST = 16 };

enum total { NET, TAX, RATE, GROSS, N_TOTAL };

struct printed_number {
    const struct table_figure *figure;
    double value;
};

struct printed_totals {
    struct words_reading *r;
    struct leaf_slot *slot[N_TOTAL]; /* or NULL */
    struct printed_number amount[AMOUNTS_MOST], rate[RATES_MOST];
    int n_amount, n_rate;
    struct printed_number found[N_TOTAL];
    int n_found; /* different bases, taxes and sums */
};

/* Whether all meanings of the value are of these words, and the first is among them. */
static bool is_named(const struct wanted_value *a, const char *first,
                     const char *second)
{
    static const char *const any[] = {"amount", "invoice", "due", "payment"};
    uint32_t own = meaning_of(first), other = meaning_of(second);
    if (!meaning_shared(a->meaning, a->n_meaning, &own, 1)) return false;
    for (int i = 0; i < a->n_meaning; i++) {
        bool known = a->meaning[i] == own || a->meaning[i] == other;
        for (size_t k = 0; k < sizeof any / sizeof *any; k++)
            known = known || a->meaning[i] == meaning_of(any[k]);
        if (!known) return false;
    }
    return true;
}

static void find_slots(struct printed_totals *t)
{
    static const char *const name[N_TOTAL][2] = {[NET] = {"subtotal", ""},
                                                 [TAX] = {"tax", "total"},
                                                 [RATE] = {"tax", "percent"},
                                                 [GROSS] = {"total", ""}};
    for (int i = 0; i < t->r->n_slot; i++) {
        struct leaf_slot *s = &t->r->slot[i];
        bool rate = s->kind == SLOT_PERCENT;
        if (s->array >= 0 || (!rate && s->kind != SLOT_NUMBER)) continue;
        for (int k = 0; k < N_TOTAL; k++)
            if ((k == RATE) == rate && !t->slot[k] &&
                is_named(s->wanted, name[k][0], name[k][1]))
                t->slot[k] = s;
    }
}

static void read_numbers(struct printed_totals *t)
{
    const struct words_reading *r = t->r;
    const struct leaf_slot *any = t->slot[GROSS] ? t->slot[GROSS]
                                  : t->slot[NET] ? t->slot[NET]
                                                 : t->slot[TAX];
    for (int i = 0; any && i < r->l.table.n_figure; i++) {
        const struct table_figure *f = &r->l.table.figure[i];
        if (r->is_part[i] || f->canon.kind == CANON_DATE ||
            words_print_is_of_row(r, f->piece->token) ||
            (!f->percent && f->canon.kind != CANON_AMOUNT))
            continue;
        const char *text = words_print_number(r, any, f);
        if (!text) continue;
        struct printed_number number = {f, strtod(text, NULL)};
        if (f->percent && t->n_rate < RATES_MOST)
            t->rate[t->n_rate++] = number;
        else if (!f->percent && t->n_amount < AMOUNTS_MOST)
            t->amount[t->n_amount++] = number;
    }
}

static const struct printed_number *find_amount(const struct printed_totals *t,
                                                double value)
{
    for (int i = 0; i < t->n_amount; i++)
        if (fabs(t->amount[i].value - value) < tax_rounding / 2)
            return &t->amount[i];
    return NULL;
}

/* Notes a base, its tax and the sum of both, unless they are known. */
static void note(struct printed_totals *t, const struct printed_number *net,
                 const struct printed_number *rate)
{
    double tax = net->value * rate->value / 100;
    for (int i = 0; i < t->n_amount; i++) {
        const struct printed_number *own = &t->amount[i];
        const struct printed_number *sum =
            find_amount(t, net->value + own->value);
        if (own->value <= 0 || fabs(own->value - tax) > tax_rounding || !sum)
            continue;
        if (t->n_found && t->found[NET].value == net->value &&
            t->found[TAX].value == own->value)
            return;
        t->found[NET] = *net;
        t->found[TAX] = *own;
        t->found[RATE] = *rate;
        t->found[GROSS] = *sum;
        t->n_found++;
        return;
    }
}

/* Whether what a whole label, or a rounding, decided is not what the sum says. */
static bool contradicts(const struct printed_totals *t)
{
    for (int k = 0; k < N_TOTAL; k++)
        if (t->slot[k] && t->slot[k]->text &&
            (t->slot[k]->by == BY_LABEL || t->slot[k]->by == BY_SUM) &&
            fabs(strtod(t->slot[k]->text, NULL) - t->found[k].value) >
                tax_rounding)
            return true;
    return false;
}

/* Takes back what a part of a label decided, and the sum does not say: "total without
 * tax" is no tax. Not if what the sum says is another value. */
static void take_back(const struct printed_totals *t)
{
    for (int k = 0; k < N_TOTAL; k++) {
        struct leaf_slot *s = t->slot[k];
        if (!s || !s->text || t->r->used[t->found[k].figure->piece->token] ||
            fabs(strtod(s->text, NULL) - t->found[k].value) <= tax_rounding)
            continue;
        for (int i = s->first; i <= s->last; i++)
            t->r->used[i] = false;
        s->text = NULL;
    }
}

void totals_read(struct words_reading *r)
{
    struct printed_totals t = {.r = r};
    find_slots(&t);
    read_numbers(&t);
    for (int i = 0; i < t.n_rate; i++)
        for (int k = 0; k < t.n_amount; k++)
            if (t.amount[k].value > 0 && t.rate[i].value > 0)
                note(&t, &t.amount[k], &t.rate[i]);
    if (t.n_found != 1 || contradicts(&t)) return;
    take_back(&t);
    for (int k = 0; k < N_TOTAL; k++) {
        struct leaf_slot *s = t.slot[k];
        const struct table_figure *f = t.found[k].figure;
        int first = f ? f->piece->token : 0;
        const char *text = s && !s->text ? words_print_number(r, s, f) : NULL;
        if (text && !r->used[first] && slots_admit(r, s, text))
            words_print_take(r, s, BY_SUM, text, first,
                             f->piece[f->n_piece - 1].token);
    }
}

/* Whether a word of the line is for rounding. */
static bool is_rounding(const struct words_reading *r, int line)
{
    struct label_words p = {.n_meaning = 0};
    uint32_t rounding = meaning_of("rounding");
    for (int t = r->l.table.line[line].first;
         t < r->l.table.line[line + 1].first; t++)
        if (!alignment_token(&r->l, t)->figure) label_add(&r->l, &p, t, 0);
    return meaning_shared(&rounding, 1, p.meaning, p.n_meaning);
}

static const struct word *place_of(const struct words_reading *r,
                                   const struct printed_number *n)
{
    return alignment_token(&r->l, n->figure->piece->token)->place;
}

/* The next line below that has an amount; -1: none on the page. */
static int next_below(const struct printed_totals *t, int line)
{
    const struct words_reading *r = t->r;
    const struct token *own =
        alignment_token(&r->l, r->l.table.line[line].first);
    const struct printed_number *best = NULL;
    for (int i = 0; i < t->n_amount; i++) {
        int token = t->amount[i].figure->piece->token;
        double y = place_of(r, &t->amount[i])->y;
        if (alignment_token(&r->l, token)->page == own->page &&
            alignment_token(&r->l, token)->line != line && y > own->place->y &&
            (!best || y < place_of(r, best)->y))
            best = &t->amount[i];
    }
    return best ? alignment_token(&r->l, best->figure->piece->token)->line : -1;
}

/* Whether another amount above the line, or the sum of two, is that but for a
 * rounding. */
static bool is_rounded(const struct printed_totals *t, int line, double value)
{
    double most = value == floor(value) ? rounding_most : rounding_of_cents;
    for (int i = 0; i < t->n_amount; i++) {
        if (alignment_token(&t->r->l, t->amount[i].figure->piece->token)
                ->line >= line)
            continue;
        double left = value - t->amount[i].value;
        if (fabs(left) < most) return true;
        for (int m = 0; m < i; m++)
            if (t->amount[m].value > 0 &&
                fabs(left - t->amount[m].value) < most)
                return true;
    }
    return false;
}

void totals_read_rounded(struct words_reading *r)
{
    struct printed_totals t = {.r = r};
    find_slots(&t);
    read_numbers(&t);
    struct leaf_slot *s = t.slot[GROSS];
    for (int line = 0; s && !s->text && line < r->l.table.n_line; line++) {
        int next = is_rounding(r, line) ? next_below(&t, line) : -1;
        for (int i = 0; i < t.n_amount && next >= 0 && !s->text; i++) {
            const struct table_figure *f = t.amount[i].figure;
            int first = f->piece->token;
            const char *text = words_print_number(r, s, f);
            if (alignment_token(&r->l, first)->line == next &&
                !r->used[first] && is_rounded(&t, line, t.amount[i].value) &&
                text && slots_admit(r, s, text))
                words_print_take(r, s, BY_SUM, text, first,
                                 f->piece[f->n_piece - 1].token);
        }
    }
}

/* --- the only period */

/* The slots of a period that nothing was found for: two dates, one after the other,
 * with a name or an object in common. NULL: none, or several. */
static struct leaf_slot *find_period_slots(const struct words_reading *r)
{
    uint32_t date = meaning_of("date");
    struct leaf_slot *only = NULL;
    for (int i = 0; i + 1 < r->n_slot; i++) {
        struct leaf_slot *s = &r->slot[i], *next = s + 1;
        const struct wanted_value *a = s->wanted, *b = next->wanted;
        if (s->kind != SLOT_DATE || next->kind != SLOT_DATE || s->array >= 0 ||
            s->parent != next->parent || s->text || next->text || a->roles ||
            b->roles)
            continue;
        int shared =
            meaning_shared(a->meaning, a->n_meaning, b->meaning, b->n_meaning) -
            meaning_shared(a->meaning, a->n_meaning, &date, 1);
        uint32_t period = meaning_of("period");
        if (shared <= 0 && !meaning_shared(a->path, a->n_path, &period, 1))
            continue;
        if (only) return NULL;
        only = s;
    }
    return only;
}

/* Whether the second figure is a later date on the line of the first, with at most a
 * sign or a word between. */
static bool is_period(const struct words_reading *r,
                      const struct table_figure *from,
                      const struct table_figure *to)
{
    int last = from->piece[from->n_piece - 1].token;
    const char *begin = words_print_date(r, from),
               *end = words_print_date(r, to);
    return begin && end && strcmp(begin, end) < 0 && to->piece->token > last &&
           to->piece->token - last - 1 <= PERIOD_WORDS &&
           alignment_token(&r->l, last)->line ==
               alignment_token(&r->l, to->piece->token)->line;
}

void totals_read_period(struct words_reading *r)
{
    struct leaf_slot *s = find_period_slots(r);
    const struct table_figure *only[2] = {NULL, NULL};
    for (int i = 0; s && i < r->l.table.n_figure; i++) {
        const struct table_figure *f = &r->l.table.figure[i];
        for (int k = 0; k < r->l.table.n_figure; k++) {
            const struct table_figure *g = &r->l.table.figure[k];
            if (f->canon.kind != CANON_DATE || g->canon.kind != CANON_DATE ||
                r->is_part[i] || r->is_part[k] ||
                words_print_is_of_row(r, f->piece->token) ||
                !is_period(r, f, g))
                continue;
            if (only[0] && (only[0]->canon.key != f->canon.key ||
                            only[1]->canon.key != g->canon.key))
                return;
            only[0] = f;
            only[1] = g;
        }
    }
    for (int i = 0; only[0] && i < 2; i++) {
        const char *text = words_print_date(r, only[i]);
        int first = only[i]->piece->token;
        if (!r->used[first] && slots_admit(r, &s[i], text))
            words_print_take(r, &s[i], BY_BEING_ALONE, text, first,
                             only[i]->piece[only[i]->n_piece - 1].token);
    }
}
