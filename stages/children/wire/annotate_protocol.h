/* annotate_protocol.h - the messages between platen and platen-annotate
 * (stages/children/wire/frame.h). Descriptor 3 holds one ORDER.
 *
 *   HELLO  (FAIL | PAGE)
 */
#ifndef STAGES_CHILDREN_WIRE_ANNOTATE_PROTOCOL_H
#define STAGES_CHILDREN_WIRE_ANNOTATE_PROTOCOL_H

#include <stdint.h>

#include "stages/children/wire/frame.h"

enum {
    MARK_MARKS_MAX = 2000, /* of a page */
    MARK_BOXES_MAX = 1 << 14,
    MARK_TEXT_MAX = 400, /* bytes of a name or a value */
    MARK_ONE = 1 << 20,  /* a page's side, in a box */
    MARK_SIDE_MAX = 30000,
    MARK_PIXELS_MAX = 64 * 1000 * 1000 /* of a page, and of the result */
};

enum mark_level { MARK_SURE, MARK_DOUBT, MARK_WRONG, MARK_N_LEVEL };

enum mark_type {
    MARK_ORDER =
        FRAME_ANNOTATE, /* a: width, b: height, c: marks, d: boxes, e: bytes
                              * of text; then a * b pixels (RGB, rows from the
                              * top), c struct mark_note, d struct mark_box, and
                              * for each mark its name and its value */
    MARK_PAGE           /* a: width, b: height; then RGB pixels */
};

struct mark_note {
    uint32_t level; /* enum mark_level */
    uint32_t n_box; /* number of boxes, which follow in order; 0: no place */
    uint32_t n_name, n_value;
};

/* In MARK_ONE-ths of the page. */
struct mark_box {
    uint32_t x, y, w, h;
};

enum mark_status {
    MARK_NO_FONT,
    MARK_NO_ORDER, /* not a valid order */
    MARK_NO_MEMORY,
    MARK_N_STATUS
};

#endif
