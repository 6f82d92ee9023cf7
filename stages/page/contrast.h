/* contrast.h - a faint page as if it were printed well. */
#ifndef STAGES_PAGE_CONTRAST_H
#define STAGES_PAGE_CONTRAST_H

#include "vlm/base/image.h"

/* The level that `share` of the picture's bytes do not reach, 0..255. */
int contrast_level(const struct image *image, double share);

/* Spreads the levels of a picture: what is darkest of `like`, the same picture
 * or a smaller copy, becomes black, and its paper white. Not where print is
 * darker than paper by `enough` levels as it is, nor where nothing is printed. */
enum { CONTRAST_ENOUGH = 100, CONTRAST_FULL = 255 };
void contrast_stretch(struct image *image, const struct image *like,
                      int enough);

#endif
