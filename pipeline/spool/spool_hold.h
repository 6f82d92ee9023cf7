/* spool_hold.h - why the queue of a spool is on hold, for platen status: the
 * file `waits` of the spool, which the supervisor writes and removes. */
#ifndef PIPELINE_SPOOL_SPOOL_HOLD_H
#define PIPELINE_SPOOL_SPOOL_HOLD_H

#include "pipeline/spool/spool.h"

struct spool_hold {
    char code[24], text[300];
    long long since, until; /* UTC seconds; until 0: until platen runs again */
};

/* Failures are ignored. */
void spool_hold_write(struct spool *s, const struct spool_hold *w);
void spool_hold_remove(struct spool *s);

/* False: the queue is not on hold, or the file is damaged. */
bool spool_hold_read(const struct spool *s, struct spool_hold *w);

#endif
