/* party_headings.c - headings over what belongs to one party: "Seller", and below it
 * "Name:", "Address:", "VAT no.:" (words_inside.h).
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/label.h"
#include "stages/print/thresholds.h"
#include "stages/words/blocks.h"

struct party_heading {
    int first;  /* token */
    bool spans; /* the page: alone on its line, in the middle */
    struct label_words words;
};

/* "Sold by" names a seller, not a customer. On a till's receipt it names the cashier, but
 * is no heading there. */
static void name_seller(const struct words_reading *r, struct label_words *p,
                        int from, int end)
{
    static const char *const by[] = {"by", "von", "par", "da", "por", "door"};
    bool found = false;
    for (int t = from; t < end; t++)
        for (size_t i = 0; i < sizeof by / sizeof *by; i++)
            found |= !strcmp(alignment_token(&r->l, t)->fold.byte, by[i]);
    for (int i = 0; found && i < p->n_meaning; i++)
        if (p->meaning[i] == meaning_of("customer"))
            p->meaning[i] = meaning_of("seller");
}

void party_headings_label(const struct words_reading *r, int first, int end,
                          struct label_words *p)
{
    int t = first + label_is_box_number(&r->l, first), from = t;
    while (t < end &&
           (t == from || *alignment_token(&r->l, t)->place->text != '('))
        label_add(&r->l, p, t++, 0);
    label_end(&r->l, p, from, t - 1);
    name_seller(r, p, from, t);
}

/* Whether the last part of the word is of a name that is asked for: "Rechnungsempfänger". */
static bool ends_with_name(const struct words_reading *r, int token)
{
    const struct folded *f = &alignment_token(&r->l, token)->fold;
    uint32_t own[MEANINGS_MAX];
    int n = f->n ? meaning_of_folded(f->byte, (size_t)f->n, own) : 0;
    bool ends = false;
    for (int i = 0; i < r->n_slot && n; i++) {
        const struct wanted_value *a = r->slot[i].wanted;
        ends = ends || meaning_shared(&own[n - 1], 1, a->path, a->n_path) ||
               meaning_shared(&own[n - 1], 1, a->meaning, a->n_meaning);
    }
    return ends;
}

bool party_headings_are_words(const struct words_reading *r, int first,
                              int last)
{
    const char *text = alignment_token(&r->l, first)->place->text;
    uint32_t number = meaning_of("number");
    struct label_words p = {.n_meaning = 0};
    party_headings_label(r, first, last + 1, &p);
    return !block_is_company(r, first, last) &&
           !meaning_shared(p.meaning, p.n_meaning, &number, 1) &&
           (first < last || strchr(text, ':') || ends_with_name(r, first));
}

/* Whether the words name an object of the schema. */
static bool names_object(const struct words_reading *r,
                         const struct label_words *p)
{
    for (int i = 0; i < r->n_slot; i++) {
        const struct leaf_slot *s = &r->slot[i];
        if (s->array < 0 && s->parent->string &&
            meaning_fit(s->wanted->path, s->wanted->n_path, p) >= label_named)
            return true;
    }
    return false;
}

static bool is_in_middle(const struct words_reading *r, int first, int end)
{
    const struct table_line *line =
        &r->l.table.line[alignment_token(&r->l, first)->line];
    const struct word *last = alignment_token(&r->l, end - 1)->place;
    double left = alignment_token(&r->l, first)->place->x;
    return line->first == first && line[1].first == end && left > middle_left &&
           fabs((left + last->x + last->w) / 2 - 0.5) < middle_most;
}

void party_headings_read(struct words_reading *r)
{
    for (int t = 0, end; t < r->l.table.n_token; t = end) {
        struct label_words p = {.n_meaning = 0};
        bool other = r->used[t];
        end = label_cell_end(&r->l, t);
        for (int k = t; k < end && !other; k++) {
            const char *colon =
                strchr(alignment_token(&r->l, k)->place->text, ':');
            other = (colon && (colon[1] || k < end - 1)) ||
                    k - t > HEADING_WORDS + LABEL_WORDS_MOST;
        }
        if (other) continue;
        party_headings_label(r, t, end, &p);
        if (!party_headings_are_words(r, t, end - 1)) continue;
        if (p.n_meaning && p.n_meaning <= HEADING_WORDS && names_object(r, &p))
            *ARENA_ADD(r->arena, r->heading, r->n_heading) =
                (struct party_heading){t, is_in_middle(r, t, end), p};
    }
}

/* Whether the token's cell, or one before it on its line, begins at x. */
static bool begins_line_at(const struct words_reading *r, int token, double x)
{
    int first = r->l.table.line[alignment_token(&r->l, token)->line].first;
    for (int t = label_cell_start(&r->l, token); t >= first;
         t = label_cell_start(&r->l, t - 1)) {
        if (fabs(alignment_token(&r->l, t)->place->x - x) <= loose_edge)
            return true;
        if (t == first) break;
    }
    return false;
}

/* The nearest heading over the line of the token with a cell below it, at its left; of
 * several beside one another the last. NULL: none. */
static const struct party_heading *heading_over(const struct words_reading *r,
                                                int token)
{
    const struct party_heading *best = NULL;
    const struct token *own = alignment_token(&r->l, token);
    double least = party_block, left = 0;
    for (int i = 0; i < r->n_heading; i++) {
        const struct token *t = alignment_token(&r->l, r->heading[i].first);
        double down = (own->place->y - t->place->y) / t->place->h;
        double x = r->heading[i].spans ? 0 : t->place->x;
        if (t->page != own->page || down <= 0.5 || down > least + 1 ||
            (!r->heading[i].spans &&
             (x > own->place->x + loose_edge || !begins_line_at(r, token, x))))
            continue;
        bool beside = best && fabs(down - least) <= 1;
        if (beside && x <= left) continue;
        best = &r->heading[i];
        least = fmin(least, down);
        left = x;
    }
    return best;
}

/* Whether an object of another name has a key like the slot's. */
static bool is_of_twin(const struct words_reading *r, const struct leaf_slot *s,
                       const struct label_words *p)
{
    for (int i = 0; i < r->n_slot; i++) {
        const struct leaf_slot *o = &r->slot[i];
        if (o->parent != s->parent && o->array < 0 && o->parent->string &&
            !strcmp(o->key, s->key) &&
            meaning_fit(o->wanted->path, o->wanted->n_path, p) >= label_named)
            return true;
    }
    return false;
}

enum party_heading_says party_headings_say(const struct words_reading *r,
                                           const struct leaf_slot *s, int token)
{
    const struct wanted_value *a = s->wanted;
    const struct party_heading *h =
        s->parent->string && a->n_path ? heading_over(r, token) : NULL;
    if (!h) return PARTY_HEADING_NONE;
    if (meaning_fit(a->path, a->n_path, &h->words) >= label_named)
        return PARTY_HEADING_OWN;
    int cell = label_cell_start(&r->l, token);
    double right = alignment_token(&r->l, cell)->place->x -
                   alignment_token(&r->l, h->first)->place->x;
    return (h->spans || right <= loose_edge) && is_of_twin(r, s, &h->words)
               ? PARTY_HEADING_OTHER
               : PARTY_HEADING_NONE;
}
