/* prepare_test.c - boxes on the picture that the model sees, and back on the
 * page as a viewer displays it: askew, turned by EXIF or /Rotate, cropped,
 * resized. Each page bears one red mark. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "stages/page/prepare.h"
#include "tests/unit/stages/usual_settings.h"

enum { WIDTH = 1000, HEIGHT = 500, PITCH = 24 };

static struct settings usual(void)
{
    struct settings s = usual_settings();
    s.deskew = true;
    return s;
}

/* The box of what is red, in 0..1. */
static struct box red_of(const struct image *im)
{
    int left = im->width_px, top = im->height_px, right = 0, foot = 0;
    assert_int_equal(im->n_channel, 3);
    for (int y = 0; y < im->height_px; y++)
        for (int x = 0; x < im->width_px; x++) {
            const uint8_t *p = image_row(im, y) + 3 * x;
            if (p[0] < 160 || p[1] > 96) continue;
            left = x < left ? x : left;
            right = x + 1 > right ? x + 1 : right;
            top = y < top ? y : top;
            foot = y + 1;
        }
    return (struct box){(double)left / im->width_px,
                        (double)top / im->height_px,
                        (double)(right - left) / im->width_px,
                        (double)(foot - top) / im->height_px};
}

/* Lines of words about the middle and a mark among them, at `degrees`. */
static void write_pdf(FILE *f, const char *entries, double degrees)
{
    char content[20000];
    double c = cos(degrees * M_PI / 180), s = sin(degrees * M_PI / 180);
    int n = snprintf(content, sizeof content, "%.6f %.6f %.6f %.6f 500 250 cm ",
                     c, -s, s, c);
    for (int y = -8; y <= 8; y++)
        for (int x = 0; x < 12; x++)
            n += snprintf(content + n, sizeof content - (size_t)n,
                          "%d %d %d 9 re f ", x * 60 - 360, y * PITCH, 26);
    snprintf(content + n, sizeof content - (size_t)n,
             "1 0 0 rg -200 -51 160 30 re f");
    fprintf(f,
            "%%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
            "2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n"
            "3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]%s"
            "/Contents 5 0 R>>\nendobj\n"
            "5 0 obj\n<</Length %zu>>\nstream\n%s\nendstream\nendobj\n"
            "trailer\n<</Root 1 0 R>>\n",
            WIDTH, HEIGHT, entries, strlen(content), content);
}

static void put(FILE *f, int bytes, unsigned value)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(value >> (8 * i) & 255), f);
}

/* The same page as pixels, in a TIFF that says how it is to be turned. */
static void write_tiff(FILE *f, unsigned orientation, double degrees)
{
    const unsigned tag[][3] = {{256, 3, WIDTH},
                               {257, 3, HEIGHT},
                               {258, 3, 8},
                               {259, 3, 1},
                               {262, 3, 2},
                               {273, 4, 146},
                               {274, 3, orientation},
                               {277, 3, 3},
                               {278, 3, HEIGHT},
                               {279, 4, 3 * WIDTH * HEIGHT},
                               {284, 3, 1}};
    double c = cos(degrees * M_PI / 180), s = sin(degrees * M_PI / 180);
    put(f, 4, 0x002a4949);
    put(f, 4, 8);
    put(f, 2, 11);
    for (int i = 0; i < 11; i++) {
        put(f, 2, tag[i][0]);
        put(f, 2, tag[i][1]);
        put(f, 4, 1);
        put(f, 4, tag[i][2]);
    }
    put(f, 4, 0);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double dx = x - WIDTH / 2 + 0.5, dy = y - HEIGHT / 2 + 0.5;
            double u = dx * c + dy * s, v = dy * c - dx * s;
            bool mark = u >= -200 && u < -40 && v >= 21 && v < 51;
            bool line = fabs(v) < 200 && fabs(u) < 360 &&
                        fmod(v + 1000, PITCH) < 9 && fmod(u + 1000, 60) < 26;
            put(f, 3, mark ? 0x0000ff : line ? 0 : 0xffffff);
        }
}

