/* near_test.c - which known name a mistyped one is closest to. */
#include "tests/support/test.h"

#include "vlm/base/suggest.h"

static const char *nearest(const char *wanted)
{
    static const char *const names[] = {"receipt", "invoice", "letter", "page",
                                        "run",     "retry",   "watch"};
    struct suggest near = suggest_begin(wanted);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        suggest_try(&near, names[i]);
    return near.best;
}

static void a_typo_finds_its_name(void **state)
{
    (void)state;
    assert_string_equal(nearest("Reciept"), "receipt");
    assert_string_equal(nearest("receipts"), "receipt");
    assert_string_equal(nearest("INVOICES"), "invoice");
    assert_string_equal(nearest("rnu"), "run");
    assert_string_equal(nearest("wach"), "watch");
    assert_string_equal(nearest("pgae"), "page");
    assert_string_equal(nearest("retr_y"), "retry");
}

static void what_is_far_finds_nothing(void **state)
{
    (void)state;
    assert_null(nearest(""));
    assert_null(nearest("x"));
    assert_null(nearest("contract"));
    assert_null(nearest("bank-statement-of-a-very-long-name-that-is-nothing-"
                        "like-the-others"));
}

TEST_GROUP(near, cmocka_unit_test(a_typo_finds_its_name),
           cmocka_unit_test(what_is_far_finds_nothing))
