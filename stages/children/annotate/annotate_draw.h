/* annotate_draw.h - draws boxes around a page's values and repeats the values
 * in the margins.
 *
 * Values are in two margins, each on the side of its box, as near to its height
 * as the others allow, and connected to it by a line. Values without a place
 * are below the page. Levels differ by colours that colour-blind people can
 * distinguish, and by more than colour: sure is a solid line and a tick, doubt
 * a broken line and a question mark, wrong a thick line and a cross. */
#ifndef STAGES_CHILDREN_ANNOTATE_ANNOTATE_DRAW_H
#define STAGES_CHILDREN_ANNOTATE_ANNOTATE_DRAW_H

#include <cairo.h>
#include <stdbool.h>

#include "stages/children/annotate/annotate_text.h"
#include "stages/children/wire/annotate_protocol.h"
#include "vlm/base/image.h"

struct mark_item {
    struct mark_note note;
    const struct mark_box *box; /* note.n_box of them */
    struct span name, value;
    bool cut; /* the value was cut; an ellipsis is drawn */
};

/* Returns an RGB24 surface, which the caller destroys; its status tells whether
 * memory sufficed. Sorts the marks into drawing order. */
cairo_surface_t *annotate_draw_page(const struct image *page,
                                    struct mark_item *mark, int n_mark,
                                    struct mark_fonts *fonts);

#endif
