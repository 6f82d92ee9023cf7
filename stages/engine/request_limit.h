/* request_limit.h - limits the requests in flight to one endpoint, over all
 * clients of a fetch process.
 *
 * LIFE     Zeroed except for `most`. Each client has a slot, which is cleared
 *          when it has gone.
 * THREADS  One thread.
 */
#ifndef STAGES_ENGINE_REQUEST_LIMIT_H
#define STAGES_ENGINE_REQUEST_LIMIT_H

#include <stdbool.h>

enum { REQUEST_LIMIT_SLOTS = 128 };

struct request_limit {
    int most;
    int n_client; /* clients that have a document */
    int slot[REQUEST_LIMIT_SLOTS];
};

/* Tries to count one more request. `ahead`: it is not urgent; it is granted
 * only within the client's equal share, or from what is left over, first come
 * first served. */
bool request_limit_acquire(struct request_limit *s, int slot, bool ahead);

/* The request was answered, or aborted. */
void request_limit_release(struct request_limit *s, int slot);

#endif
