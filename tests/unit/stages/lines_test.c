/* lines_test.c - lines of print from words and from ink. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stages/page/page_view.h"
#include "stages/page/text_lines.h"
#include "stages/pixels/rotate90.h"
#include "vlm/base/buf.h"
#include "vlm/base/clock.h"

/* A page under way: letters are 0.01 wide and 0.012 high on a square page. */
struct sheet_of_words {
    struct arena *arena;
    struct word word[8192];
    struct words words;
};

static void begin(struct sheet_of_words *s)
{
    s->arena = arena_new();
    s->words = (struct words){.word = s->word, .aspect = 1};
}

static void put(struct sheet_of_words *s, double x, double y, const char *text)
{
    s->word[s->words.n_word++] = (struct word){x,
                                               y,
                                               0.01 * (double)strlen(text),
                                               0.012,
                                               arena_text(s->arena, "%s", text),
                                               1};
}

/* Text and parts of every line: "a b|2". */
static void assert_these(struct sheet_of_words *s,
                         const struct text_lines *lines, const char *wanted)
{
    struct buf got = buf_limit(1 << 16);
    for (int i = 0; i < lines->n_line; i++)
        buf_print(&got, "%s|%d\n", lines->line[i].text, lines->line[i].n_part);
    assert_string_equal(got.data ? got.data : "", wanted);
    buf_free(&got);
    arena_free(s->arena);
}

static void assert_lines(struct sheet_of_words *s, const char *wanted)
{
    struct text_lines lines;
    text_lines_of_words(&s->words, s->arena, &lines);
    assert_these(s, &lines, wanted);
}

/* The same of lines in the order of reading. */
static void assert_upright(struct sheet_of_words *s, const char *wanted)
{
    struct text_lines lines;
    text_lines_of_upright(&s->words, s->arena, &lines);
    assert_these(s, &lines, wanted);
}

static void rows_of_a_table_are_lines(void **state)
{
    (void)state;
    struct sheet_of_words s;
    begin(&s);
    /* as poppler orders them: a column after the other */
    for (int i = 0; i < 3; i++)
        put(&s, 0.1, 0.1 + 0.02 * i, "date");
    for (int i = 0; i < 3; i++) {
        put(&s, 0.3, 0.101 + 0.02 * i, "some");
        put(&s, 0.345, 0.101 + 0.02 * i, "text");
    }
    put(&s, 0.8, 0.1, "1.00");
    put(&s, 0.8, 0.14, "3.00");
    assert_lines(&s, "date some text 1.00|3\ndate some text|2\n"
                     "date some text 3.00|3\n");
}

/* A directory of members: its heading is printed twice, and the rows below it
 * are those of the first half, then of the second, up to a line across both. */
static void tables_side_by_side_are_read_one_after_the_other(void **state)
{
    (void)state;
    struct sheet_of_words s;
    begin(&s);
    put(&s, 0.1, 0.06, "members of the club");
    for (int half = 0; half < 2; half++) {
        double x = 0.1 + 0.4 * half;
        put(&s, x, 0.1, "Name");
        put(&s, x + 0.2, 0.1, "Phone");
        put(&s, x, 0.12, half ? "Carla" : "Anna");
        put(&s, x + 0.2, 0.12, half ? "303" : "101");
        put(&s, x, 0.14, half ? "Dario" : "Bruno");
        put(&s, x + 0.2, 0.14, half ? "404" : "202");
    }
    put(&s, 0.1, 0.16, "of");
    put(&s, 0.125, 0.16, "all-the-members-there-are-and-will-be-later-on");
    put(&s, 0.1, 0.18, "left");
    put(&s, 0.5, 0.18, "right");
    assert_upright(&s, "members of the club|1\n"
                       "Name Phone|2\nAnna 101|2\nBruno 202|2\n"
                       "Name Phone|2\nCarla 303|2\nDario 404|2\n"
                       "of all-the-members-there-are-and-will-be-later-on|1\n"
                       "left right|2\n");
}

