/* annotate_draw_page.h - a page with boxes around its values, and the values beside it.
 *
 * Values stand in two margins, each on the side of its box and as near to its
 * height as the others let it, with a line from one to the other. What has no
 * place on the page stands below, without a line. Colours are told apart by
 * those who see few, and by more than colour: sure is a whole line and a tick,
 * doubt a broken line and a question mark, wrong a thick line and a cross. */
#ifndef STAGES_CHILDREN_ANNOTATE_ANNOTATE_DRAW_H
#define STAGES_CHILDREN_ANNOTATE_ANNOTATE_DRAW_H

#include <cairo.h>
#include <stdbool.h>

#include "stages/children/annotate/annotate_protocol.h"
#include "stages/children/annotate/annotate_text.h"
#include "vlm/base/image.h"

struct mark_item {
    struct mark_note note;
    const struct mark_box *box; /* note.n_box of them */
    struct span name, value;
    bool cut; /* the value goes on; annotate_draw_page says so */
};

/* The picture, RGB24, to be destroyed; its status says whether there was memory.
 * Marks are put into the order in which they are drawn. */
cairo_surface_t *annotate_draw_page(const struct image *page,
                                    struct mark_item *mark, int n_mark,
                                    struct mark_fonts *fonts);

#endif
