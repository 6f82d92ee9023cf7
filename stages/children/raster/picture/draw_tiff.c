/* draw_tiff.c - TIFF pages, with libtiff.
 *
 * Grey, palette, RGB and CMYK of any sample width are read row by row, by
 * strips or rows of tiles, and scaled down on the way. Rare formats (YCbCr
 * without JPEG, Lab, old JPEG) go through libtiff's RGBA interface; floats and
 * other oddities are [unsupported-image]. A libtiff error makes the page
 * [damaged], never half a page; so does a warning while pixels are decoded,
 * because libtiff then continues and leaves the rest of the strip white.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <tiffio.h>

#include "stages/children/raster/picture/blend.h"
#include "stages/children/raster/picture/fax.h"
#include "stages/children/raster/picture/job.h"
#include "stages/children/raster/picture/orient.h"
#include "stages/children/raster/picture/shrink.h"
#include "stages/children/raster/picture/tiff_pages.h"
#include "vlm/base/arena.h"

/* --- tiff samples ---------------------------------------------------------- */

/* Unpacks rows of TIFF samples of any width into bytes. */

/* Whether tiff_samples_unpack supports this width. */
static bool tiff_samples_known(int bits)
{
    return (bits >= 1 && bits <= 16) || bits == 24 || bits == 32;
}

/* One sample of up to 16 bits from a row packed from the top bit. */
static uint32_t packed_at(const uint8_t *in, size_t i, int bits)
{
    size_t at = i * (size_t)bits, first = at / 8;
    int shift = (int)(at % 8), n_byte = (shift + bits + 7) / 8;
    uint32_t v = 0;
    for (int k = 0; k < n_byte; k++)
        v = v << 8 | in[first + (size_t)k];
    return v >> (n_byte * 8 - shift - bits) & ((1u << bits) - 1);
}

static void unpack_bits(const uint8_t *in, size_t n, bool raw, uint8_t *out)
{
    uint8_t one = raw ? 1 : 255;
    for (size_t i = 0; i < n; i++)
        out[i] = in[i / 8] >> (7 - i % 8) & 1 ? one : 0;
}

static void unpack_top_byte(const uint8_t *in, size_t n, int bytes,
                            uint8_t *out)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t *sample = in + i * (size_t)bytes;
        const uint16_t probe = 1;
        bool is_little = *(const uint8_t *)&probe;
        out[i] = sample[is_little ? bytes - 1 : 0];
    }
}

/* Unpacks n unsigned samples of `bits` (1 to 16, 24 or 32) as libtiff delivers
 * them: whole bytes in native order, other widths packed from the top bit.
 * Fewer than 8 bits are scaled to 0..255, of more the top 8 are kept; `raw`
 * keeps the number itself (8 bits at most). */
static void tiff_samples_unpack(const uint8_t *in, size_t n, int bits, bool raw,
                                uint8_t *out)
{
    if (bits == 8) {
        memcpy(out, in, n);
    } else if (bits == 1) {
        unpack_bits(in, n, raw, out);
    } else if (bits % 8 == 0) {
        unpack_top_byte(in, n, bits / 8, out);
    } else {
        uint32_t most = (1u << bits) - 1;
        for (size_t i = 0; i < n; i++) {
            uint32_t v = packed_at(in, i, bits);
            if (!raw)
                v = bits < 8 ? (v * 255 + most / 2) / most : v >> (bits - 8);
            out[i] = (uint8_t)v;
        }
    }
}

/* --- draw tiff ------------------------------------------------------------- */

/* The current page. */
struct tiff_shape {
    uint32_t width, height;
    int photometric, compression, planar, orientation;
    int bits, n_sample, format;
    int n_colour;    /* of the result: 1 or 3 */
    int n_used;      /* samples of a pixel that are used */
    bool alpha;      /* the last of these is alpha */
    bool associated; /* colours are already multiplied by alpha */
    bool separate;   /* one plane per sample */
    int repeat;      /* copies of each row; see tiff_shape_square_up */
    uint16_t *map[3];
};

