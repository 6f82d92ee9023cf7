/* rotate90.c - see rotate90.h. */
#include "stages/pixels/rotate90.h"

#include <string.h>

/* Where a row of the result begins on the page, and the step to its next
 * pixel. */
struct rotate90_row {
    ptrdiff_t first, step;
};

static struct rotate90_row walk_of(const struct image *page, int quarters,
                                   int row)
{
    ptrdiff_t pixel = page->n_channel, line = (ptrdiff_t)page->stride_bytes;
    ptrdiff_t foot = line * (page->height_px - 1);
    ptrdiff_t right = pixel * (page->width_px - 1);
    switch (quarters) {
    case 1: return (struct rotate90_row){foot + pixel * row, -line};
    case 2: return (struct rotate90_row){foot - line * row + right, -pixel};
    default: return (struct rotate90_row){right - pixel * row, line};
    }
}

void rotate90_turn(struct image *image, int quarters, struct err *err)
{
    if (err_failed(err) || quarters < 1) return;
    bool side = quarters != 2;
    struct image out = image_new(side ? image->height_px : image->width_px,
                                 side ? image->width_px : image->height_px,
                                 image->n_channel, err);
    if (err_failed(err)) return;
    size_t n = (size_t)image->n_channel;
    for (int y = 0; y < out.height_px; y++) {
        struct rotate90_row w = walk_of(image, quarters, y);
        const uint8_t *from = image->data + w.first;
        uint8_t *to = image_row(&out, y);
        for (int x = 0; x < out.width_px; x++, to += n)
            memcpy(to, from + w.step * x, n);
    }
    image_free(image);
    *image = out;
}

struct box rotate90_back(struct box b, int quarters)
{
    switch (quarters) {
    case 1: return (struct box){b.y, 1 - b.x - b.w, b.h, b.w};
    case 2: return (struct box){1 - b.x - b.w, 1 - b.y - b.h, b.w, b.h};
    case 3: return (struct box){1 - b.y - b.h, b.x, b.h, b.w};
    default: return b;
    }
}
