/* left_over_text.c - texts that no value uses (doubt.h).
 *
 * The lines of a block are of one thing: a name is above its address. And the
 * first line of a document says whose it is.
 */
#include <math.h>
#include <string.h>

#include "stages/alignment/doubt.h"
#include "stages/alignment/label.h"
#include "stages/alignment/wanted.h"

#define DIGITS "0123456789"

/* The whole cell at the token. */
static struct labelled cell_of(const struct alignment *l, int t)
{
    return (struct labelled){.first = {label_cell_start(l, t), 0, 0},
                             .last = label_cell_end(l, t) - 1};
}

/* Whether the cell is one that no value uses, and no label. */
static bool is_free_cell(const struct alignment *l, const struct labelled *cell)
{
    return !labelled_is_taken(l, cell) &&
           !label_is_word(l, cell->first.token) &&
           alignment_token(l, cell->first.token)->fold.n;
}

/* Whether the two are of one thing, as their keys say: of one object, or beside
 * one another, or with a word in common. */
static bool are_kin(const struct wanted_value *a, const struct wanted_value *b)
{
    uint32_t address = meaning_of("address");
    int same =
        meaning_shared(a->meaning, a->n_meaning, b->meaning, b->n_meaning);
    if (meaning_shared(a->meaning, a->n_meaning, &address, 1) &&
        meaning_shared(b->meaning, b->n_meaning, &address, 1))
        same--;
    if (*a->kin || *b->kin) return !strcmp(a->kin, b->kin);
    return same > 0 || a == b + 1 || b == a + 1;
}

/* The token that begins the line of a block above this one, or -1. */
static int line_above(const struct alignment *l, int token)
{
    int first = label_cell_start(l, token);
    for (int t = first - 1; t >= 0; t--) {
        int start = label_cell_start(l, t);
        if (alignment_token(l, t)->below == first &&
            labelled_are_close(l, start, first))
            return start;
    }
    return -1;
}

/* The token that begins the line of a block below this one, or -1. */
static int line_below(const struct alignment *l, int token)
{
    int first = label_cell_start(l, token);
    int below = alignment_token(l, first)->below;
    return below >= 0 && labelled_are_close(l, first, below) ? below : -1;
}

/* The line of the block of a text of the same thing: a name is above its address,
 * and what follows in the schema is below. False: none. */
static bool find_line(const struct alignment *l, const struct wanted_value *a,
                      struct labelled *out)
{
    for (int i = 0; i < l->n_asking; i++) {
        const struct wanted_value *b = &l->asking[i];
        const struct occurrence *c = chosen_occurrence(b);
        if (b->table >= 0 || b->kind != KIND_TEXT || !c || !are_kin(a, b))
            continue;
        bool above = a < b && strpbrk(b->asked->value->valuestring, DIGITS);
        bool below = a > b && wanted_has_meaning(a, "address");
        int t = above   ? line_above(l, c->piece->token)
                : below ? line_below(l, c->piece[c->n_piece - 1].token)
                        : -1;
        if (t < 0) continue;
        *out = cell_of(l, t);
        if (is_free_cell(l, out)) return true;
    }
    return false;
}

/* Whether no text is asked for before this one. */
static bool is_first_text(const struct alignment *l,
                          const struct wanted_value *a)
{
    for (const struct wanted_value *b = l->asking; b < a; b++)
        if (b->table < 0 && b->kind == KIND_TEXT) return false;
    return true;
}

/* The tallest cell of the first line, if no value uses a word of that line: whose
 * document it is. */
static bool find_letterhead(const struct alignment *l, struct labelled *out)
{
    double tall = 0;
    int end = l->table.n_line ? l->table.line[1].first : 0;
    for (int t = 0; t < end; t = label_cell_end(l, t)) {
        struct labelled cell = cell_of(l, t);
        if (labelled_is_taken(l, &cell)) return false;
        if (!is_free_cell(l, &cell) || alignment_token(l, t)->place->h <= tall)
            continue;
        tall = alignment_token(l, t)->place->h;
        *out = cell;
    }
    return tall > 0;
}

bool left_over_text(const struct alignment *l, const struct wanted_value *a,
                    struct labelled *out)
{
    return find_line(l, a, out) ||
           (is_first_text(l, a) && find_letterhead(l, out));
}
