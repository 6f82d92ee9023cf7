/* fuzz_seeds_test.c - the seeds of the fuzz targets, replayed. */
#include "tests/fuzz/fuzz.h"
#include "tests/support/test.h"

static void json_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("json", json_fuzz) > 100);
}

static void safetensors_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("safetensors", safetensors_fuzz) > 100);
}

static void schema_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("schema", schema_fuzz) > 100);
}

static void grammar_seeds_hold(void **state)
{
    (void)state;
    assert_true(fuzz_replay("grammar", grammar_fuzz) > 100);
    assert_true(fuzz_replay("schema", grammar_fuzz) > 100);
}

TEST_GROUP(fuzz_seeds, cmocka_unit_test(grammar_seeds_hold),
           cmocka_unit_test(json_seeds_hold),
           cmocka_unit_test(safetensors_seeds_hold),
           cmocka_unit_test(schema_seeds_hold))
