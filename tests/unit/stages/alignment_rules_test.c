/* alignment_rules_test.c - what is said of the right print in the wrong field, of
 * nulls beside print, and of values that only look odd. */
#include "tests/unit/stages/drawn_page.h"

#include "tests/support/test.h"

#include <stdio.h>

/* --- columns -------------------------------------------------------------- */

static void exchanged_columns_have_each_others_heads(void **state)
{
    (void)state;
    static const char heads[] = "Description    Quantity    Price    Amount\n"
                                "Valve                12     9.50    114.00\n"
                                "Gasket               15     3.10     46.50\n"
                                "Flange               11     7.20     79.20\n";
    static const char none[] = "Valve                12     9.50    114.00\n"
                               "Gasket               15     3.10     46.50\n"
                               "Flange               11     7.20     79.20\n";
    static const char others[] = "Item           Col A       Col B    Col C\n"
                                 "Valve                12     9.50    114.00\n"
                                 "Gasket               15     3.10     46.50\n"
                                 "Flange               11     7.20     79.20\n";
    static const char right[] =
        "[{\"quantity\":12,\"price\":9.5,\"amount\":114},"
        "{\"quantity\":15,\"price\":3.1,\"amount\":46.5},"
        "{\"quantity\":11,\"price\":7.2,\"amount\":79.2}]";
    static const char wrong[] =
        "[{\"quantity\":12,\"price\":114,\"amount\":9.5},"
        "{\"quantity\":15,\"price\":46.5,\"amount\":3.1},"
        "{\"quantity\":11,\"price\":79.2,\"amount\":7.2}]";
    static const char agree[] =
        "agree agree agree agree agree agree agree agree agree";
    static const struct drawn_row row[] = {
        {heads, right, agree},
        {heads, wrong, "agree label label agree label label agree label label"},
        {none, wrong, "agree label label agree label label agree label label"},
        {others, wrong,
         "agree label label agree label label agree label label"},
        /* a line of figures is no heading */
        {"Name     Quantity    Price\n\n"
         "Carried        99    98.00\n"
         "Valve          12     9.50\n"
         "Gasket         15     3.10\n",
         "[{\"name\":\"Valve\",\"quantity\":9.5,\"price\":12},"
         "{\"name\":\"Gasket\",\"quantity\":3.1,\"price\":15}]",
         "agree label label agree label label"},
        /* two texts */
        {"Sender      Recipient\n"
         "Anna        Bruno\n"
         "Carla       Dario\n",
         "[{\"sender\":\"Bruno\",\"recipient\":\"Anna\"},"
         "{\"sender\":\"Dario\",\"recipient\":\"Carla\"}]",
         "label label label label"},
        {"Sender      Recipient\n"
         "Anna        Bruno\n"
         "Carla       Dario\n",
         "[{\"sender\":\"Anna\",\"recipient\":\"Bruno\"},"
         "{\"sender\":\"Carla\",\"recipient\":\"Dario\"}]",
         "agree agree agree agree"},
    };
    drawn_page_assert(row, sizeof row / sizeof *row);
}

