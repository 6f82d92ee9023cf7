/* spool_waits.h - why the queue of a spool is on hold, for platen status: the file
 * `waits` of the spool, which whoever runs the queue writes and removes. */
#ifndef PIPELINE_SPOOL_SPOOL_WAITS_H
#define PIPELINE_SPOOL_SPOOL_WAITS_H

#include "pipeline/spool/spool.h"

struct spool_waits {
    char code[24], text[300];
    long long since, until; /* UTC seconds; until 0: until platen runs again */
};

/* What cannot be written is not said, and is no failure. */
void spool_waits_write(struct spool *s, const struct spool_waits *w);
void spool_waits_remove(struct spool *s);

/* False where the queue is not on hold, or the file is noise. */
bool spool_waits_read(const struct spool *s, struct spool_waits *w);

#endif
