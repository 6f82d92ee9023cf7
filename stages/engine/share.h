/* share.h - how many questions are on their way to one endpoint, of all workers
 * of a run together.
 *
 * LIFE     In memory that the workers share with their supervisor; zeroed but
 *          for `most`. A worker has a slot, which it alone counts in; what a
 *          dead one left there is cleared by the supervisor.
 * THREADS  Any number of processes: nothing is locked, and never more than
 *          `most` are granted at a time.
 */
#ifndef STAGES_ENGINE_SHARE_H
#define STAGES_ENGINE_SHARE_H

#include <stdatomic.h>
#include <stdbool.h>

enum { SHARE_SLOTS = 128 };

struct share {
    atomic_int most;
    atomic_int n_worker; /* that have a document at hand */
    atomic_int slot[SHARE_SLOTS];
};

/* One more question may be sent, and is counted. `ahead`: it can wait; then only
 * as long as each worker gets as many, and what is left over who asks first. */
bool share_take(struct share *s, int slot, bool ahead);

/* It was answered, or given up. */
void share_give(struct share *s, int slot);

#endif