static void figures_tell_exchanged_columns(void **state)
{
    (void)state;
    static const struct drawn_row row[] = {
        /* of one piece the price is the amount */
        {"Bolt       1    9.50     9.50\nPart      10   98.00   980.00\n",
         "[{\"quantity\":1,\"price\":9.5,\"amount\":9.5},"
         "{\"quantity\":10,\"price\":980,\"amount\":98}]",
         "agree label label agree label label"},
        /* quantities and amounts; a quantity that is headed so */
        {"Part      10   98.00   980.00\nBolt      12    9.50   114.00\n",
         "[{\"quantity\":980,\"price\":98,\"amount\":10},"
         "{\"quantity\":114,\"price\":9.5,\"amount\":12}]",
         "label agree label label agree label"},
        {"Amount   Product    Price    Total\n"
         "400.00   Balloon     0.79   316.00\n"
         "800.00   Hot air     0.50   400.00\n",
         "[{\"quantity\":400,\"price\":0.79,\"amount\":316},"
         "{\"quantity\":800,\"price\":0.5,\"amount\":400}]",
         "agree agree agree agree agree agree"},
        {"Description    Quantity    Price    Amount\n"
         "Valve                12     9.50    114.00\n"
         "Gasket               15     3.10     46.50\n"
         "Flange               11     7.20     79.20\n",
         "[{\"quantity\":9.5,\"price\":12,\"amount\":114},"
         "{\"quantity\":3.1,\"price\":15,\"amount\":46.5},"
         "{\"quantity\":7.2,\"price\":11,\"amount\":79.2}]",
         "label label agree label label agree label label agree"},
        /* hours that are printed as amounts, and amounts that are none */
        {"Pads      2.2   327.80\nFilter    1.4   208.60\n",
         "[{\"work\":\"Pads\",\"hours\":327.8,\"amount\":2.2},"
         "{\"work\":\"Filter\",\"hours\":208.6,\"amount\":1.4}]",
         "agree label label agree label label"},
        {"Pads      2.2   327.80\nFilter    1.4   208.60\n",
         "[{\"work\":\"Pads\",\"hours\":2.2,\"amount\":327.8},"
         "{\"work\":\"Filter\",\"hours\":1.4,\"amount\":208.6}]",
         "agree agree agree agree agree agree"},
        /* readings of a meter, and a price of four decimals */
        {"Peak     39 690   0,2178\nNight    44 225   0,1782\n",
         "[{\"meter\":39690,\"price\":0.2178},"
         "{\"meter\":44225,\"price\":0.1782}]",
         "agree agree agree agree"},
    };
    drawn_page_assert(row, sizeof row / sizeof *row);
}

static void a_text_in_another_keys_column_is_doubtful(void **state)
{
    (void)state;
    static const struct drawn_row row[] = {
        {"Anna    Carlisle\nBruno   Durham\nCarla   Exeter\n",
         "[{\"name\":\"Anna\",\"city\":\"Carlisle\"},"
         "{\"name\":\"Bruno\",\"city\":\"Durham\"},"
         "{\"name\":\"Exeter\",\"city\":null}]",
         "agree agree agree agree place none"},
    };
    drawn_page_assert(row, sizeof row / sizeof *row);
}

static void years_side_by_side_are_no_rows(void **state)
{
    (void)state;
    static const struct drawn_row row[] = {
        {"Year   2023    2022\nCash   110.00  120.00\nDebt   70.00   30.00",
         "[{\"year\":2023,\"cash\":110,\"debt\":70},"
         "{\"year\":2022,\"cash\":120,\"debt\":30}]",
         "agree agree agree agree agree agree"},
    };
    drawn_page_assert(row, sizeof row / sizeof *row);
}

static void equal_figures_of_a_row_are_in_the_order_of_their_keys(void **state)
{
    (void)state;
    static const struct drawn_row row[] = {
        {"Valve     712.50     712.50\n\n\nValve     712.50\n",
         "[{\"name\":\"Valve\",\"price\":712.5,\"amount\":712.5}]",
         "agree agree agree"},
        {"Valve     712.50     712.50     712.50\n",
         "[{\"name\":\"Valve\",\"price\":712.5,\"amount\":712.5}]",
         "agree agree agree"},
    };
    drawn_page_assert(row, sizeof row / sizeof *row);
}

/* --- amounts -------------------------------------------------------------- */

static void one_print_serves_no_two_fields(void **state)
{
    (void)state;
    static const struct drawn_row row[] = {
        {"Anna Berg\nBruno Weiss",
         "{\"driver\":\"Anna Berg\","
         "\"owner\":\"Anna Berg\"}",
         "place place"},
        {"Anna Berg\nBruno Weiss",
         "{\"driver\":\"Anna Berg\","
         "\"owner\":\"Bruno Weiss\"}",
         "agree agree"},
        {"Booking 778812\nVoucher 990145",
         "{\"booking\":\"778812\",\"voucher\":\"778812\"}", "place place"},
        /* without tax, the net amount is the total */
        {"Total 80.00", "{\"charge\":80,\"total\":80}", "agree agree"},
        {"Extra 70.00\nTotal 80.00", "{\"charge\":80,\"total\":80}",
         "place place"},
    };
    drawn_page_assert(row, sizeof row / sizeof *row);
}

