/* missing_ref_test.c - published schemas: missing references, names that look
 * like keywords. */
#include "tests/support/test.h"

#include <stdio.h>

#include "vlm/grammar/grammar.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

#define GONE "{\"$ref\":\"https://example.com/gone.json\"}"

static struct schema *parse(const char *text, bool closes, struct err *err)
{
    struct schema_options options = {.for_generation = closes};
    return schema_parse(span_of(text), "test", &options, err);
}

static bool admits(const struct schema *s, const char *text)
{
    struct err err = {0};
    cJSON *value = json_parse(span_of(text), &err);
    test_ok(&err);
    bool valid = schema_admits(s, schema_root(s), value);
    cJSON_Delete(value);
    return valid;
}

static void what_is_not_here_is_closed_for_a_writer(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{\"a\":" GONE ",\"b\":{"
        "\"type\":\"integer\"},\"c\":{\"type\":\"array\",\"items\":{\"$ref\":"
        "\"https://example.com/gone.json#/$defs/"
        "deep\"}},\"d\":{\"anyOf\":[" GONE ",{\"type\":\"null\"}]}}}";
    struct err err = {0};
    struct schema *s = parse(schema, true, &err);
    test_ok(&err);
    assert_true(admits(s, "{\"b\":1,\"c\":[],\"d\":null}"));
    assert_false(admits(s, "{\"a\":1}"));
    assert_false(admits(s, "{\"c\":[1]}"));
    assert_false(admits(s, "{\"d\":1}"));
    int n = 0;
    while (schema_note(s, n)) {
        assert_non_null(strstr(schema_note(s, n), "https://example.com/gone"));
        assert_non_null(strstr(schema_note(s, n), "not found"));
        assert_non_null(
            strstr(schema_note(s, n), "nothing is generated there"));
        n++;
    }
    assert_int_equal(n, 3);
    schema_free(s);
    /* who judges a document must know all of it */
    assert_null(parse(schema, false, &err));
    assert_string_equal(err.reason, "schema-refused");
}

/* Where less below is more for the whole, and where it must be there. */
static void what_cannot_be_done_without_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *schema, *place;
    } row[] = {
        {"{\"not\":" GONE "}", "test#/not"},
        {"{\"properties\":{\"a\":{\"not\":{\"properties\":{\"b\":" GONE "}}}}}",
         "test#/properties/a/not/properties/b"},
        {"{\"oneOf\":[" GONE ",{\"type\":\"object\"}]}", "test#/oneOf/0"},
        {"{\"if\":" GONE ",\"then\":{\"minimum\":3}}", "test#/if"},
        {"{\"type\":\"array\",\"contains\":" GONE ",\"maxContains\":2}",
         "test#/contains"},
        {"{\"not\":{\"$ref\":\"#/$defs/x\"},\"$defs\":{\"x\":{\"items\":" GONE
         "}}}",
         "test#/$defs/x/items"},
        {"{\"properties\":{\"a\":{\"$ref\":\"parts/a.json\"}}}",
         "test#/properties/a"},
        {"{\"$schema\":\"https://json-schema.org/draft-08/schema\"}",
         "test#/$schema"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct err err = {0};
        struct schema *s = parse(row[i].schema, true, &err);
        if (s) fail_msg("%s was loaded", row[i].schema);
        assert_string_equal(err.reason, "schema-refused");
        if (!strstr(err.text, row[i].place) || !strstr(err.text, "not found"))
            fail_msg("%s: %s", row[i].schema, err.text);
    }
}

static void what_must_be_there_names_what_is_not(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema *s =
        parse("{\"type\":\"object\",\"properties\":{\"o\":{\"$ref\":"
              "\"https://example.com/other.json\"},\"a\":" GONE
              "},\"required\":[\"a\"]}",
              true, &err);
    test_ok(&err);
    assert_null(grammar_compile(s, &err));
    assert_non_null(strstr(err.text, "test#/properties/a: \"$ref\": "
                                     "https://example.com/gone.json"));
    assert_non_null(strstr(err.text, "save it"));
    schema_free(s);
}

