/* worker_fleet.h - a document of a spool, read by a fleet (pipeline/fleet).
 *
 *   work/<id>/doc ──sealed──▶ store, job ──▶ fleet (an empty file: handed over)
 *   outcome ──▶ record.json or reason.json, durable ──▶ collected ──▶ commit
 *
 * The spool stays the truth: what is in work/ and has no outcome is asked for again,
 * and handed over again where the fleet knows nothing of it. Nothing is charged while
 * a document waits, and nothing is lost where the fleet is away: the queue waits.
 */
#ifndef PIPELINE_WORKER_WORKER_FLEET_H
#define PIPELINE_WORKER_WORKER_FLEET_H

#include "pipeline/config/config.h"
#include "pipeline/spool/document_folder.h"

struct worker_fleet;

/* NULL where the configuration names no fleet. Asks nobody yet. */
struct worker_fleet *worker_fleet_new(const struct config *config);
void worker_fleet_free(struct worker_fleet *w); /* NULL is fine */

/* Is the document with the fleet? Then *not_before says when to look again. Where the
 * fleet has an outcome it is brought here first, and *state says so. False also where
 * there is no fleet. FAIL: [fleet-unreachable], [fleet-refused], [store-unreachable],
 * [store-damaged]; "disk". */
bool worker_fleet_waits(struct worker_fleet *w, struct folder *f,
                        struct document_folder_state *state,
                        long long *not_before, struct err *err);

/* Hands over what is sealed; false where that is read here, since it has no bytes or
 * more than are taken. FAIL: likewise; as spool_seal_check. */
bool worker_fleet_hand(struct worker_fleet *w, struct folder *f,
                       struct spool_seal *seal, struct err *err);

/* Do database and store answer? FAIL: as worker_fleet_waits. */
void worker_fleet_probe(const struct config *config, struct err *err);

#endif
