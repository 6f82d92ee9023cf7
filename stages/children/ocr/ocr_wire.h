/* ocr_wire.h - the child's side of ocr_protocol.h. A parent that has gone
 * ends the process (SIGPIPE), and so does any other failure to write. */
#ifndef STAGES_CHILDREN_OCR_OCR_WIRE_H
#define STAGES_CHILDREN_OCR_OCR_WIRE_H

#include <stdbool.h>

#include "stages/children/ocr/ocr_protocol.h"
#include "stages/children/ocr/ocr_words.h"

/* The languages are loaded. */
void ocr_wire_ready(bool tells_script, const char *version);

/* The script of a page, by the order's number. */
void ocr_wire_script(uint32_t page, const struct second_script *script);

/* The words of a page, likewise. */
void ocr_wire_words(uint32_t page, const struct second_found *found);

/* The last message; text is cut. */
void ocr_wire_fail(enum second_status status, const char *text);

/* The next order and its page, which the caller frees. False where there are no
 * more, or where what comes is none. */
bool ocr_wire_order(struct child_frame *order, struct image *page);

#endif
