/* separator_sheet.h - counts the marks on a page besides its codes, to tell a
 * separator sheet from a page with a sticker.
 *
 * Ink is grouped into connected components. One of up to 12 mm, such as a
 * letter, is one mark; a longer one is a mark for every 3.5 mm, and above 40 mm
 * for every 12 square mm of ink: a handwritten word is several, an image many.
 * Not counted are what the sheet and the scanner add: bars and rules (long and
 * thin), frames, specks below 0.8 mm or 0.4 mm2, shadows within 4 % of the
 * edge, and anything inside a QR code.
 */
#ifndef STAGES_CHILDREN_RASTER_SEPARATOR_SHEET_H
#define STAGES_CHILDREN_RASTER_SEPARATOR_SHEET_H

#include "stages/children/raster/barcodes.h"

/* grey: the page at 1/scale of its size; the codes' boxes are in pixels of the
 * full page. dpi of `grey`; 0: unknown, the longer side then counts as 297 mm.
 * FAIL: ERR_LIMIT, ERR_SYSTEM. */
int separator_sheet_count(const struct image *grey, double dpi,
                          const struct barcodes *codes, int scale,
                          struct err *err);

#endif
