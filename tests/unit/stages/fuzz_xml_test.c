/* fuzz_xml_test.c - the seeds of the XML fuzz target, replayed. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/test.h"

static void xml_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("xml", xml_fuzz) > 100);
}

TEST_GROUP(fuzz_xml, cmocka_unit_test(xml_seeds_hold))