/* One word that repeats is no heading, nor are other words. */
static void what_does_not_repeat_stays_one_table(void **state)
{
    (void)state;
    static const char *const heading[][4] = {{"Name", "", "Name", ""},
                                             {"Name", "Phone", "Name", "Fax"}};
    static const char *const wanted[] = {
        "Name Name|2\nAnna 101 Carla 303|4\n",
        "Name Phone Name Fax|4\nAnna 101 Carla 303|4\n"};
    static const char *const below[] = {"Anna", "101", "Carla", "303"};
    for (int i = 0; i < 2; i++) {
        struct sheet_of_words s;
        begin(&s);
        for (int k = 0; k < 4; k++)
            if (*heading[i][k]) put(&s, 0.1 + 0.2 * k, 0.1, heading[i][k]);
        for (int k = 0; k < 4; k++)
            put(&s, 0.1 + 0.2 * k, 0.12, below[k]);
        assert_upright(&s, wanted[i]);
    }
}

/* "2025 2024 2025 2024" and "Debit Credit Debit Credit" head one table, whose rows
 * begin with a label; words that overlap at a gap, dashes, and units head none. */
static void a_heading_that_repeats_can_be_that_of_one_table(void **state)
{
    (void)state;
    static const char *const head[][2] = {
        {"Debit", "Credit"}, {"2025", "2024"}, {"---", "---"}, {"mm", "mm"}};
    for (int i = 0; i < 4; i++) {
        struct sheet_of_words s;
        struct text_lines lines;
        begin(&s);
        for (int k = 0; k < 4; k++)
            put(&s, 0.3 + 0.15 * k, 0.1, head[i][k % 2]);
        for (int row = 1; row < 4; row++) {
            put(&s, i ? 0.3 : 0.1, 0.1 + 0.02 * row, "Sales");
            for (int k = i > 0; k < 4; k++)
                put(&s, 0.3 + 0.15 * k, 0.1 + 0.02 * row, "100");
        }
        text_lines_of_upright(&s.words, s.arena, &lines);
        assert_int_equal(lines.n_line, 4);
        arena_free(s.arena);
    }
    struct sheet_of_words s;
    struct text_lines lines;
    begin(&s);
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < 4; k++)
            put(&s, 0.1 + 0.2 * k, 0.1 + 0.02 * row, k % 2 ? "Fax" : "Name");
    s.word[1].w = 0.25; /* it reaches into the second half */
    text_lines_of_upright(&s.words, s.arena, &lines);
    assert_in_range(lines.n_line, 4, 8);
    arena_free(s.arena);
}

#define TWO_ROWS                                     \
    "description of what was delivered 1,234.56|2\n" \
    "description of what was delivered 12.50 1,234.56|3\n"

/* A table on a page that is askew: a line at its right is as high as another at
 * its left. Words are long, so that their boxes are much higher than they are. */
static void a_page_askew_has_the_same_lines(void **state)
{
    (void)state;
    for (int degrees = -5; degrees <= 5; degrees++) {
        struct sheet_of_words s;
        begin(&s);
        s.words.aspect = M_SQRT1_2;
        s.words.skew_degrees = degrees;
        for (int i = 0; i < 10; i++) {
            double y = 0.1 + 0.018 * i;
            put(&s, 0.1, y, "description");
            put(&s, 0.218, y, "of what was delivered");
            if (i % 2) put(&s, 0.6, y, "12.50");
            put(&s, 0.85, y, "1,234.56");
        }
        text_lines_skew_words(&s.words);
        assert_lines(&s, TWO_ROWS TWO_ROWS TWO_ROWS TWO_ROWS TWO_ROWS);
    }
}

/* Turns the page's words on their side, up or down. */
static void lay_on_side(struct sheet_of_words *s, bool up)
{
    s->words.aspect = 1 / s->words.aspect;
    for (int i = 0; i < s->words.n_word; i++) {
        struct word w = s->word[i];
        s->word[i].x = up ? w.y : 1 - w.y - w.h;
        s->word[i].y = up ? 1 - w.x - w.w : w.x;
        s->word[i].w = w.h;
        s->word[i].h = w.w;
    }
}

