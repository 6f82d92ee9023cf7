/* words_reader_test.c - what the words of drawn pages decide for a schema, and what
 * they leave null. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "stages/words/words_reader.h"
#include "tests/unit/stages/drawn_page.h"
#include "vlm/json/json.h"

/* A page, the schema's properties, and the value that its words decide. */
struct read_row {
    const char *page, *properties, *wanted;
};

static struct schema *schema_of(const char *text)
{
    struct schema_options options = {.format_asserts = true};
    struct err err = {0};
    struct schema *schema = schema_parse(span_of(text), "any", &options, &err);
    test_ok(&err);
    return schema;
}

static struct words_answer read_pages(const char *schema_text,
                                      const struct words *words, int n_page,
                                      struct arena *arena)
{
    struct numbered_words page[8];
    struct schema *schema = schema_of(schema_text);
    for (int i = 0; i < n_page; i++)
        page[i] = (struct numbered_words){i + 1, &words[i]};
    struct words_answer read = words_reader_read(schema, page, n_page, arena);
    schema_free(schema);
    return read;
}

static void assert_value(const cJSON *value, const char *wanted,
                         const char *what)
{
    struct err err = {0};
    cJSON *json = json_parse(span_of(wanted), &err);
    test_ok(&err);
    if (!json_equal(value, json)) {
        char *said = cJSON_PrintUnformatted(value);
        fail_msg("%s\n%s, wanted %s", what, said, wanted);
    }
    cJSON_Delete(json);
}

/* `title`: the height of the words of the first line, in those of the others. */
static void assert_read(const struct read_row *row, size_t n, double title)
{
    for (size_t i = 0; i < n; i++) {
        struct arena *arena = arena_new();
        struct words words = drawn_page_words(row[i].page, arena);
        for (int k = 0; k < words.n_word && words.word[k].y <= drawn_page_top;
             k++)
            words.word[k].h *= title;
        const char *schema =
            arena_text(arena, "{\"type\":\"object\",\"properties\":{%s}}",
                       row[i].properties);
        struct words_answer read = read_pages(schema, &words, 1, arena);
        assert_value(read.value, row[i].wanted, row[i].page);
        cJSON_Delete(read.value);
        arena_free(arena);
    }
}

#define ASSERT_READ(row)  assert_read(row, sizeof(row) / sizeof *(row), 1)
#define ASSERT_TITLE(row) assert_read(row, sizeof(row) / sizeof *(row), 1.4)
#define TEXT              "{\"type\":[\"string\",\"null\"]}"
#define DATE              "{\"type\":[\"string\",\"null\"],\"format\":\"date\"}"
#define NUMBER            "{\"type\":[\"number\",\"null\"]}"
#define CALLED(text) \
    "{\"type\":[\"string\",\"null\"],\"description\":\"" text "\"}"
#define ROWS(members)                                     \
    "{\"type\":\"array\",\"items\":{\"type\":\"object\"," \
    "\"properties\":{" members "}}}"

/* --- labels --------------------------------------------------------------- */

static void labels_stand_beside_or_above(void **state)
{
    (void)state;
    static const struct read_row row[] = {
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
    ASSERT_READ(row);
}

static void the_amount_is_at_the_end_of_its_line(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Subtotal                100.00\nVAT 20 %                 20.00\n"
         "Total                   120.00\n",
         "\"subtotal\":" NUMBER ",\"tax\":" NUMBER ",\"total\":" NUMBER,
         "{\"subtotal\":100,\"tax\":20,\"total\":120}"},
    };
    ASSERT_READ(row);
}

static void the_dates_of_a_period_are_in_order(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Statement period: 2024-03-01 to 2024-03-31\n",
         "\"period_start\":" DATE ",\"period_end\":" DATE,
         "{\"period_start\":\"2024-03-01\",\"period_end\":\"2024-03-31\"}"},
    };
    ASSERT_READ(row);
}

/* Most words are of the usual height. */
#define BODY "\n\nxoro vumba plag zeb mede tolo xoro vumba plag zeb mede tolo\n"

/* The title's number and date are the document's own, if no other is named there. */
static void a_title_has_the_number_and_the_date(void **state)
{
    (void)state;
    static const struct read_row row[] = {
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
    ASSERT_TITLE(row);
}

static void labels_belong_to_one_value(void **state)
{
    (void)state;
    static const struct read_row row[] = {
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
    ASSERT_READ(row);
}

static void descriptions_of_few_words_are_names(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Delivery number: LS-55\nVumba number: B-77\n",
         "\"number\":" CALLED("Delivery number"), "{\"number\":\"LS-55\"}"},
        /* "amount" is any amount */
        {"Xoro amount: 5.00\n",
         "\"zeb\":{\"type\":[\"number\",\"null\"],\"description\":\"Amount\"}",
         "{\"zeb\":null}"},
    };
    ASSERT_READ(row);
}

