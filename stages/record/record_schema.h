/* record_schema.h - the schemas of what platen itself writes: a record, version
 * 2, and the list of what a stack was cut into. platen schema show prints them;
 * a test holds every record to them.
 *
 * Members have stood in them since version 2 and mean what they meant; new ones
 * may come, so who reads a record passes over what he does not know.
 */
#ifndef STAGES_RECORD_RECORD_SCHEMA_H
#define STAGES_RECORD_RECORD_SCHEMA_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/schema/schema.h"

/* Appends the schema "record" or "stack"; false for any other name (out may be
 * NULL, to ask). */
bool record_schema_print(const char *name, struct buf *out);

/* The schema of whole records whose `data` `schema` describes, which is a
 * resource of its own in it; free with schema_free. FAIL: as schema_parse. */
struct schema *record_schema_new(const struct schema *schema, struct err *err);

/* Is it the schema of records whatever their data? */
bool record_schema_is_general(const struct schema *schema);

#endif
