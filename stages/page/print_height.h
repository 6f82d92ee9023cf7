/* print_height.h - how high the letters are that are printed on a page. */
#ifndef STAGES_PAGE_PRINT_HEIGHT_H
#define STAGES_PAGE_PRINT_HEIGHT_H

#include "vlm/base/image.h"

/* The height of capitals and figures, in pixels of the picture (grey or RGB, dark
 * on light, standing straight): a quarter of the letters in lines are higher. 0
 * where there are no lines. FAIL: ERR_SYSTEM. */
double print_height(const struct image *page, struct err *err);

#endif
