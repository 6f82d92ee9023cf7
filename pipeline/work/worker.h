/* worker.h - takes one document of work/ as far as it will go.
 *
 * Looks at the folder and does the next step: finishes a copy, forgets what an
 * operator wants forgotten, commits a result that is there, else makes an
 * attempt. The engine is opened for the first document that needs it.
 * PROCESS One document at a time; n documents in flight are n processes.
 */
#ifndef PIPELINE_WORK_WORKER_H
#define PIPELINE_WORK_WORKER_H

#include "pipeline/config/config.h"
#include "pipeline/spool/event.h"
#include "pipeline/spool/spool.h"

enum { WORKER_CRASH_MAX = 2, WORKER_MODEL_MAX = 2, WORKER_DEATH_MAX = 20 };
enum { WORKER_SUSPECT = 2 }; /* deaths after which a document runs alone */

struct worker;

struct worker_options {
    struct spool *spool;
    const struct config *config;
    bool (*stop)(void *arg); /* polled */
    void (*tell)(void *arg, const struct event *event);
    void *arg;
};

struct worker *worker_new(const struct worker_options *options);
void worker_free(struct worker *w); /* NULL is fine */

/* Tells of it in events, of which the last one is the outcome. `alone`:
 * nothing else is in flight. Returns false when the spool itself failed in a
 * way that only a fresh process may look at again (fsync). */
bool worker_take(struct worker *w, const char *id, bool alone);

/* For a supervisor whose worker died of `signal` in the midst of `id`: files
 * the crash under `code`, or, with code NULL, takes the attempt back. */
void worker_bury(struct spool *s, const char *id, int signal, const char *code,
                 const char *why);

#endif
