/* schema_names.h - the names of the schemas in a folder. */
#ifndef STAGES_ASK_SCHEMA_NAMES_H
#define STAGES_ASK_SCHEMA_NAMES_H

#include "vlm/base/arena.h"

/* The NAMEs of the files NAME.schema.json, sorted, NULL behind the last; none when
 * the folder cannot be read. In the arena. */
const char **schema_names(const char *folder, struct arena *arena);

/* " (did you mean receipt?)" where the folder has a schema whose name is close to
 * `name`, else "". In the arena. */
const char *schema_names_hint(const char *folder, const char *name,
                              struct arena *arena);

#endif
