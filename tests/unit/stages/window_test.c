/* window_test.c - what a page of a long document is asked for, and the file
 * that keeps what was read. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/window/plan.h"
#include "stages/window/relax.h"
#include "stages/window/rows.h"
#include "stages/window/scalars.h"
#include "vlm/base/json.h"

static struct schema *load(const char *text)
{
    struct err err = {0};
    struct schema_options options = {.lenient = false};
    struct schema *s = schema_parse(span_of(text), "s", &options, &err);
    test_ok(&err);
    return s;
}

static bool fits(const struct schema *s, const char *text)
{
    struct err err = {0};
    cJSON *value = json_parse(span_of(text), &err);
    test_ok(&err);
    bool fit = schema_admits(s, schema_root(s), value);
    cJSON_Delete(value);
    return fit;
}

static const char STATEMENT[] =
    "{\"type\":\"object\",\"required\":[\"iban\",\"book\"],"
    "\"additionalProperties\":false,\"properties\":{"
    "\"iban\":{\"type\":\"string\",\"minLength\":15},"
    "\"kind\":{\"const\":\"giro\"},"
    "\"book\":{\"anyOf\":[{\"$ref\":\"#/$defs/book\"},{\"type\":\"null\"}]}},"
    "\"$defs\":{\"book\":{\"type\":\"object\",\"required\":[\"lines\"],"
    "\"properties\":{\"lines_header\":{\"type\":\"string\"},"
    "\"few\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":"
    "3},"
    "\"lines\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":5,"
    "\"uniqueItems\":true,\"items\":{\"type\":\"object\","
    "\"required\":[\"a\"],\"properties\":{\"a\":{\"type\":\"integer\"},"
    "\"b\":{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"boolean\"}]}}}}}}}}";

static void rows_are_found_behind_references(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema *s = load(STATEMENT);
    struct plan *plan = plan_new(s, false, &err);
    test_ok(&err);
    assert_int_equal(plan->n_array, 1);
    assert_string_equal(plan->array[0].pointer, "/book/lines");
    assert_string_equal(plan->array[0].header, "/book/lines_header_");
    assert_string_equal(plan->array[0].continues, "/book/lines_continues");
    assert_true(plan->has_scalars);
    assert_true(plan_row_tokens(plan) > 10);
    plan_free(plan);
    schema_free(s);
}

static void a_page_may_lack_anything_and_holds_more_rows(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema *s = load(STATEMENT);
    struct plan *plan = plan_new(s, false, &err);
    test_ok(&err);
    assert_true(fits(plan->first, "{\"iban\":null,\"kind\":null,\"book\":"
                                  "{\"few\":null,\"lines\":[]}}"));
    assert_true(fits(plan->rows,
                     "{\"book\":{\"lines_continues\":true,\"lines\":["
                     "{\"a\":1},{\"a\":1},{\"a\":1},{\"a\":1},{\"a\":1},"
                     "{\"a\":null,\"b\":null}]}}"));
    /* what an endpoint without a grammar says besides */
    assert_true(fits(plan->rows, "{\"iban\":\"DE\",\"book\":{\"lines\":[]}}"));
    assert_false(fits(plan->rows, "{\"book\":{\"lines\":[{\"a\":\"x\"}]}}"));
    assert_false(fits(plan->first, "{\"iban\":7,\"book\":{\"lines\":[]}}"));
    plan_free(plan);
    schema_free(s);
}

/* A page shows some members of a map: as many as there are, by their names. */
static void a_page_gives_members_of_a_map_by_their_names(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema *s = load(
        "{\"type\":\"object\",\"properties\":{\"rates\":{\"type\":\"object\","
        "\"minProperties\":2,\"propertyNames\":{\"pattern\":\"^[A-Z]+$\"},"
        "\"additionalProperties\":{\"type\":\"number\"}},\"lines\":{\"type\":"
        "\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"a\":{"
        "\"type\":\"integer\"}}}}}}");
    struct plan *plan = plan_new(s, false, &err);
    test_ok(&err);
    assert_int_equal(plan->n_array, 1);
    assert_true(fits(plan->first, "{\"rates\":null,\"lines\":[]}"));
    assert_true(fits(plan->first, "{\"rates\":{\"EUR\":1},\"lines\":[]}"));
    assert_true(fits(plan->first, "{\"rates\":{\"EUR\":null},\"lines\":[]}"));
    assert_false(fits(plan->first, "{\"rates\":{\"eur\":1},\"lines\":[]}"));
    plan_free(plan);
    schema_free(s);
}

