/* fleet_pool.h - the worker pool of a fleet worker, in a process of its own.
 *
 * That process is forked before the fleet's password and keys are read, so no
 * worker or reader has them; and the process that connects to the fleet starts
 * none. Messages have fixed formats.
 *
 *     fleet worker ──settings, id of a document──▶ pool ──▶ worker ──▶ reader
 *     fleet worker ◀──events── pool
 */
#ifndef PIPELINE_FLEET_WORKER_FLEET_POOL_H
#define PIPELINE_FLEET_WORKER_FLEET_POOL_H

#include "pipeline/supervisor/worker_pool.h"

struct fleet_pool;

/* Forks the process, for documents of the opened spool. It ends with its
 * parent. FAIL: ERR_SYSTEM. */
struct fleet_pool *fleet_pool_start(struct spool *s,
                                    const struct config *config,
                                    struct err *err);
void fleet_pool_free(struct fleet_pool *p); /* NULL: does nothing */

/* Has the process ended? All functions then fail, for ever. */
bool fleet_pool_ended(const struct fleet_pool *p);

/* The following documents are read with these settings and schemas
 * (fleet_settings_apply). Call it when none is being read. FAIL: ERR_CONFIG. */
void fleet_pool_configure(struct fleet_pool *p, const char *options,
                          const char *schemas, struct err *err);

/* Assigns a document. FAIL: as worker_pool_assign. */
void fleet_pool_assign(struct fleet_pool *p, const struct worker_job *job,
                       struct err *err);

/* Waits up to timeout_ms for an event, or a signal. True: `event` was filled.
 * FAIL: the process has ended. */
bool fleet_pool_next(struct fleet_pool *p, int timeout_ms, struct event *event,
                     struct err *err);

/* Ends the workers and the reading of a document, without waiting for it, and
 * forgets the settings. */
void fleet_pool_stop(struct fleet_pool *p);

#endif
