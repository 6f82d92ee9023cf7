/* rotate90.h - rotates a page by multiples of 90 degrees, and maps boxes
 * back. */
#ifndef STAGES_PIXELS_ROTATE90_H
#define STAGES_PIXELS_ROTATE90_H

#include "stages/document/box.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

/* Rotates *image clockwise by `quarters` (0 to 3) times 90 degrees. FAIL:
 * ERR_SYSTEM, and the image is unchanged. */
void rotate90_turn(struct image *image, int quarters, struct err *err);

/* Maps a box of the rotated page to the page before rotation. */
struct box rotate90_back(struct box turned, int quarters);

#endif
