/* suggest.h - the known name that a mistyped one is closest to.
 *
 *   struct suggest near = suggest_begin("reciept");
 *   for each name: suggest_try(&near, name);
 *   near.best is "receipt", or NULL where no name is close
 *
 * Counted are letters that differ, are missing, too many or swapped with the next;
 * case counts for nothing, and - and _ are the same. Up to a third of the letters
 * may differ, at least one.
 */
#ifndef VLM_BASE_SUGGEST_H
#define VLM_BASE_SUGGEST_H

#include <stddef.h>

struct suggest {
    const char *wanted; /* the caller's */
    const char *best;   /* of those tried, as it was given; or NULL */
    size_t least;       /* a better one has fewer differences than this */
};

/* `wanted` must outlive it. */
struct suggest suggest_begin(const char *wanted);

/* One of the known names, which must outlive it as well. */
void suggest_try(struct suggest *n, const char *name);

#endif
