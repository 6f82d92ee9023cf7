/* relax_schema.h - a schema for a part of a document.
 *
 * A page has some of the document's values. So everything can be null, minimums are
 * dropped, and rules that connect places (if, then, dependent..., contains,
 * uniqueItems) are left to the whole document.
 */
#ifndef STAGES_LONG_PLAN_RELAX_SCHEMA_H
#define STAGES_LONG_PLAN_RELAX_SCHEMA_H

#include "vlm/schema/schema.h"

/* Relaxes the schema `node` (draft 2020-12) and everything below it in place, $defs
 * included: below it null is allowed, except as an array's element. */
void relax_schema(cJSON *node);

/* The same for a member of an object: `node` itself can be null too. */
void relax_schema_member(cJSON *node);

/* The same for every member of "$defs". */
void relax_schema_definitions(cJSON *definitions);

/* Whether the schema `node` requires the member. */
bool relax_schema_is_required(const cJSON *node, const char *key);

/* Converts a value of the relaxed schema for the schema at `node` (in s): members that
 * are null, optional and not nullable there are removed. Other nulls stay. */
void relax_schema_drop_nulls(const struct schema *s, const cJSON *node,
                             cJSON *value);

#endif