static void sums_are_told_from_what_they_are_of(void **state)
{
    (void)state;
    static const struct read_row row[] = {
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
    ASSERT_READ(row);
}

/* --- tables --------------------------------------------------------------- */

static void tables_are_read_by_their_headings(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Description         Quantity   Unit price     Amount\n"
         "Steel chisel               4        12.50      50.00\n"
         "Mallet                     2        18.00      36.00\n"
         "Whetstone                  1        14.00      14.00\n"
         "Total                                         100.00\n",
         "\"items\":" ROWS("\"description\":" TEXT ",\"quantity\":" NUMBER
                           ",\"unit_price\":" NUMBER
                           ",\"amount\":" NUMBER) ",\"total\":" NUMBER,
         "{\"items\":[{\"description\":\"Steel chisel\",\"quantity\":4,"
         "\"unit_price\":12.5,\"amount\":50},{\"description\":\"Mallet\","
         "\"quantity\":2,\"unit_price\":18,\"amount\":36},"
         "{\"description\":\"Whetstone\",\"quantity\":1,\"unit_price\":14,"
         "\"amount\":14}],\"total\":100}"},
        /* rows of two lines */
        {"Description         Quantity   Unit price     Amount\n"
         "Steel chisel               4        12.50      50.00\n"
         "with a wooden handle\n"
         "Mallet                     2        18.00      36.00\n"
         "of beech\n",
         "\"items\":" ROWS("\"description\":" TEXT ",\"amount\":" NUMBER),
         "{\"items\":[{\"description\":\"Steel chisel with a wooden handle\","
         "\"amount\":50},{\"description\":\"Mallet of beech\","
         "\"amount\":36}]}"},
        /* debit and credit are one amount */
        {"Date          Description            Debit      Credit\n"
         "2024-03-04    Card payment           25.00\n"
         "2024-03-05    Salary                           1500.00\n"
         "2024-03-09    Rent                  700.00\n",
         "\"transactions\":" ROWS("\"date\":" DATE ",\"description\":" TEXT
                                  ",\"amount\":" NUMBER),
         "{\"transactions\":[{\"date\":\"2024-03-04\","
         "\"description\":\"Card payment\",\"amount\":-25},"
         "{\"date\":\"2024-03-05\",\"description\":\"Salary\","
         "\"amount\":1500},{\"date\":\"2024-03-09\",\"description\":\"Rent\","
         "\"amount\":-700}]}"},
    };
    ASSERT_READ(row);
}

/* What headings of real papers look like. */
static void headings_are_of_several_lines(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        /* space below the heading, and heads as near as words of one */
        {"Item                Qty   Price VAT% Gross\n\n\n\n\n"
         "Steel chisel          4   10.00   20 48.00\n"
         "Mallet                2   20.00   10 44.00\n",
         "\"items\":" ROWS("\"item\":" TEXT ",\"qty\":" NUMBER
                           ",\"price\":" NUMBER ",\"vat_rate\":" NUMBER
                           ",\"gross\":" NUMBER),
         "{\"items\":[{\"item\":\"Steel chisel\",\"qty\":4,\"price\":10,"
         "\"vat_rate\":20,\"gross\":48},{\"item\":\"Mallet\",\"qty\":2,"
         "\"price\":20,\"vat_rate\":10,\"gross\":44}]}"},
        /* heads of two lines around those of one */
        {"                              Unit          Price\n"
         "Description        Quantity             before\n"
         "                              price          tax\n"
         "Steel chisel              4   12.50          50.00\n"
         "Mallet                    2   18.00          36.00\n",
         "\"items\":" ROWS("\"description\":" TEXT ",\"quantity\":" NUMBER
                           ",\"unit_price\":" NUMBER),
         "{\"items\":[{\"description\":\"Steel chisel\",\"quantity\":4,"
         "\"unit_price\":12.5},{\"description\":\"Mallet\",\"quantity\":2,"
         "\"unit_price\":18}]}"},
        /* two languages */
        {"Bezeichnung        Menge      Betrag\n"
         "Description        Quantity   Amount\n"
         "Meissel            4           50.00\n"
         "Hammer             2           36.00\n",
         "\"items\":" ROWS("\"description\":" TEXT ",\"quantity\":" NUMBER
                           ",\"amount\":" NUMBER),
         "{\"items\":[{\"description\":\"Meissel\",\"quantity\":4,"
         "\"amount\":50},{\"description\":\"Hammer\",\"quantity\":2,"
         "\"amount\":36}]}"},
        /* a column without a head; a total that fills all columns */
        {"                         Net        VAT      Gross\n"
         "Subscription           20.00       4.00      24.00\n"
         "Calls                   5.00       1.00       6.00\n"
         "Total invoice          25.00       5.00      30.00\n",
         "\"charges\":" ROWS("\"label\":" TEXT ",\"net\":" NUMBER
                             ",\"vat\":" NUMBER ",\"gross\":" NUMBER),
         "{\"charges\":[{\"label\":\"Subscription\",\"net\":20,\"vat\":4,"
         "\"gross\":24},{\"label\":\"Calls\",\"net\":5,\"vat\":1,"
         "\"gross\":6}]}"},
        /* a head in the middle of its column; units of area; a dash */
        {"              Description           Area m\u00B2   Amount   Lot\n"
         "Meadow                                   120    50.00   A7\n"
         "Wood                                      80    36.00   \u2014\n",
         "\"plots\":" ROWS("\"description\":" TEXT ",\"area\":" NUMBER
                           ",\"amount\":" NUMBER ",\"lot\":" TEXT),
         "{\"plots\":[{\"description\":\"Meadow\",\"area\":120,"
         "\"amount\":50,\"lot\":\"A7\"},{\"description\":\"Wood\","
         "\"area\":80,\"amount\":36,\"lot\":null}]}"},
    };
    ASSERT_READ(row);
}

