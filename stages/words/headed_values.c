/* headed_values.c - values without labels below the heading of their object
 * (words_inside.h): "Pickup", and below it a place and a date.
 */
#include "stages/alignment/label.h"
#include "stages/alignment/wanted.h"
#include "stages/words/words_inside.h"

/* The only member of its kind that nothing was found for. */
static bool is_only_member(const struct words_reading *r,
                           const struct leaf_slot *s)
{
    for (int i = 0; i < r->n_slot; i++) {
        const struct leaf_slot *o = &r->slot[i];
        if (o != s && o->parent == s->parent && o->kind == s->kind &&
            (!o->text || s->kind == SLOT_TEXT))
            return false;
    }
    return s->array < 0 && !s->text && s->parent->string;
}

static bool is_open(const struct words_reading *r, const struct leaf_slot *s,
                    int first, int last)
{
    return words_print_is_free(r, first, last) &&
           !words_print_is_of_row(r, first) &&
           party_headings_say(r, s, first) == PARTY_HEADING_OWN;
}

/* The only date or amount below the heading. */
static void read_figure(struct words_reading *r, struct leaf_slot *s)
{
    const struct table_figure *only = NULL;
    for (int i = 0; i < r->l.table.n_figure; i++) {
        const struct table_figure *f = &r->l.table.figure[i];
        int first = f->piece->token, last = f->piece[f->n_piece - 1].token;
        bool fits = s->kind == SLOT_DATE
                        ? f->canon.kind == CANON_DATE && f->canon.year
                        : f->canon.kind == CANON_AMOUNT && !f->percent;
        if (!fits || r->is_part[i] || !is_open(r, s, first, last)) continue;
        if (only) return;
        only = f;
    }
    const char *text = !only                  ? NULL
                       : s->kind == SLOT_DATE ? words_print_date(r, only)
                                              : words_print_number(r, s, only);
    if (text && slots_admit(r, s, text))
        words_print_take(r, s, BY_POSITION, text, only->piece->token,
                         only->piece[only->n_piece - 1].token);
}

/* Whether a word is of no label. */
static bool has_plain_word(const struct words_reading *r, int first, int last)
{
    for (int t = first; t <= last; t++)
        if (alignment_token(&r->l, t)->fold.n > 2 && !label_is_word(&r->l, t))
            return true;
    return false;
}

/* The words of the first cell below the heading. */
static void read_text(struct words_reading *r, struct leaf_slot *s)
{
    for (int t = 0, end; t < r->l.table.n_token; t = end) {
        end = label_cell_end(&r->l, t);
        if (!is_open(r, s, t, end - 1)) continue;
        const char *text = words_print_text(r, t, end - 1);
        if (!words_print_has_digit(r, t, end - 1) &&
            has_plain_word(r, t, end - 1) && slots_admit(r, s, text))
            words_print_take(r, s, BY_POSITION, text, t, end - 1);
        return;
    }
}

void headed_values_read(struct words_reading *r)
{
    for (struct leaf_slot *s = r->slot; s < r->slot + r->n_slot; s++) {
        if (!is_only_member(r, s)) continue;
        if (s->kind == SLOT_DATE || s->kind == SLOT_NUMBER)
            read_figure(r, s);
        else if (s->kind == SLOT_TEXT &&
                 !wanted_has_meaning(s->wanted, "description")) /* a name */
            read_text(r, s);
    }
}
