/* ink_inside.h - what the files of ink.h share. */
#ifndef STAGES_WINDOW_INK_INSIDE_H
#define STAGES_WINDOW_INK_INSIDE_H

#include "stages/window/ink.h"

enum { INK_SPAN = 3 /* lines of a row */ };

/* A value of a row, in all the ways to print it: [face][form], in ems. */
struct row_print {
    const char *text; /* of a string, else NULL */
    bool dated;
    int n_form; /* 0: there is none */
    double width[PRINT_FACES][PRINT_FORMS];
};

struct ink_rows {
    uint64_t key[INK_KEYS_MAX];
    int n_key, n_row;
    struct row_print *value; /* [row * INK_KEYS_MAX + key] */
    int repeated;            /* the row that is the repeated one, or -1 */
    struct arena *arena;
};

/* Print as broad in a column as on each line: the cells that begin, or end, at
 * one place. */
struct ink_edge {
    bool right;
    double x;        /* pixels */
    const int *cell; /* of each line: its cell there, -1: none */
    int n;
};

/* The lines with cells as the face has them. (ink_rows.c) */
const struct ink_sheet *ink_sheet_of(const struct ink_sheet *sheet,
                                     enum print_face face);

enum { INK_CUTS_MAX = 48 };

/* Where columns stand as close as words: gaps that end (begin) there part cells. */
struct ink_cut {
    bool right; /* it begins there */
    double x, near;
};

struct ink_cutting {
    double gap; /* pixels, at least */
    struct ink_cut cut[INK_CUTS_MAX];
    int n;
};

/* How broad a gap between words is at least, in pixels. (ink_cut.c, as those
 * below) */
double ink_cut_gap(const struct ink_sheet *sheet);

/* The broadest gap in the cell, in pixels. */
int ink_gap(const struct ink_line *line, const struct ink_cell *cell);

/* The same lines, their cells cut at gaps there. Lives in the arena. */
const struct ink_sheet *ink_cut_at(const struct ink_sheet *sheet,
                                   const struct ink_cutting *cuts,
                                   struct arena *arena);

/* The same where gaps stand on many lines at one place; NULL: nowhere. */
const struct ink_sheet *ink_cut_often(const struct ink_sheet *sheet,
                                      const struct ink_given *given,
                                      const struct ink_rows *rows);

/* Reads the rows' values. (ink_rows.c) */
void ink_read_rows(const struct ink_given *given, struct arena *arena,
                   struct ink_rows *out);

/* Finds the size of print and the columns of the keys whose values are of many
 * widths: out->em, face and column[]; false where nothing fits. (ink_fit.c) */
bool ink_fit(const struct ink_sheet *sheet, const struct ink_given *given,
             const struct ink_rows *rows, struct ink_table *out);

/* The columns that the row would have on the line, where the size of print is
 * given; false where it does not fit. For tables of few rows. (ink_fit_row.c) */
bool ink_fit_row(const struct ink_sheet *sheet, const struct ink_given *given,
                 const struct ink_rows *rows, int row, int line,
                 struct ink_table *out);

/* Adds the columns of the other keys, by the rows that are on lines. */
void ink_fit_rest(const struct ink_sheet *sheet, const struct ink_given *given,
                  const struct ink_rows *rows, const struct ink_found *found,
                  struct ink_table *t);

extern const double ink_space; /* between words, in ems */

/* Do the words of the text begin where the cell's print has gaps? `em` in
 * pixels. (ink_rows.c) */
bool ink_has_words(const struct ink_line *line, const struct ink_cell *c,
                   const char *text, enum print_face face, double em);

/* The cell of a line that begins (ends) within `near` of x, or -1. */
int ink_cell_at(const struct ink_line *line, bool right, double x, double near);

#endif
