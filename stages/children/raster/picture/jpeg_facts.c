/* jpeg_facts.c - see jpeg_facts.h: a JPEG file is a list of segments, of which
 * those before the pixels are read. */
#include "stages/children/raster/picture/jpeg_facts.h"

#include <stdint.h>
#include <string.h>

#include "stages/children/raster/picture/exif.h"

enum {
    MARK = 0xFF,
    MARK_BASELINE = 0xC0,
    MARK_EXTENDED = 0xC1,
    MARK_PROGRESSIVE = 0xC2,
    MARK_FRAME_LAST = 0xCF,
    MARK_TABLES = 0xC4, /* these three are among the frames' numbers */
    MARK_EXTENSION = 0xC8,
    MARK_CONDITIONING = 0xCC,
    MARK_START = 0xD8,
    MARK_PIXELS = 0xDA,
    MARK_EXIF = 0xE1
};

static bool is_frame(uint8_t mark)
{
    return mark >= MARK_BASELINE && mark <= MARK_FRAME_LAST &&
           mark != MARK_TABLES && mark != MARK_EXTENSION &&
           mark != MARK_CONDITIONING;
}

static void read_frame(const uint8_t *body, size_t size, uint8_t mark,
                       struct jpeg_facts *out, struct err *err)
{
    if (size < 6) return;
    out->height_px = body[1] << 8 | body[2];
    out->width_px = body[3] << 8 | body[4];
    out->n_component = body[5];
    int n = out->n_component;
    if (mark > MARK_PROGRESSIVE || body[0] != 8 || (n != 1 && n != 3 && n != 4))
        err_reason(err, ERR_UNSUPPORTED, "unsupported-image",
                   "a PDF cannot hold this kind of JPEG (%d bits, %d colours); "
                   "convert it to PNG",
                   body[0], n);
}

static void read_exif(const uint8_t *body, size_t size, struct jpeg_facts *out)
{
    if (size < 6 || memcmp(body, "Exif\0", 6) != 0) return;
    int orientation = exif_orientation((struct span){(const char *)body, size});
    if (orientation && out->orientation == 1) out->orientation = orientation;
}

void jpeg_facts_read(struct span jpeg, struct jpeg_facts *out, struct err *err)
{
    const uint8_t *byte = (const uint8_t *)jpeg.data;
    size_t at = 2;
    *out = (struct jpeg_facts){.orientation = 1};
    if (err_failed(err)) return;
    while (at + 4 <= jpeg.size && byte[at] == MARK &&
           byte[at + 1] != MARK_PIXELS) {
        uint8_t mark = byte[at + 1];
        if (mark == MARK) { /* padding */
            at++;
            continue;
        }
        size_t size = (size_t)byte[at + 2] << 8 | byte[at + 3];
        if (size < 2 || size > jpeg.size - at - 2) break;
        const uint8_t *body = byte + at + 4;
        if (is_frame(mark)) read_frame(body, size - 2, mark, out, err);
        if (mark == MARK_EXIF) read_exif(body, size - 2, out);
        at += 2 + size;
    }
    if (jpeg.size < 4 || byte[0] != MARK || byte[1] != MARK_START ||
        !out->width_px || !out->height_px)
        err_reason(err, ERR_INPUT, "damaged", "the JPEG has no frame");
}