static void headings_are_above_figures(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        /* three lines with most heads, and a number, above figures */
        {"Boxes    Bunches    Bunches     Price     Price     Price\n"
         "         per        of 20       per       per       total\n"
         "         box        stems       bunch     box\n"
         "450           35    15,750       1.30     45.50   20475.00\n"
         "120           20     2,400       0.80     16.00    1920.00\n",
         "\"lines\":" ROWS("\"boxes\":" NUMBER ",\"bunches_per_box\":" NUMBER
                           ",\"bunches\":" NUMBER ",\"price_per_bunch\":" NUMBER
                           ",\"price_per_box\":" NUMBER ",\"total\":" NUMBER),
         "{\"lines\":[{\"boxes\":450,\"bunches_per_box\":35,\"bunches\":15750,"
         "\"price_per_bunch\":1.3,\"price_per_box\":45.5,\"total\":20475},"
         "{\"boxes\":120,\"bunches_per_box\":20,\"bunches\":2400,"
         "\"price_per_bunch\":0.8,\"price_per_box\":16,\"total\":1920}]}"},
        /* two heads beside one another, over one row, far above the sums */
        {"Item         Quantity   VAT % Line Amount\n"
         "Desk chair          3      19      573.00\n\n\n"
         "             Subtotal              573.00\n"
         "             VAT                   108.87\n"
         "             Total                 681.87\n",
         "\"items\":" ROWS("\"item\":" TEXT ",\"quantity\":" NUMBER
                           ",\"vat_percent\":" NUMBER ",\"amount\":" NUMBER),
         "{\"items\":[{\"item\":\"Desk chair\",\"quantity\":3,"
         "\"vat_percent\":19,\"amount\":573}]}"},
    };
    ASSERT_READ(row);
}

/* What belongs to a row, and what to none. */
static void rows_are_of_several_lines(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        /* the amount below, as in a cell that is aligned at its foot */
        {"Description         Quantity   Unit price     Amount\n"
         "Steel chisel               4        12.50\n"
         "                                               50.00\n\n"
         "Mallet                     2        18.00\n"
         "                                               36.00\n",
         "\"items\":" ROWS("\"description\":" TEXT ",\"quantity\":" NUMBER
                           ",\"unit_price\":" NUMBER ",\"amount\":" NUMBER),
         "{\"items\":[{\"description\":\"Steel chisel\",\"quantity\":4,"
         "\"unit_price\":12.5,\"amount\":50},{\"description\":\"Mallet\","
         "\"quantity\":2,\"unit_price\":18,\"amount\":36}]}"},
        /* figures beside the middle of a text */
        {"Description         Quantity   Unit price     Amount\n"
         "Mallet                     2        18.00      36.00\n\n\n"
         "Sauce with smoked\n"
         "                           4        12.50      50.00\n"
         "habanero\n",
         "\"items\":" ROWS("\"description\":" TEXT ",\"quantity\":" NUMBER
                           ",\"unit_price\":" NUMBER ",\"amount\":" NUMBER),
         "{\"items\":[{\"description\":\"Mallet\",\"quantity\":2,"
         "\"unit_price\":18,\"amount\":36},{\"description\":"
         "\"Sauce with smoked habanero\",\"quantity\":4,"
         "\"unit_price\":12.5,\"amount\":50}]}"},
        /* a title of a group is no text of the row above */
        {"Test                 Result    Unit\n"
         "Haemoglobin            13.5    g/dL\n"
         "CHEMISTRY\n"
         "Glucose                 5.1    mmol/L\n",
         "\"results\":" ROWS("\"test\":" TEXT ",\"result\":" NUMBER
                             ",\"unit\":" TEXT),
         "{\"results\":[{\"test\":\"Haemoglobin\",\"result\":13.5,"
         "\"unit\":\"g/dL\"},{\"test\":\"Glucose\",\"result\":5.1,"
         "\"unit\":\"mmol/L\"}]}"},
        /* the number of the row is beside the code; what the array does not admit
         * to be null is left out */
        {"    Product     Description       Unit    Amount\n"
         "1   60189775    Socket            pcs      27.00\n"
         "2   62349559    Panel             pcs      31.00\n",
         "\"lines\":" ROWS("\"item_number\":" TEXT ",\"description\":" TEXT
                           ",\"amount\":" NUMBER
                           ",\"crates\":{\"type\":\"integer\"}"),
         "{\"lines\":[{\"item_number\":\"60189775\",\"description\":"
         "\"Socket\",\"amount\":27},{\"item_number\":\"62349559\","
         "\"description\":\"Panel\",\"amount\":31}]}"},
        /* the only column of amounts is that of the amounts */
        {"Beschreibung        Preis     Menge     USt.     Zeile\n"
         "Meissel             12.50         4     19 %     50.00\n"
         "Hammer              18.00         2     19 %     36.00\n",
         "\"items\":" ROWS("\"description\":" TEXT ",\"quantity\":" NUMBER
                           ",\"price\":" NUMBER ",\"amount\":" NUMBER),
         "{\"items\":[{\"description\":\"Meissel\",\"quantity\":4,"
         "\"price\":12.5,\"amount\":50},{\"description\":\"Hammer\","
         "\"quantity\":2,\"price\":18,\"amount\":36}]}"},
    };
    ASSERT_READ(row);
}

