/* deskew_test.c - crooked pages measured, straight ones left alone. */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stages/pixels/deskew.h"
#include "stages/pixels/thumbnail.h"

static uint32_t seed;

static int pick(int n)
{
    seed = seed * 1664525 + 1013904223;
    return (int)((seed >> 8) % (uint32_t)n);
}

static void fill(struct image *im, int x0, int y0, int x1, int y1, int grey)
{
    for (int y = y0; y < y1 && y < im->height_px; y++)
        for (int x = x0; x < x1 && x < im->width_px; x++)
            if (x >= 0 && y >= 0) image_row(im, y)[x] = (uint8_t)grey;
}

/* Lines of words of letter-like strokes. */
static struct image text_page(int width, int height, int x_height, int n_line)
{
    struct err err = {0};
    struct image im = image_new(width, height, 1, &err);
    memset(im.data, 255, im.stride_bytes * (size_t)height);
    seed = 7;
    for (int line = 0; line < n_line; line++) {
        int base = height / 8 + line * x_height * 3, x = width / 10;
        while (x < width * 9 / 10) {
            int top = base - x_height - (pick(4) == 0 ? x_height / 2 : 0);
            int stroke = x_height / 5 + 1, wide = x_height * 3 / 5;
            fill(&im, x, top, x + stroke, base, 20);
            if (pick(3)) fill(&im, x, base - stroke, x + wide, base, 20);
            if (pick(2)) fill(&im, x, top, x + wide, top + stroke, 20);
            x += wide + stroke + (pick(6) == 0 ? x_height : 0);
        }
    }
    return im;
}

static double measure(const struct image *page)
{
    struct err err = {0};
    struct image glance = thumbnail_new(page, &err);
    test_ok(&err);
    double angle = deskew_measure(&glance);
    image_free(&glance);
    return angle;
}

static void angles_are_found_to_a_tenth(void **state)
{
    (void)state;
    static const double angle[] = {0,   0.3,  -0.7, 1.4, -2.6,
                                   3.3, -4.1, 4.8,  0.5, -1.05};
    for (size_t i = 0; i < sizeof angle / sizeof angle[0]; i++) {
        struct err err = {0};
        struct image page = text_page(1240, 1754, 16, 28);
        deskew_turn(&page, -angle[i], &err);
        test_ok(&err);
        double got = measure(&page);
        if (fabs(got - angle[i]) > 0.101)
            fail_msg("turned by %g, measured %g", angle[i], got);
        image_free(&page);
    }
}

/* Marks in the margin that reach some pixels below the lines beside them. */
static void columns_apart_in_height_are_not_askew(void **state)
{
    (void)state;
    for (int below = 1; below <= 3; below++) {
        struct err err = {0};
        struct image page = image_new(455, 643, 1, &err);
        memset(page.data, 255, page.stride_bytes * 643);
        for (int line = 0; line < 50; line++) {
            int base = 30 + line * 12;
            for (int x = 62; x < 420; x += 4)
                if (x < 200 || x > 340)
                    fill(&page, x, base - 4, x + 2, base, 20);
            for (int x = 4; x < 54; x += 4)
                fill(&page, x, base - 4, x + 3, base + below, 20);
        }
        double got = measure(&page);
        if (fabs(got) > 0.1) fail_msg("%d below, measured %g", below, got);
        image_free(&page);
    }
}

static void small_receipts_are_measured_too(void **state)
{
    (void)state;
    for (int tenth = -45; tenth <= 45; tenth += 15) {
        struct err err = {0};
        struct image page = text_page(320, 288, 9, 8);
        deskew_turn(&page, -tenth / 10.0, &err);
        double got = measure(&page);
        if (fabs(got - tenth / 10.0) > 0.35)
            fail_msg("turned by %g, measured %g", tenth / 10.0, got);
        image_free(&page);
    }
}

static void what_has_no_lines_is_left_alone(void **state)
{
    (void)state;
    struct err err = {0};
    struct image im = image_new(800, 600, 1, &err);
    memset(im.data, 255, 800 * 600);
    assert_true(measure(&im) == 0);
    for (int i = 0; i < 800 * 600; i++) /* noise */
        im.data[i] = (uint8_t)(200 + pick(55));
    assert_true(measure(&im) == 0);
    memset(im.data, 255, 800 * 600);
    for (int i = 0; i < 40; i++) { /* blobs */
        int x = pick(760), y = pick(560);
        fill(&im, x, y, x + 10 + pick(30), y + 10 + pick(30), 0);
    }
    assert_true(fabs(measure(&im)) < 0.2);
    image_free(&im);
}

static void turning_there_and_back_keeps_the_middle(void **state)
{
    (void)state;
    struct err err = {0};
    struct image page = text_page(640, 480, 14, 9);
    struct image copy = text_page(640, 480, 14, 9);
    deskew_turn(&page, 2.2, &err);
    deskew_turn(&page, -2.2, &err);
    test_ok(&err);
    double sum = 0;
    for (int y = 120; y < 360; y++)
        for (int x = 160; x < 480; x++)
            sum += abs(image_row(&page, y)[x] - image_row(&copy, y)[x]);
    assert_true(sum / (240 * 320) < 12);
    assert_int_equal(page.data[0], 255);
    image_free(&page);
    image_free(&copy);
}

/* Two lines of print: a threshold that parts the noise in two halves finds none. */
static void noise_hides_no_lines(void **state)
{
    (void)state;
    struct err err = {0};
    struct image page = text_page(1240, 1754, 12, 2);
    deskew_turn(&page, -1.3, &err);
    test_ok(&err);
    for (size_t i = 0; i < page.stride_bytes * 1754; i++) {
        int grey = page.data[i] * 3 / 4 + 32 + pick(65) - pick(65);
        page.data[i] = (uint8_t)(grey < 0 ? 0 : grey > 255 ? 255 : grey);
    }
    assert_float_equal(measure(&page), 1.3, 0.1);
    image_free(&page);
}

TEST_GROUP(deskew, cmocka_unit_test(angles_are_found_to_a_tenth),
           cmocka_unit_test(noise_hides_no_lines),
           cmocka_unit_test(columns_apart_in_height_are_not_askew),
           cmocka_unit_test(small_receipts_are_measured_too),
           cmocka_unit_test(what_has_no_lines_is_left_alone),
           cmocka_unit_test(turning_there_and_back_keeps_the_middle))
