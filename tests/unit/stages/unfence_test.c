/* unfence_test.c - what is taken off an answer, and what is not. */
#include "stages/ask/unfence.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

struct row {
    const char *name, *answer, *want; /* want NULL: refused */
};

static const struct row rows[] = {
    {"bare", "{\"a\":1}", "{\"a\":1}"},
    {"white space", " \t\r\n{\"a\":1}\n\n", "{\"a\":1}"},
    {"a scalar", "null\n", "null"},
    {"byte order mark", "\xEF\xBB\xBF{}", "{}"},
    {"mark behind a space", " \xEF\xBB\xBF{}", NULL},
    {"fence", "```\n{}\n```", "{}"},
    {"json tag", "```json\n{}\n```\n", "{}"},
    {"upper-case tag", "```JSON\n{}\n```", "{}"},
    {"tag behind a space", "``` json \n{}\n```", "{}"},
    {"other tag", "```python\n{}\n```", NULL},
    {"tag with more", "```json5\n{}\n```", NULL},
    {"tildes", "~~~json\n{}\n~~~", "{}"},
    {"longer fence", "`````\n{}\n`````", "{}"},
    {"longer closing", "```\n{}\n`````", "{}"},
    {"shorter closing", "`````\n{}\n```", NULL},
    {"mixed", "```\n{}\n~~~", NULL},
    {"two backticks", "``\n{}\n``", NULL},
    {"on one line", "```json {} ```", NULL},
    {"closing on the value's line", "```json\n{}```", NULL},
    {"unclosed", "```json\n{\"a\":1}", NULL},
    {"only opened", "```json", NULL},
    {"empty fence", "```json\n```", NULL},
    {"fence in a string", "{\"a\":\"```json\\n{}\\n```\"}",
     "{\"a\":\"```json\\n{}\\n```\"}"},
    {"fence in a fenced string", "```\n{\"a\":\"```\"}\n```",
     "{\"a\":\"```\"}"},
    {"brackets in a string", "{\"a\":\"}{\\\"]\"}", "{\"a\":\"}{\\\"]\"}"},
    {"two blocks", "```json\n{}\n```\n```json\n{}\n```", NULL},
    {"two values", "{} {}", NULL},
    {"prose before", "Here it is: {}", NULL},
    {"prose behind", "{\"a\":1} I hope that this is fine", NULL},
    {"prose around a fence", "Sure!\n```json\n{}\n```", NULL},
    {"prose behind a fence", "```json\n{}\n```\nDone.", NULL},
    {"carriage returns", "```json\r\n{\"a\":1}\r\n```\r\n", "{\"a\":1}"},
    {"empty think", "<think>\n\n</think>\n\n{}", "{}"},
    {"filled think", "<think>{\"no\":1} ``` </think>{}", "{}"},
    {"think and fence", "\n<think>x</think>\n```json\n{}\n```", "{}"},
    {"unclosed think", "<think>{}", NULL},
    {"second think", "<think></think><think></think>{}", NULL},
    {"think behind", "{}<think></think>", NULL},
    {"think in a fence", "```\n<think></think>{}\n```", NULL},
    {"closing think alone", "</think>{}", NULL},
    {"empty", "", NULL},
    {"white space alone", " \n", NULL},
    {"cut short", "{\"a\":[1,2", "{\"a\":[1,2"}, /* the parser's to say */
    {"inside is kept", "```\n{ \"a\" :\t1 ,}\n```", "{ \"a\" :\t1 ,}"},
};

static void takes_off_what_is_documented(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = {0};
        struct span got = unfence(span_of(rows[i].answer), &err);
        if (!rows[i].want) {
            if (!err_failed(&err))
                fail_msg("%s: taken as %.*s", rows[i].name, (int)got.size,
                         got.data);
            assert_int_equal(err.kind, ERR_ANSWER);
            assert_string_equal(err.reason, "model-invalid-json");
        } else if (err_failed(&err) || !span_equal(got, span_of(rows[i].want)))
            fail_msg("%s: got %.*s (%s), want %s", rows[i].name, (int)got.size,
                     got.data, err.text, rows[i].want);
    }
}

/* Answers that unfence refuses, and the values that are found in them, each
 * behind a bar; NULL: refused all the same. */
static const struct row words[] = {
    {"before and behind", "Here you are: {\"a\":1} Enjoy!", "|{\"a\":1}"},
    {"behind a fence", "```json\n{}\n```\nDone.", "|{}"},
    {"a fence on one line", "```json {\"a\":[1]} ```", "|{\"a\":[1]}"},
    {"a fence that is not closed", "```json\n{\"a\":1}", "|{\"a\":1}"},
    {"thinking without its beginning",
     "so it is {\"a\":1}\n</think>\n{\"a\":2}", "|{\"a\":2}"},
    {"thinking behind", "{\"a\":1}<think></think>", "|{\"a\":1}"},
    {"two", "{\"a\":1} or {\"a\":2}", "|{\"a\":1}|{\"a\":2}"},
    {"a list in a sentence", "[1] says {}", "|[1]|{}"},
    {"no part of a value", "it is [{\"a\":1}].", "|[{\"a\":1}]"},
    {"nothing", "I cannot read this.", ""},
    {"cut short", "it is {\"a\":[{\"b\":1}]", NULL},
    {"a bracket too many", "\"x\":{\"a\":1}}", NULL},
    {"a mark in a string", "is: {\"a\":\"</think> {}\"}", NULL},
    {"thinking that does not end", "<think>{}", NULL},
};

static void finds_values_among_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct err err = {0};
        struct span value[UNFENCE_MAX];
        char got[200] = "";
        int n = unfence_values(span_of(words[i].answer), value, &err);
        for (int k = 0; k < n; k++) {
            size_t at = strlen(got);
            snprintf(got + at, sizeof got - at, "|%.*s", (int)value[k].size,
                     value[k].data);
        }
        if (!words[i].want) {
            if (!err_failed(&err)) fail_msg("%s: %s", words[i].name, got);
            assert_string_equal(err.reason, "model-invalid-json");
        } else if (err_failed(&err) || strcmp(got, words[i].want) != 0)
            fail_msg("%s: got %s (%s), want %s", words[i].name, got, err.text,
                     words[i].want);
    }
    char many[100];
    for (int i = 0; i < 100; i++)
        many[i] = i % 2 ? ']' : '[';
    struct err err = {0};
    struct span value[UNFENCE_MAX];
    assert_int_equal(unfence_values((struct span){many, 100}, value, &err), 0);
    assert_true(err_failed(&err));
}

static void keeps_an_earlier_failure(void **state)
{
    (void)state;
    struct err err = {0};
    err_set(&err, ERR_REMOTE, "earlier");
    assert_int_equal(unfence(span_of("{}"), &err).size, 0);
    assert_string_equal(err.text, "earlier");
}

TEST_GROUP(unfence, cmocka_unit_test(takes_off_what_is_documented),
           cmocka_unit_test(finds_values_among_words),
           cmocka_unit_test(keeps_an_earlier_failure))
