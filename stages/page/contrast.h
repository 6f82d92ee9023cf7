/* contrast.h - a faint page as if it were printed well. */
#ifndef STAGES_PAGE_CONTRAST_H
#define STAGES_PAGE_CONTRAST_H

#include "stages/page/levels.h"
#include "vlm/base/image.h"

/* Spreads the levels of a picture: what is darkest of `levels`, its own or those of
 * a smaller copy, becomes black, and its paper white. Not where print is darker
 * than paper by `enough` levels as it is, nor where nothing is printed. */
enum { CONTRAST_ENOUGH = 100, CONTRAST_FULL = 255 };
void contrast_stretch(struct image *image, const struct levels *levels,
                      int enough);

#endif