static void exchanged_scalars_have_each_others_labels(void **state)
{
    (void)state;
    static const char ids[] =
        "Service tax no.: AB21FSD001\nCIN: U72900KA2009\n";
    static const char parties[] =
        "Seller                      Buyer\n"
        "Hart & Co                   Lind AB\n"
        "NIP: 9999999999             NIP: 1111111111\n"
        "Mill Road 5                 Quay 7\n";
    static const struct drawn_row row[] = {
        {ids,
         "{\"service_tax_number\":\"U72900KA2009\",\"cin\":\"AB21FSD001\"}",
         "label label"},
        {ids,
         "{\"service_tax_number\":\"AB21FSD001\",\"cin\":\"U72900KA2009\"}",
         "agree agree"},
        {parties,
         "{\"seller\":{\"name\":\"Hart & Co\",\"nip\":\"1111111111\","
         "\"address\":\"Mill Road 5\"},\"buyer\":{\"name\":\"Lind AB\","
         "\"nip\":\"9999999999\",\"address\":\"Quay 7\"}}",
         "agree label agree agree label agree"},
        {parties,
         "{\"seller\":{\"name\":\"Hart & Co\",\"nip\":\"9999999999\","
         "\"address\":\"Mill Road 5\"},\"buyer\":{\"name\":\"Lind AB\","
         "\"nip\":\"1111111111\",\"address\":\"Quay 7\"}}",
         "agree agree agree agree agree agree"},
    };
    drawn_page_assert(row, sizeof row / sizeof *row);
}

static void an_amount_left_over_beside_totals_is_a_nulls(void **state)
{
    (void)state;
    static const char number[] =
        "{\"properties\":{\"levy\":{\"type\":[\"number\",\"null\"]},"
        "\"total\":{\"type\":\"number\"}}}";
    static const struct drawn_row row[] = {
        {"Heffing     21.00\nTotal      121.00",
         "{\"levy\":null,\"total\":121}", "overlooked agree"},
        {"Heffing\nTotal      121.00", "{\"levy\":null,\"total\":121}",
         "none agree"},
        /* not among the totals, but the only one */
        {"Heffing 21.00\nTotal      121.00", "{\"levy\":null,\"total\":121}",
         "overlooked agree"},
        {"Heffing 21.00\nKosten 4.00\nTotal      121.00",
         "{\"levy\":null,\"total\":121}", "none agree"},
        /* a total that is repeated is not left over */
        {"Total      121.00\nTe betalen 121.00",
         "{\"levy\":null,\"total\":121}", "none agree"},
        {"Heffing     21.00\nNetto      100.00\nTotal      121.00",
         "{\"levy\":100,\"total\":100}", "place place"},
        /* a factor, a sentence, a number without cents, what is everywhere */
        {"Paid 12 x 21.00\nTotal      121.00", "{\"levy\":null,\"total\":121}",
         "none agree"},
        {"Who pays late owes us a further fee of 21.00 for each letter\n"
         "Total      121.00",
         "{\"levy\":null,\"total\":121}", "none agree"},
        {"Col. 7,392\nTotal      121.00", "{\"levy\":null,\"total\":121}",
         "none agree"},
        {"Mai       21.00\nJuni      21.00\nJuli      21.00\n"
         "Total      121.00",
         "{\"levy\":null,\"total\":121}", "none agree"},
        /* not one that is in three places */
        {"Xoro 21.00\nHeffing     21.00\nVumba plag zeb 21.00\n"
         "Total      121.00",
         "{\"levy\":null,\"total\":121}", "overlooked agree"},
    };
    drawn_page_assert_of(number, row, sizeof row / sizeof *row);
}

