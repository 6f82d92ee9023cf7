/* einvoice_check.h - compares values with the e-invoice embedded in the
 * document (packed_invoice.h): an exact second reading, but without places.
 *
 * Changes no value. If the names of a field identify its EN 16931 term
 * (einvoice_terms.h), the e-invoice confirms or denies the value; a row is
 * compared with the line with which it shares most values. If the names leave
 * the term open, a value that is not short is confirmed when the e-invoice
 * contains it. A value missing from the e-invoice is not denied: paper can
 * contain more than the XML.
 */
#ifndef STAGES_EINVOICE_EINVOICE_CHECK_H
#define STAGES_EINVOICE_EINVOICE_CHECK_H

#include "stages/document/document.h"

/* Sets verdict, `confirmed` and `denied` of doc->field, the fields of the
 * answer `value`, as far as doc->invoice decides them, and adds evidence (in
 * doc->scratch). Without an e-invoice it does nothing. */
void einvoice_check_compare(struct document *doc, const cJSON *value);

#endif
