/* told_test.c - what tokens weigh becomes what values weigh. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "stages/ask/endpoint_logprobs.h"
#include "vlm/json/json.h"

enum { TOKEN_MAX = 40 };

/* The answer is its tokens, parted by '|'; the n-th (from 1) weighs 1 / (n + 1). */
static struct document *tell(const char *tokens, const char *payload,
                             cJSON **value)
{
    static struct document_token token[TOKEN_MAX];
    struct document *doc = document_new("id", "name", -1);
    char *text = arena_alloc(doc->arena, strlen(tokens) + 1);
    struct err err = {0};
    size_t size = 0;
    int n = 0;
    for (const char *at = tokens; *at; at += *at == '|') {
        assert_true(n < TOKEN_MAX);
        for (; *at && *at != '|'; at++)
            text[size++] = *at;
        token[n] = (struct document_token){size, -log(n + 2)};
        n++;
    }
    doc->answer = (struct span){text, size};
    doc->token_probs = (struct document_token_probs){token, n};
    const char *from = strstr(text, payload);
    struct span inner = {from, strlen(payload)};
    *value = json_parse(inner, &err);
    assert_non_null(*value);
    endpoint_logprobs_fields(doc, inner, *value);
    return doc;
}

static void is(const char *tokens, const char *payload, int n,
               const char *const *pointer, const double *p)
{
    cJSON *value;
    struct document *doc = tell(tokens, payload, &value);
    assert_int_equal(doc->n_field, n);
    for (int i = 0; i < n; i++) {
        assert_string_equal(doc->field[i].pointer, pointer[i]);
        assert_float_equal(doc->field[i].p, p[i], 1e-9);
        assert_true(doc->field[i].legal_unknown && !doc->field[i].unmeasured);
    }
    cJSON_Delete(value);
    document_free(doc);
}

static void each_value_has_the_tokens_that_it_is_made_of(void **state)
{
    (void)state;
    is("{\"|a|\":\"|x|\\\"y|\",|\"b\":|1|2|}", "{\"a\":\"x\\\"y\",\"b\":12}", 2,
       (const char *const[]){"/a", "/b"},
       (const double[]){1.0 / 5 / 6 / 7, 1.0 / 9 / 10 / 11});
    /* one that begins before counts when it holds more than a quote */
    is("{\"a\"|: \"x|y\"|, \"b\" : [tr|ue,| null]|}",
       "{\"a\": \"xy\", \"b\" : [true, null]}", 3,
       (const char *const[]){"/a", "/b/0", "/b/1"},
       (const double[]){1.0 / 3 / 4, 1.0 / 5 / 6, 1.0 / 7});
    is("[[]|,{}|,[\"|\"]]", "[[],{},[\"\"]]", 1, (const char *const[]){"/2/0"},
       (const double[]){1.0 / 5});
    is("7", "7", 1, (const char *const[]){""}, (const double[]){1.0 / 2});
}

static void what_stands_around_the_value_is_not_of_it(void **state)
{
    (void)state;
    is("``|`json\n|{\"a\": |1|.|5}\n|```", "{\"a\": 1.5}", 1,
       (const char *const[]){"/a"}, (const double[]){1.0 / 5 / 6 / 7});
}

static void where_nothing_is_told_nothing_is_known(void **state)
{
    (void)state;
    struct err err = {0};
    struct document *doc = document_new("id", "name", -1);
    cJSON *value = json_parse(span_of("[1]"), &err);
    doc->answer = span_of("[1]");
    endpoint_logprobs_fields(doc, doc->answer, value);
    assert_null(doc->field);
    assert_int_equal(doc->n_field, 0);
    cJSON_Delete(value);
    document_free(doc);
}

TEST_GROUP(told, cmocka_unit_test(each_value_has_the_tokens_that_it_is_made_of),
           cmocka_unit_test(what_stands_around_the_value_is_not_of_it),
           cmocka_unit_test(where_nothing_is_told_nothing_is_known))
