/* check_rows.h - the rows of a part of a page, checked against its lines: for
 * check_rows.c and check_single_answer.c. */
#ifndef STAGES_LONG_CHECK_ROWS_H
#define STAGES_LONG_CHECK_ROWS_H

#include "stages/long/long_inside.h"

enum { CHECK_ROWS_LINES_MAX = 200 };   /* of one question about lines */
enum { CHECK_ROWS_BYTES_MAX = 16000 }; /* of their text */

struct row_check {
    struct long_document *w;
    const struct part *part;
    const struct page_table *table; /* lines of the part */
    cJSON **entries;                /* of each array: its rows (row_file.h) */
    bool *continues; /* of each array: its first row is the rest of one */
    struct coverage found[PLAN_ARRAY_MAX];
    bool *asked; /* of each line: asked about by name */
    unsigned
        *dropped;   /* of each line: bits of the arrays that lost a row there */
    int n_missing;  /* lines in the last question */
    cJSON *scalars; /* all known values that are not rows */
    bool
        unsure; /* the lines are those of OCR: a row is removed only if there is no
                  * space for it, and only lines that are missing, or of rows made
                  * of two, are asked for */
    struct arena *arena;
};

/* Compares the rows of all arrays with the lines, into s->found. */
void check_rows_find_all(struct row_check *s);

/* Lines that are rows of some table and belong to no row: at most
 * CHECK_ROWS_LINES_MAX, in line[]. Returns their number. */
int check_rows_find_missing(const struct row_check *s, int *line);

/* Whether the text is what is printed; too few rows do not tell. */
bool check_rows_text_is_usable(const struct row_check *s);

/* For a line that looks like a row and belongs to none: whether it has figures of a
 * row nearby that the row's own lines lack, so that both are one row with misread
 * words. `late` (or NULL): an entry that was given for this line; then it must have
 * nothing else. */
bool check_rows_is_of_row(const struct row_check *s, int array, int line,
                          const cJSON *late);

/* For a row without a line: whether the rows before and after it are printed right
 * below each other, so that it cannot be between them, however badly the lines were
 * read. */
bool check_rows_has_no_room(const struct row_check *s, int array, int row);

/* Where the lines are those of OCR: warns of rows that have no line and equal one
 * that has: given twice, and printed once. */
void check_rows_warn_repeated(const struct row_check *s);

/* Whether the line belongs to a row of any array. */
bool check_rows_is_owned(const struct row_check *s, int line);

#endif
