/* status_stacks.h - how far the documents of stacks are (platen status).
 *
 * A stack is done once it is cut apart, while its parts have yet to be read:
 * whoever asks wants to know of them. A stack is
 *   {id, name, parts, done, failed}
 * and what is missing from `parts` has no outcome yet.
 */
#ifndef PIPELINE_COMMAND_STATUS_STACKS_H
#define PIPELINE_COMMAND_STATUS_STACKS_H

#include <cjson/cJSON.h>

#include "pipeline/spool/spool.h"

/* How far the parts of the stack `id` in done/ are; NULL when it is no stack, or
 * was pruned. `most` bounds its record. Owned by the caller. */
cJSON *status_stacks_one(const struct spool *s, const char *id, size_t most);

/* Adds it to a list of stacks, once, if a part of it has no outcome yet. */
void status_stacks_add(const struct spool *s, const char *id, size_t most,
                       cJSON *list);

/* "3 of 20 parts done, 1 failed" */
void status_stacks_print(const cJSON *stack);

#endif
