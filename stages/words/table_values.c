/* table_values.c - see table_values.h. */
#include "stages/words/table_values.h"

#include <math.h>
#include <string.h>

#include "stages/alignment/check_digits.h"
#include "stages/alignment/label.h"
#include "stages/alignment/unit.h"
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"

const struct table_figure *table_values_figure(const struct words_reading *r,
                                               const struct leaf_slot *s,
                                               const struct table_cell *c)
{
    const struct table_figure *f =
        words_print_figure(r, c->first, c->last, s->kind);
    return f || s->kind != SLOT_NUMBER
               ? f
               : words_print_figure(r, c->first, c->last, SLOT_PERCENT);
}

bool table_values_number(const struct words_reading *r,
                         const struct leaf_slot *s, const struct table_cell *c,
                         struct exact_sum *out)
{
    const struct table_figure *f =
        c->first < 0 ? NULL : table_values_figure(r, s, c);
    const char *text = f ? words_print_number(r, s, f) : NULL;
    return text && exact_sum_read(text, out);
}

/* "1,000", but not "m²" or "37-8278-R". */
static bool is_number(const struct words_reading *r, int t)
{
    const char *text = alignment_token(&r->l, t)->place->text;
    return *text >= '0' && *text <= '9' && !text[strspn(text, "0123456789.,'")];
}

/* The text of a cell without the number before or behind it: "10 pcs". */
static const char *text_beside(const struct words_reading *r,
                               const struct table_cell *c)
{
    int first = c->first, last = c->last;
    while (first <= last && is_number(r, first))
        first++;
    while (last >= first && is_number(r, last))
        last--;
    return first <= last ? words_print_text(r, first, last) : NULL;
}

/* Whether a key of the array is the quantity: then "9 days" is two values. */
static bool asks_for_quantity(const struct words_reading *r,
                              const struct slot_array *a)
{
    for (int i = a->from; i < a->to; i++)
        if (r->slot[i].kind == SLOT_NUMBER &&
            wanted_has_meaning(r->slot[i].wanted, "quantity"))
            return true;
    return false;
}

/* What stands in an empty cell. */
static bool is_dash(const char *text)
{
    static const char *const dash[] = {"-", "\u2013", "\u2014", "\u2212", "--"};
    bool is = false;
    for (size_t i = 0; i < sizeof dash / sizeof *dash; i++)
        is |= !strcmp(text, dash[i]);
    return is;
}

static const char *value_of(const struct words_reading *r,
                            const struct leaf_slot *s,
                            const struct table_head *h,
                            const struct table_cell *c)
{
    if (c->first < 0) return NULL;
    if (s->kind == SLOT_CODE && h->also >= 0)
        return words_print_has_digit(r, c->first, c->first)
                   ? words_print_text(r, c->first, c->first)
                   : NULL;
    if (!slots_is_figure(s->kind) &&
        (h->also >= 0 || (wanted_has_meaning(s->wanted, "unit") &&
                          asks_for_quantity(r, &r->array[s->array]))))
        return text_beside(r, c);
    if (!slots_is_figure(s->kind)) {
        const char *text = words_print_text(r, c->first, c->last);
        if (text[0] && text[strlen(text) - 1] == ':') return NULL; /* a label */
        if (is_dash(text)) return NULL;
        return c->more ? arena_text(r->arena, "%s %s", text, c->more) : text;
    }
    struct table_cell number = *c;
    while (h->also >= 0 && number.first < number.last &&
           !is_number(r, number.first))
        number.first++;
    if (h->also >= 0) number.last = number.first;
    const struct table_figure *f = table_values_figure(r, s, &number);
    if (!f) return NULL;
    if (s->kind == SLOT_DATE) return words_print_date(r, f);
    const char *text = words_print_number(r, s, f);
    return h->debit && text && *text != '-' ? arena_text(r->arena, "-%s", text)
                                            : text;
}

/* Whether the line that continues a row is no text: it has a date, or a code behind a
 * word with a sign: "Art.-Nr. NB64243". */
static bool is_detail(const struct words_reading *r,
                      const struct table_cell *more)
{
    if (words_print_figure(r, more->first, more->last, SLOT_DATE)) return true;
    const char *text = words_print_text(r, more->first, more->last);
    return unit_is_code(text) ||
           check_digits_are_right(text, CHECK_DIGITS_IBAN) ||
           (more->last > more->first &&
            strpbrk(alignment_token(&r->l, more->first)->place->text, ".:") &&
            unit_is_code(words_print_text(r, more->first + 1, more->last)));
}

/* Fills in the slot of a column. */
static void add_value(struct words_reading *r, const struct slot_array *a,
                      const struct table_head *h, struct table_cell cell,
                      int slot, cJSON *value)
{
    if (slot < 0 || cell.first < 0) return;
    words_print_set(r, a, value, slot, h->by,
                    value_of(r, &r->slot[slot], h, &cell), cell.first,
                    cell.last);
}

/* The key without a column whose label begins the tokens, up to a colon or a figure;
 * *from: the token after the label. -1: none. */
