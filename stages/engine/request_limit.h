/* request_limit.h - limits the requests in flight to one endpoint, over all
 * workers of a run.
 *
 * LIFE     In memory shared by the workers and the supervisor; zeroed except
 *          for `most`. Each worker counts only in its own slot; the supervisor
 *          clears the slot of a dead worker.
 * THREADS  Any number of processes; lock-free, and never more than `most` are
 *          granted at a time.
 */
#ifndef STAGES_ENGINE_REQUEST_LIMIT_H
#define STAGES_ENGINE_REQUEST_LIMIT_H

#include <stdatomic.h>
#include <stdbool.h>

enum { REQUEST_LIMIT_SLOTS = 128 };

struct request_limit {
    atomic_int most;
    atomic_int n_worker; /* workers that process a document */
    atomic_int slot[REQUEST_LIMIT_SLOTS];
};

/* Tries to count one more request. `ahead`: it is not urgent; it is granted
 * only within the worker's equal share, or from what is left over, first come
 * first served. */
bool request_limit_acquire(struct request_limit *s, int slot, bool ahead);

/* The request was answered, or aborted. */
void request_limit_release(struct request_limit *s, int slot);

#endif