static void a_page_on_its_side_has_lines(void **state)
{
    (void)state;
    for (int up = 0; up < 2; up++) {
        struct sheet_of_words s;
        struct text_lines lines;
        begin(&s);
        s.words.aspect = M_SQRT1_2;
        put(&s, 0.1, 0.1, "Northwind");
        put(&s, 0.195, 0.1, "Paper");
        put(&s, 0.8, 0.2, "Amount"); /* a column after the other */
        put(&s, 0.8, 0.22, "1,234.56");
        put(&s, 0.1, 0.2, "Quantity");
        put(&s, 0.1, 0.22, "12");
        lay_on_side(&s, up);
        text_lines_of_upright(&s.words, s.arena, &lines);
        struct word *last = &s.words.word[s.words.n_word - 1];
        struct box box = rotate90_back(
            (struct box){last->x, last->y, last->w, last->h}, lines.quarters);
        assert_int_equal(lines.n_line, 3);
        assert_true(fabs(box.x - lines.line[2].x) < 1e-9);
        assert_true(fabs(box.y - lines.line[2].y) < 1e-9);
        assert_string_equal(lines.line[0].text, "Northwind Paper");
        assert_string_equal(lines.line[1].text, "Quantity Amount");
        assert_string_equal(lines.line[2].text, "12 1,234.56");
        assert_int_equal(lines.line[2].n_part, 2);
        assert_false(lines.line[2].turned);
        arena_free(s.arena);
    }
}

static void a_page_upside_down_has_lines(void **state)
{
    (void)state;
    struct sheet_of_words s;
    struct text_lines lines;
    begin(&s);
    s.words.aspect = M_SQRT1_2;
    s.words.turns = 2;
    put(&s, 0.1, 0.1, "Northwind");
    put(&s, 0.195, 0.1, "Paper");
    put(&s, 0.1, 0.2, "Total");
    put(&s, 0.8, 0.2, "1,234.56");
    for (int i = 0; i < s.words.n_word; i++) {
        struct word *w = &s.word[i];
        w->x = 1 - w->x - w->w;
        w->y = 1 - w->y - w->h;
    }
    text_lines_of_upright(&s.words, s.arena, &lines);
    assert_int_equal(lines.n_line, 2);
    assert_int_equal(lines.quarters, 2);
    assert_string_equal(lines.line[0].text, "Northwind Paper");
    assert_string_equal(lines.line[1].text, "Total 1,234.56");
    assert_true(fabs(lines.line[1].x - 0.1) < 1e-9);
    arena_free(s.arena);
}

/* As a browser sets a table: lines as far apart as they are high, and what is in a
 * cell of one line at half the height of the cell of two beside it. */
static void what_stands_between_two_lines_is_on_the_upper_one(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        struct sheet_of_words s;
        double y = 0.1 + 0.0017 * i, tiny = (i % 3 - 1) * 2e-6;
        begin(&s);
        put(&s, 0.3, y, "some");
        put(&s, 0.3, y + 0.012, "more");
        put(&s, 0.1, y + 0.006 + tiny, "date");
        put(&s, 0.8, y + 0.006 - tiny, "1.00");
        assert_lines(&s, "date some 1.00|3\nmore|1\n");
    }
}

/* Type of one width, whose spaces are as wide as its letters, which are wide. */
static void words_a_letter_apart_are_one_cell(void **state)
{
    (void)state;
    struct sheet_of_words s;
    begin(&s);
    put(&s, 0.1, 0.1, "Mallet");
    put(&s, 0.17, 0.1, "from");
    put(&s, 0.22, 0.1, "beech");
    put(&s, 0.5, 0.1, "36.00");
    assert_lines(&s, "Mallet from beech 36.00|2\n");
    begin(&s);
    /* boxes of the ink */
    put(&s, 0.1, 0.1, "Mallet");
    put(&s, 0.17, 0.1, "20");
    put(&s, 0.5, 0.1, "36.00");
    for (int i = 0; i < s.words.n_word; i++) {
        s.word[i].x += 0.001;
        s.word[i].w -= 0.002;
    }
    assert_lines(&s, "Mallet 20 36.00|2\n");
}

