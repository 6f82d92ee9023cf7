/* correct.h - a record with what persons said of it (pipeline/spool/
 * corrections.h has the lines). */
#ifndef STAGES_RECORD_CORRECT_H
#define STAGES_RECORD_CORRECT_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "vlm/base/err.h"

/* Changes `record` (of the present version) by the lines, in their order: data,
 * and with it `fields`, which get "source": "person" where a person spoke, and
 * the pointers of warnings and conflicts where rows moved. What was said of a
 * value is a warning no more; `review` goes where nothing is left to be looked
 * at, and the verdict "unread" where all was. FAIL: ERR_INPUT: a line does not
 * fit; the record is of no use then. */
void correct_apply(cJSON *record, const cJSON *lines, double review_threshold,
                   struct err *err);

/* Marks the lines that count for nothing in skip[n]: those that another takes back
 * ("undo": the number of the first line, from 0, of what was said at once), and
 * those that do so. */
void correct_skip(const cJSON *lines, bool *skip);

/* The data alone, likewise: in place of *data. */
void correct_data(cJSON **data, const cJSON *line, struct err *err);

/* Does what was said at `said` bear on the value at `pointer`: the same value,
 * one of them in the other, or a row in front of it that came or went? */
bool correct_meets(const cJSON *line, const char *pointer, bool moves);

#endif
