/* exif.h - the orientation of a photograph from its EXIF block. */
#ifndef STAGES_CHILDREN_RASTER_PICTURE_EXIF_H
#define STAGES_CHILDREN_RASTER_PICTURE_EXIF_H

#include "vlm/base/span.h"

/* Orientation 1 to 8 in the first directory of a TIFF structure (with or
 * without a leading "Exif\0\0"); 0 if it is missing or invalid, or the
 * structure is malformed. Reads no byte outside `block`. (EXIF 2.3, 4.6) */
int exif_orientation(struct span block);

/* The same for an EXIF block written as text, as ImageMagick stores it in PNG
 * files ("Raw profile type exif"): a line feed, a name, the block's size in
 * decimal, and its bytes in hexadecimal, separated by blanks. */
int exif_orientation_of_text(struct span text);

#endif