/* Sums that are carried forward, and a foot far below, do not end a table whose heading the
 * next page repeats; a copy of its first page does. */
static void tables_go_on_at_the_next_page(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{\"items\":" ROWS(
            "\"description\":" TEXT ",\"quantity\":" NUMBER
            ",\"amount\":" NUMBER) "}}";
    static const char first[] = "Description     Quantity    Amount\n"
                                "Steel chisel           4     50.00\n"
                                "Whetstone              1     14.00\n";
    static const struct {
        const char *foot, *second, *wanted;
    } row[] = {
        {"Carried forward              64.00\n\n\n\n\n\nPage 1\n",
         "Packing list\n\nDescription     Quantity    Amount\n"
         "Brought forward              64.00\n"
         "Mallet                 2     36.00\n",
         "{\"items\":[{\"description\":\"Steel chisel\",\"quantity\":4,"
         "\"amount\":50},{\"description\":\"Whetstone\",\"quantity\":1,"
         "\"amount\":14},{\"description\":\"Mallet\",\"quantity\":2,"
         "\"amount\":36}]}"},
        {"Total                        64.00\n\n\n\n\n\nPage 1\n", first,
         "{\"items\":[{\"description\":\"Steel chisel\",\"quantity\":4,"
         "\"amount\":50},{\"description\":\"Whetstone\",\"quantity\":1,"
         "\"amount\":14}]}"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct arena *arena = arena_new();
        struct words words[] = {
            drawn_page_words(arena_text(arena, "%s%s", first, row[i].foot),
                             arena),
            drawn_page_words(row[i].second, arena)};
        struct words_answer read = read_pages(schema, words, 2, arena);
        assert_value(read.value, row[i].wanted, row[i].second);
        cJSON_Delete(read.value);
        arena_free(arena);
    }
}

static void tables_go_on_below_a_tall_letterhead(void **state)
{
    (void)state;
    static const char head[] = "Ferndale Tools\nMill Lane\nTruro\n\n";
    static const char heading[] = "Description     Quantity    Amount\n";
    struct arena *arena = arena_new();
    const char *top = arena_text(arena, "%s%s%s%s%s%s%s", head, head, head,
                                 head, head, head, heading);
    struct words words[] = {
        drawn_page_words(arena_text(arena,
                                    "%sSteel chisel           4     50.00\n"
                                    "Carried forward              50.00\n"
                                    "\n\n\n\n\nMill Lane\nTruro\nPage 1\n",
                                    top),
                         arena),
        drawn_page_words(
            arena_text(arena, "%sMallet                 2     36.00\n", top),
            arena)};
    struct words_answer read =
        read_pages("{\"type\":\"object\",\"properties\":{\"items\":" ROWS(
                       "\"description\":" TEXT ",\"quantity\":" NUMBER
                       ",\"amount\":" NUMBER) "}}",
                   words, 2, arena);
    assert_value(read.value,
                 "{\"items\":[{\"description\":\"Steel chisel\",\"quantity\":"
                 "4,\"amount\":50},{\"description\":\"Mallet\","
                 "\"quantity\":2,\"amount\":36}]}",
                 head);
    cJSON_Delete(read.value);
    arena_free(arena);
}

static void receipt_rows_need_no_heading(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"BLUE DOOR CAFE\n\nCoffee                2.50\nTea                   "
         "1.50\nCake                  3.00\nTOTAL             EUR 7.00\n",
         "\"items\":" ROWS("\"name\":" TEXT
                           ",\"price\":" NUMBER) ",\"total\":" NUMBER,
         "{\"items\":[{\"name\":\"Coffee\",\"price\":2.5},"
         "{\"name\":\"Tea\",\"price\":1.5},{\"name\":\"Cake\",\"price\":3}],"
         "\"total\":7}"},
    };
    ASSERT_READ(row);
}

static void rows_of_several_lines_have_labels(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Notebook, dotted          GBP 9.80\nQty: 3\n"
         "Reading lamp             GBP 55.17\nQty: 1\n"
         "Total                    GBP 64.97\n",
         "\"items\":" ROWS("\"title\":" TEXT ",\"quantity\":" NUMBER
                           ",\"price\":" NUMBER) ",\"total\":" NUMBER,
         "{\"items\":[{\"title\":\"Notebook, dotted\",\"quantity\":3,"
         "\"price\":9.8},{\"title\":\"Reading lamp\",\"quantity\":1,"
         "\"price\":55.17}],\"total\":64.97}"},
    };
    ASSERT_READ(row);
}

