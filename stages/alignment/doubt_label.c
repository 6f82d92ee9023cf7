/* doubt_label.c - marks values whose print has another label
 * (doubt.h).
 *
 * A value whose print has another label, or whose label is at other print, may
 * be that other value.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/doubt.h"
#include "stages/alignment/label.h"
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"

/* Whether the value may be printed there. */
static bool has_candidate(const struct wanted_value *a,
                          const struct labelled *item)
{
    for (int i = 0; i < a->n_candidate; i++)
        if (labelled_covers(item, &a->candidate[i])) return true;
    return false;
}

/* How well the label names a value; of a date also what it is part of: the two of
 * a period share its label. */
static double fit_there(const struct wanted_value *a,
                        const struct label_words *p)
{
    double fit = wanted_fit(a, p);
    return a->kind == KIND_DATE ? fmax(fit, meaning_fit(a->path, a->n_path, p))
                                : fit;
}

/* Whether another value is there that the label names as well. */
static bool is_taken(const struct alignment *l, const struct wanted_value *a,
                     const struct labelled *item, double fit)
{
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        if (b != a && chosen_occurrence(b) &&
            labelled_covers(item, chosen_occurrence(b)) &&
            (b->summed || fit_there(b, &item->label) >
                              fmin(fit - clearly_better, label_named)))
            return true;
    }
    return false;
}

/* Whether the print is a label itself: that of the next box. */
static bool is_label(const struct alignment *l, const struct labelled *item)
{
    return !item->first.from && (label_is_word(l, item->first.token) ||
                                 label_is_box_number(l, item->first.token));
}

/* How well a label must name a value that has another: fully, unless its print is
 * left over, and is no text. */
static double named_least(const struct alignment *l,
                          const struct wanted_value *a,
                          const struct labelled *item)
{
    return a->kind == KIND_TEXT || labelled_is_taken(l, item)
               ? label_named_fully
               : label_named;
}

/* Whether the words are only the kind of the document: "Invoice", "TAX INVOICE". */
static bool is_title(const struct label_words *p)
{
    static const char *const kind[] = {"invoice", "receipt", "tax"};
    for (int i = 0; i < p->n_meaning; i++) {
        bool of_kind = false;
        for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
            of_kind |= p->meaning[i] == meaning_of(kind[k]);
        if (!of_kind) return false;
    }
    return p->n_meaning;
}

/* Whether the label, on the value's line, means something else altogether: a
 * reference for a sender. */
static bool is_unrelated(const struct wanted_value *a,
                         const struct labelled *item)
{
    const struct label_words *p = &item->label;
    bool is_known = a->kind == KIND_DATE
                        ? meaning_roles_of_kind(
                              meaning_roles(p->meaning, p->n_meaning), a->kind)
                        : meaning_is_known(p->meaning, p->n_meaning);
    return item->is_beside && a->kind != KIND_AMOUNT && is_known &&
           !is_title(p) &&
           (meaning_is_known(a->meaning, a->n_meaning) ||
            meaning_is_known(a->path, a->n_path)) &&
           wanted_fit(a, p) <= 0 &&
           !meaning_shared(a->loose, a->n_loose, p->meaning, p->n_meaning);
}

/* Whether a label with these roles is that of another value. */
static bool is_foreign(const struct wanted_value *a, unsigned found)
{
    unsigned more = found & ~a->excused, lacks = a->roles & ~found;
    if (a->kind != KIND_AMOUNT && (more & role_former)) return true;
    return more && lacks;
}

/* Whether a value without a role has a place with one, and `item` has none. */
static bool is_plainer(const struct wanted_value *a, unsigned own,
                       const struct labelled *item)
{
    unsigned other = meaning_roles_of_label(&item->label, a->kind);
    return !(a->roles & ~role_own) && (own & ~role_own & ~a->excused) &&
           !(other & ~role_own) && wanted_fit(a, &item->label) >= label_named;
}

