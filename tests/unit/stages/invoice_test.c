/* invoice_test.c - what the names of a value tell of its term, and when an
 * e-invoice's value is the same. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "stages/children/raster/invoice/invoice_xml.h"
#include "stages/einvoice/einvoice_terms.h"
#include "stages/einvoice/einvoice_value.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"

static const struct {
    const char *pointer;
    bool in_row;
    const char *terms; /* "!" before them: nothing else */
} named[] = {
    {"/invoice_number", false, "!1"},
    {"/invoiceNo", false, "!1"},
    {"/Rechnungsnummer", false, "!1"},
    {"/number", false, "!1"},
    {"/header/number", false, "!1"},
    {"/customer_number", false, "46 47 48"},
    {"/your_reference", false, ""},
    {"/order_number", false, "13 14"},
    {"/date", false, "!2"},
    {"/Rechnungsdatum", false, "!2"},
    {"/issue_date", false, "!2"},
    {"/payment/date", false, ""},
    {"/order/date", false, ""},
    {"/due_date", false, "!9"},
    {"/Lieferdatum", false, "72 73 74"},
    {"/seller/name", false, "27 28"},
    {"/supplier_name", false, "27 28"},
    {"/buyer/name", false, "44 45"},
    {"/seller/vat_id", false, "!31 32 30"},
    {"/buyer/tax_id", false, "!48 47"},
    {"/USt-IdNr", false, "!31 32 30 48 47"},
    {"/iban", false, "!84"},
    {"/bank/iban", false, "!84"},
    {"/buyer/iban", false, ""},
    {"/currency", false, "!5"},
    {"/subtotal", false, "!109 106"},
    {"/net_amount", false, "!109 106"},
    {"/Nettobetrag", false, "!109 106"},
    {"/total_excl_vat", false, "!109 106"},
    {"/amount_before_tax", false, "!109 106"},
    {"/tax", false, "!110 117 119"},
    {"/vat_amount", false, "!110 117 119"},
    {"/total_tax", false, "!110 117 119"},
    {"/vat_rate", false, "!119"},
    {"/total", false, "!112 115"},
    {"/total_incl_vat", false, "!112 115"},
    {"/Gesamtbetrag", false, "!112 115"},
    {"/totals/gross", false, "!112 115"},
    {"/total_amount_due", false, "!115 112"},
    {"/total_paid_by_card", false, ""},
    {"/amountDue", false, "!115 112"},
    {"/total_weight", false, ""},
    {"/total_pages", false, ""},
    {"/taxes/0/amount", true, ""},
    {"/items/0/description", true, "153 154"},
    {"/items/0/qty", true, "!129"},
    {"/positionen/12/menge", true, "!129"},
    {"/items/0/unit_price", true, "!146 148"},
    {"/items/0/price", true, "!146 148 131"},
    {"/items/0/amount", true, "!131"},
    {"/lines/3/line_total", true, ""},
    {"/items/0/vat_rate", true, "!152"},
    {"/items/0/weight", true, ""},
    {"/items/0/sku", true, "155 156 157"},
    {"/items/0/position", true, "126"},
    {"/items/0/gross", true, ""},
    {"/items/0/total_price", true, "!131"},
};

/* Rows that are no lines, and addresses. */
static const struct {
    const char *pointer;
    int row, address; /* first term; 0: none */
} rows[] = {
    {"/taxes/0/rate", 119, 0},
    {"/vat_breakdown/0/net_amount", 116, 0},
    {"/vat/0/amount", 117, 0},
    {"/taxes/0/country", 0, 0},
    {"/discounts/0/amount", 92, 0},
    {"/allowances/0/percent", 94, 0},
    {"/rabatte/0/betrag", 0, 0},
    {"/charges/0/amount", 99, 0},
    {"/charges/0/description", 104, 0},
    {"/tax_discounts/0/amount", 0, 0},
    {"/payments/0/amount", 0, 0},
    {"/items/0/amount", 0, 0},
    {"/seller/address", 0, 35},
    {"/vendor_address", 0, 35},
    {"/buyer/address", 0, 50},
    {"/delivery_address", 0, 0},
    {"/address", 0, 0},
    {"/seller/name", 0, 0},
};

