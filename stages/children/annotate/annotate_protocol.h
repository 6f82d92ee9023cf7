/* annotate_protocol.h - what platen and platen-annotate tell each other, in messages of
 * stages/children/sandbox/frame.h. platen-annotate finds one ORDER on descriptor 3.
 *
 *   HELLO  (FAIL | PAGE)
 */
#ifndef STAGES_CHILDREN_ANNOTATE_ANNOTATE_PROTOCOL_H
#define STAGES_CHILDREN_ANNOTATE_ANNOTATE_PROTOCOL_H

#include <stdint.h>

#include "stages/children/sandbox/frame.h"

enum {
    MARK_MARKS_MAX = 2000, /* of a page */
    MARK_BOXES_MAX = 1 << 14,
    MARK_TEXT_MAX = 400, /* bytes of a name or a value */
    MARK_ONE = 1 << 20,  /* a page's side in a box */
    MARK_SIDE_MAX = 30000,
    MARK_PIXELS_MAX = 64 * 1000 * 1000 /* of a page, and of what comes back */
};

enum mark_level { MARK_SURE, MARK_DOUBT, MARK_WRONG, MARK_N_LEVEL };

enum mark_type {
    MARK_ORDER =
        FRAME_MARK, /* a: width, b: height, c: marks, d: boxes, e: bytes
                              * of text; then a * b pixels (RGB, rows from the
                              * top), c struct mark_note, d struct mark_box, and
                              * for each mark its name and its value */
    MARK_PAGE       /* a: width, b: height; then RGB pixels */
};

struct mark_note {
    uint32_t level; /* enum mark_level */
    uint32_t n_box; /* the next so many, 0 for what has no place */
    uint32_t n_name, n_value;
};

/* In MARK_ONE-ths of the page. */
struct mark_box {
    uint32_t x, y, w, h;
};

enum mark_status {
    MARK_NO_FONT,
    MARK_NO_ORDER, /* not what was agreed on */
    MARK_NO_MEMORY,
    MARK_N_STATUS
};

#endif
