/* einvoice_fill.h - the record of an e-invoice in XML: its values in the fields
 * of the schema, without a model.
 *
 * The names of a field identify its EN 16931 term (einvoice_terms.h), and so do
 * those of an array: of invoice lines, of tax rates, of allowances or charges. A field
 * without a term, or whose term the file lacks, is null. Amounts keep the sign
 * of the file, also in a credit note.
 */
#ifndef STAGES_EINVOICE_EINVOICE_FILL_H
#define STAGES_EINVOICE_EINVOICE_FILL_H

#include "stages/document/document.h"

/* Sets doc->data, not validated yet, and doc->field, each with the XPath as
 * evidence, from doc->invoice. Warns of fields that the file lacks
 * (e-invoice-lacks), of those among them that EN 16931 requires
 * (e-invoice-incomplete), of terms without a field (e-invoice-unmapped), of
 * values that a field does not allow (e-invoice-unfit), of files attached to it
 * (content-unread) and of a credit note. FAIL: [not-e-invoice] if no value has a field. */
void einvoice_fill(struct document *doc, struct err *err);

#endif
