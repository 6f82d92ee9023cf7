/* coverage_test.c - rows against the lines of pages written for it. */
#include "tests/unit/stages/text_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

static void a_faithful_reader_is_believed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof text_page_places / sizeof text_page_places[0];
         i++)
        for (int n = 3; n < 42; n += 6) {
            struct text_page *p = text_page_new();
            text_page_statement(p, &text_page_places[i], 0, n, -1);
            text_page_assert(p, text_page_places[i].name, n, "missing, extra");
        }
}

static void every_row_left_out_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof text_page_places / sizeof text_page_places[0];
         i++)
        for (int out = 0; out < 20; out++) {
            struct text_page *p = text_page_new();
            char wanted[64];
            int at = text_page_statement(p, &text_page_places[i], 0, 20, out);
            snprintf(wanted, sizeof wanted, "missing %d, extra", at);
            if (out == 5 || out == 6) wanted[0] = '\0'; /* either of two */
            char *said = text_page_look(p);
            if (*wanted && strcmp(said, wanted))
                fail_msg("%s, row %d: %s, wanted %s", text_page_places[i].name,
                         out, said, wanted);
            assert_int_equal(p->got.n_missing, 1);
            text_page_free(p);
        }
}

/* When it was booked, and when it counts. */
static void rows_of_two_dates(void **state)
{
    (void)state;
    for (int out = -1; out < 12; out++) {
        struct text_page *p = text_page_new();
        int at = -1;
        text_page_line(p, "10:Booked|20:Value|32:Text|90:<Amount");
        for (int i = 0; i < 12; i++) {
            int l = text_page_linef(
                p, "10:%02d.03.|20:%02d.03.|32:Paid to %c|90:<%d,50", i + 1,
                i + 2, 'k' + i, 7 * i + 11);
            if (i == out)
                at = l;
            else
                text_page_gave(p,
                               "{\"booked\":\"2024-03-%02d\",\"value\":"
                               "\"2024-03-%02d\",\"text\":\"Paid to %c\","
                               "\"amount\":%d.5}",
                               i + 1, i + 2, 'k' + i, 7 * i + 11);
        }
        text_page_assert(p, "two dates", out,
                         at < 0
                             ? "missing, extra"
                             : arena_text(p->arena, "missing %d, extra", at));
    }
}

/* Members of two towns, each with the table's head above; a name of two lines. The
 * line of what was left out. */
static int members(struct text_page *p, int n, int left_out)
{
    int at = -1;
    text_page_line(p, "10:Rowing club|70:page 3");
    for (int i = 0; i < n; i++) {
        if (i % (n / 2) == 0) {
            text_page_linef(p, "10:Town no %d", i);
            text_page_line(p, "10:Code|25:Name|60:Since|80:<Boats");
        }
        int l = text_page_linef(p, "10:A%c-%d|25:Ann %c Miller|60:%s|80:<%d",
                                'A' + i, 7 * i % 10, 'k' + i,
                                i % 7 == 3 ? " " : "May", i * i % 23);
        if (i % 5 == 2) text_page_line(p, "25:of Hill Street");
        if (i == left_out)
            at = l;
        else
            text_page_gave(p,
                           "{\"code\":\"A%c-%d\",\"name\":\"Ann %c Miller%s\","
                           "\"since\":%s,\"boats\":%d}",
                           'A' + i, 7 * i % 10, 'k' + i,
                           i % 5 == 2 ? " of Hill Street" : "",
                           i % 7 == 3 ? "null" : "\"May\"", i * i % 23);
    }
    p->y += 0.03;
    text_page_line(p, "10:Rowing club|25:Lake Street 5|60:Oxford");
    return at;
}

static void rows_without_values(void **state)
{
    (void)state;
    static const char head[] = "\"Code Name Since Boats\"";
    for (int out = -1; out < 14; out++) {
        struct text_page *p = text_page_new();
        int at = members(p, 14, out);
        p->head = cJSON_Parse(head);
        text_page_assert(p, "members", out,
                         at < 0
                             ? "missing, extra"
                             : arena_text(p->arena, "missing %d, extra", at));
    }
}

