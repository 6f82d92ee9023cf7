/* record_xml.c - the record as XML; see record.h and mapping.h. */
#include "stages/record/record.h"
#include "stages/record/xml.h"

void record_xml(const struct document *doc, const struct engine_facts *facts,
                struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    struct schema *schema = xml_record_schema(doc->schema, err);
    cJSON *record = record_tree(doc, facts);
    if (schema) xml_write_record(schema, record, out, err);
    cJSON_Delete(record);
    schema_free(schema);
}
