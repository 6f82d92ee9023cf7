/* split_row.h - a row that a page break cuts in two: the row that waits in w->last,
 * and the first row of the next page, which may be the rest of it. */
#ifndef STAGES_LONG_SPLIT_ROW_H
#define STAGES_LONG_SPLIT_ROW_H

#include "stages/long/long_inside.h"

/* Whether the entry can be the rest of the array's last row. */
bool split_row_fits(const struct long_document *w, int array,
                    const cJSON *entry);

/* Joins the first of `entries` to the row that waits, if it is the rest of it. */
void split_row_join(struct long_document *w, int array, cJSON *entries);

/* Adds the members and fields of `entry` to the row `waits`. */
void split_row_add(cJSON *waits, const cJSON *entry);

#endif