static void a_schema_can_say_how_an_array_is_read(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema *s =
        load("{\"type\":\"object\",\"properties\":{"
             "\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},"
             "\"maxItems\":3,\"x-platen-read\":\"rows\"},"
             "\"b\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
             "\"properties\":{\"c\":{\"type\":\"string\"}}},"
             "\"x-platen-read\":\"whole\"}}}");
    struct plan *plan = plan_new(s, false, &err);
    test_ok(&err);
    assert_int_equal(plan->n_array, 1);
    assert_string_equal(plan->array[0].pointer, "/a");
    plan_free(plan);
    schema_free(s);
}

static int arrays_of(const char *text)
{
    struct err err = {0};
    struct schema *s = load(text);
    struct plan *plan = plan_new(s, false, &err);
    test_ok(&err);
    int n = plan->n_array;
    plan_free(plan);
    schema_free(s);
    return n;
}

#define LIST                                                              \
    "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{" \
    "\"c\":{\"type\":\"string\"}}}"

static void whole_is_meant_for_all_that_is_in_an_object(void **state)
{
    (void)state;
    assert_int_equal(arrays_of("{\"type\":\"object\",\"properties\":{\"a\":{"
                               "\"type\":\"object\",\"x-platen-read\":"
                               "\"whole\",\"properties\":{\"l\":" LIST
                               "}}},\"b\":" LIST "}}}"),
                     1);
    assert_int_equal(arrays_of("{\"type\":\"object\",\"x-platen-read\":"
                               "\"whole\",\"properties\":{\"b\":" LIST "}}}"),
                     0);
}

static void a_mark_beside_a_reference_counts_first(void **state)
{
    (void)state;
    assert_int_equal(arrays_of("{\"type\":\"object\",\"$defs\":{\"l\":" LIST
                               ",\"x-platen-read\":\"rows\"}},\"properties\":{"
                               "\"a\":{\"$ref\":\"#/$defs/"
                               "l\",\"x-platen-read\":\"whole\"},\"b\":{\"$"
                               "ref\":\"#/$defs/l\"}}}"),
                     1);
}

/* The pointer of the one array of rows; "-" where that is not one. */
static void rows_are_at(const char *text, const char *pointer)
{
    struct err err = {0};
    struct schema *s = load(text);
    struct plan *plan = plan_new(s, false, &err);
    test_ok(&err);
    assert_int_equal(plan->n_array, *pointer == '-' ? 0 : 1);
    if (*pointer != '-') assert_string_equal(plan->array[0].pointer, pointer);
    plan_free(plan);
    schema_free(s);
}

/* As pydantic and OpenAPI have it: a name with words for people, and an object that
 * another one is the base of. */
static void rows_are_found_in_all_of_it(void **state)
{
    (void)state;
    rows_are_at(
        "{\"properties\":{\"body\":{\"title\":\"Body\",\"allOf\":[{"
        "\"$ref\":\"#/$defs/b\"}]},\"n\":{}},\"$defs\":{\"b\":{\"type\":"
        "\"object\",\"properties\":{\"l\":" LIST "}}}}}",
        "/body/l");
    rows_are_at("{\"allOf\":[{\"$ref\":\"#/$defs/b\"},{\"properties\":{\"l\":"
                "" LIST "}}}],\"$defs\":{\"b\":{\"type\":\"object\","
                "\"properties\":{\"n\":{\"type\":\"string\"}}}}}",
                "/l");
    rows_are_at("{\"$ref\":\"#/$defs/b\",\"properties\":{\"n\":{\"type\":"
                "\"string\"}},\"$defs\":{\"b\":{\"type\":\"object\","
                "\"properties\":{\"l\":" LIST "}}}}}",
                "/l");
    /* a base whose parts are of its own kind */
    rows_are_at("{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"allOf\":[{"
                "\"$ref\":\"#/$defs/b\"}],\"properties\":{\"n\":{}}},\"b\":{"
                "\"properties\":{\"k\":{\"allOf\":[{\"$ref\":\"#/$defs/a\"},{"
                "\"properties\":{\"m\":{}}}]},\"l\":" LIST "}}}}}",
                "/l");
    /* what admits nothing else stays apart */
    rows_are_at("{\"allOf\":[{\"$ref\":\"#/$defs/b\"},{\"properties\":{\"n\":{"
                "\"type\":\"string\"}}}],\"$defs\":{\"b\":{\"type\":\"object\","
                "\"additionalProperties\":false,\"properties\":{\"l\":" LIST
                "}}}}}",
                "-");
}

