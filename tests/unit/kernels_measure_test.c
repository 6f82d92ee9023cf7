/* kernels_measure_test.c - the set that measured fastest is used, and only
 * then. */
#include "tests/support/test.h"
#include "vlm/base/cpu.h"
#include "vlm/tensor/kernels.h"
#include "vlm/tensor/kernels_measure.h"

static void the_widest_set_is_used_unless_another_is_clearly_faster(
    void **state)
{
    (void)state;
    struct kernels_rate r[] = {{7, "avx512", 400e9, 50e9},
                               {3, "avx2+vnni", 200e9, 50e9},
                               {1, "avx2", 100e9, 40e9}};
    assert_int_equal(kernels_fastest(r, 3), 0);
    r[1].prompt = r[2].prompt = 410e9; /* noise */
    assert_int_equal(kernels_fastest(r, 3), 0);
    r[0].prompt = 40e9; /* a mistake in the widest set */
    assert_int_equal(kernels_fastest(r, 3), 1);
    r[1].token = 4e9; /* and another one in the next */
    assert_int_equal(kernels_fastest(r, 3), 2);
    assert_int_equal(kernels_fastest(r, 1), 0);
}

static void every_set_of_this_machine_is_measured(void **state)
{
    (void)state;
    struct kernels_rate r[KERNELS_SETS_MAX];
    unsigned all = cpu_features();
    int n = kernels_measure(all, r);
    assert_in_range(n, 1, KERNELS_SETS_MAX);
    assert_int_equal(r[0].features, all);
    for (int i = 0; i < n; i++) {
        assert_true(r[i].prompt > 0 && r[i].token > 0);
        assert_int_equal(r[i].features & ~all, 0);
        struct kernels k;
        kernels_pick(&k, r[i].features);
        assert_string_equal(k.name, r[i].name);
        if (i) assert_string_not_equal(k.name, r[i - 1].name);
    }
    assert_int_equal(kernels_measure(0, r), 1);
    assert_string_equal(r[0].name, "scalar");
}

TEST_GROUP(
    kernels_measure,
    cmocka_unit_test(the_widest_set_is_used_unless_another_is_clearly_faster),
    cmocka_unit_test(every_set_of_this_machine_is_measured))
