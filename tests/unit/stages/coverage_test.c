/* coverage_test.c - rows against the lines of pages written for it. */
#include "tests/support/test.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stages/window/coverage.h"
#include "vlm/base/json.h"
#include "vlm/base/now.h"

/* A page under way, with the rows that a reader gave of it. Letters are 0.008
 * wide, lines 0.015 apart. */
struct paper {
    struct arena *arena;
    struct word word[8192];
    struct words words;
    cJSON *rows, *others, *above;
    double y;
    bool strict, lies;
    struct lines lines;
    struct coverage got;
    struct coverage_shape before;
};

static struct paper *paper_new(void)
{
    static struct paper p;
    p = (struct paper){.arena = arena_new(), .y = 0.02};
    p.words = (struct words){.word = p.word, .aspect = 1};
    p.rows = cJSON_CreateArray();
    return &p;
}

static void paper_free(struct paper *p)
{
    arena_free(p->arena);
    cJSON_Delete(p->rows);
    cJSON_Delete(p->others);
    cJSON_Delete(p->above);
}

static void put(struct paper *p, double x, const char *text)
{
    char *copy = arena_text(p->arena, "%s", text), *rest = NULL;
    for (char *w = strtok_r(copy, " ", &rest); w;
         w = strtok_r(NULL, " ", &rest)) {
        double width = 0.008 * (double)strlen(w);
        p->word[p->words.n_word++] = (struct word){x, p->y, width, 0.012, w, 1};
        x += width + 0.004;
    }
}

/* A line of columns, "x:text|x:text", x in hundredths; a text that begins with
 * < ends at x. */
static int line(struct paper *p, const char *columns)
{
    char *copy = arena_text(p->arena, "%s", columns), *rest = NULL;
    static int n_line;
    n_line = p->y < 0.03 ? 0 : n_line;
    for (char *c = strtok_r(copy, "|", &rest); c;
         c = strtok_r(NULL, "|", &rest)) {
        char *text = strchr(c, ':') + 1;
        double x = atof(c) / 100;
        if (*text == '<') x -= 0.008 * (double)strlen(++text);
        put(p, x, text);
    }
    p->y += 0.015;
    return n_line++;
}

__attribute__((format(printf, 2, 3))) static int linef(struct paper *p,
                                                       const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return line(p, text);
}

/* The row as the reader gave it. */
__attribute__((format(printf, 2, 3))) static void gave(struct paper *p,
                                                       const char *fmt, ...)
{
    char text[256];
    struct err err = {0};
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    cJSON_AddItemToArray(p->rows,
                         json_parse((struct span){text, strlen(text)}, &err));
    test_ok(&err);
}

static void others(struct paper *p, const char *text)
{
    struct err err = {0};
    p->others = json_parse((struct span){text, strlen(text)}, &err);
    test_ok(&err);
}

/* "missing: ...; extra: ..." by index. */
static char *look(struct paper *p)
{
    char *said = arena_text(p->arena, "missing");
    lines_of_words(&p->words, p->arena, &p->lines);
    struct coverage_given given = {.rows = p->rows,
                                   .others = p->others,
                                   .strict = p->strict,
                                   .lies = p->lies,
                                   .above = p->above};
    coverage_find(&p->lines, &given, p->before.n_row ? &p->before : NULL,
                  p->arena, &p->got);
    assert_true(p->got.known);
    for (int i = 0; i < p->got.n_missing; i++)
        said = arena_text(p->arena, "%s %d", said, p->got.missing[i]);
    said = arena_text(p->arena, "%s, extra", said);
    for (int i = 0; i < p->got.n_extra; i++)
        said = arena_text(p->arena, "%s %d", said, p->got.extra[i]);
    return said;
}

/* Row i of a statement, in a written form of the place. */
struct written {
    const char *name, *date, *carried; /* strftime-like: %d %m %y %M */
    char thousands, point;
    bool minus_behind;
};

