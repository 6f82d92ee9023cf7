/* tiff_shape.h - what the tags of a TIFF page say of its pixels. */
#ifndef STAGES_CHILDREN_RASTER_TIFF_SHAPE_H
#define STAGES_CHILDREN_RASTER_TIFF_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include <tiffio.h>

/* The present page. */
struct tiff_shape {
    uint32_t width, height;
    int photometric, compression, planar, orientation;
    int bits, n_sample, format;
    int n_colour;    /* of the result: 1 or 3 */
    int n_used;      /* samples of a pixel that are looked at */
    bool alpha;      /* the last used one is alpha */
    bool associated; /* colours have been multiplied by it */
    bool separate;   /* one plane a sample */
    int repeat;      /* how often a row is given on; see tiff_shape_square_up */
    uint16_t *map[3];
};

/* Reads the tags of the present directory; the rest of *s is zero. Nothing is
 * checked: sizes and kinds are the file's. */
void tiff_shape_read(TIFF *tiff, struct tiff_shape *s);

/* Whether the page can be read by rows of samples; sets what the reading needs
 * (n_colour, n_used, alpha, map). Otherwise only libtiff's RGBA reader is left.
 * JPEG in YCbCr is told to come as RGB. */
bool tiff_shape_plan_rows(TIFF *tiff, struct tiff_shape *s);

/* Brings the colour map, which is libtiff's, to 8 bits, in place. */
void tiff_shape_narrow_map(struct tiff_shape *s);

/* Of the width; 0 where the file does not say. */
double tiff_shape_dpi(TIFF *tiff);

/* Fax pages have pixels that are not square, most often twice as high as wide
 * (204 x 98 dpi). Sets how often each row is repeated, and gives the height in
 * square pixels. */
int tiff_shape_square_up(TIFF *tiff, struct tiff_shape *s);

#endif
