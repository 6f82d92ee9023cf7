/* drawn_page.c - see drawn_page.h. */
#include "tests/unit/stages/drawn_page.h"

#include "tests/support/test.h"

#include <string.h>

#include "stages/alignment/alignment.h"
#include "stages/alignment/leaf_values.h"
#include "vlm/json/json.h"

enum { WORDS_MAX = 256 };

static double letters_of(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += (*text & 0xC0) != 0x80;
    return n;
}

struct words drawn_page_words(const char *text, struct arena *arena)
{
    struct words words = {.aspect = 0.8};
    words.word = arena_array(arena, WORDS_MAX, sizeof *words.word);
    for (int line = 0; *text; line++) {
        double column = 0;
        while (*text && *text != '\n') {
            size_t blank = strspn(text, " ");
            size_t n = strcspn(text + blank, " \n");
            column += (double)blank;
            text += blank + n;
            if (!n) continue;
            const char *own = arena_copy(arena, (struct span){text - n, n});
            assert_in_range(words.n_word, 0, WORDS_MAX - 1);
            words.word[words.n_word++] =
                (struct word){drawn_page_wide * column,
                              drawn_page_top + 1.5 * drawn_page_high * line,
                              drawn_page_wide * letters_of(own),
                              drawn_page_high,
                              own,
                              1};
            column += letters_of(own);
        }
        if (*text) text++;
    }
    return words;
}

const char *drawn_page_doubts(struct arena *arena, const char *page,
                              const char *schema, const char *json)
{
    static const char *const name[] = {
        [DOUBT_NONE] = "agree",  [DOUBT_PLACE] = "place",
        [DOUBT_SIGN] = "sign",   [DOUBT_DATE_ORDER] = "order",
        [DOUBT_SCALE] = "scale", [DOUBT_PARTIAL] = "partial",
        [DOUBT_LABEL] = "label", [DOUBT_CHECK_DIGITS] = "digits"};
    struct schema_options options = {.format_asserts = true};
    struct err err = {0};
    struct schema *own = schema_parse(span_of(schema), "any", &options, &err);
    cJSON *value = json_parse(span_of(json), &err);
    test_ok(&err);
    struct words words = drawn_page_words(page, arena);
    struct numbered_words one = {1, &words};
    struct leaf_values asked;
    leaf_values_of_value(own, value, arena, &asked);
    struct aligned_value *place =
        arena_array(arena, (size_t)asked.n_item, sizeof *place);
    alignment_of_values(&one, 1, asked.item, asked.n_item, arena, place);
    const char *said = "";
    for (int i = 0; i < asked.n_item; i++)
        said = arena_text(arena, "%s%s%s", said, i ? " " : "",
                          place[i].overlooked ? "overlooked"
                          : place[i].meant    ? "meant"
                          : place[i].n_place  ? name[place[i].doubt]
                                              : "none");
    cJSON_Delete(value);
    schema_free(own);
    return said;
}

void drawn_page_assert_of(const char *schema, const struct drawn_row *row,
                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct arena *arena = arena_new();
        const char *said =
            drawn_page_doubts(arena, row[i].page, schema, row[i].json);
        if (strcmp(said, row[i].wanted))
            fail_msg("%s\n%s: %s, wanted %s", row[i].page, row[i].json, said,
                     row[i].wanted);
        arena_free(arena);
    }
}

void drawn_page_assert(const struct drawn_row *row, size_t n)
{
    drawn_page_assert_of("{}", row, n);
}
