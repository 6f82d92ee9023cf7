/* anchor.h - values that the model could only guess at, laid onto the words of
 * their pages.
 *
 * Where the record of a few pages would be unread, or is not what a second reader
 * sees (trust_is_guessed), the model knows nothing but outlines (engine_facts)
 * and the pages have words (a text layer, the second reader's), values that stand
 * once, dates, amounts and free texts, become the print that they are most
 * probably (evidence/printed.h); what nothing speaks for stays. The record stays
 * unread: a probability says what the model said, and the words that a value was
 * taken from confirm nothing.
 */
#ifndef STAGES_ANCHOR_H
#define STAGES_ANCHOR_H

#include "stages/reading.h"

/* Changes doc->data and doc->field, each value with a warning. Does nothing
 * where settings->anchor is "off", or after a failure. */
void anchor_document(struct reading *r);

#endif
