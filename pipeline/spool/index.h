/* index.h - SQLite over the spool: quick to ask, never to be believed.
 *
 * The folders are the truth. The index may be deleted, truncated or replaced
 * by noise at any time: it is made again from the folders, and no document
 * notices. Every function takes NULL and then does nothing.
 */
#ifndef PIPELINE_SPOOL_INDEX_H
#define PIPELINE_SPOOL_INDEX_H

#include "pipeline/spool/event.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"

struct index;

/* Opens or makes index.db; a broken one is replaced. When its counts are not
 * those of the folders, or `rebuild`, it is filled anew. NULL with a warning
 * when that cannot be done. */
struct index *index_open(struct spool *s, bool rebuild);
void index_close(struct index *ix);

/* Files an outcome (EVENT_DONE, EVENT_FAILED). A document with the same bytes
 * that came before is named in `twin`, else "". */
void index_put(struct index *ix, const struct event *event,
               char twin[static SPOOL_ID_SIZE]);
/* Were retried: the first n ids, in one transaction. */
void index_forget(struct index *ix, char **id, size_t n);

/* Calls back for failed documents in order of their reasons: how many. */
void index_reasons(struct index *ix,
                   void (*row)(void *arg, const char *code, int n), void *arg);

/* Calls back for documents that are done, with warnings in their records. */
void index_doubtful(struct index *ix, void (*row)(void *arg, const char *id),
                    void *arg);

/* Calls back for documents that are done and whose records are flagged for
 * review, as they were read. */
void index_flagged(struct index *ix, void (*row)(void *arg, const char *id),
                   void *arg);

/* The latest outcomes, newest first. */
struct index_row {
    const char *id, *name, *folder, *code, *twin; /* code "" for done */
    double seconds;
};
void index_latest(struct index *ix, int most,
                  void (*row)(void *arg, const struct index_row *row),
                  void *arg);

#endif