/* --- tiff shape ------------------------------------------------------------ */

/* The pixel format of a TIFF page, from its tags. */

enum {
    SAMPLE_MAX = 16,
    STRETCH_MAX = 4 /* a larger ratio of the two resolutions is an error */
};

/* Reads the tags of the current directory; the rest of *s is zero. Nothing is
 * checked: sizes and types are as in the file. */
static void tiff_shape_read(TIFF *tiff, struct tiff_shape *s)
{
    *s = (struct tiff_shape){0};
    uint16_t bits = 1, n_sample = 1, format = SAMPLEFORMAT_UINT, value = 0;
    uint16_t n_extra = 0, *extra = NULL;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &s->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &s->height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &n_sample);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &value);
    s->compression = value;
    value = PLANARCONFIG_CONTIG;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &value);
    s->planar = value;
    value = ORIENTATION_TOPLEFT;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &value);
    s->orientation = value;
    if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &value))
        s->photometric = value;
    else /* fax writers omit the tag */
        s->photometric = n_sample >= 3 ? PHOTOMETRIC_RGB
                         : bits == 1   ? PHOTOMETRIC_MINISWHITE
                                       : PHOTOMETRIC_MINISBLACK;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &n_extra, &extra);
    s->bits = bits;
    s->n_sample = n_sample;
    s->format = format;
    s->separate = s->planar == PLANARCONFIG_SEPARATE && n_sample > 1;
    s->alpha = n_extra > 0 && extra[0] != EXTRASAMPLE_UNSPECIFIED;
    s->associated = s->alpha && extra[0] == EXTRASAMPLE_ASSOCALPHA;
}

/* Whether the page can be read as rows of samples; sets the members needed for
 * it (n_colour, n_used, alpha, map). If not, only libtiff's RGBA interface is
 * left. JPEG in YCbCr is set to be delivered as RGB. */
static bool tiff_shape_plan_rows(TIFF *tiff, struct tiff_shape *s)
{
    int n_ink = 1;
    s->n_colour = 1;
    switch (s->photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MINISWHITE: break;
    case PHOTOMETRIC_PALETTE:
        if (s->bits > 8 || !TIFFGetField(tiff, TIFFTAG_COLORMAP, &s->map[0],
                                         &s->map[1], &s->map[2]))
            return false;
        s->n_colour = 3;
        s->alpha = false;
        break;
    case PHOTOMETRIC_YCBCR:
        if (s->compression != COMPRESSION_JPEG || s->separate) return false;
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        s->n_colour = n_ink = 3;
        break;
    case PHOTOMETRIC_RGB: s->n_colour = n_ink = 3; break;
    case PHOTOMETRIC_SEPARATED: {
        uint16_t inks = INKSET_CMYK;
        TIFFGetFieldDefaulted(tiff, TIFFTAG_INKSET, &inks);
        if (inks != INKSET_CMYK) return false;
        s->n_colour = 3;
        n_ink = 4;
        s->alpha = false;
        break;
    }
    default: return false;
    }
    s->alpha &= s->n_sample > n_ink;
    s->n_used = n_ink + s->alpha;
    return s->n_sample >= n_ink && s->n_sample <= SAMPLE_MAX &&
           tiff_samples_known(s->bits) && s->compression != COMPRESSION_OJPEG &&
           (s->format == SAMPLEFORMAT_UINT || s->format == SAMPLEFORMAT_VOID);
}

/* Converts the colour map, owned by libtiff, to 8 bits in place. */
static void tiff_shape_narrow_map(struct tiff_shape *s)
{
    int n = 1 << s->bits;
    bool wide = false;
    for (int i = 0; i < 3 * n; i++)
        wide |= s->map[i / n][i % n] > 255;
    for (int i = 0; wide && i < 3 * n; i++)
        s->map[i / n][i % n] = (uint16_t)(s->map[i / n][i % n] >> 8);
}

