/* nested_tables.h - tables within rows: an account and its bookings, an order and its lines.
 *
 * What stands on a page line by line are the rows within; the row around them is a
 * heading, or nothing at all on a page where its table goes on. So the rows within
 * are what is held against the page (check_rows_part), all those of a part as one list,
 * each with "in": the row around it, as an index into w->around. Behind that they
 * are put together again: a row around that goes on from page to page is one row.
 *
 * Where an answer has more rows than elements in them the rows are what is printed
 * line by line: they are held against the page with what is in them, and taken apart
 * behind that.
 */
#ifndef STAGES_LONG_NESTED_TABLES_H
#define STAGES_LONG_NESTED_TABLES_H

#include "stages/long/long_inside.h"

/* Do rows of the array hold tables? */
bool nested_tables_is_around(const struct plan *plan, int array);

/* Does the value, laid out as a part's answer or (`whole`) as the document's, show
 * tables within rows: as many elements as rows? */
bool nested_tables_shows(const struct plan *plan, const cJSON *value,
                         bool whole);

/* The table in a row around it; NULL: there is none. Borrowed. */
cJSON *nested_tables_table(const struct plan_array *array, const cJSON *row);

/* Which of w->around[around] the row of another answer is, by what both say: one that
 * says something else is a new one there; -1: it says nothing. (`entry` is taken.) */
int nested_tables_find(struct long_document *w, int around, cJSON *entry);

/* The rows around leave `entries` for w->around, where they hold tables. */
void nested_tables_set_aside(struct long_document *w, cJSON **entries);

/* Tells entries of the table that do not say in which row they are by where they are
 * printed: behind the line that says most of it. line[]: of each entry, or -1. (Before
 * check_rows_part ends.) */
void nested_tables_place(const struct long_document *w, int array,
                         cJSON *entries, const int *line,
                         const struct page_table *table, struct arena *arena);

/* Takes the tables out of rows around that were held against the page with them.
 * (Behind check_rows_part.) */
void nested_tables_split(struct long_document *w, int around, cJSON **entries);

/* The rows around of a part, in order, each with its tables: `begin` takes the row (NULL:
 * the one before goes on), and is told whether it is the part's first; then `take`
 * empties its entries of each table. */
struct nested_tables_writer {
    void (*begin)(void *arg, int around, cJSON *entry, bool first);
    void (*take)(void *arg, int array, cJSON *entries);
    void *arg;
};
void nested_tables_join(struct long_document *w, int around, cJSON **entries,
                        const struct nested_tables_writer *writer);

/* Can the entry be the waiting row, which goes on? By what both say, `told` where the
 * answer says that it is. */
bool nested_tables_continues(const struct long_document *w, int around,
                             const cJSON *entry, bool told);

/* Does the row say nothing that the other one does not say? */
bool nested_tables_is_final(const cJSON *other, const cJSON *row);

/* Adds what the rows around say to the object of all that is known besides rows. */
void nested_tables_describe(const struct long_document *w, cJSON *known);

#endif
