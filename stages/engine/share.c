/* share.c - see share.h. */
#include "stages/engine/share.h"

static int sum_of(struct share *s)
{
    int sum = 0;
    for (int i = 0; i < SHARE_SLOTS; i++)
        sum += atomic_load(&s->slot[i]);
    return sum;
}

bool share_take(struct share *s, int slot, bool ahead)
{
    int most = atomic_load(&s->most), n_worker = atomic_load(&s->n_worker);
    int own = n_worker > 1 ? most / n_worker : most;
    if (ahead && atomic_load(&s->slot[slot]) >= own) return false;
    /* counted first: of two at once both may step back, and neither is one too
     * many */
    atomic_fetch_add(&s->slot[slot], 1);
    if (sum_of(s) <= most) return true;
    share_give(s, slot);
    return false;
}

void share_give(struct share *s, int slot)
{
    atomic_fetch_sub(&s->slot[slot], 1);
}
