/* evidence_pages.c - see evidence_pages.h. */
#include "stages/alignment/evidence_pages.h"

#include <string.h>

#include "stages/alignment/leaf_values.h"
#include "stages/alignment/verdict.h"
#include "stages/document/document.h"

enum { AMBIGUOUS_MAX = 8 };

void evidence_pages_begin(struct evidence_pages *s)
{
    struct arena *arena = s->arena;
    if (arena)
        arena_reset(arena);
    else
        arena = arena_new();
    *s = (struct evidence_pages){.arena = arena};
}

void evidence_pages_end(struct evidence_pages *s)
{
    arena_free(s->arena);
    *s = (struct evidence_pages){.n_page = 0};
}

bool evidence_pages_has(const struct evidence_pages *s, int number)
{
    for (int i = 0; i < s->n_page; i++)
        if (s->page[i].number == number) return true;
    return false;
}

void evidence_pages_add(struct evidence_pages *s, int number,
                        const struct words *words)
{
    *ARENA_ADD(s->arena, s->page, s->n_page) =
        (struct numbered_words){number, words};
    s->is_read |= words->n_word > 0 || !words->partial;
    s->partial |= words->partial;
}

/* The words of a page with their middle between two heights. */
static const struct words *words_between(const struct words *all, double top,
                                         double bottom, struct arena *arena)
{
    struct words *some = arena_alloc(arena, sizeof *some);
    *some = *all;
    some->n_word = 0;
    some->word =
        arena_array(arena, (size_t)all->n_word + 1, sizeof *some->word);
    for (int i = 0; i < all->n_word; i++) {
        double middle = all->word[i].y + all->word[i].h / 2;
        if (middle >= top && middle <= bottom)
            some->word[some->n_word++] = all->word[i];
    }
    return some;
}

static enum evidence_match match_of(const struct aligned_value *found,
                                    const struct print_place *place)
{
    static const enum evidence_match match[] = {
        [PRINT_EXACT] = EVIDENCE_EXACT,
        [PRINT_NORMALISED] = EVIDENCE_NORMALISED,
        [PRINT_SIMILAR] = EVIDENCE_FUZZY};
    if (found->overlooked) return EVIDENCE_POSITION;
    if (found->n_place > 1 || found->doubt == DOUBT_DATE_ORDER)
        return EVIDENCE_AMBIGUOUS;
    return found->doubt == DOUBT_PARTIAL ? EVIDENCE_PARTIAL
                                         : match[place->match];
}

static struct evidence evidence_of(const struct aligned_value *found,
                                   const struct print_place *place,
                                   const struct place_line *line,
                                   struct arena *arena)
{
    static const enum evidence_source source[] = {
        [WORDS_OF_LAYER] = EVIDENCE_TEXT_LAYER, [WORDS_OF_OCR] = EVIDENCE_OCR};
    return (struct evidence){
        .page = place->page,
        .box = line->box,
        .line = line->line,
        .text = arena_copy(arena, span_of(line->text)),
        .source = source[line->source],
        .match = match_of(found, place),
        .confidence = line->confidence,
        .distance = place->match == PRINT_SIMILAR ? place->distance : 0};
}

void evidence_pages_set_evidence(struct field *f,
                                 const struct aligned_value *found,
                                 struct arena *arena)
{
    int n = found->n_place < AMBIGUOUS_MAX ? found->n_place : AMBIGUOUS_MAX;
    size_t n_line = 0;
    f->n_evidence = 0;
    for (int i = 0; i < n; i++)
        n_line += (size_t)found->place[i].n_line;
    struct evidence *all = arena_array(arena, n_line + 1, sizeof *all);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < found->place[i].n_line; k++)
            all[f->n_evidence++] = evidence_of(found, &found->place[i],
                                               &found->place[i].line[k], arena);
    f->evidence = all;
}

/* The index of each value's field, or -1. */
static int *fields_of(const struct document *doc,
                      const struct leaf_values *asked, struct arena *arena)
{
    int *of = arena_array(arena, (size_t)asked->n_item + 1, sizeof *of), at = 0;
    for (int i = 0; i < asked->n_item; i++)
        of[i] = document_find_field(doc, asked->item[i].pointer, &at);
    return of;
}

