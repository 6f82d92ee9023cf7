/* coverage_strict_test.c - what is missing where one question was about all: a
 * page says what a row looks like, and where its table ends. */
#include "tests/unit/stages/text_page.h"

#include <string.h>

#include "tests/support/test.h"

/* Items of an invoice, `left_out` not given; two-line descriptions; what stands
 * below them. Its line. */
static int invoice(struct text_page *p, int n, int left_out)
{
    int at = -1;
    text_page_line(p, "10:Invoice 2024-17|70:Date 3 May 2024");
    text_page_line(p, "70:Due 17 May 2024");
    for (int i = 0; i < n; i++) {
        int l = text_page_linef(
            p, "10:%d|15:Widget %c%d|60:%d|75:<%d.50|90:<%d.00", i + 1, 'a' + i,
            i % 4, i % 5 + 1, 3 * i + 10, 31 * i + 40);
        if (i % 3 == 1) text_page_line(p, "15:made of steel");
        if (i == left_out)
            at = l;
        else
            text_page_gave(
                p,
                "{\"name\":\"Widget %c%d%s\",\"n\":%d,\"price\":%d.5,"
                "\"total\":%d}",
                'a' + i, i % 4, i % 3 == 1 ? " made of steel" : "", i % 5 + 1,
                3 * i + 10, 31 * i + 40);
    }
    text_page_line(p, "60:Net|90:<1,300.00");
    text_page_line(p, "60:Shipping|90:<4.90");
    text_page_line(p, "60:VAT 19 %|90:<247.00");
    text_page_line(p, "60:Amount due|90:<1,547.00");
    text_page_line(p, "10:2 % discount of 30.94 until 10.05.2024|90:<1,516.06");
    p->strict = true;
    text_page_others(p, "{\"total\":1547,\"date\":\"2024-05-03\"}");
    return at;
}

static void an_invoice_lacks_what_was_left_out_alone(void **state)
{
    (void)state;
    for (int n = 2; n < 13; n++) {
        struct text_page *p = text_page_new();
        invoice(p, n, -1);
        text_page_assert(p, "invoice", n, "missing, extra");
        for (int out = 0; out < n && n > 2; out++) {
            p = text_page_new();
            int at = invoice(p, n, out);
            text_page_assert(p, "invoice without an item", n,
                             arena_text(p->arena, "missing %d, extra", at));
        }
    }
}

static void what_stands_below_a_receipt_is_no_item(void **state)
{
    (void)state;
    for (int n = 1; n < 9; n++) {
        struct text_page *p = text_page_new();
        p->strict = true;
        text_page_line(p, "10:Corner Shop");
        text_page_line(p, "10:03.05.2024|60:14:07");
        for (int i = 0; i < n; i++) {
            text_page_linef(p, "10:Tea no %c|70:<%d,25", 'a' + i, 2 * i + 1);
            text_page_gave(p, "{\"name\":\"Tea no %c\",\"price\":%d.25}",
                           'a' + i, 2 * i + 1);
        }
        text_page_line(p, "10:7 % MwSt|70:<0,61");
        text_page_line(p, "10:Your total|70:<9,31");
        text_page_line(p, "10:Given|70:<20,00");
        text_page_line(p, "10:Back to you|70:<10,69");
        text_page_others(p, "{\"total\":9.31}");
        text_page_assert(p, "receipt", n, "missing, extra");
    }
}

static void an_item_with_its_price_below_is_named(void **state)
{
    (void)state;
    for (int out = -1; out < 6; out++) {
        struct text_page *p = text_page_new();
        int at = -1;
        p->strict = true;
        text_page_line(p, "10:Corner Shop");
        for (int i = 0; i < 6; i++) {
            int l = text_page_linef(p, "10:Green tea %c", 'a' + i);
            text_page_linef(p, "70:<%d,25", 2 * i + 1);
            if (i == out)
                at = l;
            else
                text_page_gave(p, "{\"name\":\"Green tea %c\",\"price\":%d.25}",
                               'a' + i, 2 * i + 1);
        }
        text_page_line(p, "10:Total|70:<40,00");
        text_page_line(p, "10:Where to find us");
        text_page_line(p, "70:<12,50");
        text_page_others(p, "{\"total\":40}");
        text_page_assert(p, "two lines", out,
                         at < 0
                             ? "missing, extra"
                             : arena_text(p->arena, "missing %d, extra", at));
    }
}

/* A total's name is no total without a figure that is one. */
static void goods_that_are_called_as_a_total_is_are_named(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "Balance bike", "Report cover",    "Bar stool",        "Card holder",
        "Change mat",   "New balance 574", "Total care cream", "VAT guide"};
    for (int k = 0; k < 8; k++) {
        struct text_page *p = text_page_new();
        p->strict = true;
        for (int i = 0; i < 4; i++) {
            text_page_linef(p, "10:Lamp %c|70:<%d,25", 'a' + i, 2 * i + 1);
            text_page_gave(p, "{\"name\":\"Lamp %c\",\"price\":%d.25}", 'a' + i,
                           2 * i + 1);
        }
        int at = text_page_linef(p, "10:%s|70:<59,00", odd[k]);
        text_page_line(p, "10:Subtotal|70:<76,00");
        text_page_line(p, "10:VAT|70:<14,44");
        text_page_line(p, "10:Total|70:<90,44");
        text_page_line(p, "10:Cash|70:<100,00");
        text_page_line(p, "10:Change|70:<9,56");
        text_page_assert(p, odd[k], k,
                         arena_text(p->arena, "missing %d, extra", at));
    }
}

