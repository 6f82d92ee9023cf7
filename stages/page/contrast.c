/* contrast.c - see contrast.h. */
#include "stages/page/contrast.h"

#include <stddef.h>

enum { LEVELS = 256, LEAST = 24 /* levels of more than noise */ };
static const double dark_share = 0.005; /* of a page that is printed on, ... */
static const double paper_share =
    0.85; /* ...and what is no lighter than paper */

int contrast_level(const struct image *image, double share)
{
    size_t count[LEVELS] = {0}, below = 0;
    size_t all = image->stride_bytes * (size_t)image->height_px;
    for (int y = 0; y < image->height_px; y++)
        for (size_t i = 0; i < image->stride_bytes; i++)
            count[image_row(image, y)[i]]++;
    for (int v = 0; v < LEVELS; v++) {
        below += count[v];
        if ((double)below > share * (double)all) return v;
    }
    return LEVELS - 1;
}

void contrast_stretch(struct image *image, const struct image *like, int enough)
{
    uint8_t to[LEVELS];
    int dark = contrast_level(like, dark_share);
    int paper = contrast_level(like, paper_share);
    if (paper - dark >= enough || paper - dark < LEAST) return;
    for (int v = 0; v < LEVELS; v++) {
        int level = (v - dark) * (LEVELS - 1) / (paper - dark);
        to[v] = (uint8_t)(level < 0 ? 0 : level >= LEVELS ? LEVELS - 1 : level);
    }
    for (int y = 0; y < image->height_px; y++)
        for (size_t i = 0; i < image->stride_bytes; i++)
            image_row(image, y)[i] = to[image_row(image, y)[i]];
}