static void a_row_of_the_page_before_is_extra(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof text_page_places / sizeof text_page_places[0];
         i++) {
        struct text_page *p = text_page_new();
        text_page_row(p, &text_page_places[i], 40, TEXT_GIVEN);
        text_page_statement(p, &text_page_places[i], 0, 20, -1);
        text_page_assert(p, text_page_places[i].name, 0, "missing, extra 0");
        p = text_page_new(); /* and a row left out */
        text_page_row(p, &text_page_places[i], 40, TEXT_GIVEN);
        int at = text_page_statement(p, &text_page_places[i], 0, 20, 11);
        text_page_assert(p, text_page_places[i].name, 1,
                         arena_text(p->arena, "missing %d, extra 0", at));
        p = text_page_new(); /* one of three that are alike */
        text_page_row(p, &text_page_places[i], 6, TEXT_GIVEN);
        text_page_statement(p, &text_page_places[i], 5, 12, -1);
        char *said = text_page_look(p);
        assert_int_equal(p->got.n_missing, 0);
        if (p->got.n_extra != 1 || p->got.extra[0] > 2) fail_msg("%s", said);
        text_page_free(p);
    }
}

/* Its balance is what is brought forward. */
static void a_balance_brought_forward_is_not_its_row(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    text_page_gave(
        p, "{\"date\":\"2024-06-02\",\"amount\":-9.5,\"balance\":5000}");
    text_page_statement(p, &text_page_places[0], 0, 9, -1);
    text_page_assert(p, "balance", 0, "missing, extra 0");
}

/* A line of a row must not be taken for the beginning of the next one. */
static void a_twin_before_a_long_row_is_named(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    for (int i = 0; i < 8; i++) {
        text_page_linef(p, "10:%02d.01.2024|30:Kiosk Smith|60:R77%d|80:<-%d.26",
                        i / 3 + 1, i, 11 * i + 9);
        text_page_gave(p,
                       "{\"d\":\"2024-01-%02d\",\"t\":\"Kiosk Smith\",\"r\":"
                       "\"R77%d\",\"a\":-%d.26}",
                       i / 3 + 1, i, 11 * i + 9);
    }
    text_page_line(p, "10:03.01.2024|30:Kiosk Weiss|60:R97|80:<-321.26");
    int at =
        text_page_line(p, "10:03.01.2024|30:Kiosk Weiss|60:R97|80:<-321.26");
    text_page_gave(p,
                   "{\"d\":\"2024-01-03\",\"t\":\"Kiosk Weiss\",\"r\":\"R97\","
                   "\"a\":-321.26}");
    text_page_line(p, "10:03.01.2024|30:lunch Volt|60:R16|80:<-470.80");
    text_page_line(p, "30:Weiss");
    text_page_gave(
        p, "{\"d\":\"2024-01-03\",\"t\":\"lunch Volt Weiss\",\"r\":\"R16\","
           "\"a\":-470.8}");
    text_page_look(p);
    assert_int_equal(p->got.n_missing, 1);
    assert_true(p->got.missing[0] == at || p->got.missing[0] == at - 1);
    text_page_free(p);
}

static void each_row_has_its_own_line(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    text_page_statement(p, &text_page_places[0], 0, 20, -1);
    text_page_look(p);
    for (int i = 0; i < 20; i++)
        assert_int_equal(p->got.line_of_row[i], 4 + i);
    text_page_free(p);
}