static void rows_and_addresses_have_their_terms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *pointer = rows[i].pointer;
        struct einvoice_terms row = einvoice_terms_of_row(pointer, "Invoice");
        struct einvoice_terms address =
            einvoice_terms_of_address(pointer, "Invoice");
        if ((row.n ? row.term[0] : 0) != rows[i].row)
            fail_msg("%s: row %d", pointer, row.term[0]);
        if ((address.n ? address.term[0] : 0) != rows[i].address)
            fail_msg("%s: address %d", pointer, address.term[0]);
    }
    assert_true(einvoice_terms_are_lines("/items/0"));
    assert_true(einvoice_terms_are_lines("/line_items/0"));
    assert_true(einvoice_terms_are_lines("/invoice/lines/0"));
    assert_false(einvoice_terms_are_lines("/payments/0"));
    assert_false(einvoice_terms_are_lines("/charges/0"));
}

static void names_tell_the_term(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        struct einvoice_terms t =
            einvoice_terms_of(named[i].pointer, "Invoice", named[i].in_row);
        char got[80];
        size_t n =
            (size_t)snprintf(got, sizeof got, "%s", t.n && t.strict ? "!" : "");
        for (int k = 0; k < t.n; k++)
            n += (size_t)snprintf(got + n, sizeof got - n, "%s%d", k ? " " : "",
                                  t.term[k]);
        if (strcmp(got, named[i].terms) != 0)
            fail_msg("%s: got \"%s\", want \"%s\"", named[i].pointer, got,
                     named[i].terms);
    }
}

enum { NOTHING = MATCH_NOTHING, SAME = MATCH_SAME, OTHER = MATCH_OTHER };

static const struct {
    const char *json;
    int term;
    const char *text;
    int says;
} pairs[] = {
    {"179.1", 112, "179.10", SAME},
    {"179", 112, "179.10", OTHER},
    {"179.10", 112, "+0179.100", SAME},
    {"0.5", 112, ".5", SAME},
    {"-179.1", 112, "179.10", NOTHING},
    {"1234", 129, "1.234", OTHER},
    {"1.234", 129, "1234", OTHER},
    {"1.23", 146, "1.2345", SAME},
    {"1.2", 146, "1.2345", OTHER},
    {"179.1", 112, "179.104", OTHER},
    {"0.19", 119, "19.00", SAME},
    {"7", 119, "19", OTHER},
    {"\"1.234,50 EUR\"", 112, "1234.50", SAME},
    {"\"1.234,05 EUR\"", 112, "1234.50", OTHER},
    {"\"on request\"", 112, "1234.50", NOTHING},
    {"179.1", 112, "NaN", NOTHING},
    {"99999999999999999999999", 112, "1", OTHER},
    {"\"2026-11-05\"", 2, "2026-11-05", SAME},
    {"\"5. November 2026\"", 2, "2026-11-05", SAME},
    {"\"2026-11-06\"", 2, "2026-11-05", OTHER},
    {"\"soon\"", 9, "2026-11-05", NOTHING},
    {"\"DE 02 1203 0000 0000 2020 51\"", 84, "DE02120300000000202051", SAME},
    {"\"DE02120300000000202057\"", 84, "DE02120300000000202051", OTHER},
    {"\"RE-2026/0815\"", 1, "RE20260815", SAME},
    {"\"RE-2026/0816\"", 1, "RE20260815", OTHER},
    {"\"37/123/45678\"", 31, "DE123456788", NOTHING},
    {"\"DE123456789\"", 31, "DE123456788", OTHER},
    {"\"EUR\"", 5, "EUR", SAME},
    {"\"USD\"", 5, "EUR", OTHER},
    {"\"\xe2\x82\xac\"", 5, "EUR", NOTHING},
    {"\"MUELLER GmbH\"", 27, "M\xc3\xbcller GmbH", NOTHING},
    {"\"MULLER GMBH\"", 27, "M\xc3\xbcller GmbH", SAME},
    {"null", 112, "179.10", NOTHING},
    {"\"\"", 1, "R-1", NOTHING},
};

