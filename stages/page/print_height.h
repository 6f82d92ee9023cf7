/* print_height.h - how high the letters are that are printed on a page. */
#ifndef STAGES_PAGE_PRINT_HEIGHT_H
#define STAGES_PAGE_PRINT_HEIGHT_H

#include "vlm/base/image.h"

/* The usual height of a letter, in pixels of the picture (grey or RGB, dark on
 * light, standing straight): half of the letters that stand in lines are higher.
 * 0 where there are no lines. FAIL: ERR_SYSTEM. */
double print_height(const struct image *page, struct err *err);

#endif