static void rows_of_two_lines_are_one(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    int at = -1;
    text_page_line(p, "10:Date|30:Details|65:Amount");
    for (int i = 0; i < 15; i++) {
        int begins =
            text_page_linef(p, "10:%02d.03.2024|30:Transfer to|70:<%d,%02d",
                            i + 1, 10 + 7 * i, i * 3);
        text_page_linef(p, "30:Anna Schmidt %d|45:value %02d.03.2024", i,
                        i + 2);
        if (i == 9)
            at = begins;
        else
            text_page_gave(
                p,
                "{\"d\":\"2024-03-%02d\",\"t\":\"Transfer to Anna Schmidt "
                "%d\",\"a\":\"%d.%02d\"}",
                i + 1, i, 10 + 7 * i, i * 3);
    }
    text_page_assert(p, "two lines", 0,
                     arena_text(p->arena, "missing %d, extra", at));
}

static void tables_without_dates(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    int at = -1;
    text_page_line(p, "10:Invoice 2024-17|70:3 May 2024");
    for (int i = 0; i < 25; i++) {
        int l = text_page_linef(p, "10:Widget %c%d|50:%d|65:<%d.50|85:<%d.00",
                                'a' + i, i % 4, i + 1, i % 5, 3 * i + 10);
        if (i == 12) text_page_linef(p, "10:Subtotal|85:<%d.00", 1234);
        if (i == 20)
            at = l;
        else
            text_page_gave(p,
                           "{\"name\":\"Widget %c%d\",\"n\":%d,\"total\":%d}",
                           'a' + i, i % 4, i + 1, 3 * i + 10);
    }
    text_page_line(p, "65:<Net|85:<1,300.00");
    text_page_line(p, "65:<VAT 19 %|85:<247.00");
    text_page_line(p, "65:<Pay this|85:<1,547.00");
    text_page_assert(p, "no dates", 0,
                     arena_text(p->arena, "missing %d, extra", at));
}

static void two_tables_on_a_page(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    for (int i = 0; i < 12; i++)
        text_page_row(p, &text_page_places[2], i, TEXT_GIVEN | TEXT_PRINTED);
    text_page_line(p, "10:Fees of the quarter");
    int at = -1;
    for (int i = 0; i < 8; i++) {
        int l = text_page_linef(p, "10:Fee for card %d|50:<%d,45", i, i + 2);
        if (i == 3)
            at = l;
        else
            text_page_gave(p, "{\"text\":\"Fee for card %d\",\"amount\":%d.45}",
                           i, i + 2);
    }
    text_page_assert(p, "two tables", 0,
                     arena_text(p->arena, "missing %d, extra", at));
    p = text_page_new(); /* the second is another array's */
    for (int i = 0; i < 12; i++)
        text_page_row(p, &text_page_places[2], i,
                      i == 4 ? TEXT_PRINTED : TEXT_GIVEN | TEXT_PRINTED);
    text_page_line(p, "10:01.02.2024|30:Fee for nothing|70:<2,45|90:<1,00");
    text_page_line(p, "10:02.02.2024|30:Fee for something|70:<3,45|90:<4,00");
    text_page_others(
        p, "{\"fees\":[{\"d\":\"2024-02-01\",\"a\":2.45,\"b\":1},"
           "{\"d\":\"2024-02-02\",\"a\":3.45,\"b\":4}],\"iban\":null}");
    text_page_assert(p, "another array's", 0, "missing 4, extra");
}
static void rows_of_scalars(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    for (int i = 0; i < 10; i++) {
        text_page_linef(p, "10:Reading|40:<%d.25", 100 + 9 * i);
        if (i != 7) text_page_gave(p, "%d.25", 100 + 9 * i);
    }
    text_page_assert(p, "numbers", 0, "missing 7, extra");
    p = text_page_new();
    for (int i = 0; i < 10; i++) {
        text_page_linef(p, "10:Name number%d|60:2024-01-%02d", i * 31, i + 1);
        if (i != 2) text_page_gave(p, "\"Name number%d\"", i * 31);
    }
    text_page_gave(p, "\"Somebody else\"");
    text_page_assert(p, "texts", 0, "missing 2, extra 9");
}

