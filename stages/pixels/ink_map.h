/* ink_map.h - the binary image of a page, with row sums, to count the ink in
 * boxes. Paper and bars have a uniform grey; what differs from it is ink.
 */
#ifndef STAGES_PIXELS_INK_MAP_H
#define STAGES_PIXELS_INK_MAP_H

#include <stdint.h>

#include "vlm/base/err.h"
#include "vlm/base/image.h"

/* The ink left of each pixel in its row: (width + 1) * (height + 1).
 * Two-dimensional sums would take twice the memory, and boxes of words are low.
 * The caller frees it (mem_free). */
struct ink_map {
    uint16_t *sum; /* a side is at most 65,535 (image.h) */
    int width, height;
};

/* Makes the map of a grey page. FAIL: ERR_SYSTEM. */
struct ink_map ink_map_of(const struct image *grey, struct err *err);

/* An empty map, for the caller to mark and then sum. FAIL: ERR_SYSTEM. */
struct ink_map ink_map_blank(int width, int height, struct err *err);
void ink_map_add_up(struct ink_map *ink);

/* Pixels of ink in a box of pixels; *area: its pixels that are on the page. */
double ink_map_in(const struct ink_map *ink, double x, double y, double w,
                  double h, double *area);

/* Rounds to the nearest pixel, clipped to 0..most. */
int ink_map_within(double at, int most);

#endif
