/* ground.h - replaces values that the model guessed by words of their pages.
 *
 * Applies to records of a few pages that would be unread or that OCR does not
 * confirm (confidence_is_guessed). Dates, amounts and free texts outside rows
 * are replaced by the print that they most probably are (candidates.h); values
 * without a candidate stay. The record stays unread: its probabilities are
 * those of the model's own answers, and words that a value was taken from do
 * not confirm it.
 */
#ifndef STAGES_FALLBACK_GROUND_H
#define STAGES_FALLBACK_GROUND_H

#include "stages/ask/document_run.h"

/* Changes doc->data and doc->field, with a warning for each value. Does nothing
 * if settings->ground is "off", or after a failure. */
void ground_document(struct document_run *r);

#endif
