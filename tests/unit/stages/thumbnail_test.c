/* glance_test.c - blank pages, and pages that only nearly are. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/pixels/thumbnail.h"

static uint32_t seed;

static int pick(int n)
{
    seed ^= seed << 13; /* xorshift, Marsaglia 2003 */
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return (int)(seed % (uint32_t)n);
}

/* About normal, with this deviation. */
static int noise(int sigma)
{
    int sum = 0;
    for (int i = 0; i < 12; i++)
        sum += pick(1000);
    return (sum - 5994) * sigma / 1000;
}

static uint8_t clamp(int v)
{
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static struct image paper(int width, int height, int grey, int sigma)
{
    struct err err = {0};
    struct image im = image_new(width, height, 1, &err);
    seed = 3;
    for (int i = 0; i < width * height; i++)
        im.data[i] = clamp(grey + (sigma ? noise(sigma) : 0));
    return im;
}

/* A line of letter-like strokes, darker than the paper by `contrast`. */
static void add_line(struct image *im, int y, int x_height, int contrast)
{
    for (int x = im->width_px / 5; x < im->width_px * 4 / 5; x += x_height)
        for (int j = 0; j < x_height; j++)
            for (int i = 0; i < 2 + x_height / 8; i++) {
                uint8_t *p = &image_row(im, y + j)[x + i];
                *p = clamp(*p - contrast);
            }
}

static bool blank(struct image *im)
{
    struct err err = {0};
    struct image glance = thumbnail_new(im, &err);
    test_ok(&err);
    bool is = thumbnail_blank(&glance);
    image_free(&glance);
    image_free(im);
    return is;
}

static void paper_is_blank(void **state)
{
    (void)state;
    static const int grey[] = {255, 240, 200, 128, 0};
    static const int sigma[] = {0, 2, 6, 14};
    for (size_t g = 0; g < 5; g++)
        for (size_t s = 0; s < 4; s++) {
            struct image small = paper(320, 288, grey[g], sigma[s]);
            assert_true(blank(&small));
            struct image large = paper(1240, 1754, grey[g], sigma[s]);
            assert_true(blank(&large));
        }
}

static void dust_shadow_and_edges_do_not_count(void **state)
{
    (void)state;
    struct image im = paper(1240, 1754, 245, 4);
    for (int i = 0; i < 2000; i++) /* single specks */
        im.data[pick(1240 * 1754)] = 30;
    for (int y = 0; y < 1754; y++) {
        for (int x = 0; x < 25; x++) /* the scanner's dark edge */
            image_row(&im, y)[x] = 10;
        for (int x = 25; x < 1240; x++) { /* a shadow across the page */
            uint8_t *p = &image_row(&im, y)[x];
            *p = clamp(*p - 60 * x / 1240);
        }
    }
    assert_true(blank(&im));
}

static void pepper_of_a_fax_does_not_count(void **state)
{
    (void)state;
    struct image im = paper(1728, 2200, 255, 0);
    for (int i = 0; i < 1728 * 2200 / 200; i++)
        im.data[pick(1728 * 2200)] = 0;
    assert_true(blank(&im));
}

static void one_faint_line_counts(void **state)
{
    (void)state;
    struct image a = paper(1240, 1754, 255, 0);
    add_line(&a, 800, 16, 30);
    assert_false(blank(&a));
    struct image b = paper(1240, 1754, 235, 5);
    add_line(&b, 300, 16, 60);
    assert_false(blank(&b));
    struct image c = paper(320, 288, 235, 8);
    add_line(&c, 140, 9, 70);
    assert_false(blank(&c));
    struct image d = paper(1240, 1754, 20, 0); /* light on dark */
    add_line(&d, 800, 16, -90);
    assert_false(blank(&d));
}

/* Where every tile holds text, the text is not the paper's noise. */
static void a_small_page_full_of_text_is_not_blank(void **state)
{
    (void)state;
    struct image im = paper(256, 64, 200, 10);
    for (int y = 2; y + 9 < 64; y += 12)
        for (int x = 0; x + 3 < 256; x += 5)
            for (int j = 0; j < 9; j++)
                for (int i = 0; i < 2; i++) {
                    uint8_t *p = &image_row(&im, y + j)[x + i];
                    *p = clamp(*p - 90);
                }
    assert_false(blank(&im));
}

/* A picture smaller than a tile: rows and columns beyond it were read. Under
 * ASan the guard is exact, else the allocation is only likely to hide it. */
static void a_picture_thinner_than_a_tile_is_not_judged(void **state)
{
    (void)state;
    static const int sides[] = {1, 2, 7, 15, 16, 17, 31};
    for (size_t i = 0; i < 7; i++)
        for (int turned = 0; turned < 2; turned++) {
            int thin = sides[i], width = turned ? 800 : thin;
            struct image im = paper(width, turned ? thin : 800, 255, 0);
            assert_int_equal(blank(&im), thin >= 16);
        }
}

static void colours_count_as_they_look(void **state)
{
    (void)state;
    struct err err = {0};
    struct image im = image_new(640, 480, 3, &err);
    memset(im.data, 255, 640 * 480 * 3);
    for (int x = 100; x < 540; x += 9)
        for (int y = 200; y < 212; y++)
            for (int i = 0; i < 3; i++) /* blue strokes */
                memcpy(image_row(&im, y) + 3 * (x + i), "\x20\x20\xe0", 3);
    assert_false(blank(&im));
}

TEST_GROUP(glance, cmocka_unit_test(paper_is_blank),
           cmocka_unit_test(dust_shadow_and_edges_do_not_count),
           cmocka_unit_test(pepper_of_a_fax_does_not_count),
           cmocka_unit_test(one_faint_line_counts),
           cmocka_unit_test(a_small_page_full_of_text_is_not_blank),
           cmocka_unit_test(a_picture_thinner_than_a_tile_is_not_judged),
           cmocka_unit_test(colours_count_as_they_look))
