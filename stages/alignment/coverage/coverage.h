/* coverage.h - which rows of a table on a page are missing from the answer.
 *
 * Compares the lines of a page (page_table.h) with the rows that were read from it.
 * Pure, and without state but for the shape of the rows.
 */
#ifndef STAGES_ALIGNMENT_COVERAGE_COVERAGE_H
#define STAGES_ALIGNMENT_COVERAGE_COVERAGE_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "stages/print/page_table.h"
#include "vlm/base/arena.h"

enum { COVERAGE_BINS = 64, COVERAGE_COLUMNS = 24 };

/* Where the cells of a table's rows are, the first column first. */
struct coverage_columns {
    int n; /* 0: not known */
    double x[COVERAGE_COLUMNS];
    bool right[COVERAGE_COLUMNS]; /* cells end at x; else they begin there */
    bool values;                  /* rows have dates or amounts */
    double pitch, least;          /* distance of rows: usual, smallest */
};

/* What the first line of nearly every row has; kept from page to page for pages with
 * too few rows. All zero: unknown. */
struct coverage_shape {
    int n_row; /* number of rows it was learnt from; unreliable below 3 */
    /* least number of dates, amounts, numbers of any kind, items at token_at */
    int n_date, n_amount, n_figure, n_said;
    bool has_words;
    bool lies;                 /* of a page in landscape format */
    double left_from, left_to; /* where the first word or number begins */
    double date_from, date_to; /* where their dates begin */
    /* across the page: where amounts, and all values of rows, are */
    bool amount_at[COVERAGE_BINS], token_at[COVERAGE_BINS];
    /* where rows contain nearly all that is printed: words and dates by their left
     * edge, figures by their right edge */
    bool sure_at[2][COVERAGE_BINS];
    /* rows so far; those that contain exactly what their lines do */
    int n_judged, n_exact;
    struct coverage_columns columns;
};

/* Whether a row that was found contains what is on its lines. */
enum coverage_doubt {
    COVERAGE_SURE,
    COVERAGE_DOUBTFUL, /* it lacks a value, or has one of a neighbouring line */
    COVERAGE_MIXED     /* it is made of two: no row of the page */
};

/* What a line looks like, apart from the rows found on it. */
enum coverage_line {
    COVERAGE_TEXT,
    COVERAGE_SUM,   /* or carried forward */
    COVERAGE_LOOSE, /* it has a date or an amount that belongs to nothing */
    COVERAGE_ROW    /* like the first line of a row */
};

/* The answer about a page. */
struct coverage_given {
    const cJSON *rows; /* objects or scalars, in order */
    bool rest;         /* the first is the rest of a row, and looks different */
    bool exact;        /* other tables show that the text is what is printed */
    bool inexact; /* figures cannot be added up: they are those of OCR, or not
                        * all of the page's */
    bool lies; /* the page is in landscape format: columns learnt from pages in
                  * portrait format do not apply */
    bool
        strict; /* a line counts as missing only if rows on these lines show what a
                  * row looks like; and, if rows have a single amount and no
                  * date, only above the sum that ends their table */
    bool open; /* without such rows any line counts */
    const cJSON
        *others; /* other values (header, totals, rows of other arrays): an
                          * object, or NULL */
    const cJSON *head;  /* heading of the table as printed, or NULL */
    const cJSON *heads; /* of all tables: array of strings, or NULL */
    const cJSON *above; /* last row of the page before, or NULL */
};

struct coverage {
    int *line_of_row; /* line on which each row begins; -1: none */
    double *said; /* of each row: share of its values that are on its lines, or
                       * share of the values on its line that it has, 0..1: the
                       * smaller one */
    enum coverage_doubt *doubt; /* of each row */
    bool *
        one_wrong; /* of each: its lines lack no more than one of its values, which
                      * was misread */
    enum coverage_line *looks; /* of each line */
    int *row_of_line;          /* row to which each line belongs; -1: none */
    int *missing; /* lines that look like a row and belong to none */
    int n_missing;
    int *extra; /* rows that are on no line here, if this is certain */
    int n_extra;
    bool settled; /* no line is left that could be a row */
    bool known;   /* false: too much on the page; all rows are at -1 */
    /* across the page: the table's half of its lines, if rows of another array stand
     * beside it */
    double from, to;
    struct coverage_shape
        shape; /* of these rows; if too few, that of `before` */
};

/* Compares the rows of an answer with the lines of the page. Rows are aligned by their
 * values, each to lines of its own. A line whose dates and amounts are all among the
 * other values is explained. `before`: shape from an earlier page, or NULL. The
 * result is in the arena. */
void coverage_find(const struct page_table *print,
                   const struct coverage_given *given,
                   const struct coverage_shape *before, struct arena *arena,
                   struct coverage *out);

/* Finds the lines of tables without any row in the answer: at least four of a page have
 * a date or an amount in one column and `n_figure` dates and figures each, are no sums,
 * and have values that are not in `others`; with fewer of the next page or the one
 * before. `line` has room for all lines of the table. Returns their number. */
int coverage_find_rowless(const struct page_table *table, int n_figure,
                          const cJSON *others, struct arena *arena, int *line);

/* Whether nearly all rows so far had exactly the values of their lines: the words are
 * right, and the model copies them. False if there were too few rows. */
bool coverage_text_is_exact(const struct coverage_shape *shape);

#endif
