/* spool_names.h - documents by the names they were dropped with. */
#ifndef PIPELINE_SPOOL_SPOOL_NAMES_H
#define PIPELINE_SPOOL_SPOOL_NAMES_H

#include "pipeline/spool/spool.h"

/* The documents of a folder that `what` names: an id; a file name, with or
 * without its folder ("x.pdf", "receipt/x.pdf"); or a pattern for both
 * (fnmatch). Names are not unique: several can match. Ids in the arena, oldest
 * first; NULL ends the list. FAIL: ERR_ARGS if none matches, "disk". */
char **spool_named(const struct spool *s, enum spool_place place,
                   const char *what, struct arena *arena, struct err *err);

#endif
