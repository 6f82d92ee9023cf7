/* ocr_models_test.c - the steps between the OCR models: lines in a map of
 * probabilities, pictures of lines, text and words from a recogniser's output. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "stages/children/ocr/ctc.h"
#include "stages/children/ocr/line_crop.h"
#include "stages/children/ocr/ocr_words.h"
#include "stages/children/ocr/reading_order.h"
#include "stages/children/ocr/text_map.h"
#include "stages/children/wire/ocr_scripts.h"
#include "vlm/base/arena.h"

/* --- lines ----------------------------------------------------------------- */

static void the_smallest_rectangle_lies_askew(void **state)
{
    (void)state;
    static const double slopes[] = {0, 0.1, -0.3, 0.7, -0.7};
    for (size_t i = 0; i < sizeof slopes / sizeof *slopes; i++) {
        double c = cos(slopes[i]), s = sin(slopes[i]), point[5][2];
        for (int k = 0; k < 4; k++) {
            double u = k & 1 ? 50 : -50, v = k & 2 ? 8 : -8;
            point[k][0] = 70 + c * u - s * v;
            point[k][1] = 90 + s * u + c * v;
        }
        point[4][0] = 71; /* inside: no corner */
        point[4][1] = 91;
        struct text_box box = text_map_around((const double(*)[2])point, 5);
        assert_float_equal(box.x, 70, 1e-6);
        assert_float_equal(box.y, 90, 1e-6);
        assert_float_equal(box.w, 100, 1e-6);
        assert_float_equal(box.h, 16, 1e-6);
        assert_float_equal(box.angle, slopes[i], 1e-6);
    }
    double two[2][2] = {{1, 1}, {9, 1}};
    assert_float_equal(text_map_around((const double(*)[2])two, 2).w, 0, 0);
}

static void a_box_grows_by_its_area_over_its_perimeter(void **state)
{
    (void)state;
    struct text_box box = {50, 50, 30, 10, 0};
    text_map_grow(&box, 1.6); /* 300 * 1.6 / 80 = 6 on each side */
    assert_float_equal(box.w, 42, 1e-9);
    assert_float_equal(box.h, 22, 1e-9);
    assert_float_equal(box.x, 50, 0);
}

/* A high box is text that runs down, but a single digit is not. */
static void only_long_boxes_are_turned(void **state)
{
    (void)state;
    struct text_box box[] = {{50, 10, 90, 20, 0},
                             {50, 40, 80, 20, 0.02},
                             {10, 90, 10, 20, 0},
                             {90, 90, 20, 120, 0}};
    text_map_direct(box, 4);
    assert_float_equal(box[2].h, 20, 0);
    assert_float_equal(box[2].angle, 0, 0);
    assert_float_equal(box[3].w, 120, 0);
    assert_float_equal(box[3].h, 20, 0);
    assert_float_equal(box[3].angle, acos(0), 1e-9);
}

enum { MAP = 64 };

static void fill(float *map, int x, int y, int w, int h, float p)
{
    for (int i = y; i < y + h; i++)
        for (int k = x; k < x + w; k++)
            map[i * MAP + k] = p;
}

static void lines_are_sure_and_large_spots(void **state)
{
    (void)state;
    static float map[MAP * MAP];
    struct text_box *box = NULL;
    fill(map, 8, 8, 40, 6, 0.9F);
    fill(map, 8, 30, 40, 6, 0.3F); /* not sure */
    fill(map, 8, 50, 2, 1, 0.9F);  /* a speck */
    int n = text_map_lines(map, MAP, MAP, &box);
    assert_int_equal(n, 1);
    assert_true(box->w > 48 && box->w < 60 && box->h > 12 && box->h < 24);
    assert_true(fabs(box->x - 28) <= 1 && fabs(box->y - 11) <= 1);
    mem_free(box);
}

/* --- text ------------------------------------------------------------------ */

static void a_dictionary_has_a_character_a_line(void **state)
{
    (void)state;
    static const char list[] = "a\r\nä\n\nz";
    struct ctc_dictionary d = ctc_dictionary_new(list, sizeof list - 1);
    assert_int_equal(d.n, 4);
    assert_string_equal(d.character[0], "a");
    assert_string_equal(d.character[1], "ä");
    assert_string_equal(d.character[2], "");
    assert_string_equal(d.character[3], "z");
    ctc_dictionary_free(&d);
}

/* The rows of a text, one class a step: '-' for nothing. */
static int rows_of(const char *steps, const char *classes, float *p)
{
    int n = (int)strlen(steps), wide = (int)strlen(classes);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < wide; k++)
            p[i * wide + k] = classes[k] == steps[i] ? 0.75F : 0.01F;
    return n;
}

