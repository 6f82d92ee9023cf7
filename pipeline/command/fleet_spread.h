/* fleet_spread.h - a long document that several workers read.
 *
 *   begun ──two pages are read──▶ windows ──answers──▶ joined ──▶ its record
 *
 * Whoever begins it reads two pages, so that what the others are told of a table (its
 * head) is known, and makes windows of the rest, jobs of their own. A window's worker
 * reads the page before it, asks as one who came from there would, as far as he can
 * know it, and publishes questions with their answers. Whoever joins reads the document from its
 * beginning to its end like any other, and asks only what nobody was asked: so the
 * record is that of one machine, whatever became of the windows.
 */
#ifndef PIPELINE_COMMAND_FLEET_SPREAD_H
#define PIPELINE_COMMAND_FLEET_SPREAD_H

#include "pipeline/command/fleet_scratch.h"
#include "pipeline/spool/folder.h"

/* The document's id, which a window's has before its dot. */
void fleet_spread_id(const struct fleet_job *job,
                     char id[static SPOOL_ID_SIZE]);

/* Puts what the job's reader needs besides into its folder in work/: which pages,
 * what was read before, answers. FAIL: "disk"; as fleet_queue_answers, fleet_store_get. */
void fleet_spread_prepare(struct folder *folder, struct fleet *f,
                          const struct fleet_job *job, struct err *err);

/* Were the pages read that were asked for, and no more? */
bool fleet_spread_is_read(const struct fleet_scratch *s,
                          const struct fleet_job *job);

/* The pages behind those, up to n_page, become windows; false: the lease was
 * lost. FAIL: as fleet_queue_spread, fleet_store_put. */
bool fleet_spread_rest(const struct fleet_scratch *s, struct fleet *f,
                       const struct fleet_job *job, int n_page,
                       struct err *err);

/* What came of a window. FAIL: as fleet_store_put. */
void fleet_spread_outcome(const struct fleet_scratch *s, struct fleet *f,
                          const struct fleet_job *job,
                          struct fleet_outcome *outcome, struct arena *arena,
                          struct err *err);

#endif
