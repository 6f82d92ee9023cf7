/* fleet_lock.h - workers of one machine, and the one that must be alone there.
 *
 * Two locks of a file beside the scratch folders. Everybody holds the room shared
 * while it has a job; who wants to be alone shuts the gate first, so that nobody new
 * comes in while it waits for the others to end.
 */
#ifndef PIPELINE_FLEET_WORKER_FLEET_LOCK_H
#define PIPELINE_FLEET_WORKER_FLEET_LOCK_H

#include "vlm/base/err.h"

struct fleet_lock {
    int room, gate; /* descriptors; they close with the process */
};

/* FAIL: ERR_SYSTEM. */
void fleet_lock_open(struct fleet_lock *a, const char *folder, struct err *err);
void fleet_lock_close(struct fleet_lock *a);

/* Before a job is asked for: false while somebody is alone, or wants to be. */
bool fleet_lock_begin(struct fleet_lock *a);

/* Is nobody else at work here? Asked again until it is so; others come in no more. */
bool fleet_lock_only(struct fleet_lock *a);

/* After a job, or none. */
void fleet_lock_end(struct fleet_lock *a);

#endif
