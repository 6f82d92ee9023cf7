/* fax.c - see fax.h. The image becomes the only strip of a TIFF in memory. */
#include "stages/children/raster/picture/fax.h"

#include <stdarg.h>
#include <string.h>

#include <tiffio.h>

#include "vlm/base/arena.h"

enum {
    N_TAG = 9,
    HEAD_BYTES = 8 + 2 + 12 * N_TAG + 4,
    ROW_BYTES_MAX = 1 << 27
};

/* The file: the TIFF header, then the image's bytes. */
struct memory {
    uint8_t head[HEAD_BYTES];
    const struct fax *fax;
    toff_t at;
    bool spoilt; /* libtiff reported an error */
};

static tmsize_t read_memory(thandle_t handle, void *out, tmsize_t size)
{
    struct memory *m = (struct memory *)handle;
    uint8_t *to = out;
    tmsize_t n = 0;
    for (; n < size && m->at < HEAD_BYTES + m->fax->size; n++, m->at++)
        to[n] = m->at < HEAD_BYTES ? m->head[m->at]
                                   : m->fax->bytes[m->at - HEAD_BYTES];
    return n;
}

static tmsize_t write_memory(thandle_t handle, void *bytes, tmsize_t size)
{
    (void)handle;
    (void)bytes;
    (void)size;
    return -1;
}

static toff_t seek_memory(thandle_t handle, toff_t to, int from)
{
    struct memory *m = (struct memory *)handle;
    m->at = from == SEEK_SET   ? to
            : from == SEEK_CUR ? m->at + to
                               : HEAD_BYTES + m->fax->size + to;
    return m->at;
}

static int close_memory(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t size_memory(thandle_t handle)
{
    return HEAD_BYTES + ((struct memory *)handle)->fax->size;
}

static int on_message(TIFF *tiff, void *handle, const char *module,
                      const char *fmt, va_list args)
{
    (void)tiff, (void)module, (void)fmt, (void)args;
    ((struct memory *)handle)->spoilt = true;
    return 1;
}

static void put_number(uint8_t *to, uint32_t v, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = (uint8_t)(v >> (8 * i));
}

static void write_head(struct memory *m)
{
    const struct fax *f = m->fax;
    uint32_t kind = f->k < 0 ? COMPRESSION_CCITTFAX4 : COMPRESSION_CCITTFAX3;
    const uint32_t tag[N_TAG][2] = {
        {TIFFTAG_IMAGEWIDTH, f->width},
        {TIFFTAG_IMAGELENGTH, f->height},
        {TIFFTAG_COMPRESSION, kind},
        {TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISWHITE},
        {TIFFTAG_FILLORDER, FILLORDER_MSB2LSB},
        {TIFFTAG_STRIPOFFSETS, HEAD_BYTES},
        {TIFFTAG_ROWSPERSTRIP, f->height},
        {TIFFTAG_STRIPBYTECOUNTS, (uint32_t)f->size},
        {TIFFTAG_GROUP3OPTIONS, f->k > 0 ? GROUP3OPT_2DENCODING : 0}};
    memcpy(m->head, "II*\0\x08\0\0\0", 8);
    put_number(m->head + 8, N_TAG, 2);
    for (int i = 0; i < N_TAG; i++) {
        uint8_t *entry = m->head + 10 + 12 * i;
        put_number(entry, tag[i][0], 2);
        put_number(entry + 2, TIFF_LONG, 2);
        put_number(entry + 4, 1, 4);
        put_number(entry + 8, tag[i][1], 4);
    }
    if (f->k < 0) put_number(m->head + 10 + 12 * (N_TAG - 1), 65000, 2);
}

bool fax_is_same(const uint8_t *zeros, const uint8_t *ones, size_t n_bit,
                 size_t stride, uint32_t n_row)
{
    size_t whole = n_bit / 8;
    int unused = 8 - (int)(n_bit % 8);
    for (uint32_t y = 0; y < n_row; y++, zeros += stride, ones += stride)
        if (memcmp(zeros, ones, whole) ||
            (unused < 8 && (zeros[whole] ^ ones[whole]) >> unused))
            return false;
    return true;
}

static bool is_decoded(TIFF *tiff, const struct fax *f)
{
    size_t stride = ((size_t)f->width + 7) / 8, size = stride * f->height;
    uint8_t *zeros = mem_try_aligned(size), *ones = mem_try_aligned(size);
    bool whole = zeros && ones && (size_t)TIFFScanlineSize(tiff) == stride;
    if (whole) {
        memset(zeros, 0, size);
        memset(ones, 255, size);
        whole = TIFFReadEncodedStrip(tiff, 0, zeros, (tmsize_t)size) >= 0 &&
                TIFFReadEncodedStrip(tiff, 0, ones, (tmsize_t)size) >= 0 &&
                fax_is_same(zeros, ones, f->width, stride, f->height);
    }
    mem_free(zeros);
    mem_free(ones);
    return whole;
}

bool fax_is_whole(const struct fax *fax)
{
    struct memory m = {.fax = fax};
    if (fax->width == 0 || fax->height == 0 || fax->size > UINT32_MAX / 2 ||
        ((uint64_t)fax->width + 7) / 8 * fax->height > ROW_BYTES_MAX)
        return false;
    write_head(&m);
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_message, &m);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_message, &m);
    TIFF *tiff = TIFFClientOpenExt("picture", "rm", (thandle_t)&m, read_memory,
                                   write_memory, seek_memory, close_memory,
                                   size_memory, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    if (!tiff) return false;
    if (fax->k >= 0 && !fax->end_of_line)
        TIFFSetField(tiff, TIFFTAG_FAXMODE, FAXMODE_NOEOL);
    m.spoilt = false; /* ignore errors in tags */
    bool whole = is_decoded(tiff, fax) && !m.spoilt;
    TIFFClose(tiff);
    return whole;
}
