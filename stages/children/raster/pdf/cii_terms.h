/* cii_terms.h - which element of a Cross Industry Invoice is which term of EN
 * 16931 (cii.h). */
#ifndef STAGES_CHILDREN_RASTER_PDF_CII_TERMS_H
#define STAGES_CHILDREN_RASTER_PDF_CII_TERMS_H

#include <stdbool.h>

/* The term at a path of local names ("/CrossIndustryInvoice/..."), 0: none. Of
 * tax numbers the VAT number's, of tax totals that of the invoice's currency:
 * attributes tell. */
int cii_term(const char *path);

/* Whether an element of this local name is a line of the invoice. */
bool cii_is_line(const char *name);

/* Whether a document that begins so is a Cross Industry Invoice. */
bool cii_is_root(const char *name, const char *space);

#endif