/* Tables within rows, but no short lists, nor what is whole. */
static void rows_hold_tables(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema *s = load(
        "{\"properties\":{\"o\":{\"type\":\"array\",\"items\":{\"type\":"
        "\"object\",\"properties\":{\"n\":{\"type\":\"string\"},\"l\":" LIST
        "},\"few\":" LIST ",\"maxItems\":3},\"w\":" LIST
        ",\"x-platen-read\":\"whole\"},\"tags\":{\"type\":\"array\","
        "\"items\":{\"type\":\"string\"}}}}}}}");
    struct plan *plan = plan_new(s, false, &err);
    test_ok(&err);
    assert_int_equal(plan->n_array, 2);
    assert_string_equal(plan->array[0].window, "/o/*/l");
    assert_string_equal(plan->array[0].within, "/l");
    assert_string_equal(plan->array[0].continues, "/o_l_continues");
    assert_int_equal(plan->array[0].of, 1);
    assert_int_equal(plan->array[1].of, -1);
    assert_true(fits(plan->first, "{\"o_l_continues\":true,\"o\":[{\"l\":[{"
                                  "\"c\":\"x\"}]}]}"));
    plan_free(plan);
    /* a model that knows keys alone is asked for no marks */
    plan = plan_new(s, true, &err);
    test_ok(&err);
    assert_int_equal(plan->n_array, 1);
    plan_free(plan);
    schema_free(s);
}

/* What both of them say holds, of what is asked for as well. */
static void all_of_it_is_asked_for(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema *s = load(
        "{\"properties\":{\"l\":{\"type\":\"array\",\"items\":{\"allOf\":[{"
        "\"$ref\":\"#/$defs/b\"},{\"properties\":{\"a\":{\"minimum\":5},"
        "\"c\":{\"type\":\"string\"}},\"required\":[\"c\"]}]}}},\"$defs\":{"
        "\"b\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
        "\"integer\",\"minimum\":2}},\"required\":[\"a\"]}}}");
    struct plan *plan = plan_new(s, false, &err);
    test_ok(&err);
    assert_true(fits(plan->first, "{\"l\":[{\"a\":6,\"c\":\"x\"}]}"));
    assert_true(fits(plan->first, "{\"l\":[{\"a\":null,\"c\":null}]}"));
    assert_false(fits(plan->first, "{\"l\":[{\"a\":3,\"c\":\"x\"}]}"));
    assert_false(fits(plan->first, "{\"l\":[{\"a\":6,\"c\":7}]}"));
    assert_false(fits(plan->first, "{\"l\":[{\"c\":\"x\"}]}"));
    plan_free(plan);
    schema_free(s);
}

static void lists_of_an_older_draft_are_asked_for_as_such(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema_options options = {.dialect = DIALECT_7};
    static const char text[] =
        "{\"properties\":{\"l\":{\"type\":\"array\",\"items\":{\"type\":"
        "\"object\",\"properties\":{\"c\":{\"type\":\"array\",\"items\":[{"
        "\"type\":\"string\"}],\"additionalItems\":false}}}}}}";
    struct schema *s = schema_parse(span_of(text), "s", &options, &err);
    struct plan *plan = plan_new(s, false, &err);
    test_ok(&err);
    assert_true(fits(plan->first, "{\"l\":[{\"c\":[\"x\"]}]}"));
    assert_false(fits(plan->first, "{\"l\":[{\"c\":[7]}]}"));
    plan_free(plan);
    schema_free(s);
}

