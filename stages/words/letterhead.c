/* letterhead.c - sender and recipient by where their blocks are, and by their signs
 * (blocks.h).
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"
#include "stages/words/blocks.h"

/* The next cell of the letterhead, from token *at on, that is no label and is not
 * used; -1: none. */
static int next_cell(const struct words_reading *r, int *at)
{
    const struct page_table *t = &r->l.table;
    while (*at < t->n_token) {
        int first = *at, end = label_cell_end(&r->l, first);
        *at = end;
        const struct token *own = alignment_token(&r->l, first);
        if (own->page || own->place->y > letterhead || r->l.of_table[own->line])
            return -1;
        int last = block_part_end(r, first, end, true);
        if (r->used[first] || words_print_has_digit(r, first, last) ||
            *alignment_token(&r->l, first)->place->text == '(' ||
            block_has_colon(r, first, last) ||
            block_is_label_only(r, first, last))
            continue;
        return first;
    }
    return -1;
}

/* Whether a label on the pages names the slot: of a party's name its party, too.
 * "Hotel Miramar" is no label with a name. */
static bool has_label(const struct words_reading *r, const struct leaf_slot *s)
{
    const struct wanted_value *a = s->wanted;
    for (int i = 0; i < r->l.labels.n; i++) {
        const struct labelled *item = &r->l.labels.item[i];
        const struct label_words *p = &item->label;
        if (words_print_fit(s, p) >= label_named_fully &&
            (!s->parent->string ||
             meaning_shared(a->path, a->n_path, p->meaning, p->n_meaning)) &&
            !labelled_is_of_table(&r->l, item) &&
            !words_print_is_one_phrase(r, item))
            return true;
    }
    return false;
}

/* Whether the name is that of one who gets the document or the goods. */
static bool is_of_recipient(const struct leaf_slot *s)
{
    uint32_t other[] = {meaning_of("customer"), meaning_of("delivery")};
    const struct wanted_value *a = s->wanted;
    return meaning_shared(a->meaning, a->n_meaning, other, 2) ||
           meaning_shared(a->path, a->n_path, other, 2);
}

/* The slot of the sender's name: a seller, else the first of two names, else the first
 * value. */
static struct leaf_slot *find_sender(const struct words_reading *r)
{
    uint32_t sender[] = {meaning_of("seller"), meaning_of("sender")};
    struct leaf_slot *first = NULL;
    int n = 0;
    for (int i = 0; i < r->n_slot; i++) {
        struct leaf_slot *s = &r->slot[i];
        const struct wanted_value *a = s->wanted;
        bool name = party_slots_is_name(r, s);
        n += name;
        if (!party_slots_is_text(s) || s->text || has_label(r, s)) continue;
        if (meaning_shared(a->meaning, a->n_meaning, sender, 2) ||
            (name && meaning_shared(a->path, a->n_path, sender, 2)))
            return s;
        if (name && !first && !is_of_recipient(s)) first = s;
    }
    if (first && n > 1) return first;
    struct leaf_slot *s = r->slot;
    return r->n_slot && party_slots_is_text(s) && !s->text && !has_label(r, s)
               ? s
               : NULL;
}

/* The next name that has an address, or is a customer's. */
static struct leaf_slot *find_recipient(const struct words_reading *r)
{
    for (int i = 0; i < r->n_slot; i++) {
        struct leaf_slot *s = &r->slot[i];
        if (party_slots_is_name(r, s) && party_slots_has_address(r, s))
            return s;
    }
    return NULL;
}

/* Whether a label above or beside the cell is a customer's or of a delivery. */
static bool is_recipient(const struct words_reading *r, int token)
{
    uint32_t other[] = {meaning_of("customer"), meaning_of("delivery")};
    for (int i = 0; i < r->l.labels.n; i++) {
        const struct labelled *item = &r->l.labels.item[i];
        if (item->first.token == token &&
            meaning_shared(item->label.meaning, item->label.n_meaning, other,
                           2))
            return true;
    }
    return false;
}

static bool is_same_name(const struct words_reading *r,
                         const struct print_block *a,
                         const struct print_block *b)
{
    return !strcmp(fold_text(block_line_text(r, a, 0), r->arena).byte,
                   fold_text(block_line_text(r, b, 0), r->arena).byte);
}

/* Whether name and address are on one line, as a sender has them above a window. */
static bool is_one_line(const struct words_reading *r,
                        const struct print_block *b)
{
    return alignment_token(&r->l, b->first[0])->line ==
           alignment_token(&r->l, b->first[1])->line;
}

/* Whether the block's first line is the name of a party that was found; of customers
 * alone: goods can be delivered to the sender. */
static bool is_found_name(const struct words_reading *r,
                          const struct print_block *b, bool customers)
{
    uint32_t customer = meaning_of("customer");
    struct folded own = fold_text(block_line_text(r, b, 0), r->arena);
    for (int i = 0; i < r->n_slot; i++) {
        const struct leaf_slot *s = &r->slot[i];
        const struct wanted_value *a = s->wanted;
        bool fits = !customers ||
                    meaning_shared(a->meaning, a->n_meaning, &customer, 1) ||
                    meaning_shared(a->path, a->n_path, &customer, 1);
        if (fits && party_slots_is_text(s) && s->text &&
            !strcmp(fold_text(s->text, r->arena).byte, own.byte))
            return true;
    }
    return false;
}

static double height_of(const struct words_reading *r, int first, int last)
{
    double most = 0;
    for (int t = first; t <= last; t++)
        most = fmax(most, alignment_token(&r->l, t)->place->h);
    return most;
}

