/* required_test.c - a guess becomes null where the schema wants evidence. */
#include "stages/ask/required_evidence.h"
#include "stages/engine/engine.h"

#include <string.h>

#include "tests/support/test.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

static const char text[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"iban\":{\"type\":[\"string\",\"null\"],"
    "\"x-platen-required-evidence\":true},"
    "\"name\":{\"type\":[\"string\",\"null\"]},"
    "\"no\":{\"type\":\"string\",\"x-platen-required-evidence\":true},"
    "\"off\":{\"type\":[\"string\",\"null\"],"
    "\"x-platen-required-evidence\":false},"
    "\"a/b\":{\"anyOf\":[{\"type\":\"null\"},{\"$ref\":\"#/$defs/sum\"}]},"
    "\"rows\":{\"x-platen-required-evidence\":true,\"type\":\"array\","
    "\"items\":{\"type\":\"object\",\"properties\":{"
    "\"n\":{\"type\":[\"integer\",\"null\"]},"
    "\"unit\":{\"type\":\"string\"}}}},"
    "\"map\":{\"type\":\"object\",\"additionalProperties\":"
    "{\"$ref\":\"#/$defs/maybe\"}}},"
    "\"patternProperties\":{\"^x-\":{\"$ref\":\"#/$defs/maybe\"}},"
    "\"if\":{\"required\":[\"name\"]},\"then\":{\"properties\":{"
    "\"late\":{\"$ref\":\"#/$defs/maybe\"}}},"
    "\"required\":[\"iban\",\"no\"],"
    "\"$defs\":{\"sum\":{\"type\":\"number\","
    "\"x-platen-required-evidence\":true},"
    "\"maybe\":{\"type\":[\"string\",\"null\"],"
    "\"x-platen-required-evidence\":true}}}";

struct desk {
    struct schema *schema;
    struct document *doc;
    cJSON *value;
    struct err err;
};

static struct desk set_up(const char *value)
{
    struct desk d = {0};
    struct schema_options o = {.format_asserts = true};
    d.schema = schema_parse(span_of(text), "s", &o, &d.err);
    d.value = json_parse(span_of(value), &d.err);
    d.doc = document_new("id", "a.pdf", -1);
    d.doc->schema = d.schema;
    test_ok(&d.err);
    return d;
}

static void tear_down(struct desk *d)
{
    test_ok(&d->err);
    cJSON_Delete(d->value);
    document_free(d->doc);
    schema_free(d->schema);
}

/* Of a model that nothing is known of. */
static const struct confidence *trust_below(double review_threshold)
{
    static struct confidence trust;
    struct engine_facts facts = {.model_hash = ""};
    trust = confidence_of_answer(&facts, review_threshold);
    return &trust;
}

static void value_is(const struct desk *d, const char *want)
{
    struct buf out = buf_limit(10000);
    json_print(&out, d->value, 0);
    assert_string_equal(out.data, want);
    buf_free(&out);
}

static void a_guess_becomes_null_and_is_told(void **state)
{
    (void)state;
    struct desk d =
        set_up("{\"iban\":\"DE12\",\"name\":\"Ann\",\"no\":\"7\",\"off\":\"x\","
               "\"a/b\":12.50,\"rows\":[{\"n\":1,\"unit\":\"kg\"},"
               "{\"n\":2,\"unit\":\"kg\"}],\"map\":{\"k\":\"v\"}}");
    struct field f[] = {{.pointer = "/iban", .p = .2, .p_legal = 1},
                        {.pointer = "/name", .p = .2, .p_legal = 1},
                        {.pointer = "/no", .p = .2, .p_legal = 1},
                        {.pointer = "/off", .p = .2, .p_legal = 1},
                        {.pointer = "/a~1b", .p = .3, .p_legal = 1},
                        {.pointer = "/rows/0/n", .p = .9, .p_legal = 1},
                        {.pointer = "/rows/1/n", .p = .4, .p_legal = 1},
                        {.pointer = "/rows/1/unit", .p = .9, .p_legal = 1},
                        {.pointer = "/map/k", .p = .49, .p_legal = 1}};
    d.doc->field = f;
    d.doc->n_field = 9;
    required_evidence(d.doc, d.value, 2, true, trust_below(.5), &d.err);
    value_is(&d, "{\"iban\":null,\"name\":\"Ann\",\"no\":\"7\",\"off\":\"x\","
                 "\"a/b\":null,\"rows\":[{\"n\":1,\"unit\":\"kg\"},"
                 "{\"n\":null,\"unit\":\"kg\"}],\"map\":{\"k\":null}}");
    assert_int_equal(d.doc->warnings->n, 5);
    assert_string_equal(d.doc->warnings->row[0].text,
                        "page 2: dropped /iban: \"DE12\" has a probability of "
                        "0.20 only, and the schema requires evidence");
    assert_string_equal(d.doc->warnings->row[1].text,
                        "page 2: no evidence for /no: it has a probability of "
                        "0.20 only, but the schema allows no null there");
    assert_non_null(strstr(d.doc->warnings->row[2].text, "/a~1b: 12.50 "));
    assert_true(f[0].dropped && f[4].dropped && f[6].dropped && f[8].dropped);
    assert_false(f[1].dropped || f[2].dropped || f[3].dropped || f[5].dropped);
    tear_down(&d);
}

static void a_mark_stands_anywhere_in_the_schema(void **state)
{
    (void)state;
    struct desk d = set_up("{\"iban\":null,\"no\":\"7\",\"name\":null,"
                           "\"x-a\":\"1\",\"y-a\":\"2\",\"late\":\"3\"}");
    struct field f[] = {{.pointer = "/x-a", .p = .2, .p_legal = 1},
                        {.pointer = "/y-a", .p = .2, .p_legal = 1},
                        {.pointer = "/late", .p = .2, .p_legal = 1}};
    d.doc->field = f;
    d.doc->n_field = 3;
    required_evidence(d.doc, d.value, 0, true, trust_below(.5), &d.err);
    value_is(&d, "{\"iban\":null,\"no\":\"7\",\"name\":null,\"x-a\":null,"
                 "\"y-a\":\"2\",\"late\":null}");
    tear_down(&d);
}

static void nothing_goes_at_or_above_the_limit(void **state)
{
    (void)state;
    const char *value = "{\"iban\":\"DE12\",\"no\":\"7\"}";
    struct desk d = set_up(value);
    struct field f[] = {{.pointer = "/iban", .p = .5, .p_legal = 1},
                        {.pointer = "/no", .p = .5, .p_legal = 1}};
    d.doc->field = f;
    d.doc->n_field = 2;
    required_evidence(d.doc, d.value, 0, true, trust_below(.5), &d.err);
    required_evidence(d.doc, d.value, 0, true, trust_below(0), &d.err);
    value_is(&d, value);
    assert_int_equal(d.doc->warnings->n, 0);
    tear_down(&d);
}

static void a_null_needs_no_evidence(void **state)
{
    (void)state;
    struct desk d = set_up("{\"iban\":null,\"no\":\"7\"}");
    struct field f[] = {{.pointer = "/iban", .p = .1, .p_legal = 1}};
    d.doc->field = f;
    d.doc->n_field = 1;
    required_evidence(d.doc, d.value, 0, true, trust_below(.5), &d.err);
    assert_int_equal(d.doc->warnings->n, 0);
    assert_false(f[0].dropped);
    tear_down(&d);
}

static void without_probabilities_a_warning_says_so(void **state)
{
    (void)state;
    const char *value = "{\"iban\":null,\"name\":\"A\",\"no\":\"\","
                        "\"rows\":[{\"n\":null},{\"n\":4}]}";
    struct desk d = set_up(value);
    required_evidence(d.doc, d.value, 0, false, trust_below(.5), &d.err);
    required_evidence(d.doc, d.value, 0, false, trust_below(.5), &d.err);
    value_is(&d, value);
    assert_int_equal(d.doc->warnings->n, 1);
    assert_non_null(strstr(d.doc->warnings->row[0].text, "no probabilities"));
    tear_down(&d);
}

static void values_without_a_mark_are_left_in_peace(void **state)
{
    (void)state;
    struct desk d = set_up("{\"iban\":null,\"no\":\"7\",\"name\":\"x\"}");
    cJSON_DeleteItemFromObjectCaseSensitive(d.value, "no");
    required_evidence(d.doc, d.value, 0, false, trust_below(.5), &d.err);
    assert_int_equal(d.doc->warnings->n, 0);
    tear_down(&d);
}

TEST_GROUP(required, cmocka_unit_test(a_guess_becomes_null_and_is_told),
           cmocka_unit_test(a_mark_stands_anywhere_in_the_schema),
           cmocka_unit_test(nothing_goes_at_or_above_the_limit),
           cmocka_unit_test(a_null_needs_no_evidence),
           cmocka_unit_test(without_probabilities_a_warning_says_so),
           cmocka_unit_test(values_without_a_mark_are_left_in_peace))
