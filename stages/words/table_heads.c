/* table_heads.c - see table_heads.h. */
#include "stages/words/table_heads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/print/thresholds.h"

static bool is_first_text(const struct words_reading *r,
                          const struct leaf_slot *s)
{
    for (const struct leaf_slot *o = r->slot; o < s; o++)
        if (o->array == s->array && o->kind == SLOT_TEXT) return false;
    return s->kind == SLOT_TEXT;
}

/* Whether the head is the very word of the key, not only one of its meaning. */
static bool is_key(const struct leaf_slot *s, const struct table_head *h)
{
    return s->word.n && !strcmp(s->word.byte, h->text.byte);
}

/* How well the words of the head name the slot. */
static double fit_words(const struct leaf_slot *s, const struct label_words *p)
{
    const struct wanted_value *a = s->wanted;
    uint32_t meaning[MEANINGS_MAX];
    int n = words_print_meanings(s, meaning);
    double own = meaning_fit(meaning, n, p);
    if (s->kind == SLOT_PERCENT) { /* "VAT" is less its name than "VAT rate" */
        meaning_add(meaning, &n, meaning_of("percent"));
        own = fmax(own * less_usual, meaning_fit(meaning, n, p));
    }
    int known = meaning_shared(a->loose, a->n_loose, p->meaning, p->n_meaning);
    double loose = p->n_meaning ? label_loosely * known / p->n_meaning : 0;
    return fmax(own, loose);
}

double table_heads_fit(const struct leaf_slot *s, const struct table_head *h)
{
    double fit = fit_words(s, &h->words);
    for (int i = 0; i < 2; i++)
        if (h->line[i].n_meaning) fit = fmax(fit, fit_words(s, &h->line[i]));
    return fit + (is_key(s, h) ? same_word : 0);
}

/* Whether the cells below the head are of another class than the slot: dates for a
 * number, words for either, amounts for a code that the head does not name. */
static bool is_of_other_class(const struct leaf_slot *s,
                              const struct table_head *h, double fit)
{
    int wanted = table_columns_class_of_slot(s);
    bool text = s->kind == SLOT_CODE || s->kind == SLOT_TEXT;
    if (text && h->has_amounts && fit < label_named_fully) return true;
    return h->class && wanted != h->class &&
           (wanted != CLASS_TEXT || h->class == CLASS_DATE);
}

/* Whether the head names a code, too: numbers below it are codes, and no text. */
static bool is_of_code(const struct words_reading *r,
                       const struct slot_array *a, const struct table_head *h)
{
    for (int i = a->from; i < a->to; i++)
        if (r->slot[i].kind == SLOT_CODE &&
            table_heads_fit(&r->slot[i], h) >= head_named)
            return true;
    return false;
}

/* Whether another key of the array says more about what the slot is of: beside
 * "vat_rate" a column of percentages is not "vat". */
static bool has_narrower(const struct words_reading *r,
                         const struct slot_array *a, const struct leaf_slot *s)
{
    const struct wanted_value *own = s->wanted;
    for (int i = a->from; i < a->to; i++) {
        const struct wanted_value *o = r->slot[i].wanted;
        if (&r->slot[i] != s && slots_is_figure(r->slot[i].kind) &&
            own->n_meaning && o->n_meaning > own->n_meaning &&
            meaning_shared(own->meaning, own->n_meaning, o->meaning,
                           o->n_meaning) == own->n_meaning)
            return true;
    }
    return false;
}

/* Whether the head is the name of one of the array's keys. */
static bool is_named(const struct words_reading *r, const struct slot_array *a,
                     const struct table_head *h)
{
    for (int i = a->from; i < a->to; i++)
        if (table_heads_fit(&r->slot[i], h) >= label_named_fully) return true;
    return false;
}

/* Fills in how well each head names each slot. The name of the array is that of its
 * first text, "Deductions | Amount", if no head has its own; it is decided first. */
static void fit_heads(const struct words_reading *r, const struct slot_array *a,
                      const struct found_table *f, double *fit)
{
    for (int i = a->from; i < a->to; i++) {
        const struct leaf_slot *s = &r->slot[i];
        double *own = fit + (size_t)((i - a->from) * f->n_head), best = 0;
        for (int h = 0; h < f->n_head; h++) {
            own[h] = table_heads_fit(s, &f->head[h]);
            bool rate = f->head[h].has_rates && s->kind == SLOT_NUMBER &&
                        has_narrower(r, a, s);
            bool code = f->head[h].class == CLASS_NUMBER &&
                        s->kind == SLOT_TEXT && is_of_code(r, a, &f->head[h]);
            if (rate || code || is_of_other_class(s, &f->head[h], own[h]))
                own[h] = 0;
            best = fmax(best, own[h]);
        }
        for (int h = 0;
             best < head_named && is_first_text(r, s) && h < f->n_head; h++) {
            if (is_of_other_class(s, &f->head[h], 0)) continue;
            double of_array = meaning_fit(s->wanted->path, s->wanted->n_path,
                                          &f->head[h].words);
            if (of_array >= label_named && !is_named(r, a, &f->head[h]))
                own[h] = of_array + 1;
        }
    }
}

