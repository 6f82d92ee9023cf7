/* frame.h - the messages between platen and its sandboxed children.
 *
 * A message is a struct child_frame and, without padding, `size` bytes behind it. A
 * child writes to SANDBOX_FD_OUT; it starts with HELLO, and FAIL ends what it
 * has to say. Where it takes orders, they come the same way on SANDBOX_FD_IN.
 * What else there is, and what a, b, c, d and e mean, is in the header of each
 * child: stages/children/raster/raster_protocol.h, second/ocr_protocol.h,
 * mark/annotate_protocol.h. Numbers of types are those of one child alone, so that
 * another program is noticed.
 *
 * Both ends run on one machine from one build: integers are native. Neither
 * believes the other: who reads checks the mark, the type and the size before
 * it takes memory, and no message is read beyond its size (stages/children/child.h).
 */
#ifndef STAGES_CHILDREN_SANDBOX_FRAME_H
#define STAGES_CHILDREN_SANDBOX_FRAME_H

#include <stdint.h>

enum {
    FRAME_MAGIC = 0x32464c50, /* "PLF2" */
    FRAME_TEXT_MAX = 400      /* bytes of a text for people */
};

enum frame_type {
    FRAME_HELLO = 1,   /* a: layers (sandbox.h), b: Landlock ABI */
    FRAME_FAIL,        /* a: the child's own status, b: page or 0; then text */
    FRAME_RASTER = 16, /* the first of raster/raster_protocol.h, */
    FRAME_SECOND = 32, /* second/ocr_protocol.h, */
    FRAME_MARK = 48    /* mark/annotate_protocol.h */
};

struct child_frame {
    uint32_t magic, type;
    uint64_t size; /* bytes that follow */
    uint32_t a, b, c, d, e, zero;
};

#endif
