/* contrast.c - see contrast.h. */
#include "stages/pixels/contrast.h"

#include <stddef.h>

enum { LEAST = 24 /* levels; less is noise */ };
static const double light_share = 0.85; /* quantile taken as the paper */

bool contrast_is_faint(const struct levels *levels, int enough)
{
    int contrast = levels_at(levels, light_share) - levels_dark(levels);
    return contrast >= LEAST && contrast < enough;
}

void contrast_stretch(struct image *image, const struct levels *levels,
                      int enough)
{
    uint8_t to[LEVELS];
    int dark = levels_dark(levels), light = levels_at(levels, light_share);
    if (!contrast_is_faint(levels, enough)) return;
    for (int v = 0; v < LEVELS; v++) {
        int level = (v - dark) * (LEVELS - 1) / (light - dark);
        to[v] = (uint8_t)(level < 0 ? 0 : level >= LEVELS ? LEVELS - 1 : level);
    }
    for (int y = 0; y < image->height_px; y++)
        for (size_t i = 0; i < image->stride_bytes; i++)
            image_row(image, y)[i] = to[image_row(image, y)[i]];
}
