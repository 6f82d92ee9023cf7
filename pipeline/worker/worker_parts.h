/* worker_parts.h - the documents of a batch, from what its reader found. */
#ifndef PIPELINE_WORKER_WORKER_PARTS_H
#define PIPELINE_WORKER_WORKER_PARTS_H

#include "pipeline/reader/reader.h"
#include "pipeline/spool/document_folder.h"

/* Makes the parts that the reader found in the locked folder of a sealed stack;
 * with its record (F5), which lists them, the stack can be committed. Parts are
 * named STEM-N with the extension of the stack, or their own, so that out/ shows
 * where a record came from. True: it was the reader that failed. FAIL: "disk"; as
 * reader_next_part. */
bool worker_parts_make(struct folder *f,
                       const struct document_folder_state *state,
                       const struct reader_outcome *outcome,
                       struct reader *reader, struct err *err);

#endif
