/* spool_index.h - an SQLite index of the spool, for fast queries.
 *
 * The folders are authoritative. The index can be deleted, truncated or damaged
 * at any time: it is rebuilt from the folders, and no document is affected. All
 * functions accept NULL and then do nothing.
 */
#ifndef PIPELINE_SPOOL_SPOOL_INDEX_H
#define PIPELINE_SPOOL_SPOOL_INDEX_H

#include "pipeline/spool/event.h"
#include "pipeline/spool/spool.h"
#include "vlm/base/buf.h"

struct spool_index;

/* Opens or makes index.db; a broken one is replaced. Documents of the folders
 * that it lacks are read, others forgotten; with `rebuild` all are read. On
 * failure NULL and a warning. */
struct spool_index *spool_index_open(struct spool *s, bool rebuild);
void spool_index_close(struct spool_index *ix);

/* Adds an outcome (EVENT_DONE, EVENT_FAILED). twin: the id of an earlier
 * document with the same bytes, or "". */
void spool_index_put(struct spool_index *ix, const struct event *event,
                     char twin[static SPOOL_ID_SIZE]);
/* Removes the first n ids, in one transaction. */
void spool_index_forget(struct spool_index *ix, char **id, size_t n);

/* Calls `row` for each reason, with the number of failed documents. */
void spool_index_reasons(struct spool_index *ix,
                         void (*row)(void *arg, const char *code, int n),
                         void *arg);

/* Calls `row` for done documents with warnings in their records. */
void spool_index_doubtful(struct spool_index *ix,
                          void (*row)(void *arg, const char *id), void *arg);

/* An outcome. */
struct spool_index_row {
    const char *id, *name, *folder, *code, *twin; /* code "" for done */
    double seconds;
    bool unread; /* the verdict of its record */
};
/* The latest outcomes, newest first. */
void spool_index_latest(struct spool_index *ix, int most,
                        void (*row)(void *arg,
                                    const struct spool_index_row *row),
                        void *arg);

/* Failed documents, or done ones that were flagged for review, oldest first. */
void spool_index_list(struct spool_index *ix, bool failed,
                      void (*row)(void *arg, const struct spool_index_row *row),
                      void *arg);

#endif
