/* table_heading.h - finds the heading of a table (words_inside.h).
 *
 * It is the line, or up to three, whose cells name most keys of the array. Words that are
 * near one another are two heads if the rows below are apart there.
 */
#ifndef STAGES_WORDS_TABLE_HEADING_H
#define STAGES_WORDS_TABLE_HEADING_H

#include "stages/words/table_columns.h"

/* Finds the heading that fits best; false: there is none. */
bool table_heading_find(const struct words_reading *r,
                        const struct slot_array *a, struct found_table *out);

/* Finds a heading in words that nobody knows, over columns of the array's shape. */
bool table_heading_find_shape(const struct words_reading *r,
                              const struct slot_array *a,
                              struct found_table *out);

/* Whether the line repeats the heading's words, or its first line; then *again has its
 * heads. */
bool table_heading_is_repeated(const struct words_reading *r,
                               const struct found_table *f, int line,
                               struct found_table *again);

/* Print left of the columns in the first rows is a column without a head, if the first key
 * has none, "         Net | VAT | Total"; or of the first head, if that has no other. */
void table_heading_add_unheaded(const struct words_reading *r,
                                const struct slot_array *a,
                                struct found_table *f);

#endif