static const struct written places[] = {
    {"british", "%d/%m/%Y", "Balance carried forward", ',', '.', false},
    {"american", "%m/%d/%Y", "Opening balance", ',', '.', false},
    {"german", "%d.%m.%y", "\u00DCbertrag", '.', ',', true},
    {"swiss", "%d.%m.%Y", "Saldovortrag", '\'', '.', false},
    {"english words", "%d %M %Y", "Brought forward", ',', '.', true},
    {"words first", "%M %d, %Y", "Closing balance", ',', '.', false},
    {"iso", "%Y-%m-%d", "A reporter", '.', ',', false},
};

static int two_digits(char *out, int value)
{
    return snprintf(out, 3, "%02d", value % 100);
}

static void write_date(const struct written *how, int month, int day, char *out)
{
    static const char *const names[] = {"Jan", "Feb", "Mar", "Apr",
                                        "May", "Jun", "Jul", "Aug",
                                        "Sep", "Oct", "Nov", "Dec"};
    for (const char *at = how->date; *at; at++) {
        if (*at != '%') {
            *out++ = *at;
            continue;
        }
        char c = *++at;
        out += c == 'd'   ? two_digits(out, day)
               : c == 'm' ? two_digits(out, month)
               : c == 'y' ? two_digits(out, 24)
               : c == 'Y' ? snprintf(out, 5, "2024")
                          : snprintf(out, 4, "%s", names[month - 1]);
    }
    *out = '\0';
}

static void write_amount(const struct written *how, long cents, char *out)
{
    long whole = labs(cents) / 100;
    const char *front = cents < 0 && !how->minus_behind ? "-" : "";
    const char *back = cents < 0 && how->minus_behind ? "-" : "";
    if (whole >= 1000)
        snprintf(out, 32, "%s%ld%c%03ld%c%02ld%s", front, whole / 1000,
                 how->thousands, whole % 1000, how->point, labs(cents) % 100,
                 back);
    else
        snprintf(out, 32, "%s%ld%c%02ld%s", front, whole, how->point,
                 labs(cents) % 100, back);
}

enum { GIVEN = 1, PRINTED = 2 };

/* A row of a statement: date, what for, amount, balance. Every third amount is
 * the same, and so is every second text; row 5 and 6 are identical. */
static int statement_row(struct paper *p, const struct written *how, int i,
                         int what)
{
    char date[32], amount[32], balance[32];
    int k = i == 6 ? 5 : i;
    int month = 1 + k / 9 % 12, day = 1 + k * 5 % 28;
    long cents = k % 3 ? -(1234 + 98765L * k % 250000) : 350;
    write_date(how, month, day, date);
    write_amount(how, cents, amount);
    write_amount(how, 500000 - 700L * k, balance);
    if (what & GIVEN)
        gave(p,
             "{\"date\":\"2024-%02d-%02d\",\"text\":\"Shop %s %d\","
             "\"amount\":%.2f}",
             month, day, k % 2 ? "north" : "south", k / 2, (double)cents / 100);
    if (!(what & PRINTED)) return -1;
    return linef(p, "10:%s|30:Shop %s %d|70:<%s|90:<%s", date,
                 k % 2 ? "north" : "south", k / 2, amount, balance);
}

/* A letterhead, rows from..to-1 but `left_out`, a sum carried forward. */
static int statement(struct paper *p, const struct written *how, int from,
                     int to, int left_out)
{
    int missing = -1;
    char date[32], amount[32];
    write_date(how, 7, 31, date);
    write_amount(how, 777777, amount);
    line(p, "10:Example Bank|60:12 Long Street");
    linef(p, "10:Statement of %s|80:Page 3 of 12", date);
    line(p, "10:Date|30:Details|65:Amount|85:Balance");
    linef(p, "30:%s|90:<%s", how->carried, amount);
    for (int i = from; i < to; i++) {
        int at =
            statement_row(p, how, i, i == left_out ? PRINTED : GIVEN | PRINTED);
        if (i == left_out) missing = at;
    }
    linef(p, "10:%s|30:%s|90:<%s", date, how->carried, amount);
    linef(p, "30:Total|70:<%s", amount);
    line(p, "10:Call 0800 123 456 or write to us.");
    return missing;
}

