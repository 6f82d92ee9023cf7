/* engine_test.c - what engines say of pages, where nobody set anything. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stages/engine/engine.h"
#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "vlm/base/buf.h"
#include "vlm/schema/schema.h"

enum { CONTEXT = 16384, ANSWER = 8192, PROMPT = 1500, N_PAGE = 2 };

static char program[4096], model[4096], mmproj[4096];

/* A vision file that says nothing of its largest picture. */
static struct settings usual(const char *engine)
{
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 20);
    program[n < 0 ? 0 : n] = '\0';
    char *slash = strrchr(program, '/');
    strcpy(slash ? slash + 1 : program, "platen-raster");
    return (struct settings){
        .raster_program = program,
        .engine = engine,
        .model = test_path(model, "tests/vectors/micro-f32.gguf"),
        .mmproj = test_path(mmproj, "tests/vectors/micro-mmproj-f32.gguf"),
        .model_sha256 = "",
        .cache = "",
        .endpoint = "http://127.0.0.1:1",
        .endpoint_model = "",
        .endpoint_timeout_s = 1,
        .n_ctx = 1024,
        .n_thread = 1,
        .pages = "",
        .max_document_bytes = 200000000,
        .max_pages = 2000,
        .max_decoded_pixels = 100000000,
        .child_memory_limit = (int64_t)2 << 30,
        .child_cpu_limit_s = 10,
        .page_timeout_s = 30,
        .document_timeout_s = 60};
}

static void a_page_is_as_large_for_every_engine(void **state)
{
    (void)state;
    static const char *const name[] = {"native", "endpoint", "null"};
    for (int i = 0; i < 3; i++) {
        struct settings s = usual(name[i]);
        struct err err = {0};
        struct engine *e = engine_open(&s, &err);
        test_ok(&err);
        assert_int_equal(engine_facts(e)->max_pixels, 2359296);
        engine_close(e);
        s.max_pixels = 4000000; /* whoever asks for more gets more */
        e = engine_open(&s, &err);
        test_ok(&err);
        assert_int_equal(engine_facts(e)->max_pixels, 4000000);
        engine_close(e);
    }
}

/* Pages of 210 x 297 mm with a word each; the file's descriptor. */
static int a4_pdf(void)
{
    static const char word[] = "BT /F 40 Tf 100 500 Td (total 12.50) Tj ET";
    struct buf out = buf_limit(10000);
    size_t at[4 + 2 * N_PAGE];
    int n = 0;
    buf_add_text(&out, "%PDF-1.4\n");
    at[n++] = out.size;
    buf_add_text(&out, "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n");
    at[n++] = out.size;
    buf_print(&out, "2 0 obj<</Type/Pages/Kids[4 0 R 5 0 R]/Count %d>>endobj\n",
              N_PAGE);
    at[n++] = out.size;
    buf_print(&out, "3 0 obj<</Length %zu>>stream\n%s\nendstream endobj\n",
              strlen(word), word);
    for (int i = 0; i < N_PAGE; i++) {
        at[n++] = out.size;
        buf_print(&out,
                  "%d 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]"
                  "/Contents 3 0 R/Resources<</Font<</F<</Type/Font/Subtype"
                  "/Type1/BaseFont/Helvetica>>>>>>>>endobj\n",
                  n);
    }
    size_t start = out.size;
    buf_print(&out, "xref\n0 %d\n0000000000 65535 f \n", n + 1);
    for (int i = 0; i < n; i++)
        buf_print(&out, "%010zu 00000 n \n", at[i]);
    buf_print(&out, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%zu\n%%%%EOF\n",
              n + 1, start);
    char path[] = "/tmp/platen-a4-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    assert_int_equal(write(fd, out.data, out.size), (ssize_t)out.size);
    buf_free(&out);
    return fd;
}

