/* prepare_test.c - boxes on the picture that the model sees, and back on the
 * page as a viewer displays it: askew, turned by EXIF or /Rotate, cropped,
 * resized. Each page bears one red mark. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stages/identify.h"
#include "stages/page/prepare.h"
#include "stages/rasterise.h"

enum { WIDTH = 1000, HEIGHT = 500, PITCH = 24 };

static char program[4096]; /* platen-raster, beside this test program */

static struct settings usual(void)
{
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 20);
    program[n < 0 ? 0 : n] = '\0';
    char *slash = strrchr(program, '/');
    strcpy(slash ? slash + 1 : program, "platen-raster");
    return (struct settings){.raster_program = program,
                             .pages = "",
                             .deskew = true,
                             .document_bytes_max = 200000000,
                             .pages_max = 2000,
                             .decoded_pixels_max = 100000000,
                             .child_memory = (int64_t)2 << 30,
                             .child_cpu_s = 10,
                             .page_wall_s = 30,
                             .document_wall_s = 60};
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
        struct prepare_target target = {32, 65536, 300000};
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
        prepare_page(&im, &doc->page[0], &target, &s, &err);
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

TEST_GROUP(prepare,
           cmocka_unit_test(a_box_goes_back_to_the_page_that_a_viewer_shows))
