/* ink_cut_test.c - rows against ink whose columns stand as close as words. */
#include "tests/unit/stages/ink_paper.h"

#include <stdio.h>

#include "stages/page/print_width.h"

enum { GIVEN = 1, PRINTED = 2, CARD = 4, TOUCH = 8, TEXT_X = 160, ROWS = 24 };
static const double apart = 0.45; /* em: between a date and what is beside it */

static const char *const what[] = {
    "Rent garage",           "Insurance premium", "Kiosk",
    "Library fine and more", "Standing order on", "Workshop"};

/* Where dates begin, so that they end that far before the words. */
static double date_x(const struct paper *p)
{
    return TEXT_X - p->em * (apart + print_width("00.00.0000", p->face));
}

/* Every fifth has no reference; of CARDs each second begins with the same word. */
static void row(struct paper *p, int i, int how)
{
    int day = i % 28 + 1;
    const char *text =
        arena_text(p->arena, "%s%s", how & CARD && i % 2 ? "Card " : "",
                   what[(i * i + i / 3) % 6]);
    const char *reference =
        i % 5 == 3 ? "" : arena_text(p->arena, "R%d", 100 + 37 * i);
    double sum = ((i * 7919) % 100000 + 1) / 100.0 * (i % 3 ? 1 : 10);
    if (how & GIVEN)
        cJSON_AddItemToArray(
            p->rows,
            cJSON_Parse(arena_text(
                p->arena,
                "{\"date\":\"2024-03-%02d\",\"text\":\"%s\",\"reference\":"
                "\"%s\",\"amount\":%.2f}",
                day, text, reference, sum)));
    if (!(how & PRINTED)) return;
    p->line_of[i % ROW_MAX] = p->n_line;
    put(p, date_x(p) + (how & TOUCH ? apart * p->em : 0),
        arena_text(p->arena, "%02d.03.2024", day));
    put(p, TEXT_X, text);
    put(p, 500, reference);
    put(p, -800, arena_text(p->arena, "%.2f", sum));
    next_line(p);
}

static void rows(struct paper *p, int n, int out)
{
    for (int i = 0; i < n; i++)
        row(p, i, i == out ? PRINTED : GIVEN | PRINTED);
}

static void each_row_left_out_is_a_line_without_one(void **state)
{
    (void)state;
    for (int out = 0; out < 2 * ROWS; out++) {
        struct paper *p = paper_new();
        p->face = out < ROWS ? PRINT_SANS : PRINT_SERIF;
        rows(p, ROWS, out % ROWS);
        look(p);
        int missing[] = {p->line_of[out % ROWS], -1};
        assert_found(p, "left out", none, missing);
        assert_true(p->got.table.cut && p->got.dated);
        paper_free(p);
    }
}

/* On a page with few rows no gap recurs. */
static void cells_are_cut_as_on_the_page_before(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    rows(p, ROWS, -1);
    look(p);
    struct ink_table before = p->got.table;
    paper_free(p);
    p = paper_new();
    p->before = before;
    p->aside = 7;
    rows(p, 3, 1);
    look(p);
    int missing[] = {p->line_of[1], -1};
    assert_found(p, "few rows", none, missing);
    paper_free(p);
}

static const char running[] = "which nobody has told before, for "
                              "these are ones of which";

/* Text has a gap where the words of rows begin, and what is before it is as broad as
 * a date: it falls into words itself, or runs on beyond the next column, or there are
 * no sums below. */
static void a_text_with_a_gap_there_is_no_row(void **state)
{
    (void)state;
    static const char *const before[] = {"Fees of the", "Feesofreas",
                                         "Feesofreas"},
                             *const behind[] = {"periods", running, "periods"};
    for (int kind = 0; kind < 3; kind++) {
        struct paper *p = paper_new();
        rows(p, ROWS, -1);
        put(p, date_x(p), before[kind]);
        put(p, TEXT_X, behind[kind]);
        next_line(p);
        if (kind == 2) put(p, date_x(p), "No.");
        if (kind == 2) next_line(p);
        look(p);
        assert_found(p, "a text", none, none);
        paper_free(p);
    }
}

