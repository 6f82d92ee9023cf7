/* barcodes.h - the bar codes on a page; the only user of libzbar.
 *
 * Looked for are the symbologies that can hold a word: Code 128, Code 39,
 * Code 93 and QR. Others are digits alone, or easily seen where there are none.
 */
#ifndef STAGES_CHILDREN_RASTER_BARCODES_H
#define STAGES_CHILDREN_RASTER_BARCODES_H

#include "stages/children/raster/raster_protocol.h"
#include "vlm/base/image.h"

struct code {
    char text[FRAME_TEXT_MAX + 1]; /* printable ASCII */
    int x, y, width, height;       /* where it was seen, in pixels of the page;
                                     * of a bar code that stands twice: of both;
                                     * without a size where hardly any line of
                                     * it could be read */
    bool is_square;                /* QR: the box holds all of it */
};

struct barcodes {
    struct code code[RASTER_CODE_MAX]; /* further ones are left out */
    int n;
    int marks;  /* what else is on the page; separator_sheet.h */
    bool blank; /* there is nothing but paper, as if it were to be cut off;
                 * page/thumbnail.h */
};

/* Reads the page (grey or RGB) at its own scale and at half of it: fine bars
 * need the one, and noise, faint print and coarse bars the other. dpi: 0 for
 * unknown. FAIL: ERR_SYSTEM, ERR_LIMIT. */
void barcodes_read(const struct image *page, double dpi, struct barcodes *out,
                   struct err *err);

#endif
