/* engine_test.c - what engines say of pages, where nobody set anything. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stages/engine/engine.h"
#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "tests/unit/stages/usual_settings.h"
#include "vlm/base/buf.h"
#include "vlm/schema/schema.h"

enum { CONTEXT = 16384, ANSWER = 8192, PROMPT = 1500, N_PAGE = 2 };

static char model[4096], mmproj[4096];

/* A vision file that says nothing of its largest picture. */
static struct settings usual(const char *engine)
{
    struct settings s = usual_settings();
    s.engine = engine;
    s.model = test_path(model, "tests/vectors/micro-f32.gguf");
    s.mmproj = test_path(mmproj, "tests/vectors/micro-mmproj-f32.gguf");
    s.model_sha256 = "";
    s.cache = "";
    s.endpoint = "http://127.0.0.1:1";
    s.endpoint_model = "";
    s.endpoint_timeout_s = 1;
    s.n_ctx = 1024;
    s.n_thread = 1;
    return s;
}

static void a_page_is_as_large_for_every_engine(void **state)
{
    (void)state;
    static const char *const name[] = {"native", "auto", "endpoint", "null"};
    for (int i = 0; i < 4; i++) {
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

TEST_GROUP(engine, cmocka_unit_test(a_page_is_as_large_for_every_engine),
           cmocka_unit_test(two_a4_pages_fit_a_context))