static void repeats_are_one_character_unless_apart(void **state)
{
    (void)state;
    struct ctc_dictionary d = ctc_dictionary_new("a\nb", 3);
    float p[64];
    struct ctc_character *c = mem_alloc(CTC_LINE_MAX, sizeof *c);
    int n = rows_of("-aa-a b-", "-ab ", p);
    p[2 * 4 + 1] = 0.9F;
    assert_int_equal(ctc_decode(&d, p, n, 4, c), 4);
    assert_string_equal(c[0].text, "a");
    assert_float_equal(c[0].at, 2, 1e-9);
    assert_float_equal(c[0].p, 0.9, 1e-6);
    assert_string_equal(c[1].text, "a");
    assert_float_equal(c[1].at, 4.5, 1e-9);
    assert_string_equal(c[2].text, " ");
    assert_string_equal(c[3].text, "b");
    /* without a space among the classes, or with too many of them */
    assert_int_equal(ctc_decode(&d, p, 2, 3, c), 1);
    assert_int_equal(ctc_decode(&d, p, 2, 5, c), -1);
    mem_free(c);
    ctc_dictionary_free(&d);
}

/* --- pictures and words ---------------------------------------------------- */

/* The text that runs down a page stands upright in its picture. */
static void a_line_is_drawn_upright(void **state)
{
    (void)state;
    struct err err = {0};
    struct image page = image_new(40, 80, 1, &err);
    assert_false(err_failed(&err));
    for (int y = 0; y < 80; y++)
        for (int x = 0; x < 40; x++)
            image_row(&page, y)[x] = y >= 20 && y < 60 && x >= 25 ? 0 : 200;
    struct text_box box = {20, 40, 80, 40, acos(0)};
    uint8_t out[40 * 20];
    line_crop_draw(&page, &box, 40, 20, out);
    /* right of the page is above, its top is left */
    assert_int_equal(out[2 * 40 + 20], 0);
    assert_int_equal(out[2 * 40 + 2], 200);
    assert_int_equal(out[17 * 40 + 20], 200);
    image_free(&page);
}

enum { WIDE = 120, HIGH = 48 };

static void ink(uint8_t *picture, int x, int y, int w, int h)
{
    for (int i = y; i < y + h; i++)
        for (int k = x; k < x + w; k++)
            picture[i * WIDE + k] = 20;
}

static void words_end_at_spaces_and_wide_gaps(void **state)
{
    (void)state;
    static uint8_t picture[WIDE * HIGH];
    memset(picture, 230, sizeof picture);
    ink(picture, 4, 12, 8, 24);
    ink(picture, 14, 12, 8, 24);
    ink(picture, 30, 12, 8, 24);
    ink(picture, 80, 14, 8, 22);
    ink(picture, 40, 46, 60, 2); /* the top of the next line */
    static const struct ctc_character c[] = {{"1", 1, 0.9},
                                             {"2", 2.2, 0.8},
                                             {" ", 3, 0.5},
                                             {"3", 4.2, 0.7},
                                             {"4", 10.5, 0.6}};
    struct line_word word[5];
    assert_int_equal(line_crop_words(picture, WIDE, HIGH, 8, c, 5, word), 3);
    assert_int_equal(word[0].first, 0);
    assert_int_equal(word[0].n, 2);
    assert_float_equal(word[0].p, 0.8, 1e-9);
    assert_int_equal(word[0].left, 4);
    assert_int_equal(word[0].right, 22);
    assert_int_equal(word[1].first, 3);
    assert_int_equal(word[1].left, 30);
    assert_int_equal(word[1].right, 38);
    assert_int_equal(word[1].top, 12);
    assert_int_equal(word[1].bottom, 36);
    assert_int_equal(word[2].first, 4);
    assert_int_equal(word[2].left, 80);
    assert_int_equal(word[2].top, 14);
    assert_int_equal(word[2].bottom, 36);

    struct text_box box = {100, 50, 120, 48, acos(-1)}; /* upside down */
    double corner[4];
    line_crop_place(&box, WIDE, HIGH, &word[2], corner);
    assert_float_equal(corner[0], 100 + 60 - 88, 1e-6);
    assert_float_equal(corner[2], 100 + 60 - 80, 1e-6);
    assert_float_equal(corner[1], 50 + 24 - 36, 1e-6);
    assert_float_equal(corner[3], 50 + 24 - 14, 1e-6);
}

static void words_are_packed_without_white_space(void **state)
{
    (void)state;
    struct ocr_result r = {.n_word = 0};
    struct ocr_place place = {10, 20, 30, 40, 100, 200};
    ocr_words_add(&r, &place, " 1 2\t", 101);
    ocr_words_add(&r, &place, "\n", 50);
    ocr_words_add(&r, &(struct ocr_place){-5, 190, 300, 40, 100, 200}, "b", -1);
    assert_int_equal(r.n_word, 2);
    assert_int_equal(r.n_byte, 3);
    assert_memory_equal(r.byte, "12b", 3);
    assert_int_equal(ocr_words_letters(&r), 1);
    assert_int_equal(r.sure[0], 100);
    assert_int_equal(r.word[0].x, PACKED_WORD_ONE / 10);
    assert_int_equal(r.sure[1], 0);
    assert_int_equal(r.word[1].x, 0);
    assert_int_equal(r.word[1].w, PACKED_WORD_ONE);
    assert_int_equal(r.word[1].y + r.word[1].h, PACKED_WORD_ONE);
    ocr_words_free(&r);
}

