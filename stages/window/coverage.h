/* coverage.h - which rows of a table on a page nobody gave.
 *
 * The lines of a page (lines.h) are held against the rows that were read from
 * it. Pure: nothing is asked, nothing is kept but the shape of the rows.
 */
#ifndef STAGES_WINDOW_COVERAGE_H
#define STAGES_WINDOW_COVERAGE_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "stages/page/lines.h"
#include "vlm/base/arena.h"

enum { COVERAGE_BINS = 64 };

/* What nearly every row's first line has; taken along from page to page for
 * pages with too few rows to tell. All zero: not known. */
struct coverage_shape {
    int n_row; /* that it was learnt from; below 3 it says nothing */
    /* at least so many; figures: any numbers, said: items at said_at */
    int n_date, n_amount, n_figure, n_said;
    bool has_words;
    double left_from, left_to; /* where the first word or number begins */
    double date_from, date_to; /* where their dates begin */
    /* across the page: where amounts and what the rows say stand */
    bool amount_at[COVERAGE_BINS], said_at[COVERAGE_BINS];
};

struct coverage {
    int *line_of_row; /* the line on which each row begins, -1: on none */
    double *said;     /* how much of what the row says its lines say, and of the
                       * values on its line it says: the lesser, 0 to 1 */
    int *missing;     /* lines that look like a row and belong to none */
    int n_missing;
    int *extra; /* rows that stand on no line here; in doubt, it is not one */
    int n_extra;
    bool known; /* false: too much on the page to tell, all rows are at -1 */
    struct coverage_shape shape; /* of these rows; before's where too few */
};

/* Holds `rows` (an array of the objects or scalars read from this page, in
 * order) against its lines. `others`: what else was read (header, totals, rows
 * of other arrays), an object or NULL; a line all of whose dates and amounts
 * stand there is explained. `before`: the shape found on an earlier page, or
 * NULL. With text, rows are aligned by what they say, each to lines of its own;
 * without, only counts can be compared (coverage_by_ink). The result lives in
 * the arena. */
void coverage_find(const struct lines *lines, const cJSON *rows,
                   const cJSON *others, const struct coverage_shape *before,
                   struct arena *arena, struct coverage *out);

#endif
