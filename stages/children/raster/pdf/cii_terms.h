/* cii_terms.h - maps elements of a Cross Industry Invoice to EN 16931 terms
 * (cii.h). */
#ifndef STAGES_CHILDREN_RASTER_PDF_CII_TERMS_H
#define STAGES_CHILDREN_RASTER_PDF_CII_TERMS_H

#include <stdbool.h>

/* The term at a path of local names ("/CrossIndustryInvoice/..."), 0: none. For
 * tax numbers it is the VAT number's, for tax totals that of the invoice's
 * currency; attributes distinguish them. */
int cii_term(const char *path);

/* Whether an element with this local name is an invoice line. */
bool cii_is_line(const char *name);

/* Whether a document with this root element is a Cross Industry Invoice. */
bool cii_is_root(const char *name, const char *space);

#endif
