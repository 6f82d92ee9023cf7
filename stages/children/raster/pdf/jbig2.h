/* jbig2.h - whether a JBIG2 stream of a PDF is whole, by its segments. */
#ifndef STAGES_CHILDREN_RASTER_PDF_JBIG2_H
#define STAGES_CHILDREN_RASTER_PDF_JBIG2_H

#include <stddef.h>
#include <stdint.h>

/* What is wrong with it, or NULL: a segment that is cut, no region at all, one
 * in MMR, which poppler draws wrongly. Arithmetic codes are not decoded. */
const char *jbig2_check(const uint8_t *bytes, size_t size);

#endif
