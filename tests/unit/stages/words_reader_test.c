/* words_reader_test.c - what labels, sums and schemas decide for a schema, and what is
 * left null. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/stages/words_page.h"
#include "vlm/json/json.h"

/* --- labels --------------------------------------------------------------- */

static void labels_stand_beside_or_above(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Invoice number: HT-20417\nInvoice date:   2024-03-18\n",
         "\"invoice_number\":" TEXT ",\"date\":" DATE,
         "{\"invoice_number\":\"HT-20417\",\"date\":\"2024-03-18\"}"},
        {"Invoice number      Invoice date      Due date\n"
         "HT-20417            2024-03-18        2024-04-17\n",
         "\"invoice_number\":" TEXT ",\"date\":" DATE ",\"due_date\":" DATE,
         "{\"invoice_number\":\"HT-20417\",\"date\":\"2024-03-18\","
         "\"due_date\":\"2024-04-17\"}"},
        {"Rechnungsdatum     18.03.2024\nZahlbar bis        17.04.2024\n",
         "\"date\":" DATE ",\"due_date\":" DATE,
         "{\"date\":\"2024-03-18\",\"due_date\":\"2024-04-17\"}"},
    };
    WORDS_PAGE_ASSERT(row);
}

static void the_amount_is_at_the_end_of_its_line(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Subtotal                100.00\nVAT 20 %                 20.00\n"
         "Total                   120.00\n",
         "\"subtotal\":" NUMBER ",\"tax\":" NUMBER ",\"total\":" NUMBER,
         "{\"subtotal\":100,\"tax\":20,\"total\":120}"},
    };
    WORDS_PAGE_ASSERT(row);
}

static void the_dates_of_a_period_are_in_order(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Statement period: 2024-03-01 to 2024-03-31\n",
         "\"period_start\":" DATE ",\"period_end\":" DATE,
         "{\"period_start\":\"2024-03-01\",\"period_end\":\"2024-03-31\"}"},
    };
    WORDS_PAGE_ASSERT(row);
}

/* Most words are of the usual height. */
#define BODY "\n\nxoro vumba plag zeb mede tolo xoro vumba plag zeb mede tolo\n"

/* The title's number and date are the document's own, if no other is named there. */
static void a_title_has_the_number_and_the_date(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Handelsrechnung (380)   Nr. 471102   vom 05.03.2018\n\n\n"
         "Bestellung vom 01.02.2018\n" BODY,
         "\"invoice_number\":" TEXT ",\"invoice_date\":" DATE
         ",\"original_invoice_number\":" TEXT,
         "{\"invoice_number\":\"471102\",\"invoice_date\":\"2018-03-05\","
         "\"original_invoice_number\":null}"},
        {"Handelsrechnung (380) Nr. 471102 vom 05.03.2018\n" BODY,
         "\"corrected_invoice_number\":" TEXT ",\"invoice_number\":" TEXT
         ",\"invoice_date\":" DATE,
         "{\"corrected_invoice_number\":null,\"invoice_number\":\"471102\","
         "\"invoice_date\":\"2018-03-05\"}"},
        {"Rechnung Nr. 471102   05.03.2018\n\n\nDatum 07.03.2018\n" BODY,
         "\"invoice_date\":" DATE, "{\"invoice_date\":\"2018-03-05\"}"},
        {"Xoro 471102\n" BODY, "\"invoice_number\":" TEXT,
         "{\"invoice_number\":\"471102\"}"},
        {"Invoice for your order of 1 March 2024\n" BODY,
         "\"invoice_date\":" DATE, "{\"invoice_date\":null}"},
    };
    WORDS_PAGE_ASSERT_TITLE(row);
}

