/* raster_fuzz.c - any bytes as the words of a rasteriser: the reader of the
 * pixel protocol, with a file that plays them back in place of a child.
 *
 * Whatever they are, no more pages come than were announced and allowed, none
 * is larger than was asked for, and what is refused is refused for a reason.
 */
#include "tests/fuzz/played.h" /* first: it wants more of libc */

#include "tests/fuzz/fuzz.h"

/* a program of its own beside the real ones, which the unit tests link, too */
#define rasterise_invoice    raster_fuzz_invoice
#define rasterise_open       raster_fuzz_open
#define rasterise_next       raster_fuzz_next
#define rasterise_again      raster_fuzz_again
#define rasterise_program    raster_fuzz_program
#define rasterise_rested     raster_fuzz_rested
#define rasterise_words      raster_fuzz_words
#define rasterise_open_codes raster_fuzz_open_codes
#define rasterise_next_codes raster_fuzz_next_codes
#define rasterise_open_files raster_fuzz_open_files
#define rasterise_next_file  raster_fuzz_next_file
#define rasterise_close      raster_fuzz_close
#define rasterise_was_killed raster_fuzz_was_killed
#define rasterise_unlock     raster_fuzz_unlock
#define rasterise_doctor     raster_fuzz_doctor
#include "stages/input/rasterise.c"

#include <string.h>

#include "vlm/base/utf8.h"

enum { PAGES_MAX = 5, PIXELS_MAX = 4096 };

static bool is_on_page(double at, double size)
{
    return at >= 0 && size > 0 && at + size <= 1;
}

static void check_words(const struct words *w, bool wanted)
{
    assert(w->n_word >= 0 && w->n_word <= PACKED_WORDS_MAX);
    assert(wanted || w->n_word == 0);
    for (int i = 0; i < w->n_word; i++) {
        const struct word *word = &w->word[i];
        assert(is_on_page(word->x, word->w) && is_on_page(word->y, word->h));
        assert(*word->text);
        for (const char *at = word->text; *at;)
            assert(utf8_take(&at) != UTF8_BAD);
    }
}

static void check_invoice(const struct invoice *invoice)
{
    assert(invoice->n >= 0 && invoice->n <= INVOICE_VALUES_MAX);
    for (int i = 0; i < invoice->n; i++) {
        const struct invoice_value *v = &invoice->value[i];
        assert(v->term > 0 && v->term <= INVOICE_TERM_MAX);
        assert(v->line >= 0 && v->line <= INVOICE_LINES_MAX);
        assert(v->row >= 0 && v->row <= INVOICE_LINES_MAX);
        assert(strlen(v->path) <= INVOICE_PATH_MAX);
        assert(*v->text && strlen(v->text) <= INVOICE_VALUE_MAX);
        for (const char *at = v->text; *at;)
            assert(utf8_take(&at) != UTF8_BAD);
    }
}

static void read_pages(struct raster *r, struct document *doc, struct err *err)
{
    struct image image;
    int n = 0;
    assert(doc->n_page >= 1 && doc->n_page <= PAGES_MAX);
    while (rasterise_next(r, &image, err)) {
        assert(image.n_channel == 1 || image.n_channel == 3);
        assert((int64_t)image.width_px * image.height_px <=
               raster_pixels_max(PIXELS_MAX, doc->type == FILE_PDF));
        assert(++n <= doc->n_page);
        check_words(rasterise_words(r), doc->want_words);
        image_free(&image);
    }
    assert(err_failed(err) || n == doc->n_page);
}

static void read_codes(struct raster *r, struct document *doc, struct err *err)
{
    struct page_codes codes;
    int n = 0;
    while (rasterise_next_codes(r, &codes, err)) {
        assert(codes.number == doc->page[n].number);
        assert(codes.n_code >= 0 && codes.n_code <= RASTER_CODE_MAX);
        for (int i = 0; i < codes.n_code; i++)
            assert(strlen(codes.code[i].text) <= FRAME_TEXT_MAX);
        assert(++n <= doc->n_page);
    }
    assert(err_failed(err) || n == doc->n_page);
}

static void read_xml(struct document *doc, const struct settings *settings)
{
    struct err err = {0};
    doc->type = FILE_XML;
    rasterise_invoice(doc, settings, NULL, &err);
    assert(err_failed(&err) || doc->invoice);
    if (doc->invoice) check_invoice(doc->invoice);
}

static void check_text(const char *text)
{
    for (const char *at = text; *at;)
        assert(utf8_take(&at) != UTF8_BAD);
}

static void read_files(struct raster *r, struct document *doc, struct err *err)
{
    struct raster_file file;
    const char *other = "";
    int64_t n_byte = 0;
    int n = 0;
    while (rasterise_next_file(r, &file, &other, err)) {
        assert(++n <= RASTER_FILES_MAX);
        check_text(file.name);
        n_byte += (int64_t)file.bytes.size;
        assert(n_byte <= r->settings->max_document_bytes);
    }
    check_text(other);
    if (!doc->mail) return;
    check_text(doc->mail->from);
    check_text(doc->mail->date);
    check_text(doc->mail->message_id);
    check_text(doc->mail->subject);
}

int raster_fuzz(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    struct settings settings = {.raster_program = "",
                                .pages = data[0] & 1 ? "2-3" : "",
                                .sandbox = data[0] & 2 ? "best" : "strict",
                                .max_pages = PAGES_MAX,
                                .max_document_bytes = PIXELS_MAX,
                                .document_timeout_s = 60,
                                .page_timeout_s = 60};
    struct prepare_target target = {.grid = 1, .max_pixels = PIXELS_MAX};
    play(data + 1, size - 1);
    struct err err = {0};
    struct document *doc =
        document_new("fuzz", "fuzz", open("/dev/null", O_RDONLY));
    doc->type = data[0] & 4 ? FILE_PDF : FILE_PNG;
    doc->want_words = data[0] & 8;
    doc->want_invoice = data[0] & 32;
    bool codes = data[0] & 16, files = data[0] & 64, other = data[0] & 128;
    bool xml = other && !files;
    if (files && other) doc->type = FILE_MAIL;
    if (xml) read_xml(doc, &settings);
    struct raster *r =
        xml     ? NULL
        : files ? rasterise_open_files(doc, &settings, NULL, &err)
        : codes ? rasterise_open_codes(doc, &settings, NULL, &err)
                : rasterise_open(doc, &settings, &target, NULL, &err);
    assert(xml || (r == NULL) == err_failed(&err));
    if (doc->invoice) check_invoice(doc->invoice);
    if (r && files) read_files(r, doc, &err);
    if (r && codes && !files) read_codes(r, doc, &err);
    if (r && !codes && !files) read_pages(r, doc, &err);
    assert(!err_failed(&err) || (err.reason && *err.reason));
    assert(doc->warnings->n <= WARNING_CODES * WARNING_OF_CODE_MAX);
    rasterise_close(r);
    close(doc->fd);
    play_end();
    document_free(doc);
    return 0;
}