/* The horizontal resolution; 0 if the file does not say. */
static double tiff_shape_dpi(TIFF *tiff)
{
    float resolution = 0;
    uint16_t unit = RESUNIT_INCH;
    if (!TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &resolution)) return 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (!(resolution > 10) || unit == RESUNIT_NONE) return 0;
    return unit == RESUNIT_CENTIMETER ? resolution * 2.54 : resolution;
}

/* Fax pages often have pixels twice as high as wide (204 x 98 dpi). Sets how
 * often each row is repeated, and returns the height in square pixels. */
static int tiff_shape_square_up(TIFF *tiff, struct tiff_shape *s)
{
    float across = 0, down = 0;
    s->repeat = 1;
    if (!TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &across) ||
        !TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &down) || !(across > 0) ||
        !(down > 0))
        return (int)s->height;
    double ratio = (double)across / (double)down;
    bool square = fabs(ratio - 1) < 0.02;
    if (square || !(ratio > 1.0 / STRETCH_MAX && ratio < STRETCH_MAX))
        return (int)s->height;
    s->repeat = (int)ceil(ratio);
    int height = (int)lrint(s->height * ratio);
    return height < 1 ? 1 : height;
}

/* --- draw tiff ------------------------------------------------------------- */

enum {
    ALLOCATION_MAX = 1 << 30, /* libtiff's largest single allocation */
    BAND_BYTES_MAX = 1 << 29
};

struct draw_tiff {
    TIFF *tiff;
    struct tiff_pages pages;
    int n_error;
    char error[SHEET_TEXT_MAX]; /* libtiff's first since n_error was 0 */
    bool decoding;              /* pixels: warnings count as errors */
};

__attribute__((format(printf, 4, 0))) static int take_error(
    TIFF *tiff, void *handle, const char *module, const char *fmt, va_list args)
{
    (void)tiff;
    (void)module;
    struct draw_tiff *t = handle;
    if (t->n_error++ == 0) vsnprintf(t->error, sizeof t->error, fmt, args);
    return 1;
}

/* Decoder warnings that do not affect pixels: versions and colours in JPEG
 * headers, extra bytes, a JPEG larger than its strip, and old or unusual but
 * readable variants. */
static bool is_harmless(const char *text)
{
    static const char *const all[] = {
        "Warning: unknown JFIF revision number *",
        "Unknown Adobe color transform code *",
        "Corrupt JPEG data: * extraneous bytes before marker *",
        "JPEG strip size exceeds expected dimensions*",
        "JPEG strip/tile size exceeds expected dimensions*",
        "The JPEG strip/tile is encoded with progressive mode*",
        "Depreciated and troublesome old-style JPEG *",
        "Assuming 8-bit colormap",
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!fnmatch(all[i], text, 0)) return true;
    return false;
}

/* Except while decoding pixels, warnings are about tags. */
__attribute__((format(printf, 4, 0))) static int on_warning(
    TIFF *tiff, void *handle, const char *module, const char *fmt, va_list args)
{
    (void)tiff;
    (void)module;
    struct draw_tiff *t = handle;
    char text[SHEET_TEXT_MAX];
    if (!t->decoding) return 1;
    vsnprintf(text, sizeof text, fmt, args);
    if (!is_harmless(text) && t->n_error++ == 0)
        memcpy(t->error, text, sizeof text);
    return 1;
}

static void find_pages(struct draw_tiff *t, const struct job *job,
                       struct err *err)
{
    tiff_pages_find(t->tiff, &t->pages);
    if (t->pages.too_many)
        err_reason(err, ERR_LIMIT, "too-many-pages",
                   "the TIFF has more than %d directories", TIFF_PAGES_MAX);
    if (err_failed(err)) return;
    int n = t->pages.n;
    if (t->pages.broken && !job->lenient)
        err_reason(err, ERR_INPUT, "damaged",
                   "the TIFF's chain of pages breaks after page %d: %s%s", n,
                   t->n_error ? t->error : "it leads back to one before",
                   n ? " (set lenient to accept the pages before)" : "");
}