static void languages_have_scripts(void **state)
{
    (void)state;
    uint32_t latin = ocr_scripts_of("eng+deu"),
             both = ocr_scripts_of("eng+kan");
    assert_int_equal(latin, 1);
    assert_true(both > 1 && both & 1);
    assert_true(ocr_scripts_has(both, "Kannada"));
    assert_false(ocr_scripts_has(latin, "Kannada"));
    assert_true(ocr_scripts_has(latin, "Klingon"));
    assert_int_equal(ocr_scripts_of("chi_sim"), ocr_scripts_of("chi_tra_vert"));
}

/* --- reading order ----------------------------------------------------------- */

enum { N_LINE = 8, LINE_PITCH = 30, LINE_HEIGHT = 24, LINES_MAX = 20 };

static struct text_box line_at(double x0, double x1, double y)
{
    return (struct text_box){(x0 + x1) / 2, y, x1 - x0, LINE_HEIGHT, 0};
}

/* Turns the page, of 1000 by 1000, clockwise. */
static void turn_page(struct text_box *line, int n, int quarters)
{
    for (int i = 0; i < n; i++)
        for (int q = 0; q < quarters; q++) {
            double x = line[i].x;
            line[i].x = 1000 - line[i].y;
            line[i].y = x;
            line[i].angle += acos(0);
        }
}

/* Sorts lines that are given in the order in which they are read. */
static void expect_order(const struct text_box *want, int n)
{
    for (int quarters = 0; quarters < 4; quarters++) {
        struct text_box right[LINES_MAX], line[LINES_MAX];
        memcpy(right, want, (size_t)n * sizeof *want);
        turn_page(right, n, quarters);
        for (int i = 0; i < n; i++)
            line[i] = right[n - 1 - i];
        reading_order_sort(line, n, (4 - quarters) % 4);
        for (int i = 0; i < n; i++)
            if (fabs(line[i].x - right[i].x) > 0.1 ||
                fabs(line[i].y - right[i].y) > 0.1)
                fail_msg("turned by %d: line %d is at %g, %g", quarters, i,
                         line[i].x, line[i].y);
    }
}

/* A title, two columns whose last lines but one are short, a page's number. */
static void columns_are_read_one_after_the_other(void **state)
{
    (void)state;
    struct text_box line[LINES_MAX] = {line_at(100, 900, 50)};
    int n = 1;
    for (int column = 0; column < 2; column++)
        for (int i = 0; i < N_LINE; i++) {
            double left = 50 + 470 * column;
            line[n++] = line_at(left, left + (i == 6 ? 250 : 430 - i),
                                200 + LINE_PITCH * i + 3 * column);
        }
    line[n++] = line_at(490, 530, 950);
    expect_order(line, n);
}

/* Names and amounts, and one line below the names. */
static void rows_of_a_table_are_read_as_rows(void **state)
{
    (void)state;
    struct text_box line[LINES_MAX];
    int n = 0;
    for (int i = 0; i < N_LINE; i++) {
        line[n++] = line_at(50, 200 + 77 * (i % 4), 200 + LINE_PITCH * i);
        line[n++] = line_at(800, 900, 203 + LINE_PITCH * i);
    }
    line[n++] = line_at(50, 400, 700);
    expect_order(line, n);
}

/* Short lines of different lengths are no running text. */
static void addresses_beside_each_other_are_rows(void **state)
{
    (void)state;
    static const int length[4] = {150, 320, 210, 90};
    struct text_box line[8];
    for (int i = 0; i < 8; i++) {
        double left = 50 + 450 * (i % 2);
        line[i] =
            line_at(left, left + length[i / 2], 200 + LINE_PITCH * (i / 2));
    }
    expect_order(line, 8);
}

TEST_GROUP(ocr_models, cmocka_unit_test(the_smallest_rectangle_lies_askew),
           cmocka_unit_test(a_box_grows_by_its_area_over_its_perimeter),
           cmocka_unit_test(only_long_boxes_are_turned),
           cmocka_unit_test(lines_are_sure_and_large_spots),
           cmocka_unit_test(a_dictionary_has_a_character_a_line),
           cmocka_unit_test(repeats_are_one_character_unless_apart),
           cmocka_unit_test(a_line_is_drawn_upright),
           cmocka_unit_test(words_end_at_spaces_and_wide_gaps),
           cmocka_unit_test(words_are_packed_without_white_space),
           cmocka_unit_test(languages_have_scripts),
           cmocka_unit_test(columns_are_read_one_after_the_other),
           cmocka_unit_test(rows_of_a_table_are_read_as_rows),
           cmocka_unit_test(addresses_beside_each_other_are_rows))
