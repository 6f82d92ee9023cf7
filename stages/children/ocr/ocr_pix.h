/* ocr_pix.h - a page as a picture of Leptonica. */
#ifndef STAGES_CHILDREN_OCR_OCR_PIX_H
#define STAGES_CHILDREN_OCR_OCR_PIX_H

#include <leptonica/allheaders.h>

#include "vlm/base/image.h"

/* A grey copy without a resolution. The caller frees it (pixDestroy). NULL: no
 * memory. */
static inline PIX *ocr_pix_of(const struct image *page)
{
    PIX *pix = pixCreateNoInit(page->width_px, page->height_px, 8);
    for (int y = 0; pix && y < page->height_px; y++) {
        l_uint32 *line = pixGetData(pix) + (size_t)y * (size_t)pixGetWpl(pix);
        const uint8_t *row = image_row(page, y);
        for (int x = 0; x < page->width_px; x++)
            SET_DATA_BYTE(line, x, row[x]);
    }
    return pix;
}

#endif
