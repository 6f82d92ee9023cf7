/* align_rows.h - which row that was read is which expected row.
 *
 * The best match: the one under which the most values are right. It is exact
 * up to ALIGN_ROWS_MAX rows on either side that are not the same as a row of
 * the other: those that are the same are matched first, which loses nothing
 * (align_rows.c says why), and the Hungarian method does the rest. Of matches as
 * good as each other the one nearest to the order counts. Of more rows the rest
 * is matched in order.
 */
#ifndef PIPELINE_EVAL_ALIGN_ROWS_H
#define PIPELINE_EVAL_ALIGN_ROWS_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"

enum { ALIGN_ROWS_MAX = 1000 };

/* For each element of `expected` (an array) the index of its element of `given`
 * (likewise), or -1: as many pairs as the shorter one has elements. */
int *align_rows(const cJSON *expected, const cJSON *given, struct arena *arena);

/* The same where the i-th is the i-th. */
int *align_rows_in_order(int n_expected, int n_given, struct arena *arena);

#endif
