/* ink_laying.h - a table's rows while they are laid onto the lines of a page (ink.h),
 * and whether what a row says is what is printed there. */
#ifndef STAGES_WINDOW_INK_LAYING_H
#define STAGES_WINDOW_INK_LAYING_H

#include "stages/window/ink_inside.h"

/* So many rows make a table; in a print that is told; and tell enough. */
enum { ROWS_LEAST = 6, ROWS_TOLD = 3, ROWS_SURE = 20 };

extern const double ink_near_edge; /* em: a cell of the column */

/* A column as it lies on this page. */
struct ink_place {
    struct ink_column *column;
    int key;         /* of the rows */
    const int *cell; /* of each line, -1: none */
};

struct ink_laying {
    const struct ink_sheet *whole, *sheet; /* of these, as the print is */
    const struct ink_given *given;
    const struct ink_rows *rows;
    struct ink_table *table;
    double em;                     /* pixels */
    const struct ink_sheet *apart; /* `whole` with cells `gap` apart, or NULL */
    double gap;
    const struct ink_sheet *uncut; /* `sheet` with its columns joined */
    struct ink_place place[INK_KEYS_MAX];
    int n_place;
    int n_found;
    double agree; /* in the mean, of those that were found */
    double total;
    struct cell_best *best; /* lay's: (rows + 1) * (lines + 1) */
    struct arena *arena;    /* of what ends with the laying */
};

/* What the row says for the place p of t->place. */
const struct row_print *ink_value(const struct ink_laying *t, int row, int p);

/* The cell of the place p on the line, or NULL. */
const struct ink_cell *ink_cell(const struct ink_laying *t, int p, int line);

/* How broad the row's value should be there, in pixels. */
double ink_expected(const struct ink_laying *t, int row, int p);

/* How broad the place's print is on these lines together; 0: there is none. */
double ink_width_on(const struct ink_laying *t, int p, int line, int n);

/* Has the row a value for the place? */
bool ink_is_there(const struct ink_laying *t, int row, int p);

/* Is the print as broad as the row's value? */
bool ink_is_fitting(const struct ink_laying *t, int row, int p, double width);

/* Whether all values of the row are as broad as what is printed on its lines. */
bool ink_is_as_broad(const struct ink_laying *t, int row, int line, int n);

/* Whether the row's words begin where there are gaps on its only line. */
bool ink_row_has_words(const struct ink_laying *t, int row, int line, int n);

/* Are its values neither words nor dates? */
bool ink_is_sum(const struct ink_column *c);

/* Has the line none of the sums that rows have? */
bool ink_is_bare(const struct ink_laying *t, int line);

/* Is the line another table's? */
bool ink_is_taken(const struct ink_laying *t, int line);

/* Whether what nearly all rows begin with stands on the line, about as broad as
 * theirs. (ink_looks.c, as those below) */
bool ink_looks_like_row(const struct ink_laying *t, int line);

/* Whether something stands there, however broad; a date's breadth tells. */
bool ink_is_filled(const struct ink_laying *t, int line);

/* Does what rows begin with stand on a later one of the lines alone? Then what is
 * printed above it may be the rest of the row before. */
bool ink_begins_late(const struct ink_laying *t, int line, int n);

/* Finds of each line its row, and whether it looks like one. */
void ink_look_at_lines(const struct ink_laying *t, struct ink_found *out);

/* What cells of the place p are broader than expected, and where they stand.
 * (ink_learn.c, as those below) */
void ink_learn_place(struct ink_laying *t, int p,
                     const struct ink_found *found);

/* The size of print, from broad cells. */
void ink_learn_em(struct ink_laying *t, const struct ink_found *found);

/* Counts rows whose words stand apart. */
void ink_learn_spaces(struct ink_laying *t, const struct ink_found *found);

/* Counts what stands on the rows' first lines; a row that is the rest of one
 * begins elsewhere. */
void ink_learn_rows(struct ink_laying *t, const struct ink_found *found);

/* Lays rows above the first that is on a line for sure, or below the last, onto lines
 * of another print than the others'; or says which lines these may be. (ink_edge.c) */
void ink_seat_edges(const struct ink_laying *t, struct ink_found *out);

#endif
