/* jpeg_read.h - detects JPEG images in a PDF that poppler decodes only in part.
 *
 * poppler ignores libjpeg's warnings: a JPEG that ends early or is damaged in
 * the middle is filled with white or grey, and the page counts as drawn. So
 * this program overrides two of libjpeg's functions and checks the result of
 * each call.
 */
#ifndef STAGES_CHILDREN_RASTER_PICTURE_JPEG_READ_H
#define STAGES_CHILDREN_RASTER_PICTURE_JPEG_READ_H

#include <stdbool.h>

/* Finds libjpeg's own functions; call once, before entering the sandbox. */
void jpeg_read_prepare(void);

/* Starts or stops checking calls, and forgets losses. */
void jpeg_read_watch(bool on);

/* What is wrong with the first damaged JPEG since then; NULL: nothing. */
const char *jpeg_read_result(void);

/* Returns which scan is missing from a JPEG that was read completely, or NULL.
 * libjpeg does not report it: it draws the scans it has. */
struct jpeg_decompress_struct;
const char *jpeg_read_missing(const struct jpeg_decompress_struct *cinfo);

#endif
