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
    static const double angle[] = {0,   0.3, -0.7,  1.4, -2.6, 3.3,   -4.1, 4.8,
                                   0.5, 5.4, -1.05, 6.1, -8.3, -12.0, 17.2, 23};
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

static struct image empty_page(int width, int height)
{
    struct err err = {0};
    struct image page = image_new(width, height, 1, &err);
    test_ok(&err);
    memset(page.data, 255, page.stride_bytes * (size_t)height);
    return page;
}

/* Darkens `page` where `over` is dark. */
static void lay_over(struct image *page, const struct image *over)
{
    int x0 = (over->width_px - page->width_px) / 2;
    int y0 = (over->height_px - page->height_px) / 2;
    for (int y = 0; y < page->height_px; y++)
        for (int x = 0; x < page->width_px; x++) {
            uint8_t *to = image_row(page, y) + x;
            uint8_t from = image_row(over, y + y0)[x + x0];
            if (from < *to) *to = from;
        }
}

/* Steps down to the right, such as stairs. */
static void draw_steps(struct image *page, double slope)
{
    for (int row = 0; row < 8; row++)
        for (int i = 0; i < 40; i++) {
            int y = 60 + row * 180 + (int)(25 * i * slope), x = 60 + 25 * i;
            int next = 60 + row * 180 + (int)(25 * (i + 1) * slope);
            fill(page, x, y, x + 25, y + 4, 0);
            fill(page, x + 22, y, x + 26, next + 4, 0);
        }
}

static void draw_lines(struct image *page, double slope, int apart)
{
    for (int at = -600; at < page->height_px; at += apart)
        for (int x = 0; x < page->width_px; x++) {
            int y = at + (int)(x * slope);
            fill(page, x, y, x + 1, y + 4, 40);
        }
}

/* A watermark of many lines, over all of the page. */
static struct image watermark(double degrees)
{
    struct err err = {0};
    struct image mark = text_page(1240, 1754, 22, 24);
    deskew_turn(&mark, degrees, &err);
    test_ok(&err);
    return mark;
}

/* Whatever is drawn or printed across a page, it is not turned like that. */
static void what_runs_across_a_page_does_not_turn_it(void **state)
{
    (void)state;
    for (int degrees = 7; degrees <= 23; degrees += 4) {
        double slope = tan(degrees * M_PI / 180);
        for (int kind = 0; kind < 6; kind++) {
            bool printed = kind & 1;
            struct image page =
                printed ? text_page(1240, 1754, 16, 6) : empty_page(1240, 1754);
            struct image mark = watermark(degrees);
            if (kind / 2 == 0) draw_lines(&page, slope, 40);
            if (kind / 2 == 1) draw_steps(&page, slope);
            if (kind / 2 == 2 && printed) lay_over(&page, &mark);
            double got = measure(&page);
            if (fabs(got) > 5.1)
                fail_msg("kind %d at %d, measured %g", kind, degrees, got);
            image_free(&mark);
            image_free(&page);
        }
    }
}

/* The corners of a page that is far askew stay on it, others grow nothing. */
static void a_page_that_is_turned_far_keeps_its_corners(void **state)
{
    (void)state;
    struct err err = {0};
    struct image page = empty_page(600, 800);
    fill(&page, 0, 0, 30, 30, 0);
    fill(&page, 570, 770, 600, 800, 0);
    deskew_turn(&page, -15, &err);
    test_ok(&err);
    double growth = deskew_growth(0.75, 15);
    assert_true(fabs(page.width_px - 600 * growth) <= 1);
    assert_true(fabs(page.height_px - 800 * growth) <= 1);
    int dark = 0;
    for (int y = 0; y < page.height_px; y++)
        for (int x = 0; x < page.width_px; x++)
            dark += image_row(&page, y)[x] < 128;
    assert_true(dark > 1400 && dark < 1900);
    assert_true(deskew_growth(0.75, 5) <= 1 && deskew_growth(0.1, 25) < 1.7);
    image_free(&page);
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
           cmocka_unit_test(what_runs_across_a_page_does_not_turn_it),
           cmocka_unit_test(a_page_that_is_turned_far_keeps_its_corners),
           cmocka_unit_test(columns_apart_in_height_are_not_askew),
           cmocka_unit_test(small_receipts_are_measured_too),
           cmocka_unit_test(what_has_no_lines_is_left_alone),
           cmocka_unit_test(turning_there_and_back_keeps_the_middle))
