/* reachable_arrays.h - which objects of a schema contain rows, at any depth. Each object
 * is visited once, so recursive schemas terminate.
 *
 * THREADS  One at a time.
 */
#ifndef STAGES_LONG_PLAN_REACHABLE_ARRAYS_H
#define STAGES_LONG_PLAN_REACHABLE_ARRAYS_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"

struct reachable_arrays;

/* A new search. Owned by the arena. */
struct reachable_arrays *reachable_arrays_new(struct arena *arena);

/* Returns whether the object has rows among its members; otherwise calls
 * reachable_arrays_add for each object among them. */
typedef bool reachable_arrays_looks(void *arg, const cJSON *object);

/* Whether the object, or one that can be reached from it, contains rows. */
bool reachable_arrays_holds(struct reachable_arrays *reach, const cJSON *object,
                            reachable_arrays_looks *looks, void *arg);

/* Adds an object to visit. True: it is known to contain rows, and the search can
 * stop. */
bool reachable_arrays_add(struct reachable_arrays *reach, const cJSON *object);

#endif
