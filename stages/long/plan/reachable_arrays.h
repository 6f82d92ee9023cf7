/* reachable_arrays.h - which objects of a schema hold rows, however deep: each is looked at
 * once, so that schemas whose objects lead to each other come to an end.
 *
 * THREADS  One at a time.
 */
#ifndef STAGES_LONG_PLAN_REACHABLE_ARRAYS_H
#define STAGES_LONG_PLAN_REACHABLE_ARRAYS_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"

struct reachable_arrays;

/* Nothing is known yet. The arena's. */
struct reachable_arrays *reachable_arrays_new(struct arena *arena);

/* `looks` says whether the object has rows among its own members, and otherwise
 * calls reachable_arrays_add for each object among them. */
typedef bool reachable_arrays_looks(void *arg, const cJSON *object);

/* Does the object hold rows, or one that it leads to? */
bool reachable_arrays_holds(struct reachable_arrays *reach, const cJSON *object,
                            reachable_arrays_looks *looks, void *arg);

/* For `looks`: this object is to be looked at as well. True: it is known to hold
 * rows, so that there is nothing more to look for. */
bool reachable_arrays_add(struct reachable_arrays *reach, const cJSON *object);

#endif
