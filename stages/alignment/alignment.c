/* alignment.c - see alignment.h. */
#include "stages/alignment/alignment.h"

#include <string.h>

#include "stages/alignment/assign.h"
#include "stages/alignment/doubt.h"
#include "stages/alignment/find.h"
#include "stages/alignment/label.h"
#include "stages/alignment/occurrence.h"
#include "stages/alignment/wanted.h"
#include "vlm/base/buf.h"
#include "vlm/json/json_pointer.h"

/* --- the result */

static int n_lines(const struct alignment *l, const struct occurrence *c)
{
    int n = 1;
    for (int i = 1; i < c->n_piece; i++)
        n += l->table.token[c->piece[i].token].line !=
             l->table.token[c->piece[i - 1].token].line;
    return n;
}

static void grow(struct box *box, struct box other)
{
    double right = box->x + box->w, foot = box->y + box->h;
    if (other.x + other.w > right) right = other.x + other.w;
    if (other.y + other.h > foot) foot = other.y + other.h;
    if (other.x < box->x) box->x = other.x;
    if (other.y < box->y) box->y = other.y;
    box->w = right - box->x;
    box->h = foot - box->y;
}

/* The pieces from `first` on that are on one line; *next is after them. */
static struct place_line line_of(const struct alignment *l,
                                 const struct occurrence *c, int first,
                                 int *next)
{
    const struct token *token = &l->table.token[c->piece[first].token];
    int line = token->line, i = first;
    struct place_line out = {.box =
                                 page_table_place(&l->table, &c->piece[first]),
                             .line = line,
                             .source = token->place->confidence < 1
                                           ? WORDS_OF_OCR
                                           : l->page[token->page].words->source,
                             .confidence = token->place->confidence};
    for (; i < c->n_piece && l->table.token[c->piece[i].token].line == line;
         i++) {
        const struct word *word = l->table.token[c->piece[i].token].place;
        grow(&out.box, page_table_place(&l->table, &c->piece[i]));
        if (word->confidence < out.confidence)
            out.confidence = word->confidence;
    }
    out.text = occurrence_text(l, c->piece + first, i - first);
    *next = i;
    return out;
}

struct print_place alignment_place_of(const struct alignment *l,
                                      const struct occurrence *c)
{
    struct place_line *line =
        arena_array(l->arena, (size_t)n_lines(l, c), sizeof *line);
    int n = 0;
    for (int i = 0; i < c->n_piece;)
        line[n++] = line_of(l, c, i, &i);
    return (struct print_place){
        .page = l->page[l->table.token[c->piece->token].page].number,
        .line = line,
        .n_line = n,
        .match = c->match,
        .distance = c->distance};
}

/* Notes what the words of the pages mean. */
static void read_meanings(struct alignment *l)
{
    l->said_read = true;
    for (int t = 0; t < l->table.n_token; t++) {
        struct label_words p = {.n_meaning = 0};
        label_add(l, &p, t, 0);
        for (int i = 0; i < p.n_meaning; i++)
            *ARENA_ADD(l->arena, l->said, l->n_said) = p.meaning[i];
    }
}

/* Whether the value is one of an enumeration that is not printed itself, but a word of the
 * pages means one of its words: the schema's words are not the document's. */
static bool is_meant(struct alignment *l, const struct wanted_value *a)
{
    uint32_t own[MEANINGS_MAX];
    if (!a->asked->choices || !cJSON_IsString(a->asked->value) ||
        a->n_candidate)
        return false;
    if (!l->said_read) read_meanings(l);
    int n = meaning_of_text(a->asked->value->valuestring, true, 1, own);
    return meaning_shared(own, n, l->said, l->n_said);
}

static void report(struct alignment *l, const struct wanted_value *a,
                   struct aligned_value *out)
{
    struct print_place *place =
        arena_array(l->arena, ALIGNED_PLACES_MAX, sizeof *place);
    *out = (struct aligned_value){
        .place = place, .derived = a->derived, .meant = is_meant(l, a)};
    if (a->derived) return;
    out->doubt = a->doubt;
    out->overlooked = a->overlooked;
    if (a->chosen >= 0)
        place[out->n_place++] = alignment_place_of(l, &a->candidate[a->chosen]);
    for (int i = 0; a->chosen < 0 && i < a->n_candidate; i++)
        if (!a->candidate[i].away && out->n_place < ALIGNED_PLACES_MAX)
            place[out->n_place++] = alignment_place_of(l, &a->candidate[i]);
}

void alignment_read_pages(struct alignment *l)
{
    page_table_of_pages(l->page, l->n_page, l->arena, &l->table);
    l->claim_of = arena_array(l->arena, (size_t)l->table.n_token + 1,
                              sizeof *l->claim_of);
    l->label_of = arena_array(l->arena, (size_t)l->table.n_token + 1,
                              sizeof *l->label_of);
    for (int t = 0; t < l->table.n_token; t++)
        l->claim_of[t] = -1;
}

void alignment_of_values(const struct numbered_words *page, int n_page,
                         const struct leaf_value *asked, int n_asked,
                         struct arena *arena, struct aligned_value *out)
{
    struct alignment l = {.page = page, .n_page = n_page, .arena = arena};
    l.n_asking = n_asked;
    l.asking = arena_array(arena, (size_t)n_asked + 1, sizeof *l.asking);
    alignment_read_pages(&l);
    wanted_read(&l, asked);
    for (int i = 0; i < n_asked; i++) {
        struct wanted_value *a = &l.asking[i];
        if (cJSON_IsString(asked[i].value)) find_text(&l, a);
        if (cJSON_IsString(asked[i].value) || cJSON_IsNumber(asked[i].value))
            find_figure(&l, a);
        find_look(&l, a);
        if (!a->n_candidate) find_similar(&l, a);
    }
    for (int i = 0; i < n_asked; i++)
        find_point(&l, &l.asking[i]);
    assign_rows(&l);
    assign_scalars(&l);
    labelled_read(&l);
    verdict_find_doubts(&l);
    overlooked_nulls_find(&l);
    for (int i = 0; i < n_asked; i++)
        report(&l, &l.asking[i], &out[i]);
}
