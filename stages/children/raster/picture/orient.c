/* orient.c - see orient.h. */
#include "stages/children/raster/picture/orient.h"

#include <string.h>

#include "stages/children/raster/picture/huge_pages.h"

/* Copies a row of the image to its new place: pixel x goes to out + x *
 * step. */
static void place_row(const uint8_t *row, int n, int n_channel, uint8_t *out,
                      ptrdiff_t step)
{
    for (int x = 0; x < n; x++, row += n_channel, out += step)
        for (int c = 0; c < n_channel; c++)
            out[c] = row[c];
}

void orient_turn(struct image *image, int orientation, struct err *err)
{
    if (err_failed(err) || orientation < 2 || orientation > 8) return;
    int w = image->width_px, h = image->height_px, ch = image->n_channel;
    bool swapped = orientation >= 5;
    struct image out = image_new(swapped ? h : w, swapped ? w : h, ch, err);
    if (err_failed(err)) return;
    huge_pages_advise(out.data, out.stride_bytes * (size_t)out.height_px);
    /* 2, 3, 7 and 8 count the source's x from the far end; 3, 4, 6 and 7 its
     * y. */
    bool back_x = orientation == 2 || orientation == 3 || orientation == 7 ||
                  orientation == 8;
    bool back_y = orientation == 3 || orientation == 4 || orientation == 6 ||
                  orientation == 7;
    ptrdiff_t along = swapped ? (ptrdiff_t)out.stride_bytes : ch;
    for (int y = 0; y < h; y++) {
        int to = back_y ? h - 1 - y : y;
        uint8_t *start =
            swapped ? out.data + (size_t)to * (size_t)ch : image_row(&out, to);
        if (back_x) start += along * (w - 1);
        place_row(image_row(image, y), w, ch, start, back_x ? -along : along);
    }
    image_free(image);
    *image = out;
}
