/* row_lines.h - aligns rows of an answer with the lines of a page table.
 *
 * A row takes 1 to ROW_LINES_MAX consecutive lines, rows keep their
 * order, and no line belongs to two rows. The alignment chosen is the one in
 * which most of the rows' values are printed on their lines; rare words and
 * figures weigh more. Evidence searches a row's values on its lines; the check
 * of long documents looks for lines without a row.
 */
#ifndef STAGES_ALIGNMENT_ROW_LINES_H
#define STAGES_ALIGNMENT_ROW_LINES_H

#include "stages/print/canon.h"
#include "vlm/base/arena.h"

enum { ROW_ITEMS_MAX = 64, ROW_LINES_MAX = 4 };

/* A row and its lines. */
struct aligned_row {
    struct canons said;                  /* items of its values */
    double weight[ROW_ITEMS_MAX], total; /* weights; rare items have more */
    int n_item;                          /* items that count, 64 at most */
    int value_of[ROW_ITEMS_MAX];         /* index of each item's value */
    int line, n_line;                    /* its lines; -1: none */
    int end;                             /* index after its last own line */
    double found;                        /* share of its weight found there */
};

struct row_alignment {
    struct aligned_row *row;
    int n_row;
    const struct canons *const *line; /* items of each line */
    int n_line;
    double least; /* share of a row's weight needed to count as found */
    int span;     /* most lines per row, up to ROW_LINES_MAX */
    bool shared;  /* a line can belong to several rows */
    struct arena *arena;
};

/* Fills in the rows, whose `said`, `value_of` and `end` are input; `line` must
 * be -1. False: there are too many to compare. */
bool row_lines_find(const struct row_alignment *a);

/* The share of the row's weight that the items with these bits make up. */
double row_lines_share(const struct aligned_row *row, uint64_t bits);

#endif
