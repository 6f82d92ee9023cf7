/* ink_map.h - where the ink of a page is, so that a box can be asked for its
 * share of it: paper and bars have one grey, what differs is ink.
 */
#ifndef STAGES_PAGE_INK_MAP_H
#define STAGES_PAGE_INK_MAP_H

#include <stdint.h>

#include "vlm/base/err.h"
#include "vlm/base/image.h"

/* How much ink lies left of each pixel in its row: (width + 1) * (height + 1). Of
 * what is above it, too, would take twice the room, and boxes of words are low.
 * The caller's (mem_free). */
struct ink_map {
    uint16_t *sum; /* a side is at most 65,535 (image.h) */
    int width, height;
};

/* Of a grey page. FAIL: ERR_SYSTEM. */
struct ink_map ink_map_of(const struct image *grey, struct err *err);

/* Nothing but paper, for the caller to mark and to add up. FAIL: ERR_SYSTEM. */
struct ink_map ink_map_blank(int width, int height, struct err *err);
void ink_map_add_up(struct ink_map *ink);

/* Pixels of ink in a box of pixels, and into *area its pixels on the page. */
double ink_map_in(const struct ink_map *ink, double x, double y, double w,
                  double h, double *area);

/* To the nearest pixel, 0 to most. */
int ink_map_within(double at, int most);

#endif
