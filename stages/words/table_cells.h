/* table_cells.h - lines of the pages, and the cells of a table's row (words_inside.h).
 */
#ifndef STAGES_WORDS_TABLE_CELLS_H
#define STAGES_WORDS_TABLE_CELLS_H

#include "stages/words/table_columns.h"

/* The page of the line. */
int table_cells_page(const struct words_reading *r, int line);

/* From one line to another one below it, in heights of a line; less than 0 if that is on
 * another page, higher. */
double table_cells_heights(const struct words_reading *r, int above, int below);

/* The edges of the token, in widths of the page, and the middle of tokens. */
double table_cells_left(const struct words_reading *r, int t);
double table_cells_right(const struct words_reading *r, int t);
double table_cells_middle(const struct words_reading *r, int first, int last);

/* Whether there is a figure, but for that of a unit, "m²", in tokens first to before `end`;
 * on the line. */
bool table_cells_have_figure(const struct words_reading *r, int first, int end);
bool table_cells_line_has_figure(const struct words_reading *r, int line);

/* Whether print ends before the token, and something else begins there: another cell, or
 * another figure. */
bool table_cells_are_apart(const struct words_reading *r, int t);

/* Finds the edges of the cells below each head, on the lines behind `line`: columns of
 * figures are in the order of their heads, even if some are nearer to another one. */
void table_cells_place(const struct words_reading *r, struct found_table *f,
                       int line);

/* The head of a cell with these edges, or -1. */
int table_cells_head(const struct found_table *f, double left, double right);

/* Whether the tokens are under the head, and not just near it. */
bool table_cells_are_under(const struct words_reading *r,
                           const struct table_head *h, int first, int last);

/* Reads what is on the line under each head. */
void table_cells_read_row(const struct words_reading *r,
                          const struct found_table *f, int line,
                          struct table_row *row);

/* The number of columns that the row fills, and of those of the array's figures. */
int table_cells_filled(const struct words_reading *r,
                       const struct found_table *f, const struct table_row *row,
                       int *n_figure);

/* Whether the row fills half of the columns. */
bool table_cells_are_like_row(const struct found_table *f,
                              const struct table_row *row);

/* Whether the column is one of figures; if nothing tells, by the cell, or NULL. */
bool table_cells_are_figures(const struct words_reading *r,
                             const struct table_head *h,
                             const struct table_cell *c);

#endif
