/* words_reader.h - fills in a schema from the words of the pages, without a model.
 *
 * What checks a model's answer (stages/alignment) is turned around: the leaves of
 * the schema are the wanted values, and the print under their labels and column
 * headings is what they may be. A value is filled in only if its label, its column
 * or its place in a block decides for one print, and no print serves two values;
 * all others are null, which is better than a guess. Only what the schema requires, and
 * must not be null, is what fits best (required.c): without it there is no record.
 *
 * Pure. Takes some milliseconds per page.
 */
#ifndef STAGES_WORDS_WORDS_READER_H
#define STAGES_WORDS_WORDS_READER_H

#include "stages/alignment/alignment.h"
#include "vlm/base/arena.h"
#include "vlm/schema/schema.h"

/* A value that was found. */
struct words_found {
    const char *pointer;
    struct aligned_value where; /* n_place 0: in a row of an array */
    const char *array, *member; /* in a row: pointer is array/row/member; else
                                 * NULL */
    int row;
    const char
        *rival; /* text, ISO date or JSON number that its label fits nearly as
                        * well; NULL: none */
    double p;   /* the probability that it is right, as measured on drawn papers
               * for what decided it (words_print.c) */
};

struct words_answer {
    cJSON *value; /* the caller frees it (cJSON_Delete) */
    struct words_found *found;
    int n_found;
    int n_demanded; /* of these, that only the schema's `required` asks for */
    int n_wanted, n_scalar; /* values outside of arrays: wanted, and found */
    bool is_whole; /* every value was found, and every array has rows */
};

/* Reads the value of the schema that the words of the pages decide. A value that is
 * not decided is null or, where the schema admits no null, left out, or if it is
 * required there, with a probability below any threshold. `found` is in the arena. */
struct words_answer words_reader_read(const struct schema *schema,
                                      const struct numbered_words *page,
                                      int n_page, struct arena *arena);

#endif
