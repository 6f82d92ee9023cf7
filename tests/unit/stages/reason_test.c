/* reason_test.c - the list of reasons is closed and complete. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/document/reason.h"

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

/* Whatever a process says that was taken over. */
static void a_message_is_not_trusted(void **state)
{
    (void)state;
    struct reason_message m = {.kind = ERR_INPUT, .page = -3};
    struct err err = {0};
    memset(m.text, '\xff', sizeof m.text);
    memset(m.code, 'x', sizeof m.code);
    reason_unpack(&m, &err);
    assert_int_equal(err.kind, ERR_INPUT);
    assert_string_equal(err.reason, "internal");
    assert_int_equal(err.page, 0);
    assert_int_equal(strspn(err.text, "?"), sizeof m.text - 1);
    err = (struct err){0};
    reason_unpack(&(struct reason_message){.kind = 77, .text = "a\nb\x1b[0m"},
                  &err);
    assert_int_equal(err.kind, ERR_CHILD);
    assert_string_equal(err.text, "a?b?[0m");
    struct err whole = {0};
    err_reason(&whole, ERR_LIMIT, "too-large", "caf\xc3\xa9 of %d MB", 3);
    whole.page = 7;
    reason_pack(&whole, &m);
    err = (struct err){0};
    reason_unpack(&m, &err);
    assert_string_equal(err.text, whole.text);
    assert_ptr_equal(err.reason, reason_find("too-large")->code);
    assert_int_equal(err.page, 7);
}

TEST_GROUP(reason, cmocka_unit_test(every_code_is_unique_and_has_a_remedy),
           cmocka_unit_test(every_kind_has_a_reason),
           cmocka_unit_test(weather_is_never_blamed_on_a_document),
           cmocka_unit_test(a_message_is_not_trusted))