static void a_null_that_the_schema_has_not_is_dropped(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema *s =
        load("{\"properties\":{\"must\":{\"type\":\"string\"},\"may\":{"
             "\"type\":[\"string\",\"null\"]},\"need\":{\"type\":\"string\"},"
             "\"in\":{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"object\","
             "\"properties\":{\"need\":{\"type\":\"string\"}}}]}},\"required\":"
             "[\"must\"]}");
    cJSON *value = json_parse(
        span_of("{\"must\":null,\"may\":null,\"need\":null,\"in\":{\"need\":"
                "null}}"),
        &err);
    cJSON *want =
        json_parse(span_of("{\"must\":null,\"may\":null,\"in\":{}}"), &err);
    relax_drop_nulls(s, schema_root(s), value);
    test_ok(&err);
    assert_true(json_equal(value, want));
    cJSON_Delete(value);
    cJSON_Delete(want);
    schema_free(s);
}

/* Sections in sections: once more is enough, and each in turn. */
static void an_object_within_itself_is_opened_once_more(void **state)
{
    (void)state;
    static const char text[] =
        "{\"type\":\"object\",\"properties\":{\"r\":{\"$ref\":\"#/$defs/n\"}},"
        "\"$defs\":{\"n\":{\"type\":\"object\",\"properties\":{\"rows\":" LIST
        "},\"left\":{\"$ref\":\"#/$defs/n\"},"
        "\"right\":{\"$ref\":\"#/$defs/n\"}}}}}";
    struct err err = {0};
    struct schema *s = load(text);
    struct plan *plan = plan_new(s, false, &err);
    test_ok(&err);
    assert_int_equal(plan->n_array, 3);
    assert_string_equal(plan->array[0].pointer, "/r/rows");
    assert_string_equal(plan->array[1].pointer, "/r/left/rows");
    assert_string_equal(plan->array[2].pointer, "/r/right/rows");
    assert_true(plan->has_scalars);
    plan_free(plan);
    schema_free(s);
}

/* 3^32 ways lead through these, and 2^40 to the rows of the second. */
static void objects_that_lead_to_each_other_are_looked_at_once(void **state)
{
    (void)state;
    assert_int_equal(
        arrays_of("{\"type\":\"object\",\"properties\":{\"p\":{\"$ref\":"
                  "\"#/$defs/n\"}},\"$defs\":{\"n\":{\"type\":\"object\","
                  "\"properties\":{\"a\":{\"$ref\":\"#/$defs/n\"},\"b\":{"
                  "\"$ref\":\"#/$defs/n\"},\"c\":{\"$ref\":\"#/$defs/n\"}}}}}"),
        0);
    struct buf text = buf_limit(1 << 16);
    buf_add_text(&text, "{\"$ref\":\"#/$defs/n0\",\"$defs\":{");
    for (int i = 0; i < 40; i++)
        buf_print(
            &text,
            "\"n%d\":{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":"
            "\"#/$defs/n%d\"},\"b\":{\"$ref\":\"#/$defs/n%d\"}}},",
            i, i + 1, i + 1);
    buf_add_text(&text,
                 "\"n40\":{\"type\":\"object\",\"properties\":{\"r\":" LIST
                 "}}}}}");
    assert_int_equal(arrays_of(buf_span(&text).data), 0);
    buf_free(&text);
}

static void a_list_alone_stands_in_an_object(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema *s = load("{\"type\":\"array\",\"minItems\":2,\"items\":"
                            "{\"type\":\"object\",\"properties\":{\"a\":"
                            "{\"type\":\"integer\"}}}}");
    struct plan *plan = plan_new(s, false, &err);
    test_ok(&err);
    assert_string_equal(plan->array[0].pointer, "");
    assert_string_equal(plan->array[0].window, "/rows");
    assert_false(plan->has_scalars);
    assert_null(plan->rows);
    assert_true(fits(plan->first, "{\"rows\":[{\"a\":1}]}"));
    plan_free(plan);
    plan = plan_new(s, true, &err);
    test_ok(&err);
    assert_true(plan->row_is_page);
    assert_true(fits(plan->first, "{\"a\":1}"));
    plan_free(plan);
    schema_free(s);
}

/* --- the file ------------------------------------------------------------ */

struct seen {
    int n_state, last;
};

static void see(void *arg, const cJSON *line)
{
    struct seen *seen = arg;
    seen->n_state++;
    seen->last = json_get(line, "index")->valueint;
}