static const struct {
    const char *what, *entries; /* of a PDF page, or NULL */
    unsigned orientation;       /* of a TIFF */
    double degrees;
    struct box displayed; /* where the mark stands when the page is straight */
} pages[] = {
    {"straight", "", 0, 0, {.3, .542, .16, .06}},
    {"askew", "", 0, 2.5, {0, 0, 0, 0}},
    {"askew the other way", "", 0, -4, {0, 0, 0, 0}},
    {"far askew", "", 0, 8, {0, 0, 0, 0}},
    {"far askew the other way", "", 0, -13, {0, 0, 0, 0}},
    {"turned", "/Rotate 90", 0, 0, {.398, .3, .06, .16}},
    {"turned the other way", "/Rotate 270", 0, 0, {.542, .54, .06, .16}},
    {"on its head and askew", "/Rotate 180", 0, 1.5, {0, 0, 0, 0}},
    {"cropped", "/CropBox[100 0 600 500]", 0, 0, {.4, .542, .32, .06}},
    {"cropped and askew", "/CropBox[50 0 950 500]", 0, -3, {0, 0, 0, 0}},
    {"a sideways scan", NULL, 6, 0, {.398, .3, .06, .16}},
    {"an upright scan, askew", NULL, 1, 3, {0, 0, 0, 0}},
    {"a scan on its head, askew", NULL, 3, -2, {0, 0, 0, 0}},
};

static bool are_close(struct box a, struct box b, double most)
{
    return fabs(a.x - b.x) < most && fabs(a.y - b.y) < most &&
           fabs(a.x + a.w - b.x - b.w) < most &&
           fabs(a.y + a.h - b.y - b.h) < most;
}

static void expect(int i, const char *what, struct box got, struct box want)
{
    if (!are_close(got, want, 0.008))
        fail_msg("%s, %s: got %.3f %.3f %.3f %.3f, want %.3f %.3f %.3f %.3f",
                 pages[i].what, what, got.x, got.y, got.w, got.h, want.x,
                 want.y, want.w, want.h);
}

static void write_page(const char *path, int i)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    if (pages[i].entries)
        write_pdf(f, pages[i].entries, pages[i].degrees);
    else
        write_tiff(f, pages[i].orientation, pages[i].degrees);
    fclose(f);
}

static void a_box_goes_back_to_the_page_that_a_viewer_shows(void **state)
{
    (void)state;
    char path[] = "/tmp/platen-prepare-XXXXXX";
    close(mkstemp(path));
    for (int i = 0; i < (int)(sizeof pages / sizeof *pages); i++) {
        struct settings s = usual();
        struct prepare_target target = {
            .grid = 32, .min_pixels = 65536, .max_pixels = 300000};
        struct err err = {0};
        struct image im;
        write_page(path, i);
        FILE *f = fopen(path, "rb");
        struct document *doc = document_new("test", path, fileno(f));
        identify_document(doc, &s, &err);
        struct raster *r = rasterise_open(doc, &s, &target, NULL, &err);
        assert_true(rasterise_next(r, &im, &err));
        struct box drawn = red_of(&im);
        if (pages[i].displayed.w > 0)
            expect(i, "drawn", drawn, pages[i].displayed);
        prepare_page(&im, NULL, &doc->page[0], &target, &s, &err);
        test_ok(&err);
        struct box seen = red_of(&im);
        double skew = doc->page[0].skew_degrees;
        if (fabs(fabs(skew) - fabs(pages[i].degrees)) > 0.3)
            fail_msg("%s: skew %.2f", pages[i].what, skew);
        expect(i, "shown", prepare_to_page(&doc->page[0], seen), drawn);
        /* the way there holds what the mark has become, and little more */
        struct box there = prepare_from_page(&doc->page[0], drawn);
        assert_true(there.x < seen.x + 0.008 && there.y < seen.y + 0.008);
        assert_true(are_close(there, seen, 0.008 + fabs(skew) * 0.01));
        image_free(&im);
        rasterise_close(r);
        document_free(doc);
        fclose(f);
    }
    unlink(path);
}

