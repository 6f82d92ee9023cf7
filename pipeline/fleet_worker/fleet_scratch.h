/* fleet_scratch.h - a small spool of a worker's own, where a job becomes a document
 * like any other: what reads it, and what happens when that crashes, is the same.
 *
 * Nothing in it is worth keeping: the database has the job, the store its bytes.
 */
#ifndef PIPELINE_FLEET_WORKER_FLEET_SCRATCH_H
#define PIPELINE_FLEET_WORKER_FLEET_SCRATCH_H

#include "pipeline/fleet/fleet.h"
#include "pipeline/spool/spool.h"

struct fleet_scratch {
    char path[400];   /* DIR/platen-fleet.XXXXXX, removed at the end */
    int alive;        /* locked: others leave it alone */
    char schemas[65]; /* of the list that is there */
    struct spool spool;
};

/* Makes it. FAIL: as spool_open. */
void fleet_scratch_open(struct fleet_scratch *s, const char *folder,
                        struct err *err);
void fleet_scratch_close(struct fleet_scratch *s); /* all of it goes */

/* The folder with the job's schemas, made where they are not the last one's. */
const char *fleet_scratch_schemas(struct fleet_scratch *s, struct fleet *f,
                                  const struct fleet_job *job,
                                  struct arena *arena, struct err *err);

/* The job as work/<id>, with its bytes. FAIL: "disk"; as fleet_store_get. */
void fleet_scratch_take(struct fleet_scratch *s, struct fleet *f,
                        const struct fleet_job *job, struct err *err);

/* What came of it, out of done/ (record) or failed/; in the arena. FAIL: "disk"; as
 * fleet_store_put. */
void fleet_scratch_outcome(struct fleet_scratch *s, struct fleet *f,
                           const struct fleet_job *job, bool done,
                           struct fleet_outcome *outcome, struct arena *arena,
                           struct err *err);

/* The documents go, wherever they are. */
void fleet_scratch_empty(const struct fleet_scratch *s);

#endif
