/* reach.h - which objects of a schema hold rows, however deep: each is looked at
 * once, so that schemas whose objects lead to each other come to an end.
 *
 * THREADS  One at a time.
 */
#ifndef STAGES_WINDOW_REACH_H
#define STAGES_WINDOW_REACH_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"

struct reach;

/* Nothing is known yet. The arena's. */
struct reach *reach_new(struct arena *arena);

/* `looks` says whether the object has rows among its own members, and otherwise
 * calls reach_add for each object among them. */
typedef bool reach_looks(void *arg, const cJSON *object);

/* Does the object hold rows, or one that it leads to? */
bool reach_holds(struct reach *reach, const cJSON *object, reach_looks *looks,
                 void *arg);

/* For `looks`: this object is to be looked at as well. True: it is known to hold
 * rows, so that there is nothing more to look for. */
bool reach_add(struct reach *reach, const cJSON *object);

#endif