static void *open_tiff(const struct job *job, int *n_page, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct draw_tiff *t = mem_alloc(1, sizeof *t);
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, ALLOCATION_MAX);
    TIFFOpenOptionsSetErrorHandlerExtR(options, take_error, t);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, t);
    /* m: no mmap; if the file shrinks, that is then a read error */
    t->tiff = TIFFFdOpenExt(job->fd, "document", "rm", options);
    TIFFOpenOptionsFree(options);
    if (!t->tiff)
        err_reason(err, ERR_INPUT, "damaged", "the TIFF cannot be opened: %s",
                   t->error);
    else
        find_pages(t, job, err);
    *n_page = t->pages.n;
    return t;
}

static void close_tiff(void *handle)
{
    struct draw_tiff *t = handle;
    if (t->tiff) TIFFClose(t->tiff);
    mem_free(t);
}

/* Converts a row of the used samples, as bytes, to grey or RGB. */
static void convert_row(const struct tiff_shape *s, const uint8_t *in,
                        uint8_t *out)
{
    int n = (int)s->width;
    if (s->photometric == PHOTOMETRIC_PALETTE) {
        /* maps have 8 or 16 bits, depending on the writer (narrow_map) */
        for (int x = 0; x < n; x++)
            for (int c = 0; c < 3; c++)
                *out++ = (uint8_t)s->map[c][in[x]];
    } else if (s->photometric == PHOTOMETRIC_SEPARATED) {
        blend_cmyk(in, n, out);
    } else if (s->alpha) {
        blend_on_white(in, n, s->n_colour, s->associated, out);
    } else {
        memcpy(out, in, (size_t)n * (size_t)s->n_colour);
    }
    if (s->photometric == PHOTOMETRIC_MINISWHITE)
        for (int x = 0; x < n; x++)
            out[x] = (uint8_t)(255 - out[x]);
}

/* Passes a row on, repeated so that pixels are at least as high as wide. */
static void shrink_repeated(const struct tiff_shape *s, struct shrink *shrink,
                            const uint8_t *row)
{
    for (int i = 0; i < s->repeat; i++)
        shrink_row(shrink, row);
}

/* A band of rows: raw from libtiff, and its samples as bytes. */
struct band {
    uint8_t *raw;   /* one strip, tile or row */
    uint8_t *bytes; /* n_row * width * n_used */
    uint8_t *line;  /* all samples of one raw row */
    uint8_t *out;   /* one row of the result */
    uint32_t n_row;
};

static bool band_new(struct band *b, const struct tiff_shape *s,
                     tmsize_t raw_size, uint32_t raw_width, uint32_t n_row,
                     struct err *err)
{
    size_t used = (size_t)s->width * (size_t)s->n_used * n_row;
    if (raw_size <= 0 || raw_size > BAND_BYTES_MAX || used > BAND_BYTES_MAX)
        return err_reason(err, ERR_LIMIT, "too-large",
                          "a strip or tile of the TIFF has %lld bytes, at "
                          "most %d",
                          (long long)raw_size, BAND_BYTES_MAX);
    b->n_row = n_row;
    b->raw = mem_try_aligned((size_t)raw_size);
    b->bytes = mem_try_aligned(used);
    if (!b->raw || !b->bytes)
        return err_reason(err, ERR_LIMIT, "resource-memory",
                          "not enough memory for a strip of %lld bytes",
                          (long long)raw_size);
    memset(b->raw, 0, (size_t)raw_size);
    b->line = mem_alloc(raw_width, (size_t)s->n_sample);
    b->out = mem_alloc(s->width, (size_t)s->n_colour);
    return true;
}

static void band_free(struct band *b)
{
    mem_free(b->raw);
    mem_free(b->bytes);
    mem_free(b->line);
    mem_free(b->out);
}

/* Unpacks row `row` of a raw block (raw_width pixels, `stride` bytes per row)
 * to columns from x; plane: the sample it holds, or -1 for all of them. */
