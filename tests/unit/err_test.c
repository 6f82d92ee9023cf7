/* err_test.c - failures are sticky, worded once and carry their context. */
#include "tests/support/test.h"

#include <errno.h>
#include <string.h>

static void first_failure_wins(void **state)
{
    (void)state;
    struct err err = {0};
    assert_false(err_set(&err, ERR_INPUT, "page %d is torn", 3));
    assert_false(err_set(&err, ERR_SYSTEM, "disk full"));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_string_equal(err.text, "page 3 is torn");
}

static void context_goes_in_front(void **state)
{
    (void)state;
    struct err err = {0};
    err_context(&err, "unused");
    assert_false(err_failed(&err));
    err_set(&err, ERR_INPUT, "torn");
    err_context(&err, "%s", "a.pdf");
    assert_string_equal(err.text, "a.pdf: torn");
}

static void long_context_is_cut_not_overrun(void **state)
{
    (void)state;
    struct err err = {0};
    char name[2000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    err_set(&err, ERR_INPUT, "torn");
    err_context(&err, "%s", name);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void errno_picks_the_kind(void **state)
{
    (void)state;
    struct err err = {0};
    errno = ENOENT;
    err_errno(&err, "a.pdf");
    assert_int_equal(err.kind, ERR_MISSING);
    assert_int_equal(err.sys, ENOENT);
    struct err full = {0};
    errno = ENOSPC;
    err_errno(&full, "out");
    assert_int_equal(full.kind, ERR_SYSTEM);
}

TEST_GROUP(err, cmocka_unit_test(first_failure_wins),
           cmocka_unit_test(context_goes_in_front),
           cmocka_unit_test(long_context_is_cut_not_overrun),
           cmocka_unit_test(errno_picks_the_kind))
