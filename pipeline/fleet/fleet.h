/* fleet.h - a fleet as one of its members sees it: the database and the store.
 *
 * PROCESS One each: a connection does not outlive a fork.
 */
#ifndef PIPELINE_FLEET_FLEET_H
#define PIPELINE_FLEET_FLEET_H

#include "pipeline/config/config.h"
#include "pipeline/fleet/fleet_queue.h"
#include "pipeline/fleet/fleet_store.h"

/* What is larger lies in the store. */
enum { FLEET_ROW_BYTES = 64 << 10 };

struct fleet {
    const struct config *config;
    struct fleet_db *db;
    struct fleet_store store;
    bool knows_store;
    struct arena *arena;
    char host[64];
    char schemas[65];   /* of the folder that was put last, */
    double schemas_put; /* and when */
};

/* Asks nobody yet, so it cannot fail; the config must outlive it. */
struct fleet *fleet_new(const struct config *config, const char *conninfo);
void fleet_free(struct fleet *f); /* NULL is fine */

/* Learns where the store is, once; before anything of it is used. FAIL: as
 * fleet_queue_setting, fleet_store_place. */
void fleet_learn(struct fleet *f, struct err *err);

/* What the configuration says of this machine, or of what its jobs need. */
struct fleet_can fleet_can_of(const struct config *config);

/* A file of a result: in the row, or put into the store. */
struct fleet_file fleet_file_put(struct fleet *f, struct span bytes,
                                 struct err *err);
/* Its bytes again; in the arena. */
struct span fleet_file_get(struct fleet *f, const struct fleet_file *file,
                           struct arena *arena, struct err *err);

/* Hands a document in: bytes, schemas and settings to the store, a row to the queue.
 * One that is there already stays, but an outcome nobody waits for goes first.
 * `job` has id, name, part and feeder; the rest is filled in. */
void fleet_hand_in(struct fleet *f, struct fleet_job *job, struct span bytes,
                   struct err *err);

#endif
