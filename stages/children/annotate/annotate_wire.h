/* annotate_wire.h - the child's side of annotate_protocol.h. A parent that has gone ends
 * the process (SIGPIPE), and so does any other failure to write. */
#ifndef STAGES_CHILDREN_ANNOTATE_ANNOTATE_WIRE_H
#define STAGES_CHILDREN_ANNOTATE_ANNOTATE_WIRE_H

#include "stages/children/annotate/annotate_draw.h"

/* What came, taken apart. */
struct mark_sheet {
    struct image page;
    struct mark_item *mark;
    int n_mark;
};

/* The order; its memory ends with the process. False where what comes is none. */
bool annotate_wire_order(struct mark_sheet *s);

/* The picture, an image of 32 bits a pixel: the last message. */
void annotate_wire_picture(cairo_surface_t *surface);

/* Why there is none: the last message. */
void annotate_wire_fail(enum mark_status status);

#endif
