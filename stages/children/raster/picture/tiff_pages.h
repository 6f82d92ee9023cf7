/* tiff_pages.h - which directories of a TIFF are pages: all but thumbnails and
 * masks. */
#ifndef STAGES_CHILDREN_RASTER_PICTURE_TIFF_PAGES_H
#define STAGES_CHILDREN_RASTER_PICTURE_TIFF_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <tiffio.h>

enum { TIFF_PAGES_MAX = 1000 };

struct tiff_pages {
    toff_t offset[TIFF_PAGES_MAX]; /* of each page's directory */
    int n;
    bool broken;   /* the chain of directories ends with an error */
    bool too_many; /* directories: only the first were looked at */
};

/* From the current directory on. */
void tiff_pages_find(TIFF *tiff, struct tiff_pages *out);

#endif