static void labels_belong_to_one_value(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        /* the first cell says whose number it is */
        {"Rechnung      Nr. 471102\nBestellung    Nr. 99-17\n",
         "\"invoice_number\":" TEXT ",\"order_number\":" TEXT,
         "{\"invoice_number\":\"471102\",\"order_number\":\"99-17\"}"},
        /* what is in parentheses is no code, and no part of a label */
        {"Invoice (380) number\n4711-A\n", "\"invoice_number\":" TEXT,
         "{\"invoice_number\":\"4711-A\"}"},
        {"Invoice (380) no. 4711\nOrder number (501)\n",
         "\"invoice_number\":" TEXT ",\"order_number\":" TEXT,
         "{\"invoice_number\":\"4711\",\"order_number\":null}"},
        /* a colon ends the label of what is next to it */
        {"TVA : FR11912345678 - SARL au capital de 120 000,00 \u20AC\n",
         "\"tax\":" NUMBER, "{\"tax\":null}"},
        /* an account is no other number, and the end of a code none at all */
        {"Customer number: DE02 1203 0000 0000 2020 51\n"
         "Quantity: NTR-9615\n",
         "\"customer_number\":" TEXT ",\"quantity\":" NUMBER,
         "{\"customer_number\":null,\"quantity\":null}"},
        /* a label in two languages */
        {"Invoice number      Amount due\nXoro vumba          Zeb plago\n"
         "      HT-20417            120.00\n",
         "\"invoice_number\":" TEXT ",\"amount_due\":" NUMBER,
         "{\"invoice_number\":\"HT-20417\",\"amount_due\":120}"},
        /* 08.30 is a time: the dates are not American */
        {"Date: 05.03.2018\nOpening hours: 08.30 to 12.30\n", "\"date\":" DATE,
         "{\"date\":\"2018-03-05\"}"},
    };
    WORDS_PAGE_ASSERT(row);
}

static void descriptions_of_few_words_are_names(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Delivery number: LS-55\nVumba number: B-77\n",
         "\"number\":" CALLED("Delivery number"), "{\"number\":\"LS-55\"}"},
        /* "amount" is any amount */
        {"Xoro amount: 5.00\n",
         "\"zeb\":{\"type\":[\"number\",\"null\"],\"description\":\"Amount\"}",
         "{\"zeb\":null}"},
    };
    WORDS_PAGE_ASSERT(row);
}

static void sums_are_told_from_what_they_are_of(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Steuerbetrag         19,00\nGesamtbetrag        119,00\n",
         "\"tax_amount\":" NUMBER ",\"total\":" NUMBER,
         "{\"tax_amount\":19,\"total\":119}"},
        /* the head of a column is that of its sum */
        {"Total amount\n   100.00\n    19.00\n     5.00\n   124.00\n",
         "\"total\":" NUMBER, "{\"total\":124}"},
        {"Total amount\n   100.00\n    19.00\n     5.00\n", "\"total\":" NUMBER,
         "{\"total\":null}"},
        {"VAT 7 %           0.70\nVAT 19 %         19.00\n"
         "VAT total        19.70\n",
         "\"tax\":" NUMBER, "{\"tax\":19.7}"},
        /* a tax is added to the sum above it */
        {"Summe             100,00\nMwSt               19,00\n"
         "Rechnungstotal    119,00\n",
         "\"total\":" NUMBER, "{\"total\":119}"},
    };
    WORDS_PAGE_ASSERT(row);
}

/* --- sums ----------------------------------------------------------------- */

static void sums_win_over_parts_of_labels(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Sum without VAT                           37.77\n"
         "VAT 19 % on 37.77 EUR                      7.18\n"
         "Grand total                               44.95\n",
         "\"vat_amount\":" NUMBER ",\"total\":" NUMBER,
         "{\"vat_amount\":7.18,\"total\":44.95}"},
        /* a number of the key is none of its values */
        {"0-30 days       31-60 days      61-90 days      over 90 days\n"
         "100.00               50.00           25.00             10.00\n",
         "\"days_31_60\":" NUMBER ",\"days_61_90\":" NUMBER
         ",\"over_90_days\":" NUMBER,
         "{\"days_31_60\":50,\"days_61_90\":25,\"over_90_days\":null}"},
        {"Kontostand am 31.08.2025           1.180,32\n\n\n"
         "Kontostand am 30.09.2025           5.173,71\n",
         "\"opening_balance\":" NUMBER ",\"closing_balance\":" NUMBER,
         "{\"opening_balance\":1180.32,\"closing_balance\":5173.71}"},
        /* what is multiplied is no charge */
        {"Sewerage charge     90.25 m3 x 2.84       256.49\n",
         "\"sewerage_charge\":" NUMBER, "{\"sewerage_charge\":256.49}"},
        {"Your account number\n57 2910 5720\n", "\"account_number\":" TEXT,
         "{\"account_number\":\"57 2910 5720\"}"},
        {"Mannheim, 15. Oktober 2025\n\n\nRechnung R-25-363\n\n"
         "Leistungen vom 1. September 2025 bis 28. September 2025\n",
         "\"invoice_date\":" DATE ",\"service_start\":" DATE
         ",\"service_end\":" DATE,
         "{\"invoice_date\":\"2025-10-15\",\"service_start\":"
         "\"2025-09-01\",\"service_end\":\"2025-09-28\"}"},
    };
    WORDS_PAGE_ASSERT(row);
}

