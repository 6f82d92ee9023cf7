/* layer_fuzz.c - any PDF, or any picture that a PDF may hold, as a searchable PDF:
 * words go onto each page that is there, or it is refused. The first byte tells
 * which, and how the page is turned. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "stages/children/raster/pdf/pdf_writer.h"
#include "stages/children/raster/pdf/picture_stream.h"

enum { SIDE = 8, AREA_MOST = 1 << 22 };

/* Pixels of the picture's size, if that is not large: so it is embedded. */
static struct image pixels_of(struct span bytes, struct err *err)
{
    struct picture_stream found;
    int w = SIDE, h = SIDE;
    if (picture_stream_find(bytes, 1, &found)) {
        bool lies = found.orientation > 4;
        int wide = lies ? found.height_px : found.width_px;
        int high = lies ? found.width_px : found.height_px;
        if ((long)wide * high < AREA_MOST) {
            w = wide;
            h = high;
        }
        picture_stream_free(&found);
    }
    return image_new(w, h, 1, err);
}

static void add_pages(struct pdf_writer *writer, struct span bytes, int how,
                      struct err *err)
{
    struct word word = {0.1, 0.1, 0.5, 0.1, "\xd7\xa9\xd7\x9c 12", 1};
    struct words words = {
        .word = &word, .n_word = 1, .skew_degrees = how & 8 ? 3 : 0};
    if (how & 1 && !err_failed(err)) {
        struct pdf_writer_picture picture = {
            100, 200, bytes, 1, pixels_of(bytes, err), how & 8};
        pdf_writer_picture(writer, &picture, how >> 1 & 3, &words, err);
        image_free(&picture.pixels);
        return;
    }
    for (int i = 1; i < 20 && !err_failed(err); i++)
        pdf_writer_page(writer, i, how >> 1 & 3, &words, err);
    /* of fewer pages the last ones are missing, which is a failure */
    if (how & 16) *err = (struct err){0};
}

int layer_fuzz(const uint8_t *data, size_t size)
{
    struct err err = {0};
    if (!size) return 0;
    int how = data[0];
    /* a block of its own, so that a sanitizer sees the byte behind it */
    char *bytes = malloc(size);
    assert(bytes);
    memcpy(bytes, data + 1, size - 1);
    struct span file = {bytes, size - 1}, none = {"", 0};
    struct pdf_writer *writer = pdf_writer_open(
        how & 1 ? none : file, (unsigned)how >> 5 | ((unsigned)how & 8), &err);
    assert(!writer == err_failed(&err));
    if (writer) add_pages(writer, file, how, &err);
    struct span made = pdf_writer_end(writer, &err);
    assert(err_failed(&err) || !strncmp(made.data, "%PDF-", 5));
    pdf_writer_close(writer);
    free(bytes);
    return 0;
}
