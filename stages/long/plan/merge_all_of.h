/* merge_all_of.h - one description of what a schema describes in several places.
 *
 * Schemas of the wild say "allOf": [{"$ref": base}, {"properties": ..}], or put
 * words beside a "$ref", where they mean one object. Such an object or array is
 * described once in a copy of the schema, so that whoever looks for its members or
 * its rows looks in one place. What cannot be said in one place stays where it is.
 */
#ifndef STAGES_LONG_PLAN_MERGE_ALL_OF_H
#define STAGES_LONG_PLAN_MERGE_ALL_OF_H

#include "vlm/schema/schema.h"

/* The copy, the caller's (schema_free), which asks for the same; NULL where the
 * schema has no such place, or one that does not go into a copy. Where the branches
 * of an allOf admit no member but their own they stay apart: such a schema holds
 * nothing else. */
struct schema *merge_all_of_joined(const struct schema *source);

#endif