static void assert_said(struct paper *p, const char *what, int n,
                        const char *wanted)
{
    char *said = look(p);
    if (strcmp(said, wanted))
        fail_msg("%s %d: %s, wanted %s", what, n, said, wanted);
    paper_free(p);
}

static void a_faithful_reader_is_believed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        for (int n = 3; n < 42; n += 6) {
            struct paper *p = paper_new();
            statement(p, &places[i], 0, n, -1);
            assert_said(p, places[i].name, n, "missing, extra");
        }
}

static void every_row_left_out_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        for (int out = 0; out < 20; out++) {
            struct paper *p = paper_new();
            char wanted[64];
            int at = statement(p, &places[i], 0, 20, out);
            snprintf(wanted, sizeof wanted, "missing %d, extra", at);
            if (out == 5 || out == 6) wanted[0] = '\0'; /* either of two */
            char *said = look(p);
            if (*wanted && strcmp(said, wanted))
                fail_msg("%s, row %d: %s, wanted %s", places[i].name, out, said,
                         wanted);
            assert_int_equal(p->got.n_missing, 1);
            paper_free(p);
        }
}

static void a_row_of_the_page_before_is_extra(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct paper *p = paper_new();
        statement_row(p, &places[i], 40, GIVEN);
        statement(p, &places[i], 0, 20, -1);
        assert_said(p, places[i].name, 0, "missing, extra 0");
        p = paper_new(); /* and a row left out */
        statement_row(p, &places[i], 40, GIVEN);
        int at = statement(p, &places[i], 0, 20, 11);
        assert_said(p, places[i].name, 1,
                    arena_text(p->arena, "missing %d, extra 0", at));
        p = paper_new(); /* one of three that are alike */
        statement_row(p, &places[i], 6, GIVEN);
        statement(p, &places[i], 5, 12, -1);
        char *said = look(p);
        assert_int_equal(p->got.n_missing, 0);
        if (p->got.n_extra != 1 || p->got.extra[0] > 2) fail_msg("%s", said);
        paper_free(p);
    }
}

/* Its balance is what is brought forward. */
static void a_balance_brought_forward_is_not_its_row(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    gave(p, "{\"date\":\"2024-06-02\",\"amount\":-9.5,\"balance\":7777.77}");
    statement(p, &places[0], 0, 9, -1);
    assert_said(p, "balance", 0, "missing, extra 0");
}

/* A line of a row must not be taken for the beginning of the next one. */
static void a_twin_before_a_long_row_is_named(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    for (int i = 0; i < 8; i++) {
        linef(p, "10:%02d.01.2024|30:Kiosk Smith|60:R77%d|80:<-%d.26",
              i / 3 + 1, i, 11 * i + 9);
        gave(p,
             "{\"d\":\"2024-01-%02d\",\"t\":\"Kiosk Smith\",\"r\":"
             "\"R77%d\",\"a\":-%d.26}",
             i / 3 + 1, i, 11 * i + 9);
    }
    line(p, "10:03.01.2024|30:Kiosk Weiss|60:R97|80:<-321.26");
    int at = line(p, "10:03.01.2024|30:Kiosk Weiss|60:R97|80:<-321.26");
    gave(p, "{\"d\":\"2024-01-03\",\"t\":\"Kiosk Weiss\",\"r\":\"R97\","
            "\"a\":-321.26}");
    line(p, "10:03.01.2024|30:lunch Volt|60:R16|80:<-470.80");
    line(p, "30:Weiss");
    gave(p, "{\"d\":\"2024-01-03\",\"t\":\"lunch Volt Weiss\",\"r\":\"R16\","
            "\"a\":-470.8}");
    look(p);
    assert_int_equal(p->got.n_missing, 1);
    assert_true(p->got.missing[0] == at || p->got.missing[0] == at - 1);
    paper_free(p);
}

static void each_row_has_its_own_line(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    statement(p, &places[0], 0, 20, -1);
    look(p);
    for (int i = 0; i < 20; i++)
        assert_int_equal(p->got.line_of_row[i], 4 + i);
    paper_free(p);
}

