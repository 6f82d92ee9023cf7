/* coverage_inside.h - what the files of coverage.h share. */
#ifndef STAGES_WINDOW_COVERAGE_INSIDE_H
#define STAGES_WINDOW_COVERAGE_INSIDE_H

#include "stages/page/canon.h"
#include "stages/window/coverage.h"

enum { ROW_ITEMS_MAX = 64, SPAN_MAX = 4 };

/* A row that was read, and where it was found. */
struct row_said {
    struct canons said;
    double weight[ROW_ITEMS_MAX], total; /* of its items, rare ones more */
    int n_item;                          /* that count: 64 at most */
    int line, n_line;                    /* -1: nowhere */
    double found;                        /* part of its weight found there */
};

/* A line, and what of it rows have taken. */
struct line_said {
    struct canons said;
    bool *taken;  /* each item, by a row */
    int row;      /* that begins here, -1: none */
    bool goes_on; /* of the row that begins above */
    const struct line *line;
};

struct comparison {
    struct row_said *row;
    int n_row;
    struct line_said *line;
    int n_line;
    struct canons others;
    struct arena *arena;
};

/* A row is found where so much of its weight is. */
static const double coverage_least = 0.4;

/* Aligns the rows to the lines, in order, each line to one row at most; then
 * rows that are left to what of lines is left. False: too many to compare. */
bool coverage_align(struct comparison *table);

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

/* coverage_find without text. */
void coverage_by_ink(const struct lines *lines, const cJSON *rows,
                     struct arena *arena, struct coverage *out);

#endif