static void the_last_rows_are_no_sums(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        /* the label of a balance is behind it; sums have no date */
        {"                          100,00   SALDO INIZIALE AL 30/09/2025\n"
         "Data          Valuta          Dare       Avere   Descrizione\n"
         "03/10/2025    04/10/2025     99,00               Bonifico\n"
         "05/10/2025    05/10/2025                 815,19  Versamento\n"
         "25/10/2025    27/10/2025     36,74               Prelievo\n"
         "                            135,74       815,19  MOVIMENTI\n",
         "\"opening_balance\":" NUMBER
         ",\"lines\":" ROWS("\"booking_date\":" DATE ",\"value_date\":" DATE
                            ",\"debit\":" NUMBER ",\"credit\":" NUMBER),
         "{\"opening_balance\":100,\"lines\":["
         "{\"booking_date\":\"2025-10-03\",\"value_date\":\"2025-10-04\","
         "\"debit\":99,\"credit\":null},"
         "{\"booking_date\":\"2025-10-05\",\"value_date\":\"2025-10-05\","
         "\"debit\":null,\"credit\":815.19},"
         "{\"booking_date\":\"2025-10-25\",\"value_date\":\"2025-10-27\","
         "\"debit\":36.74,\"credit\":null}]}"},
        /* two lines below a text are two keys */
        {"Buchung       Text                             Betrag\n"
         "01.09.2025    DAUERAUFTRAG                    -197,21\n"
         "              Hausverwaltung Kern\n"
         "              Miete Wohnung 8\n"
         "04.09.2025    LASTSCHRIFT                      -32,86\n"
         "              Stadtwerke Weserland\n"
         "              Abschlag Strom\n",
         "\"lines\":" ROWS("\"date\":" DATE ",\"text\":" TEXT
                           ",\"amount\":" NUMBER ",\"counterparty\":" TEXT
                           ",\"purpose\":" TEXT),
         "{\"lines\":[{\"date\":\"2025-09-01\",\"text\":\"DAUERAUFTRAG\","
         "\"amount\":-197.21,\"counterparty\":\"Hausverwaltung Kern\","
         "\"purpose\":\"Miete Wohnung 8\"},{\"date\":\"2025-09-04\","
         "\"text\":\"LASTSCHRIFT\",\"amount\":-32.86,"
         "\"counterparty\":\"Stadtwerke Weserland\","
         "\"purpose\":\"Abschlag Strom\"}]}"},
        /* a label above labels is no table */
        {"Code\nTicket number\nIssued by\n",
         "\"taxes\":" ROWS("\"code\":" TEXT ",\"amount\":" NUMBER),
         "{\"taxes\":[]}"},
    };
    ASSERT_READ(row);
}

static void sums_win_over_parts_of_labels(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Sum without VAT                           37.77\n"
         "VAT 19 % on 37.77 EUR                      7.18\n"
         "Grand total                               44.95\n",
         "\"vat_amount\":" NUMBER ",\"total\":" NUMBER,
         "{\"vat_amount\":7.18,\"total\":44.95}"},
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
    ASSERT_READ(row);
}

/* What percent signs, equal heads and labels without a colon tell of a table. */
static void columns_tell_what_they_are(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        /* the head "VAT" is that of the rates, "Tax" that of the amounts */
        {"Item            Net       VAT       Tax\n"
         "Chair        200.00      20 %     40.00\n"
         "Table        300.00      20 %     60.00\n",
         "\"items\":" ROWS("\"item\":" TEXT ",\"net\":" NUMBER
                           ",\"tax\":" NUMBER ",\"vat_rate\":" NUMBER),
         "{\"items\":[{\"item\":\"Chair\",\"net\":200,\"tax\":40,"
         "\"vat_rate\":20},{\"item\":\"Table\",\"net\":300,\"tax\":60,"
         "\"vat_rate\":20}]}"},
        /* two tables side by side */
        {"Charge            Amount      Due date        Amount\n"
         "Rates            900.00      01/04/2025      300.00\n"
         "Relief          -100.00      13/05/2025      250.00\n",
         "\"charges\":" ROWS(
             "\"charge\":" TEXT
             ",\"amount\":" NUMBER) ",\"instalments\":" ROWS("\"due_"
                                                             "date\":" DATE
                                                             ",\"amount\""
                                                             ":" NUMBER),
         "{\"charges\":[{\"charge\":\"Rates\",\"amount\":900},"
         "{\"charge\":\"Relief\",\"amount\":-100}],"
         "\"instalments\":[{\"due_date\":\"2025-04-01\",\"amount\":300},"
         "{\"due_date\":\"2025-05-13\",\"amount\":250}]}"},
        /* a detail with a label, but no colon */
        {"Description              Quantity      Amount\n"
         "Pressure gauge                  2       40.00\n"
         "HS code 9026.20\n"
         "Steel valve                     1       70.00\n"
         "HS code 8481.80\n",
         "\"goods\":" ROWS("\"description\":" TEXT ",\"quantity\":" NUMBER
                           ",\"amount\":" NUMBER ",\"hs_code\":" TEXT),
         "{\"goods\":[{\"description\":\"Pressure gauge\",\"quantity\":2,"
         "\"amount\":40,\"hs_code\":\"9026.20\"},"
         "{\"description\":\"Steel valve\",\"quantity\":1,\"amount\":70,"
         "\"hs_code\":\"8481.80\"}]}"},
    };
    ASSERT_READ(row);
}

