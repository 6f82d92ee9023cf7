/* page_rate.h - the reading speed of a long document, measured on its latest
 * pages. */
#ifndef PIPELINE_OBSERVE_PAGE_RATE_H
#define PIPELINE_OBSERVE_PAGE_RATE_H

#include <stdbool.h>

struct page_rate { /* zeroed: empty */
    int n_read;
    double last; /* when n_read pages were read */
    struct page_rate_mark {
        int n_read;
        double when;
    } from, mark; /* start of the measurement, and the next one */
    struct page_rate_mark waited; /* the last page that was waited for */
    double longest;               /* the longest wait */
};

/* Records that n_read pages are read at the time `now` (clock_seconds, not 0).
 * A smaller n_read than before starts again. The time before the first call is
 * not measured: the model is loaded then, or pages of an earlier run are
 * skipped. Pages that are requested together arrive in bursts, so the
 * measurement goes from one page that was waited for to another. */
void page_rate_add(struct page_rate *t, int n_read, double now);

/* Seconds per page, over the last 50 to 100 pages; a present page that takes
 * longer counts already. Negative before three pages were measured. */
double page_rate_of_page(const struct page_rate *t, double now);

/* The estimated seconds for the rest of n_page pages, 0 or more; negative: not
 * known yet. */
double page_rate_left(const struct page_rate *t, int n_page, double now);

#endif
