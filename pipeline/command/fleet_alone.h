/* fleet_alone.h - workers of one machine, and the one that must be alone there.
 *
 * Two locks of a file beside the scratch folders. Everybody holds the room shared
 * while it has a job; who wants to be alone shuts the gate first, so that nobody new
 * comes in while it waits for the others to end.
 */
#ifndef PIPELINE_COMMAND_FLEET_ALONE_H
#define PIPELINE_COMMAND_FLEET_ALONE_H

#include "vlm/base/err.h"

struct fleet_alone {
    int room, gate; /* descriptors; they close with the process */
};

/* FAIL: ERR_SYSTEM. */
void fleet_alone_open(struct fleet_alone *a, const char *folder,
                      struct err *err);
void fleet_alone_close(struct fleet_alone *a);

/* Before a job is asked for: false while somebody is alone, or wants to be. */
bool fleet_alone_begin(struct fleet_alone *a);

/* Is nobody else at work here? Asked again until it is so; others come in no more. */
bool fleet_alone_only(struct fleet_alone *a);

/* After a job, or none. */
void fleet_alone_end(struct fleet_alone *a);

#endif
