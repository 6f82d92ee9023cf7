/* resize.h - image sizes of whole patches, and the resize filter.
 *
 * SOURCE  MODEL.md, "The vision encoder". The filter gives Pillow's bytes.
 */
#ifndef VLM_BASE_RESIZE_H
#define VLM_BASE_RESIZE_H

#include <stdint.h>

#include "vlm/base/err.h"
#include "vlm/base/image.h"

struct resize_size {
    int width_px, height_px;
};

/* The nearest multiples of `unit` (half to even) whose area is within the
 * limits, with approximately the same aspect ratio. FAIL: ERR_LIMIT for a side
 * below 1 or above 65,535, or more than 200 times the other. */
struct resize_size resize_fit(int width_px, int height_px, int unit,
                              int64_t min_pixels, int64_t max_pixels,
                              struct err *err);

/* Bicubic with a = -0.5, widened when shrinking, in 8-bit steps: first along
 * rows, then along columns; a side of unchanged size is not filtered. The
 * caller owns the result. FAIL: ERR_LIMIT, ERR_SYSTEM as image_new. */
struct image resize_bicubic(const struct image *in, int width_px, int height_px,
                            struct err *err);

#endif
