/* coverage.h - which rows of a table on a page nobody gave.
 *
 * The lines of a page (text_lines.h) are held against the rows that were read from
 * it. Pure: nothing is asked, nothing is kept but the shape of the rows.
 */
#ifndef STAGES_LONG_CHECK_COVERAGE_H
#define STAGES_LONG_CHECK_COVERAGE_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "stages/print/page_table.h"
#include "vlm/base/arena.h"

enum { COVERAGE_BINS = 64, COVERAGE_COLUMNS = 24 };

/* Where cells of a table's rows stand, the first column first. */
struct coverage_columns {
    int n; /* 0: not known */
    double x[COVERAGE_COLUMNS];
    bool right[COVERAGE_COLUMNS]; /* its cells end at x, or else begin there */
    bool values;                  /* rows have dates or amounts */
    double pitch, least; /* from row to row: as a rule, and of the nearest */
};

/* What nearly every row's first line has; taken along from page to page for
 * pages with too few rows to tell. All zero: not known. */
struct coverage_shape {
    int n_row; /* that it was learnt from; below 3 it says nothing */
    /* at least so many; figures: any numbers, said: items at said_at */
    int n_date, n_amount, n_figure, n_said;
    bool has_words;
    bool lies;                 /* of a page that is broader than high */
    double left_from, left_to; /* where the first word or number begins */
    double date_from, date_to; /* where their dates begin */
    /* across the page: where amounts and what the rows say stand */
    bool amount_at[COVERAGE_BINS], said_at[COVERAGE_BINS];
    /* where the rows say nearly all that stands there: of words and dates by
     * their left, of figures by their right */
    bool sure_at[2][COVERAGE_BINS];
    /* rows so far, and those that say what stands on their lines, no more */
    int n_judged, n_exact;
    struct coverage_columns columns;
};

/* Whether a row that was found says what stands on its lines. */
enum coverage_doubt {
    COVERAGE_SURE,
    COVERAGE_DOUBTFUL, /* it lacks a value, or says what stands beside it */
    COVERAGE_MIXED     /* it is made of two: no row of the page */
};

/* What a line looks like, besides the rows that were found on it. */
enum coverage_line {
    COVERAGE_TEXT,
    COVERAGE_SUM,   /* or carried forward */
    COVERAGE_LOOSE, /* a date or an amount that belongs to nothing */
    COVERAGE_ROW    /* as rows begin */
};

/* What was read from a page. */
struct coverage_given {
    const cJSON *rows; /* objects or scalars, in order */
    bool rest;         /* the first is the rest of one: it looks otherwise */
    bool exact;        /* other tables show that the text is what is printed */
    bool lies;   /* the page is broader than high: columns of a shape of others
                * stand elsewhere on it */
    bool strict; /* a line is missing only where rows on these lines show what a
                  * row looks like, and no sum ends their table above it, if
                  * they have a single amount each and no date */
    bool open; /* and yet none is known: any line will do until there is one */
    const cJSON *others; /* all else (header, totals, rows of other arrays): an
                          * object or NULL */
    const cJSON *head;   /* of the table, as printed, or NULL */
    const cJSON *heads;  /* of all tables: strings in an array, or NULL */
    const cJSON *above;  /* the row before these, of the page before, or NULL */
};

struct coverage {
    int *line_of_row; /* the line on which each row begins, -1: on none */
    double *said;     /* how much of what the row says its lines say, and of the
                       * values on its line it says: the lesser, 0 to 1 */
    enum coverage_doubt *doubt; /* of each row */
    enum coverage_line *looks;  /* of each line */
    int *row_of_line;           /* whose own line each one is, -1: no row's */
    int *missing; /* lines that look like a row and belong to none */
    int n_missing;
    int *extra; /* rows that stand on no line here; in doubt, it is not one */
    int n_extra;
    bool settled; /* no line is left that could be a row's */
    bool known;   /* false: too much on the page to tell, all rows are at -1 */
    struct coverage_shape shape; /* of these rows; before's where too few */
};

/* Holds the rows that were given against the lines of their page. A line all of
 * whose dates and amounts stand among the others is explained. `before`: the
 * shape found on an earlier page, or NULL. Rows are aligned by what they say,
 * each to lines of its own. The result lives in the arena. */
void coverage_find(const struct page_table *print,
                   const struct coverage_given *given,
                   const struct coverage_shape *before, struct arena *arena,
                   struct coverage *out);

/* Whether a table stands on one of the pages of which nobody gave a row: four of
 * these lines and more have a date or an amount at one place, and so many dates and
 * figures each, are no sums, and their values stand nowhere in `others`.
 * (coverage_table.c) */
bool coverage_has_table(const struct page_table *table, int n_figure,
                        const cJSON *others, struct arena *arena);

/* Whether nearly all rows so far were what their lines say: the text is what is
 * printed, and the reader copies it. False where they were too few to tell. */
bool coverage_text_is_exact(const struct coverage_shape *shape);

#endif
