/* drawn_page.h - pages that are drawn in letters, and what is said of values on
 * them. */
#ifndef TESTS_UNIT_STAGES_DRAWN_PAGE_H
#define TESTS_UNIT_STAGES_DRAWN_PAGE_H

#include <stddef.h>

#include "stages/document/words.h"
#include "vlm/base/arena.h"

/* Of a letter, of a line, of the first line. */
static const double drawn_page_wide = 0.01, drawn_page_high = 0.02,
                    drawn_page_top = 0.05;

/* The words of a page of lines; each character is drawn_page_wide, words are
 * divided by blanks. */
struct words drawn_page_words(const char *text, struct arena *arena);

/* "agree", the doubt, "overlooked", "meant" or "none" of each value of an answer. */
const char *drawn_page_doubts(struct arena *arena, const char *page,
                              const char *schema, const char *json);

/* A page, an answer of it, and what is to be said of its values. */
struct drawn_row {
    const char *page, *json, *wanted;
};

/* Fails if something else is said of one. */
void drawn_page_assert(const struct drawn_row *row, size_t n);

/* The same with a schema. */
void drawn_page_assert_of(const char *schema, const struct drawn_row *row,
                          size_t n);

#endif