static void few_rows_are_helped_by_the_page_before(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    text_page_statement(p, &text_page_places[0], 0, 20, -1);
    text_page_look(p);
    struct coverage_shape shape = p->got.shape;
    assert_int_equal(shape.n_row, 20);
    text_page_free(p);
    p = text_page_new(); /* one row, one left out, and what is no row */
    p->before = shape;
    int at = text_page_statement(p, &text_page_places[0], 30, 32, 31);
    text_page_line(p, "10:Interest of 4.50 from 1 May 2024 on.");
    text_page_assert(p, "few", 0,
                     arena_text(p->arena, "missing %d, extra", at));
    p = text_page_new(); /* without: all that the others do not explain */
    text_page_others(p, "{\"paid\":\"2024-05-03\",\"due\":\"EUR 12.50\"}");
    text_page_line(p, "10:Paid on 3 May 2024|50:12,50");
    text_page_line(p, "10:Page 1 of 3");
    text_page_line(p, "10:Coffee|50:3,50");
    text_page_assert(p, "none before", 0, "missing 2, extra");
}

/* A page that lies has its columns elsewhere. */
static void one_row_on_a_page_that_lies_is_named(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    for (int i = 0; i < 8; i++)
        text_page_row(p, &text_page_places[0], i, TEXT_GIVEN | TEXT_PRINTED);
    text_page_look(p);
    struct coverage_shape before = p->got.shape;
    for (int lies = 0; lies < 2; lies++) {
        text_page_free(p);
        p = text_page_new();
        p->before = before;
        p->lies = lies;
        text_page_line(p, "5:Statement|80:page 2");
        text_page_linef(p, "5:09/06/2024|20:Shop west 4|50:<12.50|65:<999.10");
        text_page_gave(p, "{\"text\":\"Kiosk\",\"amount\":77.15}");
        assert_string_equal(text_page_look(p),
                            lies ? "missing 1, extra" : "missing, extra");
    }
    text_page_free(p);
}

/* 1 198,94 is one amount, as 886,72 is. */
static void a_row_without_thousands_is_named(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    int at = -1;
    for (int i = 0; i < 8; i++) {
        const char *big = i == 3 || i == 7 ? "" : "1 ";
        int l =
            text_page_linef(p, "10:Tapis %c|50:%d|66:%s98%d,94|86:%s99%d,72",
                            'a' + i, i + 2, big, i, big, i);
        if (i == 3)
            at = l;
        else
            text_page_gave(
                p, "{\"name\":\"Tapis %c\",\"n\":%d,\"total\":%s99%d.72}",
                'a' + i, i + 2, *big ? "1" : "", i);
    }
    text_page_assert(p, "thousands", 0,
                     arena_text(p->arena, "missing %d, extra", at));
}

static void a_row_that_was_misread_is_not_extra(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    for (int i = 0; i < 10; i++) {
        text_page_row(p, &text_page_places[0], i,
                      i == 4 ? TEXT_PRINTED : TEXT_GIVEN | TEXT_PRINTED);
        if (i == 4)
            text_page_gave(p,
                           "{\"date\":\"2024-01-21\",\"text\":\"Shop south 2\","
                           "\"amount\":99999.99}");
    }
    text_page_assert(p, "misread", 0, "missing, extra");
    p = text_page_new(); /* a table that is a picture: nothing stands in the text */
    text_page_line(p, "10:Example Bank|60:12 Long Street");
    for (int i = 0; i < 8; i++)
        text_page_row(p, &text_page_places[0], i, TEXT_GIVEN);
    text_page_assert(p, "a picture", 0, "missing, extra");
    p = text_page_new(); /* side by side, read one table after the other */
    for (int i = 0; i < 10; i++) {
        text_page_linef(p, "10:Item L%d|40:<%d.00|55:Item R%d|90:<%d.00", i,
                        i + 5, i, i + 50);
        text_page_gave(p, "{\"t\":\"Item L%d\",\"a\":%d}", i, i + 5);
    }
    for (int i = 0; i < 10; i++)
        text_page_gave(p, "{\"t\":\"Item R%d\",\"a\":%d}", i, i + 50);
    text_page_assert(p, "side by side", 0, "missing, extra");
}

