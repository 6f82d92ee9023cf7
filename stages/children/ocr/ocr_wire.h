/* ocr_wire.h - the child's side of ocr_protocol.h. Any failure to write ends
 * the process; if the parent has gone, SIGPIPE does. */
#ifndef STAGES_CHILDREN_OCR_OCR_WIRE_H
#define STAGES_CHILDREN_OCR_OCR_WIRE_H

#include <stdbool.h>

#include "stages/children/ocr/ocr_protocol.h"
#include "stages/children/ocr/ocr_words.h"

/* Reports that the languages are loaded. */
void ocr_wire_ready(bool tells_script, const char *version);

/* Sends the script of a page; page: the order's number. */
void ocr_wire_script(uint32_t page, const struct ocr_script *script);

/* Sends the words of a page; page: the order's number. */
void ocr_wire_words(uint32_t page, const struct ocr_result *found);

/* Sends the last message; text is cut. */
void ocr_wire_fail(enum ocr_status status, const char *text);

/* Reads the next order and its page, which the caller frees. False at the end
 * of the orders, or if the order is invalid. */
bool ocr_wire_order(struct child_frame *order, struct image *page);

#endif
