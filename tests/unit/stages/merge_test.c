/* merge_test.c - values of several pages become one. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "stages/ask/merge_answers.h"
#include "vlm/json/json.h"

static cJSON *value(const char *text)
{
    struct err err = {0};
    cJSON *v = json_parse(span_of(text), &err);
    test_ok(&err);
    return v;
}

static void assert_value(const cJSON *v, const char *want)
{
    struct buf out = buf_limit(10000);
    json_print(&out, v, 0);
    assert_string_equal(out.data, want);
    buf_free(&out);
}

static void arrays_join_and_nulls_give_way(void **state)
{
    (void)state;
    struct document *doc = document_new("id", "a.pdf", -1);
    struct field one[] = {{.pointer = "/items/0/name", .p = .9, .p_legal = 1},
                          {.pointer = "/total", .p = .8, .p_legal = 1}};
    struct field two[] = {{.pointer = "/items/0/name", .p = .7, .p_legal = 1},
                          {.pointer = "/total", .p = .6, .p_legal = 1}};
    merge_answers(doc, value("{\"items\":[{\"name\":\"a\"}],\"total\":null}"),
                  one, 2, 1);
    merge_answers(doc, value("{\"items\":[{\"name\":\"b\"}],\"total\":2.50}"),
                  two, 2, 2);
    assert_value(doc->data, "{\"items\":[{\"name\":\"a\"},{\"name\":\"b\"}],"
                            "\"total\":2.50}");
    assert_int_equal(doc->n_field, 3);
    assert_string_equal(doc->field[2].pointer, "/items/1/name");
    assert_string_equal(doc->field[1].pointer, "/total");
    assert_true(doc->field[1].p < .65);
    assert_int_equal(doc->warnings->n, 0);
    document_free(doc);
}

static void the_first_value_stays_and_the_other_is_named(void **state)
{
    (void)state;
    struct document *doc = document_new("id", "a.pdf", -1);
    struct field f[] = {{.pointer = "/total", .p = .8, .p_legal = 1}};
    merge_answers(doc, value("{\"total\":1.0}"), f, 1, 1);
    merge_answers(doc, value("{\"total\":1}"), f, 1, 2);
    assert_int_equal(doc->warnings->n, 0);
    merge_answers(doc, value("{\"total\":3}"), f, 1, 3);
    assert_value(doc->data, "{\"total\":1.0}");
    assert_int_equal(doc->n_field, 1);
    assert_int_equal(doc->warnings->n, 1);
    assert_non_null(strstr(doc->warnings->row[0].text, "/total"));
    assert_non_null(strstr(doc->warnings->row[0].text, "page 3"));
    document_free(doc);
}

/* Fields that name what a page gave, by their values: "p" is the page. */
static void keys_may_hold_slashes_and_tildes(void **state)
{
    (void)state;
    struct document *doc = document_new("id", "a.pdf", -1);
    struct field one[] = {{.pointer = "/a~1b", .p = .9, .p_legal = 1},
                          {.pointer = "/t~0t/0/x~1y", .p = .8, .p_legal = 1},
                          {.pointer = "/none~1", .p = .7, .p_legal = 1}};
    struct field two[] = {{.pointer = "/a~1b", .p = .1, .p_legal = 1},
                          {.pointer = "/t~0t/0/x~1y", .p = .2, .p_legal = 1},
                          {.pointer = "/none~1", .p = .3, .p_legal = 1}};
    merge_answers(doc,
                  value("{\"a/b\":\"x\",\"t~t\":[{\"x/y\":1}],\"none/\":null}"),
                  one, 3, 1);
    merge_answers(doc,
                  value("{\"a/b\":\"y\",\"t~t\":[{\"x/y\":2}],\"none/\":7}"),
                  two, 3, 2);
    assert_value(doc->data, "{\"a/b\":\"x\",\"t~t\":[{\"x/y\":1},{\"x/y\":2}],"
                            "\"none/\":7}");
    assert_int_equal(doc->n_field, 4);
    assert_string_equal(doc->field[0].pointer, "/a~1b");
    assert_true(doc->field[0].p > .85); /* the first page's, which was kept */
    assert_true(doc->field[1].p > .75);
    assert_string_equal(doc->field[2].pointer, "/none~1");
    assert_true(doc->field[2].p < .35);
    assert_string_equal(doc->field[3].pointer, "/t~0t/1/x~1y");
    assert_int_equal(doc->warnings->n, 1);
    assert_non_null(strstr(doc->warnings->row[0].text, "/a~1b: page 2 has "));
    document_free(doc);
}

/* A place that holds a list on one page and something else on the next keeps
 * the first, and its probabilities. */
static void other_kinds_do_not_mix(void **state)
{
    (void)state;
    struct document *doc = document_new("id", "a.pdf", -1);
    struct field one[] = {{.pointer = "/v/0", .p = .9, .p_legal = 1}};
    struct field two[] = {{.pointer = "/v/k", .p = .1, .p_legal = 1}};
    merge_answers(doc, value("{\"v\":[1]}"), one, 1, 1);
    merge_answers(doc, value("{\"v\":{\"k\":2}}"), two, 1, 2);
    assert_value(doc->data, "{\"v\":[1]}");
    assert_int_equal(doc->n_field, 1);
    assert_string_equal(doc->field[0].pointer, "/v/0");
    assert_int_equal(doc->warnings->n, 1);
    document_free(doc);
}

/* 300 pages of 10 rows: the fields stay in step with the rows. */
static void many_pages_are_joined_in_order(void **state)
{
    (void)state;
    enum { PAGES = 300, ROWS = 10 };
    struct document *doc = document_new("id", "a.pdf", -1);
    struct field field[ROWS];
    static const char *const at[ROWS] = {"/r/0", "/r/1", "/r/2", "/r/3",
                                         "/r/4", "/r/5", "/r/6", "/r/7",
                                         "/r/8", "/r/9"};
    for (int page = 0; page < PAGES; page++) {
        for (int i = 0; i < ROWS; i++)
            field[i] = (struct field){
                .pointer = at[i], .p = (page * ROWS + i) / 1e4, .p_legal = 1};
        merge_answers(doc, value("{\"r\":[0,1,2,3,4,5,6,7,8,9]}"), field, ROWS,
                      page + 1);
    }
    assert_int_equal(cJSON_GetArraySize(json_get(doc->data, "r")),
                     PAGES * ROWS);
    assert_int_equal(doc->n_field, PAGES * ROWS);
    for (int i = 0; i < doc->n_field; i++) {
        char want[32];
        snprintf(want, sizeof want, "/r/%d", i);
        assert_string_equal(doc->field[i].pointer, want);
        assert_true(doc->field[i].p * 1e4 > i - .5 &&
                    doc->field[i].p * 1e4 < i + .5);
    }
    document_free(doc);
}

TEST_GROUP(merge, cmocka_unit_test(arrays_join_and_nulls_give_way),
           cmocka_unit_test(the_first_value_stays_and_the_other_is_named),
           cmocka_unit_test(keys_may_hold_slashes_and_tildes),
           cmocka_unit_test(other_kinds_do_not_mix),
           cmocka_unit_test(many_pages_are_joined_in_order))
