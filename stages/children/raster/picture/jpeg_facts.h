/* jpeg_facts.h - what a PDF must say of a JPEG that it holds. */
#ifndef STAGES_CHILDREN_RASTER_PICTURE_JPEG_FACTS_H
#define STAGES_CHILDREN_RASTER_PICTURE_JPEG_FACTS_H

#include "vlm/base/err.h"
#include "vlm/base/span.h"

struct jpeg_facts {
    int width_px, height_px; /* as stored */
    int n_component;         /* 1, 3 or 4 */
    int orientation;         /* as in EXIF, 1 to 8 */
};

/* Reads the headers of a JPEG file. FAIL: [damaged]; [unsupported-image] if it
 * is not Huffman coded with 8 bits and 1, 3 or 4 colours, as PDF wants it. */
void jpeg_facts_read(struct span jpeg, struct jpeg_facts *out, struct err *err);

#endif
