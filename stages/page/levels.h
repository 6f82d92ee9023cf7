/* levels.h - how the greys of a picture are spread: the level of its paper, of its
 * darkest print, and of what parts the two.
 */
#ifndef STAGES_PAGE_LEVELS_H
#define STAGES_PAGE_LEVELS_H

#include "vlm/base/image.h"

enum { LEVELS = 256 };

/* Pixels of a picture; right and foot are outside. */
struct region {
    int left, top, right, foot;
};

/* A histogram: how many pixels have each grey. */
struct levels {
    uint32_t n[LEVELS];
    double all;
};

/* Of every `step`-th pixel of a region, of a grey picture or of an RGB one. */
struct levels levels_of(const struct image *image, struct region region,
                        int step);

/* All of a picture. */
static inline struct region image_region(const struct image *image)
{
    return (struct region){0, 0, image->width_px, image->height_px};
}

/* The level that `share` of the pixels do not reach, 0..255. */
int levels_at(const struct levels *levels, double share);

/* The paper: the level of most pixels of a page, or of a part of it. A bar with
 * white print on it is dark paper. */
static inline int levels_paper(const struct levels *levels)
{
    return levels_at(levels, 0.5);
}

/* The darkest print there is, but for single specks. */
static inline int levels_dark(const struct levels *levels)
{
    return levels_at(levels, 0.005);
}

/* Between paper and print, whichever of the two is darker, and if print is no more
 * than two lines. */
static inline int levels_middle(const struct levels *levels)
{
    return (levels_at(levels, 0.003) + levels_at(levels, 0.997)) / 2;
}

#endif