/* Creates fields for values without probabilities. */
static void make_fields(struct document *doc, const struct leaf_values *asked)
{
    size_t n = (size_t)asked->n_item;
    doc->field = arena_array(doc->scratch, n + 1, sizeof *doc->field);
    doc->n_field = asked->n_item;
    for (size_t i = 0; i < n; i++)
        doc->field[i] = (struct field){
            .pointer = arena_text(doc->scratch, "%s", asked->item[i].pointer),
            .p = 1,
            .p_legal = 1,
            .p_min = 1,
            .p_min_of_siblings = 1,
            .is_null = cJSON_IsNull(asked->item[i].value),
            .unmeasured = true};
}

/* Drops the nulls among fields without probabilities that were not
 * overlooked: nothing is known of them. */
static void drop_nulls(struct document *doc)
{
    int n = 0;
    for (int i = 0; i < doc->n_field; i++)
        if (!doc->field[i].is_null || doc->field[i].verdict == FIELD_OVERLOOKED)
            doc->field[n++] = doc->field[i];
    doc->n_field = n;
}

static bool is_unchecked(const struct evidence_pages *s, int number)
{
    for (int i = 0; i < s->n_page; i++)
        if (s->page[i].number == number) return s->page[i].words->unchecked;
    return false;
}

static struct verdict_words words_of(const struct evidence_pages *s,
                                     const struct aligned_value *found)
{
    struct verdict_words words = {.partial = s->partial};
    for (int i = 0; i < s->n_page; i++)
        words.any_unchecked |= s->page[i].words->unchecked;
    words.page_unchecked =
        found->n_place && is_unchecked(s, found->place->page);
    return words;
}

/* Compares the values with the pages' words between the two heights. */
static void prove_by_words(const struct evidence_pages *s, struct document *doc,
                           struct leaf_values *asked, const int *of, double top,
                           double bottom, struct arena *arena)
{
    size_t n_page = (size_t)s->n_page;
    struct numbered_words *page = arena_array(arena, n_page, sizeof *page);
    memcpy(page, s->page, n_page * sizeof *page);
    for (size_t i = 0; i < n_page && (top > 0 || bottom < 1); i++)
        page[i].words = words_between(page[i].words, top, bottom, arena);
    struct aligned_value *found =
        arena_array(arena, (size_t)asked->n_item + 1, sizeof *found);
    alignment_of_values(page, s->n_page, asked->item, asked->n_item, arena,
                        found);
    for (int i = 0; i < asked->n_item; i++) {
        if (of[i] < 0) continue;
        struct field *f = &doc->field[of[i]];
        struct verdict_words words = words_of(s, &found[i]);
        verdict_of_print(f, asked->item[i].value, &found[i], &words);
        evidence_pages_set_evidence(f, &found[i], doc->scratch);
    }
}

/* The page of a question about one page; 0: there are several. Blank pages were
 * not shown to the model. */
static int only_page(const struct evidence_pages *s, const struct document *doc)
{
    int only = 0;
    for (int i = 0; i < doc->n_page; i++) {
        for (int k = 0; k < s->n_page; k++) {
            if (s->page[k].number != doc->page[i].number || doc->page[i].blank)
                continue;
            if (only) return 0;
            only = s->page[k].number;
        }
    }
    return only;
}

void evidence_pages_find(const struct evidence_pages *s, struct document *doc,
                         const cJSON *value, bool measured, double top,
                         double bottom)
{
    struct leaf_values asked;
    struct arena *arena = arena_new();
    leaf_values_of_value(doc->schema, value, arena, &asked);
    if (!measured) make_fields(doc, &asked);
    const int *of = fields_of(doc, &asked, arena);
    if (s->is_read) prove_by_words(s, doc, &asked, of, top, bottom, arena);
    int page = only_page(s, doc);
    for (int i = 0; i < asked.n_item; i++) {
        struct field *f = of[i] >= 0 ? &doc->field[of[i]] : NULL;
        if (f && !f->n_evidence && !cJSON_IsNull(asked.item[i].value))
            f->page = page;
    }
    if (!measured) drop_nulls(doc);
    arena_free(arena);
}