static void rows_of_two_lines_are_one(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    int at = -1;
    line(p, "10:Date|30:Details|65:Amount");
    for (int i = 0; i < 15; i++) {
        int begins = linef(p, "10:%02d.03.2024|30:Transfer to|70:<%d,%02d",
                           i + 1, 10 + 7 * i, i * 3);
        linef(p, "30:Anna Schmidt %d|45:value %02d.03.2024", i, i + 2);
        if (i == 9)
            at = begins;
        else
            gave(p,
                 "{\"d\":\"2024-03-%02d\",\"t\":\"Transfer to Anna Schmidt "
                 "%d\",\"a\":\"%d.%02d\"}",
                 i + 1, i, 10 + 7 * i, i * 3);
    }
    assert_said(p, "two lines", 0,
                arena_text(p->arena, "missing %d, extra", at));
}

static void tables_without_dates(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    int at = -1;
    line(p, "10:Invoice 2024-17|70:3 May 2024");
    for (int i = 0; i < 25; i++) {
        int l = linef(p, "10:Widget %c%d|50:%d|65:<%d.50|85:<%d.00", 'a' + i,
                      i % 4, i + 1, i % 5, 3 * i + 10);
        if (i == 12) linef(p, "10:Subtotal|85:<%d.00", 1234);
        if (i == 20)
            at = l;
        else
            gave(p, "{\"name\":\"Widget %c%d\",\"n\":%d,\"total\":%d}", 'a' + i,
                 i % 4, i + 1, 3 * i + 10);
    }
    line(p, "65:<Net|85:<1,300.00");
    line(p, "65:<VAT 19 %|85:<247.00");
    line(p, "65:<Pay this|85:<1,547.00");
    assert_said(p, "no dates", 0,
                arena_text(p->arena, "missing %d, extra", at));
}

static void two_tables_on_a_page(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    for (int i = 0; i < 12; i++)
        statement_row(p, &places[2], i, GIVEN | PRINTED);
    line(p, "10:Fees of the quarter");
    int at = -1;
    for (int i = 0; i < 8; i++) {
        int l = linef(p, "10:Fee for card %d|50:<%d,45", i, i + 2);
        if (i == 3)
            at = l;
        else
            gave(p, "{\"text\":\"Fee for card %d\",\"amount\":%d.45}", i,
                 i + 2);
    }
    assert_said(p, "two tables", 0,
                arena_text(p->arena, "missing %d, extra", at));
    p = paper_new(); /* the second is another array's */
    for (int i = 0; i < 12; i++)
        statement_row(p, &places[2], i, i == 4 ? PRINTED : GIVEN | PRINTED);
    line(p, "10:01.02.2024|30:Fee for nothing|70:<2,45|90:<1,00");
    line(p, "10:02.02.2024|30:Fee for something|70:<3,45|90:<4,00");
    others(p, "{\"fees\":[{\"d\":\"2024-02-01\",\"a\":2.45,\"b\":1},"
              "{\"d\":\"2024-02-02\",\"a\":3.45,\"b\":4}],\"iban\":null}");
    assert_said(p, "another array's", 0, "missing 4, extra");
}

/* Items of an invoice, `left_out` not given; two-line descriptions; what stands
 * below them. Its line. */
static int invoice(struct paper *p, int n, int left_out)
{
    int at = -1;
    line(p, "10:Invoice 2024-17|70:Date 3 May 2024");
    line(p, "70:Due 17 May 2024");
    for (int i = 0; i < n; i++) {
        int l =
            linef(p, "10:%d|15:Widget %c%d|60:%d|75:<%d.50|90:<%d.00", i + 1,
                  'a' + i, i % 4, i % 5 + 1, 3 * i + 10, 31 * i + 40);
        if (i % 3 == 1) line(p, "15:made of steel");
        if (i == left_out)
            at = l;
        else
            gave(p,
                 "{\"name\":\"Widget %c%d%s\",\"n\":%d,\"price\":%d.5,"
                 "\"total\":%d}",
                 'a' + i, i % 4, i % 3 == 1 ? " made of steel" : "", i % 5 + 1,
                 3 * i + 10, 31 * i + 40);
    }
    line(p, "60:Net|90:<1,300.00");
    line(p, "60:Shipping|90:<4.90");
    line(p, "60:VAT 19 %|90:<247.00");
    line(p, "60:Amount due|90:<1,547.00");
    line(p, "10:2 % discount of 30.94 until 10.05.2024|90:<1,516.06");
    p->strict = true;
    others(p, "{\"total\":1547,\"date\":\"2024-05-03\"}");
    return at;
}

