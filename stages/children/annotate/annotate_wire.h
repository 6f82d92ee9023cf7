/* annotate_wire.h - the child's side of annotate_protocol.h. Any failure to
 * write ends the process; if the parent has gone, SIGPIPE does. */
#ifndef STAGES_CHILDREN_ANNOTATE_ANNOTATE_WIRE_H
#define STAGES_CHILDREN_ANNOTATE_ANNOTATE_WIRE_H

#include "stages/children/annotate/annotate_draw.h"

/* A parsed order. */
struct mark_sheet {
    struct image page;
    struct mark_item *mark;
    int n_mark;
};

/* Reads the order; its memory lives until the process ends. False: invalid. */
bool annotate_wire_order(struct mark_sheet *s);

/* Sends the picture, 32 bits per pixel, as the last message. */
void annotate_wire_picture(cairo_surface_t *surface);

/* Sends why there is no picture, as the last message. */
void annotate_wire_fail(enum mark_status status);

#endif
