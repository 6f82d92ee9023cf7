/* invoice_paths.h - where the terms of EN 16931 are in an e-invoice: one table
 * for both syntaxes, UBL 2.1 and Cross Industry Invoice (CII).
 */
#ifndef STAGES_CHILDREN_RASTER_INVOICE_INVOICE_PATHS_H
#define STAGES_CHILDREN_RASTER_INVOICE_INVOICE_PATHS_H

enum invoice_syntax { INVOICE_CII, INVOICE_UBL };

/* The term number (112 for BT-112) at a path of local names without the root
 * ("/ExchangedDocument/ID"; of a UBL credit note with the names of an
 * invoice). 0: known, but no term; -1: not in the table. Where attributes or
 * neighbours decide between terms (VAT number or tax number, allowance or
 * charge), it is the first of them. Pure. */
int invoice_paths_term(enum invoice_syntax syntax, const char *path);

#endif
