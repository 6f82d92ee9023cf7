/* rotate90.h - a page turned by quarters, and the way back. */
#ifndef STAGES_PAGE_ROTATE90_H
#define STAGES_PAGE_ROTATE90_H

#include "stages/page/box.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

/* Turns *image clockwise, `quarters` (0 to 3) times by 90 degrees. FAIL:
 * ERR_SYSTEM, the image stays as it was. */
void rotate90_turn(struct image *image, int quarters, struct err *err);

/* The box on the page before it was turned so. */
struct box rotate90_back(struct box turned, int quarters);

#endif
