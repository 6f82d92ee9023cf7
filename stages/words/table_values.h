/* table_values.h - the values of a table's rows (words_inside.h). */
#ifndef STAGES_WORDS_TABLE_VALUES_H
#define STAGES_WORDS_TABLE_VALUES_H

#include "stages/words/table_columns.h"
#include "vlm/base/exact_sum.h"

/* The figure of the cell that the slot's value is read from, or NULL. */
const struct table_figure *table_values_figure(const struct words_reading *r,
                                               const struct leaf_slot *s,
                                               const struct table_cell *c);

/* Reads the number of the cell; false: there is none. */
bool table_values_number(const struct words_reading *r,
                         const struct leaf_slot *s, const struct table_cell *c,
                         struct exact_sum *out);

/* Adds the row to the array: the cells of its columns, and for keys without a column the
 * lines that continue it. */
void table_values_add(struct words_reading *r, struct slot_array *a,
                      const struct found_table *f, const struct table_row *row);

/* column_totals.c: fills in the totals of the table's columns that are printed below them. */
void column_totals_read(struct words_reading *r, const struct found_table *f);

#endif
