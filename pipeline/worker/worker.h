/* worker.h - processes one document of work/.
 *
 * The folder tells the next step: finish a copy, reset the document for a
 * retry, commit a result that an earlier process wrote, or make an attempt. The
 * engine is opened for the first document that needs it. PROCESS One document
 * at a time; n documents in flight are n processes.
 */
#ifndef PIPELINE_WORKER_WORKER_H
#define PIPELINE_WORKER_WORKER_H

#include "pipeline/config/config.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/event.h"
#include "pipeline/spool/spool.h"

enum { WORKER_CRASH_MAX = 2, WORKER_MODEL_MAX = 2, WORKER_DEATH_MAX = 20 };

enum { WORKER_CRASH_WAIT_S = 10 }; /* between an attempt and the next */

enum { WORKER_SUSPECT = 2 }; /* deaths after which a document runs alone */

struct reason;

struct worker;

struct worker_options {
    struct spool *spool;
    const struct config *config;
    bool (*stop)(void *arg); /* polled: true ends the attempt */
    void (*tell)(void *arg, const struct event *event); /* receives events */
    void *arg;
};

/* Copies the options; what they point to must outlive the worker. Opens
 * nothing yet, so it cannot fail. */
struct worker *worker_new(const struct worker_options *options);
void worker_free(struct worker *w); /* NULL: does nothing */

struct worker_job {
    char id[SPOOL_ID_SIZE];
    char schema[FILE_NAME_BYTES_MAX + 1]; /* whose section of platen.conf
                                           * applies; or "" */
    bool alone;                           /* nothing else is in flight */
    bool patient;   /* a deferral of another platen is waited for */
    bool deferred;  /* it is known to the queue, and due */
    int n_kept;     /* pages kept in earlier turns: only more are progress */
    char probe[24]; /* code for which the queue paused: probe it before the
                     * document is touched; or "" */
};

/* Processes a document and reports events; the last one is the outcome. False:
 * the environment failed, and only a new process should try again (fsync). */
bool worker_process(struct worker *w, const struct worker_job *job);

/* How a worker died while it processed a document. */
struct worker_death {
    int signal;       /* 0: the process exited */
    const char *code; /* charged to the document as a crash; NULL: not charged,
                       * the attempt does not count */
    bool defer;       /* without a code: defer the document */
    const char *why;
};

/* For an attempt without an end, of another platen that still runs: waits at
 * most 1 s until that has recorded how its worker died, so that a crash is not
 * taken for a death of platen. The lock is released meanwhile; false if it
 * could not be taken again. *state is read again. */
bool worker_await_death(struct folder *f, struct document_folder_state *state);

/* Has the document reached a limit of docs/spool.md, "What counts against a document"? *end is
 * then the outcome. */
bool worker_death_is_poison(const struct document_folder_state *state,
                            struct document_folder_end *end);

/* Can the document be tried again after a failure with this reason? n_try:
 * answers requested in this attempt. */
bool worker_death_again(const struct document_folder_state *state,
                        const struct reason *row, int n_try);

/* For the supervisor: records the death of a worker. Returns the time (UTC)
 * before which the document should not be tried again; 0: at once. */
long long worker_report_death(struct spool *s, const char *id,
                              const struct worker_death *death);

#endif