/* What repeats the record's own amounts is a table of taxes, also with spaces for
 * thousands; a row has an amount of its own. */
static void amounts_of_the_record_are_no_row(void **state)
{
    (void)state;
    static const char *const line[] = {
        "10:Rate A|70:<13 915,00|80:<3 200,45|90:<17 115,45",
        "10:Lamp z|70:<13 915,00|80:<3 200,45|90:<17 115,46"};
    for (int i = 0; i < 2; i++) {
        struct text_page *p = text_page_new();
        for (int r = 0; r < 4; r++) {
            text_page_linef(p, "10:Lamp %c|70:<%d,50|80:<%d,25|90:<%d,75",
                            'a' + r, 2 * r + 1, r + 3, 3 * r + 4);
            text_page_gave(p,
                           "{\"name\":\"Lamp %c\",\"net\":%d.5,\"tax\":%d.25,"
                           "\"amount\":%d.75}",
                           'a' + r, 2 * r + 1, r + 3, 3 * r + 4);
        }
        int at = text_page_line(p, line[i]);
        text_page_others(p,
                         "{\"net\":13915,\"vat\":3200.45,\"total\":17115.45}");
        text_page_assert(p, "taxes", i,
                         i ? arena_text(p->arena, "missing %d, extra", at)
                           : "missing, extra");
    }
}

/* 12 sets are no 12th of September. */
static void a_date_does_not_go_over_columns(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    for (int i = 0; i < 9; i++) {
        text_page_linef(p, "10:Monitor set|60:12|75:<%d.50|90:<%d.00",
                        3 * i + 10, 36 * i + 126);
        text_page_gave(p,
                       "{\"name\":\"Monitor set\",\"n\":12,\"price\":%d.5,"
                       "\"total\":%d}",
                       3 * i + 10, 36 * i + 126);
    }
    text_page_look(p);
    for (int i = 0; i < 9; i++)
        assert_int_equal(p->got.doubt[i], COVERAGE_SURE);
    text_page_free(p);
}

static void pages_that_were_not_read_are_missing(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    p->strict = true;
    for (int i = 0; i < 9; i++)
        text_page_row(p, &text_page_places[0], i, TEXT_GIVEN | TEXT_PRINTED);
    text_page_line(p, "30:Total so far|70:<123.45");
    text_page_row(p, &text_page_places[0], 9, TEXT_PRINTED);
    p->y = 1.02;
    text_page_line(p, "30:Balance brought forward|90:<1,200.00");
    for (int i = 10; i < 13; i++)
        text_page_row(p, &text_page_places[0], i, TEXT_PRINTED);
    text_page_assert(p, "two pages", 0, "missing 10 12 13 14, extra");
}

/* Of invoices of which nobody gave an item: what they have below these is none. */
static void a_table_is_seen_of_which_no_row_was_given(void **state)
{
    (void)state;
    for (int n = 0; n < 9; n++) {
        struct text_page *p = text_page_new();
        invoice(p, n, -1);
        text_page_table(p);
        int line[64];
        assert_true(p->table.n_line <= 64);
        int found =
            coverage_find_rowless(&p->table, 1, p->others, p->arena, line);
        assert_int_equal(found > 0, n > 1);
        text_page_free(p);
    }
}

/* All of its lines, and those of the next page, however few. */
static void all_lines_of_such_a_table_are_found(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    int line[64];
    text_page_line(p, "10:Alpha|90:<1.50");
    text_page_line(p, "10:Beta|90:<12.50");
    text_page_line(p, "10:Xoro vumba");
    text_page_line(p, "10:Gamma|90:<31.50");
    text_page_line(p, "10:Delta|90:<8.25");
    p->y = 1.02;
    text_page_line(p, "10:Page 2|50:<3.75");
    text_page_line(p, "10:Eta|90:<9.75");
    text_page_table(p);
    assert_int_equal(
        coverage_find_rowless(&p->table, 1, p->others, p->arena, line), 5);
    static const int wanted[] = {0, 1, 3, 4, 6};
    assert_memory_equal(line, wanted, sizeof wanted);
    text_page_free(p);
}

TEST_GROUP(coverage_strict,
           cmocka_unit_test(a_table_is_seen_of_which_no_row_was_given),
           cmocka_unit_test(all_lines_of_such_a_table_are_found),
           cmocka_unit_test(an_invoice_lacks_what_was_left_out_alone),
           cmocka_unit_test(what_stands_below_a_receipt_is_no_item),
           cmocka_unit_test(goods_that_are_called_as_a_total_is_are_named),
           cmocka_unit_test(an_item_with_its_price_below_is_named),
           cmocka_unit_test(amounts_of_the_record_are_no_row),
           cmocka_unit_test(a_date_does_not_go_over_columns),
           cmocka_unit_test(pages_that_were_not_read_are_missing))
