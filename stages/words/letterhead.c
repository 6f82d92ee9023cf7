/* letterhead.c - sender and recipient by where their blocks are, and by their signs
 * (blocks.h).
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/alignment/wanted.h"
#include "stages/print/thresholds.h"
#include "stages/words/blocks.h"

static bool is_below_letterhead(const struct words_reading *r, int token)
{
    return alignment_token(&r->l, token)->place->y > letterhead;
}

/* Whether the token is between the letterhead and the foot, or of a table. */
static bool is_between(const struct words_reading *r, int token)
{
    const struct token *own = alignment_token(&r->l, token);
    return (own->place->y > letterhead && own->place->y < page_foot) ||
           r->l.of_table[own->line];
}

/* The next cell of the letterhead, or of the foot of the first page, from token *at on,
 * that is no label and is not used; -1: none. */
static int next_cell(const struct words_reading *r, int *at)
{
    const struct page_table *t = &r->l.table;
    while (*at < t->n_token) {
        int first = *at, end = label_cell_end(&r->l, first);
        *at = end;
        const struct token *own = alignment_token(&r->l, first);
        if (own->page) return -1;
        if (is_between(r, first)) continue;
        int last = block_part_end(r, first, end, true);
        if (r->used[first] || last - first >= NAME_WORDS ||
            (first == last && own->fold.n < 2) || /* of a form's box */
            words_print_has_digit(r, first, last) ||
            *alignment_token(&r->l, first)->place->text == '(' ||
            block_is_contact(r, first, last) ||
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
            !labelled_is_one_phrase(&r->l, item))
            return true;
    }
    return false;
}

/* Whether the name is that of one who gets the document or the goods. */
static bool is_of_recipient(const struct leaf_slot *s)
{
    return party_slots_is_of(s, "customer", "delivery");
}