static void an_invoice_lacks_what_was_left_out_alone(void **state)
{
    (void)state;
    for (int n = 2; n < 13; n++) {
        struct paper *p = paper_new();
        invoice(p, n, -1);
        assert_said(p, "invoice", n, "missing, extra");
        for (int out = 0; out < n && n > 2; out++) {
            p = paper_new();
            int at = invoice(p, n, out);
            assert_said(p, "invoice without an item", n,
                        arena_text(p->arena, "missing %d, extra", at));
        }
    }
}

static void what_stands_below_a_receipt_is_no_item(void **state)
{
    (void)state;
    for (int n = 1; n < 9; n++) {
        struct paper *p = paper_new();
        p->strict = true;
        line(p, "10:Corner Shop");
        line(p, "10:03.05.2024|60:14:07");
        for (int i = 0; i < n; i++) {
            linef(p, "10:Tea no %c|70:<%d,25", 'a' + i, 2 * i + 1);
            gave(p, "{\"name\":\"Tea no %c\",\"price\":%d.25}", 'a' + i,
                 2 * i + 1);
        }
        line(p, "10:7 % MwSt|70:<0,61");
        line(p, "10:Your total|70:<9,31");
        line(p, "10:Given|70:<20,00");
        line(p, "10:Back to you|70:<10,69");
        others(p, "{\"total\":9.31}");
        assert_said(p, "receipt", n, "missing, extra");
    }
}

static void an_item_with_its_price_below_is_named(void **state)
{
    (void)state;
    for (int out = -1; out < 6; out++) {
        struct paper *p = paper_new();
        int at = -1;
        p->strict = true;
        line(p, "10:Corner Shop");
        for (int i = 0; i < 6; i++) {
            int l = linef(p, "10:Green tea %c", 'a' + i);
            linef(p, "70:<%d,25", 2 * i + 1);
            if (i == out)
                at = l;
            else
                gave(p, "{\"name\":\"Green tea %c\",\"price\":%d.25}", 'a' + i,
                     2 * i + 1);
        }
        line(p, "10:Total|70:<40,00");
        line(p, "10:Where to find us");
        line(p, "70:<12,50");
        others(p, "{\"total\":40}");
        assert_said(p, "two lines", out,
                    at < 0 ? "missing, extra"
                           : arena_text(p->arena, "missing %d, extra", at));
    }
}

/* 12 sets are no 12th of September. */
static void a_date_does_not_go_over_columns(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    for (int i = 0; i < 9; i++) {
        linef(p, "10:Monitor set|60:12|75:<%d.50|90:<%d.00", 3 * i + 10,
              36 * i + 126);
        gave(p,
             "{\"name\":\"Monitor set\",\"n\":12,\"price\":%d.5,"
             "\"total\":%d}",
             3 * i + 10, 36 * i + 126);
    }
    look(p);
    for (int i = 0; i < 9; i++)
        assert_int_equal(p->got.doubt[i], COVERAGE_SURE);
    paper_free(p);
}

static void pages_that_were_not_read_are_missing(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    p->strict = true;
    for (int i = 0; i < 9; i++)
        statement_row(p, &places[0], i, GIVEN | PRINTED);
    line(p, "30:Total so far|70:<123.45");
    statement_row(p, &places[0], 9, PRINTED);
    p->y = 1.02;
    line(p, "30:Balance brought forward|90:<1,200.00");
    for (int i = 10; i < 13; i++)
        statement_row(p, &places[0], i, PRINTED);
    assert_said(p, "two pages", 0, "missing 10 12 13 14, extra");
}

