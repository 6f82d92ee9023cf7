/* picture_pack.c - see picture_pack.h. */
#include "stages/children/raster/pdf/picture_pack.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <tiffio.h>

#include "vlm/base/arena.h"

/* Of JPEG: what a lossy picture loses again is not seen. */
enum { QUALITY = 80 };

/* --- JPEG ------------------------------------------------------------------- */

struct trap {
    struct jpeg_error_mgr manager;
    jmp_buf back;
};

static void on_error(j_common_ptr info)
{
    longjmp(((struct trap *)info->err)->back, 1);
}

static void compress_rows(struct jpeg_compress_struct *c,
                          const struct image *image)
{
    c->image_width = (JDIMENSION)image->width_px;
    c->image_height = (JDIMENSION)image->height_px;
    c->input_components = image->n_channel;
    c->in_color_space = image->n_channel == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(c);
    jpeg_set_quality(c, QUALITY, TRUE);
    jpeg_start_compress(c, TRUE);
    while (c->next_scanline < c->image_height) {
        JSAMPROW row =
            (JSAMPROW)(uintptr_t)image_row(image, (int)c->next_scanline);
        jpeg_write_scanlines(c, &row, 1);
    }
    jpeg_finish_compress(c);
}

bool picture_pack_jpeg(const struct image *image, struct buf *out)
{
    struct jpeg_compress_struct c = {0};
    struct trap trap;
    unsigned char *bytes = NULL;
    unsigned long size = 0;
    c.err = jpeg_std_error(&trap.manager);
    trap.manager.error_exit = on_error;
    if (setjmp(trap.back)) {
        jpeg_destroy_compress(&c);
        return false;
    }
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &bytes, &size);
    compress_rows(&c, image);
    jpeg_destroy_compress(&c);
    buf_add(out, (const char *)bytes, size);
    free(bytes);
    return !out->full;
}

/* --- Group 4 ---------------------------------------------------------------- */

/* A file in memory, which libtiff writes from its start to its end, and goes
 * back to for its head. */
struct fax_file {
    uint8_t *byte;
    size_t size, at;
};

static tmsize_t no_read(thandle_t file, void *to, tmsize_t size)
{
    (void)file;
    (void)to;
    (void)size;
    return 0;
}

static tmsize_t write_bytes(thandle_t file, void *from, tmsize_t size)
{
    struct fax_file *m = file;
    size_t end = m->at + (size_t)size;
    if (end > m->size) {
        m->byte = mem_room(m->byte, m->size, end - m->size, 1);
        m->size = end;
    }
    memcpy(m->byte + m->at, from, (size_t)size);
    m->at = end;
    return size;
}

static toff_t seek(thandle_t file, toff_t to, int whence)
{
    struct fax_file *m = file;
    size_t from = whence == SEEK_END ? m->size : whence == SEEK_CUR ? m->at : 0;
    if (from + to > m->size) return (toff_t)-1;
    return m->at = (size_t)(from + to);
}

static int close_nothing(thandle_t file)
{
    (void)file;
    return 0;
}

static toff_t size_of(thandle_t file)
{
    return ((struct fax_file *)file)->size;
}

static bool write_strip(TIFF *t, const uint8_t *bits, int width, int height)
{
    tmsize_t size = (tmsize_t)((width + 7) / 8) * height;
    TIFFSetField(t, TIFFTAG_IMAGEWIDTH, (uint32_t)width);
    TIFFSetField(t, TIFFTAG_IMAGELENGTH, (uint32_t)height);
    TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, 1);
    TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, (uint32_t)height);
    TIFFSetField(t, TIFFTAG_COMPRESSION, COMPRESSION_CCITTFAX4);
    TIFFSetField(t, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISWHITE);
    TIFFSetField(t, TIFFTAG_FILLORDER, FILLORDER_MSB2LSB);
    uint8_t *copy = mem_alloc((size_t)size, 1);
    for (tmsize_t i = 0; i < size; i++) /* a fax has 0 for white */
        copy[i] = (uint8_t)~bits[i];
    bool well = TIFFWriteEncodedStrip(t, 0, copy, size) == size;
    mem_free(copy);
    return well;
}

bool picture_pack_fax(const uint8_t *bits, int width, int height,
                      struct buf *out)
{
    struct fax_file m = {NULL, 0, 0};
    TIFF *t = TIFFClientOpen("fax", "w", &m, no_read, write_bytes, seek,
                             close_nothing, size_of, NULL, NULL);
    uint64_t *from = NULL, *size = NULL;
    bool well = t && write_strip(t, bits, width, height) &&
                TIFFGetField(t, TIFFTAG_STRIPOFFSETS, &from) &&
                TIFFGetField(t, TIFFTAG_STRIPBYTECOUNTS, &size) &&
                *from <= m.size && *size <= m.size - *from;
    if (well) buf_add(out, (const char *)m.byte + *from, (size_t)*size);
    if (t) TIFFClose(t);
    mem_free(m.byte);
    return well && !out->full;
}
