/* image.c - see image.h. */
#include "vlm/base/image.h"

#include <string.h>

#include "vlm/base/arena.h"

enum { SIDE_MAX = 65535 };

struct image image_new(int width_px, int height_px, int n_channel,
                       struct err *err)
{
    struct image image = {0};
    if (err_failed(err)) return image;
    if (width_px < 1 || height_px < 1 || width_px > SIDE_MAX ||
        height_px > SIDE_MAX) {
        err_reason(err, ERR_LIMIT, "too-large",
                   "image of %d x %d px, sides must be 1 to %d", width_px,
                   height_px, SIDE_MAX);
        return image;
    }
    size_t stride = (size_t)width_px * (size_t)n_channel;
    image.data = mem_try_aligned(stride * (size_t)height_px);
    if (!image.data) {
        err_set(err, ERR_SYSTEM, "no memory for an image of %d x %d px",
                width_px, height_px);
        return image;
    }
    image.width_px = width_px;
    image.height_px = height_px;
    image.n_channel = n_channel;
    image.stride_bytes = stride;
    return image;
}

struct image image_to_grey(const struct image *image, struct err *err)
{
    struct image grey = image_new(image->width_px, image->height_px, 1, err);
    if (err_failed(err)) return grey;
    if (image->n_channel == 1) {
        memcpy(grey.data, image->data,
               image->stride_bytes * (size_t)image->height_px);
        return grey;
    }
    size_t n = (size_t)image->width_px * (size_t)image->height_px;
    for (size_t i = 0; i < n; i++)
        grey.data[i] = rgb_grey(image->data + 3 * i);
    return grey;
}

void image_free(struct image *image)
{
    mem_free(image->data);
    *image = (struct image){0};
}
