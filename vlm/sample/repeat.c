/* repeat.c - see repeat.h. */
#include "vlm/sample/repeat.h"

bool repeat_feed(struct repeat *r, int32_t token)
{
    bool loops = false;
    for (int p = 1; p <= REPEAT_PERIOD_MAX; p++) {
        bool same = r->n >= p && r->ring[(r->n - p) % REPEAT_RING] == token;
        r->same[p] = same ? r->same[p] + 1 : 0;
        /* The first time round is not counted in `same`. */
        int span = r->same[p] + p;
        if (span >= REPEAT_TOKENS && span >= REPEAT_TIMES * p) loops = true;
    }
    r->ring[r->n % REPEAT_RING] = token;
    r->n++;
    return loops;
}
