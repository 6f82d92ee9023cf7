/* glyphless_text.h - an invisible text layer as parts of a PDF: the content of a
 * page, the font without shapes that it is set in, and what its codes mean.
 *
 * The words of a line have one height and one baseline, by which readers know a
 * line; each is stretched to the width of its box. On a line that slopes they
 * are steps. Characters get the codes 2, 3, ... in the order of their first use;
 * code 1 is a space without width, which ends each word. All are half as wide as
 * high.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_GLYPHLESS_TEXT_H
#define STAGES_CHILDREN_RASTER_PDF_GLYPHLESS_TEXT_H

#include <stdint.h>

#include "stages/document/words.h"
#include "vlm/base/buf.h"

enum {
    GLYPHLESS_TEXT_WIDTH = 500, /* of a character, in 1/1000 of the font size */
    GLYPHLESS_TEXT_ASCENT =
        800, /* of the font, likewise; with the descent: 1000 */
    GLYPHLESS_TEXT_DESCENT = -200
};

/* The visible area of a page in user space, and by how many degrees it is
 * rotated clockwise so that the words are upright: 0, 90, 180 or 270. */
struct glyphless_frame {
    double x0, y0, x1, y1;
    int rotate;
};

/* The characters of a document and their codes. */
struct glyphless_codes {
    uint16_t *code_of;   /* by character; 0: none yet */
    uint32_t *character; /* by code */
    uint32_t n;          /* codes in use, including 0 and 1 */
};

/* Only the space; the caller frees them. */
struct glyphless_codes glyphless_text_codes(void);
/* Leaves them empty. */
void glyphless_text_free(struct glyphless_codes *codes);

/* Appends the content of a page: its words (words->skew_degrees is the slope of
 * their lines), in the font named `font`. A character for which no code is left
 * (65,000 are in use) is left out. */
void glyphless_text_content(const struct words *words,
                            const struct glyphless_frame *frame,
                            const char *font, struct glyphless_codes *codes,
                            struct buf *out);

/* Appends the CMap from codes to characters (ToUnicode). */
void glyphless_text_map(const struct glyphless_codes *codes, struct buf *out);

/* Appends the font: TrueType with two glyphs that draw nothing. */
void glyphless_text_font(struct buf *out);

#endif
