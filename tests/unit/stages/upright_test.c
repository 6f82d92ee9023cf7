/* upright_test.c - eight ways to hold a picture of six pixels. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/children/raster/picture/orient.h"

/* What becomes of   1 2 3   (three wide, two high).
 *                   4 5 6                                   */
static const struct {
    int orientation, width;
    const char *pixels;
} cases[] = {
    {1, 3, "\1\2\3\4\5\6"}, {2, 3, "\3\2\1\6\5\4"}, {3, 3, "\6\5\4\3\2\1"},
    {4, 3, "\4\5\6\1\2\3"}, {5, 2, "\1\4\2\5\3\6"}, {6, 2, "\4\1\5\2\6\3"},
    {7, 2, "\6\3\5\2\4\1"}, {8, 2, "\3\6\2\5\1\4"}, {0, 3, "\1\2\3\4\5\6"},
    {9, 3, "\1\2\3\4\5\6"},
};

static void turns_as_the_tag_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int ch = 1; ch <= 3; ch += 2) {
            struct err err = {0};
            struct image im = image_new(3, 2, ch, &err);
            for (int k = 0; k < 6 * ch; k++)
                im.data[k] = (uint8_t)(k / ch + 1);
            orient_turn(&im, cases[i].orientation, &err);
            test_ok(&err);
            assert_int_equal(im.width_px, cases[i].width);
            for (int k = 0; k < 6 * ch; k++)
                assert_int_equal(im.data[k], cases[i].pixels[k / ch]);
            image_free(&im);
        }
}

TEST_GROUP(upright, cmocka_unit_test(turns_as_the_tag_says))
