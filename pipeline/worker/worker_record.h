/* worker_record.h - the result of a document, written into its folder. */
#ifndef PIPELINE_WORKER_WORKER_RECORD_H
#define PIPELINE_WORKER_WORKER_RECORD_H

#include "pipeline/config/config.h"
#include "pipeline/observe/page_rate.h"
#include "pipeline/spool/event.h"
#include "stages/record/record.h"

/* Writes record.xml, where `formats` asks for it, then record.json (F5): the
 * record is there when that is. FAIL: [too-large] past max_record_bytes,
 * [internal] for text that platen itself would not read, [disk]. */
void worker_record_write(struct folder *f, const struct document *doc,
                         const struct engine_facts *facts,
                         const struct config *config, struct err *err);

/* Is there a record (`done`), or a reason, that is whole? Then it is durable, with
 * the bytes it is of. FAIL: "disk". */
struct document_folder_state;
bool worker_record_found(struct folder *f,
                         const struct document_folder_state *state, bool done,
                         const struct config *config, struct err *err);

/* The file for the rows of a long document, kept while it is in work/, or -1:
 * such a document is then read from its start again after a crash, no more. */
int worker_record_rows(const struct folder *f);

/* Somebody has the folder now: of an earlier one's note what is kept stays, for
 * the page that was at hand then is not at hand now. */
void worker_record_pace_begin(const struct folder *f, struct page_rate *tempo);

/* Notes how far the document is, as `event` says, for platen status (page_progress.h);
 * nothing of one that has been at hand for less than a second. */
void worker_record_pace(const struct folder *f, const struct event *event,
                        struct page_rate *tempo);

/* What the attempt found and took, for those who count (metrics.h). `engine` may
 * be NULL. */
struct engine;
void worker_record_cost(struct event *event, const struct document *doc,
                        const struct engine *engine);

/* Fills in what an event says of a record that was written before: by an attempt
 * that a crash cut off, or by a fleet. */
void worker_record_note(const struct folder *f, const struct config *config,
                        struct event *event);

#endif