static void a_sum_between_rows_is_the_tables(void **state)
{
    (void)state;
    static const char page[] = "Item        Amount\n"
                               "Valve        10.00\n"
                               "Gasket       20.00\n"
                               "Titel 1      30.00\n"
                               "Flange        7.00\n";
    static const struct drawn_row row[] = {
        {page,
         "{\"levy\":null,\"row\":[{\"item\":\"Valve\",\"amount\":10},"
         "{\"item\":\"Gasket\",\"amount\":20},"
         "{\"item\":\"Flange\",\"amount\":7}]}",
         "none agree agree agree agree agree agree"},
        {page,
         "{\"levy\":null,\"row\":[{\"item\":\"Valve\",\"amount\":10},"
         "{\"item\":\"Gasket\",\"amount\":20}]}",
         "overlooked agree agree agree agree"}};
    drawn_page_assert_of(
        "{\"properties\":{\"levy\":{\"type\":[\"number\",\"null\"]}}}", row,
        sizeof row / sizeof *row);
}

static void a_total_beside_a_table_is_no_row(void **state)
{
    (void)state;
    static const char page[] = "Rate    Base      Tax\n"
                               "21 %    10.00    2.10    Total    40.30\n"
                               "6 %     20.00    1.20    Paid     12.00\n";
    static const struct drawn_row row[] = {
        {page,
         "{\"total\":40.3,\"taxes\":[{\"rate\":21,\"base\":10},"
         "{\"rate\":6,\"base\":20}]}",
         "agree agree agree agree agree"},
        {page,
         "{\"total\":12,\"taxes\":[{\"rate\":21,\"base\":10},"
         "{\"rate\":6,\"base\":20}]}",
         "place agree agree agree agree"}};
    drawn_page_assert(row, sizeof row / sizeof *row);
}

static void words_of_a_schema_are_not_printed(void **state)
{
    (void)state;
    static const char choice[] =
        "{\"properties\":{\"kind\":{\"enum\":[\"invoice\",\"credit\"]},"
        "\"currency\":{\"enum\":[\"EUR\",\"GBP\"]}}}";
    static const struct drawn_row row[] = {
        {"Gutschrift 12.00 \u20AC",
         "{\"kind\":\"credit\",\"currency\":\"EUR\"}", "meant agree"},
        {"Rechnung zu Invoice 12.00 \u20AC",
         "{\"kind\":\"credit\",\"currency\":\"EUR\"}", "none agree"},
        {"Xoro 12.00 \u20AC", "{\"kind\":\"credit\",\"currency\":\"EUR\"}",
         "none agree"},
        {"Invoice 12.00 \u20AC", "{\"kind\":\"credit\",\"currency\":\"GBP\"}",
         "none none"},
        /* it is complete, whatever follows */
        {"Credit Note No. 4\n12.00 \u20AC",
         "{\"kind\":\"Credit\",\"currency\":\"EUR\"}", "agree agree"}};
    drawn_page_assert_of(choice, row, sizeof row / sizeof *row);
}

static void a_label_that_names_too_little_or_is_in_a_phrase(void **state)
{
    (void)state;
    static const struct drawn_row row[] = {
        {"Laboratory No. 0995", "{\"asset_number\":null}", "none"},
        {"Asset number 0995", "{\"asset_number\":null}", "overlooked"},
        {"No. 0995", "{\"invoice_number\":null}", "overlooked"},
        {"No damage reported", "{\"damage\":null}", "none"},
        {"Damage: reported", "{\"damage\":null}", "overlooked"},
        {"Damage      reported", "{\"damage\":null}", "overlooked"}};
    drawn_page_assert(row, sizeof row / sizeof *row);
}

static void a_print_of_two_values_tells_no_column(void **state)
{
    (void)state;
    /* Tesseract did not read the price of the second row */
    static const struct drawn_row row[] = {
        {"Item      Qty     Price    Amount\n"
         "Cream       3    106.95    320.85\n"
         "Spray       1                5.21\n"
         "Drops       1    104.83    104.83\n"
         "Pills       1     85.76     85.76\n",
         "[{\"price\":106.95,\"amount\":320.85},"
         "{\"price\":5.21,\"amount\":5.21},"
         "{\"price\":104.83,\"amount\":104.83},"
         "{\"price\":85.76,\"amount\":85.76}]",
         "agree agree place agree agree agree agree agree"},
    };
    drawn_page_assert(row, sizeof row / sizeof *row);
}

