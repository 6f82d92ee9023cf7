/* xml.h - writes and reads records as XML, with the mapping of mapping.h.
 *
 * The reader accepts no DTD and no entities except XML's own five, and never
 * opens another file or a connection.
 * THREADS  Call xml_start once before any other thread uses libxml2.
 */
#ifndef STAGES_RECORD_XML_H
#define STAGES_RECORD_XML_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/schema/schema.h"

/* Initialises libxml2; once, before any thread uses this file or xsd.h.
 * Replaces its loader of other files by one that refuses. */
void xml_start(void);

/* Writes a value that is valid under the schema: a whole record (root
 * <record>), or its `data` (root <data>). `record` comes from
 * record_schema_new; `stream`: json.h. FAIL: ERR_CONFIG outside the subset;
 * ERR_INPUT if the value does not fit the schema. */
void xml_write_record(const struct schema *record, const cJSON *value,
                      struct json_stream *stream, struct buf *out,
                      struct err *err);
void xml_write_data(const struct schema *record, const cJSON *value,
                    struct buf *out, struct err *err);

/* Parses a document, for xsd_check.c; free with xmlFreeDoc. FAIL: ERR_INPUT:
 * not well-formed, or with a DOCTYPE. */
struct _xmlDoc *xml_parse(struct span text, struct err *err);

/* Is the text well-formed? FAIL: as xml_parse. */
bool xml_is_well_formed(struct span text, struct err *err);

/* Reads the value of a document. `record` is the schema of whole records.
 * *whole: the root is <record>, or <records>, which gives an array of whole
 * records; else it is <data>, and the value is a record's data. Free with
 * cJSON_Delete. The value is not validated. FAIL: ERR_INPUT, with the line. */
cJSON *xml_read(struct span text, const struct schema *record, bool *whole,
                struct err *err);

#endif
