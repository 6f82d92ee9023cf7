/* searchable_pdf.c - a searchable PDF, see searchable.h: the parent's side of
 * platen-raster --layer (children/wire/raster_protocol.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/children/child.h"
#include "stages/children/wire/packed_words.h"
#include "stages/children/wire/raster_protocol.h"
#include "stages/input/rasterise.h"
#include "stages/print/kept_words.h"
#include "stages/searchable/searchable.h"

enum { CHUNK = 1 << 16 };

static const double a4_pt = 841.89; /* its longer side */
static const double side_most_pt = 14400;

/* --- pages ------------------------------------------------------------------ */

/* The words that the file has not: those to be added. */
static int n_new_words(const struct kept_words *page)
{
    int n = 0;
    for (int i = 0; !page->has_layer && i < page->words.n_word; i++)
        n += !words_is_hidden(&page->words, i);
    return n;
}

static bool wants_archive(const struct settings *settings)
{
    return !strncmp(settings->output_type, "pdfa", strlen("pdfa"));
}

static bool stays_as_it_is(struct document *doc, bool is_archive)
{
    bool any = doc->type != FILE_PDF || doc->n_page != doc->n_page_source ||
               is_archive;
    for (int i = 0; i < doc->n_page; i++)
        any |= n_new_words(kept_words_of(doc, i)) > 0;
    return !any;
}

/* Calls `take` for the file's bytes, in pieces. */
static void each_piece(const struct document *doc,
                       void (*take)(void *arg, const void *bytes, size_t size,
                                    struct err *err),
                       void *arg, struct err *err)
{
    char *piece = mem_alloc(CHUNK, 1);
    for (int64_t at = 0; at < doc->size_bytes && !err_failed(err);) {
        int64_t left = doc->size_bytes - at;
        ssize_t n =
            pread(doc->fd, piece, left < CHUNK ? (size_t)left : CHUNK, at);
        if (n <= 0)
            err_reason(err, ERR_SYSTEM, "io-error", "cannot read the file");
        else
            take(arg, piece, (size_t)n, err);
        at += n > 0 ? n : left;
    }
    mem_free(piece);
}

static void add_piece(void *out, const void *bytes, size_t size,
                      struct err *err)
{
    (void)err;
    buf_add(out, bytes, size);
}

static void send_piece(void *child, const void *bytes, size_t size,
                       struct err *err)
{
    child_write_bytes(child, bytes, size, err);
}

/* --- lossy pictures --------------------------------------------------------- */

enum {
    HEAD = 8, /* of a file, or a chunk of WebP */
    CHUNKS_MAX = 64,
    TIFF_ENTRY = 12,
    TIFF_COMPRESSION = 259,
    TIFF_JPEG = 7
};

static bool read_at(const struct document *doc, int64_t at, uint8_t *out,
                    size_t size)
{
    return at >= 0 && pread(doc->fd, out, size, at) == (ssize_t)size;
}

static uint32_t number(const uint8_t *byte, int size, bool big)
{
    uint32_t value = 0;
    for (int i = 0; i < size; i++)
        value = value << 8 | byte[big ? i : size - 1 - i];
    return value;
}

/* A lossless picture is in a chunk of another name. */
static bool is_lossy_webp(const struct document *doc)
{
    uint8_t chunk[HEAD];
    int64_t at = 12;
    for (int i = 0; i < CHUNKS_MAX && read_at(doc, at, chunk, HEAD); i++) {
        if (!memcmp(chunk, "VP8 ", 4)) return true;
        int64_t size = number(chunk + 4, 4, false);
        at += HEAD + size + size % 2;
    }
    return false;
}

static bool is_jpeg_tiff(const struct document *doc)
{
    uint8_t head[HEAD], count[2], entry[TIFF_ENTRY];
    if (!read_at(doc, 0, head, HEAD)) return false;
    bool big = head[0] == 'M';
    int64_t at = number(head + 4, 4, big);
    if (number(head + 2, 2, big) != 42 || !read_at(doc, at, count, 2))
        return false;
    int n = (int)number(count, 2, big);
    for (int i = 0; i < n; i++) {
        if (!read_at(doc, at + 2 + TIFF_ENTRY * i, entry, TIFF_ENTRY))
            return false;
        if (number(entry, 2, big) == TIFF_COMPRESSION)
            return number(entry + 8, 2, big) == TIFF_JPEG;
    }
    return false;
}

