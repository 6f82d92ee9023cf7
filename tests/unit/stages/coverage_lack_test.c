/* coverage_lack_test.c - rows that lack the values which the others of their table
 * have, and what stands among rows and is none. */
#include "tests/unit/stages/text_page.h"

#include <string.h>

#include "tests/support/test.h"

enum { ROWS = 14 };

/* What stands behind the description, where the others have 3 pc 12.50 37.50. */
static const char *const lacking[] = {
    "|62:<3|62.7:pc|90:<on request", "|62:<3|62.7:pc|78:<on request|90:<-",
    "|62:<3|62.7:pc", "|62.7:pc|90:<incl.", "|62:<3|62.7:pc|78:<12.50|90:<n/a"};

/* A bill in parts, some of whose rows have no price, and how one is named; its row
 * `left_out` was not given, and lacks values in that way. Its line. */
static int bill(struct text_page *p, int rows, int left_out, const char *how)
{
    int at = -1;
    text_page_line(p, "10:Bill of quantities|80:page 2");
    text_page_line(
        p, "10:Pos|18:Article|30:Description|62:<Qty|62.7:Unit|78:<Price"
           "|90:<Total");
    for (int i = 0; i < rows; i++) {
        if (i == 6) text_page_line(p, "10:Group A|30:Sum of it|90:<1,250.40");
        if (i == 6) text_page_line(p, "10:Group B: materials, by weight");
        int l = text_page_linef(
            p, "10:%d|18:K%d7|30:Item %c%s", i + 1, i + 1, 'a' + i,
            i == left_out || i == 3
                ? how
                : arena_text(p->arena, "|62:<%d|62.7:%s|78:<%d.50|90:<%d.00",
                             3 * i + 1, i % 3 ? "m" : "set", i + 11,
                             i * i + 11));
        if (i % 5 == 2) text_page_line(p, "30:made of steel");
        if (i % 5 == 4) text_page_line(p, "30:Note: see drawing 12 of May");
        if (i == left_out) at = l;
        if (i == left_out) continue;
        text_page_gave(
            p,
            "{\"pos\":%d,\"article\":\"K%d7\",\"text\":\"Item %c%s\","
            "\"qty\":%s,\"total\":%s}",
            i + 1, i + 1, 'a' + i, i % 5 == 2 ? " made of steel" : "",
            i == 3 ? "null" : arena_text(p->arena, "%d", 3 * i + 1),
            i == 3 ? "null" : arena_text(p->arena, "%d", i * i + 11));
    }
    text_page_line(p, "30:Carried over to page 3|90:<9,120.00");
    p->y += 0.03;
    text_page_line(p, "10:Example Ltd|30:12 Long Street|65:Oxford");
    return at;
}

static void look(struct text_page *p, const char *what, int n, int at)
{
    text_page_assert(p, what, n,
                     at < 0 ? "missing, extra"
                            : arena_text(p->arena, "missing %d, extra", at));
}

static void a_row_without_a_price_is_named(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof lacking / sizeof *lacking; k++)
        for (int out = -1; out < ROWS; out++) {
            struct text_page *p = text_page_new();
            p->head = cJSON_CreateString(
                "Pos Article Description Qty Unit Price Total");
            int at = bill(p, ROWS, out, lacking[k]);
            look(p, lacking[k], out, at);
        }
}

/* On a page of few rows, or none, the columns are those of the page before. */
static void of_a_few_rows_as_well(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    bill(p, ROWS, -1, lacking[0]);
    text_page_look(p);
    struct coverage_shape before = p->got.shape;
    text_page_free(p);
    for (int rows = 1; rows < 5; rows++)
        for (int out = -1; out < rows; out++) {
            p = text_page_new();
            p->before = before;
            p->head = cJSON_CreateString(
                "Pos Article Description Qty Unit Price Total");
            int at = bill(p, rows, out, lacking[0]);
            look(p, "few rows", out, at);
        }
}

/* A page may go on without its table's head. */
static void the_first_of_a_page_without_a_head_is_named(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    p->head = cJSON_CreateString("Item Pieces Price");
    p->above = cJSON_Parse("{\"name\":\"Item z\",\"n\":4,\"price\":2.5}");
    text_page_line(p, "10:Example Ltd|60:page 2|80:12 May 2024");
    p->y += 0.03;
    int at = text_page_line(p, "10:Delivery|60:<1|80:<on request");
    for (int i = 0; i < 8; i++) {
        text_page_linef(p, "10:Item %c|60:<%d|80:<%d.75", 'a' + i, i + 3,
                        7 * i + 11);
        text_page_gave(p, "{\"name\":\"Item %c\",\"n\":%d,\"price\":%d.75}",
                       'a' + i, i + 3, 7 * i + 11);
    }
    look(p, "without a head", 0, at);
}

