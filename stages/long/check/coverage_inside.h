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

/* Marks the lines whose cells alone tell that they are rows: where these have no
 * date and no amount, or one lacks what the others have. What looks as a row by its
 * values is known. Sets the columns of the rows, which may be those of the page
 * before (NULL: none). (coverage_columns.c) */
void coverage_find_plain(struct comparison *table,
                         const struct coverage_shape *before,
                         struct coverage_columns *columns);

/* Whether the line begins a row of two lines that nobody gave, as rows here have
 * them: words alone on the first, values in their columns below. */
bool coverage_is_begun(const struct comparison *table, int index,
                       const struct coverage_shape *own);

/* Sets what columns rows are sure to say, and how many are exact, in out->shape,
 * and out->doubt of the rows that were found. Their ends are known. */
void coverage_judge(const struct comparison *table,
                    const struct coverage_shape *before, struct coverage *out);

#endif
