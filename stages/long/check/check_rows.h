/* check_rows.h - what check_rows.c and check_first_row.c share. */
#ifndef STAGES_LONG_CHECK_CHECK_ROWS_H
#define STAGES_LONG_CHECK_CHECK_ROWS_H

#include "stages/long/long_inside.h"

enum { CHECK_ROWS_LINES_MAX = 200 };   /* asked about at once */
enum { CHECK_ROWS_BYTES_MAX = 16000 }; /* of their text */

/* A part of a page while its rows are held against its text. */
struct settling {
    struct windows *w;
    const struct part *part;
    const struct page_table *table; /* of the part */
    cJSON **entries;                /* each array's rows (row_file.h) */
    bool *continues;                /* of each: the first is the rest of one */
    struct coverage found[PLAN_ARRAY_MAX];
    bool *asked;       /* of each line: about by name */
    unsigned *dropped; /* of each: bits of the arrays whose row there went */
    int n_missing;     /* lines, when they were asked about last */
    cJSON *scalars;    /* all that is known besides */
    bool unsure; /* the lines are what another reader saw: nothing goes but what
                  * there is no room for, and nothing but what is missing is
                  * asked for, by them alone */
    struct arena *arena;
};

/* Holds the rows of all arrays against the lines, into s->found. */
void check_rows_find_all(struct settling *s);

/* Lines that are rows of some table and are in none, as far as line[] holds
 * CHECK_ROWS_LINES_MAX of them; how many. */
int check_rows_find_missing(const struct settling *s, int *line);

/* Is the text layer what the model sees? Few rows do not tell.
 * (check_single_answer.c) */
bool check_rows_text_is_usable(const struct settling *s);

/* Sorts out whether the array's first entry is the rest of the row that waits:
 * s->continues[array] is true where it is. A rest that was not given is asked
 * for; without it the row that waits is a gap, too. */
void check_first_row(struct settling *s, int array);

/* The last line on which a value of the entry was seen, or -1. (check_first_row.c) */
int check_rows_line_of(const struct settling *s, const cJSON *entry);

/* "- text" of each line, in the arena. NULL: none. */
const char *check_rows_names(const struct settling *s, const int *line, int n);

/* Of a line that looks like a row and belongs to none: whether a row that stands
 * on no line lies just there in the order of the rows, so that the line was
 * misread. (check_order.c) */
bool check_rows_is_in_order(const struct settling *s, int array, int line);

/* Of a line that looks like a row and belongs to none: whether it bears what a row
 * beside it says and its own lines do not, so that the two are one row whose words
 * were misread. With `late`, an entry that was given for this line: whether it
 * says nothing else either. (check_order.c) */
bool check_rows_is_of_row(const struct settling *s, int array, int line,
                          const cJSON *late);

/* Of a row that stands on no line that OCR saw: whether the rows before and
 * behind it stand right below each other, so that it is not printed between them,
 * however little of the lines was read. (check_order.c) */
bool check_rows_has_no_room(const struct settling *s, int array, int row);

/* Whether a row begins on the line. */
bool check_rows_begins_row(const struct settling *s, int line);

/* Is the line one of a row's, of whichever array? (check_gaps.c) */
bool check_rows_is_owned(const struct settling *s, int line);

/* Is it one of the n? */
bool check_rows_has(const int *list, int n, int one);

/* What is missing now is a gap, and rows behind which something is missing do not go
 * on over the part's end. (check_gaps.c) */
void check_rows_leave_gaps(struct settling *s);

/* Adds a gap to w->gaps; of lines of the part. (check_gaps.c) */
void check_rows_gap(struct windows *w, int page, const char *text);
void check_rows_name_gaps(const struct settling *s, const int *line, int n);

/* Puts the item, which becomes the list's, before the one at `at`. */
void check_rows_insert(cJSON *list, int at, cJSON *item);

#endif