/* Above the table's head stands none of its rows; a title and a page's number are
 * none where the table goes on without one. */
static void head_of_page(bool table_head)
{
    struct text_page *p = text_page_new();
    p->head = cJSON_CreateString("Service Fee");
    p->above = cJSON_Parse("{\"name\":\"Copy z\",\"fee\":2.5}");
    text_page_line(p, "10:Schedule of fees|80:<Page 2");
    if (table_head) text_page_line(p, "10:Service|80:<Fee");
    for (int i = 0; i < 10; i++) {
        text_page_linef(p, "10:Copy of plan %c|80:<%d.50", 'a' + i, 3 * i + 10);
        text_page_gave(p, "{\"name\":\"Copy of plan %c\",\"fee\":%d.5}",
                       'a' + i, 3 * i + 10);
    }
    look(p, "a page's head", table_head, -1);
}

static void the_head_of_a_page_is_no_row(void **state)
{
    (void)state;
    head_of_page(true);
    head_of_page(false);
}

/* Of two columns a heading has as many: what stands in place of the price tells. */
static void fees(struct text_page *p, int left_out, const char *price)
{
    int at = -1;
    text_page_line(p, "10:Service|80:<Fee");
    for (int i = 0; i < 10; i++) {
        if (i == 5) text_page_line(p, "10:Harbour and boats|80:<EUR");
        int l = text_page_linef(
            p, "10:Copy of plan %c|80:<%s", 'a' + i,
            i == left_out ? price : arena_text(p->arena, "%d.50", 3 * i + 10));
        if (i == left_out)
            at = l;
        else
            text_page_gave(p, "{\"name\":\"Copy of plan %c\",\"fee\":%d.5}",
                           'a' + i, 3 * i + 10);
    }
    look(p, price, left_out, at);
}

static void of_two_columns_the_words_tell(void **state)
{
    (void)state;
    static const char *const price[] = {
        "on request", "free of charge", "n/a", "-", "gratis", "auf Anfrage"};
    fees(text_page_new(), -1, "");
    for (size_t k = 0; k < sizeof price / sizeof *price; k++)
        for (int out = 1; out < 10; out++)
            fees(text_page_new(), out, price[k]);
}

/* As prices are written, and how it is given; all of them, or one among others. */
static int priced(struct text_page *p, bool counts, const char *printed,
                  const char *given, bool all)
{
    int at = -1;
    text_page_line(p, "10:Name|80:<Price");
    for (int i = 0; i < 12; i++) {
        bool so = all || i == 5;
        int l = text_page_linef(p, "10:Widget %c%s|80:<%s", 'a' + i,
                                counts ? "|60:<3" : "", so ? printed : "12.50");
        if (i == 5)
            at = l;
        else
            text_page_gave(p, "{\"name\":\"Widget %c\",\"price\":%s}", 'a' + i,
                           so ? given : "12.5");
    }
    return at;
}

static void of_any_form_of_a_price_one_is_named(void **state)
{
    (void)state;
    static const char *const form[][2] = {
        {"1 234,50", "1234.5"}, {"12.50-", "-12.5"}, {"(12.50)", "-12.5"},
        {"EUR 12", "12"},       {"12,-", "12"},      {"Fr. 12.-", "12"},
        {"EUR 12.50", "12.5"},  {"12", "12"},        {"12.5", "12.5"},
        {"$12", "12"},          {"12.50 S", "12.5"}};
    for (size_t f = 0; f < sizeof form / sizeof *form; f++)
        for (int kind = 0; kind < 4; kind++) {
            struct text_page *p = text_page_new();
            int at = priced(p, kind & 1, form[f][0], form[f][1], kind & 2);
            look(p, form[f][0], kind, at);
        }
}

/* What stands behind all amounts is a part of them. */
static void in_place_of_an_amount_with_its_currency(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    int at = -1;
    for (int i = 0; i < 12; i++) {
        int l = text_page_linef(
            p, "10:Widget %c|80:<%s", 'a' + i,
            i == 5 ? "on request" : arena_text(p->arena, "%d.50 EUR", 5 * i));
        if (i == 5)
            at = l;
        else
            text_page_gave(p, "{\"name\":\"Widget %c\",\"price\":%d.5}",
                           'a' + i, 5 * i);
    }
    look(p, "a currency", 0, at);
}

/* Row i of ten; of some also what stands on a line of its own, which the reader gave
 * (`said`) or not. */