/* Twelve rows of a statement under the page's head; row `odd` is as given. */
static void assert_doubt(int odd, const char *given, enum coverage_doubt want)
{
    struct text_page *p = text_page_new();
    text_page_line(p, "10:Date|30:Text|70:<Amount");
    for (int i = 0; i < 12; i++) {
        bool own = i != odd;
        if (!own && given) text_page_gave(p, "%s", given);
        text_page_row(p, &text_page_places[0], i,
                      own ? TEXT_GIVEN | TEXT_PRINTED : TEXT_PRINTED);
    }
    text_page_look(p);
    for (int r = 0; r < 12; r++) {
        int doubt = (int)p->got.doubt[r];
        if (doubt != (int)(r == odd ? want : COVERAGE_SURE))
            fail_msg("%s: row %d: %d", given, r, doubt);
    }
    text_page_free(p);
}

/* Row i: date, "Shop north|south i/2", amount. */
static void a_row_made_of_two_is_told(void **state)
{
    (void)state;
    /* the last: what the row above says, but for the amount */
    assert_doubt(11,
                 "{\"date\":\"2024-02-23\",\"text\":\"Shop south 5\","
                 "\"amount\":-876.49}",
                 COVERAGE_MIXED);
    /* both texts in one, and the other one's amount */
    assert_doubt(4,
                 "{\"date\":\"2024-01-21\",\"text\":\"Shop south 2 Shop "
                 "north 2\",\"amount\":-2450.59}",
                 COVERAGE_MIXED);
    /* a text that is printed nowhere, in mid-page: misread, or in words of the
     * reader's own */
    assert_doubt(4,
                 "{\"date\":\"2024-01-21\",\"text\":\"Store to the south "
                 "2\",\"amount\":-1462.94}",
                 COVERAGE_SURE);
}

/* What a row lacks of its line, or has from another's, inside the page, where it
 * is asked about again, and at its edge, where rows are made of two. */
static void what_a_row_lacks_is_doubted(void **state)
{
    (void)state;
    static const struct {
        int row;
        const char *given;
        enum coverage_doubt want;
    } each[] = {
        /* no amount */
        {8, "{\"date\":\"2024-01-13\",\"text\":\"Shop south 4\"}",
         COVERAGE_DOUBTFUL},
        {11, "{\"date\":\"2024-02-28\",\"text\":\"Shop north 5\"}",
         COVERAGE_MIXED},
        /* one that is printed nowhere */
        {8,
         "{\"date\":\"2024-01-13\",\"text\":\"Shop south 4\","
         "\"amount\":-999.99}",
         COVERAGE_DOUBTFUL},
        /* that of the row below */
        {7,
         "{\"date\":\"2024-01-08\",\"text\":\"Shop north 3\","
         "\"amount\":-413.54}",
         COVERAGE_MIXED},
        /* the date of the row above */
        {8,
         "{\"date\":\"2024-01-08\",\"text\":\"Shop south 4\","
         "\"amount\":-413.54}",
         COVERAGE_DOUBTFUL},
        {11,
         "{\"date\":\"2024-02-23\",\"text\":\"Shop north 5\","
         "\"amount\":-876.49}",
         COVERAGE_MIXED},
        /* its text */
        {11,
         "{\"date\":\"2024-02-28\",\"text\":\"Shop south 5\","
         "\"amount\":-876.49}",
         COVERAGE_MIXED},
        /* a column that nobody asked for is not lacking, nor a word less */
        {8,
         "{\"date\":\"2024-01-13\",\"text\":\"Shop south 4\","
         "\"amount\":-413.54}",
         COVERAGE_SURE},
    };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        assert_doubt(each[i].row, each[i].given, each[i].want);
}