/* The sum of a till, and a rate that is a part of the key. */
static void totals_have_roundings_and_rates(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Total incl. GST          13.58\nRounding                  0.02\n"
         "To pay                   13.60\nCash                     14.00\n",
         "\"total\":" NUMBER, "{\"total\":13.6}"},
        {"Totaal                   46.01\nwaarvan btw 21%           2.59\n"
         "waarvan btw 9%            2.56\n",
         "\"vat_21\":" NUMBER ",\"vat_9\":" NUMBER,
         "{\"vat_21\":2.59,\"vat_9\":2.56}"},
    };
    WORDS_PAGE_ASSERT(row);
}

/* A tax that is contained in a sum is not added to it. */
static void contained_taxes_are_not_added(void **state)
{
    (void)state;
#define SUMS(tax)                                          \
    {                                                      \
        "Total              120.00\n" tax "       20.00\n" \
        "Total with tip     140.00\n",                     \
            "\"total\":" NUMBER, "{\"total\":120}"         \
    }
    static const struct words_page_row row[] = {
        SUMS("of which VAT"),
        SUMS("darin enthaltene MwSt"),
        SUMS("davon MwSt 19 %"),
        SUMS("dont TVA 20 %"),
        SUMS("waarvan BTW"),
        SUMS("Included VAT"),
        {"Total              120.00\nVAT                 20.00\n"
         "Total with tip     140.00\n",
         "\"total\":" NUMBER, "{\"total\":140}"}};
    WORDS_PAGE_ASSERT(row);
}

/* pydantic's titles are the keys again. */
static void a_title_can_be_the_key(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Order date: 2024-03-18\n",
         "\"orderDate\":{\"anyOf\":[{\"type\":\"string\","
         "\"format\":\"date\"},{\"type\":\"null\"}],"
         "\"title\":\"Orderdate\"}",
         "{\"orderDate\":\"2024-03-18\"}"},
    };
    WORDS_PAGE_ASSERT(row);
}

/* --- what is not decided --------------------------------------------------- */

static void what_is_not_decided_is_null(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        /* two prints of equal right */
        {"Invoice date: 2024-03-18\nInvoice date: 2024-03-19\n",
         "\"date\":" DATE, "{\"date\":null}"},
        /* one print serves one value */
        {"Order number: 4711-A\n",
         "\"order_number\":" TEXT ",\"customer_number\":" TEXT,
         "{\"order_number\":\"4711-A\",\"customer_number\":null}"},
        /* a thousand or a decimal */
        {"Quantity: 1.200\nPrice: 7.50\n", "\"quantity\":" NUMBER,
         "{\"quantity\":null}"},
        /* left out where null is not admitted */
        {"Thank you.\n", "\"total\":{\"type\":\"number\"},\"paid\":" NUMBER,
         "{\"paid\":null}"},
        {"", "\"total\":" NUMBER ",\"items\":" ROWS("\"name\":" TEXT),
         "{\"total\":null,\"items\":[]}"},
    };
    WORDS_PAGE_ASSERT(row);
}

/* What is below the heading of an object, the key as its own label, thousands. */
static void headings_and_keys_are_labels(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"PICKUP                        RETURN\n"
         "Denver Airport                Miami Downtown\n"
         "2024-05-28                    2024-06-06\n",
         "\"pickup\":{\"type\":\"object\",\"properties\":{\"location\":" TEXT
         ",\"date\":" DATE "}},\"return\":{\"type\":\"object\","
         "\"properties\":{\"location\":" TEXT ",\"date\":" DATE "}}",
         "{\"pickup\":{\"location\":\"Denver Airport\",\"date\":"
         "\"2024-05-28\"},\"return\":{\"location\":\"Miami Downtown\","
         "\"date\":\"2024-06-06\"}}"},
        {"Subtotal                                 5,635.00\n"
         "TPS 5 %          232383471 RT0001          281.75\n"
         "TVQ 9.975 %      1294435020 TQ0001         562.09\n",
         "\"tps\":" NUMBER ",\"tvq\":" NUMBER,
         "{\"tps\":281.75,\"tvq\":562.09}"},
        {"Total: 198.250\nTax: 53.528\nQuantity: 7.625\nDiscount: 6.125\n",
         "\"total\":" NUMBER, "{\"total\":198250}"},
    };
    WORDS_PAGE_ASSERT(row);
}