/* --- what of a page is shown --------------------------------------------------- */

/* Rows of print with words apart, within a part of the page. */
static void print_on(struct image *im, struct box part)
{
    int left = (int)(part.x * im->width_px),
        top = (int)(part.y * im->height_px);
    int right = left + (int)(part.w * im->width_px);
    int foot = top + (int)(part.h * im->height_px);
    for (int y = top; y < foot; y++)
        for (int x = left; x < right; x++)
            if ((y - top) % 28 < 10 && (x - left) % 60 < 44 && (x + y) % 7 < 4)
                memset(image_row(im, y) + 3 * x, 20, 3);
}

static void put_mark(struct image *im, struct box mark)
{
    int left = (int)(mark.x * im->width_px),
        top = (int)(mark.y * im->height_px);
    for (int y = top; y < top + (int)(mark.h * im->height_px); y++)
        for (int x = left; x < left + (int)(mark.w * im->width_px); x++) {
            uint8_t *p = image_row(im, y) + 3 * x;
            p[0] = 255, p[1] = p[2] = 0;
        }
}

static const struct {
    const char *what;
    int width, height;
    struct box print[3]; /* until one without width */
    struct box mark;
    double most;  /* of the page's pixels that are shown */
    double least; /* likewise */
} sheets[] = {
    {"a receipt in a corner",
     1240,
     1754,
     {{.05, .04, .33, .35}},
     {.1, .3, .2, .02},
     .32,
     .11},
    {"a receipt in the middle",
     1240,
     1754,
     {{.35, .4, .3, .25}},
     {.4, .5, .2, .02},
     .3,
     .07},
    {"a letterhead and a foot, with nothing between",
     1240,
     1754,
     {{.06, .04, .88, .08}, {.06, .9, .88, .04}},
     {.2, .91, .1, .02},
     .5,
     .1},
    {"a figure by itself, far from all else",
     1240,
     1754,
     {{.05, .04, .3, .3}},
     {.8, .9, .005, .006},
     .5,
     .1},
    {"a full page", 1240, 1754, {{.05, .04, .9, .92}}, {.4, .5, .2, .02}, 1, 1},
    {"two thirds of a page",
     1240,
     1754,
     {{.05, .04, .9, .6}},
     {.4, .5, .2, .02},
     .75,
     .54},
    {"a page with margins and a gap",
     1240,
     1754,
     {{.16, .12, .68, .3}, {.16, .6, .68, .28}},
     {.4, .7, .2, .02},
     .75,
     .6},
    {"a till receipt",
     264,
     420,
     {{.06, .04, .88, .9}},
     {.4, .5, .2, .06},
     1,
     1},
};

static void check_sheet(int i, bool crop, struct err *err)
{
    struct settings s = usual();
    struct prepare_target target = {
        .grid = 32, .min_pixels = 65536, .max_pixels = 2359296};
    int width = sheets[i].width, height = sheets[i].height;
    struct image im = image_new(width, height, 3, err);
    memset(im.data, 250, im.stride_bytes * (size_t)height);
    for (int k = 0; k < 3 && sheets[i].print[k].w > 0; k++)
        print_on(&im, sheets[i].print[k]);
    put_mark(&im, sheets[i].mark);
    s.crop = crop;
    struct page page = {.width_px = width, .height_px = height};
    prepare_page(&im, NULL, &page, &target, &s, err);
    test_ok(err);
    double shown = (double)im.width_px * im.height_px / width / height;
    if (crop && sheets[i].most < 1) {
        if (shown > sheets[i].most || shown < sheets[i].least)
            fail_msg("%s: %.3f of it is shown", sheets[i].what, shown);
    } else {
        assert_int_equal(page.shown.n_band, 0);
    }
    struct box seen = red_of(&im), back = prepare_to_page(&page, seen);
    struct box want = sheets[i].mark;
    if (!are_close(back, want, 0.008))
        fail_msg("%s: got %.3f %.3f %.3f %.3f", sheets[i].what, back.x, back.y,
                 back.w, back.h);
    assert_true(are_close(prepare_from_page(&page, want), seen, 0.012));
    image_free(&im);
}