static void lines_askew_are_followed(void **state)
{
    (void)state;
    struct sheet_of_words s;
    begin(&s);
    /* 1 degree: a line of 80 words falls by more than its own pitch */
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < 16; i++)
            put(&s, 0.05 * i, 0.1 + 0.0155 * row + 0.05 * i * 0.0175, "abcd");
    struct text_lines lines;
    text_lines_of_words(&s.words, s.arena, &lines);
    assert_int_equal(lines.n_line, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(lines.line[i].n_word, 16);
    arena_free(s.arena);
}

static void what_is_tall_or_turned_joins_no_lines(void **state)
{
    (void)state;
    struct sheet_of_words s;
    begin(&s);
    put(&s, 0.05, 0.1, "margin");
    s.word[0].w = 0.012;
    s.word[0].h = 0.2; /* up the page */
    put(&s, 0.1, 0.1, "LOGO");
    s.word[1].h = 0.1;
    for (int i = 0; i < 3; i++)
        put(&s, 0.3, 0.1 + 0.02 * i, "text");
    put(&s, 0.345, 0.097, "2"); /* raised, smaller */
    s.word[5].h = 0.008;
    put(&s, 0.36, 0.1, "end");
    assert_lines(&s, "text 2 end|1\ntext|1\ntext|1\nLOGO|1\nmargin|1\n");
}

static void no_words_are_no_lines(void **state)
{
    (void)state;
    struct sheet_of_words s;
    begin(&s);
    struct text_lines lines;
    text_lines_of_words(&s.words, s.arena, &lines);
    assert_int_equal(lines.n_line, 0);
    assert_false(lines.has_text);
    arena_free(s.arena);
}

static void many_words_take_little_time(void **state)
{
    (void)state;
    struct sheet_of_words s;
    begin(&s);
    for (int row = 0; row < 80; row++)
        for (int i = 0; i < 16; i++)
            put(&s, 0.06 * i, 0.012 * row, "abcd");
    struct text_lines lines;
    double since = clock_seconds();
    text_lines_of_words(&s.words, s.arena, &lines);
    assert_true(clock_seconds() - since <
                0.1); /* 0.3 ms where it was measured */
    assert_int_equal(lines.n_line, 80);
    arena_free(s.arena);
}

static void fill(struct image *page, int x, int y, int w, int h, uint8_t grey)
{
    for (int row = y; row < y + h; row++)
        for (int i = x * page->n_channel; i < (x + w) * page->n_channel; i++)
            image_row(page, row)[i] = grey;
}

/* Letters of 8 x 14 px, with a hole, a dot here and there. */
static void write_word(struct image *page, int x, int y, int n)
{
    for (int i = 0; i < n; i++, x += 11) {
        fill(page, x, y, 8, 14, 40);
        fill(page, x + 2, y + 3, 4, 5, 230);
    }
    fill(page, x, y + 12, 2, 2, 40);
}

static void paint_table(struct image *page, int channels)
{
    struct err err = {0};
    *page = image_new(1100, 800, channels, &err);
    test_ok(&err);
    fill(page, 0, 0, 1100, 800, 235);
    for (int row = 0; row < 20; row++) {
        int y = 100 + 30 * row;
        fill(page, 90, y - 8, 900, 2, 60); /* a rule above each row */
        write_word(page, 100, y, 8);
        write_word(page, 300, y, 5);
        write_word(page, 364, y, 7);
        if (row != 7) write_word(page, 900, y, 6);
    }
    for (int x = 90; x <= 990; x += 300) /* and beside its cells */
        fill(page, x, 92, 2, 600, 60);
    fill(page, 10, 10, 60, 60, 20); /* a picture, specks */
    for (int i = 0; i < 500; i++)
        fill(page, (i * 7919) % 1090, (i * 104729) % 790, 1, 1, 90);
}

static void ink_gives_the_same_lines(void **state)
{
    (void)state;
    for (int channels = 1; channels <= 3; channels += 2) {
        struct image page;
        struct text_lines lines;
        struct err err = {0};
        struct arena *arena = arena_new();
        paint_table(&page, channels);
        text_lines_of_ink(&page, 0, arena, &lines, &err);
        test_ok(&err);
        assert_false(lines.has_text);
        assert_int_equal(lines.n_line, 20);
        for (int i = 0; i < 20; i++) {
            assert_int_equal(lines.line[i].n_part, i == 7 ? 2 : 3);
            assert_true(fabs(lines.line[i].y * 800 - (100 + 30 * i)) <= 2);
            assert_true(fabs(lines.line[i].part_x[1] * 1100 - 300) <= 2);
        }
        image_free(&page);
        arena_free(arena);
    }
}

