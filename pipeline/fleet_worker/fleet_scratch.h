/* fleet_scratch.h - a small spool of a worker, in which a job is an ordinary
 * document: reading and crash handling are the same.
 *
 * It can be deleted at any time: the database has the job, the store its bytes.
 */
#ifndef PIPELINE_FLEET_WORKER_FLEET_SCRATCH_H
#define PIPELINE_FLEET_WORKER_FLEET_SCRATCH_H

#include "pipeline/fleet/fleet.h"
#include "pipeline/spool/spool.h"

struct fleet_scratch {
    char path[400];   /* DIR/platen-fleet.XXXXXX, removed at the end */
    int alive;        /* a lock: other workers do not remove the folder */
    char schemas[65]; /* hash of the list of schemas in it */
    struct spool spool;
};

/* Creates it. FAIL: as spool_open. */
void fleet_scratch_open(struct fleet_scratch *s, const char *folder,
                        struct err *err);
void fleet_scratch_close(struct fleet_scratch *s); /* deletes it */

/* The folder with the job's schemas; made if they differ from the last
 * job's. */
const char *fleet_scratch_schemas(struct fleet_scratch *s, struct fleet *f,
                                  const struct fleet_job *job,
                                  struct arena *arena, struct err *err);

/* Makes work/<id> for the job, with its bytes. FAIL: "disk"; as
 * fleet_store_get. */
void fleet_scratch_take(struct fleet_scratch *s, struct fleet *f,
                        const struct fleet_job *job, struct err *err);

/* Reads the outcome from done/ or failed/, into the arena. FAIL: "disk"; as
 * fleet_store_put. */
void fleet_scratch_outcome(struct fleet_scratch *s, struct fleet *f,
                           const struct fleet_job *job, bool done,
                           struct fleet_outcome *outcome, struct arena *arena,
                           struct err *err);

/* Deletes all documents. */
void fleet_scratch_empty(const struct fleet_scratch *s);

#endif
