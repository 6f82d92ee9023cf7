/* ink_test.c - rows against the ink of pages drawn for it, which nobody reads. */
#include "tests/unit/stages/ink_paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stages/page/print_width.h"
#include "vlm/base/now.h"

enum { GIVEN = 1, PRINTED = 2 };

static const char *const words[] = {"Rent",    "Insurance premium", "Kiosk",
                                    "Library", "Standing order",    "Garage",
                                    "Refund",  "Magazine"};

/* Row i of a statement; every fifth has a second line. */
static void text_of(int i, char *text, size_t room)
{
    snprintf(text, room, "%s %s", words[i % 8], words[(3 * i + 1) % 7]);
}

static double amount_of(int i)
{
    return ((i * 7919) % 100000 + 1) / 100.0 * (i % 3 ? 1 : 10);
}

static void give(struct paper *p, int day, const char *text, int reference,
                 double amount)
{
    cJSON_AddItemToArray(
        p->rows, cJSON_Parse(arena_text(
                     p->arena,
                     "{\"date\":\"2024-03-%02d\",\"text\":\"%s\",\"reference\":"
                     "\"R%d\",\"amount\":%.2f}",
                     day % 28 + 1, text, reference, amount)));
}

static void row(struct paper *p, int i, int how)
{
    char text[80], shown[90], day[16], sum[32];
    text_of(i, text, sizeof text);
    bool two = i % 5 == 4;
    snprintf(shown, sizeof shown, "%s%s", text, two ? " again" : "");
    if (how & GIVEN) give(p, i, shown, 1000 * (i + 1), amount_of(i));
    if (!(how & PRINTED)) return;
    snprintf(day, sizeof day, "%02d.03.2024", i % 28 + 1);
    snprintf(sum, sizeof sum, "%.2f", amount_of(i));
    p->line_of[i % ROW_MAX] = p->n_line;
    put(p, 60, day);
    put(p, 160, text);
    put(p, 500, arena_text(p->arena, "R%d", 1000 * (i + 1)));
    put(p, -800, sum);
    next_line(p);
    if (!two) return;
    put(p, 160, "again");
    next_line(p);
}

static void head(struct paper *p)
{
    put(p, 60, "Statement of account");
    next_line(p);
    put(p, 60, "Date");
    put(p, 160, "Text");
    put(p, 500, "Reference");
    put(p, -800, "Amount");
    fill(p, 60, 800, p->y + 6, p->y + 7);
    next_line(p);
    put(p, 160, "Brought forward");
    put(p, -800, "1234.56");
    next_line(p);
}

static void foot(struct paper *p)
{
    put(p, 160, "Carried forward");
    put(p, -800, "4321.00");
    next_line(p);
}

static void a_faithful_reader_is_believed(void **state)
{
    (void)state;
    enum { SMALL = PRINT_FACES, RULED, CLOSE, KINDS };
    static const char *const kinds[] = {"sans",  "serif", "broad", "even",
                                        "small", "ruled", "close"};
    for (int kind = 0; kind < KINDS; kind++) {
        struct paper *p = paper_new();
        p->close = kind == CLOSE;
        if (kind < PRINT_FACES) p->face = (enum print_face)kind;
        p->em = kind == SMALL ? 11 : 14;
        head(p);
        for (int i = 0; i < 24; i++)
            row(p, i, GIVEN | PRINTED);
        foot(p);
        if (kind == RULED) /* a grid */
            for (int x = 55; x < 820; x += 95)
                if (x == 55 || x == 150) fill(p, x, x + 1, 70, p->y);
        look(p);
        assert_found(p, kinds[kind], none, none);
        paper_free(p);
    }
}

enum { WHOLE, BROKEN, TICKED };

/* A rule as scans have it: some of it is lost, or others begin at its edge. */
static void rule(struct paper *p, int x, int top, int foot, int how)
{
    fill(p, x, x + 1, top, foot);
    for (int y = top; y < foot; y++) {
        uint8_t *at = image_row(&p->image, y) + x;
        if (how == BROKEN && y % 24 == 9) at[0] = 210;
        if (how == TICKED) at[1] = y % 24 == 7 ? 40 : 216;
    }
}

