/* turned_test.c - rows of a page, and of the same page turned round. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/window/turned.h"
#include "vlm/base/json.h"

/* Entries of words: "date:amount" each. */
static cJSON *entries_of(const char *text)
{
    char copy[256], *rest = NULL;
    cJSON *list = cJSON_CreateArray();
    assert_true(strlen(text) < sizeof copy);
    strcpy(copy, text);
    for (char *w = strtok_r(copy, " ", &rest); w;
         w = strtok_r(NULL, " ", &rest)) {
        cJSON *entry = cJSON_CreateObject(), *row = cJSON_CreateObject();
        char *amount = strchr(w, ':');
        assert_non_null(amount);
        *amount++ = '\0';
        cJSON_AddStringToObject(row, "date", w);
        cJSON_AddStringToObject(row, "amount", amount);
        cJSON_AddItemToObject(entry, "row", row);
        cJSON_AddItemToArray(list, entry);
    }
    return list;
}

/* `want` NULL: the turned page tells nothing. */
static void expect_cut(double lower, bool is_open, const char *own,
                       const char *late, const char *want)
{
    cJSON *before = entries_of(own), *now = entries_of(late);
    bool open;
    cJSON *rows = turned_rows(before, now, lower, &open);
    assert_int_equal(open, is_open);
    if (want) {
        cJSON *wanted = entries_of(want);
        assert_non_null(rows);
        assert_true(json_equal(rows, wanted));
        cJSON_Delete(wanted);
    } else {
        assert_null(rows);
    }
    cJSON_Delete(rows);
    cJSON_Delete(before);
    cJSON_Delete(now);
}

static void expect(const char *own, const char *late, const char *want)
{
    expect_cut(0.5, false, own, late, want);
}

static void what_is_given_twice_stays(void **state)
{
    (void)state;
    expect("a:1 b:2 c:3 d:4", "c:3 d:4 a:1 b:2", "a:1 b:2 c:3 d:4");
    expect("a:1 b:2 b:2 d:4", "b:2 d:4 a:1 b:2", "a:1 b:2 b:2 d:4");
}

static void rows_made_of_two_at_the_edges_go(void **state)
{
    (void)state;
    /* the first has the date of the page before's last, the last two are one */
    expect("z:1 b:2 c:3 d:4 e:6", "d:4 e:5 f:6 a:1 b:2 c:3",
           "a:1 b:2 c:3 d:4 e:5 f:6");
}

static void what_a_row_repeats_of_the_page_before_goes(void **state)
{
    (void)state;
    expect("z:0 a:1 b:2 c:3", "b:2 c:3 a:1", "a:1 b:2 c:3");
}

static void what_was_left_out_comes_in(void **state)
{
    (void)state;
    expect("a:1 c:3 d:4 e:5", "d:4 e:5 a:1 b:2 c:3", "a:1 b:2 c:3 d:4 e:5");
    expect("a:1 b:2 c:3 d:4 e:5", "d:4 e:5 a:1 c:3", "a:1 b:2 c:3 d:4 e:5");
}

static void what_stands_at_the_cut_is_as_it_was(void **state)
{
    (void)state;
    expect("a:1 b:2 c:3 d:4 e:5", "c:9 d:4 e:5 a:1 b:2 x:3",
           "a:1 b:2 c:3 d:4 e:5");
}

static void what_the_cut_alone_gives_is_asked_about_again(void **state)
{
    (void)state;
    expect_cut(0.5, true, "a:1 d:4", "c:3 d:4 a:1 b:2", "a:1 d:4");
}

/* as likely the page's first as its last, but for where it was cut */
static void a_row_at_the_edge_comes_where_it_stands(void **state)
{
    (void)state;
    expect("a:1 b:2 c:3", "c:3 d:4 a:1 b:2", "a:1 b:2 c:3 d:4");
    expect("b:2 c:3 d:4", "c:3 d:4 a:1 b:2", "a:1 b:2 c:3 d:4");
    expect_cut(0.25, false, "a:1 b:2 c:3", "c:3 d:4 a:1 b:2",
               "d:4 a:1 b:2 c:3");
}

static void a_page_cut_elsewhere_tells_nothing(void **state)
{
    (void)state;
    expect("a:1 b:2 c:3", "a:1 b:2 c:3", NULL);
    expect("a:1 b:2 c:3", "x:1 y:2 z:3", NULL);
    expect("a:1 b:2 c:3", "", NULL);
}

TEST_GROUP(turned, cmocka_unit_test(what_is_given_twice_stays),
           cmocka_unit_test(rows_made_of_two_at_the_edges_go),
           cmocka_unit_test(what_a_row_repeats_of_the_page_before_goes),
           cmocka_unit_test(what_was_left_out_comes_in),
           cmocka_unit_test(what_stands_at_the_cut_is_as_it_was),
           cmocka_unit_test(what_the_cut_alone_gives_is_asked_about_again),
           cmocka_unit_test(a_row_at_the_edge_comes_where_it_stands),
           cmocka_unit_test(a_page_cut_elsewhere_tells_nothing))
