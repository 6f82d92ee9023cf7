/* coverage_inside.h - shared by coverage*.c. */
#ifndef STAGES_ALIGNMENT_COVERAGE_COVERAGE_INSIDE_H
#define STAGES_ALIGNMENT_COVERAGE_COVERAGE_INSIDE_H

#include "stages/alignment/coverage/coverage.h"
#include "stages/alignment/row_lines.h"
#include "stages/print/canon.h"
#include "stages/print/thresholds.h"

/* Words of a line without a gap wider than a letter. */
struct line_cell {
    double x, w;
};

/* A line, and what rows have taken of it. */
struct line_tokens {
    struct canons said;
    bool *taken;   /* of each item: it belongs to a row */
    int row;       /* that begins here; -1: none */
    bool goes_on;  /* it continues the row that begins above */
    bool like_row; /* it has the shape of a row's first line */
    bool labelled; /* as a total, which it may be; after coverage_find_totals */
    bool total;    /* and its figure is one */
    bool plain; /* it belongs to no row; its cells are in the columns of rows */
    const struct line *line;
    struct line_cell *cell; /* after coverage_find_plain */
    int n_cell;
};

struct comparison {
    struct aligned_row *row;
    int n_row;
    struct line_tokens *line;
    int n_line;
    bool rest, exact, strict, open; /* struct coverage_given */
    bool lies;
    bool inexact; /* struct coverage_given; or pages before have more rows */
    struct canons others, head, heads;
    struct canons above; /* of the row before */
    struct arena *arena;
};

/* The rows of an array, without lines yet. Owned by the arena. */
struct aligned_row *coverage_read_rows(const cJSON *rows, struct arena *arena,
                                       int *n_row);

/* Aligns rows and lines in order, each line to at most one row; then the remaining rows
 * to the free parts of lines. False: too many to compare. */
bool coverage_align(struct comparison *table);

/* If rows of other arrays stand beside those of the table, leaves of the lines
 * what is on this side, from `from` to `to` across the page, and of no line a row;
 * beside[]: of each member of `others`. False: none does. For use after the rows
 * were found. (coverage_beside.c) */
bool coverage_cut_beside(struct comparison *table, const cJSON *others,
                         bool *beside, double *from, double *to);

/* Makes amounts of the numbers that begin or end below amounts without decimals of
 * rows: 788 in a column that also has 1,223. For use after the rows were found. */
void coverage_find_amounts(const struct comparison *table);

/* Whether the line has a date or an amount. */
bool coverage_has_value(const struct line_tokens *line);

/* The shape of the rows that were found. */
struct coverage_shape coverage_learn(const struct comparison *table);

/* Whether line `index` looks like the rows that were found (`own`) and like its
 * neighbours; if these are too few, like the rows of the page before (NULL: unknown).
 * Without any knowledge each line does. */
bool coverage_fits(const struct comparison *table, int index,
                   const struct coverage_shape *own,
                   const struct coverage_shape *before);

/* Whether the item is a part of a number with spaces that is also there as a whole. */
bool coverage_is_piece(const struct canons *said, const struct canon *item);

/* Whether the item begins the line or follows a wide gap. */
bool coverage_begins_part(const struct line *line, const struct canon *item);

/* A word, or a number that can also be a name: A4. */
bool coverage_is_wordy(const struct line_tokens *line,
                       const struct canon *item);

/* Marks the lines that are totals, carried balances, taxes or payments: that are labelled
 * so and have a figure that is one. For use after the rows were found.
 * (coverage_totals.c) */
void coverage_find_totals(const struct comparison *t);

/* Whether the line ends with a substitute for a price, such as "included". */
bool coverage_is_unpriced(const struct line_tokens *line);

/* Marks the lines whose cells alone tell that they are rows: where these have no
 * date and no amount, or one lacks what the others have. What looks as a row by its
 * values is known. Sets the columns of the rows, which may be those of the page
 * before (NULL: none). (coverage_columns.c) */
void coverage_find_plain(struct comparison *table,
                         const struct coverage_shape *before,
                         struct coverage_columns *columns);

/* Whether the line has a cell in the first column, and in as many others as a row has at
 * least; for use after coverage_find_plain. */
bool coverage_has_columns(const struct coverage_columns *columns,
                          const struct line_tokens *line);

/* Whether the line begins a missing row of two lines, like other rows here: words on
 * the first line, values in their columns below. */
bool coverage_is_begun(const struct comparison *table, int index,
                       const struct coverage_shape *own);

/* Sets the columns that rows certainly contain and the number of exact rows in
 * out->shape, and out->doubt of the rows that were found, whose ends are known. */
void coverage_judge(const struct comparison *table,
                    const struct coverage_shape *before, struct coverage *out);

#endif
