/* cells_test.c - print cut into cells, and their pictures. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "stages/fallback/glyph_boxes.h"

enum { PITCH = 12, WIDE = 8, HIGH = 18 };

struct sheet {
    struct arena *arena;
    struct image page;
    struct glyph_boxes cells;
    struct err err;
};

static void begin(struct sheet *s, int width, int height)
{
    *s = (struct sheet){.arena = arena_new()};
    s->page = image_new(width, height, 1, &s->err);
    memset(s->page.data, 225, (size_t)width * (size_t)height);
}

static void end(struct sheet *s)
{
    image_free(&s->page);
    arena_free(s->arena);
}

static void ink(struct sheet *s, int x, int y, int w, int h, uint8_t grey)
{
    for (int i = 0; i < h; i++)
        memset(image_row(&s->page, y + i) + x, grey, (size_t)w);
}

/* A letter as an H: two strokes and a bar, which is the fuller part of it. */
static void letter(struct sheet *s, int x, int y, int high, uint8_t grey)
{
    ink(s, x, y, 2, high, grey);
    ink(s, x + WIDE - 2, y, 2, high, grey);
    ink(s, x, y + high / 2, WIDE, 3, grey);
}

static void print(struct sheet *s, int x, int y, int n, int high, uint8_t grey)
{
    for (int i = 0; i < n; i++)
        letter(s, x + PITCH * i, y, high, grey);
}

static void find(struct sheet *s)
{
    glyph_boxes_find(&s->page, 30, s->arena, &s->cells);
}

static void assert_cell(const struct sheet *s, int i, double x, double y,
                        double w, double h)
{
    const struct print_cell *c = &s->cells.cell[i];
    if (fabs(c->x - x) <= 2 && fabs(c->y - y) <= 3 && fabs(c->w - w) <= 3 &&
        fabs(c->h - h) <= 5)
        return;
    fail_msg("cell %d: %.0f %.0f %.0f x %.0f, wanted %.0f %.0f %.0f x %.0f", i,
             c->x, c->y, c->w, c->h, x, y, w, h);
}

static void wide_gaps_part_a_line(void **state)
{
    (void)state;
    struct sheet s;
    begin(&s, 480, 400);
    print(&s, 40, 40, 10, HIGH, 60);
    print(&s, 350, 40, 5, HIGH, 60);
    print(&s, 40, 80, 6, HIGH, 60);
    print(&s, 40 + PITCH * 7, 80, 6, HIGH, 60); /* a blank between words */
    print(&s, 40, 120, 12, HIGH, 60);
    find(&s);
    assert_int_equal(s.cells.n_cell, 4);
    assert_cell(&s, 0, 40, 40, PITCH * 10 - 4, HIGH);
    assert_cell(&s, 1, 350, 40, PITCH * 5 - 4, HIGH);
    assert_cell(&s, 2, 40, 80, PITCH * 13 - 4, HIGH);
    assert_cell(&s, 3, 40, 120, PITCH * 12 - 4, HIGH);
    assert_true(fabs(s.cells.usual - HIGH) <= 3);
    assert_true(s.cells.pitch == PITCH);
    /* nothing of one is shown with the other */
    assert_true(s.cells.cell[0].right <= s.cells.cell[1].left);
    end(&s);
}

static void lines_that_stand_close_are_two(void **state)
{
    (void)state;
    struct sheet s;
    begin(&s, 480, 400);
    for (int i = 0; i < 6; i++)
        print(&s, 40, 40 + (HIGH + 3) * i, 16, HIGH, 60);
    ink(&s, 40, 40 + HIGH, 3, 6 * (HIGH + 3) - HIGH, 60); /* a crease */
    find(&s);
    assert_int_equal(s.cells.n_cell, 6);
    end(&s);
}

static void a_stripe_through_a_line_leaves_it_one(void **state)
{
    (void)state;
    struct sheet s;
    begin(&s, 480, 60);
    print(&s, 40, 12, 16, 30, 60);
    for (int x = 40; x < 40 + 16 * PITCH; x += 2)
        ink(&s, x, 12 + 22, 1, 2, 225); /* a worn head */
    find(&s);
    assert_int_equal(s.cells.n_cell, 1);
    end(&s);
}

static void faint_print_beside_dark_is_found(void **state)
{
    (void)state;
    struct sheet s;
    begin(&s, 480, 400);
    print(&s, 40, 40, 20, HIGH, 20);
    print(&s, 40, 90, 20, HIGH, 110);
    ink(&s, 0, 0, 480, 6, 10); /* the edges of the paper */
    ink(&s, 476, 0, 4, 400, 10);
    find(&s);
    int n = 0;
    for (int i = 0; i < s.cells.n_cell; i++)
        n += fabs(s.cells.cell[i].w - PITCH * 20 + 4) <= 3;
    assert_int_equal(n, 2);
    end(&s);
}

static void long_lines_are_parted_at_a_gap(void **state)
{
    (void)state;
    struct sheet s;
    begin(&s, 1200, 200);
    print(&s, 40, 40, 30, HIGH, 60);
    print(&s, 40 + PITCH * 31, 40, 30, HIGH, 60);
    find(&s);
    assert_int_equal(s.cells.n_cell, 2);
    assert_cell(&s, 0, 40, 40, PITCH * 30 - 4, HIGH);
    assert_cell(&s, 1, 40 + PITCH * 31, 40, PITCH * 30 - 4, HIGH);
    end(&s);
}

static void paper_without_print_has_none(void **state)
{
    (void)state;
    struct sheet s;
    begin(&s, 7, 5);
    find(&s);
    assert_int_equal(s.cells.n_cell, 0);
    end(&s);
    begin(&s, 480, 400);
    find(&s);
    assert_int_equal(s.cells.n_cell, 0);
    end(&s);
}

static void pictures_have_print_of_one_height(void **state)
{
    (void)state;
    struct sheet s;
    const struct cell_style style = {17, 9, 24, 336};
    begin(&s, 900, 200);
    print(&s, 40, 40, 30, 30, 60);
    print(&s, 40, 120, 9, 30, 60);
    find(&s);
    assert_int_equal(s.cells.n_cell, 2);
    for (int i = 0; i < 2; i++) {
        struct image p = glyph_boxes_draw(&s.page, &s.cells, &s.cells.cell[i],
                                          &style, &s.err);
        assert_int_equal(s.err.kind, 0);
        assert_int_equal(p.n_channel, 3);
        assert_int_equal(p.width_px, 336);
        assert_int_equal(p.height_px, 48);
        int top = 48, foot = 0, right = 0;
        for (int y = 0; y < 48; y++)
            for (int x = 0; x < 336; x++) {
                if (image_row(&p, y)[3 * x] > 100) continue;
                if (y < top) top = y;
                if (y > foot) foot = y;
                if (x > right) right = x;
            }
        assert_in_range(foot - top, 13, 18);
        /* letters are 9 pixels apart, behind a margin */
        assert_in_range(right, 9 * (i ? 9 : 30), 9 * (i ? 9 : 30) + 18);
        image_free(&p);
    }
    end(&s);
}

TEST_GROUP(cells, cmocka_unit_test(wide_gaps_part_a_line),
           cmocka_unit_test(lines_that_stand_close_are_two),
           cmocka_unit_test(a_stripe_through_a_line_leaves_it_one),
           cmocka_unit_test(faint_print_beside_dark_is_found),
           cmocka_unit_test(long_lines_are_parted_at_a_gap),
           cmocka_unit_test(paper_without_print_has_none),
           cmocka_unit_test(pictures_have_print_of_one_height))
