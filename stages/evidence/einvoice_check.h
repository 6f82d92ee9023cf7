/* einvoice_check.h - values held against the e-invoice that lies in the document
 * (packed_invoice.h): an exact OCR, who has no places.
 *
 * It changes no value. Where the names of a field tell which term of EN 16931 it
 * is (einvoice_terms.h), the e-invoice confirms the value or denies it; a row is
 * held against the line that it shares most values with. What the names leave
 * open is confirmed where the e-invoice has that very value and it is no short
 * one. A value that the e-invoice does not have is not denied for that: paper
 * says more than XML.
 */
#ifndef STAGES_EVIDENCE_EINVOICE_CHECK_H
#define STAGES_EVIDENCE_EINVOICE_CHECK_H

#include "stages/document.h"

/* Sets verdict, `confirmed` and `denied` of doc->field, the fields of the answer
 * `value`, where doc->invoice says something of them, and adds that to their
 * evidence (in doc->scratch). No e-invoice: nothing is done. */
void einvoice_check_prove(struct document *doc, const cJSON *value);

#endif
