/* align_rows.h - aligns the rows that were read with the expected rows.
 *
 * Finds the matching with the most correct values. Equal rows are matched
 * first, which is optimal (align_rows.c proves it), the rest with the Hungarian
 * method. Of equally good matchings the one closest to the order is chosen. If
 * more than ALIGN_ROWS_MAX rows remain on either side, they are matched in
 * order.
 */
#ifndef PIPELINE_EVAL_ALIGN_ROWS_H
#define PIPELINE_EVAL_ALIGN_ROWS_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"

enum { ALIGN_ROWS_MAX = 1000 };

/* For each element of the array `expected` the index of its match in the array
 * `given`, or -1. Every element of the shorter array has a match. */
int *align_rows(const cJSON *expected, const cJSON *given, struct arena *arena);

/* The same, matching the i-th with the i-th. */
int *align_rows_in_order(int n_expected, int n_given, struct arena *arena);

#endif
