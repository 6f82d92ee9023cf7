/* second_file.h - a second document behind the end of the first, in one file: what
 * draws the first never looks there.
 */
#ifndef STAGES_CHILDREN_RASTER_SECOND_FILE_H
#define STAGES_CHILDREN_RASTER_SECOND_FILE_H

#include "stages/input/file_type.h"

/* The type of what follows the end of this PDF, PNG, WebP, HEIC, AVIF, BMP or GIF
 * (JPEG 2000 and PNM count their pictures themselves); FILE_UNKNOWN: nothing,
 * or nothing that can be read. */
enum file_type second_file_type(struct span file);

#endif