/* The rules of a table end right below its last row. */
static void a_grid_is_no_print(void **state)
{
    (void)state;
    static const int x[] = {52, 152, 492, 810};
    static const char *const kinds[] = {"whole", "broken", "ticked"};
    for (int how = WHOLE; how <= TICKED; how++) {
        struct paper *p = paper_new();
        head(p);
        for (int i = 0; i < 24; i++)
            row(p, i, GIVEN | PRINTED);
        for (int i = 0; i < 4; i++)
            rule(p, x[i], 70, p->y - 24 + 4, how);
        look(p);
        assert_found(p, kinds[how], none, none);
        for (int r = 0; r < 24; r++)
            assert_false(p->got.odd[r]);
        paper_free(p);
    }
}

static void every_row_left_out_is_a_line_without_one(void **state)
{
    (void)state;
    for (int out = 0; out < 24; out++) {
        struct paper *p = paper_new();
        head(p);
        for (int i = 0; i < 24; i++)
            row(p, i, i == out ? PRINTED : GIVEN | PRINTED);
        foot(p);
        look(p);
        int missing[] = {p->line_of[out], -1};
        assert_found(p, "left out", none, missing);
        paper_free(p);
    }
}

static void rows_of_other_pages_stand_on_no_line(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    row(p, 30, GIVEN);
    head(p);
    for (int i = 0; i < 20; i++)
        row(p, i, GIVEN | PRINTED);
    foot(p);
    row(p, 20, GIVEN);
    row(p, 21, GIVEN);
    look(p);
    int nowhere[] = {0, 21, 22, -1};
    assert_found(p, "other pages", nowhere, none);
    paper_free(p);
}

/* Rows that are the same are all kept, as far as each has a line. */
static void twins_have_lines_of_their_own(void **state)
{
    (void)state;
    for (int given = 2; given < 4; given++) {
        struct paper *p = paper_new();
        head(p);
        for (int k = 0; k < given; k++)
            row(p, 0, k < 2 ? GIVEN | PRINTED : GIVEN);
        p->repeated = cJSON_Duplicate(cJSON_GetArrayItem(p->rows, 0), true);
        for (int i = 1; i < 16; i++)
            row(p, i, GIVEN | PRINTED);
        look(p);
        int n = 0;
        for (int r = 0; r < given; r++)
            n += p->got.line_of_row[r] >= 0;
        assert_int_equal(n, 2);
        for (int r = given; r < given + 15; r++)
            assert_true(p->got.line_of_row[r] >= 0);
        paper_free(p);
    }
}

/* Of two rows that would fit the first line, it is not the page before's. */
static void the_row_of_the_page_before_gives_way(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    head(p);
    give(p, 3, "Kiosk Rent", 7000, 12.34);
    give(p, 3, "Kiosk Rent", 8000, 43.21);
    p->repeated = cJSON_Duplicate(cJSON_GetArrayItem(p->rows, 0), true);
    put(p, 60, "04.03.2024");
    put(p, 160, "Kiosk Rent");
    put(p, 500, "R8000");
    put(p, -800, "43.21");
    next_line(p);
    for (int i = 1; i < 16; i++)
        row(p, i, GIVEN | PRINTED);
    look(p);
    int nowhere[] = {0, -1};
    assert_found(p, "gives way", nowhere, none);
    paper_free(p);
}

static void a_row_made_of_two_is_odd(void **state)
{
    (void)state;
    static const char *const text[] = {"Standing order Garage Kiosk",
                                       "Rent Insuranc pre"};
    for (int kind = 0; kind < 2; kind++) {
        struct paper *p = paper_new();
        head(p);
        row(p, 0, PRINTED);
        give(p, 0, text[kind], 1000, amount_of(0));
        for (int i = 1; i < 16; i++)
            row(p, i, GIVEN | PRINTED);
        look(p);
        assert_true(p->got.trusted);
        assert_int_equal(p->got.line_of_row[0], p->line_of[0]);
        for (int r = 0; r < 16; r++)
            assert_int_equal(p->got.odd[r], r == 0);
        paper_free(p);
    }
}

static void few_rows_are_helped_by_the_page_before(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    head(p);
    for (int i = 0; i < 20; i++)
        row(p, i, GIVEN | PRINTED);
    look(p);
    struct ink_table before = p->got.table;
    paper_free(p);
    p = paper_new();
    p->before = before;
    p->aside = 9; /* the sheet lay otherwise */
    row(p, 30, GIVEN);
    head(p);
    row(p, 1, GIVEN | PRINTED);
    row(p, 2, PRINTED);
    row(p, 3, GIVEN | PRINTED);
    look(p);
    int nowhere[] = {0, -1}, missing[] = {p->line_of[2], -1};
    assert_found(p, "few", nowhere, missing);
    paper_free(p);
}

