/* second_opinion.c - see second_opinion.h. */
#include "stages/ask/second_opinion.h"

#include <math.h>
#include <string.h>

#include "stages/alignment/unit.h"
#include "stages/alignment/verdict.h"
#include "stages/print/canon.h"
#include "stages/print/fold.h"
#include "stages/print/thresholds.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

/* A model's answer, and the words'. */
struct opinion {
    struct document *doc;
    const cJSON *value;
    const struct words_answer *read;
};

/* Whether both are one date or number, in any form. */
static bool is_same_figure(const cJSON *a, const cJSON *b, struct arena *arena)
{
    struct canons one = {.n_item = 0}, two = {.n_item = 0};
    canon_add_value(&one, a, arena);
    canon_add_value(&two, b, arena);
    return one.n_item == 1 && two.n_item == 1 &&
           canon_equal(one.item, two.item);
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

/* Whether two values are the same but for spaces, signs and form. */
static bool is_equal(const cJSON *a, const cJSON *b, struct arena *arena)
{
    if (!cJSON_IsString(a) || !cJSON_IsString(b)) return json_equal(a, b);
    return is_same_figure(a, b, arena) ||
           !strcmp(fold_text(a->valuestring, arena).byte,
                   fold_text(b->valuestring, arena).byte);
}

/* The same, or what was said has the words' own as a part. */
static bool is_alike(const cJSON *said, const cJSON *own, struct arena *arena)
{
    return is_equal(said, own, arena) ||
           (cJSON_IsString(said) && cJSON_IsString(own) &&
            strstr(fold_text(said->valuestring, arena).byte,
                   fold_text(own->valuestring, arena).byte));
}

static double shared(double from, double size, double other, double other_size)
{
    return fmax(0, fmin(from + size, other + other_size) - fmax(from, other));
}

/* Whether half of the print is in the box: the "$" of an amount is not the amount. */
static bool covers(const struct box *box, const struct box *print)
{
    return 2 * shared(box->x, box->w, print->x, print->w) *
               shared(box->y, box->h, print->y, print->h) >
           print->w * print->h;
}

/* Where the words' own stands; NULL: in a row. */
static const struct print_place *place_of(const struct words_found *found)
{
    return found->where.n_place ? found->where.place : NULL;
}

/* Whether the value is a line of that print. */
static bool is_at(const struct field *f, const struct print_place *place)
{
    for (int k = 0; k < f->n_evidence && f->verdict == FIELD_AGREE; k++)
        for (int i = 0; i < place->n_line; i++)
            if (f->evidence[k].page == place->page &&
                covers(&f->evidence[k].box, &place->line[i].box))
                return true;
    return false;
}

/* The value of the answer, but for the one at the pointer, that is that print; NULL:
 * none. */
static const struct field *user_of(const struct document *doc,
                                   const struct print_place *place,
                                   const char *pointer)
{
    for (int i = 0; i < doc->n_field; i++)
        if (strcmp(doc->field[i].pointer, pointer) != 0 &&
            is_at(&doc->field[i], place))
            return &doc->field[i];
    return NULL;
}

/* Whether both values are at one print. */
static bool is_one_print(const struct field *a, const struct field *b)
{
    for (int i = 0; i < a->n_evidence; i++)
        for (int k = 0; k < b->n_evidence; k++)
            if (a->evidence[i].page == b->evidence[k].page &&
                covers(&a->evidence[i].box, &b->evidence[k].box))
                return true;
    return false;
}

/* Whether another value is the same: of the same row, or outside of rows, else at the same
 * print. The total of a single item is its amount, too. */
static bool is_said_twice(const struct opinion *o, const struct field *f,
                          const char *pointer, const cJSON *said)
{
    size_t row = json_pointer_row_size(pointer);
    for (int i = 0; i < o->doc->n_field; i++) {
        const struct field *other = &o->doc->field[i];
        bool kin = json_pointer_row_size(other->pointer) == row &&
                   !strncmp(other->pointer, pointer, row);
        if (strcmp(other->pointer, pointer) != 0 &&
            json_equal(said, json_pointer_find(o->value, other->pointer)) &&
            (kin || (f && is_one_print(f, other))))
            return true;
    }
    return false;
}

/* Whether the words' own begins with the value and a comma or a colon, as further lines
 * and branches are, or with a code before its meaning: "601 - General"; or is the value
 * behind a position: "1 Valve", but not a part of "30 958 205". */
static bool begins_with(const cJSON *own, const cJSON *said,
                        struct arena *arena)
{
    if (!cJSON_IsString(said) || !cJSON_IsString(own)) return false;
    const char *want = fold_text(said->valuestring, arena).byte;
    const char *text = own->valuestring;
    bool code = unit_is_code(said->valuestring);
    size_t position = strspn(text, "0123456789");
    if (position && text[position] == ' ' &&
        !fold_is_digit(text[position + 1]) &&
        !strcmp(want, fold_text(text + position, arena).byte))
        return true;
    for (size_t n = strcspn(text, ", "); text[n];
         n += 1 + strcspn(text + n + 1, ", ")) {
        const char *rest = text + n + strspn(text + n, " -");
        bool meaning = code && *rest && !fold_is_digit(*rest);
        bool colon = n && text[n - 1] == ':';
        if ((text[n] == ',' || colon || meaning) &&
            !strcmp(want,
                    fold_text(arena_copy(arena, (struct span){text, n}), arena)
                        .byte))
            return true;
    }
    return false;
}

/* Whether the words' own is what OCR made of the value's print. */
static bool is_its_print(const struct field *f, const cJSON *own,
                         struct arena *arena)
{
    const char *text = "";
    for (int i = 0; i < f->n_evidence; i++) {
        if (f->evidence[i].source != EVIDENCE_OCR ||
            f->evidence[i].match == EVIDENCE_AMBIGUOUS)
            return false;
        text = arena_text(arena, "%s %s", text, f->evidence[i].text);
    }
    cJSON *print = cJSON_CreateString(text);
    bool alike = *text && (is_same_figure(print, own, arena) ||
                           is_alike(print, own, arena));
    cJSON_Delete(print);
    return alike;
}

/* Whether another value of the answer is the words' own print, and what was said is said
 * nowhere else. What the words have instead of that value, not what was said here: then
 * both may be exchanged. */
static bool is_of_another(const struct opinion *o, const struct field *f,
                          const struct print_place *place, const char *pointer,
                          const cJSON *said)
{
    const struct field *other = place ? user_of(o->doc, place, pointer) : NULL;
    const cJSON *own =
        other ? json_pointer_find(o->read->value, other->pointer) : NULL;
    if (!other || cJSON_IsNull(said)) return other;
    return !(own && is_alike(own, said, o->doc->scratch)) &&
           !is_said_twice(o, f, pointer, said);
}

/* Whether the label that decided for the words' own fits the value nearly as well. */
static bool is_rival(const struct words_found *found, const cJSON *said,
                     struct arena *arena)
{
    if (!found->rival) return false;
    cJSON *rival = cJSON_CreateString(found->rival);
    bool same = rival && (is_same_figure(said, rival, arena) ||
                          is_equal(said, rival, arena));
    cJSON_Delete(rival);
    return same;
}

/* Whether the words' own speaks against a value. One that is said twice is in the wrong
 * place at least once, however well a label fits it. */
static bool contradicts(const struct opinion *o,
                        const struct words_found *found, const char *pointer,
                        const cJSON *said, const cJSON *own,
                        const struct field *f)
{
    struct arena *arena = o->doc->scratch;
    const struct print_place *place = place_of(found);
    if (begins_with(own, said, arena) || is_its_print(f, own, arena))
        return false;
    return (place && is_at(f, place)) || is_said_twice(o, f, pointer, said) ||
           (found->p >= second_opinion_of_one && !is_rival(found, said, arena));
}

/* Marks a value, or a null, beside which the words are sure of another value. */
static void doubt_by_words(const struct opinion *o,
                           const struct words_found *found, const char *pointer,
                           const cJSON *said, const cJSON *own, int *at)
{
    struct document *doc = o->doc;
    const struct print_place *place = place_of(found);
    int i = document_find_field(doc, pointer, at);
    struct field *f = i >= 0 ? &doc->field[i] : NULL;
    if (found->p < second_opinion_least ||
        is_of_another(o, f, place, pointer, said))
        return;
    if (!cJSON_IsNull(said)) {
        if (f && f->verdict == FIELD_AGREE && !f->doubt &&
            contradicts(o, found, pointer, said, own, f))
            verdict_doubt(f, DOUBT_LABEL);
        return;
    }
    if (f && f->verdict == FIELD_OVERLOOKED) return;
    if (!f) f = add_field(doc, pointer);
    verdict_overlook(f);
    if (!place) return;
    f->page = place->page;
    evidence_pages_set_evidence(f, &found->where, doc->scratch);
}

/* Lifts the doubt of a value that the words have decided for, too. Its check digits
 * and hidden words are doubts about the print, not about its place. */
static void agree_by_words(struct document *doc,
                           const struct words_found *found, const char *pointer,
                           int *at)
{
    int i = document_find_field(doc, pointer, at);
    struct field *f = i >= 0 ? &doc->field[i] : NULL;
    if (f && f->verdict == FIELD_AGREE && f->doubt &&
        f->doubt != DOUBT_CHECK_DIGITS && f->doubt != DOUBT_LAYER &&
        found->p >= agreement_least)
        verdict_doubt(f, DOUBT_NONE);
}

/* The pointer in the answer of what the words found, if their row is this one. */
static const char *pointer_of(const struct words_found *found, int row,
                              struct arena *arena)
{
    return found->array
               ? arena_text(arena, "%s/%d/%s", found->array, row, found->member)
               : found->pointer;
}

/* Compares one value; `row`: of the answer. */
static void compare(const struct opinion *o, const struct words_found *found,
                    int row, int *at)
{
    struct arena *arena = o->doc->scratch;
    const char *pointer = pointer_of(found, row, arena);
    const cJSON *said = json_pointer_find(o->value, pointer);
    const cJSON *own = json_pointer_find(o->read->value, found->pointer);
    if (!said || !own) return;
    if (is_equal(said, own, arena))
        agree_by_words(o->doc, found, pointer, at);
    else if (!is_alike(said, own, arena))
        doubt_by_words(o, found, pointer, said, own, at);
}

/* How many values of the words' row are as in this row of the answer. */
static int count_alike(const struct opinion *o, const struct words_found *found,
                       int n, int row)
{
    int n_alike = 0;
    for (int i = 0; i < n; i++) {
        const cJSON *said = json_pointer_find(
            o->value, pointer_of(&found[i], row, o->doc->scratch));
        const cJSON *own = json_pointer_find(o->read->value, found[i].pointer);
        n_alike += said && own && is_alike(said, own, o->doc->scratch);
    }
    return n_alike;
}

/* Whether both have as many rows. */
static bool are_as_many(const struct opinion *o, const char *array)
{
    return cJSON_GetArraySize(json_pointer_find(o->value, array)) ==
           cJSON_GetArraySize(json_pointer_find(o->read->value, array));
}

/* The number of values in the row that found[0] is of. */
static int row_size(const struct words_found *found, int n)
{
    int k = 1;
    while (k < n && found[k].array && found[k].row == found->row &&
           !strcmp(found[k].array, found->array))
        k++;
    return k;
}

/* Whether a later row of the words', of the `n` values after their own, has most of its
 * values in the answer's. */
static bool is_of_later_row(const struct opinion *o,
                            const struct words_found *found, int n, int row)
{
    for (int i = row_size(found, n), size, k = 0; i < n && k < ROWS_AHEAD;
         i += size, k++) {
        size = row_size(&found[i], n - i);
        if (!found[i].array || strcmp(found[i].array, found->array) != 0)
            return false;
        if (2 * count_alike(o, &found[i], size, row) > size) return true;
    }
    return false;
}

/* The row of the answer, from `next` on, with most of the words' values; `next` if
 * it has half of them, or any and there are as many rows: two columns may have been
 * exchanged; -1: none. `n`: of all values from this row on. */
static int row_of(const struct opinion *o, const struct words_found *found,
                  int n, int next)
{
    int size = row_size(found, n);
    for (int row = next; row < next + ROWS_AHEAD; row++)
        if (2 * count_alike(o, found, size, row) > size) return row;
    int alike = size > 2 ? count_alike(o, found, size, next) : 0;
    bool same = 2 * alike >= size ||
                (found->row == next && are_as_many(o, found->array));
    return alike && same && !is_of_later_row(o, found, n, next) ? next : -1;
}

void second_opinion_compare(const struct words_answer *read,
                            struct document *doc, const cJSON *value)
{
    const struct opinion o = {doc, value, read};
    const struct words_found *found = read->found;
    int n = read->n_found, at = 0, next = 0;
    for (int i = 0, size = 1; i < n; i += size, size = 1) {
        if (!found[i].array) {
            compare(&o, &found[i], 0, &at);
            continue;
        }
        if (!i || !found[i - 1].array ||
            strcmp(found[i - 1].array, found[i].array) != 0)
            next = 0; /* another array */
        size = row_size(&found[i], n - i);
        int row = row_of(&o, &found[i], n - i, next);
        if (row < 0) continue;
        for (int k = i; k < i + size; k++)
            compare(&o, &found[k], row, &at);
        next = row + 1;
    }
}
