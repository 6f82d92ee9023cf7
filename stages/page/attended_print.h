/* attended_print.h - finds the print that a value was copied from, by the
 * model's attention.
 *
 * A model can report, for each token of a value, the cell of its image with the
 * most attention. A cell is larger than a letter and can cover parts of two
 * lines. The print is the stretch of ink on one line that begins in the first
 * cell, ends in the last, is as long as the value, and is not used by another
 * value. Values are decided together: successive rows are on successive lines.
 */
#ifndef STAGES_PAGE_ATTENDED_PRINT_H
#define STAGES_PAGE_ATTENDED_PRINT_H

#include "stages/page/box.h"
#include "stages/print/text_lines.h"

struct ink_token {
    struct box cell; /* the cell with the most attention */
    int n_char;      /* characters of the value in the token */
};

struct ink_value {
    const char *pointer; /* the value's pointer: array elements are rows */
    const struct ink_token *token;
    int n_token;
    struct box box; /* of its ink; w is 0 if there is none */
};

/* Fills in the box of each value. `ink`: page_view_lines; all boxes are in its
 * frame. Uses the arena for working memory. */
void attended_print(const struct text_lines *ink, struct ink_value *value,
                    int n_value, struct arena *arena);

#endif
