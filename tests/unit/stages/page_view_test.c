/* page_view_test.c - what is found once on a page: lines of print that is faint,
 * askew or large, and where their letters stand. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "stages/page/page_view.h"
#include "stages/pixels/deskew.h"

enum { WIDTH = 1000, HEIGHT = 800, LINES = 12, LETTERS = 50, TALL = 14 };

/* Lines of letters, `scale` times as large. */
static struct image printed(int scale, int paper, int ink)
{
    struct err err = {0};
    struct image im = image_new(WIDTH * scale, HEIGHT * scale, 1, &err);
    test_ok(&err);
    memset(im.data, paper, im.stride_bytes * (size_t)im.height_px);
    for (int line = 0; line < LINES; line++)
        for (int letter = 0; letter < LETTERS; letter++)
            for (int y = 0; y < TALL * scale; y++)
                memset(image_row(&im, (150 + 40 * line) * scale + y) +
                           (150 + 14 * letter) * scale,
                       ink, (size_t)(8 * scale));
    return im;
}

static const struct text_lines *lines_of(const struct image *im,
                                         struct page_view **view,
                                         struct arena *arena)
{
    struct err err = {0};
    *view = page_view_new(im, true, arena, &err);
    const struct text_lines *lines = page_view_lines(*view, &err);
    test_ok(&err);
    return lines;
}

static void lines_are_found_on_any_page(void **state)
{
    (void)state;
    static const int page[][3] = {{1, 240, 40}, {1, 240, 206}, {2, 240, 40}};
    for (int i = 0; i < 3; i++) {
        struct err err = {0};
        struct page_view *view;
        struct arena *arena = arena_new();
        struct image im = printed(page[i][0], page[i][1], page[i][2]);
        const struct text_lines *lines = lines_of(&im, &view, arena);
        assert_int_equal(lines->n_line, LINES);
        assert_true(fabs(page_view_letter(view, &err) - TALL * page[i][0]) <=
                    1.5);
        page_view_close(view); /* what was found stays */
        assert_int_equal(page_view_n_line(view, &err), LINES);
        test_ok(&err);
        image_free(&im);
        arena_free(arena);
    }
}

static void lines_askew_are_set_straight(void **state)
{
    (void)state;
    struct err err = {0};
    struct page_view *view;
    struct arena *arena = arena_new();
    struct image im = printed(1, 240, 40);
    deskew_turn(&im, -2, &err);
    test_ok(&err);
    const struct text_lines *lines = lines_of(&im, &view, arena);
    assert_float_equal(view->skew_degrees, 2, 0.1);
    assert_int_equal(lines->n_line, LINES);
    for (int i = 0; i < LINES; i++) {
        const struct line *line = &lines->line[i];
        struct box last = page_view_to_page(view, &line->word[LETTERS - 1]);
        struct box first = page_view_to_page(view, &line->word[0]);
        assert_true(fabs(line->y * HEIGHT - (150 + 40 * i)) <= 4);
        assert_true(line->h * HEIGHT < TALL + 6);
        double drop = 14 * (LETTERS - 1) * tan(2 * M_PI / 180);
        assert_true(fabs((last.y - first.y) * HEIGHT - drop) <= 3);
    }
    page_view_close(view);
    image_free(&im);
    arena_free(arena);
}

TEST_GROUP(page_view, cmocka_unit_test(lines_are_found_on_any_page),
           cmocka_unit_test(lines_askew_are_set_straight))
