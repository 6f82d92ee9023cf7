/* contrast.h - raises the contrast of faint pages. */
#ifndef STAGES_PIXELS_CONTRAST_H
#define STAGES_PIXELS_CONTRAST_H

#include <stdbool.h>

#include "stages/pixels/levels.h"
#include "vlm/base/image.h"

enum { CONTRAST_ENOUGH = 100, CONTRAST_FULL = 255 };

/* Whether there is print, but less than `enough` levels darker than the
 * paper. */
bool contrast_is_faint(const struct levels *levels, int enough);

/* Stretches the levels of an image that is faint according to `levels` (its own
 * or those of a smaller copy): the darkest becomes black, the paper white. */
void contrast_stretch(struct image *image, const struct levels *levels,
                      int enough);

#endif
