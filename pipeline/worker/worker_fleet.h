/* worker_fleet.h - a document of a spool, read by a fleet (pipeline/fleet).
 *
 * A process of the worker connects to the fleet. It is forked before the
 * password and the keys are read, so the worker and its readers do not have
 * them.
 *
 *   work/<id>/doc ──sealed──▶ store, job ──▶ fleet (an empty file: handed over)
 *   outcome ──▶ record.json or reason.json, durable ──▶ collected ──▶ commit
 *
 * The spool stays authoritative: the outcome of a document in work/ is queried
 * again and again, and a document that the fleet does not know is handed over
 * again. A waiting document is not charged. If the fleet is not available the
 * queue waits.
 */
#ifndef PIPELINE_WORKER_WORKER_FLEET_H
#define PIPELINE_WORKER_WORKER_FLEET_H

#include "pipeline/config/config.h"
#include "pipeline/spool/document_folder.h"

struct worker_fleet;

/* NULL if no fleet is configured; the config must outlive it. Starts the process, which does not connect
 * yet; config->fleet_fd can be closed then. */
struct worker_fleet *worker_fleet_new(struct spool *spool,
                                      const struct config *config);
void worker_fleet_free(struct worker_fleet *w); /* NULL: does nothing */

/* Is the document with the fleet, without an outcome? *not_before is then the
 * time to query again. An outcome is written into the folder and into *state.
 * False also without a fleet. FAIL: [fleet-unreachable], [fleet-refused],
 * [store-unreachable], [store-damaged]; "disk". */
bool worker_fleet_waits(struct worker_fleet *w, struct folder *f,
                        struct document_folder_state *state,
                        long long *not_before, struct err *err);

/* Hands over a sealed document; false: it is empty or too large, and is to be
 * handled here. FAIL: likewise; as spool_seal_check. */
bool worker_fleet_hand(struct worker_fleet *w, struct folder *f,
                       struct spool_seal *seal, struct err *err);

/* A socket through which the process runs statements (fleet_sql.h); for a process that
 * is forked, and ends before the next call of these functions. The caller closes it.
 * FAIL: likewise. */
int worker_fleet_door(struct worker_fleet *w, struct err *err);

/* Checks that database and store answer. NULL: does nothing. FAIL: as
 * worker_fleet_waits. */
void worker_fleet_probe(struct worker_fleet *w, struct err *err);

#endif