static void columns_are_below_their_heads(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        /* a price is under two heads, but more under its own */
        {"Item        Quantity  Price     Amount\n"
         "Steel pan       2  40.38        80.76\n"
         "Ladle           3  50.50       151.50\n",
         "\"items\":" ROWS("\"item\":" TEXT ",\"quantity\":" NUMBER
                           ",\"price\":" NUMBER ",\"amount\":" NUMBER),
         "{\"items\":[{\"item\":\"Steel pan\",\"quantity\":2,"
         "\"price\":40.38,\"amount\":80.76},{\"item\":\"Ladle\","
         "\"quantity\":3,\"price\":50.5,\"amount\":151.5}]}"},
        /* of two columns that are nearest to "Disc" one is the next head's */
        {"Item       Qty   Price   Disc       Levy   Amount\n"
         "Milk         2   40.38  1.50  0.02           79.28\n"
         "Flour        3   10.00  2.00                 28.00\n"
         "Oats         1   12.75        0.34           13.09\n",
         "\"items\":" ROWS("\"item\":" TEXT ",\"qty\":" NUMBER
                           ",\"price\":" NUMBER ",\"disc\":" NUMBER
                           ",\"levy\":" NUMBER ",\"amount\":" NUMBER),
         "{\"items\":[{\"item\":\"Milk\",\"qty\":2,\"price\":40.38,"
         "\"disc\":1.5,\"levy\":0.02,\"amount\":79.28},{\"item\":\"Flour\","
         "\"qty\":3,\"price\":10,\"disc\":2,\"levy\":null,\"amount\":28},"
         "{\"item\":\"Oats\",\"qty\":1,\"price\":12.75,\"disc\":null,"
         "\"levy\":0.34,\"amount\":13.09}]}"},
        /* heads that are short for the keys, beside one that is not */
        {"Item       Alq.    Base Price    Base Amt.     Total\n"
         "Hoe           2         10.00        20.00     24.00\n"
         "Rake          1         30.00        30.00     36.00\n",
         "\"items\":" ROWS("\"item\":" TEXT ",\"total\":" NUMBER
                           ",\"base_amount\":" NUMBER
                           ",\"alquiler_q\":" NUMBER),
         "{\"items\":[{\"item\":\"Hoe\",\"total\":24,\"base_amount\":20,"
         "\"alquiler_q\":2},{\"item\":\"Rake\",\"total\":36,"
         "\"base_amount\":30,\"alquiler_q\":1}]}"},
        /* dinars have three decimals */
        {"Item          Quantity     Price        Amount\n"
         "Watch               12     2.150 KD     25.800 KD\n"
         "Band                 1     4.250 KD      4.250 KD\n",
         "\"items\":" ROWS("\"item\":" TEXT ",\"quantity\":" NUMBER
                           ",\"price\":" NUMBER ",\"amount\":" NUMBER),
         "{\"items\":[{\"item\":\"Watch\",\"quantity\":12,\"price\":2.15,"
         "\"amount\":25.8},{\"item\":\"Band\",\"quantity\":1,"
         "\"price\":4.25,\"amount\":4.25}]}"},
    };
    ASSERT_READ(row);
}

/* The sum of a till, and a rate that is a part of the key. */
static void totals_have_roundings_and_rates(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Total incl. GST          13.58\nRounding                  0.02\n"
         "To pay                   13.60\nCash                     14.00\n",
         "\"total\":" NUMBER, "{\"total\":13.6}"},
        {"Totaal                   46.01\nwaarvan btw 21%           2.59\n"
         "waarvan btw 9%            2.56\n",
         "\"vat_21\":" NUMBER ",\"vat_9\":" NUMBER,
         "{\"vat_21\":2.59,\"vat_9\":2.56}"},
    };
    ASSERT_READ(row);
}

/* pydantic's titles are the keys again. */
static void a_title_can_be_the_key(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Order date: 2024-03-18\n",
         "\"orderDate\":{\"anyOf\":[{\"type\":\"string\","
         "\"format\":\"date\"},{\"type\":\"null\"}],"
         "\"title\":\"Orderdate\"}",
         "{\"orderDate\":\"2024-03-18\"}"},
    };
    ASSERT_READ(row);
}

/* --- parties, accounts, currencies ---------------------------------------- */

static void parties_are_blocks(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Harbour Tools Ltd\n12 Quay Street, Bristol BS1 4RN\n\n\n"
         "Bill to\nMill Lane Bakery Ltd\n4 Mill Lane\nBath BA1 2QR\n\n\n"
         "Invoice date: 2024-03-18\n",
         "\"seller\":{\"type\":\"object\",\"properties\":{\"name\":" TEXT
         "}},\"buyer\":{\"type\":\"object\",\"properties\":{\"name\":" TEXT
         ",\"address\":" TEXT "}}",
         "{\"seller\":{\"name\":\"Harbour Tools Ltd\"},\"buyer\":{"
         "\"name\":\"Mill Lane Bakery Ltd\","
         "\"address\":\"4 Mill Lane, Bath BA1 2QR\"}}"},
    };
    ASSERT_READ(row);
}

#define PARTIES                                                               \
    "\"seller\":{\"type\":\"object\",\"properties\":{\"name\":" TEXT          \
    ",\"address\":" TEXT "}},\"buyer\":{\"type\":\"object\",\"properties\":{" \
    "\"name\":" TEXT ",\"address\":" TEXT "}}"