/* Whether the picture lost something when it was compressed: JPEG may be used for
 * it again. */
static bool is_lossy(const struct document *doc)
{
    switch (doc->type) {
    case FILE_HEIF:
    case FILE_AVIF:
    case FILE_JPEG: return true;
    case FILE_WEBP: return is_lossy_webp(doc);
    case FILE_TIFF: return is_jpeg_tiff(doc);
    default: return false;
    }
}

/* --- orders ----------------------------------------------------------------- */

static uint32_t to_part(double v)
{
    return (uint32_t)lrint(fmin(fmax(v, 0), 1) * PACKED_WORD_ONE);
}

/* Within the page and not empty, also after rounding. */
static struct packed_word pack(const struct word *w)
{
    uint32_t x = to_part(w->x), y = to_part(w->y);
    uint32_t x1 = to_part(w->x + w->w), y1 = to_part(w->y + w->h);
    if (x >= PACKED_WORD_ONE) x = PACKED_WORD_ONE - 1;
    if (y >= PACKED_WORD_ONE) y = PACKED_WORD_ONE - 1;
    return (struct packed_word){.x = x,
                                .y = y,
                                .w = x1 > x ? x1 - x : 1,
                                .h = y1 > y ? y1 - y : 1,
                                .size = (uint32_t)strlen(w->text)};
}

static void pack_words(const struct kept_words *page,
                       struct raster_layer_page *order, struct buf *packed,
                       struct buf *text)
{
    for (int i = 0; !page->has_layer && i < page->words.n_word; i++) {
        struct packed_word word = pack(&page->words.word[i]);
        if (words_is_hidden(&page->words, i) ||
            order->n_word == PACKED_WORDS_MAX ||
            order->n_byte + word.size > PACKED_TEXT_MAX)
            continue;
        buf_add(packed, &word, sizeof word);
        buf_add_text(text, page->words.word[i].text);
        order->n_word++;
        order->n_byte += word.size;
    }
}

/* Of a page whose resolution is unknown the longer side is that of A4; none is
 * longer than a PDF's can be. */
static void set_size(const struct page *page, struct raster_layer_page *order)
{
    double w = page->width_px, h = page->height_px, longer = fmax(w, h);
    double scale = page->dpi > 0 ? 72 / page->dpi : a4_pt / longer;
    scale = fmin(scale, side_most_pt / longer) * 1000;
    order->width = (uint32_t)lrint(w * scale);
    order->height = (uint32_t)lrint(h * scale);
}

static void send_page(struct child *c, struct document *doc, int index,
                      const struct image *pixels, struct err *err)
{
    const struct kept_words *page = kept_words_of(doc, index);
    struct buf packed =
        buf_limit(PACKED_WORDS_MAX * sizeof(struct packed_word));
    struct buf text = buf_limit(PACKED_TEXT_MAX);
    struct raster_layer_page order = {
        .number = (uint32_t)doc->page[index].number,
        .quarters = (uint32_t)page->quarter_turns,
        .skew = (int32_t)lrint(page->words.skew_degrees * 1000),
        .width_px = (uint32_t)pixels->width_px,
        .height_px = (uint32_t)pixels->height_px,
        .n_channel = (uint32_t)pixels->n_channel,
        .lossy = pixels->data && is_lossy(doc)};
    size_t n_pixel = pixels->stride_bytes * (size_t)pixels->height_px;
    set_size(&doc->page[index], &order);
    pack_words(page, &order, &packed, &text);
    child_allow(c, c->settings->page_timeout_s, "page_timeout");
    child_write(c,
                (struct child_frame){.type = RASTER_LAYER_PAGE,
                                     .size = sizeof order + packed.size +
                                             text.size + n_pixel},
                err);
    child_write_bytes(c, &order, sizeof order, err);
    child_write_bytes(c, buf_span(&packed).data, packed.size, err);
    child_write_bytes(c, buf_span(&text).data, text.size, err);
    if (n_pixel) child_write_bytes(c, pixels->data, n_pixel, err);
    buf_free(&packed);
    buf_free(&text);
}

