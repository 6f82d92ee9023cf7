/* still_written.h - is a file of in/ complete, or is it still being written or
 * copied?
 *
 * It is complete when it has not changed for stable_for (an empty one: for
 * empty_after) and no process has it open for writing. One that stays open
 * without a change is waited for for a minute, or 12 times stable_for.
 */
#ifndef PIPELINE_SPOOL_STILL_WRITTEN_H
#define PIPELINE_SPOOL_STILL_WRITTEN_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

/* A name in in/. Times are those of clock_seconds. */
struct arrival {
    struct drop drop;
    double changed; /* when it was last seen to change */
    double due;     /* when it can be complete */
    bool blocked;   /* it cannot be taken */
};

/* Sets the times of a file that is new or has changed, from its stat. */
void still_written_begin(struct arrival *a, const struct config *config,
                         double now);

/* Looks at a file that is due. True: it is not complete, and `due` is when to look
 * again. */
bool still_written_again(const struct spool *s, struct arrival *a,
                         const struct config *config, double now);

#endif