static void a_date_left_over_is_a_nulls(void **state)
{
    (void)state;
    static const char date[] =
        "{\"properties\":{\"issued\":{\"type\":\"string\","
        "\"format\":\"date\"},\"shipment_date\":{\"type\":[\"string\","
        "\"null\"],\"format\":\"date\"}}}";
    static const char json[] =
        "{\"issued\":\"2026-05-14\",\"shipment_date\":null}";
    static const struct drawn_row row[] = {
        {"Issued 2026-05-14\nOn board 2026-05-19", json, "agree overlooked"},
        {"Issued 2026-05-14", json, "agree none"},
        /* that of something else */
        {"Issued 2026-05-14\nOrder date 2026-05-19", json, "agree none"},
        {"Issued 2026-05-14\nOne 2026-05-19\nTwo 2026-05-20\nThree "
         "2026-05-21",
         json, "agree none"},
    };
    drawn_page_assert_of(date, row, sizeof row / sizeof *row);
}

static void a_line_left_over_of_a_block_is_its_names(void **state)
{
    (void)state;
    static const char two[] = "Kestrel Tools\nMill Lane 3\nCarlisle CA2\n\n"
                              "Anna Berg\nHill Street 1\nLeeds LS1\n";
    static const struct drawn_row row[] = {
        {two,
         "{\"firm\":null,\"address\":\"Mill Lane 3, Carlisle CA2\","
         "\"guest\":\"Anna Berg\"}",
         "overlooked agree agree"},
        {two,
         "{\"firm\":\"Kestrel Tools\",\"guest\":null,"
         "\"guest_address\":\"Hill Street 1, Leeds LS1\"}",
         "agree overlooked agree"},
        /* of the key before it only */
        {two,
         "{\"firm\":\"Kestrel Tools\",\"note\":null,\"vessel\":null,"
         "\"guest_address\":\"Hill Street 1, Leeds LS1\"}",
         "agree none overlooked agree"},
        /* whose document it is */
        {two, "{\"firm\":null,\"guest\":\"Anna Berg\"}", "overlooked agree"},
        {two, "{\"guest\":\"Anna Berg\",\"firm\":null}", "agree none"},
    };
    drawn_page_assert(row, sizeof row / sizeof *row);
}

static void labels_in_a_row_are_over_what_they_are_of(void **state)
{
    (void)state;
    static const struct drawn_row row[] = {
        {"Vergi No: 9446089570\nSevk No: IRS3747122\n",
         "{\"satici_vergi_no\":\"9446089570\","
         "\"alici_vergi_no\":\"IRS3747122\"}",
         "agree agree"},
        /* labels in a row, above what they are of */
        {"Giro           Org.nr\n508-4579       556434-4454\n",
         "{\"giro\":null,\"org_nr\":null}", "overlooked overlooked"},
        {"Giro           Org.nr\n508-4579       556434-4454\n",
         "{\"giro\":\"508-4579\",\"org_nr\":\"556434-4454\"}", "agree agree"},
    };
    drawn_page_assert(row, sizeof row / sizeof *row);
}

/* --- rates ---------------------------------------------------------------- */

static void rates_are_a_column(void **state)
{
    (void)state;
    static const char page[] = "Pos    Text      Tariff    Amount\n"
                               "1      Valve        9 %     14.00\n"
                               "2      Gasket       9 %     46.50\n"
                               "3      Flange      21 %     79.20\n";
    static const struct drawn_row row[] = {
        {page,
         "[{\"tariff\":9,\"amount\":14},{\"tariff\":9,\"amount\":46.5},"
         "{\"tariff\":21,\"amount\":79.2}]",
         "agree agree agree agree agree agree"},
        {page,
         "[{\"tariff\":9,\"amount\":14},{\"tariff\":0.09,\"amount\":46.5},"
         "{\"tariff\":21,\"amount\":79.2}]",
         "agree agree scale agree agree agree"},
        {"VAT 21 %", "{\"vat_percentage\":0.21}", "scale"},
        {"VAT 21 %", "{\"vat_percentage\":21}", "agree"},
    };
    drawn_page_assert(row, sizeof row / sizeof *row);
    static const struct {
        const char *says, *wanted;
    } schema[] = {
        {"\"maximum\":1", "agree"},
        {"\"maximum\":100", "scale"},
        {"\"description\":\"As a fraction\"", "agree"},
        {"\"description\":\"Fraction of the net amount\"", "agree"},
        {"\"description\":\"Such as 0.21\"", "agree"},
        {"\"description\":\"Such as 10.5, up to 100.\"", "scale"},
    };
    for (size_t i = 0; i < sizeof schema / sizeof *schema; i++) {
        char text[128];
        struct drawn_row one = {"VAT 21 %", "{\"vat_rate\":0.21}",
                                schema[i].wanted};
        snprintf(text, sizeof text, "{\"properties\":{\"vat_rate\":{%s}}}",
                 schema[i].says);
        drawn_page_assert_of(text, &one, 1);
    }
}

