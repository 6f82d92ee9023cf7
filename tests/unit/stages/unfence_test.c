/* unfence_test.c - spool.md M-06: exactly the documented wrappers come off. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/unfence.h"

static const struct {
    const char *answer, *inner; /* NULL: refused */
} cases[] = {
    {"{\"a\":1}", "{\"a\":1}"},
    {" \r\n{\"a\":1}\n\t", "{\"a\":1}"},
    {"\xef\xbb\xbf{\"a\":1}", "{\"a\":1}"},
    {"```\n{\"a\":1}\n```", "{\"a\":1}"},
    {"```json\n{\"a\":1}\n```\n", "{\"a\":1}"},
    {"```JSON\r\n{\"a\":1}\r\n```\r\n", "{\"a\":1}"},
    {"~~~ json\n[1]\n~~~", "[1]"},
    {"````json\n{\"a\":\"```\"}\n````", "{\"a\":\"```\"}"},
    {"```json\n{\"a\":\"``` \",\n\"b\":2}\n```", "{\"a\":\"``` \",\n\"b\":2}"},
    {"<think>\n\n</think>\n\n{\"a\":1}", "{\"a\":1}"},
    {"<think>it is {\"a\":2}</think>```json\n{\"a\":1}\n```", "{\"a\":1}"},
    {"\"```json\"", "\"```json\""},
    {"", ""},
    /* left as they are, so that the JSON reader refuses them */
    {"Here you are: {\"a\":1}", "Here you are: {\"a\":1}"},
    {"Here:\n```json\n{}\n```", "Here:\n```json\n{}\n```"},
    {"```python\n{}\n```", "```python\n{}\n```"},
    {"``\n{}\n``", "``\n{}\n``"},
    {"{}{}", "{}{}"},
    /* refused */
    {"```json\n{\"a\":1}", NULL},
    {"```json", NULL},
    {"```json\n{}\n~~~", NULL},
    {"```json\n{}\n```\nAnything else?", NULL},
    {"```json\n{}\n```\n```json\n{}\n```", NULL},
    {"<think>on and on {\"a\":1}", NULL},
};

static void exactly_the_documented_wrappers_come_off(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = {0};
        struct span got = unfence(span_of(cases[i].answer), &err);
        if (!cases[i].inner) {
            if (!err_failed(&err)) fail_msg("taken: %s", cases[i].answer);
            assert_string_equal(err.reason, "model-invalid-json");
            continue;
        }
        test_ok(&err);
        if (!span_equal(got, span_of(cases[i].inner)))
            fail_msg("%s: got %.*s", cases[i].answer, (int)got.size, got.data);
    }
}

TEST_GROUP(unfence, cmocka_unit_test(exactly_the_documented_wrappers_come_off))
