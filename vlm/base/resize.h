/* resize.h - sizes that are whole patches, and the filter that gets there.
 *
 * SOURCE  MODEL.md, "The eye". The filter gives Pillow's bytes.
 */
#ifndef VLM_BASE_RESIZE_H
#define VLM_BASE_RESIZE_H

#include <stdint.h>

#include "vlm/base/err.h"
#include "vlm/base/image.h"

struct resize_size {
    int width_px, height_px;
};

/* The nearest multiples of `unit` (half to even) whose area lies between the
 * limits, with the sides' ratio about kept. FAIL: ERR_LIMIT for a side below
 * 1 or above 65,535, and one more than 200 times the other. */
struct resize_size resize_fit(int width_px, int height_px, int unit,
                              int64_t min_pixels, int64_t max_pixels,
                              struct err *err);

/* Bicubic with a = -0.5, widened when shrinking, in 8-bit steps: first along
 * rows, then along columns; a side that keeps its size is not filtered. The
 * result is the caller's. FAIL: ERR_LIMIT, ERR_SYSTEM as image_new. */
struct image resize_bicubic(const struct image *in, int width_px, int height_px,
                            struct err *err);

#endif
