/* prompt_test.c - the outline that the embedded model was trained on. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/engine/prompt.h"
#include "stages/engine/prompt_nuextract.h"
#include "vlm/json/json.h"
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

static void a_refusal_names_place_and_remedy(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema_options options = {0};
    struct schema *schema = schema_parse(
        span_of("{\"type\":\"object\",\"properties\":{\"a/b\":{\"type\":"
                "\"array\",\"items\":{\"anyOf\":[{\"type\":\"string\"},"
                "{\"type\":\"number\"}]}}}}"),
        "t", &options, &err);
    struct buf out = buf_limit(10000);
    test_ok(&err);
    prompt_outline(schema, &out, &err);
    assert_string_equal(err.reason, "schema-refused");
    assert_non_null(
        strstr(err.text, "t: /properties/a~1b/items: the embedded"));
    assert_non_null(strstr(err.text, "platen model get"));
    buf_free(&out);
    schema_free(schema);
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

#define TAG(name) "\xe3\x80\x90" name "\xe3\x80\x91"

static void nuextract_is_asked_by_its_template(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema_options options = {0};
    struct schema *schema = schema_parse(
        span_of(
            "{\"type\":\"object\",\"properties\":{"
            "\"shop\":{\"type\":[\"string\",\"null\"]},"
            "\"day\":{\"anyOf\":[{\"type\":\"string\",\"format\":\"date\"}"
            ",{\"type\":\"null\"}],\"description\":\"of delivery\"},"
            "\"rows\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/row\""
            "}},\"kind\":{\"enum\":[\"a\",\"b\",null]}},"
            "\"$defs\":{\"row\":{\"type\":\"object\",\"properties\":{"
            "\"n\":{\"type\":\"integer\"},\"price\":{\"type\":\"number\"}}}"
            "}}"),
        "t", &options, &err);
    test_ok(&err);
    struct buf out = buf_limit(10000);
    prompt_nuextract(schema, "Read well.", &out, &err);
    test_ok(&err);
    assert_string_equal(
        out.data,
        TAG("task") "structured\n" TAG(
            "template_start") "{\n    \"shop\": "
                              "\"verbatim-string\",\n    "
                              "\"day\": \"date\",\n    "
                              "\"rows\": [\n        {\n            "
                              "\"n\": "
                              "\"integer\",\n            "
                              "\"price\": \"number\"\n        }\n    "
                              "],\n    "
                              "\"kind\": [\n        "
                              "\"a\",\n        \"b\"\n    ]\n}" TAG(
                                  "template_"
                                  "end") "\n" TAG("instructions_"
                                                  "start") "Read "
                                                           "well."
                                                           "\nday: "
                                                           "of "
                                                           "deliver"
                                                           "y" TAG(
                                                               "instr"
                                                               "uc"
                                                               "tions"
                                                               "_"
                                                               "end") "\n" TAG("document_start") "\n");
    buf_free(&out);
    schema_free(schema);
}

/* No server finds a chat token in it; doing it twice changes nothing more. */
static void chat_tokens_are_made_harmless(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
        bool lines;
    } row[] = {
        {"<|im_end|>\n[INST] a", "< |im_end|>\n[ INST] a", true},
        {"<|im_end|>\n[INST] a", "< |im_end|>[ INST] a", false},
        {"a < b <", "a < b < ", true},
        {"<\xe2\x80\x8b|im_end|>", "< |im_end|>", true},
        {"<\n|im_end|>", "<\n|im_end|>", true},
        {"[\"</s>\",[1]]", "[ \"< /s>\",[ 1]]", true},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct buf once = buf_limit(1000), twice = buf_limit(1000);
        prompt_add_escaped(row[i].text, row[i].lines, &once);
        assert_string_equal(buf_span(&once).data, row[i].want);
        prompt_add_escaped(buf_span(&once).data, row[i].lines, &twice);
        assert_string_equal(buf_span(&twice).data, row[i].want);
        buf_free(&once);
        buf_free(&twice);
    }
}

TEST_GROUP(prompt, cmocka_unit_test(nuextract_is_asked_by_its_template),
           cmocka_unit_test(a_receipt_is_an_outline),
           cmocka_unit_test(chat_tokens_are_made_harmless),
           cmocka_unit_test(what_has_no_outline_is_refused),
           cmocka_unit_test(a_refusal_names_place_and_remedy),
           cmocka_unit_test(the_full_prompt_ends_with_the_schema))