static void a_metaschema_that_is_not_here_is_noted(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"$schema\":\"https://example.com/meta\",\"type\":\"integer\"}";
    struct err err = {0};
    for (int closes = 0; closes < 2; closes++) {
        struct schema *s = parse(schema, closes, &err);
        test_ok(&err);
        assert_non_null(strstr(schema_note(s, 0), "https://example.com/meta"));
        assert_true(admits(s, "1"));
        assert_false(admits(s, "\"1\""));
        schema_free(s);
    }
}

/* Who judges documents may judge those of others, which hold it. */
static void a_writer_refuses_what_no_record_can_hold(void **state)
{
    (void)state;
    static const struct {
        const char *schema, *place;
    } row[] = {
        {"{\"properties\":{\"a\":{\"properties\":{\"b\\u0000c\":{}}}}}",
         "test#/properties/a: \"properties\" contains U+0000"},
        {"{\"required\":[\"a\\u0000\"]}",
         "test#: \"required\" contains U+0000"},
        {"{\"items\":{\"enum\":[\"a\",\"b\\u0000\"]}}",
         "test#/items: \"enum\" contains U+0000"},
        {"{\"const\":{\"\\u0000\":1}}", "test#: \"const\" contains U+0000"},
        {"{\"anyOf\":[{\"const\":\"\\u0000\"},{\"type\":\"null\"}]}",
         "test#/anyOf/0: \"const\" contains U+0000"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct err err = {0};
        schema_free(parse(row[i].schema, false, &err));
        test_ok(&err);
        if (parse(row[i].schema, true, &err)) fail_msg("%s", row[i].schema);
        if (!strstr(err.text, row[i].place) || !strstr(err.text, "remove it"))
            fail_msg("%s: %s", row[i].schema, err.text);
    }
    struct err err = {0};
    schema_free(
        parse("{\"title\":\"a\\u0000b\",\"default\":\"\\u0000\"}", true, &err));
    test_ok(&err);
}

/* The texts have one address; "#" is each one's own. */
static void a_fragment_is_of_its_own_text(void **state)
{
    (void)state;
    struct err err = {0};
#define PART(type)                                                          \
    "{\"$id\":\"https://example.com/t\",\"$ref\":\"#/$defs/v\",\"$defs\":{" \
    "\"v\":{\"type\":\"" type "\"}}}"
    struct schema *s = parse(
        "{\"properties\":{\"a\":" PART("integer") ",\"b\":" PART("string") "}}",
        false, &err);
    test_ok(&err);
    assert_true(admits(s, "{\"a\":1,\"b\":\"x\"}"));
    assert_false(admits(s, "{\"a\":\"x\"}"));
    assert_false(admits(s, "{\"b\":1}"));
    schema_free(s);
    assert_null(parse("{\"properties\":{\"a\":" PART("integer") ",\"b\":" PART(
                          "string") "},\"$ref\":\"https://example.com/t\"}",
                      false, &err));
#undef PART
}

static void words_of_other_tools_are_no_mistakes(void **state)
{
    (void)state;
    static const char *const row[] = {
        "\"discriminator\":{\"propertyName\":\"a\"}",
        "\"xml\":{}",
        "\"externalDocs\":{\"url\":\"u\"}",
        "\"example\":1",
        "\"nullable\":true",
        "\"markdownDescription\":\"d\"",
        "\"enumDescriptions\":[\"d\"]",
        "\"markdownEnumDescriptions\":[]",
        "\"enumNames\":[\"d\"]",
        "\"defaultSnippets\":[]",
        "\"deprecationMessage\":\"d\"",
        "\"errorMessage\":\"d\"",
        "\"patternErrorMessage\":\"d\"",
        "\"tsType\":\"T\"",
        "\"javaType\":\"T\"",
        "\"existingJavaType\":\"T\"",
        "\"$async\":true",
        "\"fileMatch\":[\"*\"]",
        "\"instanceof\":\"Date\"",
        "\"patterns\":[\"a\"]",
        "\"formats\":{}",
        "\"requires\":\"a\"",
        "\"types\":{}",
        "\"xrequired\":[\"a\"]",
        "\"_enum\":[1]",
        "\"//properties\":{}",
        "\"xRequired\":[\"a\"]",
        "\"allow\":[{}]",
        "\"@type\":\"sh:NodeShape\"",
        "\"typed\":\"by hand\"",
        "\"platform\":\"linux\""};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct err err = {0};
        char text[200];
        snprintf(text, sizeof text, "{\"type\":\"object\",%s}", row[i]);
        struct schema *s = parse(text, false, &err);
        if (!s) fail_msg("%s: %s", row[i], err.text);
        assert_non_null(strstr(schema_note(s, 0), "is not a keyword"));
        schema_free(s);
    }
}

