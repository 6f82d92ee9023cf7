/* schema_names.h - the names of the schemas in a folder. */
#ifndef STAGES_ASK_SCHEMA_NAMES_H
#define STAGES_ASK_SCHEMA_NAMES_H

#include "vlm/base/arena.h"

/* The NAMEs of the files NAME.schema.json, sorted, NULL after the last; none if
 * the folder cannot be read. In the arena. */
const char **schema_names(const char *folder, struct arena *arena);

/* " (did you mean receipt?)" if a schema in the folder has a similar name, else
 * "". In the arena. */
const char *schema_names_hint(const char *folder, const char *name,
                              struct arena *arena);

#endif