/* Two pages of A4, a prompt and a whole answer fit the usual context. */
static void two_a4_pages_fit_a_context(void **state)
{
    (void)state;
    struct settings s = usual("native");
    struct err err = {0};
    struct engine *e = engine_open(&s, &err);
    test_ok(&err);
    const struct engine_facts *f = engine_facts(e);
    struct prepare_target target = {.grid = f->grid,
                                    .min_pixels = f->min_pixels,
                                    .max_pixels = f->max_pixels};
    int fd = a4_pdf(), n_token = 0, n_page = 0;
    struct document *doc = document_new("id", "a4.pdf", fd);
    identify_document(doc, &s, &err);
    struct raster *r = rasterise_open(doc, &s, &target, NULL, &err);
    struct image image;
    while (!err_failed(&err) && rasterise_next(r, &image, &err)) {
        struct page *page = &doc->page[n_page++];
        prepare_page(&image, NULL, page, &target, &s, &err);
        assert_true(page->dpi > 145 && page->dpi < 165);
        n_token += (image.width_px / f->grid) * (image.height_px / f->grid) + 2;
        image_free(&image);
    }
    test_ok(&err);
    assert_int_equal(n_page, N_PAGE);
    assert_true(n_token > N_PAGE * 2000);
    assert_true(n_token + PROMPT + ANSWER <= CONTEXT);
    rasterise_close(r);
    document_free(doc);
    engine_close(e);
    close(fd);
}

/* ---- where the embedded model looks -------------------------------------- */

