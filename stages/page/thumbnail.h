/* thumbnail.h - a small grey copy of a page, to judge it by.
 *
 * Scan noise is averaged away, and looking at it costs a fraction of looking
 * at the page.
 */
#ifndef STAGES_PAGE_THUMBNAIL_H
#define STAGES_PAGE_THUMBNAIL_H

#include "vlm/base/image.h"

/* Block means of the page, a million pixels at most or the longer side 1,000 px,
 * whichever is finer. FAIL: ERR_SYSTEM. */
struct image thumbnail_new(const struct image *page, struct err *err);

/* Whether there is nothing but paper: one grey, light that changes gently, even
 * noise, single specks, a scanner's dark edge. A line
 * of text at 3 % contrast, a short word, a photograph without an edge are more
 * than paper. */
bool thumbnail_blank(const struct image *glance);

/* The same of a piece of it that is to be cut off: a single figure is more than
 * paper, and so are some specks. */
bool thumbnail_unmarked(const struct image *piece);

#endif
