/* crop.h - what of a page is more than paper.
 *
 * The page is looked at in bands across and along. A band that is nothing but
 * paper (thumbnail.h), between bands that are the same, is left out: margins on all
 * sides, and empty bands across the page, which close up. Only where that leaves
 * half of the page out at least: a page that is full is shown as it is.
 *
 * Example: a receipt of 80 x 120 mm in the upper left corner of a sheet of A4, and
 * a line of print at its foot. The columns right of the receipt and its margin are
 * left out as far as the line at the foot does not reach, and the rows between the
 * two but for a band below the one and one above the other.
 */
#ifndef STAGES_PAGE_CROP_H
#define STAGES_PAGE_CROP_H

#include "stages/document.h"
#include "vlm/base/image.h"

/* Which part of the page (`glance`: its small grey copy) is to be shown;
 * n_band 0: all of it. FAIL: ERR_SYSTEM. */
struct page_shown crop_find(const struct image *glance, struct err *err);

/* Replaces *image by what is shown of it. FAIL: ERR_SYSTEM. */
void crop_cut(struct image *image, const struct page_shown *shown,
              struct err *err);

/* Puts white right of the picture and below it, up to the sides given; `shown`
 * becomes that of the larger one. FAIL: ERR_SYSTEM. */
void crop_widen(struct image *image, int width_px, int height_px,
                struct page_shown *shown, struct err *err);

/* A box of the picture on the page (before it was straightened), and the other
 * way round. */
struct box crop_to_page(const struct page_shown *shown, struct box prepared);
struct box crop_from_page(const struct page_shown *shown, struct box page);

#endif