static const char receipt[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"merchant\":{\"type\":[\"string\",\"null\"]},"
    "\"items\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"properties\":{\"name\":{\"type\":\"string\"},"
    "\"price\":{\"type\":\"number\"}},"
    "\"required\":[\"name\",\"price\"],\"additionalProperties\":false}},"
    "\"total\":{\"type\":[\"number\",\"null\"]}},"
    "\"required\":[\"merchant\",\"items\",\"total\"],"
    "\"additionalProperties\":false}";

struct reader {
    struct settings s;
    struct engine *engine;
    struct document *doc;
    const struct text_lines *lines;
    struct image image; /* the prepared page */
    struct err err;
};

static void open_reader(struct reader *r, const char *path)
{
    char full[4096];
    *r = (struct reader){.s = usual("native")};
    r->s.model = test_path(model, "vlm/embedded/platen-tiny.gguf");
    r->s.mmproj = test_path(mmproj, "vlm/embedded/platen-tiny-mmproj.gguf");
    r->s.deskew = true;
    r->engine = engine_open(&r->s, &r->err);
    test_ok(&r->err);
    const struct engine_facts *f = engine_facts(r->engine);
    struct prepare_target target = {.grid = f->grid,
                                    .min_pixels = f->min_pixels,
                                    .max_pixels = f->max_pixels};
    FILE *file = fopen(test_path(full, path), "rb");
    r->doc = document_new("id", path, fileno(file));
    r->doc->schema = schema_parse(span_of(receipt), "test", NULL, &r->err);
    identify_document(r->doc, &r->s, &r->err);
    struct raster *raster =
        rasterise_open(r->doc, &r->s, &target, NULL, &r->err);
    assert_true(rasterise_next(raster, &r->image, &r->err));
    struct page_view *seen =
        page_view_new(&r->image, r->s.deskew, r->doc->arena, &r->err);
    r->lines = page_view_lines(seen, &r->err);
    prepare_page(&r->image, seen, &r->doc->page[0], &target, &r->s, &r->err);
    page_view_close(seen);
    rasterise_close(raster);
    fclose(file);
    test_ok(&r->err);
}

static void close_reader(struct reader *r)
{
    struct schema *schema = (struct schema *)r->doc->schema;
    image_free(&r->image);
    document_free(r->doc);
    engine_close(r->engine);
    schema_free(schema);
}

/* Reads the prepared page's rows from `from` on. */
static void ask(struct reader *r, int from)
{
    const struct engine_api *api = r->engine->api;
    struct image part = r->image;
    part.data = image_row(&r->image, from);
    part.height_px -= from;
    struct view view = {.image = &part,
                        .page = &r->doc->page[0],
                        .top = (double)from / r->image.height_px,
                        .lines = r->lines};
    struct engine_try now = {.attempt = 1, .max_tokens = 500};
    api->begin(r->engine, r->doc, &r->err);
    api->page(r->engine, r->doc, &view, &r->err);
    api->answer(r->engine, r->doc, &now, &r->err);
    test_ok(&r->err);
}

static const struct field_look *look_of(const struct reader *r,
                                        const char *pointer)
{
    assert_non_null(r->doc->look);
    for (int i = 0; i < r->doc->n_field; i++)
        if (!strcmp(r->doc->field[i].pointer, pointer)) return &r->doc->look[i];
    fail_msg("no %s in %.*s", pointer, (int)r->doc->answer.size,
             r->doc->answer.data);
    return NULL;
}

/* On the page as it came, which lies askew by some two degrees. */
static const struct {
    const char *pointer;
    struct box box;
} askew[] = {{"/merchant", {.230, .000, .505, .072}},
             {"/items/0/price", {.852, .161, .104, .047}},
             {"/items/2/name", {.074, .358, .280, .055}},
             {"/items/4/name", {.081, .530, .162, .063}},
             {"/total", {.805, .578, .165, .050}}};

static void values_are_placed_on_the_page_as_it_came(void **state)
{
    (void)state;
    struct reader r;
    open_reader(&r, "samples/good/askew.png");
    ask(&r, 0);
    assert_true(r.doc->page[0].skew_degrees != 0);
    for (size_t i = 0; i < sizeof askew / sizeof *askew; i++) {
        const struct field_look *look = look_of(&r, askew[i].pointer);
        const struct box *want = &askew[i].box, *got = &look->ink.box;
        double sum = 0, x = 0;
        assert_int_equal(look->ink.page, 1);
        assert_true(look->n_place > 0);
        for (int k = 0; k < look->n_place; k++) {
            sum += look->place[k].weight;
            x += look->place[k].weight *
                 (look->place[k].box.x + look->place[k].box.w / 2);
            assert_int_equal(look->place[k].page, 1);
        }
        assert_true(sum > 0.999 && sum < 1.001);
        assert_true(x > want->x - 0.05 && x < want->x + want->w + 0.05);
        double w =
            fmin(got->x + got->w, want->x + want->w) - fmax(got->x, want->x);
        double h =
            fmin(got->y + got->h, want->y + want->h) - fmax(got->y, want->y);
        double both = w > 0 && h > 0 ? w * h : 0;
        if (both < 0.6 * (got->w * got->h + want->w * want->h - both))
            fail_msg("%s: got %.3f %.3f %.3f %.3f", askew[i].pointer, got->x,
                     got->y, got->w, got->h);
    }
    close_reader(&r);
}

static void a_part_of_a_page_is_placed_on_the_page(void **state)
{
    (void)state;
    struct reader r;
    open_reader(&r, "samples/good/photo-sideways.jpg");
    int grid = engine_facts(r.engine)->grid, n = 0;
    int from = r.image.height_px / 2 / grid * grid;
    ask(&r, from);
    for (int i = 0; i < r.doc->n_field; i++) {
        const struct field_look *look = &r.doc->look[i];
        for (int k = 0; k < look->n_place; k++, n++)
            assert_true(look->place[k].box.y > 0.3);
        assert_true(!look->ink.page || look->ink.box.y > 0.3);
    }
    assert_true(n > 0);
    close_reader(&r);
}

TEST_GROUP(engine, cmocka_unit_test(values_are_placed_on_the_page_as_it_came),
           cmocka_unit_test(a_part_of_a_page_is_placed_on_the_page),
           cmocka_unit_test(a_page_is_as_large_for_every_engine),
           cmocka_unit_test(two_a4_pages_fit_a_context))
