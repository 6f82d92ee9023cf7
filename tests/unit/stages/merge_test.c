/* merge_test.c - values of several pages become one. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/record/merge.h"
#include "vlm/base/json.h"

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
    struct field one[] = {{"/items/0/name", .9, 1, false},
                          {"/total", .8, 1, false}};
    struct field two[] = {{"/items/0/name", .7, 1, false},
                          {"/total", .6, 1, false}};
    merge_page(doc, value("{\"items\":[{\"name\":\"a\"}],\"total\":null}"), one,
               2, 1);
    merge_page(doc, value("{\"items\":[{\"name\":\"b\"}],\"total\":2.50}"), two,
               2, 2);
    assert_value(doc->data, "{\"items\":[{\"name\":\"a\"},{\"name\":\"b\"}],"
                            "\"total\":2.50}");
    assert_int_equal(doc->n_field, 3);
    assert_string_equal(doc->field[2].pointer, "/items/1/name");
    assert_string_equal(doc->field[1].pointer, "/total");
    assert_true(doc->field[1].p < .65);
    assert_int_equal(doc->n_warning, 0);
    document_free(doc);
}

static void the_first_value_stays_and_the_other_is_named(void **state)
{
    (void)state;
    struct document *doc = document_new("id", "a.pdf", -1);
    struct field f[] = {{"/total", .8, 1, false}};
    merge_page(doc, value("{\"total\":1.0}"), f, 1, 1);
    merge_page(doc, value("{\"total\":1}"), f, 1, 2);
    assert_int_equal(doc->n_warning, 0);
    merge_page(doc, value("{\"total\":3}"), f, 1, 3);
    assert_value(doc->data, "{\"total\":1.0}");
    assert_int_equal(doc->n_field, 1);
    assert_int_equal(doc->n_warning, 1);
    assert_non_null(strstr(doc->warning[0], "/total"));
    assert_non_null(strstr(doc->warning[0], "page 3"));
    document_free(doc);
}

TEST_GROUP(merge, cmocka_unit_test(arrays_join_and_nulls_give_way),
           cmocka_unit_test(the_first_value_stays_and_the_other_is_named))