static void unpack_row(const struct tiff_shape *s, struct band *b, uint32_t row,
                       uint32_t raw_width, size_t stride, uint32_t x, int plane)
{
    bool raw = s->photometric == PHOTOMETRIC_PALETTE;
    size_t n = plane < 0 ? (size_t)s->n_sample : 1;
    uint32_t width = s->width - x < raw_width ? s->width - x : raw_width;
    tiff_samples_unpack(b->raw + row * stride, width * n, s->bits, raw,
                        b->line);
    size_t used = (size_t)s->n_used;
    uint8_t *out = b->bytes + ((size_t)row * s->width + x) * used;
    if (plane >= 0) {
        for (uint32_t i = 0; i < width; i++)
            out[i * used + (size_t)plane] = b->line[i];
    } else if (n == used) {
        memcpy(out, b->line, width * n);
    } else {
        for (uint32_t i = 0; i < width; i++)
            memcpy(out + i * used, b->line + i * n, used);
    }
}

static void send_rows(const struct tiff_shape *s, struct band *b,
                      uint32_t n_row, struct shrink *shrink)
{
    for (uint32_t y = 0; y < n_row; y++) {
        convert_row(s, b->bytes + (size_t)y * s->width * (size_t)s->n_used,
                    b->out);
        shrink_repeated(s, shrink, b->out);
    }
}

static void read_scanlines(struct draw_tiff *t, const struct tiff_shape *s,
                           struct shrink *shrink, struct err *err)
{
    struct band b = {0};
    tmsize_t size = TIFFScanlineSize(t->tiff);
    if (band_new(&b, s, size, s->width, 1, err))
        for (uint32_t y = 0; y < s->height; y++) {
            if (TIFFReadScanline(t->tiff, b.raw, y, 0) < 0) break;
            unpack_row(s, &b, 0, s->width, (size_t)size, 0, -1);
            send_rows(s, &b, 1, shrink);
        }
    band_free(&b);
}

static bool is_fax(const struct tiff_shape *s)
{
    return s->compression == COMPRESSION_CCITTRLE ||
           s->compression == COMPRESSION_CCITTRLEW ||
           s->compression == COMPRESSION_CCITTFAX3 ||
           s->compression == COMPRESSION_CCITTFAX4;
}

/* Decodes twice: libtiff takes an end-of-block code anywhere in a Group 4 strip
 * for its end and does not report the missing rows (fax.h). */
static bool read_fax_strip(struct draw_tiff *t, const struct tiff_shape *s,
                           struct band *b, uint8_t *again, uint32_t y,
                           uint32_t n_row)
{
    size_t stride = (size_t)TIFFScanlineSize(t->tiff), size = stride * n_row;
    uint32_t strip = TIFFComputeStrip(t->tiff, y, 0);
    memset(b->raw, 0, size);
    memset(again, 255, size);
    if (TIFFReadEncodedStrip(t->tiff, strip, b->raw, (tmsize_t)size) < 0 ||
        TIFFReadEncodedStrip(t->tiff, strip, again, (tmsize_t)size) < 0)
        return false;
    size_t n_bit = (size_t)s->width * (size_t)s->n_sample * (size_t)s->bits;
    if (!fax_is_same(b->raw, again, n_bit, stride, n_row) && t->n_error++ == 0)
        snprintf(t->error, sizeof t->error,
                 "the strip at row %u ends before its last row", y);
    return true;
}

static uint32_t rows_of_strip(const struct draw_tiff *t,
                              const struct tiff_shape *s)
{
    uint32_t n_row = s->height;
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_ROWSPERSTRIP, &n_row);
    return n_row == 0 || n_row > s->height ? s->height : n_row;
}

static void read_fax(struct draw_tiff *t, const struct tiff_shape *s,
                     struct shrink *shrink, struct err *err)
{
    struct band b = {0};
    uint32_t n_row = rows_of_strip(t, s);
    size_t stride = (size_t)TIFFScanlineSize(t->tiff);
    bool more = band_new(&b, s, (tmsize_t)(stride * n_row), s->width, 1, err);
    uint8_t *again = more ? mem_alloc(stride, n_row) : NULL;
    for (uint32_t y = 0; more && y < s->height; y += n_row) {
        uint32_t here = s->height - y < n_row ? s->height - y : n_row;
        more = read_fax_strip(t, s, &b, again, y, here);
        for (struct band row = b; row.raw < b.raw + stride * here;
             row.raw += stride) {
            unpack_row(s, &row, 0, s->width, stride, 0, -1);
            send_rows(s, &row, 1, shrink);
        }
    }
    mem_free(again);
    band_free(&b);
}

