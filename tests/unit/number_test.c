/* number_test.c - decimals compared without a double. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "vlm/base/number.h"

static void order_is_exact(void **state)
{
    (void)state;
    /* Ascending; equal ones are on one line. */
    static const char *const row[][3] = {
        {"-1e400"},
        {"-12345678901234567890.5", "-12345678901234567890.50"},
        {"-12345678901234567890"},
        {"-0.1", "-1e-1", "-0.0000001E+6"},
        {"-1e-999"},
        {"0", "-0.0", "0e99"},
        {"1e-999"},
        {"0.10", "0.1", "1e-1"},
        {"0.11", "11E-2"},
        {"1", "1.0", "10e-1"},
        {"9007199254740992"},
        {"9007199254740993", "9007199254740993.0"},
        {"99999999999999999999"},
        {"1e20", "100000000000000000000", "1E+20"},
        {"1e400", "10e399", "0.1e401"},
        {"1e999999999999999999999999"},
    };
    int n = sizeof row / sizeof *row;
    for (int i = 0; i < n * 3; i++)
        for (int j = 0; j < n * 3; j++) {
            const char *a = row[i / 3][i % 3], *b = row[j / 3][j % 3];
            if (!a || !b) continue;
            int want = (i / 3 > j / 3) - (i / 3 < j / 3);
            int got = number_compare(a, b);
            if ((got > 0) - (got < 0) != want)
                fail_msg("%s and %s: %d, want %d", a, b, got, want);
            if (want == 0)
                assert_int_equal(number_hash(a), number_hash(b));
            else
                assert_int_not_equal(number_hash(a), number_hash(b));
        }
}

static void integers_are_known_by_value(void **state)
{
    (void)state;
    static const char *const yes[] = {
        "0",    "-0.0", "1.0", "1e2", "120e-1", "12345678901234567890123",
        "1e400"};
    static const char *const no[] = {
        "0.1", "1.5", "1e-1", "125e-1", "1e-999", "12345678901234567890.1"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(number_is_integer(yes[i]));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(number_is_integer(no[i]));
}

static void multiples_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool want;
    } t[] = {
        {"0", "0.01", true},
        {"10", "2", true},
        {"7", "2", false},
        {"0.0075", "0.0001", true},
        {"0.00751", "0.0001", false},
        {"35", "1.5", false},
        {"4.5", "1.5", true},
        {"-4.5", "1.5", true},
        {"1e308", "0.5", true},
        {"1e308", "0.123456789", false},
        {"19.99", "0.01", true},
        {"19.999", "0.01", false},
        {"1", "3", false},
        {"1e30", "3", false},
        {"3e30", "3", true},
        {"1e30", "1024", true},
        {"12345678901234567890", "10", true},
        {"12345678901234567891", "10", false},
        {"9007199254740993", "2", false},
        {"152415787532388367501905199875019052100", "12345678901234567890",
         true},
        {"152415787532388367501905199875019052101", "12345678901234567890",
         false},
        {"1e999999999999999999", "7", false},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (number_is_multiple(t[i].a, t[i].b) != t[i].want)
            fail_msg("%s of %s, want %d", t[i].a, t[i].b, t[i].want);
}

static void digits_of_a_multiple_have_a_limit(void **state)
{
    (void)state;
    char at[NUMBER_DIGITS_MAX + 1], over[NUMBER_DIGITS_MAX + 2];
    memset(at, '3', sizeof at - 1);
    at[sizeof at - 1] = '\0';
    memset(over, '3', sizeof over - 1);
    over[sizeof over - 1] = '\0';
    assert_true(number_is_multiple(at, "3"));
    assert_true(number_is_multiple(at, at));
    assert_false(number_is_multiple(over, "3"));
}

static void whole_values_are_cut_to_the_range(void **state)
{
    (void)state;
    assert_int_equal(number_whole("2.0", 0, 100), 2);
    assert_int_equal(number_whole("1e1", 0, 100), 10);
    assert_int_equal(number_whole("0.5e1", 0, 100), 5);
    assert_int_equal(number_whole("-3", -10, 100), -3);
    assert_int_equal(number_whole("-3", 0, 100), 0);
    assert_int_equal(number_whole("1e400", 0, 100), 100);
    assert_int_equal(number_whole("99999999999999999999", 0, 100), 100);
    assert_int_equal(number_whole("0.9", 0, 100), 0);
}

static void plain_texts_have_no_exponent(void **state)
{
    (void)state;
    static const char *const t[][2] = {
        {"0", "0"},
        {"-0.0e5", "0"},
        {"1.50e2", "150"},
        {"-12.340", "-12.34"},
        {"5E-3", "0.005"},
        {"-9007199254740993.0", "-9007199254740993"},
        {"10203e1", "102030"},
        {"123456789012345678901234", "123456789012345678901234"},
        {"-0.12345678901234567890123", "-0.12345678901234567890123"},
        {"1234567890123456789012345", NULL},
        {"1e24", NULL},
        {"1e-24", NULL},
        {"1e999999999999999999", NULL}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char out[NUMBER_PLAIN_SIZE];
        bool fits = number_plain(t[i][0], out);
        assert_int_equal(fits, t[i][1] != NULL);
        if (fits) assert_string_equal(out, t[i][1]);
    }
}

TEST_GROUP(number, cmocka_unit_test(plain_texts_have_no_exponent),
           cmocka_unit_test(order_is_exact),
           cmocka_unit_test(integers_are_known_by_value),
           cmocka_unit_test(multiples_are_exact),
           cmocka_unit_test(digits_of_a_multiple_have_a_limit),
           cmocka_unit_test(whole_values_are_cut_to_the_range))
