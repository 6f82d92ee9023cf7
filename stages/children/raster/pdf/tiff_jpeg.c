/* tiff_jpeg.c - see tiff_jpeg.h. (TIFF Technical Note 2; ITU-T T.81, annex B) */
#include "stages/children/raster/pdf/tiff_jpeg.h"

#include <stdint.h>
#include <string.h>

#include <tiffio.h>

#include "stages/children/raster/picture/tiff_pages.h"
#include "vlm/base/arena.h"

enum {
    ALLOCATION_MAX = 1 << 30,
    MARK = 0xFF,
    MARK_BASELINE = 0xC0,
    MARK_EXTENDED = 0xC1,
    MARK_RESTART = 0xD0,
    MARK_END = 0xD9,
    MARK_PIXELS = 0xDA,
    MARK_INTERVAL = 0xDD,
    MARK_ADOBE = 0xEE,
    N_RESTART = 8,
    BLOCK = 8,    /* pixels */
    HEIGHT_AT = 5 /* in a frame, from its mark on */
};

/* --- a file in memory ------------------------------------------------------- */

struct tiff_bytes {
    struct span file;
    size_t at;
};

static tmsize_t read_memory(thandle_t handle, void *to, tmsize_t size)
{
    struct tiff_bytes *m = handle;
    size_t left = m->at < m->file.size ? m->file.size - m->at : 0;
    size_t n = (size_t)size < left ? (size_t)size : left;
    memcpy(to, m->file.data + m->at, n);
    m->at += n;
    return (tmsize_t)n;
}

static tmsize_t write_nothing(thandle_t handle, void *from, tmsize_t size)
{
    (void)handle;
    (void)from;
    (void)size;
    return 0;
}

static toff_t seek_memory(thandle_t handle, toff_t to, int whence)
{
    struct tiff_bytes *m = handle;
    toff_t from = whence == SEEK_END   ? m->file.size
                  : whence == SEEK_CUR ? m->at
                                       : 0;
    m->at = (size_t)(from + to);
    return m->at;
}

static int close_nothing(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t size_of(thandle_t handle)
{
    return ((struct tiff_bytes *)handle)->file.size;
}

__attribute__((format(printf, 4, 0))) static int say_nothing(
    TIFF *tiff, void *handle, const char *module, const char *fmt, va_list args)
{
    (void)tiff;
    (void)handle;
    (void)module;
    (void)fmt;
    (void)args;
    return 1;
}

static TIFF *open_memory(struct tiff_bytes *m)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, ALLOCATION_MAX);
    TIFFOpenOptionsSetErrorHandlerExtR(options, say_nothing, NULL);
    TIFFOpenOptionsSetWarningHandlerExtR(options, say_nothing, NULL);
    TIFF *tiff = TIFFClientOpenExt("document", "rm", m, read_memory,
                                   write_nothing, seek_memory, close_nothing,
                                   size_of, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

/* --- the page --------------------------------------------------------------- */

struct jpeg_page {
    uint32_t width, height, rows; /* of a strip */
    uint32_t n_strip;
    uint16_t n_sample, photometric, orientation;
};

static bool read_page(TIFF *tiff, struct jpeg_page *p)
{
    uint16_t compression = 0, bits = 1, planar = PLANARCONFIG_CONTIG;
    *p = (struct jpeg_page){.n_sample = 1};
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &p->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &p->height);
    TIFFGetField(tiff, TIFFTAG_COMPRESSION, &compression);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &p->photometric);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &p->n_sample);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &p->rows);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &p->orientation);
    p->n_strip = TIFFNumberOfStrips(tiff);
    bool is_grey = p->n_sample == 1 && p->photometric == PHOTOMETRIC_MINISBLACK;
    bool is_colour = p->n_sample == 3 && (p->photometric == PHOTOMETRIC_YCBCR ||
                                          p->photometric == PHOTOMETRIC_RGB);
    return compression == COMPRESSION_JPEG && bits == 8 &&
           (p->n_sample == 1 || planar == PLANARCONFIG_CONTIG) &&
           (is_grey || is_colour) && !TIFFIsTiled(tiff) && p->width > 0 &&
           p->width <= UINT16_MAX && p->height > 0 && p->height <= UINT16_MAX &&
           p->n_strip > 0 && p->rows > 0 && p->orientation >= 1 &&
           p->orientation <= 8;
}

