/* prompt_test.c - the outline that the embedded model was trained on. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/engine/prompt.h"
#include "vlm/base/json.h"
#include "vlm/schema/schema.h"

static void assert_outline(const char *text, const char *want)
{
    struct err err = {0};
    struct schema_options options = {0};
    struct schema *schema = schema_parse(span_of(text), "test", &options, &err);
    struct buf out = buf_limit(10000);
    test_ok(&err);
    prompt_outline(schema, &out, &err);
    if (want) {
        test_ok(&err);
        assert_string_equal(out.data, want);
    } else {
        assert_int_equal(err.kind, ERR_CONFIG);
    }
    buf_free(&out);
    schema_free(schema);
}

static void a_receipt_is_an_outline(void **state)
{
    (void)state;
    assert_outline(
        "{\"type\":\"object\",\"properties\":{"
        "\"merchant\":{\"type\":[\"string\",\"null\"]},"
        "\"date\":{\"anyOf\":[{\"type\":\"string\",\"format\":\"date\"},"
        "{\"type\":\"null\"}]},"
        "\"items\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/item\"}},"
        "\"paid\":{\"type\":\"boolean\"},"
        "\"kind\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}},"
        "\"$defs\":{\"item\":{\"type\":\"object\",\"properties\":{"
        "\"n\":{\"type\":\"integer\"},\"price\":{\"type\":\"number\"}}}}}",
        "{merchant:s,date:d,items:[{n:i,price:n}],paid:b,kind:e}");
}

static void what_has_no_outline_is_refused(void **state)
{
    (void)state;
    assert_outline("{\"type\":\"object\"}", NULL);
    assert_outline("{\"type\":\"object\",\"properties\":{\"a\":{}}}", NULL);
}

static void the_full_prompt_ends_with_the_schema(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema_options options = {0};
    struct schema *schema = schema_parse(
        span_of("{\"type\":\"string\",\"description\":\"the court\","
                "\"x-platen-check\":[]}"),
        "t", &options, &err);
    test_ok(&err);
    struct buf out = buf_limit(10000);
    prompt_full(schema, "Read well.", &out);
    assert_int_equal(strncmp(out.data, "Read well.", 10), 0);
    assert_non_null(strstr(out.data, "\"description\":\"the court\""));
    assert_null(strstr(out.data, "x-platen-check"));
    buf_free(&out);
    schema_free(schema);
}

TEST_GROUP(prompt, cmocka_unit_test(a_receipt_is_an_outline),
           cmocka_unit_test(what_has_no_outline_is_refused),
           cmocka_unit_test(the_full_prompt_ends_with_the_schema))
