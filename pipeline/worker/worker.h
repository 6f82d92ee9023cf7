/* worker.h - takes one document of work/ as far as it will go.
 *
 * Looks at the folder and does the next step: finishes a copy, forgets what an
 * operator wants forgotten, commits a result that is there, else makes an
 * attempt. The engine is opened for the first document that needs it.
 * PROCESS One document at a time; n documents in flight are n processes.
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
    bool (*stop)(void *arg); /* polled */
    void (*tell)(void *arg, const struct event *event);
    void *arg;
};

/* Copies the options; what they point to must outlive the worker. Opens
 * nothing yet, so it cannot fail. */
struct worker *worker_new(const struct worker_options *options);
void worker_free(struct worker *w); /* NULL is fine */

/* What a worker is asked to do. */
struct order {
    char id[SPOOL_ID_SIZE];
    bool alone;     /* nothing else is in flight */
    char probe[24]; /* the queue paused for this reason: look first whether it
                     * still holds, before the document is touched; or "" */
};

/* Tells of it in events, of which the last one is the outcome. Returns false
 * when the environment failed: only a fresh process should look at it again
 * (fsync). */
bool worker_process(struct worker *w, const struct order *order);

/* How a worker died in the midst of a document. */
struct worker_death {
    int signal;       /* 0: it ended by itself */
    const char *code; /* the crash is the document's; NULL: it is not, and the
                       * attempt is taken back */
    bool set_back;    /* without a code: others go first */
    const char *why;
};

/* An attempt without an end, of another platen that lives: waits, at most 1 s,
 * until that has filed how its worker died, lest a crash pass for a death and
 * the next attempt begin at once. The lock is let go meanwhile; false when it
 * could not be had again. *state is read anew. */
bool worker_await_death(struct folder *f, struct document_folder_state *state);

/* The limits of docs/spool.md, "Who is to blame", for what happened before this
 * attempt: *end says how it must end then. */
bool worker_death_is_poison(const struct document_folder_state *state,
                            struct document_folder_end *end);

/* How often may this go wrong before it is the document's fault? Its answers were
 * asked for n_try times in this attempt. */
bool worker_death_again(const struct document_folder_state *state,
                        const struct reason *row, int n_try);

/* For the supervisor: files it. Returns before when (UTC) the document should
 * not be tried again, 0 for at once. */
long long worker_report_death(struct spool *s, const char *id,
                              const struct worker_death *death);

#endif
