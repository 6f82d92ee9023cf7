/* jpeg_read.h - JPEG pictures inside a PDF that poppler decodes in part.
 *
 * poppler throws away what libjpeg says: a JPEG that ends early or is spoilt
 * in the middle is filled up with white or grey, and the page counts as drawn.
 * So two of libjpeg's functions of this program stand before libjpeg's own and
 * look at what came of each call.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_JPEG_READ_H
#define STAGES_CHILDREN_RASTER_PDF_JPEG_READ_H

#include <stdbool.h>

/* Finds libjpeg's own functions; call once, before the walls are up. */
void jpeg_read_prepare(void);

/* From now on calls are looked at (or no more); losses are forgotten. */
void jpeg_read_watch(bool on);

/* What is wrong with the first spoilt JPEG since; NULL: nothing. */
const char *jpeg_read_result(void);

/* Whether a scan is missing from a JPEG all of which was read, of which libjpeg says
 * nothing: it draws what there is. What is missing, or NULL. */
struct jpeg_decompress_struct;
const char *jpeg_read_missing(const struct jpeg_decompress_struct *cinfo);

#endif
