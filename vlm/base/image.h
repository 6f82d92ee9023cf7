/* image.h - a picture in memory: 8 bits a channel, rows from the top. */
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

/* Pixels are not set. FAIL: ERR_LIMIT for a side below 1 or above 65,535,
 * ERR_SYSTEM when there is no memory; the image is then empty. */
struct image image_new(int width_px, int height_px, int n_channel,
                       struct err *err);
void image_free(struct image *image); /* leaves it empty */

/* The first byte of row y (0 <= y < height_px). */
static inline uint8_t *image_row(const struct image *image, int y)
{
    return image->data + (size_t)y * image->stride_bytes;
}

#endif
