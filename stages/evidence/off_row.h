/* off_row.h - values that stand in another row's line.
 *
 * A misread figure may well stand somewhere else on the page, above all a short
 * one. A value that stands beside values of another row of its array, and beside
 * none of its own, is no proof that it was read right; of a figure of few
 * characters, it is none that it stands beside none of its own, whether those were
 * found or not, or at several places. Nor is a date whose year is not printed, where
 * it is not that of most others like it; nor two dates that stand at one place, nor a
 * figure amid the letters of a word. locate_doubt.c has said more before.
 */
#ifndef STAGES_EVIDENCE_OFF_ROW_H
#define STAGES_EVIDENCE_OFF_ROW_H

#include "stages/document.h"

/* Sets `stray` of these fields, those of one answer, by their evidence. */
void off_row_mark(struct field *field, int n_field);

#endif
