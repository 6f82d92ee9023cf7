/* correct.h - applies corrections by people to a record; the lines are those of
 * pipeline/spool/corrections.h. */
#ifndef STAGES_RECORD_CORRECT_H
#define STAGES_RECORD_CORRECT_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "vlm/base/err.h"

/* A line can also be a warning about a value that a person gave: it is added, and
 * the value has to be confirmed again. Applies the lines in order to `record` (of the current version): changes
 * data, its `fields` (which get "source": "person" for corrected values), and
 * the pointers of warnings and conflicts after moved rows. Warnings about
 * corrected values are removed; `review` becomes false when nothing is left to
 * review, and the verdict "read" when every value was corrected. FAIL:
 * ERR_INPUT: a line does not fit; the record is unusable then. */
void correct_apply(cJSON *record, const cJSON *lines, double review_threshold,
                   struct err *err);

/* Sets skip[i] for lines without effect: those that a later line undoes
 * ("undo": the index of the first line, from 0, of one group), and the undo
 * lines. */
void correct_skip(const cJSON *lines, bool *skip);

/* Applies one line to *data alone, which is replaced if need be. FAIL: as
 * correct_apply. */
void correct_data(cJSON **data, const cJSON *line, struct err *err);

/* Does the line affect the value at `pointer`: the same value, one inside the
 * other, or a row that was added to or deleted from an array around it?
 * `moves`: `pointer` is itself a row that is added or deleted. */
bool correct_meets(const cJSON *line, const char *pointer, bool moves);

#endif
