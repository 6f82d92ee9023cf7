/* ground.h - replaces values that the model guessed by words of their pages.
 *
 * Applies to records of a few pages that would be unread or that OCR does not
 * confirm (confidence_is_guessed). Dates, amounts and free texts outside rows
 * are replaced by the print that they most probably are (candidates.h); values
 * without a candidate stay. Their confidence is that of the print
 * (confidence_of_print); words that a value was taken from do not confirm it.
 *
 * In every record a seller that is only the name of the document ("TAX
 * INVOICE") is replaced or doubtful, and a currency that is no ISO 4217 code, or
 * that nothing on the page names, becomes null.
 */
#ifndef STAGES_FALLBACK_GROUND_H
#define STAGES_FALLBACK_GROUND_H

#include "stages/ask/document_run.h"

/* Changes doc->data and doc->field, with a warning for each value that is not
 * sure. Does nothing if settings->ground is "off", or after a failure. */
void ground_document(struct document_run *r);

#endif
