/* blocks.c - names and addresses in blocks of lines (words_inside.h).
 *
 * A block is lines one below the other with one left edge (block.c). Under a
 * heading ("Bill to") it belongs to the object that the heading names; those without
 * one are the sender's and the recipient's by their signs (letterhead.c).
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"
#include "stages/words/blocks.h"

/* Whether a word of the label is in the name of another value: "account holder". */
static bool names_other(const struct words_reading *r,
                        const struct leaf_slot *s, const struct label_words *p)
{
    for (int i = 0; i < p->n_meaning; i++) {
        if (meaning_shared(&p->meaning[i], 1, s->wanted->path,
                           s->wanted->n_path))
            continue;
        if (meaning_shared(&p->meaning[i], 1, r->l.name, r->l.n_name))
            return true;
    }
    return false;
}

/* How well the words of a cell name the slot or its object. */
static double fit_of(const struct words_reading *r, const struct leaf_slot *s,
                     const struct label_words *p)
{
    const struct wanted_value *a = s->wanted;
    double own = words_print_fit(s, p);
    if (meaning_roles_of_label(p, a->kind) & ~a->excused ||
        names_other(r, s, p))
        return s->parent->string ? 0 : own;
    double of_object = meaning_fit(a->path, a->n_path, p);
    if (s->parent->string &&
        !meaning_shared(a->path, a->n_path, p->meaning, p->n_meaning))
        own = 0; /* "Name:" is anybody's */
    return fmax(own, of_object);
}

/* Whether both cells have words in parentheses: "Carrier (name, address)" above
 * "Transporteur (nom, adresse)". */
static bool is_explained(const struct words_reading *r, int upper, int lower)
{
    bool explained[2] = {false, false};
    for (int i = 0; i < 2; i++) {
        int first = i ? lower : upper, end = label_cell_end(&r->l, first);
        for (int t = first + 1; t < end; t++)
            explained[i] |= *alignment_token(&r->l, t)->place->text == '(';
    }
    return explained[0] && explained[1];
}

/* Whether print is close below the cell, in line with it or not: it is a head. */
static bool is_over_print(const struct words_reading *r, int first)
{
    int below = alignment_token(&r->l, first)->below;
    if (below < 0) return false;
    const struct word *a = alignment_token(&r->l, first)->place;
    const struct word *b = alignment_token(&r->l, below)->place;
    return b->y - a->y <= words_above_most * a->h &&
           !block_is_label_only(r, below, label_cell_end(&r->l, below) - 1);
}

/* Whether the cell can be a name: "3M Deutschland GmbH", but no label, no number. */
static bool is_name_cell(const struct words_reading *r, int first)
{
    int last = label_cell_end(&r->l, first) - 1;
    return !r->used[first] && last - first < NAME_WORDS &&
           (!words_print_has_digit(r, first, last) ||
            block_is_company(r, first, last)) &&
           !block_has_colon(r, first, last) &&
           !block_is_contact(r, first, last) &&
           !block_is_label_only(r, first, last);
}

/* Whether the line has a number or code of the party with its label, as it can be above
 * the name: "GLN 4333741000005", "Customer no. : 009420". */
static bool is_labelled_line(const struct words_reading *r, int first, int last)
{
    int end = r->l.table.line[alignment_token(&r->l, first)->line + 1].first;
    if (block_is_label_only(r, first, last))
        return last + 1 < end &&
               words_print_has_digit(r, last + 1,
                                     label_cell_end(&r->l, last + 1) - 1);
    return block_ends(r, first, last);
}

/* The cell that the heading in tokens first..end - 1, which names the slot, announces:
 * below it, in line with it, or beside it; -1: none. */
static int announced_by(const struct words_reading *r,
                        const struct leaf_slot *s, int first, int end)
{
    const struct alignment *l = &r->l;
    int below = block_next_line(r, first, label_above_most);
    if (below >= 0) { /* the same heading in another language */
        struct label_words p = {.n_meaning = 0};
        party_headings_label(r, below, label_cell_end(l, below), &p);
        if (fit_of(r, s, &p) >= label_named || is_explained(r, first, below))
            below = block_next_line(r, below, label_above_most);
    }
    int line_end = l->table.line[alignment_token(l, first)->line + 1].first;
    bool beside = end < line_end && !label_is_box_number(l, end) &&
                  !is_over_print(r, first);
    for (int t = below, n = 0; t >= 0 && n < LABELLED_LINES; n++) {
        if (is_name_cell(r, t)) return t;
        if (beside || !is_labelled_line(r, t, label_cell_end(l, t) - 1)) break;
        t = block_next_line(r, t, label_above_most);
    }
    return beside && is_name_cell(r, end) ? end : -1;
}

/* Whether the label names the slot's object. */
static bool names_object(const struct leaf_slot *s, const struct label_words *p)
{
    const struct wanted_value *a = s->wanted;
    return s->parent->string &&
           meaning_fit(a->path, a->n_path, p) >= label_named;
}

/* The cell that the heading which names the slot best announces, `within`: by its own
 * name below a heading of its object; -1: none. */
