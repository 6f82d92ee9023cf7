/* cpu_test.c - machines of any size are counted, and used. */
#include "tests/support/golden.h"
#include "tests/support/many_cpus.h"
#include "tests/support/test.h"
#include "vlm/base/cpu.h"

static void machines_of_any_size_are_counted(void **state)
{
    (void)state;
    assert_true(cpu_count() >= 1);
    const int n[] = {1, 2, 255, 256, 257, 384, 1024};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        many_cpus(n[i], 8192);
        assert_int_equal(cpu_count(), n[i]);
    }
    many_cpus(5000, 8192);
    assert_int_equal(cpu_count(), CPU_COUNT_MAX);
    many_cpus(0, 0);
}

/* As many threads as there are processors, when nobody says how many. */
static void as_told(struct vlm_options *o)
{
    o->n_thread = 0;
}

static void an_engine_opens_on_a_machine_of_384(void **state)
{
    (void)state;
    char path[4096];
    many_cpus(384, 512);
    struct vlm *v = golden_open(
        test_path(path, "tests/vectors/micro-q8_0.gguf"), NULL, as_told);
    assert_int_equal(vlm_threads(v), 384);
    vlm_close(v);
    many_cpus(0, 0);
}

TEST_GROUP(cpu, cmocka_unit_test(machines_of_any_size_are_counted),
           cmocka_unit_test(an_engine_opens_on_a_machine_of_384))
