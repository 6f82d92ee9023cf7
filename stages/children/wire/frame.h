/* frame.h - the messages between platen and its sandboxed children.
 *
 * A message is a struct child_frame followed, without padding, by `size` bytes.
 * A child writes to SANDBOX_FD_OUT; its first message is HELLO, and FAIL is its
 * last. Orders, if any, arrive the same way on SANDBOX_FD_IN. Other types, and
 * the meaning of a to e, are defined in each child's header:
 * wire/raster_protocol.h, wire/ocr_protocol.h, wire/annotate_protocol.h.
 * Each child has its own range of types, so that a wrong program is noticed.
 *
 * Both ends run on one machine and are of one build: integers are native.
 * Neither trusts the other: a receiver checks the magic number, type and size
 * before it allocates memory, and reads no message beyond its size
 * (stages/children/child.h).
 */
#ifndef STAGES_CHILDREN_WIRE_FRAME_H
#define STAGES_CHILDREN_WIRE_FRAME_H

#include <stdint.h>

enum {
    FRAME_MAGIC = 0x32464c50, /* "PLF2" */
    FRAME_TEXT_MAX = 400      /* bytes of a human-readable text */
};

enum frame_type {
    FRAME_HELLO = 1,    /* a: layers (sandbox.h), b: Landlock ABI */
    FRAME_FAIL,         /* a: the child's own status, b: page or 0; then text */
    FRAME_RASTER = 16,  /* first type in wire/raster_protocol.h */
    FRAME_OCR = 32,     /* first type in wire/ocr_protocol.h */
    FRAME_ANNOTATE = 48 /* first type in wire/annotate_protocol.h */
};

struct child_frame {
    uint32_t magic, type;
    uint64_t size; /* bytes that follow */
    uint32_t a, b, c, d, e, zero;
};

#endif
