/* picture_pack.h - pixels compressed as a PDF can hold them. */
#ifndef STAGES_CHILDREN_RASTER_PDF_PICTURE_PACK_H
#define STAGES_CHILDREN_RASTER_PDF_PICTURE_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "vlm/base/buf.h"
#include "vlm/base/image.h"

/* Appends a JPEG of grey or RGB pixels. False: it cannot be made. */
bool picture_pack_jpeg(const struct image *image, struct buf *out);

/* Appends lines of eight pixels a byte, 1 for white, as CCITT Group 4. False: it
 * cannot be made. */
bool picture_pack_fax(const uint8_t *bits, int width, int height,
                      struct buf *out);

#endif
