/* record_xml.c - the record as XML; see record.h and mapping.h. */
#include "stages/record/record.h"
#include "stages/record/record_schema.h"
#include "stages/record/xml.h"
#include "stages/record/xsd.h"

void record_check_xml(const struct schema *schema, struct err *err)
{
    if (err_failed(err)) return;
    struct schema *record = record_schema_new(schema, err);
    struct buf text = buf_limit(64 << 20);
    xsd_write(record, &text, err);
    buf_free(&text);
    schema_free(record);
    if (err_failed(err))
        err_context(err, "format xml: %s", schema_name(schema));
}

void record_xml(const struct document *doc, const struct engine_facts *facts,
                struct buf *out, struct err *err)
{
    if (err_failed(err)) return;
    struct schema *schema = record_schema_new(doc->schema, err);
    struct record *r = record_new(doc, facts);
    record_unfold(r);
    if (schema)
        xml_write_record(schema, record_tree(r), record_stream(r), out, err);
    record_check(r, err);
    record_free(r);
    schema_free(schema);
}
