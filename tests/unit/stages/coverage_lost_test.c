/* coverage_lost_test.c - rows that nothing but their table tells: of whole numbers among
 * amounts, beside another table, few of many columns, and two that are given as
 * one. */
#include "tests/unit/stages/text_page.h"

#include <string.h>

#include "tests/support/test.h"

static void look(struct text_page *p, const char *what, int n, int at)
{
    text_page_assert(p, what, n,
                     at < 0 ? "missing, extra"
                            : arena_text(p->arena, "missing %d, extra", at));
}

/* --- numbers in a column of amounts ---------------------------------------------- */

static const struct {
    const char *printed;
    int n;
} pieces[] = {{"1,223", 1223},
              {"788", 788},
              {"12,040", 12040},
              {"950", 950},
              {"1,100", 1100}};

enum { GOODS = 5 };

/* Goods of which `left_out` was not given; below them a remark and a page's number, which
 * ends below the amounts. */
static void goods(int left_out)
{
    struct text_page *p = text_page_new();
    int at = -1;
    p->strict = true;
    text_page_line(p, "10:Goods|80:<Pieces");
    for (int i = 0; i < GOODS; i++) {
        int l = text_page_linef(p, "10:Crate %c|80:<%s", 'a' + i,
                                pieces[i].printed);
        if (i == left_out)
            at = l;
        else
            text_page_gave(p, "{\"name\":\"Crate %c\",\"pieces\":%d}", 'a' + i,
                           pieces[i].n);
    }
    p->y += 0.03;
    text_page_line(p, "30:Driver: 17|80:<2");
    look(p, "goods", left_out, at);
}

static void a_whole_number_among_amounts_is_one(void **state)
{
    (void)state;
    for (int out = -1; out < GOODS; out++)
        goods(out);
}

/* --- tables side by side --------------------------------------------------------- */

enum { PAYMENTS = 3, DEDUCTIONS = 5 };

/* A payslip: payments left, deductions right. What is looked at are its deductions, or
 * its payments; `left_out` of these was not given. */
static void payslip(bool deductions, int left_out)
{
    struct text_page *p = text_page_new();
    int at = -1;
    p->strict = true;
    struct buf others = buf_limit(4096);
    text_page_line(p,
                   "5:Payments|40:<Amount|50:Deductions|75:<Amount|90:<Year");
    for (int i = 0; i < DEDUCTIONS; i++) {
        const char *left = i < PAYMENTS
                               ? arena_text(p->arena, "5:Pay %c|40:<%d.81|",
                                            'a' + i, 100 * i + 2762)
                               : "";
        int l = text_page_linef(p, "%s50:Levy %c|75:<%d.15|90:<%d.66", left,
                                'k' + i, 17 * i + 44, 153 * i + 397);
        const char *pay =
            i < PAYMENTS
                ? arena_text(p->arena, "{\"text\":\"Pay %c\",\"amount\":%d.81}",
                             'a' + i, 100 * i + 2762)
                : NULL;
        const char *levy = arena_text(
            p->arena, "{\"text\":\"Levy %c\",\"amount\":%d.15,\"year\":%d.66}",
            'k' + i, 17 * i + 44, 153 * i + 397);
        const char *own = deductions ? levy : pay,
                   *other = deductions ? pay : levy;
        if (i == left_out) at = l;
        if (own && i != left_out) text_page_gave(p, "%s", own);
        if (other) buf_print(&others, "%s%s", others.size ? "," : "", other);
    }
    text_page_line(p, "5:Gross pay|40:<8,588.43|50:Total levies|75:<390.75");
    text_page_others(p, arena_text(p->arena,
                                   "{\"gross\":8588.43,\"levies\":390.75,"
                                   "\"others\":[%s]}",
                                   buf_span(&others).data));
    buf_free(&others);
    look(p, deductions ? "deductions" : "payments", left_out, at);
}

