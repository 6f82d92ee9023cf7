/* review_queue.h - the documents of a spool by what a person should look at in them.
 *
 * Looked through in steps, so that ten thousand documents keep nobody waiting, and
 * again where a file changed since. THREADS  One.
 */
#ifndef PIPELINE_REVIEW_REVIEW_QUEUE_H
#define PIPELINE_REVIEW_REVIEW_QUEUE_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"

struct review_queue;

/* Both are borrowed. */
struct review_queue *review_queue_new(const struct spool *s,
                                      const struct config *config);
void review_queue_free(struct review_queue *d); /* NULL is fine */

/* Lists the spool again, where the last time is a moment ago or more. */
void review_queue_list(struct review_queue *d);

/* Reads records for `seconds` at most; false when all are read. */
bool review_queue_step(struct review_queue *d, double seconds);

/* The document changed by our own hand: it is read at once. */
void review_queue_refresh(struct review_queue *d, const char *id);

/* Appends {complete, documents, read, doubts, left, waiting, more, queue: [{id,
 * place, name, schema, left, worst, code}]}: the worst first, those that failed
 * behind them, the first 200. */
void review_queue_print(struct review_queue *d, struct buf *out);

#endif
