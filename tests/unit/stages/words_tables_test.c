/* words_tables_test.c - what the words of drawn pages decide for the rows of arrays. */
#include "tests/support/test.h"

#include "tests/unit/stages/words_page.h"

static void tables_are_read_by_their_headings(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
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
    WORDS_PAGE_ASSERT(row);
}

/* What headings of real papers look like. */
static void headings_are_of_several_lines(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
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
    WORDS_PAGE_ASSERT(row);
}

static void headings_are_above_figures(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
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
    WORDS_PAGE_ASSERT(row);
}

/* What belongs to a row, and what to none. */
static void rows_are_of_several_lines(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
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
    WORDS_PAGE_ASSERT(row);
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
        struct words_answer read = words_page_read(schema, words, 2, arena);
        words_page_assert_value(read.value, row[i].wanted, row[i].second);
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
        words_page_read("{\"type\":\"object\",\"properties\":{\"items\":" ROWS(
                            "\"description\":" TEXT ",\"quantity\":" NUMBER
                            ",\"amount\":" NUMBER) "}}",
                        words, 2, arena);
    words_page_assert_value(
        read.value,
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
    static const struct words_page_row row[] = {
        {"BLUE DOOR CAFE\n\nCoffee                2.50\nTea                   "
         "1.50\nCake                  3.00\nTOTAL             EUR 7.00\n",
         "\"items\":" ROWS("\"name\":" TEXT
                           ",\"price\":" NUMBER) ",\"total\":" NUMBER,
         "{\"items\":[{\"name\":\"Coffee\",\"price\":2.5},"
         "{\"name\":\"Tea\",\"price\":1.5},{\"name\":\"Cake\",\"price\":3}],"
         "\"total\":7}"},
    };
    WORDS_PAGE_ASSERT(row);
}

static void rows_of_several_lines_have_labels(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
        {"Notebook, dotted          GBP 9.80\nQty: 3\n"
         "Reading lamp             GBP 55.17\nQty: 1\n"
         "Total                    GBP 64.97\n",
         "\"items\":" ROWS("\"title\":" TEXT ",\"quantity\":" NUMBER
                           ",\"price\":" NUMBER) ",\"total\":" NUMBER,
         "{\"items\":[{\"title\":\"Notebook, dotted\",\"quantity\":3,"
         "\"price\":9.8},{\"title\":\"Reading lamp\",\"quantity\":1,"
         "\"price\":55.17}],\"total\":64.97}"},
    };
    WORDS_PAGE_ASSERT(row);
}

static void the_last_rows_are_no_sums(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
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
    WORDS_PAGE_ASSERT(row);
}

/* What percent signs, equal heads and labels without a colon tell of a table. */
static void columns_tell_what_they_are(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
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
    WORDS_PAGE_ASSERT(row);
}

static void columns_are_below_their_heads(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
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
    WORDS_PAGE_ASSERT(row);
}

/* The heading is in words that nobody knows, and the columns are the array's in its
 * order; below one of them is its total. */
static void columns_have_the_shape_of_the_array(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
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
    WORDS_PAGE_ASSERT(row);
}

/* Two arrays have "Date" and "Amount": each gets the heading that is all of its. */
static void arrays_take_their_headings_best_first(void **state)
{
    (void)state;
    static const struct words_page_row row[] = {
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
    WORDS_PAGE_ASSERT(row);
}

TEST_GROUP(words_tables, cmocka_unit_test(tables_are_read_by_their_headings),
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
           cmocka_unit_test(columns_have_the_shape_of_the_array),
           cmocka_unit_test(arrays_take_their_headings_best_first))
