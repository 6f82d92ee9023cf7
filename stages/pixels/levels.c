/* levels.c - see levels.h. */
#include "stages/pixels/levels.h"

struct levels levels_of(const struct image *image, struct region region,
                        int step)
{
    struct levels levels = {.all = 0};
    for (int y = region.top; y < region.foot; y += step) {
        const uint8_t *row = image_row(image, y);
        int n = image->n_channel;
        for (int x = region.left; x < region.right; x += step)
            levels.n[n == 1 ? row[x] : rgb_grey(row + (ptrdiff_t)x * n)]++;
    }
    for (int v = 0; v < LEVELS; v++)
        levels.all += levels.n[v];
    return levels;
}

int levels_at(const struct levels *levels, double share)
{
    double below = 0;
    for (int v = 0; v < LEVELS; v++) {
        below += levels->n[v];
        if (below > share * levels->all) return v;
    }
    return LEVELS - 1;
}
