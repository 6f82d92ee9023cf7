/* einvoice_terms.h - the EN 16931 terms that a value can be, from the names in
 * its pointer.
 *
 * A different value in the e-invoice denies a value only if its names identify
 * the term; otherwise a value can only be confirmed.
 */
#ifndef STAGES_EINVOICE_EINVOICE_TERMS_H
#define STAGES_EINVOICE_EINVOICE_TERMS_H

#include <stdbool.h>

enum { EINVOICE_TERMS_MAX = 7 };

enum invoice_kind {
    INVOICE_TEXT, /* sometimes printed in other words: never denied */
    INVOICE_CODE,
    INVOICE_NUMBER,
    INVOICE_DATE
};

/* How values of a term are compared. */
enum invoice_kind einvoice_terms_kind(int term);

/* Whether EN 16931 requires the term: of every invoice, or of every line or row
 * that it belongs to. */
bool einvoice_terms_required(int term);

/* The terms that a value can be, the most likely first; n 0: unknown. */
struct einvoice_terms {
    int term[EINVOICE_TERMS_MAX];
    int n;
    bool strict; /* it is certainly one of them */
};

/* Derives the terms from a value's pointer ("/seller/vat_id", "/items/3/qty")
 * and the title or name of its schema (`called`). `in_row`: the value is in an
 * object of an array, and its terms are those of an invoice line. */
struct einvoice_terms einvoice_terms_of(const char *pointer, const char *called,
                                        bool in_row);

/* Whether the name of an array says that its rows are articles ("/items/0"). */
bool einvoice_terms_are_lines(const char *pointer);

/* The same for a property of the rows of an array that is not of invoice lines:
 * tax rates ("/taxes/0/amount", BT-116 to 119) and allowances of the whole
 * invoice ("/discounts/0/amount", BT-92 to 97) and charges (BT-99 to 104). */
struct einvoice_terms einvoice_terms_of_row(const char *pointer,
                                            const char *called);

/* The terms whose texts together are the address of a party
 * ("/seller/address"): three lines, postcode, city, region, country. n 0: it is
 * no address. */
struct einvoice_terms einvoice_terms_of_address(const char *pointer,
                                                const char *called);

#endif
