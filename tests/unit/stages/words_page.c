/* words_page.c - see words_page.h. */
#include "tests/unit/stages/words_page.h"

#include "tests/support/test.h"

#include <stdlib.h>

#include "vlm/json/json.h"

static struct schema *schema_of(const char *text)
{
    struct schema_options options = {.format_asserts = true};
    struct err err = {0};
    struct schema *schema = schema_parse(span_of(text), "any", &options, &err);
    test_ok(&err);
    return schema;
}

struct words_answer words_page_read(const char *schema_text,
                                    const struct words *words, int n_page,
                                    struct arena *arena)
{
    struct numbered_words page[8];
    struct schema *schema = schema_of(schema_text);
    for (int i = 0; i < n_page; i++)
        page[i] = (struct numbered_words){i + 1, &words[i]};
    struct words_answer read = words_reader_read(schema, page, n_page, arena);
    schema_free(schema);
    return read;
}

void words_page_assert_value(const cJSON *value, const char *wanted,
                             const char *what)
{
    struct err err = {0};
    cJSON *json = json_parse(span_of(wanted), &err);
    test_ok(&err);
    if (!json_equal(value, json)) {
        char *said = cJSON_PrintUnformatted(value);
        fail_msg("%s\n%s, wanted %s", what, said, wanted);
    }
    cJSON_Delete(json);
}

void words_page_assert(const struct words_page_row *row, size_t n, double title)
{
    for (size_t i = 0; i < n; i++) {
        struct arena *arena = arena_new();
        struct words words = drawn_page_words(row[i].page, arena);
        for (int k = 0; k < words.n_word && words.word[k].y <= drawn_page_top;
             k++)
            words.word[k].h *= title;
        const char *schema =
            arena_text(arena, "{\"type\":\"object\",\"properties\":{%s}}",
                       row[i].properties);
        struct words_answer read = words_page_read(schema, &words, 1, arena);
        words_page_assert_value(read.value, row[i].wanted, row[i].page);
        cJSON_Delete(read.value);
        arena_free(arena);
    }
}
