/* exif.h - which way up a photograph is, from its EXIF block. */
#ifndef STAGES_CHILDREN_RASTER_EXIF_H
#define STAGES_CHILDREN_RASTER_EXIF_H

#include "vlm/base/span.h"

/* Orientation 1 to 8 of the first directory of a TIFF structure (with or
 * without "Exif\0\0" in front); 0 when it has none, a wrong one, or is not
 * well-formed. Reads no byte outside `block`. (EXIF 2.3, 4.6) */
int exif_orientation(struct span block);

/* The same of an EXIF block written as text, as PNG files of ImageMagick have it
 * ("Raw profile type exif"): a line feed, a name, the block's size in decimal, and
 * its bytes in hexadecimal, with blanks between them. */
int exif_orientation_of_text(struct span text);

#endif
