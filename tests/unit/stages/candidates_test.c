/* printed_test.c - which print of a page is taken for a value. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "stages/alignment/find.h"
#include "stages/fallback/candidate_date.h"
#include "stages/fallback/candidates.h"
#include "stages/print/canon_number.h"
#include "stages/print/vocabulary.h"

enum { WORDS_MOST = 64 };

/* Words apart by blanks, lines by "/ "; "  " is a wide gap. */
static void set_page(const char *text, struct word *word, struct words *page,
                     struct arena *arena)
{
    double x = 0.05, y = 0.05;
    *page = (struct words){.word = word, .aspect = 0.7};
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, " ");
        if (n == 1 && *at == '/') {
            x = 0.05;
            y += 0.03;
        } else if (n) {
            assert_true(page->n_word < WORDS_MOST);
            const char *own = arena_copy(arena, (struct span){at, n});
            double w = 0.01 * (double)n;
            word[page->n_word++] = (struct word){x, y, w, 0.02, own, 1};
            x += w + 0.01;
        } else {
            x += 0.1;
        }
        at += n + (at[n] != '\0');
    }
}

/* What is taken for the value; "" for nothing. Writes what speaks for it. */
static void takes_for(enum confidence_print_kind kind, const char *pointer,
                      const char *guess, const char *text, const char *wanted,
                      double reason[PRINT_FEATURES])
{
    struct arena *arena = arena_new();
    struct word word[WORDS_MOST];
    struct words words;
    struct candidates_found found;
    cJSON *value = guess ? cJSON_CreateString(guess) : cJSON_CreateNull();
    set_page(text, word, &words, arena);
    struct candidates_asked asked = {
        .asked = {.pointer = pointer, .value = value}, .kind = kind};
    struct numbered_words page = {1, &words};
    candidates_find(&page, 1, &asked, 1, arena, &found);
    assert_string_equal(found.text ? found.text : "", wanted);
    assert_int_equal(found.where.n_place, found.text != NULL);
    memcpy(reason, found.reason, sizeof found.reason);
    cJSON_Delete(value);
    arena_free(arena);
}

static void takes(enum confidence_print_kind kind, const char *pointer,
                  const char *guess, const char *text, const char *wanted)
{
    double reason[PRINT_FEATURES];
    takes_for(kind, pointer, guess, text, wanted, reason);
}