static void paper_is_left_out_and_places_stay(void **state)
{
    (void)state;
    for (int i = 0; i < (int)(sizeof sheets / sizeof *sheets); i++) {
        struct err err = {0};
        check_sheet(i, true, &err);
        check_sheet(i, false, &err);
    }
}

/* Print of 3 % contrast is no paper: it is shown, and so is what is round it. */
static void faint_print_is_not_left_out(void **state)
{
    (void)state;
    struct err err = {0};
    struct settings s = usual();
    struct prepare_target target = {
        .grid = 32, .min_pixels = 65536, .max_pixels = 2359296};
    struct image im = image_new(1240, 1754, 3, &err);
    memset(im.data, 250, im.stride_bytes * 1754);
    print_on(&im, (struct box){.05, .04, .4, .2});
    for (int y = 1500; y < 1640; y++)
        for (int x = 700; x < 1100; x++)
            if (y % 28 < 10 && x % 40 < 30)
                memset(image_row(&im, y) + 3 * x, 242, 3);
    struct page page = {.width_px = 1240, .height_px = 1754};
    s.crop = true;
    prepare_page(&im, NULL, &page, &target, &s, &err);
    test_ok(&err);
    struct box there = {700 / 1240.0, 1500 / 1754.0, 400 / 1240.0,
                        140 / 1754.0};
    struct box seen = prepare_from_page(&page, there);
    assert_true(are_close(prepare_to_page(&page, seen), there, 0.002));
    image_free(&im);
}

/* What is too small for the model keeps its pixels, on white. */
static void nothing_is_enlarged(void **state)
{
    (void)state;
    static const int side[][2] = {{100, 60}, {300, 24}, {20, 200}, {255, 255}};
    for (int i = 0; i < 4; i++) {
        struct err err = {0};
        struct settings s = usual();
        struct prepare_target target = {
            .grid = 32, .min_pixels = 65536, .max_pixels = 2359296};
        int width = side[i][0], height = side[i][1];
        struct image im = image_new(width, height, 3, &err);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < 3 * width; x++)
                image_row(&im, y)[x] = (uint8_t)((x / 3 * 7 + y * 13) % 200);
        struct page page = {.width_px = width, .height_px = height};
        s.skip_blank = s.deskew = false;
        prepare_page(&im, NULL, &page, &target, &s, &err);
        test_ok(&err);
        assert_true((int64_t)im.width_px * im.height_px >= 65536);
        assert_true(im.width_px % 32 == 0 && im.height_px % 32 == 0);
        if (i ==
            3) { /* within half a cell of the grid: as the reference has it */
            assert_int_equal(im.width_px, 256);
            image_free(&im);
            continue;
        }
        for (int y = 0; y < im.height_px; y++)
            for (int x = 0; x < im.width_px; x++)
                assert_int_equal(
                    image_row(&im, y)[3 * x],
                    x < width && y < height ? (x * 7 + y * 13) % 200 : 255);
        struct box whole = {0, 0, (double)width / im.width_px,
                            (double)height / im.height_px};
        assert_true(are_close(prepare_to_page(&page, whole),
                              (struct box){0, 0, 1, 1}, 1e-9));
        assert_true(are_close(
            prepare_from_page(&page, (struct box){0, 0, 1, 1}), whole, 1e-9));
        image_free(&im);
    }
}

TEST_GROUP(prepare, cmocka_unit_test(paper_is_left_out_and_places_stay),
           cmocka_unit_test(faint_print_is_not_left_out),
           cmocka_unit_test(nothing_is_enlarged),
           cmocka_unit_test(a_box_goes_back_to_the_page_that_a_viewer_shows))
