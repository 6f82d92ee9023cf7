/* status_stacks.h - progress of stacks for platen status.
 *
 * A stack is in done/ as soon as it is split, before its parts are read. It is
 * reported as
 *   {id, name, parts, done, failed}
 * where parts - done - failed parts have no outcome yet.
 */
#ifndef PIPELINE_COMMAND_STATUS_STACKS_H
#define PIPELINE_COMMAND_STATUS_STACKS_H

#include <cjson/cJSON.h>

#include "pipeline/spool/spool.h"

/* The object of the stack `id` in done/; NULL if it is not a stack or was
 * pruned. `most`: limit of its record in bytes. Owned by the caller. */
cJSON *status_stacks_one(const struct spool *s, const char *id, size_t most);

/* Adds the stack `id` to the list, once, if a part has no outcome yet. */
void status_stacks_add(const struct spool *s, const char *id, size_t most,
                       cJSON *list);

/* Prints "3 of 20 parts done, 1 failed". */
void status_stacks_print(const cJSON *stack);

#endif
