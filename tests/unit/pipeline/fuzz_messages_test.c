/* fuzz_messages_test.c - the seeds of the fuzz target of messages, replayed. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/test.h"

static void message_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("messages", messages_fuzz) > 100);
}

TEST_GROUP(fuzz_messages, cmocka_unit_test(message_seeds_hold))