static int find_announced(const struct words_reading *r,
                          const struct leaf_slot *s, bool within)
{
    const struct alignment *l = &r->l;
    double best = label_named - 0.01;
    int found = -1;
    for (int t = 0, end; t < l->table.n_token; t = end) {
        struct label_words p = {.n_meaning = 0};
        end = label_cell_end(l, t);
        int start = t + label_is_box_number(l, t);
        if (r->used[t] || words_print_has_digit(r, start, end - 1)) continue;
        int from = start;
        while (from < end &&
               !strchr(alignment_token(l, from)->place->text, ':'))
            from++;
        int label_last = from < end ? from : end - 1;
        int words = label_last + 1 - start;
        if (words > LABEL_WORDS_MOST) words = LABEL_WORDS_MOST;
        party_headings_label(r, t, start + words, &p);
        enum party_heading_says says = party_headings_say(r, s, t);
        double fit = within ? words_print_fit(s, &p) : fit_of(r, s, &p);
        if (fit <= best || (within && says != PARTY_HEADING_OWN) ||
            (says == PARTY_HEADING_OTHER && !names_object(s, &p)) ||
            (!within && !party_headings_are_words(r, t, label_last)))
            continue;
        int at =
            label_last + 1 < end ? label_last + 1 : announced_by(r, s, t, end);
        if (at < 0 || r->used[at]) continue;
        best = fit;
        found = at;
    }
    return found;
}

static int announced(const struct words_reading *r, const struct leaf_slot *s)
{
    int at = find_announced(r, s, true);
    return at >= 0 ? at : find_announced(r, s, false);
}

/* Whether a label with a colon is below the block's name: "Ashley Medina" above "Phone:
 * 318-9486". */
static bool is_above_label(const struct words_reading *r,
                           const struct print_block *b)
{
    int below = block_next_line(r, b->first[0], label_above_most);
    return below >= 0 &&
           block_has_colon(r, below, label_cell_end(&r->l, below) - 1);
}

static void read_name(struct words_reading *r, struct leaf_slot *name)
{
    int at = announced(r, name);
    if (at < 0) return;
    struct print_block b;
    block_read(r, at, &b);
    if (!b.n || (party_slots_has_address(r, name) &&
                 !block_is_company(r, b.first[0], b.last[0]) &&
                 !block_is_before_address(r, &b) && !is_above_label(r, &b)))
        return;
    party_slots_take(r, name, party_slots_address(r, name), &b, BY_HEADING);
}

/* The address under a heading of its own: behind a name, if there is one. */
static void read_address(struct words_reading *r, struct leaf_slot *s)
{
    int at = announced(r, s);
    if (at < 0) return;
    struct print_block b;
    block_read(r, at, &b);
    int from = b.n && !words_print_has_digit(r, b.first[0], b.last[0]);
    const char *where = b.n > from ? block_address(r, &b, from) : NULL;
    if (!where || !strpbrk(where, "0123456789") || !slots_admit(r, s, where))
        return;
    for (int i = b.n - 1; i >= from; i--)
        words_print_take(r, s, BY_HEADING, where, b.first[i], b.last[i]);
}

/* The lines below the name, and below the same name elsewhere, that are its address.
 * False: there are none. */
static bool find_address(const struct words_reading *r,
                         const struct leaf_slot *name, struct print_block *b)
{
    for (int t = name->first, at = -1; t >= 0;
         t = at = block_find_again(r, name->first, name->last, at + 1)) {
        block_read(r, t, b);
        if (block_has_whole_address(r, b)) return true;
    }
    return false;
}

/* Takes the address under or behind the party's name in another place: in the line
 * above a window of the envelope, in the foot. */
static void read_address_elsewhere(struct words_reading *r,
                                   const struct leaf_slot *name)
{
    struct leaf_slot *address = party_slots_address(r, name);
    struct print_block b;
    if (!address || address->text || !find_address(r, name, &b)) return;
    const char *where = block_address(r, &b, b.n_name);
    for (int i = b.n_name; where && i < b.n && slots_admit(r, address, where);
         i++)
        words_print_take(r, address, BY_SIGNS, where, b.first[i], b.last[i]);
}

void blocks_read(struct words_reading *r)
{
    for (int i = 0; i < r->n_slot; i++)
        if (party_slots_is_name(r, &r->slot[i])) read_name(r, &r->slot[i]);
    letterhead_read(r);
    for (int i = 0; i < r->n_slot; i++)
        if (party_slots_is_text(&r->slot[i]) && r->slot[i].text) {
            read_address_elsewhere(r, &r->slot[i]);
            struct print_block b;
            if (party_slots_has_address(r, &r->slot[i]) &&
                address_parts_are_asked(r, &r->slot[i]) &&
                find_address(r, &r->slot[i], &b))
                address_parts_read(r, &r->slot[i], &b);
        }
    for (int i = 0; i < r->n_slot; i++)
        if (r->slot[i].kind == SLOT_ADDRESS && r->slot[i].array < 0 &&
            !r->slot[i].text)
            read_address(r, &r->slot[i]);
}