/* --- labels --------------------------------------------------------------- */

static void a_heading_labels_its_block(void **state)
{
    (void)state;
    static const char page[] = "Sender            Customer\n"
                               "Anna Berg         Bruno Weiss\n"
                               "Mill Lane 3       Hill Street 1\n"
                               "CA2 Carlisle      NE4 Newcastle\n";
    static const struct drawn_row row[] = {
        {page,
         "{\"sender\":{\"name\":\"Anna Berg\",\"city\":\"CA2 Carlisle\"},"
         "\"customer\":{\"name\":\"Bruno Weiss\",\"city\":\"NE4 "
         "Newcastle\"}}",
         "agree agree agree agree"},
        {"Customer\nBruno Weiss\nHill Street 1\n\nNote",
         "{\"customer_street\":null}", "overlooked"},
        {"Customer\nBruno Weiss\nHill Street 1\n",
         "{\"customer\":\"Bruno Weiss\",\"customer_address\":null}",
         "agree overlooked"},
        {"Customer\nBruno Weiss\n\nHill Street 1\n",
         "{\"customer\":\"Bruno Weiss\",\"customer_address\":null}",
         "agree none"},
    };
    drawn_page_assert(row, sizeof row / sizeof *row);
}

static void labels_of_boxes_and_titles(void **state)
{
    (void)state;
    static const struct drawn_row row[] = {
        {"22 Currency      23 Total\n"
         "EUR              4,500.00\n",
         "{\"total\":4500}", "agree"},
        {"22 Packages      23 Weight\n17               80\n",
         "{\"packages\":17}", "agree"},
        {"Date        Vessel\n2024-05-13  AB 44\n", "{\"date\":null}",
         "overlooked"},
        {"Invoice      Anna Berg\n", "{\"sender\":\"Anna Berg\"}", "agree"},
        {"B/L NUMBER\nMSKU7781\n", "{\"bl_number\":null}", "overlooked"},
        /* a name beside a code is its label only if no label is above it */
        {"SALES REP        P.O. NUMBER\nCarlos Rivera    PO-2193\n",
         "{\"sales_rep\":null,\"po_number\":\"PO-2193\"}", "overlooked agree"},
        {"Total without VAT     100.00\n"
         "Total incl. VAT       121.00\n",
         "{\"subtotal\":100}", "agree"},
        {"Total before VAT      100.00\n"
         "Total incl. VAT       121.00\n",
         "{\"subtotal\":100,\"total\":121}", "agree agree"},
    };
    drawn_page_assert(row, sizeof row / sizeof *row);
}

static void labels_over_rows_name_no_scalar(void **state)
{
    (void)state;
    static const struct drawn_row row[] = {
        {"22 Currency      23 Total\nEUR              4,500.00\n",
         "{\"total\":null}", "overlooked"},
        {"Item         Total\nValve        14.00\nGasket       46.50\n",
         "{\"items\":[{\"item\":\"Valve\"},{\"item\":\"Gasket\"}],"
         "\"total\":null}",
         "agree agree none"},
    };
    static const struct drawn_row other[] = {
        {"Item         Total\nValve        14.00\nGasket       46.50\n\n"
         "To pay       65.00\n",
         "{\"items\":[{\"item\":\"Valve\",\"amount\":14},"
         "{\"item\":\"Gasket\",\"amount\":46.5}],\"total\":65}",
         "agree agree agree agree agree"},
    };
    drawn_page_assert(other, sizeof other / sizeof *other);
    drawn_page_assert_of(
        "{\"properties\":{\"total\":{\"type\":[\"number\",\"null\"]}}}", row,
        sizeof row / sizeof *row);
}

