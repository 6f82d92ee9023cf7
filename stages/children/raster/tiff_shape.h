/* tiff_shape.h - the pixel format of a TIFF page, from its tags. */
#ifndef STAGES_CHILDREN_RASTER_TIFF_SHAPE_H
#define STAGES_CHILDREN_RASTER_TIFF_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include <tiffio.h>

/* The current page. */
struct tiff_shape {
    uint32_t width, height;
    int photometric, compression, planar, orientation;
    int bits, n_sample, format;
    int n_colour;    /* of the result: 1 or 3 */
    int n_used;      /* samples of a pixel that are used */
    bool alpha;      /* the last of these is alpha */
    bool associated; /* colours are already multiplied by alpha */
    bool separate;   /* one plane per sample */
    int repeat;      /* copies of each row; see tiff_shape_square_up */
    uint16_t *map[3];
};

/* Reads the tags of the current directory; the rest of *s is zero. Nothing is
 * checked: sizes and types are as in the file. */
void tiff_shape_read(TIFF *tiff, struct tiff_shape *s);

/* Whether the page can be read as rows of samples; sets the members needed for
 * it (n_colour, n_used, alpha, map). If not, only libtiff's RGBA interface is
 * left. JPEG in YCbCr is set to be delivered as RGB. */
bool tiff_shape_plan_rows(TIFF *tiff, struct tiff_shape *s);

/* Converts the colour map, owned by libtiff, to 8 bits in place. */
void tiff_shape_narrow_map(struct tiff_shape *s);

/* The horizontal resolution; 0 if the file does not say. */
double tiff_shape_dpi(TIFF *tiff);

/* Fax pages often have pixels twice as high as wide (204 x 98 dpi). Sets how
 * often each row is repeated, and returns the height in square pixels. */
int tiff_shape_square_up(TIFF *tiff, struct tiff_shape *s);

#endif
