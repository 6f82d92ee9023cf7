/* queue_pause.h - why the queue of a spool is on hold, for platen status: the
 * file `waits` of the spool, which the supervisor writes and removes. */
#ifndef PIPELINE_SPOOL_QUEUE_PAUSE_H
#define PIPELINE_SPOOL_QUEUE_PAUSE_H

#include "pipeline/spool/spool.h"

struct queue_pause {
    char code[24], text[300];
    long long since, until; /* UTC seconds; until 0: until platen runs again */
};

/* Failures are ignored. */
void queue_pause_write(struct spool *s, const struct queue_pause *w);
void queue_pause_remove(struct spool *s);

/* False: the queue is not on hold, or the file is damaged. */
bool queue_pause_read(const struct spool *s, struct queue_pause *w);

#endif
