/* xsd.h - the XML Schema (XSD) of a JSON Schema's records (mapping.h).
 *
 * THREADS  As xml.h. A struct xsd is read-only once open.
 */
#ifndef STAGES_RECORD_XSD_H
#define STAGES_RECORD_XSD_H

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/schema/schema.h"

struct xsd;

/* Writes the XSD 1.0 of whole records, with <record> and <data> as possible
 * roots; `record` comes from record_schema_new. FAIL: ERR_CONFIG
 * [schema-refused]: the schema is outside the subset of mapping.h. */
void xsd_write(const struct schema *record, struct buf *out, struct err *err);

/* Compiles that XSD with libxml2. FAIL: as xsd_write, also if libxml2 rejects
 * it. */
struct xsd *xsd_open(const struct schema *record, struct err *err);
void xsd_close(struct xsd *x); /* NULL is fine */

/* Is the document valid? If not, *why is the reason with its line, in the
 * arena. Text that is not XML, or has a DOCTYPE, is not valid. FAIL:
 * ERR_SYSTEM. */
bool xsd_validate(const struct xsd *x, struct span xml, struct arena *arena,
                  const char **why, struct err *err);

/* Translates an ECMA-262 pattern to XML Schema; false if that is impossible. */
bool xsd_pattern(struct buf *out, const char *pattern);

#endif