/* Below a heading numbers with labels can be above the name, and a blank line between it
 * and the address; forms of address and persons are no part of either. */
static void names_are_below_numbers_and_above_gaps(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Seller:\nGLN 4333741000005\nNo.: 549910\nMINSTER TOOLS\n\n"
         "17 Quay Street\nBristol BS1 4RN\n\n\n"
         "Buyer:\nMr\nJohn Miller\nAttn: Accounts\n4 Mill Lane\n"
         "Bath BA1 2QR\n\n\nInvoice date: 2024-03-18\n",
         PARTIES,
         "{\"seller\":{\"name\":\"MINSTER TOOLS\",\"address\":"
         "\"17 Quay Street, Bristol BS1 4RN\"},\"buyer\":{\"name\":"
         "\"John Miller\",\"address\":\"4 Mill Lane, Bath BA1 2QR\"}}"},
    };
    ASSERT_READ(row);
}

/* Only the sender is in the foot, or can be reached; a title is nobody. */
static void senders_are_in_the_foot_or_have_contacts(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Reminder\n\n\nMill Lane Bakery\n4 Mill Lane\nBath BA1 2QR\n\n\n\n\n\n"
         "\n\n\n\nPlease pay.\n\n\n\n\n\n\n\n\n\n\n\n"
         "Harbour Tools\n12 Quay Street\nBristol BS1 4RN\n",
         PARTIES,
         "{\"seller\":{\"name\":\"Harbour Tools\",\"address\":"
         "\"12 Quay Street, Bristol BS1 4RN\"},\"buyer\":{\"name\":"
         "\"Mill Lane Bakery\",\"address\":\"4 Mill Lane, Bath BA1 2QR\"}}"},
        {"Packing slip                  Harbour Tools\n"
         "                              12 Quay Street\n"
         "                              Bristol BS1 4RN\n"
         "                              www.harbour.example\n\n\n"
         "Bill to\nMill Lane Bakery Ltd\n4 Mill Lane\nBath BA1 2QR\n",
         PARTIES,
         "{\"seller\":{\"name\":\"Harbour Tools\",\"address\":"
         "\"12 Quay Street, Bristol BS1 4RN\"},\"buyer\":{\"name\":"
         "\"Mill Lane Bakery Ltd\",\"address\":"
         "\"4 Mill Lane, Bath BA1 2QR\"}}"},
    };
    ASSERT_READ(row);
}

static void accounts_have_check_digits(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Bank details   DE02 1203 0000 0000 2020 51\n", "\"iban\":" TEXT,
         "{\"iban\":\"DE02 1203 0000 0000 2020 51\"}"},
        /* the form that the schema wants */
        {"Bank details   DE02 1203 0000 0000 2020 51\n",
         "\"iban\":{\"type\":[\"string\",\"null\"],"
         "\"pattern\":\"^[A-Z0-9]+$\"}",
         "{\"iban\":\"DE02120300000000202051\"}"},
        {"IBAN  DE03 1203 0000 0000 2020 51\n", "\"iban\":" TEXT,
         "{\"iban\":null}"},
    };
    ASSERT_READ(row);
}

static void the_only_currency_is_the_currency(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Subtotal    \u20AC 10.00\nTotal       \u20AC 12.00\n",
         "\"currency\":" TEXT, "{\"currency\":\"EUR\"}"},
        {"Total       10.00\n", "\"currency\":" TEXT, "{\"currency\":null}"},
    };
    ASSERT_READ(row);
}

/* --- what is not decided --------------------------------------------------- */

static void what_is_not_decided_is_null(void **state)
{
    (void)state;
    static const struct read_row row[] = {
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
    ASSERT_READ(row);
}

/* The heading is in words that nobody knows, and the columns are the array's in its
 * order; below one of them is its total. */
static void columns_have_the_shape_of_the_array(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Xoro               Vumba      Plag             Zeb\n"
         "Alpha            671.63      Mede           52.69\n"
         "Beta           2,026.45      Mede          158.97\n"
         "Gamma            387.73      Tolo           55.39\n"
         "               3,085.81                    267.05\n",
         "\"costs\":" ROWS(
             "\"kind\":" TEXT ",\"whole_cost\":" NUMBER ",\"by\":" TEXT
             ",\"tenant_share\":" NUMBER) ",\"tenant_total\":" NUMBER,
         "{\"costs\":[{\"kind\":\"Alpha\",\"whole_cost\":671.63,\"by\":"
         "\"Mede\","
         "\"tenant_share\":52.69},{\"kind\":\"Beta\",\"whole_cost\":2026.45,"
         "\"by\":\"Mede\",\"tenant_share\":158.97},{\"kind\":\"Gamma\","
         "\"whole_cost\":387.73,\"by\":\"Tolo\",\"tenant_share\":55.39}],"
         "\"tenant_total\":267.05}"},
        /* the sum of a column is not yet the total */
        {"Description    Quantity    Price    Amount\n"
         "Alpha                 2   200.00    400.00\n"
         "Beta                  3   100.00    300.00\n"
         "\n"
         "Subtotal                             700.00\n"
         "VAT 19 %                             133.00\n"
         "Total amount                         833.00\n",
         "\"items\":" ROWS("\"description\":" TEXT ",\"quantity\":" NUMBER
                           ",\"price\":" NUMBER
                           ",\"amount\":" NUMBER) ",\"total_amount\":" NUMBER,
         "{\"items\":[{\"description\":\"Alpha\",\"quantity\":2,\"price\":200,"
         "\"amount\":400},{\"description\":\"Beta\",\"quantity\":3,\"price\":"
         "100,"
         "\"amount\":300}],\"total_amount\":833}"},
        /* the classes are not those of the array */
        {"Xoro               Vumba      Plag\n"
         "Alpha            671.63      Mede\n"
         "Beta           2,026.45      Mede\n",
         "\"costs\":" ROWS("\"kind\":" TEXT ",\"by\":" TEXT
                           ",\"whole_cost\":" NUMBER),
         "{\"costs\":[]}"},
    };
    ASSERT_READ(row);
}

