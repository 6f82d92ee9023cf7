#include "tests/support/test.h"

#include "vlm/device/device_name.h"

static void names_of_devices(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int want;
    } each[] = {{NULL, DEVICE_NAME_CPU},
                {"", DEVICE_NAME_CPU},
                {"cpu", DEVICE_NAME_CPU},
                {"auto", DEVICE_NAME_AUTO},
                {"cuda:0", 0},
                {"cuda:7", 7},
                {"cuda:63", 63},
                {"cuda:64", DEVICE_NAME_BAD},
                {"cuda:99999999999", DEVICE_NAME_BAD},
                {"cuda:", DEVICE_NAME_BAD},
                {"cuda:00", DEVICE_NAME_BAD},
                {"cuda:-1", DEVICE_NAME_BAD},
                {"cuda:1x", DEVICE_NAME_BAD},
                {"cuda", DEVICE_NAME_BAD},
                {"CPU", DEVICE_NAME_BAD}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        assert_int_equal(device_name_read(each[i].name), each[i].want);
}

TEST_GROUP(device_name, cmocka_unit_test(names_of_devices))
