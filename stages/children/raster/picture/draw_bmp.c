/* draw_bmp.c - BMP images: of Windows and OS/2, 1 to 32 bits, RLE4 and RLE8.
 *
 * leptonica reads none with RLE, with a first row on top or with channel masks,
 * so the format, a header and rows, is read here. Alpha is ignored: few
 * programs write it, and some leave it 0 in opaque images.
 */
#include "stages/children/raster/picture/job.h"

#include <string.h>

#include "stages/children/raster/picture/rows.h"
#include "vlm/base/arena.h"
#include "vlm/base/cursor.h"

enum {
    FILE_HEADER = 14,
    CORE_HEADER = 12, /* of OS/2 1.x */
    OS2_HEADER = 64,
    INFO_HEADER = 40,
    COLOURS_MAX = 256
};

enum { BMP_RGB, BMP_RLE8, BMP_RLE4, BMP_BITFIELDS, BMP_ALPHAFIELDS = 6 };

struct draw_bmp {
    struct span file;
    int width, height;
    bool top_down; /* the first row is the top one */
    int bits;      /* per pixel */
    uint32_t compression;
    uint32_t mask[3];
    uint8_t colour[COLOURS_MAX][3];
    double dpi;
    size_t pixels;  /* where they begin in the file */
    uint8_t *index; /* RLE: all pixels, in the order of the file */
    int n_row;      /* RLE: rows that were decoded */
};

static bool is_rle(const struct draw_bmp *b)
{
    return b->compression == BMP_RLE8 || b->compression == BMP_RLE4;
}

static void read_core_header(struct draw_bmp *b, struct cursor *c)
{
    b->width = cursor_u16le(c);
    b->height = cursor_u16le(c);
    cursor_read(c, 2); /* planes */
    b->bits = cursor_u16le(c);
}

/* Returns the number of colours as written: 0 means all. */
static uint32_t read_info_header(struct draw_bmp *b, struct cursor *c)
{
    b->width = (int)cursor_u32le(c);
    b->height = (int)cursor_u32le(c);
    b->top_down = b->height < 0;
    if (b->top_down && b->height > -1000000000) b->height = -b->height;
    cursor_read(c, 2); /* planes */
    b->bits = cursor_u16le(c);
    b->compression = cursor_u32le(c);
    cursor_read(c, 4); /* size of the pixels */
    b->dpi = (int)cursor_u32le(c) * 0.0254;
    cursor_read(c, 4);
    uint32_t n = cursor_u32le(c);
    cursor_read(c, 4); /* colours that matter */
    return n;
}

/* The masks of the channels: part of later headers, behind an earlier one.
 * Returns the bytes between header and palette. */
static size_t read_masks(struct draw_bmp *b, struct cursor *c, uint32_t header)
{
    static const uint32_t five[3] = {0x7c00, 0x03e0, 0x001f};
    static const uint32_t eight[3] = {0xff0000, 0x00ff00, 0x0000ff};
    bool fields =
        b->compression == BMP_BITFIELDS || b->compression == BMP_ALPHAFIELDS;
    for (int i = 0; i < 3; i++)
        b->mask[i] = fields          ? cursor_u32le(c)
                     : b->bits == 16 ? five[i]
                                     : eight[i];
    if (!fields || header > INFO_HEADER) return 0;
    return b->compression == BMP_BITFIELDS ? 12 : 16;
}

static void read_colours(struct draw_bmp *b, struct cursor *c, uint32_t n,
                         size_t size)
{
    uint32_t most = b->bits <= 8 ? 1u << b->bits : 0;
    if (n == 0 || n > most) n = most;
    for (uint32_t i = 0; i < n; i++) {
        const unsigned char *entry = cursor_read(c, size);
        for (int k = 0; entry && k < 3; k++)
            b->colour[i][k] = entry[2 - k];
    }
}

