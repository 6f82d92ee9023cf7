/* deskew.h - by how much a page lies askew, and setting it straight. */
#ifndef STAGES_PAGE_DESKEW_H
#define STAGES_PAGE_DESKEW_H

#include "vlm/base/image.h"

enum { DESKEW_DEGREES_MAX = 5 };

/* Degrees by which text runs down to the right, -5 to 5, to about 0.1; 0
 * where there are no lines to go by. `glance` is the page's small copy. */
double deskew_measure(const struct image *glance);

/* Turns the page back by so many degrees about its centre (bicubic, white
 * where nothing was); the size stays. Replaces *image. FAIL: ERR_SYSTEM. */
void deskew_turn(struct image *image, double degrees, struct err *err);

#endif
