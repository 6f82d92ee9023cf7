/* ink_map.c - see ink_map.h. */
#include "stages/pixels/ink_map.h"

#include <stdlib.h>
#include <string.h>

#include "stages/pixels/levels.h"
#include "vlm/base/arena.h"

enum {
    BLOCK = 64,   /* px: a block has one paper level */
    STEP = 2,     /* measured at every other pixel */
    CONTRAST = 40 /* least difference between paper and ink, levels */
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void mark_block(const struct image *grey, struct ink_map *ink, int x0,
                       int y0)
{
    int x1 = least(x0 + BLOCK, ink->width), y1 = least(y0 + BLOCK, ink->height);
    struct levels levels =
        levels_of(grey, (struct region){x0, y0, x1, y1}, STEP);
    int paper = levels_paper(&levels);
    for (int y = y0; y < y1; y++) {
        const uint8_t *from = image_row(grey, y);
        uint16_t *row = ink->sum + (size_t)(y + 1) * (size_t)(ink->width + 1);
        for (int x = x0; x < x1; x++)
            row[x + 1] = abs(from[x] - paper) >= CONTRAST;
    }
}

void ink_map_add_up(struct ink_map *ink)
{
    size_t side = (size_t)ink->width + 1;
    for (int y = 1; y <= ink->height; y++) {
        uint16_t *row = ink->sum + (size_t)y * side;
        for (size_t x = 1; x < side; x++)
            row[x] = (uint16_t)(row[x] + row[x - 1]);
    }
}

struct ink_map ink_map_blank(int width, int height, struct err *err)
{
    struct ink_map ink = {NULL, width, height};
    size_t n = ((size_t)width + 1) * ((size_t)height + 1);
    if (err_failed(err)) return ink;
    ink.sum = mem_try_aligned(n * sizeof *ink.sum);
    if (ink.sum)
        memset(ink.sum, 0, n * sizeof *ink.sum);
    else
        err_set(err, ERR_SYSTEM, "not enough memory for the ink of a page");
    return ink;
}

struct ink_map ink_map_of(const struct image *grey, struct err *err)
{
    struct ink_map ink = ink_map_blank(grey->width_px, grey->height_px, err);
    if (err_failed(err)) return ink;
    for (int y = 0; y < ink.height; y += BLOCK)
        for (int x = 0; x < ink.width; x += BLOCK)
            mark_block(grey, &ink, x, y);
    ink_map_add_up(&ink);
    return ink;
}

int ink_map_within(double at, int most)
{
    return at < 0 ? 0 : at > most ? most : (int)(at + 0.5);
}

double ink_map_in(const struct ink_map *ink, double x, double y, double w,
                  double h, double *area)
{
    size_t side = (size_t)ink->width + 1;
    size_t x0 = (size_t)ink_map_within(x, ink->width);
    size_t x1 = (size_t)ink_map_within(x + w, ink->width);
    size_t y0 = (size_t)ink_map_within(y, ink->height);
    size_t y1 = (size_t)ink_map_within(y + h, ink->height);
    double n = 0;
    *area = ((double)x1 - (double)x0) * ((double)y1 - (double)y0);
    for (size_t row = y0 + 1; row <= y1; row++)
        n += ink->sum[row * side + x1] - ink->sum[row * side + x0];
    return n;
}
