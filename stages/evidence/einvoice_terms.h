/* einvoice_terms.h - which terms of EN 16931 a value may be, by the names in its
 * pointer.
 *
 * An e-invoice that has another value denies one only where the names say what it
 * is; what they leave open may at most be confirmed.
 */
#ifndef STAGES_EVIDENCE_EINVOICE_TERMS_H
#define STAGES_EVIDENCE_EINVOICE_TERMS_H

#include <stdbool.h>

enum { EINVOICE_TERMS_MAX = 6 };

enum invoice_kind {
    INVOICE_TEXT, /* printed in other words now and then: never denied */
    INVOICE_CODE,
    INVOICE_NUMBER,
    INVOICE_DATE
};

/* How values of a term are compared. */
enum invoice_kind einvoice_terms_kind(int term);

/* The terms that a value may be, the likeliest first; n 0: nobody knows. */
struct einvoice_terms {
    int term[EINVOICE_TERMS_MAX];
    int n;
    bool strict; /* it is one of them, and nothing else */
};

/* By a value's pointer ("/seller/vat_id", "/items/3/qty") and what the whole is
 * called (title or name of its schema). `in_row`: it is in an object of an array,
 * and its terms are those of a line. */
struct einvoice_terms einvoice_terms_of(const char *pointer, const char *called,
                                        bool in_row);

#endif
