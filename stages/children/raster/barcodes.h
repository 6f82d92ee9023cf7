/* barcodes.h - reads the bar codes on a page; the only user of libzbar.
 *
 * Only symbologies that can hold a word are read: Code 128, Code 39, Code 93
 * and QR. Others hold only digits, or are easily detected where there are none.
 */
#ifndef STAGES_CHILDREN_RASTER_BARCODES_H
#define STAGES_CHILDREN_RASTER_BARCODES_H

#include "stages/children/wire/raster_protocol.h"
#include "vlm/base/image.h"

struct code {
    char text[FRAME_TEXT_MAX + 1]; /* printable ASCII */
    int x, y, width, height;       /* box in pixels of the page; of both copies
                                     * if a bar code is printed twice; empty if
                                     * hardly any scan line could be read */
    bool is_square;                /* QR: the box covers the whole code */
};

struct barcodes {
    struct code code[RASTER_CODE_MAX]; /* further ones are dropped */
    int n;
    int marks;  /* other marks on the page; separator_sheet.h */
    bool blank; /* nothing but paper by the rules for cropping;
                 * pixels/thumbnail.h */
};

/* Reads a grey or RGB page at full and at half scale: fine bars need the
 * former; noise, faint print and coarse bars the latter. dpi: 0 for unknown.
 * FAIL: ERR_SYSTEM, ERR_LIMIT. */
void barcodes_read(const struct image *page, double dpi, struct barcodes *out,
                   struct err *err);

#endif
