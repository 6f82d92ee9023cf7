/* image_encode.c - see image_encode.h. Uses libpng, libjpeg and libcrypto. */
#include "stages/pixels/image_encode.h"

#include <stdio.h>

#include <jpeglib.h>
#include <openssl/evp.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>

#include "vlm/base/arena.h"

enum { JPEG_QUALITY = 92 };

struct bytes {
    unsigned char *data; /* allocated by the library with malloc */
    unsigned long size;
};

/* Encodes into a memory stream that grows with the file: a buffer for the worst
 * case would be larger than the image itself. */
static bool encode_png(const struct image *image, bool fast, struct bytes *out)
{
    png_image head = {.version = PNG_IMAGE_VERSION,
                      .flags = fast ? PNG_IMAGE_FLAG_FAST : 0,
                      .width = (png_uint_32)image->width_px,
                      .height = (png_uint_32)image->height_px,
                      .format = image->n_channel == 1 ? PNG_FORMAT_GRAY
                                                      : PNG_FORMAT_RGB};
    png_int_32 stride = (png_int_32)image->stride_bytes;
    char *data = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&data, &size);
    bool written = file && png_image_write_to_stdio(&head, file, 0, image->data,
                                                    stride, NULL);
    if (file && fclose(file)) written = false;
    png_image_free(&head);
    *out = (struct bytes){(unsigned char *)data, size};
    return written;
}

struct jpeg_trap {
    struct jpeg_error_mgr manager;
    jmp_buf back;
};

static void jpeg_failed(j_common_ptr info)
{
    longjmp(((struct jpeg_trap *)info->err)->back, 1);
}

static bool encode_jpeg(const struct image *image, struct bytes *out)
{
    struct jpeg_compress_struct c = {0};
    struct jpeg_trap trap;
    c.err = jpeg_std_error(&trap.manager);
    trap.manager.error_exit = jpeg_failed;
    if (setjmp(trap.back)) {
        jpeg_destroy_compress(&c);
        return false;
    }
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &out->data, &out->size);
    c.image_width = (JDIMENSION)image->width_px;
    c.image_height = (JDIMENSION)image->height_px;
    c.input_components = image->n_channel;
    c.in_color_space = image->n_channel == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&c);
    jpeg_set_quality(&c, JPEG_QUALITY, TRUE);
    jpeg_start_compress(&c, TRUE);
    while (c.next_scanline < c.image_height) {
        JSAMPROW row = image_row(image, (int)c.next_scanline);
        jpeg_write_scanlines(&c, &row, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    return true;
}

/* In pieces, so that the text is not in memory twice. */
static void add_base64(const struct bytes *file, struct buf *out)
{
    enum { PIECE = 3 << 10 };
    unsigned char text[PIECE / 3 * 4 + 1];
    for (size_t at = 0; at < file->size; at += PIECE) {
        size_t n = file->size - at < PIECE ? file->size - at : PIECE;
        buf_add(out, text,
                (size_t)EVP_EncodeBlock(text, file->data + at, (int)n));
    }
}

static struct bytes encode(const struct image *image, bool jpeg,
                           struct err *err)
{
    struct bytes file = {0};
    if (err_failed(err)) return file;
    if (!(jpeg ? encode_jpeg(image, &file) : encode_png(image, false, &file)))
        err_set(err, ERR_SYSTEM, "a page of %d x %d px cannot be encoded",
                image->width_px, image->height_px);
    return file;
}

void image_encode_data_url(const struct image *image, bool jpeg,
                           struct buf *out, struct err *err)
{
    struct bytes file = encode(image, jpeg, err);
    if (!err_failed(err)) {
        buf_print(out, "data:image/%s;base64,", jpeg ? "jpeg" : "png");
        add_base64(&file, out);
    }
    free(file.data);
}

void image_encode_png(const struct image *image, struct buf *out,
                      struct err *err)
{
    struct bytes file = encode(image, false, err);
    if (!err_failed(err)) buf_add(out, file.data, file.size);
    free(file.data);
}

void image_encode_jpeg(const struct image *image, struct buf *out,
                       struct err *err)
{
    struct bytes file = encode(image, true, err);
    if (!err_failed(err)) buf_add(out, file.data, file.size);
    free(file.data);
}

struct packed image_encode_pack(struct image *image)
{
    struct bytes file = {0};
    if (!encode_png(image, true, &file)) {
        free(file.data);
        return (struct packed){0};
    }
    image_free(image);
    return (struct packed){mem_grow(file.data, file.size, 1), file.size};
}

void image_encode_unpack(struct packed *packed, struct image *image,
                         struct err *err)
{
    png_image head = {.version = PNG_IMAGE_VERSION};
    if (err_failed(err) || !packed->data) return;
    if (!png_image_begin_read_from_memory(&head, packed->data, packed->size)) {
        err_set(err, ERR_SYSTEM, "a packed page cannot be unpacked");
        return;
    }
    bool grey = !(head.format & PNG_FORMAT_FLAG_COLOR);
    head.format = grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    *image = image_new((int)head.width, (int)head.height, grey ? 1 : 3, err);
    if (!err_failed(err) &&
        !png_image_finish_read(&head, NULL, image->data,
                               (png_int_32)image->stride_bytes, NULL))
        err_set(err, ERR_SYSTEM, "a packed page cannot be unpacked");
    png_image_free(&head);
    image_encode_drop(packed);
}

void image_encode_drop(struct packed *packed)
{
    mem_free(packed->data);
    *packed = (struct packed){0};
}
