/* deskew.h - measures and removes the skew of a page. */
#ifndef STAGES_PIXELS_DESKEW_H
#define STAGES_PIXELS_DESKEW_H

#include "vlm/base/image.h"

enum { DESKEW_DEGREES_MAX = 25 };

/* Degrees by which text slopes down to the right, to about 0.1; 0 if there are
 * no lines. More than 5 degrees, up to 25, are found only if the page is print
 * and nothing on it is straight. `thumbnail`: of the page. */
double deskew_measure(const struct image *thumbnail);

/* Rotates the page back by `degrees` about its centre (bicubic; uncovered areas
 * become white). Its sides grow by deskew_growth. Replaces *image. FAIL:
 * ERR_SYSTEM. */
void deskew_turn(struct image *image, double degrees, struct err *err);

/* The factor by which both sides of a page of this aspect (width / height) grow,
 * so that its corners stay on it: 1 up to 5 degrees, whose corners are margins. */
double deskew_growth(double aspect, double degrees);

#endif
