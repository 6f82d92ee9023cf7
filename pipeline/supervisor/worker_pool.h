/* worker_pool.h - worker processes, each reading one document at a time.
 *
 * The death of a worker costs only its attempt. A signal that the worker caused
 * is charged to the document as a crash; SIGKILL from outside (an operator, the
 * out-of-memory killer) is not (docs/spool.md, "What counts against a
 * document"). With n = 0
 * documents are read in the calling process (tests, debugging).
 */
#ifndef PIPELINE_SUPERVISOR_WORKER_POOL_H
#define PIPELINE_SUPERVISOR_WORKER_POOL_H

#include "pipeline/worker/worker.h"

enum { WORKER_POOL_MAX = 64 };

struct worker_pool;

/* Workers are started when they are needed. */
struct worker_pool *worker_pool_new(struct spool *s,
                                    const struct config *config, int n);

/* Does not wait: kills the workers and uncharges their attempts. */
void worker_pool_free(struct worker_pool *c);

/* Can one more document be assigned? A worker that has been loading a schema
 * for more than a second does not count as busy, so that others can pass it. */
bool worker_pool_has_idle(const struct worker_pool *c);
int worker_pool_busy(const struct worker_pool *c); /* documents in flight */
bool worker_pool_holds(const struct worker_pool *c, const char *id);

/* Is a worker loading that schema for more than a second? Other documents of
 * the schema then wait for it. */
bool worker_pool_loads(const struct worker_pool *c, const char *schema);

/* What answers workers (backends.h): how many there are, and the number, from 0, of the
 * one for documents of a schema. There is one, unless schemas have a model or an
 * endpoint of their own. */
enum { WORKER_POOL_BACKENDS = CONFIG_SCHEMAS_MAX + 1 };
int worker_pool_backends(const struct worker_pool *c);
int worker_pool_backend(const struct worker_pool *c, const char *schema);

/* waits[i]: since when (clock_seconds) the first document that is due waits for backend
 * i; negative: none. Unloads models to make room for others (model_order.h).
 * go[i]: one more document for it can be assigned. */
void worker_pool_choose(struct worker_pool *c, const double *waits, bool *go);

/* Assigns a document to an idle worker. FAIL: ERR_SYSTEM (fork). */
void worker_pool_assign(struct worker_pool *c, const struct worker_job *job,
                        struct err *err);

/* Waits up to timeout_ms (-1: no limit) for an event, a signal, or one of
 * WORKER_POOL_OTHERS other descriptors to be readable (-1: unused; other NULL:
 * none). True: `event` was filled. */
enum { WORKER_POOL_OTHERS = 3 };
bool worker_pool_next(struct worker_pool *c, int timeout_ms, const int *other,
                      struct event *event);

/* Others wait, and no worker is idle: asks the document that has been read for more
 * than document_timeout to let them pass. It ends as EVENT_STOPPED, charged for
 * nothing, and what it kept stays. */
void worker_pool_yield(struct worker_pool *c);

/* New settings: idle workers end now, the others after their document. */
void worker_pool_renew(struct worker_pool *c, const struct config *config);

/* Asks all workers to stop reading their documents. */
void worker_pool_stop(struct worker_pool *c);

/* The number of workers killed from outside so far. */
int worker_pool_killed(const struct worker_pool *c);

#endif
