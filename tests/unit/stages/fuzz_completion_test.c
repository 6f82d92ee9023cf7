/* fuzz_completion_test.c - the seeds of the fuzz target of endpoints' replies,
 * replayed. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/test.h"

static void completion_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("completion", completion_fuzz) > 100);
}

TEST_GROUP(fuzz_completion, cmocka_unit_test(completion_seeds_hold))
