/* out_names.h - names of output files that no earlier file of the same command
 * has.
 */
#ifndef PIPELINE_LOCAL_OUT_NAMES_H
#define PIPELINE_LOCAL_OUT_NAMES_H

#include "vlm/base/arena.h"

struct out_names {
    const char **stem; /* used so far */
    size_t n_stem;
    struct arena *arena; /* of the names; the caller's */
};

/* A name for the file at `path` ("-": stdin), or for document `number` of a
 * stack in it (0: the file is one document): scan, scan-2, scan-3; scan-1,
 * scan-2 for the documents of a stack. Lives in the arena. */
const char *out_names_take(struct out_names *names, const char *path,
                           int number);

/* Frees the list. */
void out_names_free(struct out_names *names);

#endif
