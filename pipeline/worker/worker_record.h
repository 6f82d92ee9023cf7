/* worker_record.h - writing the result and the progress of a document into its
 * folder, and the documents of a batch. */
#ifndef PIPELINE_WORKER_WORKER_RECORD_H
#define PIPELINE_WORKER_WORKER_RECORD_H

#include "pipeline/config/config.h"
#include "pipeline/observe/page_rate.h"
#include "pipeline/reader/reader.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/worker/checker.h"

/* A worker takes the folder: removes the present page from an earlier progress
 * note, but not the number of kept pages. */
void worker_record_progress_begin(const struct folder *f,
                                  struct page_rate *rate);

/* Notes the progress in `event` for platen status (page_progress.h), unless the
 * document was started less than a second ago. */
void worker_record_progress(const struct folder *f, const struct event *event,
                            struct page_rate *rate);

/* Takes over what the reader found and spent. */
void worker_record_cost(struct event *event, const struct event *found,
                        const struct engine *engine);

/* Writes the formats that are configured; record.json, the last, as record.json.tmp:
 * only a record that was checked gets its name. True: it was the reader that
 * failed. FAIL: [too-large] above max_record_bytes, [internal] for text that
 * platen itself would not read, [disk]; as reader_print. */
bool worker_record_write(struct folder *f, struct reader *reader,
                         unsigned formats, const struct config *config,
                         struct err *err);

/* Has the folder a complete record (`done`), else reason? If so, it and the bytes
 * are made durable; *found tells of a record. FAIL: "disk". */
bool worker_record_found(struct folder *f,
                         const struct document_folder_state *state, bool done,
                         const struct config *config,
                         struct checker_result *found, struct err *err);

/* Makes the parts that the reader found in the locked folder of a sealed stack;
 * with its record (F5), which lists them, the stack can be committed. Parts are
 * named STEM-N with the extension of the stack, or their own, so that out/ shows
 * where a record came from. True: it was the reader that failed. FAIL: "disk"; as
 * reader_next_part. */
bool worker_record_parts(struct folder *f,
                         const struct document_folder_state *state,
                         const struct reader_outcome *outcome,
                         struct reader *reader, struct err *err);

#endif
