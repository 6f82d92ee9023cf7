/* worker_split.h - makes the documents that a stack was split into. */
#ifndef PIPELINE_WORKER_WORKER_SPLIT_H
#define PIPELINE_WORKER_WORKER_SPLIT_H

#include "pipeline/reader/reader.h"
#include "pipeline/spool/document_folder.h"

/* Makes the parts that the reader found in the locked folder of a sealed stack;
 * with its record (F5), which lists them, the stack can be committed. Parts are
 * named STEM-N with the extension of the stack, so that out/ shows where a
 * record came from. FAIL: "disk"; as reader_next_part. */
void worker_split_write(struct folder *f,
                        const struct document_folder_state *state,
                        const struct reader_outcome *outcome,
                        struct reader *reader, struct err *err);

#endif
