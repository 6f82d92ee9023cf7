/* relax_schema.h - a copy of a schema for a part of a document.
 *
 * A page shows some of what the whole holds. So everything may be null, nothing
 * has a least size, and what ties one place to another (if, then, dependent...,
 * contains, uniqueItems) is left to the whole.
 */
#ifndef STAGES_LONG_PLAN_RELAX_SCHEMA_H
#define STAGES_LONG_PLAN_RELAX_SCHEMA_H

#include "vlm/schema/schema.h"

/* Relaxes the schema `node` (of the 2020-12 draft) and all below it in place,
 * $defs included: below it null is allowed, but not as an array's element. */
void relax_schema(cJSON *node);

/* The same for a member of an object: null is allowed for it as well. */
void relax_schema_member(cJSON *node);

/* The same for every member of "$defs". */
void relax_schema_definitions(cJSON *definitions);

/* Is the member among what the schema `node` requires? Pure. */
bool relax_schema_is_required(const cJSON *node, const char *key);

/* What a page gave, of the schema at `node` (one of s), as the schema itself has it:
 * null where that has none means of a member that need not be there that it is
 * not. Other nulls stay. */
void relax_schema_drop_nulls(const struct schema *s, const cJSON *node,
                             cJSON *value);

#endif
