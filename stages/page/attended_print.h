/* attended_print.h - which print on a page was copied, from where its reader looked.
 *
 * A model says for each token of a value which cell of its picture it looked at.
 * A cell is larger than a letter and may hold parts of two lines; what was
 * copied is the stretch of ink on one line that begins in the first cell, ends
 * in the last, is as long as the value, and was not copied for another value as
 * well. Values are weighed together: those of rows that follow one another stand
 * on lines that follow one another.
 */
#ifndef STAGES_PAGE_ATTENDED_PRINT_H
#define STAGES_PAGE_ATTENDED_PRINT_H

#include "stages/page/box.h"
#include "stages/print/text_lines.h"

struct ink_token {
    struct box cell; /* looked at most */
    int n_char;      /* of the value that the token holds */
};

struct ink_value {
    const char *pointer; /* of the value: elements of an array are rows */
    const struct ink_token *token;
    int n_token;
    struct box box; /* of its ink; w is 0 where none is there */
};

/* Fills in the box of each value. `ink`: page_view_lines; all boxes are in
 * its frame. Scratch is taken from the arena. */
void attended_print(const struct text_lines *ink, struct ink_value *value,
                    int n_value, struct arena *arena);

#endif
