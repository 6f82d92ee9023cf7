/* einvoice_explain.h - the part of a sum for which a schema has no field: an
 * e-invoice's allowances, charges, prepayments and rounding.
 *
 * A schema whose check says that quantity times price is the amount is right
 * for most invoices and wrong for one with a discount on the line. The file has
 * that discount, too.
 */
#ifndef STAGES_EINVOICE_EINVOICE_EXPLAIN_H
#define STAGES_EINVOICE_EINVOICE_EXPLAIN_H

#include "stages/document/document.h"
#include "vlm/base/exact_sum.h"

/* Whether the value at the pointer differs from its check by `over` because of
 * such amounts in the e-invoice: those of its line, or else of the whole. False
 * for a document that is no e-invoice in XML. */
bool einvoice_explain(const struct document *doc, const char *pointer,
                      struct exact_sum over, struct exact_sum tolerance);

#endif