static void read_planes(struct draw_tiff *t, const struct tiff_shape *s,
                        struct shrink *shrink, struct err *err)
{
    struct band b = {0};
    uint32_t n_row = rows_of_strip(t, s);
    size_t stride = (size_t)TIFFScanlineSize(t->tiff);
    if (band_new(&b, s, TIFFStripSize(t->tiff), s->width, n_row, err))
        for (uint32_t y = 0; y < s->height && t->n_error == 0; y += n_row) {
            uint32_t here = s->height - y < n_row ? s->height - y : n_row;
            for (int plane = 0; plane < s->n_used; plane++) {
                uint32_t strip = TIFFComputeStrip(t->tiff, y, (uint16_t)plane);
                if (TIFFReadEncodedStrip(t->tiff, strip, b.raw, -1) < 0) break;
                for (uint32_t row = 0; row < here; row++)
                    unpack_row(s, &b, row, s->width, stride, 0, plane);
            }
            send_rows(s, &b, here, shrink);
        }
    band_free(&b);
}

/* Reads the tile at x, y of each plane (or the one that holds all samples). */
static void read_tile(struct draw_tiff *t, const struct tiff_shape *s,
                      struct band *b, uint32_t x, uint32_t y, uint32_t n_row,
                      uint32_t tile_width)
{
    size_t stride = (size_t)TIFFTileRowSize(t->tiff);
    for (int plane = 0; plane < (s->separate ? s->n_used : 1); plane++) {
        if (TIFFReadTile(t->tiff, b->raw, x, y, 0, (uint16_t)plane) < 0) return;
        for (uint32_t row = 0; row < n_row; row++)
            unpack_row(s, b, row, tile_width, stride, x,
                       s->separate ? plane : -1);
    }
}

static void read_tiles(struct draw_tiff *t, const struct tiff_shape *s,
                       struct shrink *shrink, struct err *err)
{
    struct band b = {0};
    uint32_t w = 0, h = 0;
    TIFFGetField(t->tiff, TIFFTAG_TILEWIDTH, &w);
    TIFFGetField(t->tiff, TIFFTAG_TILELENGTH, &h);
    if (w == 0 || h == 0 || (uint64_t)w * h > BAND_BYTES_MAX) {
        err_reason(err, ERR_INPUT, "damaged", "the TIFF's tiles are %u x %u px",
                   w, h);
        return;
    }
    if (band_new(&b, s, TIFFTileSize(t->tiff), w, h, err))
        for (uint32_t y = 0; y < s->height && t->n_error == 0; y += h) {
            uint32_t here = s->height - y < h ? s->height - y : h;
            for (uint32_t x = 0; x < s->width && t->n_error == 0; x += w)
                read_tile(t, s, &b, x, y, here, w);
            send_rows(s, &b, here, shrink);
        }
    band_free(&b);
}

