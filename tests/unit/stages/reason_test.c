/* reason_test.c - the list of reasons is closed and complete. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/reason.h"

static void every_code_is_unique_and_has_a_remedy(void **state)
{
    (void)state;
    size_t n = 0;
    for (; reason_at(n); n++) {
        const struct reason *r = reason_at(n);
        assert_ptr_equal(reason_find(r->code), r);
        assert_true(strlen(r->remedy) > 10);
        assert_true(strlen(r->meaning) > 10);
        assert_true(r->exit != EXIT_OK);
    }
    assert_true(n > 25);
    assert_null(reason_find("no such code"));
}

static void every_kind_has_a_reason(void **state)
{
    (void)state;
    for (int kind = ERR_ARGS; kind <= ERR_CANCELLED; kind++) {
        struct err err = {.kind = (enum err_kind)kind};
        assert_non_null(reason_of(&err));
    }
}

static void weather_is_never_blamed_on_a_document(void **state)
{
    (void)state;
    struct err err = {.kind = ERR_SYSTEM};
    assert_int_equal(reason_of(&err)->fate, FATE_WAIT);
    err.reason = "encrypted";
    assert_int_equal(reason_of(&err)->fate, FATE_REJECT);
}

TEST_GROUP(reason, cmocka_unit_test(every_code_is_unique_and_has_a_remedy),
           cmocka_unit_test(every_kind_has_a_reason),
           cmocka_unit_test(weather_is_never_blamed_on_a_document))