/* A broad pen's mark is darker than the page around it, and print on it darker. */
static void print_on_a_mark_is_seen(void **state)
{
    (void)state;
    for (int grey = 120; grey <= 230; grey += 10) {
        struct image page;
        struct text_lines lines;
        struct err err = {0};
        struct arena *arena = arena_new();
        page = image_new(1100, 800, 1, &err);
        test_ok(&err);
        fill(&page, 0, 0, 1100, 800, 240);
        fill(&page, 60, 305, 700, 24, (uint8_t)grey); /* not all of row 7 */
        for (int row = 0; row < 20; row++) {
            write_word(&page, 100, 100 + 30 * row, 8);
            write_word(&page, 300, 100 + 30 * row, 5);
            write_word(&page, 900, 100 + 30 * row, 6);
        }
        text_lines_of_ink(&page, 0, arena, &lines, &err);
        test_ok(&err);
        assert_int_equal(lines.n_line, 20);
        assert_true(lines.line[7].n_part >= 3);
        image_free(&page);
        arena_free(arena);
    }
}

static int count_lines(const struct image *page)
{
    struct err err = {0};
    struct arena *arena = arena_new();
    struct page_view *view = page_view_new(page, false, arena, &err);
    int n = page_view_n_line(view, &err);
    test_ok(&err);
    page_view_close(view);
    arena_free(arena);
    return n;
}

/* Twelve lines of words among specks; turned by a quarter they are still some. */
static void lines_of_print_are_counted(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        struct err err = {0};
        struct image page = image_new(800, 800, 1, &err);
        test_ok(&err);
        fill(&page, 0, 0, 800, 800, 250);
        for (int row = 0; row < 12; row++)
            write_word(&page, 100, 100 + 30 * row, 8);
        fill(&page, 500, 600, 6, 8, 0);
        fill(&page, 300, 700, 6, 8, 0);
        if (turned) rotate90_turn(&page, 1, &err);
        int n = count_lines(&page);
        assert_true(turned ? n > 0 : n == 12);
        test_ok(&err);
        fill(&page, 0, 0, 800, 800, 250);
        assert_int_equal(count_lines(&page), 0);
        image_free(&page);
    }
}

static void an_empty_page_has_no_lines_of_ink(void **state)
{
    (void)state;
    struct err err = {0};
    struct text_lines lines;
    struct arena *arena = arena_new();
    struct image page = image_new(300, 200, 1, &err);
    memset(page.data, 250, page.stride_bytes * 200);
    text_lines_of_ink(&page, 0, arena, &lines, &err);
    test_ok(&err);
    assert_int_equal(lines.n_line, 0);
    image_free(&page);
    arena_free(arena);
}

TEST_GROUP(lines, cmocka_unit_test(rows_of_a_table_are_lines),
           cmocka_unit_test(tables_side_by_side_are_read_one_after_the_other),
           cmocka_unit_test(a_heading_that_repeats_can_be_that_of_one_table),
           cmocka_unit_test(what_does_not_repeat_stays_one_table),
           cmocka_unit_test(a_page_askew_has_the_same_lines),
           cmocka_unit_test(a_page_on_its_side_has_lines),
           cmocka_unit_test(a_page_upside_down_has_lines),
           cmocka_unit_test(what_stands_between_two_lines_is_on_the_upper_one),
           cmocka_unit_test(words_a_letter_apart_are_one_cell),
           cmocka_unit_test(lines_askew_are_followed),
           cmocka_unit_test(what_is_tall_or_turned_joins_no_lines),
           cmocka_unit_test(no_words_are_no_lines),
           cmocka_unit_test(many_words_take_little_time),
           cmocka_unit_test(ink_gives_the_same_lines),
           cmocka_unit_test(print_on_a_mark_is_seen),
           cmocka_unit_test(lines_of_print_are_counted),
           cmocka_unit_test(an_empty_page_has_no_lines_of_ink))