/* --- strips ----------------------------------------------------------------- */

/* A strip: its segments between the mark of its start and its scan, the head of
 * that, and its pixels without the mark of the end. */
struct strip {
    uint8_t *own;
    struct span head, scan, pixels;
    size_t frame;    /* in the head */
    bool sequential; /* has such a frame */
    bool coloured;   /* says by itself what its colours are */
    uint32_t block_width, block_height; /* of a unit of coding, in pixels */
    uint32_t n_component, n_in_scan;
};

/* False: it is cut off, or has no component. */
static bool read_frame(const uint8_t *body, size_t size, struct strip *s)
{
    uint32_t across = 1, down = 1;
    s->n_component = size > 5 ? body[5] : 0;
    if (!s->n_component || size < 6 + 3 * (size_t)s->n_component) return false;
    for (uint32_t i = 0; i < s->n_component; i++) {
        uint32_t v = body[7 + 3 * i];
        if (v >> 4 > across) across = v >> 4;
        if ((v & 15) > down) down = v & 15;
    }
    if (s->n_component == 1) across = down = 1; /* not interleaved */
    s->block_width = BLOCK * across;
    s->block_height = BLOCK * down;
    return true;
}

/* The scan reaches from `at`, its head of n bytes, to the last mark of an end. */
static bool read_scan(const uint8_t *b, size_t size, size_t at, size_t n,
                      struct strip *s)
{
    size_t from = at + 2 + n, end = size;
    while (end >= from + 2 && !(b[end - 2] == MARK && b[end - 1] == MARK_END))
        end--;
    if (end < from + 2) return false;
    s->n_in_scan = n > 2 ? b[at + 4] : 0;
    s->head = (struct span){(const char *)b + 2, at - 2};
    s->scan = (struct span){(const char *)b + at, from - at};
    s->pixels = (struct span){(const char *)b + from, end - 2 - from};
    return true;
}

static bool read_segments(const uint8_t *b, size_t size, struct strip *s)
{
    size_t at = 2;
    while (at + 4 <= size && b[at] == MARK) {
        uint8_t mark = b[at + 1];
        size_t n = (size_t)b[at + 2] << 8 | b[at + 3];
        if (n < 2 || n > size - at - 2 || mark == MARK_INTERVAL) return false;
        if (mark == MARK_PIXELS) return read_scan(b, size, at, n, s);
        if (mark == MARK_BASELINE || mark == MARK_EXTENDED) {
            s->frame = at - 2;
            s->sequential = true;
            if (!read_frame(b + at + 4, n - 2, s)) return false;
        }
        s->coloured |= mark == MARK_ADOBE;
        at += 2 + n;
    }
    return false;
}

static bool read_strip(TIFF *tiff, uint32_t index, struct strip *s)
{
    *s = (struct strip){.own = NULL};
    uint64_t size = TIFFGetStrileByteCount(tiff, index);
    if (size < 4 || size > ALLOCATION_MAX) return false;
    s->own = mem_try_aligned((size_t)size);
    return s->own &&
           TIFFReadRawStrip(tiff, index, s->own, (tmsize_t)size) ==
               (tmsize_t)size &&
           s->own[0] == MARK && s->own[1] == 0xD8 &&
           read_segments(s->own, (size_t)size, s);
}

/* Whether the strip can follow the first one: it has the same tables, and a
 * frame that differs in its height only. */
static bool follows(const struct strip *s, const struct strip *first)
{
    size_t at = first->frame + HEIGHT_AT, after = at + 2;
    return s->head.size == first->head.size && s->frame == first->frame &&
           !memcmp(s->head.data, first->head.data, at) &&
           !memcmp(s->head.data + after, first->head.data + after,
                   s->head.size - after);
}

