/* deskew.h - measures and removes the skew of a page. */
#ifndef STAGES_PIXELS_DESKEW_H
#define STAGES_PIXELS_DESKEW_H

#include "vlm/base/image.h"

enum { DESKEW_DEGREES_MAX = 5 };

/* Degrees by which text slopes down to the right, to about 0.1; 0 if there
 * are no lines, or for more than 5 degrees. `thumbnail`: of the page. */
double deskew_measure(const struct image *thumbnail);

/* Rotates the page back by `degrees` about its centre (bicubic; uncovered areas
 * become white); the size is unchanged. Replaces *image. FAIL: ERR_SYSTEM. */
void deskew_turn(struct image *image, double degrees, struct err *err);

#endif
