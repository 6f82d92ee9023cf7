/* glyph_boxes.h - the print of a page, cut into pieces that a small model reads.
 *
 * A cell is what stands together on a line: a line is parted where a gap is wider
 * than its print is high. Its picture has print of one height, on white, with
 * sides that are whole visual tokens. A model that was taught single lines reads
 * a column of them far worse than each, and a line with a wide gap worse than
 * what stands left and right of it (vlm/train/MODEL_CARD.md, "Real print").
 */
#ifndef STAGES_PAGE_CELLS_H
#define STAGES_PAGE_CELLS_H

#include "stages/print/words.h"
#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

struct print_cell {
    double x, y, w, h;  /* in pixels of the page, its ink */
    double left, right; /* as far it may be shown: half way to its neighbours */
};

struct glyph_boxes {
    struct print_cell *cell; /* by lines from the top, each from the left */
    int n_cell;
    double usual; /* height of a line, pixels */
    double pitch; /* from one letter to the next, pixels; 0: not known */
};

/* The cells of a page, grey or RGB, dark on light, standing straight. A line
 * wider than `widest` times its height is parted at its widest gaps. All of the
 * result lives in the arena. */
void glyph_boxes_find(const struct image *page, double widest,
                      struct arena *arena, struct glyph_boxes *out);

/* How a cell is drawn: print of a usual line becomes `height_px` high, and its
 * letters `pitch_px` apart; 0: as wide as they are. */
struct cell_style {
    double height_px, pitch_px;
    int grid, least_width_px;
};

/* The picture of one cell, RGB, the caller's. FAIL: as image_new. */
struct image glyph_boxes_draw(const struct image *page,
                              const struct glyph_boxes *cells,
                              const struct print_cell *cell,
                              const struct cell_style *style, struct err *err);

#endif
