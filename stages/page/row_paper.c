/* row_paper.c - see row_paper.h. */
#include "stages/page/row_paper.h"

enum { REACH_SHARE = 80 /* of the width: about a letter */, REACH_LEAST = 6 };

static int reach_in(const struct image *picture)
{
    int reach = picture->width_px / REACH_SHARE;
    return reach > REACH_LEAST ? reach : REACH_LEAST;
}

size_t row_paper_room(const struct image *picture)
{
    return 3 * ((size_t)picture->width_px + 2 * (size_t)reach_in(picture));
}

static uint8_t brighter(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

/* Of spans of 2 reach + 1 pixels: what is brightest from a span's begin to each pixel,
 * and from each to its end; any such span is the end of one and the begin of the next
 * (van Herk; Gil and Werman). */
void row_paper(const struct image *picture, int y, uint8_t *out)
{
    int reach = reach_in(picture), span = 2 * reach + 1;
    int width = picture->width_px, n = width + 2 * reach;
    uint8_t *begin = out + n, *end = begin + n;
    for (int i = 0; i < n; i++) {
        int x = i - reach;
        uint8_t own = x < 0 || x >= width ? 0 : image_grey(picture, x, y);
        end[i] = own;
        begin[i] = i % span ? brighter(begin[i - 1], own) : own;
    }
    for (int i = n - 2; i >= 0; i--)
        if ((i + 1) % span) end[i] = brighter(end[i], end[i + 1]);
    for (int x = 0; x < width; x++)
        out[x] = brighter(end[x], begin[x + 2 * reach]);
}