static void consignment(struct text_page *p, int i, bool said)
{
    said = said && i % 4;
    text_page_linef(p, "10:K%d|30:Smith %c|60:Jones %c|80:<%d.50", i, 'a' + i,
                    'k' + i, 3 * i + 10);
    text_page_gave(p,
                   "{\"code\":\"K%d%s\",\"from\":\"%s Smith %c\","
                   "\"to\":\"%s Jones %c\",\"freight\":%d.5}",
                   i, said ? " new" : "", said ? "Hamburg" : "", 'a' + i,
                   said ? "Genova" : "", 'k' + i, 3 * i + 10);
}

/* A line in all columns that a row beside it says, or that stands closer than rows
 * do, is the row's own. */
static void a_second_line_of_cells_is_no_row(void **state)
{
    (void)state;
    enum { BELOW, ABOVE, CLOSE, KINDS };
    static const char second[] = "10:new|30:Hamburg|60:Genova";
    for (int kind = 0; kind < KINDS; kind++) {
        struct text_page *p = text_page_new();
        text_page_line(p, "10:Code|30:From|60:To|80:<Freight");
        for (int i = 0; i < 10; i++) {
            p->y += kind == CLOSE ? 0.006 : 0;
            if (kind == ABOVE && i % 4) text_page_line(p, second);
            consignment(p, i, kind != CLOSE);
            if (kind != ABOVE && i % 4) text_page_line(p, second);
        }
        look(p, "second lines", kind, -1);
    }
}

/* A sum has few cells, and a value; what is explained is none; nor are the terms of
 * an invoice. */
static void what_stands_below_rows_in_their_columns_is_none(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    p->strict = true;
    text_page_line(p, "10:No|16:Article|50:<Pieces|70:<Price|90:<Total");
    for (int i = 0; i < 12; i++) {
        if (i == 7) text_page_line(p, "10:A|16:Materials|90:<1,250.40");
        if (i == 7) text_page_line(p, "10:A|16:Labour|50:<12|90:<77.40");
        text_page_linef(p, "10:%d|16:Item %c|50:<%d|70:<%d.75|90:<%d.40", i + 1,
                        'a' + i, i + 3, i + 20, 7 * i + 511);
        text_page_gave(p,
                       "{\"name\":\"Item %c\",\"n\":%d,\"price\":%d.75,"
                       "\"total\":%d.4}",
                       'a' + i, i + 3, i + 20, 7 * i + 511);
    }
    text_page_line(p, "10:Net|16:without deduction|50:<30|70:<days");
    text_page_others(p, "{\"labour\":77.4}");
    look(p, "sums", 0, -1);
}

/* Two tables of one layout, one below the other. */
static void the_head_of_another_table_is_no_row(void **state)
{
    (void)state;
    struct text_page *p = text_page_new();
    text_page_line(p, "10:Labour|40:Hours|60:Rate|80:<Amount");
    for (int i = 0; i < 16; i++) {
        if (i == 8) text_page_line(p, "10:Material|40:Pieces|60:Each|80:<Cost");
        text_page_linef(p, "10:Item %c|40:%d|60:%d|80:<%d.75", 'a' + i, i + 3,
                        i + 20, 7 * i + 11);
        if (i < 8)
            text_page_gave(p, "{\"name\":\"Item %c\",\"cost\":%d.75}", 'a' + i,
                           7 * i + 11);
    }
    char *rest = arena_text(p->arena, "{\"material\":[");
    for (int i = 8; i < 16; i++)
        rest = arena_text(p->arena, "%s%s{\"name\":\"Item %c\",\"cost\":%d.75}",
                          rest, i > 8 ? "," : "", 'a' + i, 7 * i + 11);
    text_page_others(p, arena_text(p->arena, "%s]}", rest));
    p->head = cJSON_CreateString("Labour Hours Rate Amount");
    p->heads = cJSON_Parse(
        "[\"Labour Hours Rate Amount\",\"Material Pieces Each Cost\"]");
    look(p, "two tables", 0, -1);
}

TEST_GROUP(coverage_lack, cmocka_unit_test(a_row_without_a_price_is_named),
           cmocka_unit_test(of_a_few_rows_as_well),
           cmocka_unit_test(the_first_of_a_page_without_a_head_is_named),
           cmocka_unit_test(the_head_of_a_page_is_no_row),
           cmocka_unit_test(of_two_columns_the_words_tell),
           cmocka_unit_test(of_any_form_of_a_price_one_is_named),
           cmocka_unit_test(in_place_of_an_amount_with_its_currency),
           cmocka_unit_test(a_second_line_of_cells_is_no_row),
           cmocka_unit_test(what_stands_below_rows_in_their_columns_is_none),
           cmocka_unit_test(the_head_of_another_table_is_no_row))
