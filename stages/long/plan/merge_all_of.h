/* merge_all_of.h - merges subschemas that describe one value.
 *
 * Many schemas have "allOf": [{"$ref": base}, {"properties": ..}], or keywords beside
 * a "$ref", and mean one object. A copy of the schema describes such an object or
 * array once, so that its members and rows are found in one place. What cannot be
 * merged is left as it is.
 */
#ifndef STAGES_LONG_PLAN_MERGE_ALL_OF_H
#define STAGES_LONG_PLAN_MERGE_ALL_OF_H

#include "vlm/schema/schema.h"

/* An equivalent copy, the caller's (schema_free); NULL if nothing can be merged.
 * Branches of an allOf that admit only their own members stay apart: such a schema
 * holds nothing else. */
struct schema *merge_all_of_joined(const struct schema *source);

#endif