/* The last word of the row before is as broad as that of the first one here. */
static void a_row_begins_where_its_first_values_stand(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    head(p);
    for (int i = 0; i < 24; i++)
        row(p, i, GIVEN | PRINTED);
    look(p);
    struct ink_table before = p->got.table;
    paper_free(p);
    p = paper_new();
    p->before = before;
    put(p, 160, "again");
    next_line(p);
    for (int i = 4; i < 20; i++)
        row(p, i, GIVEN | PRINTED);
    look(p);
    assert_true(p->got.trusted);
    for (int i = 4; i < 20; i++)
        assert_int_equal(p->got.line_of_row[i - 4], p->line_of[i]);
    paper_free(p);
}

/* A row whose sum has so many digits. */
static void row_of(struct paper *p, int i, double sum)
{
    char text[80];
    text_of(i, text, sizeof text);
    give(p, i, text, 1000 * (i + 1), sum);
    put(p, 60, arena_text(p->arena, "%02d.03.2024", i % 28 + 1));
    put(p, 160, text);
    put(p, 500, arena_text(p->arena, "R%d", 1000 * (i + 1)));
    put(p, -800, arena_text(p->arena, "%.2f", sum));
    next_line(p);
}

/* Sums of as many digits begin below each other, too, but only on that page. */
static void sums_end_below_each_other(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    head(p);
    for (int i = 0; i < 16; i++)
        row_of(p, i, 100.5 + 7 * i);
    look(p);
    assert_found(p, "as many digits", none, none);
    struct ink_table before = p->got.table;
    paper_free(p);
    p = paper_new();
    p->before = before;
    head(p);
    for (int i = 0; i < 4; i++)
        row_of(p, i, i % 2 ? -45.25 : 1.5);
    look(p);
    assert_found(p, "other digits", none, none);
    paper_free(p);
}

/* A second table has too few rows to find the size of its print. */
static void few_rows_are_helped_by_another_table(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    for (int i = 0; i < 3; i++)
        row(p, i, GIVEN | PRINTED);
    row(p, 3, GIVEN);
    look(p);
    assert_false(p->got.trusted);
    struct ink_table other = {.letters = p->em / p->sheet.letter};
    struct ink_given given = {.rows = p->rows, .told = &other};
    ink_find(&p->sheet, &given, p->arena, &p->got);
    int nowhere[] = {3, -1};
    assert_found(p, "another table", nowhere, none);
    paper_free(p);
}

/* What is printed in ways that nobody knows says nothing against a reader. */
static void few_rows_tell_where_all_of_them_fit(void **state)
{
    (void)state;
    for (int n = 4; n < 7; n++)
        for (int out = 1; out < n - 1; out++) {
            struct paper *p = paper_new();
            p->strict = true;
            head(p);
            for (int i = 0; i < n; i++)
                row(p, i, i == out ? PRINTED : GIVEN | PRINTED);
            foot(p);
            look(p);
            ink_keep_between(&p->sheet, &p->got);
            int missing[] = {p->line_of[out], -1};
            assert_found(p, "few rows", none, missing);
            paper_free(p);
        }
}

/* What stands above the rows may be their head; and below them, where they look like
 * much else, a sum. */
static void what_stands_between_rows_is_one(void **state)
{
    (void)state;
    for (int firm = 0; firm < 2; firm++) {
        struct paper *p = paper_new();
        head(p);
        for (int i = 0; i < 12; i++)
            row(p, i, i % 11 == 0 || i == 4 ? PRINTED : GIVEN | PRINTED);
        look(p);
        p->got.firm = firm;
        ink_keep_between(&p->sheet, &p->got);
        int missing[] = {p->line_of[4], -1};
        int below[] = {p->line_of[4], p->line_of[11], -1};
        assert_found(p, "between", none, firm ? below : missing);
        paper_free(p);
    }
}

