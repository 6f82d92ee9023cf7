/* visible_glyphs.h - which characters of a PDF page are visible.
 *
 * The text layer includes text that nobody can see: without ink, as light as
 * the paper, clipped, or under an area or an image. So a page with text is
 * drawn a second time without it. A glyph is visible where the two drawings
 * differ.
 *
 * For this, the program overrides the functions through which poppler draws
 * text (the dynamic linker finds its own first).
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_VISIBLE_GLYPHS_H
#define STAGES_CHILDREN_RASTER_PDF_VISIBLE_GLYPHS_H

#include <stdbool.h>

#include <cairo.h>

#include "vlm/base/image.h"

/* The sides of an area, in pixels of the page. */
struct drawn_box {
    double left, top, right, bottom;
};

struct visible_glyphs;

/* Finds cairo's own functions; call once, before entering the sandbox. */
void visible_glyphs_prepare(void);

/* Starts counting the glyphs drawn. */
void visible_glyphs_count(void);

/* Whether text was drawn since visible_glyphs_count. */
bool visible_glyphs_any(void);

/* For a page of this size without visible text. The caller frees it. NULL for
 * lack of memory. */
struct visible_glyphs *visible_glyphs_new(int width_px, int height_px);
void visible_glyphs_free(struct visible_glyphs *text); /* NULL is fine */

/* Leaves text out of what is drawn on cr from now on, and records it; NULL for
 * cr: text is drawn again. */
void visible_glyphs_omit(struct visible_glyphs *text, cairo_t *cr);

/* Finds which of the recorded glyphs are visible, from the page as it is and as
 * drawn on `without`. */
void visible_glyphs_compare(struct visible_glyphs *text,
                            const struct image *page, cairo_surface_t *without);

/* Whether the glyph in the box of a character is visible; `ink`: the box of its
 * ink. Print across it that is much smaller or larger is not its glyph. */
bool visible_glyphs_shows(const struct visible_glyphs *text,
                          const struct drawn_box *character,
                          struct drawn_box *ink);

#endif
