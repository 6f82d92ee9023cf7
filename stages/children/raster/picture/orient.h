/* orient.h - rotates and mirrors an image according to its orientation tag. */
#ifndef STAGES_CHILDREN_RASTER_PICTURE_ORIENT_H
#define STAGES_CHILDREN_RASTER_PICTURE_ORIENT_H

#include "vlm/base/image.h"

/* Orientation as in EXIF and TIFF: 1 nothing, 2 mirrored, 3 rotated by 180
 * degrees, 4 upside down, 5 transposed, 6 needs a clockwise turn, 7
 * transversed, 8 needs an anticlockwise turn; any other value counts as 1.
 * Replaces *image. FAIL: ERR_SYSTEM. */
void orient_turn(struct image *image, int orientation, struct err *err);

#endif