static void a_head_is_known_by_its_words(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    head(p);
    for (int i = 0; i < 8; i++)
        row(p, i, GIVEN | PRINTED);
    fill(p, 5, 40, 56, 64); /* a mark beside it */
    look(p);
    const struct ink_table *t = &p->got.table;
    assert_int_equal(ink_head_line(&p->sheet, "Date Text Reference Amount", t),
                     1);
    assert_int_equal(ink_head_line(&p->sheet, "Day Purpose Sum of it", t), -1);
    assert_int_equal(ink_head_line(&p->sheet, "", t), -1);
    paper_free(p);
}

/* One cell is as broad as two of the head's words; they stand elsewhere in it. */
static void what_is_as_broad_as_a_head_is_none(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    p->em = 18; /* so that letters stand closer than words */
    head(p);
    for (int i = 0; i < 8; i++)
        row(p, i, GIVEN | PRINTED);
    put(p, 60, "Refund of ten");
    put(p, 500, "Abcdefghi");
    put(p, -800, "Refund");
    next_line(p);
    look(p);
    const struct ink_table *t = &p->got.table;
    assert_int_equal(
        ink_head_line(&p->sheet, "old Insurance Abcdefghi Refund", t), -1);
    assert_true(ink_head_line(&p->sheet, "Refund of ten Abcdefghi Refund", t) >
                8);
    paper_free(p);
}

/* The rest of a row from the page before, and as many rows of this one; the last of
 * them is printed alone. */
static void look_at_short_page(struct ink_table *table, int n, bool all)
{
    struct paper *p = paper_new();
    p->before = *table;
    p->rest = n < 20;
    head(p);
    if (p->rest) {
        cJSON_AddItemToArray(p->rows, cJSON_Parse("{\"date\":null,\"text\":"
                                                  "\"Garage\",\"reference\":"
                                                  "null,\"amount\":null}"));
        put(p, 160, "Garage");
        next_line(p);
    }
    for (int i = 0; i < n; i++)
        row(p, i, i + 1 < n || all ? GIVEN | PRINTED : PRINTED);
    look(p);
    int missing[] = {p->line_of[n - 1], -1};
    assert_found(p, "a short page", none, all ? none : missing);
    *table = p->got.table;
    paper_free(p);
}

/* However many pages begin with one. */
static void rests_do_not_tell_how_rows_begin(void **state)
{
    (void)state;
    struct ink_table table = {.n_row = 0};
    look_at_short_page(&table, 20, true);
    for (int page = 0; page < 4; page++)
        look_at_short_page(&table, 4, true);
    assert_int_equal(table.n_row, 36);
    look_at_short_page(&table, 4, false);
}

static void a_date_tells_a_row_however_broad_its_words(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    head(p);
    for (int i = 0; i < 24; i++) {
        row(p, i, GIVEN | PRINTED);
        if (i != 12) continue;
        put(p, 60, "14.03.2024");
        put(p, 160, "Insurance premium Library Standing order Kiosk");
        put(p, 500, "R7000");
        put(p, -800, "12.34");
        next_line(p);
    }
    look(p);
    int missing[] = {p->line_of[12] + 1, -1};
    assert_found(p, "broad words", none, missing);
    paper_free(p);
}

static void print_that_does_not_fit_is_not_believed(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    head(p);
    for (int i = 0; i < 24; i++) {
        row(p, i, GIVEN);
        put(p, 60, i % 2 ? "ix" : "ixxviiixxi");
        put(p, 160, words[(5 * i + 2) % 8]);
        next_line(p);
    }
    look(p);
    assert_false(p->got.trusted);
    paper_free(p);
}

static void an_empty_page_says_nothing(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    for (int i = 0; i < 8; i++)
        row(p, i, GIVEN);
    look(p);
    assert_int_equal(p->sheet.n_line, 0);
    assert_false(p->got.trusted);
    paper_free(p);
}

static void a_page_takes_little_time(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    head(p);
    for (int i = 0; i < 36; i++)
        row(p, i, GIVEN | PRINTED);
    double since = now_seconds();
    look(p);
    double took = now_seconds() - since;
    if (took > 2) fail_msg("%g s", took); /* 0.1 s where measured */
    paper_free(p);
}