static int labelled_key(const struct words_reading *r,
                        const struct slot_array *a, const struct found_table *f,
                        int first, int last, int *from)
{
    struct label_words label = {.n_meaning = 0};
    int best = -1;
    double least = label_named;
    bool colon = false;
    for (int t = first;
         t < last && !colon && !alignment_token(&r->l, t)->figure; t++) {
        const char *text = alignment_token(&r->l, t)->place->text;
        colon = text[strlen(text) - 1] == ':';
        label_add(&r->l, &label, t, 0);
        for (int i = a->from; i < a->to; i++) {
            const struct leaf_slot *s = &r->slot[i];
            if (table_columns_head_of(f, i) >= 0 || s->parent != a->row)
                continue;
            double fit = words_print_fit(s, &label);
            if (colon && label.n_meaning &&
                meaning_shared(s->wanted->loose, s->wanted->n_loose,
                               label.meaning,
                               label.n_meaning) == label.n_meaning)
                fit = fmax(fit, label_named); /* in its description */
            if (fit < least) continue;
            best = i;
            least = fit;
            *from = t + 1;
        }
    }
    return best;
}

/* Whether the tokens are a label with a colon and what follows it. */
static bool has_colon(const struct words_reading *r, int first, int last)
{
    for (int t = first; t < last; t++) {
        const char *text = alignment_token(&r->l, t)->place->text;
        if (text[strlen(text) - 1] == ':') return true;
    }
    return false;
}

/* Fills in the keys without a column that labels in the line name: "Supplier item:
 * CN11897", "HS code 9026.20   Origin DE". Whether there are labels. */
static bool add_labelled(struct words_reading *r, struct slot_array *a,
                         const struct found_table *f,
                         const struct table_cell *more, cJSON *value)
{
    bool any = false;
    for (int t = more->first, end; t <= more->last; t = end) {
        end = label_cell_end(&r->l, t);
        int last = end - 1 < more->last ? end - 1 : more->last, from = t;
        int key = labelled_key(r, a, f, t, last, &from);
        any |= key >= 0 || has_colon(r, t, last);
        if (key < 0) continue;
        struct table_cell cell = {from, last, NULL};
        struct table_head none = {.slot = key, .also = -1, .by = BY_ORDER};
        add_value(r, a, &none, cell, key, value);
    }
    return any;
}

/* Fills in a key without a column from a line that continues the row: a code or dates
 * if it is a detail, else a text, behind `n` others. */
static void add_continued(struct words_reading *r, struct slot_array *a,
                          const struct found_table *f,
                          const struct table_cell *more, int n, cJSON *value)
{
    if (add_labelled(r, a, f, more, value)) return;
    bool detail = is_detail(r, more), done = false;
    int from = more->first, last = more->last;
    for (int i = a->from; i < a->to && !done; i++) {
        const struct leaf_slot *s = &r->slot[i];
        const char *text = NULL;
        if (table_columns_head_of(f, i) >= 0 || s->parent != a->row) continue;
        const struct table_figure *date = NULL;
        for (int t = from; t <= last && !date; t++)
            date = words_print_figure(r, t, t, SLOT_DATE);
        if (detail && s->kind == SLOT_DATE && date) {
            text = words_print_date(r, date);
            from = date->piece[date->n_piece - 1].token + 1;
        } else if (detail && !date &&
                   (s->kind == SLOT_CODE || s->kind == SLOT_IBAN)) {
            int first = more->first;
            while (first < last && !words_print_has_digit(r, first, first))
                first++;
            text = words_print_text(r, first, last);
            done = true;
        } else if (date && s->kind == SLOT_TEXT &&
                   wanted_has_meaning(s->wanted, "period")) {
            text = words_print_text(r, more->first, last);
            done = true;
        } else if (!detail && s->kind == SLOT_TEXT && n-- == 0) {
            text = words_print_text(r, more->first, last);
            done = true;
        }
        words_print_set(r, a, value, i, BY_ORDER, text, more->first,
                        more->last);
    }
}

/* Whether the lines that continue a text are a part of it: no details, and no key
 * without a column is theirs. */
static bool takes_more(const struct words_reading *r,
                       const struct slot_array *a, const struct found_table *f,
                       const struct table_cell *more)
{
    int from;
    if (more->first < 0 || is_detail(r, more) ||
        has_colon(r, more->first, more->last) ||
        labelled_key(r, a, f, more->first, more->last, &from) >= 0)
        return false;
    for (int i = a->from; i < a->to; i++)
        if (r->slot[i].kind == SLOT_TEXT && table_columns_head_of(f, i) < 0)
            return false;
    return true;
}

void table_values_add(struct words_reading *r, struct slot_array *a,
                      const struct found_table *f, const struct table_row *row)
{
    cJSON *value = cJSON_Duplicate(a->row, true);
    bool more = takes_more(r, a, f, row->more);
    for (int h = 0; h < f->n_head; h++) {
        struct table_cell cell = row->cell[h];
        if (!more) cell.more = NULL;
        add_value(r, a, &f->head[h], cell, f->head[h].slot, value);
        add_value(r, a, &f->head[h], cell, f->head[h].also, value);
    }
    for (int i = 0; i < MORE_LINES && row->more[i].first >= 0; i++)
        add_continued(r, a, f, &row->more[i], i, value);
    cJSON_AddItemToArray(a->array, value);
    a->n_row++;
}
