/* review_queue.h - the documents of a spool that need review, least certain
 * first.
 *
 * The spool is scanned in steps, so that ten thousand documents do not delay
 * the page; documents that changed are read again. THREADS  One.
 */
#ifndef PIPELINE_REVIEW_REVIEW_QUEUE_H
#define PIPELINE_REVIEW_REVIEW_QUEUE_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"

struct review_queue;

/* Spool and configuration are borrowed. */
struct review_queue *review_queue_new(const struct spool *s,
                                      const struct config *config);
void review_queue_free(struct review_queue *d); /* NULL: does nothing */

/* Lists the spool again, unless that was done less than 2 s ago. */
void review_queue_list(struct review_queue *d);

/* Reads records for `seconds` at most; false when all are read. */
bool review_queue_step(struct review_queue *d, double seconds);

/* Reads a document again at once, after this process changed it. */
void review_queue_refresh(struct review_queue *d, const char *id);

/* Appends {complete, documents, read, doubts, left, waiting, most, queue: [{id,
 * place, name, schema, left, worst, code, why}]}: `most` rows from row `from`,
 * by lowest confidence, failed documents last; `waiting` is how many there are.
 * `search`: only rows with this text in their name, schema or reason, whatever
 * its case and accents ("": all). */
void review_queue_print(struct review_queue *d, const char *search, size_t from,
                        struct buf *out);

#endif
