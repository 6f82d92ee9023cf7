/* request_limit.h - how many questions are on their way to one endpoint, of all workers
 * of a run together.
 *
 * LIFE     In memory that the workers share with their supervisor; zeroed but
 *          for `most`. A worker has a slot, which it alone counts in; what a
 *          dead one left there is cleared by the supervisor.
 * THREADS  Any number of processes: nothing is locked, and never more than
 *          `most` are granted at a time.
 */
#ifndef STAGES_ENGINE_REQUEST_LIMIT_H
#define STAGES_ENGINE_REQUEST_LIMIT_H

#include <stdatomic.h>
#include <stdbool.h>

enum { REQUEST_LIMIT_SLOTS = 128 };

struct request_limit {
    atomic_int most;
    atomic_int n_worker; /* that have a document at hand */
    atomic_int slot[REQUEST_LIMIT_SLOTS];
};

/* One more question may be sent, and is counted. `ahead`: it can wait; then only
 * as long as each worker gets as many, and what is left over who asks first. */
bool request_limit_acquire(struct request_limit *s, int slot, bool ahead);

/* It was answered, or given up. */
void request_limit_release(struct request_limit *s, int slot);

#endif
