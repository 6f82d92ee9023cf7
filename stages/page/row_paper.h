/* row_paper.h - how bright the paper is right beside each pixel of a row.
 *
 * What somebody marked with a pen is darker than the paper around it, and print on
 * it is darker still: there print is told by what is beside it, not by the page.
 */
#ifndef STAGES_PAGE_ROW_PAPER_H
#define STAGES_PAGE_ROW_PAPER_H

#include "vlm/base/image.h"

/* The brightest grey beside each pixel of row y, or its own: out[width_px], with
 * room behind it to work in, row_paper_room bytes in all. */
size_t row_paper_room(const struct image *picture);
void row_paper(const struct image *picture, int y, uint8_t *out);

#endif
