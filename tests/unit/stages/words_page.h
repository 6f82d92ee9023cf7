/* words_page.h - drawn pages, and what their words decide for a schema. */
#ifndef TESTS_UNIT_STAGES_WORDS_PAGE_H
#define TESTS_UNIT_STAGES_WORDS_PAGE_H

#include "stages/words/words_reader.h"
#include "tests/unit/stages/drawn_page.h"

/* A page, the schema's properties, and the value that its words decide. */
struct words_page_row {
    const char *page, *properties, *wanted;
};

/* The answer for the schema; the caller frees its value. */
struct words_answer words_page_read(const char *schema_text,
                                    const struct words *words, int n_page,
                                    struct arena *arena);

/* Fails unless the value is that JSON. */
void words_page_assert_value(const cJSON *value, const char *wanted,
                             const char *what);

/* Fails unless each page gives its value; `title`: the height of the words of the first
 * line, in those of the others. */
void words_page_assert(const struct words_page_row *row, size_t n,
                       double title);

#define WORDS_PAGE_ASSERT(row) \
    words_page_assert(row, sizeof(row) / sizeof *(row), 1)
#define WORDS_PAGE_ASSERT_TITLE(row) \
    words_page_assert(row, sizeof(row) / sizeof *(row), 1.4)
#define TEXT   "{\"type\":[\"string\",\"null\"]}"
#define DATE   "{\"type\":[\"string\",\"null\"],\"format\":\"date\"}"
#define NUMBER "{\"type\":[\"number\",\"null\"]}"
#define CALLED(text) \
    "{\"type\":[\"string\",\"null\"],\"description\":\"" text "\"}"
#define ROWS(members)                                     \
    "{\"type\":\"array\",\"items\":{\"type\":\"object\"," \
    "\"properties\":{" members "}}}"

#endif
