/* page_rate.c - see page_rate.h. */
#include "pipeline/observe/page_rate.h"

enum { PAGES_TO_TELL = 3, PAGES_OF_MARK = 50 };
/* A page that took at least half of the longest wait was waited for; the
 * longest wait decays gradually. */
static const double waited_share = 0.5, forget = 0.8;

static bool was_waited_for(struct page_rate *t, double now)
{
    double wait = now - t->last;
    t->longest *= forget;
    if (wait > t->longest) t->longest = wait;
    return wait >= waited_share * t->longest;
}

void page_rate_add(struct page_rate *t, int n_read, double now)
{
    if (t->last <= 0) t->last = now; /* begun */
    if (n_read == t->n_read) return;
    struct page_rate_mark here = {n_read, now};
    if (n_read < t->n_read) *t = (struct page_rate){.last = now};
    bool waited = was_waited_for(t, now);
    if (!t->from.n_read) t->from = t->mark = t->waited = here;
    if (waited) t->waited = here;
    if (waited && n_read - t->mark.n_read >= PAGES_OF_MARK) {
        t->from = t->mark;
        t->mark = here;
    }
    t->n_read = n_read;
    t->last = now;
}

double page_rate_of_page(const struct page_rate *t, double now)
{
    int n = t->waited.n_read - t->from.n_read;
    if (n < PAGES_TO_TELL) return -1;
    double so_far = (t->waited.when - t->from.when) / n;
    double at_least = (now - t->from.when) / (t->n_read - t->from.n_read + 1);
    return so_far > at_least ? so_far : at_least;
}

double page_rate_left(const struct page_rate *t, int n_page, double now)
{
    double page = page_rate_of_page(t, now);
    if (page < 0) return -1;
    double left = page * (n_page - t->n_read) - (now - t->last);
    return left > 0 ? left : 0;
}
