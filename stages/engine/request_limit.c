/* request_limit.c - see request_limit.h. */
#include "stages/engine/request_limit.h"

static int sum_of(const struct request_limit *s)
{
    int sum = 0;
    for (int i = 0; i < REQUEST_LIMIT_SLOTS; i++)
        sum += s->slot[i];
    return sum;
}

/* Whether the client has its equal share, and no less of the rest than any
 * other. */
static bool has_enough(const struct request_limit *s, int slot)
{
    int more = 0;
    int own = s->n_client > 1 ? s->most / s->n_client : s->most;
    int rest = own ? s->most - own * s->n_client : 0;
    if (s->slot[slot] < own) return false;
    for (int i = 0; i < REQUEST_LIMIT_SLOTS; i++)
        if (s->slot[i] > own) more += s->slot[i] - own;
    return more >= rest;
}

bool request_limit_acquire(struct request_limit *s, int slot, bool ahead)
{
    if ((ahead && has_enough(s, slot)) || sum_of(s) >= s->most) return false;
    s->slot[slot]++;
    return true;
}

void request_limit_release(struct request_limit *s, int slot)
{
    s->slot[slot]--;
}
