/* attention_evidence.h - the place of a value that no words show: the print
 * that the model attended to while writing it, or else only the page.
 *
 * This tells where the value was read, not that it was read correctly, as OCR
 * would. Verdicts are not changed, and the evidence has no text.
 */
#ifndef STAGES_EVIDENCE_ATTENTION_EVIDENCE_H
#define STAGES_EVIDENCE_ATTENTION_EVIDENCE_H

#include "stages/document.h"

/* Sets what is known of the place of doc->field[at], whose value is not null:
 * evidence with the source "attention" from doc->look (not for true and false,
 * which are not printed), else the page with the most attention, else
 * `only_page` (0: there are several). Does not change a field that already has
 * evidence. The text goes to doc->scratch. */
void attention_evidence_prove(struct document *doc, int at, bool is_printed,
                              int only_page);

#endif