/* Draws the pages of a picture with all their pixels. */
static void send_drawn(struct child *c, struct document *doc, struct err *err)
{
    struct prepare_target target = {.grid = 1,
                                    .min_pixels = 1,
                                    .max_pixels =
                                        c->settings->max_decoded_pixels};
    struct settings whole = *c->settings;
    size_t n = (size_t)doc->n_page;
    struct page *kept = mem_alloc(n, sizeof *kept);
    struct image image;
    bool want_words = doc->want_words;
    whole.dpi = 0;
    doc->want_words = false;
    memcpy(kept, doc->page, n * sizeof *kept);
    struct raster *raster =
        rasterise_again(doc, &whole, &target, 0, &c->process.stop, err);
    for (int i = 0; rasterise_next(raster, &image, err); i++) {
        send_page(c, doc, i, &image, err);
        image_free(&image);
        rasterise_rested(raster);
    }
    rasterise_close(raster);
    memcpy(doc->page, kept, n * sizeof *kept);
    mem_free(kept);
    doc->want_words = want_words;
}

static void send_orders(struct child *c, struct document *doc, struct err *err)
{
    static const struct image none = {.data = NULL};
    const struct settings *s = c->settings;
    bool is_pdf = doc->type == FILE_PDF;
    bool whole = is_pdf || doc->type == FILE_JPEG || doc->type == FILE_TIFF ||
                 doc->type == FILE_JPEG2000;
    unsigned options =
        (s->invalidate_digital_signatures ? RASTER_LAYER_SIGNED : 0U) |
        (s->rotate_pages ? RASTER_LAYER_ROTATE : 0U) |
        (s->redo_ocr ? RASTER_LAYER_REDO : 0U) |
        (wants_archive(s) ? RASTER_LAYER_ARCHIVE : 0U);
    child_write(c,
                (struct child_frame){
                    .type = RASTER_LAYER_FILE,
                    .a = is_pdf ? RASTER_LAYER_PDF : RASTER_LAYER_PICTURE,
                    .b = (uint32_t)doc->n_page,
                    .c = options,
                    .size = whole ? (uint64_t)doc->size_bytes : 0},
                err);
    if (whole) each_piece(doc, send_piece, c, err);
    if (!is_pdf) send_drawn(c, doc, err);
    for (int i = 0; is_pdf && i < doc->n_page; i++)
        send_page(c, doc, i, &none, err);
}

/* --- the file --------------------------------------------------------------- */

static void read_file(struct child *c, struct buf *out, struct err *err)
{
    struct child_frame f;
    child_allow(c, c->settings->document_timeout_s, "document_timeout");
    child_expect(c, RASTER_FILE, &f, err);
    if (!err_failed(err) && f.size > settings_whole_bytes(c->settings))
        err_reason(err, ERR_LIMIT, "too-large",
                   "the searchable PDF has %llu bytes, more than four times "
                   "max_document_bytes",
                   (unsigned long long)f.size);
    char *piece = mem_alloc(CHUNK, 1);
    for (uint64_t left = f.size, n; left && !err_failed(err); left -= n) {
        n = left < CHUNK ? left : CHUNK;
        child_read_bytes(c, piece, n, err);
        if (!err_failed(err)) buf_add(out, piece, n);
    }
    mem_free(piece);
    child_expect(c, RASTER_END, &f, err);
}

void searchable_pdf(struct document *doc, const struct settings *settings,
                    struct buf *out, struct err *err)
{
    const struct spawn_job job = {.program = SPAWN_RASTER, .layer = true};
    struct child c;
    if (err_failed(err)) return;
    if (stays_as_it_is(doc, wants_archive(settings))) {
        each_piece(doc, add_piece, out, err);
        return;
    }
    child_init(&c, rasterise_program(), settings, NULL);
    child_allow(&c, settings->document_timeout_s, "document_timeout");
    child_start(&c, &job, -1, err);
    child_greet(&c, err);
    child_check_walls(&c, doc, "made searchable", err);
    if (!err_failed(err)) send_orders(&c, doc, err);
    read_file(&c, out, err);
    child_close(&c);
}
