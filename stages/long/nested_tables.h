/* nested_tables.h - tables within rows: an account and its bookings, an order and its
 * lines.
 *
 * The inner rows are printed line by line; the outer row is a heading, or not printed
 * at all on a page where its table continues. So the inner rows of a part are checked
 * against the page as one list (check_rows_part), each with "in": its outer row, an
 * index into w->around. Afterwards they are joined again; an outer row that continues
 * over pages is one row.
 *
 * If an answer has more outer rows than elements in them, the outer rows are printed
 * line by line: they are checked together with their elements, and split afterwards.
 */
#ifndef STAGES_LONG_NESTED_TABLES_H
#define STAGES_LONG_NESTED_TABLES_H

#include "stages/long/long_inside.h"

/* Whether rows of the array hold tables. */
bool nested_tables_is_around(const struct plan *plan, int array);

/* Whether the value, a part's answer or (`whole`) the document's, has tables within
 * rows: at least as many elements as rows, or one less if the first may
 * be the end of a row. */
bool nested_tables_shows(const struct plan *plan, const cJSON *value,
                         bool whole);

/* The table in an outer row, or NULL. Borrowed. */
cJSON *nested_tables_table(const struct plan_array *array, const cJSON *row);

/* The index in w->around[around] of an outer row of another answer, by comparing their
 * values; a different row is added there. -1: it is empty. Owns `entry`. */
int nested_tables_find(struct long_document *w, int around, cJSON *entry);

/* Moves outer rows that hold tables from `entries` to w->around. */
void nested_tables_set_aside(struct long_document *w, cJSON **entries);

/* Assigns entries without an outer row by position: to the outer row whose values are
 * printed above them. line[]: of each entry, or -1. For the end of
 * check_rows_part. */
void nested_tables_place(const struct long_document *w, int array,
                         cJSON *entries, const int *line,
                         const struct page_table *table, struct arena *arena);

/* Takes the tables out of outer rows that were checked together with them. For use
 * after check_rows_part. */
void nested_tables_split(struct long_document *w, int around, cJSON **entries);

/* Passes on the outer rows of a part, in order, each with its tables: begin() owns the
 * row (NULL: the one before continues); `first`: it is the first of the part. Then
 * take() empties the entries of each table. */
struct nested_tables_writer {
    void (*begin)(void *arg, int around, cJSON *entry, bool first);
    void (*take)(void *arg, int array, cJSON *entries);
    void *arg;
};
void nested_tables_join(struct long_document *w, int around, cJSON **entries,
                        const struct nested_tables_writer *writer);

/* Whether the entry can continue the waiting row, by comparing their values. `told`:
 * the answer says so. */
bool nested_tables_continues(const struct long_document *w, int around,
                             const cJSON *entry, bool told);

/* Whether the row has no value that the other one lacks. */
bool nested_tables_is_final(const cJSON *other, const cJSON *row);

/* Adds the values of outer rows to `known`, the values that are not rows. */
void nested_tables_describe(const struct long_document *w, cJSON *known);

#endif
