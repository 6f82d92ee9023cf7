/* second_opinion.c - see second_opinion.h. */
#include "stages/ask/second_opinion.h"

#include <string.h>

#include "stages/alignment/verdict.h"
#include "stages/print/canon.h"
#include "stages/print/fold.h"
#include "stages/print/thresholds.h"
#include "stages/words/words_reader.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

/* Whether both are one date or number, in any form. */
static bool is_same_figure(const cJSON *a, const cJSON *b, struct arena *arena)
{
    struct canons one = {.n_item = 0}, two = {.n_item = 0};
    canon_add_value(&one, a, arena);
    canon_add_value(&two, b, arena);
    return one.n_item == 1 && two.n_item == 1 &&
           canon_equal(one.item, two.item);
}

/* Whether two values are the same but for spaces, signs and form, or one text is a
 * part of the other. */
static bool is_alike(const cJSON *a, const cJSON *b, struct arena *arena)
{
    if (!cJSON_IsString(a) || !cJSON_IsString(b)) return json_equal(a, b);
    if (is_same_figure(a, b, arena)) return true;
    struct folded one = fold_text(a->valuestring, arena);
    struct folded two = fold_text(b->valuestring, arena);
    return strstr(one.byte, two.byte) || strstr(two.byte, one.byte);
}

/* Adds the field of a null that has none. */
static struct field *add_field(struct document *doc, const char *pointer)
{
    size_t n = (size_t)doc->n_field;
    doc->field =
        arena_widen(doc->scratch, doc->field, n, n + 1, sizeof *doc->field);
    struct field *f = &doc->field[doc->n_field++];
    *f = (struct field){.pointer = pointer,
                        .p = 1,
                        .p_legal = 1,
                        .p_min = 1,
                        .p_min_of_siblings = 1,
                        .is_null = true,
                        .unmeasured = true};
    return f;
}

/* The number of values in rows that the words found, and how many of them are as the
 * answer has them. */
static int count_alike(const struct words_answer *read, const cJSON *value,
                       struct arena *arena, int *n_alike)
{
    int n = 0;
    *n_alike = 0;
    for (int i = 0; i < read->n_found; i++) {
        const struct words_found *found = &read->found[i];
        const cJSON *said = json_pointer_find(value, found->pointer);
        const cJSON *own = json_pointer_find(read->value, found->pointer);
        if (found->where.n_place || !own) continue;
        n++;
        *n_alike += said && is_alike(said, own, arena);
    }
    return n;
}

/* Marks a value that is not what the words are sure of. */
static void doubt_by_words(struct document *doc,
                           const struct words_found *found, const cJSON *said,
                           int *at)
{
    int i = document_find_field(doc, found->pointer, at);
    struct field *f = i >= 0 ? &doc->field[i] : NULL;
    if (!cJSON_IsNull(said)) {
        if (f && found->p >= second_opinion_least &&
            f->verdict == FIELD_AGREE && !f->doubt)
            verdict_doubt(f, DOUBT_LABEL);
        return;
    }
    if (found->p < null_opinion_least || (f && f->verdict == FIELD_OVERLOOKED))
        return;
    if (!f) f = add_field(doc, found->pointer);
    verdict_overlook(f);
    if (!found->where.n_place) return;
    f->page = found->where.place->page;
    evidence_pages_set_evidence(f, &found->where, doc->scratch);
}

void second_opinion_compare(const struct evidence_pages *s,
                            struct document *doc, const cJSON *value)
{
    int n_alike, at = 0;
    if (!s->is_read) return;
    struct words_answer read =
        words_reader_read(doc->schema, s->page, s->n_page, doc->scratch);
    int n = count_alike(&read, value, doc->scratch, &n_alike);
    bool same_rows = 2 * n_alike > n;
    for (int i = 0; i < read.n_found; i++) {
        const struct words_found *found = &read.found[i];
        const cJSON *said = json_pointer_find(value, found->pointer);
        const cJSON *own = json_pointer_find(read.value, found->pointer);
        if (said && own && (found->where.n_place || same_rows) &&
            !is_alike(said, own, doc->scratch))
            doubt_by_words(doc, found, said, &at);
    }
    cJSON_Delete(read.value);
}
