/* image.h - an image in memory: 8 bits per channel, rows from the top. */
#ifndef VLM_BASE_IMAGE_H
#define VLM_BASE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "vlm/base/err.h"

struct image {
    uint8_t *data; /* owned; NULL in an empty image */
    int width_px, height_px;
    int n_channel;       /* 1 grey, 3 RGB */
    size_t stride_bytes; /* width_px * n_channel: rows are packed */
};

/* A new image with uninitialised pixels. FAIL: ERR_LIMIT for a side below 1 or
 * above 65,535, ERR_SYSTEM if out of memory; the image is then empty. */
struct image image_new(int width_px, int height_px, int n_channel,
                       struct err *err);
void image_free(struct image *image); /* leaves it empty */

/* The first byte of row y (0 <= y < height_px). */
static inline uint8_t *image_row(const struct image *image, int y)
{
    return image->data + (size_t)y * image->stride_bytes;
}

/* The brightness of an RGB pixel, 0..255 (ITU-R BT.601). */
static inline uint8_t rgb_grey(const uint8_t *rgb)
{
    return (uint8_t)((77u * rgb[0] + 150u * rgb[1] + 29u * rgb[2] + 128) >> 8);
}

/* The brightness of pixel x of row y. */
static inline uint8_t image_grey(const struct image *image, int x, int y)
{
    const uint8_t *p =
        image_row(image, y) + (size_t)x * (size_t)image->n_channel;
    return image->n_channel == 3 ? rgb_grey(p) : *p;
}

/* A grey copy, one byte per pixel; owned by the caller. FAIL: as image_new. */
struct image image_to_grey(const struct image *image, struct err *err);

#endif
