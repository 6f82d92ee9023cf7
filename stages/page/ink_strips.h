/* ink_strips.h - where the lines of a page's print lie, and what stands on each.
 *
 * Lines may overlap: beside a text of two lines the other cells of a table's row are
 * often set in the middle. Such cells count to the upper line, as if they were set
 * at its height: a row then begins with them, as it does elsewhere.
 */
#ifndef STAGES_PAGE_INK_STRIPS_H
#define STAGES_PAGE_INK_STRIPS_H

#include <stdint.h>

#include "stages/page/lines.h"

struct ink_strip {
    int top, foot; /* pixels */
    uint8_t *own; /* of each column of pixels: 1, a cell of the line is there */
    int line;     /* of those given: the one that it is of */
};

struct ink_strips {
    struct ink_strip *strip; /* from the top */
    int n;
    int width, height;
    double letter; /* usual height of a letter */
};

/* `lines` of ink (lines.h); `width` and `height` are the picture's, in pixels; a gap
 * of `gap` letters' heights parts cells. Lives in the arena. */
void ink_strips_find(const struct lines *lines, int width, int height,
                     double gap, struct arena *arena, struct ink_strips *out);

/* Whether what is printed in the column of pixels, between top and foot of strip i,
 * is of another one that reaches there. */
bool ink_strips_is_others(const struct ink_strips *s, int i, int x);

#endif
