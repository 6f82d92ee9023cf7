/* glyph_boxes.h - cuts the print of a page into cells for a small model.
 *
 * A cell is a piece of a line without gaps wider than the print is high. Its
 * picture has print of a fixed height, on white, with sides of whole visual
 * tokens. A model trained on single lines reads a column of lines far worse
 * than each line, and a line with a wide gap worse than its halves
 * (vlm/train/MODEL_CARD.md, "Real print").
 */
#ifndef STAGES_FALLBACK_GLYPH_BOXES_H
#define STAGES_FALLBACK_GLYPH_BOXES_H

#include "stages/document/words.h"
#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"

struct print_cell {
    double x, y, w, h;  /* bounding box of its ink, in pixels of the page */
    double left, right; /* limits of its picture: half way to its neighbours */
};

struct glyph_boxes {
    struct print_cell *cell; /* by line from the top, in a line from the left */
    int n_cell;
    double usual; /* median height of a line, pixels */
    double pitch; /* median distance of letters, pixels; 0: unknown */
};

/* Finds the cells of a page, grey or RGB, dark on light, deskewed. A line wider
 * than `widest` times its height is cut at its widest gaps. The result is in
 * the arena. */
void glyph_boxes_find(const struct image *page, double widest,
                      struct arena *arena, struct glyph_boxes *out);

/* Style of a cell's picture: a line of median height becomes height_px high,
 * its letters are pitch_px apart; pitch_px 0: unchanged width. */
struct cell_style {
    double height_px, pitch_px;
    int grid, least_width_px;
};

/* Draws one cell, RGB; the caller frees it. FAIL: as image_new. */
struct image glyph_boxes_draw(const struct image *page,
                              const struct glyph_boxes *cells,
                              const struct print_cell *cell,
                              const struct cell_style *style, struct err *err);

#endif
