/* request_limit.c - see request_limit.h. */
#include "stages/engine/request_limit.h"

static int sum_of(struct request_limit *s)
{
    int sum = 0;
    for (int i = 0; i < REQUEST_LIMIT_SLOTS; i++)
        sum += atomic_load(&s->slot[i]);
    return sum;
}

/* Whether the worker has its equal share, and no less of the rest than any
 * other. */
static bool has_enough(struct request_limit *s, int slot, int most)
{
    int n_worker = atomic_load(&s->n_worker), more = 0;
    int own = n_worker > 1 ? most / n_worker : most;
    int rest = own ? most - own * n_worker : 0;
    if (atomic_load(&s->slot[slot]) < own) return false;
    for (int i = 0; i < REQUEST_LIMIT_SLOTS; i++) {
        int n = atomic_load(&s->slot[i]);
        if (n > own) more += n - own;
    }
    return more >= rest;
}

bool request_limit_acquire(struct request_limit *s, int slot, bool ahead)
{
    int most = atomic_load(&s->most);
    if (ahead && has_enough(s, slot, most)) return false;
    /* counted first: of two at once both can step back, but the limit is never
     * exceeded */
    atomic_fetch_add(&s->slot[slot], 1);
    if (sum_of(s) <= most) return true;
    request_limit_release(s, slot);
    return false;
}

void request_limit_release(struct request_limit *s, int slot)
{
    atomic_fetch_sub(&s->slot[slot], 1);
}
