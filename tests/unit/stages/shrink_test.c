/* shrink_test.c - means of areas. */
#include "tests/support/test.h"

#include <math.h>

#include "stages/children/raster/picture/shrink.h"

/* Grey of a picture that varies everywhere. */
static int grey_at(int x, int y, int c)
{
    return (x * 37 + y * 91 + c * 50 + (x * y) % 23) & 255;
}

static struct image shrunk(int w, int h, int ch, int to_w, int to_h)
{
    struct err err = {0};
    struct shrink *s = shrink_new(w, h, ch, to_w, to_h, &err);
    test_ok(&err);
    uint8_t row[4000];
    for (int y = 0; y < h; y++) {
        for (int i = 0; i < w * ch; i++)
            row[i] = (uint8_t)grey_at(i / ch, y, i % ch);
        shrink_row(s, row);
    }
    return shrink_finish(s);
}

/* The mean over the area, in floating point. */
static double mean_of(int w, int h, int to_w, int to_h, int x, int y, int c)
{
    double x0 = (double)x * w / to_w, x1 = (double)(x + 1) * w / to_w;
    double y0 = (double)y * h / to_h, y1 = (double)(y + 1) * h / to_h;
    double sum = 0, area = 0;
    for (int j = (int)y0; j < h && j < y1; j++)
        for (int i = (int)x0; i < w && i < x1; i++) {
            double part = (fmin(i + 1, x1) - fmax(i, x0)) *
                          (fmin(j + 1, y1) - fmax(j, y0));
            sum += part * grey_at(i, j, c);
            area += part;
        }
    return sum / area;
}

static void every_pixel_is_the_mean_of_its_area(void **state)
{
    (void)state;
    static const int size[][4] = {{64, 48, 32, 24},   {100, 70, 33, 69},
                                  {301, 200, 299, 7}, {7, 5, 1, 1},
                                  {640, 3, 1, 3},     {50, 50, 49, 50}};
    for (size_t k = 0; k < sizeof size / sizeof size[0]; k++)
        for (int ch = 1; ch <= 4; ch++) {
            int w = size[k][0], h = size[k][1];
            int to_w = size[k][2], to_h = size[k][3];
            struct image im = shrunk(w, h, ch, to_w, to_h);
            for (int y = 0; y < to_h; y++)
                for (int x = 0; x < to_w * ch; x++) {
                    double want = mean_of(w, h, to_w, to_h, x / ch, y, x % ch);
                    /* weights have 6 and 8 bits behind the point */
                    assert_true(fabs(image_row(&im, y)[x] - want) < 4);
                }
            image_free(&im);
        }
}

static void the_same_size_is_a_copy(void **state)
{
    (void)state;
    struct image im = shrunk(33, 9, 3, 33, 9);
    for (int y = 0; y < 9; y++)
        for (int i = 0; i < 99; i++)
            assert_int_equal(image_row(&im, y)[i], grey_at(i / 3, y, i % 3));
    image_free(&im);
}

static void paper_stays_white_and_missing_rows_too(void **state)
{
    (void)state;
    struct err err = {0};
    struct shrink *s = shrink_new(97, 60, 1, 31, 20, &err);
    uint8_t white[97];
    for (int i = 0; i < 97; i++)
        white[i] = 255;
    for (int y = 0; y < 30; y++)
        shrink_row(s, white);
    struct image im = shrink_finish(s);
    for (int i = 0; i < 31 * 20; i++)
        assert_int_equal(im.data[i], 255);
    image_free(&im);
}

static void fits_the_budget(void **state)
{
    (void)state;
    int w, h;
    shrink_fit(1000, 500, 125000, 1, &w, &h);
    assert_int_equal(w, 500);
    assert_int_equal(h, 250);
    shrink_fit(1000, 500, 1 << 30, 1, &w, &h);
    assert_int_equal(w, 1000);
    shrink_fit(1000, 500, 1 << 30, 0.1, &w, &h);
    assert_int_equal(h, 50);
    shrink_fit(65535, 1, 100, 1, &w, &h);
    assert_int_equal(h, 1);
    assert_true((int64_t)w * h <= 65535);
}

TEST_GROUP(shrink, cmocka_unit_test(every_pixel_is_the_mean_of_its_area),
           cmocka_unit_test(the_same_size_is_a_copy),
           cmocka_unit_test(paper_stays_white_and_missing_rows_too),
           cmocka_unit_test(fits_the_budget))
