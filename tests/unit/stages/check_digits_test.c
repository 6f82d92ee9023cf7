/* check_digits_test.c - identifiers from the standards' own examples. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/alignment/check_digits.h"

static void right_and_wrong(void **state)
{
    (void)state;
    static const struct {
        enum check_digits_of kind;
        const char *text;
        bool right;
    } row[] = {
        {CHECK_DIGITS_IBAN, "GB29 NWBK 6016 1331 9268 19", true},
        {CHECK_DIGITS_IBAN, "de89370400440532013000", true},
        {CHECK_DIGITS_IBAN, "DE89370400440532013001", false},
        {CHECK_DIGITS_IBAN, "DE8937040044053201", false},
        {CHECK_DIGITS_IBAN, "0532013000", false},
        {CHECK_DIGITS_GTIN, "4006381333931", true},
        {CHECK_DIGITS_GTIN, "4006381333932", false},
        {CHECK_DIGITS_GTIN, "036000291452", true},
        {CHECK_DIGITS_GTIN, "96385074", true},
        {CHECK_DIGITS_GTIN, "9638507", false},
        {CHECK_DIGITS_ISBN, "978-3-16-148410-0", true},
        {CHECK_DIGITS_ISBN, "0-8044-2957-X", true},
        {CHECK_DIGITS_ISBN, "0-8044-2957-1", false},
        {CHECK_DIGITS_RF, "RF18 5390 0754 7034", true},
        {CHECK_DIGITS_RF, "RF19 5390 0754 7034", false},
        {CHECK_DIGITS_RF, "Rechnung 5390, K\u00F6ln", true},
        {CHECK_DIGITS_VAT, "DE123456789", true},
        {CHECK_DIGITS_VAT, "DE12345678", false},
        {CHECK_DIGITS_VAT, "ATU12345678", true},
        {CHECK_DIGITS_VAT, "12/345/67890", true},
        {CHECK_DIGITS_VAT, "NL 1234.56.789.B01", true},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (check_digits_are_right(row[i].text, row[i].kind) != row[i].right)
            fail_msg("%s", row[i].text);
}

TEST_GROUP(check_digits, cmocka_unit_test(right_and_wrong))
