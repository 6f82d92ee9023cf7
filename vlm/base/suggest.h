/* suggest.h - the known name closest to a mistyped one.
 *
 *   struct suggest near = suggest_begin("reciept");
 *   for each name: suggest_try(&near, name);
 *   near.best is "receipt", or NULL if no name is close
 *
 * The distance counts letters that differ, are missing, extra or swapped with
 * the next; case is ignored, and - and _ are equal. Up to a third of the
 * letters can differ, at least one.
 */
#ifndef VLM_BASE_SUGGEST_H
#define VLM_BASE_SUGGEST_H

#include <stddef.h>

struct suggest {
    const char *wanted; /* borrowed */
    const char *best;   /* the closest name tried so far; or NULL */
    size_t least;       /* a closer name must have fewer differences */
};

/* Starts a search; `wanted` must outlive it. */
struct suggest suggest_begin(const char *wanted);

/* Tries one known name, which must outlive the search. */
void suggest_try(struct suggest *n, const char *name);

#endif
