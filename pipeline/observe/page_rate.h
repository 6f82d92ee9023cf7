/* page_rate.h - how fast the pages of one long document go, by the last of them. */
#ifndef PIPELINE_OBSERVE_PAGE_RATE_H
#define PIPELINE_OBSERVE_PAGE_RATE_H

#include <stdbool.h>

struct page_rate { /* zeroed: nothing was heard */
    int n_read;
    double last; /* when that many were read, or it began */
    struct page_rate_mark {
        int n_read;
        double when;
    } from, mark;                 /* counted from; what becomes that later */
    struct page_rate_mark waited; /* the last page that was waited for */
    double longest;               /* of the waits */
};

/* So many pages are read, at the moment `now` (clock_seconds, not 0). Fewer than
 * before: it begins anew. What lies before the first of them is no measure: a
 * model is loaded there, or pages are passed over that an earlier run has read.
 * Where several are asked about at once they come in bursts: it is counted from
 * one page that was waited for to another. */
void page_rate_add(struct page_rate *t, int n_read, double now);

/* Seconds a page, of the last 50 to 100; a page that takes longer than that
 * counts while it does. Negative before three pages were measured. */
double page_rate_of_page(const struct page_rate *t, double now);

/* Seconds that the rest of n_page pages will take, not below 0; negative: too
 * early to tell. */
double page_rate_left(const struct page_rate *t, int n_page, double now);

#endif