static void what_was_meant_is_still_an_error(void **state)
{
    (void)state;
    static const char *const row[] = {"\"requred\":[\"a\"]",
                                      "\"Required\":[\"a\"]",
                                      "\"minitems\":1",
                                      "\"maxlength\":\"5\"",
                                      "\"x-platen-per-pages\":true",
                                      "\"propertes\":{}",
                                      "\"oneof\":[{}]",
                                      "\"pattern\\\"\":\"a\"",
                                      "\"patterns\":\"a\"",
                                      "\"ref\":\"#\"",
                                      "\"types\":\"string\"",
                                      "\"tpye\":\"string\"",
                                      "\"any_of\":[{}]",
                                      "\"max_items\":3",
                                      "\"minitem\":3",
                                      "\"patternProperty\":{\"a\":{}}",
                                      "\"x_platen_per_page\":true",
                                      "\"x-platten-read\":\"rows\"",
                                      "\"platen-read\":\"rows\"",
                                      "\"X-Platen-Read\":\"rows\""};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct err err = {0};
        char text[200];
        snprintf(text, sizeof text, "{\"title\":\"t\",%s}", row[i]);
        if (parse(text, true, &err)) fail_msg("%s was loaded", row[i]);
        assert_string_equal(err.reason, "schema-refused");
        assert_non_null(strstr(err.text, "test#"));
    }
}

/* What an older draft does not look at would have asked something: said, for
 * whoever wrote it believes that it is kept. */
static void what_a_draft_does_not_know_is_named(void **state)
{
    (void)state;
    static const char *const row[][3] = {
        {"04", "\"a\":{\"const\":1}",
         "test#/properties/a: \"const\" is ignored"},
        {"04", "\"a\":{\"contains\":{}}",
         "test#/properties/a: \"contains\" is ignored"},
        {"07", "\"a\":{\"prefixItems\":[{}]}", "a: \"prefixItems\" is ignored"},
        {"07", "\"a\":{\"$ref\":\"#\",\"maxLength\":2,\"default\":1}",
         "test#/properties/a: \"maxLength\" beside \"$ref\" is ignored"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct err err = {0};
        char text[300];
        snprintf(text, sizeof text,
                 "{\"$schema\":\"http://json-schema.org/draft-%s/schema#\","
                 "\"properties\":{%s}}",
                 row[i][0], row[i][1]);
        struct schema *s = parse(text, false, &err);
        test_ok(&err);
        assert_non_null(schema_note(s, 0));
        if (!strstr(schema_note(s, 0), row[i][2]))
            fail_msg("%s: %s", row[i][2], schema_note(s, 0));
        assert_null(schema_note(s, 1));
        schema_free(s);
    }
}

static void a_hyper_schema_is_of_its_draft(void **state)
{
    (void)state;
    struct err err = {0};
    struct schema *s = parse(
        "{\"$schema\":\"http://json-schema.org/draft-04/hyper-schema#\","
        "\"properties\":{\"a\":{\"minimum\":1,\"exclusiveMinimum\":true}}}",
        false, &err);
    test_ok(&err);
    assert_false(admits(s, "{\"a\":1}"));
    assert_true(admits(s, "{\"a\":2}"));
    schema_free(s);
}

TEST_GROUP(lack, cmocka_unit_test(what_is_not_here_is_closed_for_a_writer),
           cmocka_unit_test(what_cannot_be_done_without_is_refused),
           cmocka_unit_test(what_must_be_there_names_what_is_not),
           cmocka_unit_test(a_metaschema_that_is_not_here_is_noted),
           cmocka_unit_test(a_writer_refuses_what_no_record_can_hold),
           cmocka_unit_test(a_fragment_is_of_its_own_text),
           cmocka_unit_test(words_of_other_tools_are_no_mistakes),
           cmocka_unit_test(what_was_meant_is_still_an_error),
           cmocka_unit_test(what_a_draft_does_not_know_is_named),
           cmocka_unit_test(a_hyper_schema_is_of_its_draft))