static void a_row_explains_its_half_of_a_line(void **state)
{
    (void)state;
    for (int out = -1; out < PAYMENTS; out++)
        payslip(false, out);
    for (int out = -1; out < DEDUCTIONS; out++)
        payslip(true, out);
}

/* --- few rows without values ----------------------------------------------------- */

static const char *const result[][4] = {
    {"Haemoglobin", "110", "g/l", "130 - 180"},
    {"Creatinine", "65", "\u00b5mol/l", "59 - 104"},
    {"Ferritin", "91", "\u00b5g/l", "30 - 400"},
    {"Potassium", "5.7", "mmol/l", "3.5 - 53"}};

enum { RESULTS = 4 };

/* A report; of the rows `merged` and the next one row is given, `left_out` is not. Row
 * of the page. */
static struct text_page *report(int left_out, int merged, int *at)
{
    struct text_page *p = text_page_new();
    p->strict = true;
    *at = -1;
    text_page_line(
        p, "12.6:Test|43.7:<Result|47:Flag|57.1:Unit|75.6:Reference range");
    for (int i = 0; i < RESULTS; i++) {
        int l = text_page_linef(
            p, "12.6:%s|43.7:<%s|%s57.1:%s|75.6:%s", result[i][0], result[i][1],
            i % 3 ? "" : "47.0:L|", result[i][2], result[i][3]);
        if (i == left_out) *at = l;
        if (i == left_out || i == merged) continue;
        text_page_gave(p,
                       "{\"test\":\"%s %s\",\"result\":%s,\"unit\":\"%s\","
                       "\"range\":\"%s\"}",
                       i && i == merged + 1 ? result[i - 1][0] : "",
                       result[i][0], result[i][1], result[i][2], result[i][3]);
    }
    p->y += 0.03;
    text_page_line(p, "10:Comment: sample haemolysed");
    return p;
}

static void few_rows_of_many_columns_tell(void **state)
{
    (void)state;
    for (int out = -1; out < RESULTS; out++) {
        int at;
        struct text_page *p = report(out, -2, &at);
        look(p, "results", out, at);
    }
}

/* --- two rows given as one --------------------------------------------------------- */

static void two_results_given_as_one_are_told(void **state)
{
    (void)state;
    for (int i = 0; i + 1 < RESULTS; i++) {
        int at;
        struct text_page *p = report(-1, i, &at);
        text_page_look(p);
        assert_int_equal(p->got.doubt[i], COVERAGE_MIXED);
        text_page_free(p);
    }
}

/* The words of both, the amounts of the second. */
static void two_works_given_as_one_are_told(void **state)
{
    (void)state;
    static const char *const work[] = {"Fit brake pads", "Flush coolant",
                                       "Replace wiper"};
    for (int i = 0; i < 2; i++) {
        struct text_page *p = text_page_new();
        p->strict = true;
        text_page_line(p, "10:Work|50:<Hours|65:<Rate|80:<Amount");
        for (int k = 0; k < 3; k++) {
            text_page_linef(p, "10:%s|50:<%d.0|65:<62.00|80:<%d.00", work[k],
                            k + 1, 62 * (k + 1));
            if (k == i) continue;
            text_page_gave(
                p, "{\"work\":\"%s %s\",\"n\":%d,\"rate\":62,\"amount\":%d}",
                k == i + 1 ? work[i] : "", work[k], k + 1, 62 * (k + 1));
        }
        text_page_look(p);
        assert_int_equal(p->got.doubt[i], COVERAGE_MIXED);
        text_page_free(p);
    }
}

TEST_GROUP(coverage_lost, cmocka_unit_test(a_whole_number_among_amounts_is_one),
           cmocka_unit_test(a_row_explains_its_half_of_a_line),
           cmocka_unit_test(few_rows_of_many_columns_tell),
           cmocka_unit_test(two_results_given_as_one_are_told),
           cmocka_unit_test(two_works_given_as_one_are_told))