/* Two arrays have "Date" and "Amount": each gets the heading that is all of its. */
static void arrays_take_their_headings_best_first(void **state)
{
    (void)state;
    static const struct read_row row[] = {
        {"Date           Rate      Amount\n"
         "2024-03-01     14.00      28.00\n"
         "2024-03-02     14.00      14.00\n"
         "\n\n"
         "Date           Description      Tax      Amount\n"
         "2024-03-05     Parking         1.90       12.00\n",
         "\"bills\":" ROWS(
             "\"date\":" DATE ",\"description\":" TEXT ",\"tax\":" NUMBER
             ",\"amount\":" NUMBER) ",\"days\":" ROWS("\"date\":" DATE
                                                      ",\"rate\":" NUMBER
                                                      ",\"amount\":" NUMBER),
         "{\"bills\":[{\"date\":\"2024-03-05\",\"description\":\"Parking\","
         "\"tax\":1.9,\"amount\":12}],\"days\":[{\"date\":\"2024-03-01\","
         "\"rate\":14,\"amount\":28},{\"date\":\"2024-03-02\",\"rate\":14,"
         "\"amount\":14}]}"},
    };
    ASSERT_READ(row);
}

/* What is below the heading of an object, the key as its own label, thousands. */
static void headings_and_keys_are_labels(void **state)
{
    (void)state;
    static const struct read_row row[] = {
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
    ASSERT_READ(row);
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
    struct words_answer read = read_pages(schema, &words, 1, arena);
    assert_value(
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
        struct words_answer read = read_pages(row[i].schema, &words, 1, arena);
        assert_non_null(read.value);
        if (row[i].wanted)
            assert_value(read.value, row[i].wanted, row[i].schema);
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
        read_pages("{\"type\":\"object\",\"properties\":{\"total\":" NUMBER
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
    struct words_answer read = read_pages(everything, words, n_page, arena);
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

TEST_GROUP(words_reader, cmocka_unit_test(labels_stand_beside_or_above),
           cmocka_unit_test(the_amount_is_at_the_end_of_its_line),
           cmocka_unit_test(the_dates_of_a_period_are_in_order),
           cmocka_unit_test(a_title_has_the_number_and_the_date),
           cmocka_unit_test(labels_belong_to_one_value),
           cmocka_unit_test(descriptions_of_few_words_are_names),
           cmocka_unit_test(sums_are_told_from_what_they_are_of),
           cmocka_unit_test(tables_are_read_by_their_headings),
           cmocka_unit_test(headings_are_of_several_lines),
           cmocka_unit_test(headings_are_above_figures),
           cmocka_unit_test(rows_are_of_several_lines),
           cmocka_unit_test(tables_go_on_at_the_next_page),
           cmocka_unit_test(tables_go_on_below_a_tall_letterhead),
           cmocka_unit_test(receipt_rows_need_no_heading),
           cmocka_unit_test(rows_of_several_lines_have_labels),
           cmocka_unit_test(the_last_rows_are_no_sums),
           cmocka_unit_test(columns_tell_what_they_are),
           cmocka_unit_test(columns_are_below_their_heads),
           cmocka_unit_test(totals_have_roundings_and_rates),
           cmocka_unit_test(a_title_can_be_the_key),
           cmocka_unit_test(sums_win_over_parts_of_labels),
           cmocka_unit_test(parties_are_blocks),
           cmocka_unit_test(names_are_below_numbers_and_above_gaps),
           cmocka_unit_test(senders_are_in_the_foot_or_have_contacts),
           cmocka_unit_test(accounts_have_check_digits),
           cmocka_unit_test(the_only_currency_is_the_currency),
           cmocka_unit_test(what_is_not_decided_is_null),
           cmocka_unit_test(columns_have_the_shape_of_the_array),
           cmocka_unit_test(arrays_take_their_headings_best_first),
           cmocka_unit_test(headings_and_keys_are_labels),
           cmocka_unit_test(what_is_required_is_there_and_doubtful),
           cmocka_unit_test(schemas_of_any_form),
           cmocka_unit_test(what_is_found_has_its_place),
           cmocka_unit_test(a_line_of_very_many_words_ends),
           cmocka_unit_test(a_table_of_very_many_columns_ends),
           cmocka_unit_test(empty_pages_end),
           cmocka_unit_test(words_of_no_size_on_one_spot_end))
