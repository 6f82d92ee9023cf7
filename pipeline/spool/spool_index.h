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
/* The same without a look at the folders: some other process follows them. */
struct spool_index *spool_index_attach(struct spool *s);
void spool_index_close(struct spool_index *ix);

/* What spool_index_open does, step by step, for an attached index: each reads at
 * most `most` documents, failed and then done ones, the latest first; true if
 * there are more. The index must last as long; NULL is fine for the end. */
struct spool_index_filling *spool_index_fill(struct spool_index *ix);
bool spool_index_fill_step(struct spool_index_filling *f, int most);
void spool_index_fill_end(struct spool_index_filling *f);

/* False: NULL, or damaged; spool_index_open makes it anew. */
bool spool_index_is_usable(const struct spool_index *ix);

/* Adds an outcome (EVENT_DONE, EVENT_FAILED). twin: the id of an earlier
 * document with the same bytes, or "". */
void spool_index_put(struct spool_index *ix, const struct event *event,
                     char twin[static SPOOL_ID_SIZE]);
/* Removes the first n ids, in one transaction. */
void spool_index_forget(struct spool_index *ix, char **id, size_t n);

/* Makes the row of a document agree with its folder: added, changed, or forgotten
 * if it has no outcome (any more). reviewed: nothing is left to review. */
void spool_index_refresh(struct spool_index *ix, const char *id, bool reviewed);

/* The values of done documents, for searches: the ids of at most `most` documents
 * that have none yet, the latest first, of those that sort before `before` ("":
 * all; NULL ends the list); sets them (folded text). */
char **spool_index_unread(struct spool_index *ix, const char *before, int most,
                          struct arena *arena);
void spool_index_set_values(struct spool_index *ix, const char *id,
                            const char *text);

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
    const char *schema;
    bool done, review, dismissed;
};

/* A time as ids begin: 20261121T021400. */
enum { SPOOL_INDEX_WORDS = 8, SPOOL_INDEX_TIME = 16 };

/* Folded; part of the name, folder, schema, code or a value. Or, unless "", the
 * document was taken between these times. */
struct spool_index_word {
    const char *text, *from, *to;
};

/* Which documents; "" or NULL: any. */
struct spool_index_query {
    const char *state; /* done (without those to review), review, failed,
                        * dismissed */
    const char *schema, *code;
    const char *name;  /* folded; the name contains it */
    const char *value; /* folded; a value contains it */
    struct spool_index_word word[SPOOL_INDEX_WORDS]; /* all of them */
    int n_word;
    const char *from, *to; /* taken between these times */
    const char *before;    /* ids that sort before this one */
    const char *id;        /* only this one */
    int most;
};
/* Calls `row` for the documents, the latest first. */
void spool_index_find(struct spool_index *ix, const struct spool_index_query *q,
                      void (*row)(void *arg, const struct spool_index_row *row),
                      void *arg);

struct spool_index_counts {
    int done, today, review, failed, dismissed;
};
/* today: when it began, as ids begin */
void spool_index_count(struct spool_index *ix, const char *today,
                       struct spool_index_counts *n);
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