/* That of the labels of the value's print which names it best. */
static struct label_words best_label(const struct alignment *l,
                                     const struct wanted_value *a)
{
    struct label_words best = label_of(l, chosen_occurrence(a));
    bool is_near = false;
    for (int i = 0; i < l->labels.n; i++)
        is_near |= labelled_covers(&l->labels.item[i], chosen_occurrence(a)) &&
                   !l->labels.item[i].is_far;
    if (is_near) best.n_meaning = 0;
    for (int i = 0; i < l->labels.n; i++)
        if (labelled_covers(&l->labels.item[i], chosen_occurrence(a)) &&
            !(is_near && l->labels.item[i].is_far) &&
            (!best.n_meaning ||
             wanted_fit(a, &l->labels.item[i].label) > wanted_fit(a, &best)))
            best = l->labels.item[i].label;
    return best;
}

/* Whether all labels of the value's print mean something else. */
static bool is_unrelated_there(const struct alignment *l,
                               const struct wanted_value *a)
{
    bool any = false;
    for (int i = 0; i < l->labels.n; i++) {
        if (!labelled_covers(&l->labels.item[i], chosen_occurrence(a)))
            continue;
        if (!is_unrelated(a, &l->labels.item[i])) return false;
        any = true;
    }
    return any;
}

static bool is_mislabelled(const struct alignment *l,
                           const struct wanted_value *a)
{
    const struct label_words label = best_label(l, a);
    unsigned given = meaning_roles_of_label(&label, a->kind);
    double own =
        fmax(wanted_fit(a, &label), label_fit(l, a, chosen_occurrence(a)));
    if (is_foreign(a, given) || is_unrelated_there(l, a)) return true;
    for (int i = 0; i < l->labels.n && own < label_named_fully; i++) {
        const struct labelled *item = &l->labels.item[i];
        double fit = wanted_fit(a, &item->label);
        bool better =
            (fit >= named_least(l, a, item) && fit > own + clearly_better) ||
            (fit > own && is_plainer(a, given, item));
        if (better && !is_label(l, item) && !labelled_is_of_table(l, item) &&
            labelled_can_be(l, item, a->kind) && !has_candidate(a, item) &&
            !is_foreign(a, meaning_roles_of_label(&item->label, a->kind)) &&
            !is_taken(l, a, item, fit))
            return true;
    }
    return false;
}

static bool any_digit(const struct alignment *l, int first, int last)
{
    for (int t = first; t <= last; t++)
        if (strpbrk(alignment_token(l, t)->place->text, "0123456789"))
            return true;
    return false;
}

/* Whether the lower cell is in the block of lines that begins with the upper. */
static bool is_in_block(const struct alignment *l, int upper, int lower)
{
    for (int n = 0, t = upper; n < BLOCK_LINES && t >= 0; n++) {
        int below = alignment_token(l, t)->below;
        if (t == lower) return true;
        t = below >= 0 && labelled_are_close(l, t, below) ? below : -1;
    }
    return false;
}

/* Whether another line of its block is left over, and the value is not in that
 * block: the name of one with the address of another. */
static bool is_out_of_block(const struct alignment *l,
                            const struct wanted_value *a)
{
    struct labelled line;
    if (a->kind != KIND_TEXT || !left_over_text_line(l, a, &line) ||
        has_candidate(a, &line) ||
        any_digit(l, line.first.token, line.last) !=
            !!strpbrk(a->asked->value->valuestring, "0123456789"))
        return false;
    int own = label_cell_start(l, chosen_occurrence(a)->piece->token);
    return !is_in_block(l, own, line.first.token) &&
           !is_in_block(l, line.first.token, own);
}

bool doubt_label(const struct alignment *l, const struct wanted_value *a)
{
    return a->table < 0 && chosen_occurrence(a) && !a->any &&
           !cJSON_IsNull(a->asked->value) &&
           (is_mislabelled(l, a) || is_out_of_block(l, a));
}