/* What the object requires is there: what fits best, or stands for nothing; and it is
 * always doubtful. */
static void what_is_required_is_there_and_doubtful(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"type\":\"object\",\"required\":[\"date\",\"note\",\"kind\","
        "\"paid\","
        "\"items\"],\"properties\":{\"date\":{\"type\":\"string\",\"format\":"
        "\"date\"},\"note\":{\"type\":\"string\"},\"kind\":{\"enum\":[\"bill\","
        "\"credit\"]},\"paid\":{\"type\":\"boolean\"},\"other\":{\"type\":"
        "\"string\"},\"items\":{\"type\":\"array\",\"items\":{\"type\":"
        "\"object\",\"required\":[\"description\",\"quantity\",\"amount\"],"
        "\"properties\":{\"description\":{\"type\":\"string\"},\"quantity\":{"
        "\"type\":\"number\"},\"amount\":{\"type\":\"number\"}}}}}}";
    struct arena *arena = arena_new();
    struct words words =
        drawn_page_words("Seen on 2024-03-18 and on 2024-03-19\n\n"
                         "Description         Quantity     Amount\n"
                         "Chisel                     4      50.00\n"
                         "Mallet                            36.00\n"
                         "Whetstone                  1      14.00\n",
                         arena);
    struct words_answer read = words_page_read(schema, &words, 1, arena);
    words_page_assert_value(
        read.value,
        "{\"date\":\"2024-03-18\",\"note\":\"Seen on 2024-03-18 and on "
        "2024-03-19\",\"paid\":false,\"items\":[{\"description\":\"Chisel\","
        "\"quantity\":4,\"amount\":50},{\"description\":\"Mallet\","
        "\"quantity\":0,\"amount\":36},{\"description\":\"Whetstone\","
        "\"quantity\":1,\"amount\":14}],\"kind\":\"bill\"}",
        "required");
    int n = 0;
    for (int i = 0; i < read.n_found; i++) {
        bool demanded = !strcmp(read.found[i].pointer, "/date") ||
                        !strcmp(read.found[i].pointer, "/note") ||
                        !strcmp(read.found[i].pointer, "/kind") ||
                        !strcmp(read.found[i].pointer, "/paid") ||
                        !strcmp(read.found[i].pointer, "/items/1/quantity");
        n += demanded;
        assert_true((read.found[i].p < 0.5) == demanded);
    }
    assert_int_equal(n, 5);
    assert_false(read.is_whole);
    cJSON_Delete(read.value);
    arena_free(arena);
}

/* --- schemas ---------------------------------------------------------------- */

static void schemas_of_any_form(void **state)
{
    (void)state;
    static const struct {
        const char *schema, *wanted;
    } row[] = {
        {"{\"type\":\"object\",\"$defs\":{\"money\":" NUMBER "},"
         "\"properties\":{\"sums\":{\"type\":\"object\",\"properties\":{"
         "\"total\":{\"$ref\":\"#/$defs/money\"}}}}}",
         "{\"sums\":{\"total\":120}}"},
        {"{\"anyOf\":[{\"type\":\"object\",\"properties\":{\"total\":" NUMBER
         "}},{\"type\":\"null\"}]}",
         "{\"total\":120}"},
        {"{\"anyOf\":[{\"type\":\"object\",\"properties\":{\"lines\":{"
         "\"type\":\"array\",\"items\":{\"type\":\"string\"}}}},"
         "{\"type\":\"null\"}]}",
         "{\"lines\":[\"Total 120.00\"]}"},
        {"{\"type\":\"object\",\"properties\":{\"total\":" NUMBER
         ",\"kinds\":{\"enum\":[\"a\",null]},\"paid\":{\"type\":["
         "\"boolean\",\"null\"]}}}",
         "{\"total\":120,\"kinds\":null,\"paid\":null}"},
        {"{\"type\":\"object\"}", "{}"},
        {"{}", "{}"},
        {"true", "{}"},
        {"{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "{}"},
        {"{\"type\":\"object\",\"properties\":{\"rows\":{\"type\":\"array\","
         "\"items\":{\"type\":\"object\",\"properties\":{}}}}}",
         "{\"rows\":[]}"},
        {"{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"},"
         "\"total\":" NUMBER "}}",
         NULL},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct arena *arena = arena_new();
        struct words words = drawn_page_words("Total     120.00\n", arena);
        struct words_answer read =
            words_page_read(row[i].schema, &words, 1, arena);
        assert_non_null(read.value);
        if (row[i].wanted)
            words_page_assert_value(read.value, row[i].wanted, row[i].schema);
        cJSON_Delete(read.value);
        arena_free(arena);
    }
}

