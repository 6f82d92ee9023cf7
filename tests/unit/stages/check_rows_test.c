/* check_rows_test.c - lines that OCR misread, beside the rows that were
 * given. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/long/check_rows.h"
#include "stages/page/text_lines.h"
#include "vlm/json/json.h"

enum { LINES = 3, LETTER_PER_PAGE = 100 };

/* Lines of words below one another. */
static struct page_table table_of(const char *const *text, struct arena *arena)
{
    static struct word word[64];
    struct words words = {.word = word, .aspect = 1};
    for (int l = 0; l < LINES; l++) {
        char *copy = arena_text(arena, "%s", text[l]), *rest = NULL;
        double x = 0.05;
        for (char *w = strtok_r(copy, " ", &rest); w;
             w = strtok_r(NULL, " ", &rest)) {
            double wide = (double)strlen(w) / LETTER_PER_PAGE;
            word[words.n_word++] =
                (struct word){x, 0.1 + 0.03 * l, wide, 0.012, w, 1};
            x += wide + 0.005;
        }
    }
    struct text_lines lines;
    struct page_table table;
    text_lines_of_words(&words, arena, &lines);
    page_table_of_lines(&lines, arena, &table);
    return table;
}

static cJSON *entry_of(const char *row)
{
    struct err err = {0};
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddItemToObject(entry, "row", json_parse(span_of(row), &err));
    test_ok(&err);
    return entry;
}

/* Is line 1 the second line of row 0, which was found on line 0 alone? */
static bool is_of_row(const char *const *text, const char *row,
                      const char *late)
{
    struct arena *arena = arena_new();
    struct page_table table = table_of(text, arena);
    cJSON *rows = cJSON_CreateArray(), *given = late ? entry_of(late) : NULL;
    int line_of_row[] = {0}, row_of_line[LINES] = {0, -1, -1};
    assert_int_equal(table.n_line, LINES);
    cJSON_AddItemToArray(rows, entry_of(row));
    struct row_check s = {.table = &table, .entries = &rows, .arena = arena};
    s.found[0].line_of_row = line_of_row;
    s.found[0].row_of_line = row_of_line;
    bool is = check_rows_is_of_row(&s, 0, 1, given);
    cJSON_Delete(rows);
    cJSON_Delete(given);
    arena_free(arena);
    return is;
}

static const char two_lines[] =
    "{\"date\":\"2024-03-30\",\"text\":\"Grocery to Card payment\","
    "\"reference\":\"R8707483\",\"amount\":-403.73,\"balance\":-45149.81}";

static void a_misread_second_line_is_its_row_s(void **state)
{
    (void)state;
    static const char *const text[] = {
        "30.03.2024 Grocery to R8707483",
        "a Im itl Crd paymnt -403.73 -45,149.81",
        "31.03.2024 Phone R5104093 -323.27 -45,473.08"};
    assert_true(is_of_row(text, two_lines, NULL));
    assert_true(is_of_row(text, two_lines, two_lines));
    assert_true(is_of_row(text, two_lines,
                          "{\"text\":\"Card payment\","
                          "\"amount\":-403.73}"));
}

static void a_line_that_says_something_else_is_a_row(void **state)
{
    (void)state;
    static const char *const text[] = {
        "30.03.2024 Grocery to R8707483",
        "a Im itl Crd paymnt -403.78 -45,149.81",
        "31.03.2024 Phone R5104093 -323.27 -45,473.08"};
    assert_false(is_of_row(text, two_lines, NULL));
    assert_true(is_of_row(text, two_lines, two_lines));
    assert_false(is_of_row(text, two_lines,
                           "{\"text\":\"Card payment\","
                           "\"amount\":-403.78}"));
}

/* Rows may be the same: each line says all of it. */
static void a_row_that_is_there_twice_is_two(void **state)
{
    (void)state;
    static const char *const text[] = {"30.03.2024 Phone R5104093 -323.27",
                                       "30.03.2024 Phone R5104093 -323.27",
                                       "31.03.2024 Gym R5104000 -20.00"};
    static const char row[] = "{\"date\":\"2024-03-30\",\"text\":\"Phone\","
                              "\"reference\":\"R5104093\",\"amount\":-323.27}";
    assert_false(is_of_row(text, row, NULL));
    assert_false(is_of_row(text, row, row));
}

/* Of four rows 0 and 2, 3 stand on lines; 1 on none. `y` of row 2's line. */
static bool has_no_room(double y, int line_of_2)
{
    struct line line[4] = {{.y = 0.10}, {.y = 0.13}, {.y = y}, {.y = y + 0.03}};
    struct table_line of[] = {{.print = &line[0]},
                              {.print = &line[1]},
                              {.print = &line[2]},
                              {.print = &line[3]}};
    struct page_table table = {.line = of, .n_line = 4};
    int line_of_row[] = {0, -1, line_of_2, 3};
    int row_of_line[] = {0, 0, line_of_2 == 2 ? 2 : -1, 3};
    struct arena *arena = arena_new();
    cJSON *rows = cJSON_CreateArray();
    for (int i = 0; i < 4; i++)
        cJSON_AddItemToArray(rows, cJSON_CreateObject());
    struct row_check s = {
        .table = &table, .entries = &rows, .unsure = true, .arena = arena};
    s.found[0].line_of_row = line_of_row;
    s.found[0].row_of_line = row_of_line;
    bool no_room = check_rows_has_no_room(&s, 0, 1);
    cJSON_Delete(rows);
    arena_free(arena);
    return no_room;
}

/* Row 0 has two lines, and the next one is right below; or so far that a line which
 * was not read may lie between; or there is one that is no row's. */
static void a_row_between_two_that_touch_is_not_printed_there(void **state)
{
    (void)state;
    assert_true(has_no_room(0.16, 2));
    assert_false(has_no_room(0.20, 2));
    assert_false(has_no_room(0.16, 3));
}

TEST_GROUP(check_rows, cmocka_unit_test(a_misread_second_line_is_its_row_s),
           cmocka_unit_test(a_row_between_two_that_touch_is_not_printed_there),
           cmocka_unit_test(a_line_that_says_something_else_is_a_row),
           cmocka_unit_test(a_row_that_is_there_twice_is_two))
