/* glance.h - a small grey copy of a page, to judge it by.
 *
 * Scan noise is averaged away, and looking at it costs a fraction of looking
 * at the page.
 */
#ifndef STAGES_PAGE_GLANCE_H
#define STAGES_PAGE_GLANCE_H

#include "vlm/base/image.h"

/* Block means of the page, longer side at most 1,000 px. FAIL: ERR_SYSTEM. */
struct image glance_new(const struct image *page, struct err *err);

/* Whether nothing is written on it. Specks, an even tint, a shadow and what
 * lies within 3 % of an edge do not count; one faint line of text does. */
bool glance_blank(const struct image *glance);

#endif
