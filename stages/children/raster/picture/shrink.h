/* shrink.h - scales an image down row by row.
 *
 * Each pixel of the result is the mean of the area it covers, so that thin
 * strokes fade instead of vanishing. Memory: the result and two rows.
 */
#ifndef STAGES_CHILDREN_RASTER_PICTURE_SHRINK_H
#define STAGES_CHILDREN_RASTER_PICTURE_SHRINK_H

#include "vlm/base/image.h"

struct shrink;

/* From width x height with n_channel to the given size (not larger).
 * FAIL: ERR_SYSTEM, ERR_LIMIT. */
struct shrink *shrink_new(int width_px, int height_px, int n_channel,
                          int to_width_px, int to_height_px, struct err *err);

/* Adds the next row of the source, n_channel bytes per pixel. Rows beyond the
 * height are ignored. */
void shrink_row(struct shrink *s, const uint8_t *row);

/* Returns the result (missing rows are white) and frees s. */
struct image shrink_finish(struct shrink *s);
void shrink_free(struct shrink *s); /* NULL is fine */

/* The size of width x height scaled down to at most max_pixels, and at least by
 * `scale` <= 1. Never 0. */
void shrink_fit(int width_px, int height_px, int64_t max_pixels, double scale,
                int *to_width_px, int *to_height_px);

#endif