/* Reads whatever libtiff can convert to RGBA. */
static void read_rgba(struct draw_tiff *t, struct tiff_shape *s,
                      struct shrink *shrink, struct err *err)
{
    size_t n = (size_t)s->width * s->height;
    uint32_t *raster = mem_try_aligned(n * sizeof *raster);
    if (!raster) {
        err_reason(err, ERR_LIMIT, "resource-memory",
                   "not enough memory for a TIFF of %u x %u px", s->width,
                   s->height);
        return;
    }
    memset(raster, 255, n * sizeof *raster);
    TIFFSetField(t->tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    TIFFReadRGBAImageOriented(t->tiff, s->width, s->height, raster,
                              ORIENTATION_TOPLEFT, 1);
    uint8_t *rgba = mem_alloc(s->width, 4), *row = mem_alloc(s->width, 3);
    for (uint32_t y = 0; y < s->height; y++) {
        for (uint32_t x = 0; x < s->width; x++)
            for (int c = 0; c < 4; c++)
                rgba[4 * x + (uint32_t)c] =
                    (uint8_t)(raster[(size_t)y * s->width + x] >> (8 * c));
        blend_on_white(rgba, (int)s->width, 3, true, row);
        shrink_repeated(s, shrink, row);
    }
    mem_free(rgba);
    mem_free(row);
    mem_free(raster);
}

static void refuse_shape(const struct tiff_shape *s, const char *why,
                         struct err *err)
{
    err_reason(err, ERR_UNSUPPORTED, "unsupported-image",
               "a TIFF of photometric %d, compression %d, %d samples of %d "
               "bits, format %d cannot be read here%s%s",
               s->photometric, s->compression, s->n_sample, s->bits, s->format,
               *why ? ": " : "", why);
}

static void read_pixels(struct draw_tiff *t, struct tiff_shape *s, bool by_rows,
                        struct shrink *shrink, struct err *err)
{
    t->decoding = true;
    if (!by_rows)
        read_rgba(t, s, shrink, err);
    else if (TIFFIsTiled(t->tiff))
        read_tiles(t, s, shrink, err);
    else if (s->separate)
        read_planes(t, s, shrink, err);
    else if (is_fax(s))
        read_fax(t, s, shrink, err);
    else
        read_scanlines(t, s, shrink, err);
    t->decoding = false;
}

static void page_tiff(void *handle, const struct job *job, int number,
                      struct sheet *sheet, struct err *err)
{
    struct draw_tiff *t = handle;
    struct tiff_shape s;
    char why[1024] = "";
    if (err_failed(err)) return;
    t->n_error = 0;
    if (!TIFFSetSubDirectory(t->tiff, t->pages.offset[number - 1]))
        err_reason(err, ERR_INPUT, "damaged", "the page's directory: %s",
                   t->error);
    t->n_error = 0; /* ignore errors in tags; only pixels count */
    tiff_shape_read(t->tiff, &s);
    job_check_size(job, s.width, s.height, err);
    if (err_failed(err)) return;
    bool by_rows = tiff_shape_plan_rows(t->tiff, &s);
    if (!by_rows) s.n_colour = 3;
    if (s.format == SAMPLEFORMAT_INT || s.format > SAMPLEFORMAT_VOID ||
        !TIFFIsCODECConfigured((uint16_t)s.compression) ||
        (!by_rows && !TIFFRGBAImageOK(t->tiff, why))) {
        refuse_shape(&s, why, err);
        return;
    }
    if (s.photometric == PHOTOMETRIC_PALETTE && by_rows)
        tiff_shape_narrow_map(&s);
    int width, height;
    sheet->dpi = tiff_shape_dpi(t->tiff);
    job_fit(job, (int)s.width, tiff_shape_square_up(t->tiff, &s), &sheet->dpi,
            &width, &height);
    struct shrink *shrink = shrink_new((int)s.width, (int)s.height * s.repeat,
                                       s.n_colour, width, height, err);
    if (err_failed(err)) return;
    read_pixels(t, &s, by_rows, shrink, err);
    sheet->image = shrink_finish(shrink);
    orient_turn(&sheet->image, s.orientation, err);
    if (t->pages.broken && number == t->pages.n)
        snprintf(sheet->missing, sizeof sheet->missing,
                 "damaged TIFF: its chain of pages breaks after this one");
    if (err_failed(err) || t->n_error == 0) return;
    if (!job->lenient)
        err_reason(err, ERR_INPUT, "damaged", "the TIFF is damaged: %s%s",
                   t->error, job_lenient_hint(&sheet->image));
    snprintf(sheet->missing, sizeof sheet->missing, "damaged TIFF: %.*s",
             SHEET_TEXT_MAX - 20, t->error);
}

const struct codec draw_tiff_codec = {
    .type = "tiff", .open = open_tiff, .page = page_tiff, .close = close_tiff};