static void check_kind(const struct draw_bmp *b, uint32_t header,
                       struct err *err)
{
    if (err_failed(err)) return;
    static const int bits[] = {1, 2, 4, 8, 16, 24, 32};
    bool known = false;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++)
        known |= b->bits == bits[i];
    bool wide = b->bits == 16 || b->bits == 32;
    bool fits = b->compression == BMP_RGB ||
                (b->compression == BMP_RLE8 && b->bits == 8) ||
                (b->compression == BMP_RLE4 && b->bits == 4) ||
                (header != OS2_HEADER && wide &&
                 (b->compression == BMP_BITFIELDS ||
                  b->compression == BMP_ALPHAFIELDS));
    if (!known || !fits)
        err_reason(err, ERR_UNSUPPORTED, "unsupported-image",
                   "a BMP of %d bits with compression %u: convert it to PNG",
                   b->bits, b->compression);
}

static void read_header(struct draw_bmp *b, struct err *err)
{
    if (err_failed(err)) return;
    struct cursor c = {.bytes = (const unsigned char *)b->file.data,
                       .size = b->file.size,
                       .at = 10};
    b->pixels = cursor_u32le(&c);
    uint32_t header = cursor_u32le(&c), n = 0;
    if (header == CORE_HEADER)
        read_core_header(b, &c);
    else
        n = read_info_header(b, &c);
    check_kind(b, header, err);
    size_t between = read_masks(b, &c, header);
    if (c.overrun || b->width < 0 || b->height < 0) {
        err_reason(err, ERR_INPUT, "damaged", "the BMP header is damaged");
        return;
    }
    c.at = FILE_HEADER + (size_t)header + between;
    if (c.at > c.size) c.at = c.size;
    if (!err_failed(err)) read_colours(b, &c, n, header == CORE_HEADER ? 3 : 4);
    if (c.overrun)
        err_reason(err, ERR_INPUT, "damaged", "the BMP ends in its palette");
}

static void *open_bmp(const struct job *job, int *n_page, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct draw_bmp *b = mem_alloc(1, sizeof *b);
    b->file = job_read(job, err);
    read_header(b, err);
    job_check_size(job, (uint32_t)b->width, (uint32_t)b->height, err);
    *n_page = 1;
    return b;
}

static void close_bmp(void *handle)
{
    struct draw_bmp *b = handle;
    job_forget(b->file);
    mem_free(b->index);
    mem_free(b);
}

/* --- run lengths ---------------------------------------------------------- */

/* Writes n pixels from x on, and returns the next x: of a run its value (RLE4:
 * two in turn), else those at `in`. */
static int put_pixels(struct draw_bmp *b, int x, int n, bool run,
                      const uint8_t *in)
{
    uint8_t *row = b->index + (size_t)b->n_row * (size_t)b->width;
    for (int i = 0; i < n && x < b->width; i++, x++) {
        int at = run ? 0 : b->bits == 8 ? i : i / 2;
        int half = i % 2 ? in[at] & 15 : in[at] >> 4;
        row[x] = (uint8_t)(b->bits == 8 ? in[at] : half);
    }
    return x;
}

/* Decodes until an end mark, the last row or the end of the file. Pixels that
 * are skipped have colour 0; so an end mark makes all rows known. */
static void decode_runs(struct draw_bmp *b)
{
    struct cursor c = {.bytes = (const unsigned char *)b->file.data,
                       .size = b->file.size,
                       .at =
                           b->pixels < b->file.size ? b->pixels : b->file.size};
    int x = 0;
    while (b->n_row < b->height) {
        const uint8_t *pair = cursor_read(&c, 2);
        if (!pair) return;
        if (pair[0]) {
            x = put_pixels(b, x, pair[0], true, pair + 1);
        } else if (pair[1] == 0) {
            x = 0;
            b->n_row++;
        } else if (pair[1] == 1) {
            b->n_row = b->height;
        } else if (pair[1] == 2) {
            const uint8_t *by = cursor_read(&c, 2);
            if (!by) return;
            x = x + by[0] < b->width ? x + by[0] : b->width;
            b->n_row += by[1];
        } else {
            int n_byte = b->bits == 8 ? pair[1] : (pair[1] + 1) / 2;
            const uint8_t *in =
                cursor_read(&c, (uint64_t)(n_byte + n_byte % 2));
            if (!in) return;
            x = put_pixels(b, x, pair[1], false, in);
        }
        /* some files have no mark behind the last pixel */
        if (x == b->width && b->n_row == b->height - 1 && cursor_left(&c) < 2)
            b->n_row++;
    }
    if (b->n_row > b->height) b->n_row = b->height;
}

