/* worker_pool.h - worker processes: each takes one document at a time.
 *
 * A worker that dies takes nothing with it but its attempt. Deaths by a
 * signal of its own making are filed as crashes of the document; SIGKILL from
 * outside (an operator, the out-of-memory killer) is not (docs/spool.md, "Who is to
 * blame"). With n = 0 the work is done in this very process (tests, debugging).
 */
#ifndef PIPELINE_SUPERVISOR_WORKER_POOL_H
#define PIPELINE_SUPERVISOR_WORKER_POOL_H

#include "pipeline/worker/worker.h"

enum { WORKER_POOL_MAX = 64 };

struct worker_pool;

/* Nothing is started before it is needed. */
struct worker_pool *worker_pool_new(struct spool *s,
                                    const struct config *config, int n);

/* Waits for nobody: kills what is left and takes its attempts back. */
void worker_pool_free(struct worker_pool *c);

/* Is there a place for one more? A worker that has been loading a schema for
 * more than a second takes no place: others pass it. */
bool worker_pool_has_idle(const struct worker_pool *c);
int worker_pool_busy(const struct worker_pool *c); /* documents in flight */
bool worker_pool_holds(const struct worker_pool *c, const char *id);

/* Is that schema being loaded for so long? Its documents wait for the one that
 * does it. */
bool worker_pool_loads(const struct worker_pool *c, const char *schema);

/* Hands a document to an idle worker. FAIL: ERR_SYSTEM (fork). */
void worker_pool_assign(struct worker_pool *c, const struct order *order,
                        struct err *err);

/* Waits up to timeout_ms (-1: for ever) for an event, for one of WORKER_POOL_OTHERS
 * other descriptors to be readable (-1: none; NULL: none at all), or for a
 * signal. True when `event` was filled. */
enum { WORKER_POOL_OTHERS = 3 };
bool worker_pool_next(struct worker_pool *c, int timeout_ms, const int *other,
                      struct event *event);

/* New settings: workers that are idle end, the others after their document. */
void worker_pool_renew(struct worker_pool *c, const struct config *config);

/* Asks all workers to give up what they do. */
void worker_pool_stop(struct worker_pool *c);

/* Workers that were killed from outside so far. */
int worker_pool_killed(const struct worker_pool *c);

#endif