/* Numbered rows; the one before the last is given as it says, over the lines of
 * both. Some tables print a sum of its own below each row. */
static void assert_two(int n, const char *given, bool sums,
                       enum coverage_doubt want)
{
    struct text_page *p = text_page_new();
    static const char *const what[] = {"Kiosk blue", "Rent room",  "Sale desk",
                                       "Gym card",   "Phone line", "Book shelf",
                                       "Lamp oil",   "Wood fire"};
    text_page_line(p, "10:No|20:Service|80:<Fee");
    for (int i = 0; i < n; i++) {
        text_page_linef(p, "10:%d|20:%s|80:<%d.25", i + 1, what[i], 3 * i + 4);
        if (sums) text_page_linef(p, "10:%d|20:of it|80:<%d.75", i + 1, i + 1);
        if (given && i == n - 2)
            text_page_gave(p, "%s", given);
        else if (!given || i != n - 1)
            text_page_gave(p, "{\"no\":%d,\"text\":\"%s%s\",\"fee\":%d.25}",
                           i + 1, what[i], sums ? " of it" : "", 3 * i + 4);
    }
    text_page_look(p);
    int doubt = (int)p->got.doubt[n - 2];
    if (doubt != (int)want) fail_msg("%s: %d", given ? given : "all", doubt);
    assert_int_not_equal(p->got.doubt[0], COVERAGE_MIXED);
    text_page_free(p);
}

static void a_row_on_the_line_of_another_is_two(void **state)
{
    (void)state;
    static const char *const given[] = {
        "{\"no\":3,\"text\":\"Sale desk\",\"fee\":13.25}",
        "{\"no\":3,\"text\":\"Sale desk Gym card\",\"fee\":10.25}",
        "{\"no\":3,\"text\":\"Sale desk Gym card\",\"fee\":13.25}"};
    for (int i = 0; i < 3; i++)
        assert_two(4, given[i], false, COVERAGE_MIXED);
    assert_two(4, NULL, false, COVERAGE_SURE);
    /* what most rows do is the table's way */
    assert_two(8, NULL, true, COVERAGE_SURE);
}

static void a_page_takes_little_time(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    text_page_statement(p, &text_page_places[0], 0, 55, 30);
    double since = clock_seconds();
    text_page_look(p);
    double took = clock_seconds() - since;
    if (took > 0.05) fail_msg("%g ms", took * 1000); /* 1 ms where measured */
    text_page_free(p);
}

TEST_GROUP(coverage, cmocka_unit_test(a_faithful_reader_is_believed),
           cmocka_unit_test(every_row_left_out_is_named),
           cmocka_unit_test(rows_of_two_dates),
           cmocka_unit_test(rows_without_values),
           cmocka_unit_test(a_row_of_the_page_before_is_extra),
           cmocka_unit_test(a_balance_brought_forward_is_not_its_row),
           cmocka_unit_test(a_twin_before_a_long_row_is_named),
           cmocka_unit_test(each_row_has_its_own_line),
           cmocka_unit_test(rows_of_two_lines_are_one),
           cmocka_unit_test(tables_without_dates),
           cmocka_unit_test(two_tables_on_a_page),
           cmocka_unit_test(rows_of_scalars),
           cmocka_unit_test(few_rows_are_helped_by_the_page_before),
           cmocka_unit_test(one_row_on_a_page_that_lies_is_named),
           cmocka_unit_test(a_row_without_thousands_is_named),
           cmocka_unit_test(a_row_that_was_misread_is_not_extra),
           cmocka_unit_test(a_row_made_of_two_is_told),
           cmocka_unit_test(what_a_row_lacks_is_doubted),
           cmocka_unit_test(a_row_on_the_line_of_another_is_two),
           cmocka_unit_test(a_page_takes_little_time))
