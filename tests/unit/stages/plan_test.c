/* plan_test.c - what a page of a long document is asked for. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/long/plan/plan.h"
#include "stages/long/plan/relax_schema.h"
#include "vlm/json/json.h"

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

/* The text with the reference in the place of its "@". */
static struct schema *load_with(const char *text, const char *reference)
{
    struct buf whole = buf_limit(4096);
    const char *at = strchr(text, '@');
    buf_add(&whole, text, (size_t)(at - text));
    buf_add_text(&whole, reference);
    buf_add_text(&whole, at + 1);
    struct schema *s = load(whole.data);
    buf_free(&whole);
    return s;
}

/* Wherever a reference leads, a window's schema says the same as the whole. */
static void references_of_all_kinds_go_along(void **state)
{
    static const char *const text[] = {
        /* to a member that a window of rows does not have */
        "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"string\"},"
        "\"one\":{\"$anchor\":\"row\",\"type\":\"object\",\"required\":[\"x\"],"
        "\"properties\":{\"x\":{\"type\":\"integer\"}},"
        "\"additionalProperties\":false},"
        "\"rows\":{\"type\":\"array\",\"items\":{\"$ref\":\"@\"}}}}",
        /* to a place that is no schema by itself */
        "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"string\"},"
        "\"rows\":{\"type\":\"array\",\"items\":{\"$ref\":\"@\"}}},"
        "\"x-parts\":{\"row\":{\"$ref\":\"#/x-parts/a%20b~1c\"},\"a b/c\":{"
        "\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\"}},"
        "\"required\":[\"x\"],\"additionalProperties\":false}}}",
        /* from and to what has addresses of its own */
        "{\"$id\":\"https://ex.com/a/"
        "b.json\",\"type\":\"object\",\"properties\":"
        "{\"n\":{\"type\":\"string\"},\"rows\":{\"type\":\"array\",\"items\":"
        "{\"$ref\":\"@\"}}},\"$defs\":{\"r\":{\"$id\":\"r.json\",\"$ref\":"
        "\"#/$defs/r\",\"$defs\":{\"r\":{\"$dynamicAnchor\":\"row\","
        "\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\"}},"
        "\"required\":[\"x\"],\"additionalProperties\":false}}}}}",
        /* to a definition with a name, which stays beside its copy */
        "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"string\"},"
        "\"rows\":{\"$ref\":\"@\"}},\"$defs\":{\"rows\":{\"$anchor\":\"all\","
        "\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
        "\"x\":"
        "{\"type\":\"integer\"}},\"required\":[\"x\"],"
        "\"additionalProperties\":false}}}}",
    };
    static const struct {
        int of;
        const char *reference;
    } row[] = {{0, "#/properties/one"},
               {0, "#row"},
               {1, "#/x-parts/row"},
               {2, "r.json"},
               {2, "/a/r.json#row"},
               {2, "b.json#/$defs/r"},
               {2, "https://ex.com/a/r.json#/$defs/r"},
               {3, "#/$defs/rows"}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct err err = {0};
        struct schema *s = load_with(text[row[i].of], row[i].reference);
        struct plan *plan = plan_new(s, false, &err);
        test_ok(&err);
        assert_int_equal(plan->n_array, 1);
        assert_string_equal(plan->array[0].pointer, "/rows");
        assert_true(fits(plan->rows, "{\"rows\":[{\"x\":1},{\"x\":null}]}"));
        assert_false(fits(plan->rows, "{\"rows\":[{\"x\":\"a\"}]}"));
        assert_false(fits(plan->rows, "{\"rows\":[{\"x\":1,\"y\":1}]}"));
        plan_free(plan);
        schema_free(s);
    }
}

/* "#" is the whole schema, and not the schema of a window. */
static void rows_of_the_whole_kind_have_its_members(void **state)
{
    static const char *const text[] = {
        "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
        "\"kids\":{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}},"
        "\"required\":[\"name\"],\"additionalProperties\":false}",
        "{\"$schema\":\"https://json-schema.org/draft/2019-09/schema\","
        "\"$recursiveAnchor\":true,\"type\":\"object\",\"properties\":{"
        "\"name\":{\"type\":\"string\"},\"kids\":{\"type\":\"array\","
        "\"items\":{\"$recursiveRef\":\"#\"}}},\"required\":[\"name\"],"
        "\"additionalProperties\":false}"};
    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        struct err err = {0};
        struct schema *s = load(text[i]);
        struct plan *plan = plan_new(s, false, &err);
        test_ok(&err);
        assert_true(
            fits(plan->rows, "{\"kids\":[{\"name\":\"a\",\"kids\":[]}]}"));
        assert_false(fits(plan->rows, "{\"kids\":[{\"name\":7}]}"));
        assert_false(
            fits(plan->rows, "{\"kids\":[{\"kids_continues\":true}]}"));
        plan_free(plan);
        schema_free(s);
    }
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
    relax_schema_drop_nulls(s, schema_root(s), value);
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

TEST_GROUP(plan, cmocka_unit_test(rows_are_found_behind_references),
           cmocka_unit_test(a_page_may_lack_anything_and_holds_more_rows),
           cmocka_unit_test(a_page_gives_members_of_a_map_by_their_names),
           cmocka_unit_test(references_of_all_kinds_go_along),
           cmocka_unit_test(rows_of_the_whole_kind_have_its_members),
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
           cmocka_unit_test(a_list_alone_stands_in_an_object))
