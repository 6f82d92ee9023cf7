/* record_schema.h - the JSON Schemas of platen's own files, version 2: a
 * record, and the list of the parts of a stack. platen schema show prints them;
 * a test validates every record against them.
 *
 * Within a version, members keep their names and meanings; new ones can be
 * added, so readers of records must ignore unknown members.
 */
#ifndef STAGES_RECORD_RECORD_SCHEMA_H
#define STAGES_RECORD_RECORD_SCHEMA_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/schema/schema.h"

/* Appends the schema "record" or "stack"; false for any other name (out NULL:
 * only checks the name). */
bool record_schema_print(const char *name, struct buf *out);

/* The schema of whole records with data under `schema`, which is embedded as a
 * resource of its own; free with schema_free. FAIL: as schema_parse. */
struct schema *record_schema_new(const struct schema *schema, struct err *err);

/* Is it the schema of records with any data? */
bool record_schema_is_general(const struct schema *schema);

#endif
