/* jbig2.h - checks whether the segments of a PDF's JBIG2 stream are
 * complete. */
#ifndef STAGES_CHILDREN_RASTER_PDF_JBIG2_H
#define STAGES_CHILDREN_RASTER_PDF_JBIG2_H

#include <stddef.h>
#include <stdint.h>

/* Returns what is wrong, or NULL: a truncated segment, no region at all, a
 * region in MMR, which poppler draws wrongly. Arithmetic codes are not
 * decoded. */
const char *jbig2_check(const uint8_t *bytes, size_t size);

#endif