/* --- texts ---------------------------------------------------------------- */

static void units_of_text(void **state)
{
    (void)state;
    static const struct drawn_row row[] = {
        {"12 Quay Street, Newcastle NE46 3AB",
         "{\"address\":\"12 Quay Street, Newcastle NE46\"}", "partial"},
        {"12 Quay Street, Newcastle NE46 3AB",
         "{\"address\":\"12 Quay Street, Newcastle NE46 3AB\"}", "agree"},
        {"Postcode NE46 3AB", "{\"postcode\":\"NE46\"}", "partial"},
        {"Unit   m\u00B2", "{\"unit\":\"m2\"}", "agree"},
        {"Unit   m\u00B2", "{\"unit\":\"m\u00B2\"}", "agree"},
        {"Unit   m2", "{\"unit\":\"m\u00B3\"}", "none"},
        {"12.00 \u20AC/kWh", "{\"unit\":\"\u20AC/kWh\"}", "agree"},
        /* capitals behind a word, but not a company's */
        {"Seria BVO", "{\"series\":\"BVO\"}", "agree"},
        {"XY BVO", "{\"series\":\"BVO\"}", "partial"},
        {"Berger AG", "{\"firm\":\"AG\"}", "partial"},
        /* an address of mail has no neighbours, and is none */
        {"ana@quay.example or 615-555-0142", "{\"email\":\"ana@quay.example\"}",
         "agree"},
        {"ana@quay.example or 615-555-0142", "{\"email\":\"ana@quay\"}",
         "partial"},
        {"615-555-0142 ana24@quay.example", "{\"phone\":\"615-555-0142\"}",
         "agree"},
        {"615-555-0142 4410", "{\"phone\":\"615-555-0142\"}", "partial"},
        {"FAX\uFF1A092-281-0020", "{\"fax\":\"092-281-0020\"}", "agree"},
        /* a heading above a list */
        {"Test Results:\n"
         "Hemoglobin: 14.5 g/dL\n"
         "Iron: 155 g/dL\n",
         "{\"results\":[{\"test\":\"Hemoglobin\",\"value\":14.5},"
         "{\"test\":\"Iron\",\"value\":155}]}",
         "agree agree agree agree"},
        /* a short figure at two places: outside of rows it is not worth a question */
        {"Room       1939\nPaid       1939\n", "{\"charges\":1939}", "agree"},
    };
    drawn_page_assert(row, sizeof row / sizeof *row);
}

TEST_GROUP(
    alignment_rules, cmocka_unit_test(exchanged_columns_have_each_others_heads),
    cmocka_unit_test(a_text_in_another_keys_column_is_doubtful),
    cmocka_unit_test(figures_tell_exchanged_columns),
    cmocka_unit_test(years_side_by_side_are_no_rows),
    cmocka_unit_test(equal_figures_of_a_row_are_in_the_order_of_their_keys),
    cmocka_unit_test(exchanged_scalars_have_each_others_labels),
    cmocka_unit_test(one_print_serves_no_two_fields),
    cmocka_unit_test(an_amount_left_over_beside_totals_is_a_nulls),
    cmocka_unit_test(a_sum_between_rows_is_the_tables),
    cmocka_unit_test(a_total_beside_a_table_is_no_row),
    cmocka_unit_test(words_of_a_schema_are_not_printed),
    cmocka_unit_test(a_label_that_names_too_little_or_is_in_a_phrase),
    cmocka_unit_test(a_print_of_two_values_tells_no_column),
    cmocka_unit_test(a_date_left_over_is_a_nulls),
    cmocka_unit_test(a_line_left_over_of_a_block_is_its_names),
    cmocka_unit_test(labels_in_a_row_are_over_what_they_are_of),
    cmocka_unit_test(rates_are_a_column),
    cmocka_unit_test(a_heading_labels_its_block),
    cmocka_unit_test(labels_of_boxes_and_titles),
    cmocka_unit_test(labels_over_rows_name_no_scalar),
    cmocka_unit_test(units_of_text))
