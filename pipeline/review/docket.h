/* docket.h - the documents of a spool by what a person should look at in them.
 *
 * Looked through in steps, so that ten thousand documents keep nobody waiting, and
 * again where a file changed since. THREADS  One.
 */
#ifndef PIPELINE_REVIEW_DOCKET_H
#define PIPELINE_REVIEW_DOCKET_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"

struct docket;

/* Both are borrowed. */
struct docket *docket_new(const struct spool *s, const struct config *config);
void docket_free(struct docket *d); /* NULL is fine */

/* Lists the spool again, where the last time is a moment ago or more. */
void docket_look(struct docket *d);

/* Reads records for `seconds` at most; false when all are read. */
bool docket_step(struct docket *d, double seconds);

/* The document changed by our own hand: it is read at once. */
void docket_refresh(struct docket *d, const char *id);

/* Appends {complete, documents, read, doubts, left, waiting, more, queue: [{id,
 * place, name, schema, left, worst, code}]}: the worst first, those that failed
 * behind them, the first 200. */
void docket_print(struct docket *d, struct buf *out);

#endif