/* Whether the cell is all of the first line of the page. */
static bool is_alone(const struct words_reading *r, int first, int last)
{
    const struct table_line *line = r->l.table.line;
    return line[0].first == first && line[1].first == last + 1;
}

/* Whether the block's name is longer than the other's, and begins with it: a logo
 * above the name of the company. */
static bool is_longer_name(const struct words_reading *r,
                           const struct print_block *b,
                           const struct print_block *logo)
{
    int n = logo->last[0] - logo->first[0] + 1;
    return b->last[0] - b->first[0] >= n && b->first[0] > logo->last[0] &&
           block_find_again(r, logo->first[0], logo->last[0], b->first[0]) ==
               b->first[0];
}

/* Whether a way to write or call is on the lines below the name: who sends a document
 * wants to be reached. */
static bool has_contact(const struct words_reading *r,
                        const struct print_block *b)
{
    uint32_t phone = meaning_of("phone");
    int t = block_next_line(r, b->first[0], address_pitch);
    for (int n = 0; t >= 0 && n < CONTACT_LINES; n++) {
        struct label_words p = {.n_meaning = 0};
        label_add(&r->l, &p, t, 0);
        if (block_is_contact(r, t, label_cell_end(&r->l, t) - 1) ||
            meaning_shared(p.meaning, p.n_meaning, &phone, 1))
            return true;
        t = block_next_line(r, t, address_pitch);
    }
    return false;
}

/* The signs that the block is the sender's: it is the first, tall, a company, its
 * name is printed elsewhere, too, and it can be reached. In what OCR reads, logos and
 * handwriting are tall, so a company counts more. */
static int n_signs(const struct words_reading *r, const struct print_block *b,
                   bool is_first, double usual)
{
    int first = b->first[0], last = b->last[0], signs = is_first;
    bool ocr = r->l.page->words->source == WORDS_OF_OCR;
    signs += is_first && is_alone(r, first, last);
    signs += block_is_company(r, first, last) * (ocr ? 3 : 1);
    signs += !ocr && height_of(r, first, last) > taller * usual;
    signs += 3 * (block_has_address(r, b) && has_contact(r, b));
    return signs + (block_find_again(r, first, last, 0) >= 0);
}

/* The first company with an address anywhere on the pages, as in the foot; false:
 * none. */
static bool find_company(const struct words_reading *r, struct print_block *out)
{
    struct print_block b;
    for (int t = 0, end; t < r->l.table.n_token; t = end) {
        end = label_cell_end(&r->l, t);
        if (r->used[t] || is_recipient(r, t)) continue;
        block_read(r, t, &b);
        if (!b.n || !block_is_company(r, b.first[0], b.last[0]) ||
            block_n_numbers(r, &b) < 2 || !block_has_address(r, &b))
            continue;
        *out = b;
        return true;
    }
    return false;
}

/* The block with most signs of the sender's; returns their number. If there are two
 * blocks with addresses, or nobody asks for a recipient, it is one of them or a
 * company's, and not a title. */
static int find_sender_block(const struct words_reading *r, bool of_two,
                             struct print_block *out)
{
    struct print_block best[2] = {{.n = 0}, {.n = 0}}; /* of all; no titles */
    int at = 0, first, most[2] = {0, 0}, n_cell = 0, n_address = 0;
    double usual = r->usual_height;
    while ((first = next_cell(r, &at)) >= 0) {
        struct print_block b;
        if (is_recipient(r, first)) continue;
        block_read(r, first, &b);
        if (!block_settle_name(r, &b) || is_found_name(r, &b, true)) continue;
        int signs = n_signs(r, &b, n_cell++ == 0, usual);
        bool party = block_is_company(r, b.first[0], b.last[0]) ||
                     block_is_before_address(r, &b);
        n_address += block_n_numbers(r, &b) >= 2 && block_has_address(r, &b);
        for (int i = 0; i < 1 + party; i++) {
            bool longer = best[i].n && is_longer_name(r, &b, &best[i]);
            if (best[i].n && signs <= most[i] && !longer) continue;
            if (signs > most[i]) most[i] = signs;
            best[i] = b;
        }
    }
    int i = best[1].n && (n_address >= 2 || !of_two);
    *out = best[i];
    if (!best[1].n && find_company(r, out)) return 2;
    return most[i];
}

/* Whether the schema asks for the names of two parties, of which the first value can
 * be one. */
static bool asks_for_two(const struct words_reading *r)
{
    int n = 0;
    for (int i = 0; i < r->n_slot; i++)
        n += party_slots_is_text(&r->slot[i]) &&
             (i == 0 || party_slots_is_first(r, &r->slot[i]) ||
              party_slots_has_address(r, &r->slot[i]));
    return n > 1;
}

void letterhead_read(struct words_reading *r)
{
    int at = 0, first;
    struct print_block own, b;
    int signs = find_sender_block(r, asks_for_two(r), &own);
    struct leaf_slot *sender = own.n ? find_sender(r) : NULL;
    if (sender)
        party_slots_take(r, sender, party_slots_address(r, sender), &own,
                         signs > 1 ? BY_SIGNS : BY_BEING_FIRST);
    struct leaf_slot *recipient = find_recipient(r);
    while (recipient && (first = next_cell(r, &at)) >= 0) {
        if (own.n && signs > 1 && first == own.first[0]) continue;
        block_read(r, first, &b);
        if (!block_settle_name(r, &b) || b.n < 2 || !block_has_address(r, &b) ||
            is_one_line(r, &b) || is_found_name(r, &b, false) ||
            (own.n && is_same_name(r, &b, &own)))
            continue;
        party_slots_take(r, recipient, party_slots_address(r, recipient), &b,
                         BY_POSITION);
        return;
    }
}
