/* xml.h - records as XML, by the mapping of mapping.h, and back.
 *
 * Reading takes no DTD, no entities but XML's own five, and never looks at
 * another file or a network.
 * THREADS  libxml2 must be initialised by the first caller alone: xml_start.
 */
#ifndef STAGES_RECORD_XML_H
#define STAGES_RECORD_XML_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/schema/schema.h"

/* Once, before any thread uses this file or xsd.h: replaces libxml2's loader
 * of other files by one that refuses. */
void xml_start(void);

/* A document for a value that is valid against the schema: a whole record
 * (root <record>), or what stands in its `data` (root <data>). `record` is
 * of record_schema_new. `stream`: json.h. FAIL: ERR_CONFIG outside the subset; ERR_INPUT where
 * the value does not fit the schema. */
void xml_write_record(const struct schema *record, const cJSON *value,
                      struct json_stream *stream, struct buf *out,
                      struct err *err);
void xml_write_data(const struct schema *record, const cJSON *value,
                    struct buf *out, struct err *err);

/* The document itself, for xsd_check.c; xmlFreeDoc. FAIL: ERR_INPUT: not
 * well-formed, or with a DOCTYPE. */
struct _xmlDoc *xml_parse(struct span text, struct err *err);

/* Can it be read at all? FAIL: as xml_parse. */
bool xml_is_well_formed(struct span text, struct err *err);

/* The value of a document. `record` is the schema of whole records; *whole
 * says whether the root was <record>, or <records>, whose value is an array of
 * whole records; else it was <data> and the value is what would stand there. cJSON_Delete. FAIL: ERR_INPUT, with the line; the value
 * may still be invalid against the schema. */
cJSON *xml_read(struct span text, const struct schema *record, bool *whole,
                struct err *err);

#endif
