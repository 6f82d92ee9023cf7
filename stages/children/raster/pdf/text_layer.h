/* text_layer.h - the words that a PDF page holds beside its drawing.
 *
 * LIFE  text_layer_read .. text_layer_free; an empty one is all zero.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_TEXT_LAYER_H
#define STAGES_CHILDREN_RASTER_PDF_TEXT_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "stages/children/packed_words.h"

struct text_layer {
    struct packed_word *word;
    uint32_t n_word, n_byte;
    char *byte;       /* the words' texts one behind the other, without NULs */
    uint32_t picture; /* thousandths of the page that pictures cover */
    bool cut; /* there were more than PACKED_WORDS_MAX or _WORD_TEXT_MAX */
};

/* How much of the page pictures cover, and the words of a PopplerPage within its crop box, turned as it is displayed,
 * in poppler's order; invisible text (a scan's) included. Ligatures are spelt
 * out, a soft hyphen at a word's end is a hyphen and nothing elsewhere, control
 * and direction marks are left out; right-to-left words stand in the order in
 * which they are read. */
struct _PopplerPage;
void text_layer_read(struct _PopplerPage *page, struct text_layer *layer);

/* Gives the memory back and leaves it empty. */
void text_layer_free(struct text_layer *layer);

#endif
