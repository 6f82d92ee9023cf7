/* fleet_lock.h - lets a worker run alone on its machine.
 *
 * Two file locks next to the scratch folders. Each worker holds `jobs` shared
 * while it has a job. A worker that must run alone locks `entry` first, so that
 * no other worker starts a job while it waits for the others to end.
 */
#ifndef PIPELINE_FLEET_WORKER_FLEET_LOCK_H
#define PIPELINE_FLEET_WORKER_FLEET_LOCK_H

#include "vlm/base/err.h"

struct fleet_lock {
    int jobs, entry; /* descriptors; they close with the process */
};

/* FAIL: ERR_SYSTEM. */
void fleet_lock_open(struct fleet_lock *a, const char *folder, struct err *err);
void fleet_lock_close(struct fleet_lock *a);

/* Call before claiming a job; false: another worker runs alone, or waits to. */
bool fleet_lock_begin(struct fleet_lock *a);

/* Does no other worker on this machine have a job? Call it until it is true;
 * others start no new job meanwhile. */
bool fleet_lock_only(struct fleet_lock *a);

/* Call after a job, or if none was claimed. */
void fleet_lock_end(struct fleet_lock *a);

#endif