/* Whether values of the kind are one word with a digit. */
static bool is_short(enum slot_kind kind)
{
    return slots_is_figure(kind) || kind == SLOT_CODE;
}

/* Whether another slot or head fits as well as this pair, and has no other head or slot
 * that it fits as well, which is none of this pair's. A number and a text can share a
 * head. */
static bool is_tie(const struct leaf_slot *of, const double *fit, int n_slot,
                   int n_head, int slot, int head)
{
    double least = fit[slot * n_head + head] - 0.01;
    for (int h = 0; h < n_head; h++) {
        bool other = h == head || fit[slot * n_head + h] < least;
        for (int s = 0; s < n_slot && !other; s++)
            other = s != slot && fit[s * n_head + h] >= least &&
                    fit[s * n_head + head] < least;
        if (!other) return true;
    }
    for (int s = 0; s < n_slot; s++) {
        bool other = s == slot || fit[s * n_head + head] < least ||
                     is_short(of[s].kind) != is_short(of[slot].kind);
        for (int h = 0; h < n_head && !other; h++)
            other = h != head && fit[s * n_head + h] >= least &&
                    fit[slot * n_head + h] < least;
        if (!other) return true;
    }
    return false;
}

/* Takes a slot and a head out of the table of fits. */
static void take_out(double *fit, int n_slot, int n_head, int slot, int head)
{
    for (int h = 0; h < n_head; h++)
        fit[slot * n_head + h] = -1;
    for (int s = 0; s < n_slot && head >= 0; s++)
        fit[s * n_head + head] = -1;
}

/* Takes out the slot, and those of its class that the head fits as well. */
static void drop_tied(const struct words_reading *r, const struct slot_array *a,
                      double *fit, int n_head, int slot, int head)
{
    int n_slot = a->to - a->from;
    double least = fit[slot * n_head + head] - 0.01;
    int class = table_columns_class_of_slot(&r->slot[a->from + slot]);
    for (int s = 0; s < n_slot; s++)
        if (s == slot ||
            (fit[s * n_head + head] >= least &&
             table_columns_class_of_slot(&r->slot[a->from + s]) == class))
            take_out(fit, n_slot, n_head, s, -1);
}

double table_heads_assign(const struct words_reading *r,
                          const struct slot_array *a, struct found_table *f)
{
    int n_slot = a->to - a->from, n = 0;
    double sum = 0, middle = 0;
    double *fit =
        arena_array(r->arena, (size_t)(n_slot * f->n_head) + 1, sizeof *fit);
    fit_heads(r, a, f, fit);
    for (double least = head_named;;) {
        int best = -1;
        double nearest = 2;
        for (int i = 0; i < n_slot * f->n_head; i++) {
            double far = n ? fabs(f->head[i % f->n_head].left - middle / n) : 0;
            if (n_slot == f->n_head) /* "Art | Bezeichnung" may both be texts */
                far = abs(i / f->n_head - i % f->n_head);
            if (fit[i] < least ||
                (best >= 0 && (fit[i] < fit[best] ||
                               (fit[i] == fit[best] && far >= nearest))))
                continue;
            best = i;
            nearest = far;
        }
        if (best < 0 && (least == description_fit || !n)) break;
        if (best < 0) { /* by descriptions */
            least = description_fit;
            continue;
        }
        int slot = best / f->n_head, head = best % f->n_head;
        if (fit[best] < label_named_fully &&
            is_tie(&r->slot[a->from], fit, n_slot, f->n_head, slot, head)) {
            drop_tied(r, a, fit, f->n_head, slot, head);
            continue;
        }
        f->head[head].slot = a->from + slot;
        middle += f->head[head].left;
        sum += fmin(fit[best], 1) *
               (slots_is_figure(r->slot[a->from + slot].kind) ? head_of_figures
                                                              : 1);
        n++;
        take_out(fit, n_slot, f->n_head, slot, head);
    }
    return sum;
}

void table_heads_share(const struct words_reading *r,
                       const struct slot_array *a, struct found_table *f)
{
    for (int i = a->from; i < a->to; i++) {
        const struct leaf_slot *s = &r->slot[i];
        const struct wanted_value *own = s->wanted;
        for (int h = 0; h < f->n_head && table_columns_head_of(f, i) < 0; h++) {
            struct table_head *head = &f->head[h];
            bool named = own->n_meaning &&
                         meaning_shared(
                             own->meaning, own->n_meaning, head->words.meaning,
                             head->words.n_meaning) == own->n_meaning;
            bool cells = head->has_units || head->class == CLASS_TEXT;
            if (named && cells && head->slot >= 0 && head->also < 0 &&
                is_short(s->kind) != is_short(r->slot[head->slot].kind))
                head->also = i;
        }
    }
}
