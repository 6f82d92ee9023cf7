/* sort_test.c - numbers in order. */
#include "tests/support/test.h"

#include "vlm/base/sort.h"

static void numbers_from_the_least_to_the_greatest(void **state)
{
    (void)state;
    static const double wanted[] = {-1e300, -2, 0, 0, 0.25, 1e9};
    double value[] = {0.25, 0, 1e9, -2, 0, -1e300};
    sort_doubles(value, sizeof value / sizeof *value);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        assert_true(value[i] == wanted[i]);
    sort_doubles(NULL, 0);
}

TEST_GROUP(sort, cmocka_unit_test(numbers_from_the_least_to_the_greatest))
