/* stack_record.h - the record of a stack that was split into documents. */
#ifndef PIPELINE_READER_STACK_RECORD_H
#define PIPELINE_READER_STACK_RECORD_H

#include "stages/input/split.h"
#include "vlm/base/buf.h"

/* Prints it: the parts, their pages and ids, and the separator sheets. */
void stack_record_json(const struct document *doc, const struct split *split,
                       struct buf *out);

#endif
