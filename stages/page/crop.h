/* crop.h - removes blank paper from a page.
 *
 * The page is divided into horizontal and vertical bands. A band of only paper
 * (thumbnail.h) between bands that are also paper is removed: margins on all
 * sides, and empty horizontal bands, whose gap is closed, if at least half of the
 * page is removed that way (CROP_KEPT_MOST); else, with `margins`, those, if they are
 * a tenth of it. The rest is shown at the scale of the whole page: margins cost a model as
 * much as print.
 *
 * Example: a receipt of 80 x 120 mm in the upper left corner of an A4 sheet,
 * with a line of print at its foot. The columns right of the receipt and its
 * margin are removed as far as the line at the foot does not reach; of the rows
 * between the two only a band below the receipt and one above the line are
 * kept.
 */
#ifndef STAGES_PAGE_CROP_H
#define STAGES_PAGE_CROP_H

#include "stages/document/document.h"
#include "vlm/base/image.h"

/* Decides which part of the page to show; `thumbnail`: of the page. Gaps between
 * print are closed if no more than the share `kept_most` is left. n_band 0: all
 * of the page. FAIL: ERR_SYSTEM. */
#define CROP_KEPT_MOST 0.5
struct page_shown crop_find(const struct image *thumbnail, double kept_most,
                            bool margins, struct err *err);

/* Replaces *image by the part that is shown. FAIL: ERR_SYSTEM. */
void crop_cut(struct image *image, const struct page_shown *shown,
              struct err *err);

/* Adds white at the right and bottom, up to the given size, and updates
 * `shown`. FAIL: ERR_SYSTEM. */
void crop_widen(struct image *image, int width_px, int height_px,
                struct page_shown *shown, struct err *err);

/* Maps a box of the cropped image to the page (before deskewing), and back. */
struct box crop_to_page(const struct page_shown *shown, struct box prepared);
struct box crop_from_page(const struct page_shown *shown, struct box page);

#endif