static void rows_of_scalars(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    for (int i = 0; i < 10; i++) {
        linef(p, "10:Reading|40:<%d.25", 100 + 9 * i);
        if (i != 7) gave(p, "%d.25", 100 + 9 * i);
    }
    assert_said(p, "numbers", 0, "missing 7, extra");
    p = paper_new();
    for (int i = 0; i < 10; i++) {
        linef(p, "10:Name number%d|60:2024-01-%02d", i * 31, i + 1);
        if (i != 2) gave(p, "\"Name number%d\"", i * 31);
    }
    gave(p, "\"Somebody else\"");
    assert_said(p, "texts", 0, "missing 2, extra 9");
}

static void few_rows_are_helped_by_the_page_before(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    statement(p, &places[0], 0, 20, -1);
    look(p);
    struct coverage_shape shape = p->got.shape;
    assert_int_equal(shape.n_row, 20);
    paper_free(p);
    p = paper_new(); /* one row, one left out, and what is no row */
    p->before = shape;
    int at = statement(p, &places[0], 30, 32, 31);
    line(p, "10:Interest of 4.50 from 1 May 2024 on.");
    assert_said(p, "few", 0, arena_text(p->arena, "missing %d, extra", at));
    p = paper_new(); /* without: all that the others do not explain */
    others(p, "{\"paid\":\"2024-05-03\",\"due\":\"EUR 12.50\"}");
    line(p, "10:Paid on 3 May 2024|50:12,50");
    line(p, "10:Page 1 of 3");
    line(p, "10:Coffee|50:3,50");
    assert_said(p, "none before", 0, "missing 2, extra");
}

/* A page that lies has its columns elsewhere. */
static void one_row_on_a_page_that_lies_is_named(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    for (int i = 0; i < 8; i++)
        statement_row(p, &places[0], i, GIVEN | PRINTED);
    look(p);
    struct coverage_shape before = p->got.shape;
    for (int lies = 0; lies < 2; lies++) {
        paper_free(p);
        p = paper_new();
        p->before = before;
        p->lies = lies;
        line(p, "5:Statement|80:page 2");
        linef(p, "5:09/06/2024|20:Shop west 4|50:<12.50|65:<999.10");
        gave(p, "{\"text\":\"Kiosk\",\"amount\":77.15}");
        assert_string_equal(look(p),
                            lies ? "missing 1, extra" : "missing, extra");
    }
    paper_free(p);
}

/* 1 198,94 is one amount, as 886,72 is. */
static void a_row_without_thousands_is_named(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    int at = -1;
    for (int i = 0; i < 8; i++) {
        const char *big = i == 3 || i == 7 ? "" : "1 ";
        int l = linef(p, "10:Tapis %c|50:%d|66:%s98%d,94|86:%s99%d,72", 'a' + i,
                      i + 2, big, i, big, i);
        if (i == 3)
            at = l;
        else
            gave(p, "{\"name\":\"Tapis %c\",\"n\":%d,\"total\":%s99%d.72}",
                 'a' + i, i + 2, *big ? "1" : "", i);
    }
    assert_said(p, "thousands", 0,
                arena_text(p->arena, "missing %d, extra", at));
}

static void a_row_that_was_misread_is_not_extra(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    for (int i = 0; i < 10; i++) {
        statement_row(p, &places[0], i, i == 4 ? PRINTED : GIVEN | PRINTED);
        if (i == 4)
            gave(p, "{\"date\":\"2024-01-21\",\"text\":\"Shop south 2\","
                    "\"amount\":99999.99}");
    }
    assert_said(p, "misread", 0, "missing, extra");
    p = paper_new(); /* a table that is a picture: nothing stands in the text */
    line(p, "10:Example Bank|60:12 Long Street");
    for (int i = 0; i < 8; i++)
        statement_row(p, &places[0], i, GIVEN);
    assert_said(p, "a picture", 0, "missing, extra");
    p = paper_new(); /* side by side, read one table after the other */
    for (int i = 0; i < 10; i++) {
        linef(p, "10:Item L%d|40:<%d.00|55:Item R%d|90:<%d.00", i, i + 5, i,
              i + 50);
        gave(p, "{\"t\":\"Item L%d\",\"a\":%d}", i, i + 5);
    }
    for (int i = 0; i < 10; i++)
        gave(p, "{\"t\":\"Item R%d\",\"a\":%d}", i, i + 50);
    assert_said(p, "side by side", 0, "missing, extra");
}