static void values_say_the_same_or_not(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct err err = {0};
        cJSON *value = json_parse(span_of(pairs[i].json), &err);
        test_ok(&err);
        struct einvoice_value a = einvoice_value_of_value(value, arena);
        struct einvoice_value b = einvoice_value_of_text(
            pairs[i].text, einvoice_terms_kind(pairs[i].term), arena);
        enum match says = einvoice_value_compare(&a, &b, pairs[i].term);
        if ((int)says != pairs[i].says)
            fail_msg("%s against %s: got %d, want %d", pairs[i].json,
                     pairs[i].text, (int)says, pairs[i].says);
        cJSON_Delete(value);
    }
    arena_free(arena);
}

#define UBL                                                         \
    "<Invoice xmlns='urn:oasis:names:specification:ubl:schema:xsd:" \
    "Invoice-2'>"

static enum invoice_xml_status read_xml(const char *text,
                                        struct invoice_xml *out)
{
    char fault[INVOICE_XML_FAULT_MAX];
    return invoice_xml_read(text, strlen(text), true, out, fault);
}

static void what_exceeds_a_limit_is_counted(void **state)
{
    (void)state;
    static const char line[] = "<InvoiceLine><ID>1</ID></InvoiceLine>";
    struct buf text = buf_limit(INVOICE_XML_BYTES_MAX);
    struct invoice_xml xml;
    buf_add_text(&text, UBL "<Note>");
    for (int i = 0; i <= INVOICE_VALUE_MAX; i++)
        buf_add_text(&text, "x");
    buf_add_text(&text, "</Note>");
    for (int i = 0; i < INVOICE_LINES_MAX + 2; i++)
        buf_add_text(&text, line);
    buf_add_text(&text, "<ID>R1</ID></Invoice>");
    assert_int_equal(read_xml(buf_span(&text).data, &xml), INVOICE_XML_READ);
    assert_int_equal(xml.n_dropped, 3);
    assert_int_equal(xml.n, INVOICE_LINES_MAX + 1);
    assert_int_equal(xml.value[INVOICE_LINES_MAX - 1].line, INVOICE_LINES_MAX);
    assert_int_equal(xml.value[INVOICE_LINES_MAX].line, 0);
    assert_int_equal(xml.value[INVOICE_LINES_MAX].term, 1);
    invoice_xml_free(&xml);
    buf_free(&text);
}

static void a_root_decides_what_is_read(void **state)
{
    (void)state;
    struct invoice_xml xml;
    assert_int_equal(read_xml(UBL "<ID>1</ID></Invoice>", &xml),
                     INVOICE_XML_READ);
    invoice_xml_free(&xml);
    assert_int_equal(read_xml("<Invoice><ID>1</ID></Invoice>", &xml),
                     INVOICE_XML_FOREIGN);
    assert_int_equal(read_xml(UBL "<ID>1</ID>", &xml), INVOICE_XML_DAMAGED);
    assert_int_equal(read_xml("<!DOCTYPE Invoice>" UBL "</Invoice>", &xml),
                     INVOICE_XML_DECLARED);
    assert_int_equal(read_xml("", &xml), INVOICE_XML_DAMAGED);
}

TEST_GROUP(invoice, cmocka_unit_test(what_exceeds_a_limit_is_counted),
           cmocka_unit_test(a_root_decides_what_is_read),
           cmocka_unit_test(names_tell_the_term),
           cmocka_unit_test(rows_and_addresses_have_their_terms),
           cmocka_unit_test(values_say_the_same_or_not))
