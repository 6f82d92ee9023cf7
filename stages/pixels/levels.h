/* levels.h - the grey histogram of an image: the levels of its paper, its
 * darkest print, and the threshold between them.
 */
#ifndef STAGES_PIXELS_LEVELS_H
#define STAGES_PIXELS_LEVELS_H

#include "vlm/base/image.h"

enum { LEVELS = 256 };

/* A rectangle of pixels; right and foot are exclusive. */
struct region {
    int left, top, right, foot;
};

/* A histogram: the number of pixels of each grey. */
struct levels {
    uint32_t n[LEVELS];
    double all;
};

/* Counts every `step`-th pixel of a region of a grey or RGB image. */
struct levels levels_of(const struct image *image, struct region region,
                        int step);

/* The whole image. */
static inline struct region image_region(const struct image *image)
{
    return (struct region){0, 0, image->width_px, image->height_px};
}

/* The quantile: the level that `share` of the pixels are below, 0..255. */
int levels_at(const struct levels *levels, double share);

/* The paper: the median level of a page or a part of it. A bar with white print
 * on it counts as dark paper. */
static inline int levels_paper(const struct levels *levels)
{
    return levels_at(levels, 0.5);
}

/* The darkest print, except single specks. */
static inline int levels_dark(const struct levels *levels)
{
    return levels_at(levels, 0.005);
}

/* The middle between paper and print, whichever of them is darker, even if the
 * print is only two lines. */
static inline int levels_middle(const struct levels *levels)
{
    return (levels_at(levels, 0.003) + levels_at(levels, 0.997)) / 2;
}

#endif
