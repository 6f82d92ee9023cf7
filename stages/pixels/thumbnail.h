/* thumbnail.h - a small grey copy of a page, for fast analysis.
 *
 * Averaging removes scan noise, and the copy is cheaper to analyse than the
 * page.
 */
#ifndef STAGES_PIXELS_THUMBNAIL_H
#define STAGES_PIXELS_THUMBNAIL_H

#include "vlm/base/image.h"

/* Block means of the page: at most a million pixels, or 1,000 px on the longer
 * side, whichever is finer. FAIL: ERR_SYSTEM. */
struct image thumbnail_new(const struct image *page, struct err *err);

/* Whether it shows only paper: one grey, slowly changing light, even noise,
 * single specks, a scanner's dark edge. A line of text at 3 % contrast, a short
 * word or a photograph without edges is more than paper. */
bool thumbnail_blank(const struct image *thumbnail);

/* The same for a piece that is to be cropped, more strictly: a single figure or
 * a few specks are more than paper. */
bool thumbnail_unmarked(const struct image *piece);

#endif
