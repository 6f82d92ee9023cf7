/* print_test.c - how high print is, faint print, and pages whose print is too
 * small for a model in one picture. */
#include "tests/support/test.h"

#include <string.h>

#include "stages/page/page_view.h"
#include "stages/page/prepare.h"
#include "stages/pixels/contrast.h"

enum { PAPER = 240, INK = 40 };

/* Rows of letters, `high` pixels each and two thirds as broad, 30 in a row. */
static struct image printed(int high, int n_row, int paper, int ink)
{
    struct err err = {0};
    int pitch = 2 * high, width = 32 * high, height = (n_row + 2) * pitch;
    struct image im = image_new(width, height, 1, &err);
    test_ok(&err);
    memset(im.data, paper, im.stride_bytes * (size_t)height);
    for (int row = 1; row <= n_row; row++)
        for (int letter = 1; letter <= 30; letter++)
            for (int y = 0; y < high; y++)
                memset(image_row(&im, row * pitch + y) + letter * high, ink,
                       (size_t)(high * 2 / 3));
    return im;
}

static double letter_of(const struct image *im)
{
    struct err err = {0};
    struct arena *arena = arena_new();
    struct page_view *view = page_view_new(im, false, arena, &err);
    double high = page_view_letter(view, &err);
    test_ok(&err);
    page_view_close(view);
    arena_free(arena);
    return high;
}

static void letters_are_measured(void **state)
{
    (void)state;
    static const int high[] = {6, 12, 23};
    for (int i = 0; i < 3; i++) {
        struct err err = {0};
        struct image im = printed(high[i], 8, PAPER, INK);
        assert_float_equal(letter_of(&im), high[i], 1);
        test_ok(&err);
        image_free(&im);
    }
}

static void paper_and_a_few_specks_have_no_height(void **state)
{
    (void)state;
    struct err err = {0};
    struct image im = printed(12, 0, PAPER, INK);
    assert_float_equal(letter_of(&im), 0, 0);
    for (int y = 10; y < 16; y++)
        memset(image_row(&im, y) + 100, INK, 6);
    assert_float_equal(letter_of(&im), 0, 0);
    test_ok(&err);
    image_free(&im);
}

static void expect_levels(int paper, int ink, int enough, int to_paper,
                          int to_ink)
{
    struct image im = printed(12, 6, paper, ink);
    const size_t letter = 12 + 1, gap = 1;
    struct levels levels = levels_of(&im, image_region(&im), 1);
    contrast_stretch(&im, &levels, enough);
    assert_int_equal(image_row(&im, 24)[letter], to_ink);
    assert_int_equal(image_row(&im, 24)[gap], to_paper);
    image_free(&im);
}

static void faint_print_becomes_dark(void **state)
{
    (void)state;
    expect_levels(200, 150, CONTRAST_ENOUGH, 255, 0);
    expect_levels(240, 110, CONTRAST_ENOUGH, 240, 110);
    expect_levels(240, 110, CONTRAST_FULL, 255, 0);
    expect_levels(255, 0, CONTRAST_FULL, 255, 0);
}

/* Noise is no print. */
static void paper_stays_paper(void **state)
{
    (void)state;
    expect_levels(200, 192, CONTRAST_FULL, 200, 192);
}

static struct page prepare(struct image *im, int print_px, int64_t whole)
{
    struct err err = {0};
    const struct settings settings = {.pages = ""};
    const struct prepare_target target = {.grid = 24,
                                          .min_pixels = 16384,
                                          .max_pixels = 92416,
                                          .print_px = print_px,
                                          .whole_pixels = whole};
    struct page page = {.width_px = im->width_px, .height_px = im->height_px};
    prepare_page(im, NULL, &page, &target, &settings, &err);
    test_ok(&err);
    return page;
}

static double letter_shown(int high, int n_row, int print_px, int64_t whole,
                           bool *cramped)
{
    struct err err = {0};
    struct image im = printed(high, n_row, PAPER, INK);
    *cramped = prepare(&im, print_px, whole).cramped;
    double height = letter_of(&im);
    test_ok(&err);
    assert_true(im.width_px % 24 == 0 && im.height_px % 24 == 0);
    assert_true((int64_t)im.width_px * im.height_px <=
                (whole && *cramped ? whole : 92416));
    image_free(&im);
    return height;
}

/* 60 rows of 20 px letters are 640 x 2480: in 92,416 px letters are 5 px high. */
static void a_cramped_page_is_shown_larger_in_pieces(void **state)
{
    (void)state;
    bool cramped;
    const int64_t whole = 12 * 92416;
    assert_float_equal(letter_shown(20, 60, 12, whole, &cramped), 12, 1);
    assert_true(cramped);
    letter_shown(20, 60, 12, 0, &cramped);
    assert_true(cramped); /* said, and fitted into one */
    letter_shown(20, 60, 0, whole, &cramped);
    assert_false(cramped); /* a model of whose print nothing is known */
    letter_shown(12, 6, 12, whole, &cramped);
    assert_false(cramped); /* it fits as it is */
}

/* More than the pieces hold: as large as they may be. */
static void pieces_have_an_end(void **state)
{
    (void)state;
    bool cramped;
    double height = letter_shown(16, 200, 12, 4 * 92416, &cramped);
    assert_true(cramped);
    assert_in_range(height, 4, 11);
}

TEST_GROUP(print, cmocka_unit_test(letters_are_measured),
           cmocka_unit_test(paper_and_a_few_specks_have_no_height),
           cmocka_unit_test(faint_print_becomes_dark),
           cmocka_unit_test(paper_stays_paper),
           cmocka_unit_test(a_cramped_page_is_shown_larger_in_pieces),
           cmocka_unit_test(pieces_have_an_end))
