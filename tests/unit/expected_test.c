/* expected_test.c - where an answer is in the expected one, whatever it says. */
#include <string.h>

#include "tests/support/test.h"
#include "vlm/generate/expected.h"

static const char rows[] =
    "{\"name\":\"Shop \\\"A\\\"\",\"tags\":[],\"date\":null,\"items\":["
    "{\"name\":\"Tea\",\"price\":3.50},{\"name\":\"Rye bread\",\"price\":4.10},"
    "{\"name\":\"Soap\",\"price\":4.10}],\"total\":11.70}";

/* After this answer, what is expected next begins with `next` (or is nothing). */
static void assert_next(const char *expected, const char *answer,
                        const char *next)
{
    struct expected_answer e;
    expected_begin(&e, span_of(expected));
    expected_note(&e, span_of(answer));
    struct span got = expected_next(&e);
    bool right = *next ? span_starts(got, next) : got.size == 0;
    if (!right)
        fail_msg("after %s: %.*s, not %s", answer, (int)got.size, got.data,
                 next);
}

static void the_same_answer_is_followed(void **state)
{
    (void)state;
    char answer[sizeof rows];
    for (size_t n = 0; n < strlen(rows); n++) {
        memcpy(answer, rows, n);
        answer[n] = '\0';
        bool known = strncmp(rows + n, "null", 4) != 0 && rows[n] != ']' &&
                     strncmp(rows + n, "[]", 2) != 0;
        if (known) assert_next(rows, answer, (char[]){rows[n], '\0'});
    }
}

static void nothing_is_expected_of_what_is_not_known(void **state)
{
    (void)state;
    struct expected_answer e;
    expected_begin(&e, span_of(rows));
    expected_note(&e, span_of("{\"name\":\"Shop \\\"A\\\"\",\"tags\":"));
    assert_int_equal(expected_next(&e).size, 0); /* [] */
    expected_note(&e, span_of("["));
    assert_int_equal(expected_next(&e).size, 0); /* ] */
    expected_note(&e, span_of("\"a\"],\"date\":"));
    assert_int_equal(expected_next(&e).size, 0); /* null */
    assert_next("", "{\"a\":", "");
    assert_next("{\"a\":\"null\"}", "{\"a\":", "\"null\"}");
}

static void another_value_is_left_with_the_next_key(void **state)
{
    (void)state;
    assert_next(rows, "{\"name\":\"Other", "");
    assert_next(rows, "{\"name\":\"Other\",\"tags\":[],\"date\":1,\"items\":",
                "[{\"name\":\"Tea\"");
    assert_next(rows, "{\"items\":[{\"name\":\"Tea\",\"price\":3.5,", "");
    assert_next(rows, "{\"items\":[{\"name\":\"Tee\",\"price\":", "3.50},{");
    assert_next(rows, "{\"items\":[{\"name\":\"Tea\",\"price\":9}],\"total\":",
                "11.70}");
}

/* A row that one of the two has not. */
static void rows_are_found_again_by_their_texts(void **state)
{
    (void)state;
    assert_next(rows, "{\"items\":[{\"name\":\"Rye bread\",\"price\":",
                "4.10},{\"name\":\"Soap\"");
    assert_next(rows,
                "{\"items\":[{\"name\":\"Tea\",\"price\":3.50},{\"name\":"
                "\"Milk\",\"price\":1.00},{\"name\":\"Rye bread\"",
                ",\"price\":4.10}");
}

/* Foreign text: keys of any length, quotes, an answer that goes on behind the
 * end. */
static void any_answer_is_survived(void **state)
{
    (void)state;
    char answer[4096];
    for (size_t i = 0; i < sizeof answer - 1; i++)
        answer[i] = "\"\\:,{}[]aA7\n"[(i * i + i / 7) % 12];
    answer[sizeof answer - 1] = '\0';
    struct expected_answer e;
    expected_begin(&e, span_of(rows));
    for (int i = 0; i < 3; i++) {
        expected_note(&e, span_of(answer));
        expected_note(&e, span_of(rows));
        assert_true(e.at <= strlen(rows));
        struct span next = expected_next(&e);
        assert_true(next.size <= strlen(rows) - e.at);
    }
}

TEST_GROUP(expected, cmocka_unit_test(the_same_answer_is_followed),
           cmocka_unit_test(nothing_is_expected_of_what_is_not_known),
           cmocka_unit_test(another_value_is_left_with_the_next_key),
           cmocka_unit_test(rows_are_found_again_by_their_texts),
           cmocka_unit_test(any_answer_is_survived))