static void unpack_runs(struct draw_bmp *b, struct err *err)
{
    if (err_failed(err) || !is_rle(b)) return;
    size_t size = (size_t)b->width * (size_t)b->height;
    b->index = mem_try_aligned(size);
    if (!b->index) {
        err_reason(err, ERR_LIMIT, "resource-memory",
                   "not enough memory for a BMP of %d x %d px", b->width,
                   b->height);
        return;
    }
    memset(b->index, 0, size);
    decode_runs(b);
}

/* --- rows ----------------------------------------------------------------- */

/* The channel of a pixel that the mask names, as 0 to 255. */
static uint8_t masked(uint32_t pixel, uint32_t mask)
{
    if (!mask) return 0;
    int shift = __builtin_ctz(mask);
    uint64_t most = mask >> shift;
    return (uint8_t)(((pixel & mask) >> shift) * 255ull / most);
}

static uint32_t pixel_at(const uint8_t *row, int x, int bits)
{
    size_t at = (size_t)x * (size_t)bits / 8;
    uint32_t pixel = row[at];
    for (int i = 1; i < bits / 8; i++)
        pixel |= (uint32_t)row[at + (size_t)i] << (8 * i);
    if (bits >= 8) return pixel;
    return pixel >> (8 - bits - x * bits % 8) & ((1u << bits) - 1);
}

/* The bytes of a row, counted from the file's first one; NULL: the file lacks
 * some. */
static const uint8_t *bytes_of_row(const struct draw_bmp *b, size_t row)
{
    size_t width = (size_t)b->width;
    if (b->index) return row < (size_t)b->n_row ? b->index + row * width : NULL;
    size_t n_bit = width * (size_t)b->bits;
    size_t from = b->pixels + row * ((n_bit + 31) / 32 * 4);
    size_t size = (n_bit + 7) / 8; /* without padding */
    if (from > b->file.size || b->file.size - from < size) return NULL;
    return (const uint8_t *)b->file.data + from;
}

static bool bmp_row(void *decoder, int y, uint8_t *out)
{
    const struct draw_bmp *b = decoder;
    const uint8_t *row =
        bytes_of_row(b, (size_t)(b->top_down ? y : b->height - 1 - y));
    int bits = b->index ? 8 : b->bits;
    for (int x = 0; row && x < b->width; x++, out += 3) {
        uint32_t pixel = pixel_at(row, x, bits);
        for (int k = 0; k < 3; k++)
            out[k] = bits > 8 ? masked(pixel, b->mask[k]) : b->colour[pixel][k];
    }
    return row != NULL;
}

static void page_bmp(void *handle, const struct job *job, int number,
                     struct sheet *sheet, struct err *err)
{
    (void)number;
    struct draw_bmp *b = handle;
    unpack_runs(b, err);
    sheet->dpi = b->dpi > 0 ? b->dpi : 0;
    struct rows rows = {.type = "BMP",
                        .width = b->width,
                        .height = b->height,
                        .n_channel = 3,
                        .decoder = b,
                        .row = bmp_row};
    rows_draw(&rows, job, sheet, err);
}

const struct codec draw_bmp_codec = {
    .type = "bmp", .open = open_bmp, .page = page_bmp, .close = close_bmp};
