/* contrast.h - a faint page as if it were printed well. */
#ifndef STAGES_PAGE_CONTRAST_H
#define STAGES_PAGE_CONTRAST_H

#include <stdbool.h>

#include "stages/page/levels.h"
#include "vlm/base/image.h"

enum { CONTRAST_ENOUGH = 100, CONTRAST_FULL = 255 };

/* Is something printed, and not darker than the paper by `enough` levels? */
bool contrast_is_faint(const struct levels *levels, int enough);

/* Spreads the levels of a picture that is faint by `levels`, its own or those of a
 * smaller copy: what is darkest of them becomes black, and the paper white. */
void contrast_stretch(struct image *image, const struct levels *levels,
                      int enough);

#endif
