/* orient.h - turns and mirrors a picture as its orientation tag wants it. */
#ifndef STAGES_CHILDREN_RASTER_ORIENT_H
#define STAGES_CHILDREN_RASTER_ORIENT_H

#include "vlm/base/image.h"

/* orientation as in EXIF and TIFF: 1 nothing, 2 mirrored, 3 half a turn, 4
 * upside down, 5 transposed, 6 needs a turn clockwise, 7 transversed, 8 needs
 * one anticlockwise; any other value is taken for 1. Replaces *image.
 * FAIL: ERR_SYSTEM. */
void orient_turn(struct image *image, int orientation, struct err *err);

#endif