static void values_have_widths_in_all_their_forms(void **state)
{
    (void)state;
    double width[PRINT_FORMS];
    cJSON *number = cJSON_CreateNumber(-1234.5);
    cJSON *date = cJSON_CreateString("2024-05-06");
    assert_int_equal(print_width_forms(number, PRINT_SANS, true, width), 4);
    assert_true(fabs(width[0] - print_width("-1,234.50", PRINT_SANS)) < 1e-9);
    assert_true(fabs(width[3] - print_width("1234.50", PRINT_SANS)) < 1e-9);
    cJSON_SetNumberValue(number, 12);
    assert_int_equal(print_width_forms(number, PRINT_SANS, true, width), 4);
    assert_true(fabs(width[0] - print_width("12.00", PRINT_SANS)) < 1e-9);
    assert_int_equal(print_width_forms(number, PRINT_SANS, false, width), 8);
    assert_true(fabs(width[0] - print_width("12.00", PRINT_SANS)) < 1e-9);
    assert_true(fabs(width[PRINT_WHOLE] - print_width("12", PRINT_SANS)) <
                1e-9);
    assert_int_equal(print_width_forms(date, PRINT_SANS, false, width), 6);
    assert_true(fabs(width[4] - print_width("06 May 2024", PRINT_SANS)) < 1e-9);
    assert_true(fabs(print_width("\xc3\xa9", PRINT_EVEN) - 0.6) < 1e-9);
    cJSON_SetNumberValue(number, 1e300);
    assert_int_equal(print_width_forms(number, PRINT_SANS, true, width), 0);
    cJSON_Delete(number);
    cJSON_Delete(date);
}

static void letters_of_other_scripts_have_widths_of_their_own(void **state)
{
    (void)state;
    /* summed by FreeType over Liberation Sans, Serif and DejaVu Sans */
    static const struct {
        const char *text;
        double width[PRINT_EVEN];
    } rows[] = {
        {"\u00dcbergr\u00f6\u00dfe", {4.779, 4.276, 5.296}},
        {"\u0395\u03bb\u03bb\u03ac\u03b4\u03b1", {3.38, 3.1, 3.746}},
        {"\u0425\u043b\u0435\u0431", {2.38, 2.174, 2.556}},
        {"\u0141\u00f3d\u017a \u2013 \u201cx\u201d", {4.446, 4.443, 5.098}},
        {"e\u0301", {0.556, 0.444, 0.615}},     /* its accent apart */
        {"\u65e5\u672c", {2, 2, 2}},            /* wide */
        {"\u0e01\u0e34", {0.556, 0.5, 0.636}}}; /* a vowel above */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (enum print_face face = PRINT_SANS; face < PRINT_EVEN; face++)
            if (fabs(print_width(rows[i].text, face) - rows[i].width[face]) >
                1e-9)
                fail_msg("%s: %g em, not %g", rows[i].text,
                         print_width(rows[i].text, face), rows[i].width[face]);
}

TEST_GROUP(ink, cmocka_unit_test(a_faithful_reader_is_believed),
           cmocka_unit_test(a_grid_is_no_print),
           cmocka_unit_test(every_row_left_out_is_a_line_without_one),
           cmocka_unit_test(rows_of_other_pages_stand_on_no_line),
           cmocka_unit_test(twins_have_lines_of_their_own),
           cmocka_unit_test(the_row_of_the_page_before_gives_way),
           cmocka_unit_test(a_row_made_of_two_is_odd),
           cmocka_unit_test(few_rows_are_helped_by_the_page_before),
           cmocka_unit_test(a_row_begins_where_its_first_values_stand),
           cmocka_unit_test(sums_end_below_each_other),
           cmocka_unit_test(few_rows_are_helped_by_another_table),
           cmocka_unit_test(few_rows_tell_where_all_of_them_fit),
           cmocka_unit_test(what_stands_between_rows_is_one),
           cmocka_unit_test(a_head_is_known_by_its_words),
           cmocka_unit_test(what_is_as_broad_as_a_head_is_none),
           cmocka_unit_test(rests_do_not_tell_how_rows_begin),
           cmocka_unit_test(a_date_tells_a_row_however_broad_its_words),
           cmocka_unit_test(print_that_does_not_fit_is_not_believed),
           cmocka_unit_test(an_empty_page_says_nothing),
           cmocka_unit_test(a_page_takes_little_time),
           cmocka_unit_test(values_have_widths_in_all_their_forms),
           cmocka_unit_test(letters_of_other_scripts_have_widths_of_their_own))
