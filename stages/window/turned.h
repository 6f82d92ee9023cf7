/* turned.h - a table's rows, given once as they stand on a page and once more with the
 * page's lower half shown first. Pure.
 */
#ifndef STAGES_WINDOW_TURNED_H
#define STAGES_WINDOW_TURNED_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* `own` and `late` are entries (rows.h). Rows that are given both times are right; of
 * what stood at the page's edges, what is given later; and at the cut, what was given
 * before. Returns the entries from the page's top, the caller's; NULL: it was not cut
 * within the table, or too few of them are the same. `lower` is the part of the page's
 * lines below the cut, by which a row is told that may be the page's first as well as
 * its last. *open: at the cut are rows that were not given before, and are not
 * returned; another cut tells. */
cJSON *turned_rows(const cJSON *own, const cJSON *late, double lower,
                   bool *open);

#endif
