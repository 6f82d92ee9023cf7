/* ground.h - values that the model could only guess at, laid onto the words of
 * their pages.
 *
 * Where the record of a few pages would be unread, or is not what OCR
 * sees (confidence_is_guessed), the model knows nothing but outlines (engine_facts)
 * and the pages have words (a text layer, OCR's), values that stand
 * once, dates, amounts and free texts, become the print that they are most
 * probably (evidence/candidates.h); what nothing speaks for stays. The record stays
 * unread: a probability says what the model said, and the words that a value was
 * taken from confirm nothing.
 */
#ifndef STAGES_ANCHOR_H
#define STAGES_ANCHOR_H

#include "stages/ask/document_run.h"

/* Changes doc->data and doc->field, each value with a warning. Does nothing
 * where settings->ground is "off", or after a failure. */
void ground_document(struct document_run *r);

#endif