static void add(struct rows *r, int n, struct err *err)
{
    char text[80];
    snprintf(text, sizeof text, "{\"array\":0,\"page\":1,\"row\":%d}", n);
    cJSON *row = json_parse(span_of(text), err);
    rows_add(r, row, err);
    cJSON_Delete(row);
}

static void keep(struct rows *r, int index, struct err *err)
{
    cJSON *state = cJSON_CreateObject();
    cJSON_AddItemToObject(state, "index", json_new_integer(index));
    rows_keep(r, state, err);
    cJSON_Delete(state);
}

/* Two pages kept, of a third one rows alone. */
static FILE *file_of_two_pages(void)
{
    struct err err = {0};
    struct seen seen = {0};
    FILE *f = tmpfile();
    struct rows *r = rows_open(fileno(f), "me", see, &seen, &err);
    test_ok(&err);
    assert_int_equal(seen.n_state, 0);
    add(r, 1, &err);
    keep(r, 0, &err);
    add(r, 2, &err);
    add(r, 3, &err);
    keep(r, 1, &err);
    test_ok(&err);
    rows_close(r);
    return f;
}

static void what_was_kept_is_found_again_and_no_more(void **state)
{
    (void)state;
    struct err err = {0};
    struct seen seen = {0};
    FILE *f = file_of_two_pages();
    static const char torn[] = "{\"row\":4,\"array\":0}\n{\"row\":";
    assert_int_equal(
        pwrite(fileno(f), torn, sizeof torn - 1, lseek(fileno(f), 0, SEEK_END)),
        sizeof torn - 1);
    struct rows *r = rows_open(fileno(f), "me", see, &seen, &err);
    test_ok(&err);
    assert_int_equal(seen.n_state, 2);
    assert_int_equal(seen.last, 1);
    add(r, 5, &err);
    keep(r, 2, &err);
    rows_rewind(r, &err);
    static const int want[] = {1, 2, 3, 5};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        cJSON *line = rows_next(r, -1, &err);
        assert_non_null(line);
        assert_int_equal(json_get(line, "row")->valueint, want[i]);
        cJSON_Delete(line);
    }
    assert_null(rows_next(r, -1, &err));
    test_ok(&err);
    rows_close(r);
    fclose(f);
}

static void rows_of_something_else_are_forgotten(void **state)
{
    (void)state;
    struct err err = {0};
    struct seen seen = {0};
    FILE *f = file_of_two_pages();
    struct rows *r = rows_open(fileno(f), "you", see, &seen, &err);
    test_ok(&err);
    assert_int_equal(seen.n_state, 0);
    rows_rewind(r, &err);
    assert_null(rows_next(r, -1, &err));
    test_ok(&err);
    rows_close(r);
    fclose(f);
}

static void a_row_that_cannot_be_read_again_is_an_error(void **state)
{
    (void)state;
    struct err err = {0};
    struct seen seen = {0};
    FILE *f = file_of_two_pages();
    struct rows *r = rows_open(fileno(f), "me", see, &seen, &err);
    test_ok(&err);
    assert_int_equal(pwrite(fileno(f), "x", 1, 15), 1); /* in the first row */
    rows_rewind(r, &err);
    for (cJSON *line; (line = rows_next(r, -1, &err));)
        cJSON_Delete(line);
    assert_true(err_failed(&err));
    rows_close(r);
    fclose(f);
}

/* --- values that stand once ------------------------------------------------ */

static void take_as(cJSON *all, const char *text, double p, int page,
                    enum field_verdict verdict)
{
    struct err err = {0};
    cJSON *value = json_parse(span_of(text), &err);
    test_ok(&err);
    struct field field = {
        .pointer = "/a/b", .p = p, .p_legal = 1, .verdict = verdict};
    scalars_take(all, value, &field, 1, page);
    cJSON_Delete(value);
}

static void take(cJSON *all, const char *text, double p, int page)
{
    take_as(all, text, p, page, FIELD_UNPROVEN);
}

static void count(void *arg, const char *pointer, const cJSON *entry)
{
    int *n = arg;
    assert_string_equal(pointer, "/a/b");
    *n += cJSON_GetArraySize(json_get(entry, "others"));
}