static void dates_in_every_form(void **state)
{
    (void)state;
    static const char *const row[][2] = {
        {"Datum 19.03.2018", "2018-03-19"},
        {"on 19 MAR 2018 18:26", "2018-03-19"},
        {"19-03-18", "2018-03-19"},
        {"11/23/2026", "2026-11-23"},
        {"05-06-98", "1998-06-05"},
        {"19.03.", ""},
        {"Call 04/2018", ""},
        {"14 - 04 - 2018", "2018-04-14"},
        {"14/04 /2018 17:05", "2018-04-14"},
        {"14/04/201817:05", "2018-04-14"},
        {"14-04-2018,17:05", "2018-04-14"},
        {"14.04.1817:05", "2018-04-14"},
        {"14.04.2018-17:05", "2018-04-14"},
        {"Date 14/O4/2O18", "2018-04-14"},
        {"l4/04/2018", "2018-04-14"},
        {"14/04/'18", "2018-04-14"},
        {"'14/04/2018", "2018-04-14"},
        {"2018. 4. 14.", "2018-04-14"},
        {"12 - 34 - 56", ""},
        {"Tel 03 - 12 - 99", ""},
        {"14/04-2018", ""},
        {"4 - 4 - 3018", ""},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        takes(PRINT_DATE, "/date", NULL, row[i][0], row[i][1]);
}

static void a_date_and_where_it_stands(void **state)
{
    (void)state;
    static const struct {
        const char *text, *date;
        int from, to;
    } row[] = {{"on 14 / O4 / 2018 at", "14/04/2018", 3, 17},
               {"2018-04-14T10", "2018-04-14", 0, 10},
               {"1/2/3 4.5.1999", "4.5.1999", 6, 14},
               {"14/04/2018:17:05", "14/04/2018", 0, 10},
               {"14/04/0517:05", "14/04/05", 0, 8},
               {"14/04/", NULL, 0, 0},
               {"7/14/04/2018", NULL, 0, 0},
               {"14", NULL, 0, 0},
               {"OO/lI/IO", NULL, 0, 0},
               {"", NULL, 0, 0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char date[CANDIDATE_DATE_SIZE];
        int from = 0, to = 0;
        bool is = candidate_date(row[i].text, &from, &to, date);
        assert_int_equal(is, row[i].date != NULL);
        if (!is) continue;
        assert_string_equal(date, row[i].date);
        assert_int_equal(from, row[i].from);
        assert_int_equal(to, row[i].to);
    }
}

static void of_several_dates_the_named_one_is_taken(void **state)
{
    (void)state;
    const char *page = "01.02.2020 / Due  03.02.2020 / Date  02.02.2020";
    takes(PRINT_DATE, "/date", NULL, page, "2020-02-02");
    takes(PRINT_DATE, "/dueDate", NULL, page, "2020-02-03");
    /* and what stands twice is no misreading */
    takes(PRINT_DATE, "/date", NULL, "01.02.2020 / 01.02.2026  01.02.2026",
          "2026-02-01");
    /* what the reader saw tells which is the day */
    takes(PRINT_DATE, "/date", "2020-04-03", "04/03/2020", "2020-04-03");
    takes(PRINT_DATE, "/date", NULL, "04/03/2020", "2020-03-04");
}

static void the_amount_that_is_named(void **state)
{
    (void)state;
    const char *page = "Tea  2.50 / Cake  3.00 / Summe  5.50 / Bar  10.00 / "
                       "Ruckgeld  4.50";
    takes(PRINT_AMOUNT, "/total", NULL, page, "5.5");
    /* none is named, but it and what came back is what was given */
    takes(PRINT_AMOUNT, "/total", NULL,
          "Net  5.00 / 0.50 / 5.50 / Cash  20.00 / 14.50", "5.5");
    takes(PRINT_AMOUNT, "/total", NULL, "Total  1.234,50", "1234.5");
    takes(PRINT_AMOUNT, "/total", NULL, "Total RM53. 60", "53.6");
    takes(PRINT_AMOUNT, "/total", NULL, "Total 58 .00", "58");
    takes(PRINT_AMOUNT, "/total", NULL, "Total -3.20", "-3.2");
    takes(PRINT_AMOUNT, "/total", NULL, "Total 7.00 %", "");
    takes(PRINT_AMOUNT, "/total", NULL, "Tea  2.50 / Cake  3.00", "");
    /* a subtotal is nearly one */
    takes(PRINT_AMOUNT, "/total", NULL, "Tea  2.50 / Subtotal  5.50", "5.5");
    takes(PRINT_AMOUNT, "/total", NULL,
          "Subtotal  5.50 / Tip  1.00 / Total  6.00", "6");
    takes(PRINT_AMOUNT, "/price", NULL, "Tea  2.50 / Subtotal  5.50", "");
}

static void texts_are_cells_of_print(void **state)
{
    (void)state;
    const char *page = "BLUE DOOR CAFE / 12 Harbour Road / Customer  Ann Lee";
    takes(PRINT_TEXT, "/merchant", NULL, page, "BLUE DOOR CAFE");
    takes(PRINT_TEXT, "/customer", NULL, page, "Ann Lee");
    takes(PRINT_TEXT, "/remark", NULL, page, "");
    /* what the reader saw, for the most part, is the print that it saw */
    takes(PRINT_TEXT, "/remark", "12 Harbcur Raod", page, "12 Harbour Road");
    takes(PRINT_TEXT, "/merchant", NULL, "BLUE  DOOR  INN / 1 Quay",
          "BLUE DOOR INN");
    takes(PRINT_TEXT, "/merchant", "Datum", "Tax Invoice / Datum / INN", "");
    takes(PRINT_TEXT, "/merchant", NULL, "** / 0800-123456 / -", "");
}

static void a_company_is_known_by_its_form(void **state)
{
    (void)state;
    takes(PRINT_TEXT, "/merchant", NULL,
          "Ann Lee / BLUE DOOR SDN. BHD. / 12 Harbour Road",
          "BLUE DOOR SDN. BHD.");
    takes(PRINT_TEXT, "/merchant", NULL, "Mr. Lee / Holz Kern GmbH & Co. KG",
          "Holz Kern GmbH & Co. KG");
    /* a form alone is none, nor is one far below the letterhead */
    takes(PRINT_TEXT, "/merchant", NULL, "BLUE DOOR / Group Tables",
          "BLUE DOOR");
}

static void a_label_may_be_misread_by_a_letter(void **state)
{
    (void)state;
    takes(PRINT_AMOUNT, "/total", NULL,
          "Tea  2.50 / T0TAL  5.50 / Coupon  9.00", "5.5");
    takes(PRINT_AMOUNT, "/total", NULL,
          "Tea  2.50 / Gesaml  5.50 / Coupon  9.00", "5.5");
    takes(PRINT_AMOUNT, "/total", NULL,
          "Tea  2.50 / Tottal  5.50 / Coupon  9.00", "5.5");
    takes(PRINT_AMOUNT, "/total", NULL,
          "Tea  2.50 / T0TAI  5.50 / Coupon  9.00", "");
}

static void words_but_for_a_letter(void **state)
{
    (void)state;
    static const char *const row[][2] = {{"total", "total"},
                                         {"tota1", "total"},
                                         {"tota", ""},
                                         {"totall", "total"},
                                         {"ttoal", ""},
                                         {"betrog", "amount"},
                                         {"datun", "date"},
                                         {"day", "date"},
                                         {"dax", ""},
                                         {"invoise", "invoice"},
                                         {"", ""}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *is = vocabulary_near_meaning(row[i][0], strlen(row[i][0]));
        assert_string_equal(is ? is : "", row[i][1]);
    }
    assert_null(vocabulary_meaning("tota1", 5));
    assert_true(vocabulary_is("gmbh", 4, VOCABULARY_COMPANY));
    assert_false(vocabulary_is("gmb", 3, VOCABULARY_COMPANY));
}

static void texts_that_are_alike(void **state)
{
    (void)state;
    static const struct {
        const char *one, *two;
        double alike;
    } row[] = {{"Blue Door", "BLUE-DOOR", 1},
               {"abcd", "abxd", 0.75},
               {"2026", "2027", 0.75},
               {"abcd", "bcd", 0.75},
               {"", "", 0},
               {"abcd", "wxyz", 0}};
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_true(find_similar_likeness(row[i].one, row[i].two, arena) ==
                    row[i].alike);
        assert_true(find_similar_likeness(row[i].two, row[i].one, arena) ==
                    row[i].alike);
    }
    char text[300] = "";
    memset(text, 'a', sizeof text - 1);
    assert_true(find_similar_likeness(text, text, arena) == 0);
    arena_free(arena);
}

static void a_number_as_json_has_it(void **state)
{
    (void)state;
    static const char *const row[][2] = {
        {"1.234,50", "1234.5"}, {"0,50", "0.5"},   {".", ""},
        {"000", "0"},           {"1,234", "1234"}, {"$8.20", "8.2"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[CANON_DECIMAL_SIZE] = "";
        assert_int_equal(canon_decimal(row[i][0], text), *row[i][1] != '\0');
        assert_string_equal(text, row[i][1]);
    }
}

static void what_speaks_for_it(void **state)
{
    (void)state;
    double r[PRINT_FEATURES];
    takes_for(PRINT_AMOUNT, "/total", NULL,
              "Net  16.15 / Tax  1.06 / Total  17.21 / Cash  20.00 / Change  "
              "2.79",
              "17.21", r);
    assert_true(r[PRINT_LABEL] == 1 && r[PRINT_FORM] == 1 && r[PRINT_LEAD] > 0);
    takes_for(PRINT_AMOUNT, "/total", "16.15",
              "Net  16.15 / Fee  2.00 / Total  17.21", "16.15", r);
    assert_true(r[PRINT_FORM] == 0 && r[PRINT_LEAD] < 0); /* a guess only */
    takes_for(PRINT_AMOUNT, "/total", NULL,
              "Total  17.21 / Cash  17.21 / Card  17.21", "17.21", r);
    assert_true(r[PRINT_REPEATS] == 1);
    takes_for(PRINT_DATE, "/date", NULL, "Date 03/04/2018", "2018-04-03", r);
    assert_true(r[PRINT_FORM] == 0.5);
    takes_for(PRINT_DATE, "/date", NULL, "Date 13/04/2018", "2018-04-13", r);
    assert_true(r[PRINT_FORM] == 1 && r[PRINT_LEAD] == 1);
    takes_for(PRINT_TEXT, "/merchant", NULL,
              "Tax Invoice / Anna Petersen / Yongfatt Ltd / Mill Lane",
              "Yongfatt Ltd", r);
    assert_true(r[PRINT_FORM] == 1 && r[PRINT_PLACE] > 0.5);
}

TEST_GROUP(printed, cmocka_unit_test(what_speaks_for_it),
           cmocka_unit_test(dates_in_every_form),
           cmocka_unit_test(a_date_and_where_it_stands),
           cmocka_unit_test(of_several_dates_the_named_one_is_taken),
           cmocka_unit_test(the_amount_that_is_named),
           cmocka_unit_test(texts_are_cells_of_print),
           cmocka_unit_test(a_company_is_known_by_its_form),
           cmocka_unit_test(a_label_may_be_misread_by_a_letter),
           cmocka_unit_test(words_but_for_a_letter),
           cmocka_unit_test(texts_that_are_alike),
           cmocka_unit_test(a_number_as_json_has_it))
