/* quarter_test.c - pages turned by quarters, and boxes put back. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "stages/pixels/rotate90.h"

/* What becomes of   1 2 3   (three wide, two high).
 *                   4 5 6                                   */
static const char *const turned[] = {"\1\2\3\4\5\6", "\4\1\5\2\6\3",
                                     "\6\5\4\3\2\1", "\3\6\2\5\1\4"};

static void a_picture_is_turned_clockwise(void **state)
{
    (void)state;
    for (int quarters = 0; quarters < 4; quarters++)
        for (int ch = 1; ch <= 3; ch += 2) {
            struct err err = {0};
            struct image im = image_new(3, 2, ch, &err);
            for (int k = 0; k < 6 * ch; k++)
                im.data[k] = (uint8_t)(10 * (k / ch + 1) + k % ch);
            rotate90_turn(&im, quarters, &err);
            test_ok(&err);
            assert_int_equal(im.width_px, quarters % 2 ? 2 : 3);
            assert_int_equal(im.height_px, quarters % 2 ? 3 : 2);
            for (int k = 0; k < 6 * ch; k++)
                assert_int_equal(im.data[k],
                                 10 * turned[quarters][k / ch] + k % ch);
            image_free(&im);
        }
}

/* One dark pixel of a turned page, as a box, is where it was before. */
static void a_box_goes_back_to_its_pixel(void **state)
{
    enum { W = 7, H = 5 };
    (void)state;
    for (int quarters = 0; quarters < 4; quarters++)
        for (int at = 0; at < W * H; at++) {
            struct err err = {0};
            struct image im = image_new(W, H, 1, &err);
            memset(im.data, 0, W * H);
            im.data[at] = 1;
            rotate90_turn(&im, quarters, &err);
            test_ok(&err);
            const uint8_t *found = memchr(im.data, 1, W * H);
            int there = (int)(found - im.data);
            double w = im.width_px, h = im.height_px;
            struct box box = rotate90_back(
                (struct box){there % im.width_px / w,
                             (double)(there / im.width_px) / h, 1 / w, 1 / h},
                quarters);
            assert_true(fabs(box.x * W - at % W) < 1e-9);
            assert_true(fabs(box.y * H - (double)(at / W)) < 1e-9);
            assert_true(fabs(box.w * W - 1) < 1e-9);
            assert_true(fabs(box.h * H - 1) < 1e-9);
            image_free(&im);
        }
}

TEST_GROUP(quarter, cmocka_unit_test(a_picture_is_turned_clockwise),
           cmocka_unit_test(a_box_goes_back_to_its_pixel))