static void what_is_found_has_its_place(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct words words[2] = {drawn_page_words("Thank you.\n", arena),
                             drawn_page_words("\nTotal     120.00\n", arena)};
    struct words_answer read =
        words_page_read("{\"type\":\"object\",\"properties\":{\"total\":" NUMBER
                        ",\"tax\":" NUMBER "}}",
                        words, 2, arena);
    assert_int_equal(read.n_found, 1);
    assert_int_equal(read.n_wanted, 2);
    assert_int_equal(read.n_scalar, 1);
    assert_string_equal(read.found->pointer, "/total");
    assert_string_equal(read.found->where.place->line->text, "120.00");
    assert_int_equal(read.found->where.place->page, 2);
    assert_true(read.found->where.place->line->box.x >=
                10 * drawn_page_wide - 1e-9);
    assert_true(read.found->p > 0.5 && read.found->p < 1);
    cJSON_Delete(read.value);
    arena_free(arena);
}

/* --- hostile pages ---------------------------------------------------------- */

enum { WORDS_OF_LINE = 20000, COLUMNS = 500, ROWS_OF_COLUMNS = 8 };

static const char everything[] =
    "{\"type\":\"object\",\"properties\":{\"total\":" NUMBER ",\"date\":" DATE
    ",\"invoice_number\":" TEXT ",\"iban\":" TEXT ",\"currency\":" TEXT
    ",\"seller\":{\"type\":\"object\",\"properties\":{\"name\":" TEXT
    ",\"address\":" TEXT ",\"tax_id\":" TEXT "}},\"items\":" ROWS(
        "\"description\":" TEXT ",\"quantity\":" NUMBER
        ",\"unit_price\":" NUMBER ",\"amount\":" NUMBER ",\"date\":" DATE) "}}";

static void assert_ends(struct words *words, int n_page, struct arena *arena)
{
    struct words_answer read =
        words_page_read(everything, words, n_page, arena);
    assert_non_null(read.value);
    cJSON_Delete(read.value);
    arena_free(arena);
}

static const char *const odd_words[] = {"Total",
                                        "120.00",
                                        "2024-03-18",
                                        "IBAN",
                                        "DE02",
                                        "Ltd",
                                        "Amount",
                                        "Bill",
                                        "to",
                                        "VAT",
                                        "20%",
                                        "-",
                                        ":",
                                        "\u20AC",
                                        "HT-4711",
                                        "1.200",
                                        "\u05E1\u05D4\u05F4\u05DB"};
enum { ODD_WORDS = sizeof odd_words / sizeof *odd_words };

static void a_line_of_very_many_words_ends(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct words words = {.aspect = 0.7, .n_word = WORDS_OF_LINE};
    words.word = arena_array(arena, WORDS_OF_LINE, sizeof *words.word);
    for (int i = 0; i < WORDS_OF_LINE; i++)
        words.word[i] = (struct word){(double)i / WORDS_OF_LINE, 0.5,
                                      0.5 / WORDS_OF_LINE,       0.01,
                                      odd_words[i % ODD_WORDS],  1};
    assert_ends(&words, 1, arena);
}

static void a_table_of_very_many_columns_ends(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct words words = {.aspect = 0.7};
    words.word = arena_array(arena, (size_t)COLUMNS * ROWS_OF_COLUMNS,
                             sizeof *words.word);
    for (int k = 0; k < ROWS_OF_COLUMNS; k++)
        for (int i = 0; i < COLUMNS; i++)
            words.word[words.n_word++] =
                (struct word){(double)i / COLUMNS,    0.1 + 0.02 * k,
                              0.4 / COLUMNS,          0.01,
                              k ? "12.50" : "Amount", 1};
    assert_ends(&words, 1, arena);
}

