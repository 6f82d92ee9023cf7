/* text_layer_read.h - the text layer of a PDF page as words.
 *
 * LIFE  text_layer_read .. text_layer_read_free; an empty one is all zero.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_TEXT_LAYER_READ_H
#define STAGES_CHILDREN_RASTER_PDF_TEXT_LAYER_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "stages/children/wire/packed_words.h"

/* Reads the words of a page within its crop box, rotated as displayed, in
 * poppler's order, including invisible text (a scan's). Ligatures are spelt
 * out; a soft hyphen becomes a hyphen at a word's end and is dropped elsewhere;
 * control and direction marks are dropped; right-to-left words are in reading
 * order.
 *
 * `drawn`: the text of the page as drawn, width_px x height_px; NULL: none is
 * visible. A word is hidden if one of its characters is not visible, or if it is
 * too small to be read. Of two that overlap it is unknown which one can be read:
 * both are covered; of two equal ones (bold, a shadow) one is hidden. */
struct _PopplerPage;
struct visible_glyphs;
void text_layer_read(struct _PopplerPage *page,
                     const struct visible_glyphs *drawn, int width_px,
                     int height_px, struct text_layer *layer);

/* Frees the memory and makes it empty. */
void text_layer_read_free(struct text_layer *layer);

#endif
