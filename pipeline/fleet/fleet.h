/* fleet.h - access of a process to a fleet: the database and the store.
 *
 * PROCESS One each: a connection does not outlive a fork. The process has the
 * passwords and keys of the fleet in its memory, so it must not start one that
 * handles the content of a document.
 */
#ifndef PIPELINE_FLEET_FLEET_H
#define PIPELINE_FLEET_FLEET_H

#include "pipeline/config/config.h"
#include "pipeline/config/fleet_secrets.h"
#include "pipeline/fleet/fleet_queue.h"
#include "pipeline/fleet/fleet_store.h"

/* Larger files are put into the store. */
enum { FLEET_ROW_BYTES = 64 << 10 };

struct fleet {
    const struct config *config;
    struct fleet_secrets *secrets;
    struct fleet_db *db;
    struct fleet_store store;
    bool knows_store;
    struct arena *arena;
    char host[64];
    char schemas[65];   /* hash of the schemas put into the store last */
    double schemas_put; /* when they were put */
};

/* Does not connect yet, so it cannot fail; the config must outlive it. Sets
 * $PGPASSWORD to the hidden one. */
struct fleet *fleet_new(const struct config *config);
void fleet_free(struct fleet *f); /* NULL: does nothing */

/* Asks the database for the store, once; call it before using the store. FAIL:
 * as fleet_queue_setting, fleet_store_place. */
void fleet_learn(struct fleet *f, struct err *err);

/* What this machine offers, or its jobs need, according to the
 * configuration. */
struct fleet_can fleet_can_of(const struct config *config);

/* Prepares a file of a result: for the row, or put into the store. */
struct fleet_file fleet_file_put(struct fleet *f, struct span bytes,
                                 struct err *err);
/* The bytes of such a file; in the arena. */
struct span fleet_file_get(struct fleet *f, const struct fleet_file *file,
                           struct arena *arena, struct err *err);

/* Submits a document: bytes, schemas and settings to the store, a row to the
 * queue. An existing job stays; an old outcome is removed first. `job` has id,
 * name, part and feeder; the rest is filled in. */
void fleet_hand_in(struct fleet *f, struct fleet_job *job, struct span bytes,
                   struct err *err);

#endif