static void empty_pages_end(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct words words[3] = {{.aspect = 0.7}, {.aspect = 0}, {.aspect = 2}};
    assert_ends(words, 3, arena);
    assert_ends(words, 0, arena_new());
}

static void words_of_no_size_on_one_spot_end(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct words words = {.aspect = 1, .n_word = 3 * ODD_WORDS};
    words.word = arena_array(arena, 3 * ODD_WORDS, sizeof *words.word);
    for (int i = 0; i < words.n_word; i++)
        words.word[i] = (struct word){
            i % 2 ? 0 : 1, i % 3 ? 0.5 : 1, 0, 0, odd_words[i % ODD_WORDS], 0};
    assert_ends(&words, 1, arena);
}

static void codes_end_where_others_begin(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"PO no.: SM-0418 Requested ship date: June\n", "\"po_number\":" TEXT,
         "{\"po_number\":\"SM-0418\"}"},
        {"Phone: (520) 318-9486\n", "\"phone\":" TEXT,
         "{\"phone\":\"(520) 318-9486\"}"},
        {"Phone: 999 / 9 99 99 99\n", "\"phone\":" TEXT,
         "{\"phone\":\"999 / 9 99 99 99\"}"},
        {"Invoice number: INV-4711 / 12.03.2024\n", "\"invoice_number\":" TEXT,
         "{\"invoice_number\":\"INV-4711\"}"},
        /* letters at an amount are no code; of 100 each amount would be a tax */
        {"Total items: 5\nTotal: kr1.234,50\n", "\"total\":" NUMBER,
         "{\"total\":1234.5}"},
        {"Total     100.00     75.00     75.00\n", "\"total\":" NUMBER,
         "{\"total\":100}"},
        /* the paragraph of a law */
        {"Insurance exempt by \u00A7 4 no. 14 of the Act\n",
         "\"insurance_number\":" TEXT, "{\"insurance_number\":null}"},
        /* the label of a date, and dates are written so in no English page only */
        {"Date de facture    06/11/2017\nTVA FR 12\n",
         "\"invoice_number\":" TEXT ",\"date\":" DATE,
         "{\"invoice_number\":null,\"date\":\"2017-11-06\"}"},
        /* a currency is no label */
        {"IRRF             CSLL             Net\n"
         "R$ 150.00        R$ 465.00        R$ 10.00\n",
         "\"irrf\":" NUMBER ",\"csll\":" NUMBER, "{\"irrf\":150,\"csll\":465}"},
    };
    WORDS_PAGE_ASSERT(row);
}

/* The number of a credit note is not that of the invoice that it is about. */
static void credit_notes_have_numbers(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Avoir AV-2017-0005\n\nFacture liee     FA-2017-0010\n"
         "Notes            Avoir suite a bidon 10L\n",
         "\"invoice_number\":" TEXT, "{\"invoice_number\":\"AV-2017-0005\"}"},
    };
    WORDS_PAGE_ASSERT_TITLE(row);
}

TEST_GROUP(words_reader, cmocka_unit_test(labels_stand_beside_or_above),
           cmocka_unit_test(the_amount_is_at_the_end_of_its_line),
           cmocka_unit_test(the_dates_of_a_period_are_in_order),
           cmocka_unit_test(a_title_has_the_number_and_the_date),
           cmocka_unit_test(labels_belong_to_one_value),
           cmocka_unit_test(descriptions_of_few_words_are_names),
           cmocka_unit_test(sums_are_told_from_what_they_are_of),
           cmocka_unit_test(totals_have_roundings_and_rates),
           cmocka_unit_test(contained_taxes_are_not_added),
           cmocka_unit_test(a_title_can_be_the_key),
           cmocka_unit_test(sums_win_over_parts_of_labels),
           cmocka_unit_test(what_is_not_decided_is_null),
           cmocka_unit_test(headings_and_keys_are_labels),
           cmocka_unit_test(what_is_required_is_there_and_doubtful),
           cmocka_unit_test(schemas_of_any_form),
           cmocka_unit_test(what_is_found_has_its_place),
           cmocka_unit_test(a_line_of_very_many_words_ends),
           cmocka_unit_test(a_table_of_very_many_columns_ends),
           cmocka_unit_test(empty_pages_end),
           cmocka_unit_test(words_of_no_size_on_one_spot_end),
           cmocka_unit_test(codes_end_where_others_begin),
           cmocka_unit_test(credit_notes_have_numbers))