/* Words begin at one place in many rows, and in a letter above them. */
static void what_some_rows_begin_with_is_no_column(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    for (int i = 0; i < 8; i++) {
        put(p, date_x(p), "With this letter we tell you what has gone on");
        next_line(p);
    }
    for (int i = 0; i < ROWS; i++)
        row(p, i, CARD | (i == 7 ? PRINTED : GIVEN | PRINTED));
    look(p);
    int missing[] = {p->line_of[7], -1};
    assert_found(p, "some rows", none, missing);
    paper_free(p);
}

/* Nothing is between dates and words: neither has a column. */
static void a_table_whose_rows_begin_unseen_is_not_silent(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    for (int i = 0; i < ROWS; i++)
        row(p, i, TOUCH | (i == 6 ? PRINTED : GIVEN | PRINTED));
    put(p, TEXT_X, "Carried forward");
    put(p, -800, "321.00");
    next_line(p);
    look(p);
    int missing[] = {p->line_of[6], -1};
    assert_found(p, "touching", none, missing);
    assert_false(p->got.dated);
    paper_free(p);
}

/* The same first word in each row is not a column where none of the values is as
 * broad as it. */
static void words_that_recur_are_no_columns(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    for (int i = 0; i < ROWS; i++) {
        const char *text = what[(i * i + i / 3) % 6];
        put(p, 60, arena_text(p->arena, "%02d.03.2024", i % 28 + 1));
        put(p, TEXT_X, arena_text(p->arena, "Card %s", text));
        put(p, -800, arena_text(p->arena, "%d.50", 7 * i * i + 1));
        next_line(p);
        cJSON_AddItemToArray(p->rows, cJSON_Parse(arena_text(
                                          p->arena,
                                          "{\"date\":\"2024-03-%02d\",\"text\""
                                          ":\"Card %s\",\"amount\":%d.50}",
                                          i % 28 + 1, text, 7 * i * i + 1)));
    }
    look(p);
    assert_found(p, "a word in each row", none, none);
    assert_false(p->got.table.cut);
    paper_free(p);
}

/* Row i, whose number has a figure more from row `grown` on and is as close to the
 * words then as words are. */
static void numbered_row(struct paper *p, int i, int grown)
{
    int number = i < grown ? 10 + i : 100 + i;
    const char *text = arena_text(p->arena, "%s %s", what[(i * i + i / 3) % 6],
                                  what[i * 5 % 7 % 6]);
    double sum = ((i * 7919) % 100000 + 1) / 100.0 * (i % 3 ? 1 : 10);
    cJSON_AddItemToArray(p->rows, cJSON_Parse(arena_text(
                                      p->arena,
                                      "{\"number\":%d,\"text\":\"%s\",\"date\":"
                                      "\"2024-03-%02d\",\"amount\":%.2f}",
                                      number, text, i % 28 + 1, sum)));
    double wide = apart + print_width("000", p->face);
    put(p, TEXT_X - wide * p->em, arena_text(p->arena, "%d", number));
    put(p, TEXT_X, text);
    put(p, 540, arena_text(p->arena, "%02d.03.2024", i % 28 + 1));
    put(p, -800, arena_text(p->arena, "%.2f", sum));
    next_line(p);
}

/* A number grows on the page, or is broader on all of the next one. */
static void numbers_that_grow_up_to_words_are_cells_still(void **state)
{
    (void)state;
    struct paper *p = paper_new();
    for (int i = 0; i < ROWS; i++)
        numbered_row(p, i, ROWS - 6);
    look(p);
    assert_found(p, "grown numbers", none, none);
    paper_free(p);
    p = paper_new();
    for (int i = 0; i < ROWS; i++)
        numbered_row(p, i, ROWS);
    look(p);
    assert_false(p->got.table.cut);
    struct ink_table before = p->got.table;
    paper_free(p);
    p = paper_new();
    p->before = before;
    for (int i = 0; i < ROWS; i++)
        numbered_row(p, i, 10);
    look(p);
    assert_found(p, "grown on the next page", none, none);
    paper_free(p);
}

TEST_GROUP(ink_cut, cmocka_unit_test(each_row_left_out_is_a_line_without_one),
           cmocka_unit_test(cells_are_cut_as_on_the_page_before),
           cmocka_unit_test(a_text_with_a_gap_there_is_no_row),
           cmocka_unit_test(what_some_rows_begin_with_is_no_column),
           cmocka_unit_test(a_table_whose_rows_begin_unseen_is_not_silent),
           cmocka_unit_test(words_that_recur_are_no_columns),
           cmocka_unit_test(numbers_that_grow_up_to_words_are_cells_still))
