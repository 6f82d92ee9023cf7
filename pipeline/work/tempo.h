/* tempo.h - how fast the pages of one long document go, by the last of them. */
#ifndef PIPELINE_WORK_TEMPO_H
#define PIPELINE_WORK_TEMPO_H

#include <stdbool.h>

struct tempo { /* zeroed: nothing was heard */
    int n_read;
    double last; /* when that many were read, or it began */
    struct tempo_mark {
        int n_read;
        double when;
    } from, mark;             /* counted from; what becomes that later */
    struct tempo_mark waited; /* the last page that was waited for */
    double longest;           /* of the waits */
};

/* So many pages are read, at the moment `now` (now_seconds, not 0). Fewer than
 * before: it begins anew. What lies before the first of them is no measure: a
 * model is loaded there, or pages are passed over that an earlier run has read.
 * Where several are asked about at once they come in bursts: it is counted from
 * one page that was waited for to another. */
void tempo_hear(struct tempo *t, int n_read, double now);

/* Seconds a page, of the last 50 to 100; a page that takes longer than that
 * counts while it does. Negative before three pages were measured. */
double tempo_of_page(const struct tempo *t, double now);

/* Seconds that the rest of n_page pages will take, not below 0; negative: too
 * early to tell. */
double tempo_left(const struct tempo *t, int n_page, double now);

#endif
