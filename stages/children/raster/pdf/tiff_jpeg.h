/* tiff_jpeg.h - the JPEG of a TIFF's page. */
#ifndef STAGES_CHILDREN_RASTER_PDF_TIFF_JPEG_H
#define STAGES_CHILDREN_RASTER_PDF_TIFF_JPEG_H

#include "vlm/base/buf.h"
#include "vlm/base/span.h"

/* Appends page `number` (from 1) as a JPEG file, without decoding it: its strips
 * become the parts of one scan between restart markers, as tiff2pdf does it, and
 * common tables are inserted. Returns its orientation, 1 to 8; 0: it is no JPEG
 * of grey or colour, or its strips cannot be joined. */
int tiff_jpeg_join(struct span file, int number, struct buf *out);

#endif
