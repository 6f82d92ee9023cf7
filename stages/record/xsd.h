/* xsd.h - the XML Schema that a JSON Schema's records have (mapping.h).
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

/* The XSD 1.0 of whole records, with <record> and <data> as possible roots;
 * `record` is of record_schema_new. FAIL: ERR_CONFIG, "schema-refused": the
 * schema is outside the subset of mapping.h. */
void xsd_write(const struct schema *record, struct buf *out, struct err *err);

/* Compiles that XSD with libxml2. FAIL: as xsd_write, also where libxml2 does
 * not take it. */
struct xsd *xsd_open(const struct schema *record, struct err *err);
void xsd_close(struct xsd *x); /* NULL is fine */

/* Is the document valid? If not, *why says so with its line, in the arena. A
 * text that is no XML, or has a DOCTYPE, is not valid. */
bool xsd_validate(const struct xsd *x, struct span xml, struct arena *arena,
                  const char **why, struct err *err);

/* An ECMA-262 pattern as one of XML Schema; false when it says something that
 * those cannot. */
bool xsd_pattern(struct buf *out, const char *pattern);

#endif
