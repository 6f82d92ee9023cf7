/* separator_sheet.h - how much stands on a page besides its codes: is it a separator
 * sheet, or a page with a sticker?
 *
 * Ink is put together to connected spots. Up to 12 mm long, as letters are, a
 * spot is one mark; above, one for every 3.5 mm, and above 40 mm for every
 * 12 square mm of ink: words written by hand are several, pictures many. Not counted are what a sheet and a scanner's glass bring
 * along: bars and rules (long and thin), frames, specks below 0.8 mm or 0.4 mm2, shadows
 * within 4 % of the edge, and what lies inside a QR code.
 */
#ifndef STAGES_CHILDREN_RASTER_SEPARATOR_SHEET_H
#define STAGES_CHILDREN_RASTER_SEPARATOR_SHEET_H

#include "stages/children/raster/barcodes.h"

/* grey: the page at 1/scale of its size, while the codes' boxes are in pixels of
 * the page. dpi of `grey`; 0: unknown, and its longer side is taken for 297 mm.
 * FAIL: ERR_LIMIT, ERR_SYSTEM. */
int separator_sheet_count(const struct image *grey, double dpi,
                          const struct barcodes *codes, int scale,
                          struct err *err);

#endif
