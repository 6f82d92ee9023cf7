/* worker_record.h - writing the result and the progress of a document into its
 * folder. */
#ifndef PIPELINE_WORKER_WORKER_RECORD_H
#define PIPELINE_WORKER_WORKER_RECORD_H

#include "pipeline/config/config.h"
#include "pipeline/observe/page_rate.h"
#include "pipeline/spool/event.h"
#include "stages/record/record.h"

/* Writes record.xml, if configured, then record.json (F5), which makes the
 * record valid. FAIL: [too-large] above max_record_bytes, [internal] for text
 * that platen itself would not read, [disk]. */
void worker_record_write(struct folder *f, const struct document *doc,
                         const struct engine_facts *facts,
                         const struct config *config, struct err *err);

/* Does the folder have a complete record (`done`), else reason? If so, it and
 * the document's bytes are made durable. FAIL: "disk". */
struct document_folder_state;
bool worker_record_found(struct folder *f,
                         const struct document_folder_state *state, bool done,
                         const struct config *config, struct err *err);

/* The descriptor of the file for rows of a long document, kept while it is in
 * work/. -1: it cannot be opened; a crash then costs all pages. */
int worker_record_rows(const struct folder *f);

/* A worker takes the folder: removes the present page from an earlier progress
 * note, but not the number of kept pages. */
void worker_record_progress_begin(const struct folder *f,
                                  struct page_rate *rate);

/* Notes the progress in `event` for platen status (page_progress.h), unless the
 * document was started less than a second ago. */
void worker_record_progress(const struct folder *f, const struct event *event,
                            struct page_rate *rate);

/* Fills in what the attempt found and cost, for metrics.h. `engine` can be
 * NULL. */
struct engine;
void worker_record_cost(struct event *event, const struct document *doc,
                        const struct engine *engine);

/* Fills in the event from a record that was written before: by an attempt that
 * a crash interrupted, or by a fleet. */
void worker_record_note(const struct folder *f, const struct config *config,
                        struct event *event);

#endif