/* --- joining ---------------------------------------------------------------- */

/* The units of coding of a strip; 0: strips cannot be joined. */
static uint32_t units_of(const struct jpeg_page *p, const struct strip *s)
{
    if (!s->sequential || s->n_in_scan != s->n_component ||
        p->rows % s->block_height)
        return 0;
    uint64_t across = (p->width + s->block_width - 1) / s->block_width;
    uint64_t n = across * (p->rows / s->block_height);
    return n <= UINT16_MAX ? (uint32_t)n : 0;
}

static void add_16(struct buf *out, uint32_t value)
{
    uint8_t byte[2] = {(uint8_t)(value >> 8), (uint8_t)value};
    buf_add(out, byte, sizeof byte);
}

static void add_mark(struct buf *out, uint32_t mark)
{
    add_16(out, (uint32_t)MARK << 8 | mark);
}

/* What a TIFF says of the colours by a tag, a JPEG says by this segment. */
static void add_colours(const struct jpeg_page *p, struct buf *out)
{
    add_mark(out, MARK_ADOBE);
    add_16(out, 14);
    buf_add_text(out, "Adobe");
    add_16(out, 100);
    buf_add(out, "\0\0\0", 4); /* flags */
    buf_add(out, p->photometric == PHOTOMETRIC_YCBCR ? "\1" : "", 1);
}

static void add_tables(TIFF *tiff, struct buf *out)
{
    uint32_t size = 0;
    const char *tables = NULL;
    if (!TIFFGetField(tiff, TIFFTAG_JPEGTABLES, &size, &tables) || size < 4)
        return;
    bool ends = (uint8_t)tables[size - 1] == MARK_END;
    buf_add(out, tables + 2, size - (ends ? 4 : 2));
}

static void add_start(TIFF *tiff, const struct jpeg_page *p,
                      const struct strip *s, uint32_t units, struct buf *out)
{
    add_mark(out, 0xD8);
    if (p->n_sample == 3 && !s->coloured) add_colours(p, out);
    add_tables(tiff, out);
    size_t from = out->size;
    buf_add(out, s->head.data, s->head.size);
    if (units && !out->full) {
        out->data[from + s->frame + HEIGHT_AT] = (char)(p->height >> 8);
        out->data[from + s->frame + HEIGHT_AT + 1] = (char)p->height;
        add_mark(out, MARK_INTERVAL);
        add_16(out, 4);
        add_16(out, units);
    }
    buf_add(out, s->scan.data, s->scan.size);
    buf_add(out, s->pixels.data, s->pixels.size);
}

static bool join(TIFF *tiff, const struct jpeg_page *p, struct buf *out)
{
    struct strip first, next;
    bool well = read_strip(tiff, 0, &first);
    uint32_t units = well && p->n_strip > 1 ? units_of(p, &first) : 0;
    if (well && (p->n_strip == 1 || units))
        add_start(tiff, p, &first, units, out);
    else
        well = false;
    for (uint32_t i = 1; well && i < p->n_strip; i++) {
        well = read_strip(tiff, i, &next) && follows(&next, &first);
        add_mark(out, MARK_RESTART + (i - 1) % N_RESTART);
        if (well) buf_add(out, next.pixels.data, next.pixels.size);
        mem_free(next.own);
    }
    add_mark(out, MARK_END);
    mem_free(first.own);
    return well && !out->full;
}

int tiff_jpeg_join(struct span file, int number, struct buf *out)
{
    struct tiff_bytes memory = {file, 0};
    struct tiff_pages *pages = mem_alloc(1, sizeof *pages);
    struct jpeg_page p;
    TIFF *tiff = open_memory(&memory);
    bool well = false;
    if (tiff) tiff_pages_find(tiff, pages);
    if (tiff && number <= pages->n &&
        TIFFSetSubDirectory(tiff, pages->offset[number - 1]) &&
        read_page(tiff, &p))
        well = join(tiff, &p, out);
    if (tiff) TIFFClose(tiff);
    mem_free(pages);
    return well ? p.orientation : 0;
}
