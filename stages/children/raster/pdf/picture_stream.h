/* picture_stream.h - the part of a picture's file that a PDF can hold as it is,
 * so that it neither grows nor loses anything. */
#ifndef STAGES_CHILDREN_RASTER_PDF_PICTURE_STREAM_H
#define STAGES_CHILDREN_RASTER_PDF_PICTURE_STREAM_H

#include <stdbool.h>

#include "vlm/base/buf.h"
#include "vlm/base/span.h"

struct picture_stream {
    struct span bytes; /* of the file, or of `made` */
    struct buf made;
    const char *filter;      /* of PDF */
    int width_px, height_px; /* as stored */
    int n_colour;            /* 1 or 3; 4: CMYK as Adobe stores it */
    int orientation;         /* as in EXIF, 1 to 8 */
};

/* Looks for it: a JPEG file, JPEG 2000 with 8 bits of grey or RGB, or the JPEG
 * of page `number` of a TIFF, whose strips are joined. False if there is none;
 * else the caller frees it. */
bool picture_stream_find(struct span file, int number,
                         struct picture_stream *out);

/* Leaves it empty; not after a false. */
void picture_stream_free(struct picture_stream *stream);

#endif