/* Whether the name is that of one who sends the document, by its own name. */
static bool is_of_sender(const struct leaf_slot *s)
{
    return party_slots_is_of(s, "seller", "sender");
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
            (name && is_of_sender(s)))
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
    uint32_t billing[] = {meaning_of("invoice"), meaning_of("address")};
    for (int i = 0; i < r->l.labels.n; i++) {
        const struct labelled *item = &r->l.labels.item[i];
        const struct label_words *p = &item->label;
        if (item->first.token == token &&
            (meaning_shared(p->meaning, p->n_meaning, other, 2) ||
             meaning_shared(p->meaning, p->n_meaning, billing, 2) == 2))
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

/* Whether the block has the address: the letterhead of a sender, whose address is above
 * the window, too. */
static bool has_same_address(const struct words_reading *r,
                             const struct print_block *b,
                             const struct leaf_slot *address)
{
    return address && address->text &&
           strstr(fold_text(block_address(r, b, b->n_name), r->arena).byte,
                  fold_text(address->text, r->arena).byte);
}

static double height_of(const struct words_reading *r, int first, int last)
{
    double most = 0;
    for (int t = first; t <= last; t++)
        most = fmax(most, alignment_token(&r->l, t)->place->h);
    return most;
}

/* Whether the cell is all of the first line of the page. */
static bool is_first_line(const struct words_reading *r, int first, int last)
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

/* Whether the e-mail address or web page is no part of a sentence: it begins its cell, or
 * a sign, a number or a label is before it. */
static bool is_stated(const struct words_reading *r, int t)
{
    const struct token *own = alignment_token(&r->l, t);
    const char *before = t ? own[-1].place->text : "";
    return t == label_cell_start(&r->l, t) || !own[-1].fold.n ||
           strchr(":,;", before[strlen(before) - 1]) ||
           words_print_has_digit(r, t - 1, t - 1) ||
           label_is_word(&r->l, t - 1);
}

/* Whether the text is the word and more, but for case and signs. */
static bool begins_with(const char *text, const struct folded *word)
{
    int n = 0;
    for (; *text && n < word->n; text++)
        if (!strchr("-.", *text) &&
            tolower((unsigned char)*text) != (unsigned char)word->byte[n++])
            return false;
    return n == word->n;
}

/* Whether a part of the domain begins with the word. */
static bool has_part(const char *domain, const struct folded *word)
{
    while (*domain && !begins_with(domain, word)) {
        domain += strcspn(domain, "-.");
        domain += *domain != '\0';
    }
    return *domain;
}

static const char *domain_of(const struct words_reading *r, int t)
{
    return block_domain(alignment_token(&r->l, t)->place->text);
}

/* The e-mail addresses and web pages in the letterhead and the foot. */
static void find_domains(struct words_reading *r)
{
    r->domain = NULL;
    r->n_domain = 0;
    for (int t = 0; t < r->l.table.n_token; t++)
        if (domain_of(r, t) && !is_between(r, t) && is_stated(r, t))
            *ARENA_ADD(r->arena, r->domain, r->n_domain) = t;
}

/* Whether a domain begins with the name's first word, or a part of it does: in the
 * foot, or in the letterhead but under the block. */
static bool has_domain(const struct words_reading *r,
                       const struct print_block *b)
{
    const struct folded *own = &alignment_token(&r->l, b->first[0])->fold;
    bool has = false;
    for (int i = 0; own->n >= DOMAIN_LETTERS && i < r->n_domain && !has; i++)
        has = has_part(domain_of(r, r->domain[i]), own);
    return has;
}

/* A block that can be a party's. */
struct party_block {
    struct print_block b;
    int signs;      /* of the sender's */
    bool is_own;    /* it is where no recipient is */
    bool contact;   /* it can be reached */
    bool recipient; /* by a label */
    bool party;     /* a company, or with an address */
    bool address;   /* below the name */
};

/* The signs that the block is the sender's: it is the first, tall, a company, its
 * name is printed elsewhere, too, or it is where only senders are: in the foot, or with
 * its address on one line, as above the window of an envelope. In what OCR reads, logos
 * and handwriting are tall, so a company counts more. */
static void weigh(const struct words_reading *r, struct party_block *p,
                  bool is_first, bool in_foot)
{
    const struct print_block *b = &p->b;
    int first = b->first[0], last = b->last[0];
    bool ocr = r->l.page->words->source == WORDS_OF_OCR;
    bool company = block_is_company(r, first, last);
    bool domain = has_domain(r, b);
    p->address = block_has_whole_address(r, b);
    p->party = company || domain || block_is_before_address(r, b);
    p->is_own = p->address && (in_foot || is_one_line(r, b));
    p->contact = domain || (block_has_address(r, b) && has_contact(r, b));
    p->signs = is_first + (is_first && is_first_line(r, first, last)) +
               company * (ocr ? SENDER_SIGNS : 1) + SENDER_SIGNS * p->is_own +
               (!ocr && height_of(r, first, last) > taller * r->usual_height) +
               (block_find_again(r, first, last, 0) >= 0);
}

/* The next block of the letterhead, or with an address in the foot, that is not of a
 * party that was found, from token *at on; false: none. */
static bool next_party(const struct words_reading *r, int *at, int *n_cell,
                       struct party_block *p)
{
    int first;
    while ((first = next_cell(r, at)) >= 0) {
        bool in_foot = is_below_letterhead(r, first);
        p->recipient = is_recipient(r, first);
        block_read(r, first, &p->b);
        if (!block_settle_name(r, &p->b) || is_found_name(r, &p->b, true) ||
            (in_foot && !block_has_whole_address(r, &p->b)))
            continue;
        weigh(r, p, !in_foot && !p->recipient && (*n_cell)++ == 0, in_foot);
        return true;
    }
    return false;
}

/* Whether rows are above and below on its page. */
static bool is_within_table(const struct words_reading *r, int token)
{
    const struct page_table *t = &r->l.table;
    const struct token *own = alignment_token(&r->l, token);
    bool above = false, below = false;
    for (int i = 0; i < t->n_line; i++) {
        if (!r->l.of_table[i] ||
            alignment_token(&r->l, t->line[i].first)->page != own->page)
            continue;
        above |= i <= own->line;
        below |= i >= own->line;
    }
    return above && below;
}

/* The first company with an address on the pages, but for goods; false: none. */
static bool find_company(const struct words_reading *r, struct party_block *out)
{
    for (int t = 0, end; t < r->l.table.n_token; t = end) {
        end = label_cell_end(&r->l, t);
        if (r->used[t] || is_recipient(r, t)) continue;
        struct party_block p = {.signs = 2, .party = true, .address = true};
        block_read(r, t, &p.b);
        if (!p.b.n || !block_is_company(r, p.b.first[0], p.b.last[0]) ||
            block_is_label_only(r, p.b.first[0], p.b.last[0]) ||
            !block_has_whole_address(r, &p.b) || is_within_table(r, t))
            continue;
        *out = p;
        return true;
    }
    return false;
}

/* All such blocks without a recipient's label; their number. */
static int read_parties(const struct words_reading *r, struct party_block **out)
{
    struct party_block p;
    int at = 0, n_cell = 0, n = 0;
    *out = NULL;
    while (next_party(r, &at, &n_cell, &p))
        if (!p.recipient) *ARENA_ADD(r->arena, *out, n) = p;
    return n;
}

/* Whether a line of the block begins with the token. */
static bool has_line(const struct print_block *b, int token)
{
    bool has = false;
    for (int i = 0; i < b->n; i++)
        has |= b->first[i] == token;
    return has;
}

/* Whether the other block is above this one, or can be reached, too: a sender is above
 * whom it writes to, and that can be reached, too. Not if one is a part of the other, or
 * both names begin alike. */
static bool is_rival(const struct words_reading *r,
                     const struct print_block *own,
                     const struct party_block *other)
{
    const struct token *a = alignment_token(&r->l, own->first[0]);
    const struct token *b = alignment_token(&r->l, other->b.first[0]);
    const struct token *last =
        alignment_token(&r->l, other->b.first[other->b.n - 1]);
    return (other->contact || (other->address && last->line < a->line)) &&
           !has_line(own, other->b.first[0]) &&
           !has_line(&other->b, own->first[0]) &&
           strcmp(a->fold.byte, b->fold.byte) != 0;
}

/* Adds that a block can be reached to its signs, unless it may be a recipient's. */
static void add_contact(const struct words_reading *r, struct party_block *own,
                        const struct party_block *all, int n)
{
    bool alone = own->contact && !own->is_own;
    for (int i = 0; i < n && alone; i++)
        alone = !is_rival(r, &own->b, &all[i]);
    if (!alone) return;
    own->is_own = true;
    own->signs += SENDER_SIGNS;
}

/* The block with most signs of the sender's; the longer name that a company has in the
 * foot only if its address is asked for. If there are two blocks with addresses, or
 * the recipient is known or nobody asks for one, it is a party's, and no title. */
static struct party_block find_sender_block(const struct words_reading *r,
                                            bool of_two, bool addressed)
{
    struct party_block best[2] = {{.signs = 0},
                                  {.signs = 0}}; /* of all; no titles */
    struct party_block *all;
    int n = read_parties(r, &all), n_address = 0;
    for (int k = 0; k < n; k++) {
        struct party_block p = all[k];
        add_contact(r, &p, all, n);
        n_address += p.address;
        if (!addressed && is_below_letterhead(r, p.b.first[0]) && best[0].b.n &&
            is_longer_name(r, &p.b, &best[0].b))
            continue;
        for (int i = 0; i < 1 + p.party; i++) {
            bool longer = best[i].b.n && is_longer_name(r, &p.b, &best[i].b);
            int most = best[i].signs;
            if (best[i].b.n && p.signs <= most && !longer) continue;
            best[i] = p;
            if (most > p.signs) best[i].signs = most;
        }
    }
    struct party_block company;
    if (!best[1].b.n && find_company(r, &company)) return company;
    return best[1].b.n && (best[1].is_own || n_address >= 2 || !of_two)
               ? best[1]
               : best[0];
}

/* Whether the schema asks for the names of two parties, of which the first value can
 * be one, and the recipient's was not found. */
static bool asks_for_two(const struct words_reading *r)
{
    int n = 0;
    for (int i = 0; i < r->n_slot; i++) {
        const struct leaf_slot *s = &r->slot[i];
        if (party_slots_is_text(s) && s->text && is_of_recipient(s))
            return false;
        n += party_slots_is_text(s) && (i == 0 || party_slots_is_first(r, s) ||
                                        party_slots_has_address(r, s));
    }
    return n > 1;
}

/* Whether the name of a sender was found. */
static bool has_sender(const struct words_reading *r)
{
    bool has = false;
    for (int i = 0; i < r->n_slot; i++)
        has |= party_slots_is_text(&r->slot[i]) && r->slot[i].text &&
               is_of_sender(&r->slot[i]);
    return has;
}

/* The first block with an address, not the sender's (NULL: unknown), that can be a
 * recipient's; the sender's `own` (NULL: its name is known) only if there is no other,
 * and in doubt. False: none. */
static bool find_recipient_block(const struct words_reading *r,
                                 const struct party_block *own,
                                 const struct leaf_slot *senders,
                                 struct party_block *out)
{
    int at = 0, n_cell = 0;
    bool found = false;
    struct party_block p;
    while (next_party(r, &at, &n_cell, &p)) {
        if (!block_has_address(r, &p.b) || is_one_line(r, &p.b) ||
            is_below_letterhead(r, p.b.first[0]) ||
            is_found_name(r, &p.b, false) || has_same_address(r, &p.b, senders))
            continue;
        bool same = own && is_same_name(r, &p.b, &own->b);
        if (same && (found || own->is_own)) continue;
        *out = p;
        out->party = p.party && !same;
        found = true;
        if (!same) break;
    }
    return found;
}

void letterhead_read(struct words_reading *r)
{
    struct leaf_slot *sender = find_sender(r);
    size_t n_token = (size_t)r->l.table.n_token + 1;
    find_domains(r);
    r->addressed = arena_array(r->arena, n_token, sizeof *r->addressed);
    bool of_two = asks_for_two(r); /* a receipt is of one */
    struct party_block own = find_sender_block(
        r, of_two, sender && party_slots_has_address(r, sender));
    if (sender && own.b.n) {
        bool is_sure = own.is_own || (own.party && own.address) ||
                       (!of_two && is_of_sender(sender));
        party_slots_take(r, sender, party_slots_address(r, sender), &own.b,
                         is_sure && own.signs > 1 ? BY_SIGNS : BY_BEING_FIRST);
    }
    memset(r->addressed, 0, n_token); /* what was taken is in no other block */
    struct leaf_slot *recipient = find_recipient(r);
    bool others = own.b.n && recipient && is_of_recipient(recipient) &&
                  !has_sender(r); /* the letterhead is the sender's */
    struct party_block p;
    const struct leaf_slot *senders =
        sender ? party_slots_address(r, sender) : NULL;
    if (recipient && find_recipient_block(r, others ? &own : NULL, senders, &p))
        party_slots_take(r, recipient, party_slots_address(r, recipient), &p.b,
                         p.party ? BY_POSITION : BY_BEING_FIRST);
    r->addressed = NULL;
}