static void the_most_probable_value_is_taken(void **state)
{
    (void)state;
    cJSON *all = cJSON_CreateObject();
    int n = 0;
    take(all, "{\"a\":null}", 1, 1);
    take(all, "{\"a\":{\"b\":null}}", 1, 2);
    take(all, "{\"a\":{\"b\":\"x\"}}", 0.6, 3);
    take(all, "{\"a\":{\"b\":\"y\"}}", 0.9, 4);
    take(all, "{\"a\":{\"b\":\"y\"}}", 0.8, 5);
    take(all, "{\"a\":{\"b\":null}}", 1, 6);
    cJSON *value = scalars_value(all);
    const cJSON *b = json_get(json_get(value, "a"), "b");
    assert_string_equal(b->valuestring, "y");
    assert_int_equal(json_get(json_get(all, "/a/b"), "page")->valueint, 4);
    scalars_conflicts(all, count, &n);
    assert_int_equal(n, 1);
    cJSON_Delete(value);
    cJSON_Delete(all);
}

/* One that many pages give does not crowd out the others. */
static void other_answers_stand_there_once(void **state)
{
    (void)state;
    cJSON *all = cJSON_CreateObject();
    int n = 0;
    take(all, "{\"a\":{\"b\":\"x\"}}", 0.6, 1);
    for (int page = 2; page < 6; page++)
        take(all, "{\"a\":{\"b\":\"y\"}}", 0.5, page);
    take(all, "{\"a\":{\"b\":\"z\"}}", 0.4, 6);
    scalars_conflicts(all, count, &n);
    assert_int_equal(n, 2);
    /* what is taken now is none of them any longer */
    take(all, "{\"a\":{\"b\":\"z\"}}", 0.9, 7);
    const cJSON *others = json_get(json_get(all, "/a/b"), "others");
    assert_int_equal(cJSON_GetArraySize(others), 2);
    assert_string_equal(json_get(others->child, "value")->valuestring, "y");
    assert_string_equal(json_get(others->child->next, "value")->valuestring,
                        "x");
    cJSON_Delete(all);
}

static void expect_taken(const cJSON *all, const char *text)
{
    const cJSON *entry = json_get(all, "/a/b");
    assert_string_equal(json_get(entry, "value")->valuestring, text);
}

static void what_stands_on_its_page_is_taken_first(void **state)
{
    (void)state;
    cJSON *all = cJSON_CreateObject();
    take_as(all, "{\"a\":{\"b\":\"guess\"}}", 0.9, 1, FIELD_UNSEEN);
    take_as(all, "{\"a\":{\"b\":\"print\"}}", 0.5, 2, FIELD_AGREE);
    expect_taken(all, "print");
    take_as(all, "{\"a\":{\"b\":\"other\"}}", 0.99, 3, FIELD_DIFFER);
    expect_taken(all, "print");
    take_as(all, "{\"a\":{\"b\":\"surer\"}}", 0.6, 4, FIELD_AGREE);
    expect_taken(all, "surer");
    cJSON_Delete(all);
}

TEST_GROUP(window, cmocka_unit_test(other_answers_stand_there_once),
           cmocka_unit_test(rows_are_found_behind_references),
           cmocka_unit_test(a_page_may_lack_anything_and_holds_more_rows),
           cmocka_unit_test(a_page_gives_members_of_a_map_by_their_names),
           cmocka_unit_test(a_schema_can_say_how_an_array_is_read),
           cmocka_unit_test(whole_is_meant_for_all_that_is_in_an_object),
           cmocka_unit_test(a_mark_beside_a_reference_counts_first),
           cmocka_unit_test(rows_are_found_in_all_of_it),
           cmocka_unit_test(rows_hold_tables),
           cmocka_unit_test(all_of_it_is_asked_for),
           cmocka_unit_test(lists_of_an_older_draft_are_asked_for_as_such),
           cmocka_unit_test(a_null_that_the_schema_has_not_is_dropped),
           cmocka_unit_test(an_object_within_itself_is_opened_once_more),
           cmocka_unit_test(objects_that_lead_to_each_other_are_looked_at_once),
           cmocka_unit_test(a_list_alone_stands_in_an_object),
           cmocka_unit_test(what_was_kept_is_found_again_and_no_more),
           cmocka_unit_test(rows_of_something_else_are_forgotten),
           cmocka_unit_test(a_row_that_cannot_be_read_again_is_an_error),
           cmocka_unit_test(the_most_probable_value_is_taken),
           cmocka_unit_test(what_stands_on_its_page_is_taken_first))
