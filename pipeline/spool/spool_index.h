/* spool_index.h - SQLite over the spool: quick to ask, never to be believed.
 *
 * The folders are the truth. The index may be deleted, truncated or replaced
 * by noise at any time: it is made again from the folders, and no document
 * notices. Every function takes NULL and then does nothing.
 */
#ifndef PIPELINE_SPOOL_SPOOL_INDEX_H
#define PIPELINE_SPOOL_SPOOL_INDEX_H

#include "pipeline/spool/event.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"

struct spool_index;

/* Opens or makes index.db; a broken one is replaced. When its counts are not
 * those of the folders, or `rebuild`, it is filled anew. NULL with a warning
 * when that cannot be done. */
struct spool_index *spool_index_open(struct spool *s, bool rebuild);
void spool_index_close(struct spool_index *ix);

/* Files an outcome (EVENT_DONE, EVENT_FAILED). A document with the same bytes
 * that came before is named in `twin`, else "". */
void spool_index_put(struct spool_index *ix, const struct event *event,
                     char twin[static SPOOL_ID_SIZE]);
/* Were retried: the first n ids, in one transaction. */
void spool_index_forget(struct spool_index *ix, char **id, size_t n);

/* Calls back for failed documents in order of their reasons: how many. */
void spool_index_reasons(struct spool_index *ix,
                         void (*row)(void *arg, const char *code, int n),
                         void *arg);

/* Calls back for documents that are done, with warnings in their records. */
void spool_index_doubtful(struct spool_index *ix,
                          void (*row)(void *arg, const char *id), void *arg);

/* Calls back for documents that are done and whose records are flagged for
 * review, as they were read. */
void spool_index_flagged(struct spool_index *ix,
                         void (*row)(void *arg, const char *id), void *arg);

/* The latest outcomes, newest first. */
struct spool_index_row {
    const char *id, *name, *folder, *code, *twin; /* code "" for done */
    double seconds;
};
void spool_index_latest(struct spool_index *ix, int most,
                        void (*row)(void *arg,
                                    const struct spool_index_row *row),
                        void *arg);

#endif
