/* check_digits.h - check digits of identifiers, as their standards define them.
 */
#ifndef STAGES_ALIGNMENT_CHECK_DIGITS_H
#define STAGES_ALIGNMENT_CHECK_DIGITS_H

#include <stdbool.h>

enum check_digits_of {
    CHECK_DIGITS_IBAN, /* ISO 13616: remainder 1 modulo 97 */
    CHECK_DIGITS_GTIN, /* GS1: GTIN-8, 12, 13 and 14, so EAN and UPC */
    CHECK_DIGITS_ISBN, /* ISO 2108: ISBN-10 and ISBN-13 */
    CHECK_DIGITS_RF,   /* ISO 11649, a payment reference that begins with RF;
                        * any other is right */
    CHECK_DIGITS_VAT   /* of the EU: only the form; a number without a country
                        * is right */
};

/* Whether the text, in which spaces, dots and hyphens do not count, is an
 * identifier of this kind with right check digits. */
bool check_digits_are_right(const char *text, enum check_digits_of kind);

#endif
