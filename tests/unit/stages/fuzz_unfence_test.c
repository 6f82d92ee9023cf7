/* fuzz_unfence_test.c - the seeds of the unfencer's fuzz target, replayed. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/test.h"

static void unfence_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("unfence", unfence_fuzz) > 100);
}

TEST_GROUP(fuzz_unfence, cmocka_unit_test(unfence_seeds_hold))