/* Twelve rows of a statement under the page's head; row `odd` is as given. */
static void assert_doubt(int odd, const char *given, enum coverage_doubt want)
{
    struct paper *p = paper_new();
    line(p, "10:Date|30:Text|70:<Amount");
    for (int i = 0; i < 12; i++) {
        bool own = i != odd;
        if (!own && given) gave(p, "%s", given);
        statement_row(p, &places[0], i, own ? GIVEN | PRINTED : PRINTED);
    }
    look(p);
    for (int r = 0; r < 12; r++) {
        int doubt = (int)p->got.doubt[r];
        if (doubt != (int)(r == odd ? want : COVERAGE_SURE))
            fail_msg("%s: row %d: %d", given, r, doubt);
    }
    paper_free(p);
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
    struct paper *p = paper_new();
    static const char *const what[] = {"Kiosk blue", "Rent room",  "Sale desk",
                                       "Gym card",   "Phone line", "Book shelf",
                                       "Lamp oil",   "Wood fire"};
    line(p, "10:No|20:Service|80:<Fee");
    for (int i = 0; i < n; i++) {
        linef(p, "10:%d|20:%s|80:<%d.25", i + 1, what[i], 3 * i + 4);
        if (sums) linef(p, "10:%d|20:of it|80:<%d.75", i + 1, i + 1);
        if (given && i == n - 2)
            gave(p, "%s", given);
        else if (!given || i != n - 1)
            gave(p, "{\"no\":%d,\"text\":\"%s%s\",\"fee\":%d.25}", i + 1,
                 what[i], sums ? " of it" : "", 3 * i + 4);
    }
    look(p);
    int doubt = (int)p->got.doubt[n - 2];
    if (doubt != (int)want) fail_msg("%s: %d", given ? given : "all", doubt);
    assert_int_not_equal(p->got.doubt[0], COVERAGE_MIXED);
    paper_free(p);
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
    struct paper *p = paper_new();
    statement(p, &places[0], 0, 55, 30);
    double since = now_seconds();
    look(p);
    double took = now_seconds() - since;
    if (took > 0.05) fail_msg("%g ms", took * 1000); /* 1 ms where measured */
    paper_free(p);
}

TEST_GROUP(coverage, cmocka_unit_test(a_faithful_reader_is_believed),
           cmocka_unit_test(every_row_left_out_is_named),
           cmocka_unit_test(a_row_of_the_page_before_is_extra),
           cmocka_unit_test(a_balance_brought_forward_is_not_its_row),
           cmocka_unit_test(a_twin_before_a_long_row_is_named),
           cmocka_unit_test(each_row_has_its_own_line),
           cmocka_unit_test(rows_of_two_lines_are_one),
           cmocka_unit_test(tables_without_dates),
           cmocka_unit_test(two_tables_on_a_page),
           cmocka_unit_test(an_invoice_lacks_what_was_left_out_alone),
           cmocka_unit_test(what_stands_below_a_receipt_is_no_item),
           cmocka_unit_test(an_item_with_its_price_below_is_named),
           cmocka_unit_test(a_date_does_not_go_over_columns),
           cmocka_unit_test(pages_that_were_not_read_are_missing),
           cmocka_unit_test(rows_of_scalars),
           cmocka_unit_test(few_rows_are_helped_by_the_page_before),
           cmocka_unit_test(one_row_on_a_page_that_lies_is_named),
           cmocka_unit_test(a_row_without_thousands_is_named),
           cmocka_unit_test(a_row_that_was_misread_is_not_extra),
           cmocka_unit_test(a_row_made_of_two_is_told),
           cmocka_unit_test(what_a_row_lacks_is_doubted),
           cmocka_unit_test(a_row_on_the_line_of_another_is_two),
           cmocka_unit_test(a_page_takes_little_time))
