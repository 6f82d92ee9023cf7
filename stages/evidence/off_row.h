/* off_row.h - detects values printed in another row's line.
 *
 * A misread figure can be printed somewhere else on the page, above all a short
 * one. A value on a line with values of another row of its array, and with none
 * of its own row, does not prove a correct reading. Nor does a figure of few
 * characters without values of its own row next to it, found or not, or at
 * several places; a date without a printed year, if its year differs from that
 * of most such dates; two dates at the same place; or a figure within the
 * letters of a word. See also locate_doubt.c.
 */
#ifndef STAGES_EVIDENCE_OFF_ROW_H
#define STAGES_EVIDENCE_OFF_ROW_H

#include "stages/document/document.h"

/* Sets DOUBT_PLACE for the fields of one answer, according to their evidence. */
void off_row_mark(struct field *field, int n_field);

#endif
