/* coverage_inside.h - what the files of coverage.h share. */
#ifndef STAGES_LONG_CHECK_COVERAGE_INSIDE_H
#define STAGES_LONG_CHECK_COVERAGE_INSIDE_H

#include "stages/long/check/coverage.h"
#include "stages/print/alignment.h"
#include "stages/print/canon.h"

enum { ROWS_LEAST = 3 /* from which a shape is learnt */ };

/* Words of a line that no gap parts that is wider than a letter. */
struct line_cell {
    double x, w;
};

/* A line, and what of it rows have taken. */
struct line_said {
    struct canons said;
    bool *taken;   /* each item, by a row */
    int row;       /* that begins here, -1: none */
    bool goes_on;  /* of the row that begins above */
    bool like_row; /* it has the shape of a row's first line */
    bool plain;    /* no row's; its cells stand in the columns of rows */
    const struct line *line;
    struct line_cell *cell; /* once coverage_find_cells was called */
    int n_cell;
};

struct comparison {
    struct aligned_row *row;
    int n_row;
    struct line_said *line;
    int n_line;
    bool rest, exact, strict, open; /* as given */
    bool lies;
    struct canons others, head, heads;
    struct canons above; /* of the row before these */
    struct arena *arena;
};

/* A row is found where so much of its weight is. */
static const double coverage_least = 0.4;

/* Aligns the rows to the lines, in order, each line to one row at most; then
 * rows that are left to what of lines is left. False: too many to compare. */
bool coverage_align(struct comparison *table);

/* The page's lines, each without a row; what they say is the arena's. */
struct line_said *coverage_read_lines(const struct page_table *table,
                                      struct arena *arena);

/* Whether all dates and amounts of the line stand among the items. */
bool coverage_is_explained(const struct line_said *line,
                           const struct canons *items);

/* Whether the line holds a date or an amount. */
bool coverage_has_value(const struct line_said *line);

/* The shape of the rows that were found. */
struct coverage_shape coverage_learn(const struct comparison *table);

/* Whether line `index` looks as the rows do that were found (`own`) and as
 * those beside it; where they are too few to tell, as those of the page before
 * (NULL: not known), and any line does where that says nothing either. */
bool coverage_fits(const struct comparison *table, int index,
                   const struct coverage_shape *own,
                   const struct coverage_shape *before);

/* Whether the line says that it is a sum or carried forward. */
bool coverage_is_sum(const struct line_said *line);

/* Whether the line says what stands below the rows of an invoice or a receipt:
 * taxes, and how it was paid. */
bool coverage_is_payment(const struct line_said *line);

/* Whether the line ends with what stands in place of a price. */
bool coverage_is_unpriced(const struct line_said *line);

/* Whether a row begins on the line, and is no rest of one. */
bool coverage_has_row(const struct comparison *table, int index);

/* Marks the lines whose cells alone tell that they are rows: where these have no
 * date and no amount, or one lacks what the others have. What looks as a row by its
 * values is known. Sets the columns of the rows, which may be those of the page
 * before (NULL: none). (coverage_plain.c) */
void coverage_find_plain(struct comparison *table,
                         const struct coverage_shape *before,
                         struct coverage_columns *columns);

/* Makes the cells of all lines. (coverage_cells.c) */
void coverage_find_cells(const struct comparison *table);

/* The columns that nearly all of the rows have, of whose number this is; none where
 * there is one only. columns->values is set, and cells are there if it is. */
void coverage_find_columns(const struct comparison *table, int n_row,
                           struct coverage_columns *columns);

/* Whether the line has something in the first column, and in so many of the others
 * as a row has at the least. */
bool coverage_has_columns(const struct coverage_columns *columns,
                          const struct line_said *line);

/* Whether the line begins a row of two lines that nobody gave, as rows here have
 * them: words alone on the first, values in their columns below. */
bool coverage_is_begun(const struct comparison *table, int index,
                       const struct coverage_shape *own);

/* Whether a row that was found has values of its first line or of one below that
 * is set as the first is, and none of the other. */
bool coverage_is_two(const struct comparison *table,
                     const struct aligned_row *row);

/* Sets what columns rows are sure to say, and how many are exact, in out->shape,
 * and out->doubt of the rows that were found. Their ends are known. */
void coverage_judge(const struct comparison *table,
                    const struct coverage_shape *before, struct coverage *out);

#endif
