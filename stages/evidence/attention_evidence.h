/* attention_evidence.h - where a value stands that no words show: the print that the model
 * looked at while it wrote it, then the page alone.
 *
 * A model that looks where it reads is no OCR: what is found this way
 * says where the value was read, not that it was read right. Verdicts are
 * left alone, and there is no text, for none was read there.
 */
#ifndef STAGES_EVIDENCE_ATTENTION_EVIDENCE_H
#define STAGES_EVIDENCE_ATTENTION_EVIDENCE_H

#include "stages/document.h"

/* Gives doc->field[at], whose value is not null, what is known of its place:
 * evidence of the source "attention" from doc->look (not for true and false,
 * which nothing printed says), else the page that was looked at most, else
 * `only_page` (0: there are several). Leaves a field alone that has evidence
 * already. The text goes to doc->scratch. */
void attention_evidence_prove(struct document *doc, int at, bool is_printed,
                              int only_page);

#endif
