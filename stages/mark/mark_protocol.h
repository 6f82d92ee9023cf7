/* mark_protocol.h - what platen and platen-mark tell each other.
 *
 * platen-mark finds one order on descriptor 3 and behind it, without padding, the
 * page's pixels (RGB, rows from the top), the marks, their boxes and their texts,
 * for each mark its name and its value. It writes frames to descriptor 4
 * (stages/sandbox/sandbox.h):
 *
 *   HELLO  (FAIL | PAGE pixels)
 *
 * Both ends run on one machine from one build: integers are native. The parent
 * believes none of them before it has compared them with its limits.
 */
#ifndef STAGES_MARK_MARK_PROTOCOL_H
#define STAGES_MARK_MARK_PROTOCOL_H

#include <stdint.h>

enum {
    MARK_MAGIC = 0x314b4d50, /* "PMK1" */
    MARK_MARKS_MAX = 2000,   /* of a page */
    MARK_BOXES_MAX = 1 << 14,
    MARK_TEXT_MAX = 400, /* bytes of a name or a value */
    MARK_ONE = 1 << 20,  /* a page's side in a box */
    MARK_SIDE_MAX = 30000,
    MARK_PIXELS_MAX = 64 * 1000 * 1000 /* of a page, and of what comes back */
};

enum mark_level { MARK_SURE, MARK_DOUBT, MARK_WRONG, MARK_N_LEVEL };

struct mark_order {
    uint32_t magic, width, height;
    uint32_t n_mark, n_box, n_byte;
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

enum mark_kind {
    MARK_HELLO = 1, /* a: layers (sandbox.h), b: Landlock ABI */
    MARK_PAGE,      /* a: width, b: height; then RGB pixels */
    MARK_FAIL       /* a: enum mark_status */
};

enum mark_status {
    MARK_NO_SANDBOX,
    MARK_NO_FONT,
    MARK_NO_ORDER, /* not what was agreed on */
    MARK_NO_MEMORY,
    MARK_N_STATUS
};

struct mark_frame {
    uint32_t magic, kind, a, b;
};

#endif
