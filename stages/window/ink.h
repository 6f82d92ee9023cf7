/* ink.h - rows held against the ink of a page that nobody else reads.
 *
 * What is printed in a column is as broad as the values that were read from it.
 * In which column each value of a row stands, in how large a print, and on which
 * lines each row, is what fits best, in order. So it is known which row stands on
 * no line, and which line that looks like a row's belongs to none, though nobody
 * knows what it says. Pure: nothing is asked.
 */
#ifndef STAGES_WINDOW_INK_H
#define STAGES_WINDOW_INK_H

#include <cjson/cJSON.h>

#include "stages/page/ink_sheet.h"
#include "stages/page/print_width.h"

enum { INK_KEYS_MAX = 24 };

/* Where a value of the rows is printed. Lengths in ems. */
struct ink_column {
    uint64_t key; /* of its name */
    bool right;   /* the cells of the column end at `edge` */
    bool dated;   /* its values are dates, */
    bool words;   /* or words */
    int form;     /* print_width.h */
    double edge;  /* of the page's width */
    double offset,
        slack;          /* of its cells beyond what was expected; its spread */
    double least, most; /* how broad they are */
    double gap;         /* the broadest between letters of one */
    int n_begin;        /* rows on whose first line it stands */
};

/* How a table is printed, learnt from its rows; all zero: not known. */
struct ink_table {
    int n_row, n_odd; /* that it was learnt from; those that did not fit */
    int n_bare;       /* those without a sum, but for a page's last one */
    int n_broad,
        n_close; /* as broad as print; and without gaps between words */
    enum print_face face;
    bool cut;       /* its columns stand as close as words: at their edges cells
                     * end */
    double em;      /* of the page's width */
    double letters; /* the same in letters' heights (ink_sheet.h) */
    double letter;  /* such a height, in pixels */
    struct ink_column column[INK_KEYS_MAX];
    int n_column;
};

struct ink_given {
    const cJSON *rows;     /* objects or scalars, in order */
    const cJSON *repeated; /* a row that the page before ended with, or NULL: of
                            * two that fit a line, the other one stands there */
    bool rest; /* the first one began on the page before: it does not tell how
                * rows begin */
    const bool *taken; /* lines that are another table's, or NULL */
    const bool *head;  /* of tables, or NULL: of two lines that a row fits, the
                        * other one is its own */
    const struct ink_table *before; /* of pages of this shape */
    bool strict; /* few rows tell, too, but only where all of them fit */
    bool fixed;  /* the rows are some of those that `before` was learnt from */
    const struct ink_table *told; /* another one of that print, or NULL */
};

struct ink_found {
    bool trusted;     /* the ink is what the rows say */
    int *line_of_row; /* the line on which each row begins, -1: none */
    int *n_line;      /* how many lines it has */
    bool *has_date;
    bool *odd;        /* of a row on a line: some of it is printed otherwise */
    int *row_of_line; /* -1: none */
    bool *looks;      /* of each line: as rows begin */
    bool *aside;      /* of each: a row at the table's edge may be its one */
    bool dated;       /* they begin with a date, among others */
    bool firm;        /* and what looks so is a row: or with three values */
    struct ink_table table;
};

/* Leaves of the lines that look so those that stand between rows on their page, or
 * below them where rows look like nothing else (firm): what stands above a table
 * may be its head, and what stands below it a sum. (ink_strict.c) */
void ink_keep_between(const struct ink_sheet *sheet, struct ink_found *found);

/* The line on which a table's head is printed, by its words, in about the print of
 * `print` (letters, face), or -1. (ink_head.c) */
int ink_head_line(const struct ink_sheet *sheet, const char *head,
                  const struct ink_table *print);

/* The key of a member of the rows. */
uint64_t ink_key(const char *name);

/* Lays the rows onto lines. The result lives in the arena. */
void ink_find(const struct ink_sheet *sheet, const struct ink_given *given,
              struct arena *arena, struct ink_found *out);

#endif
