/* record.h - the record of a document: data, evidence, and how it was read.
 *
 * SOURCE  issue "main job": document id and SHA-256, source name, page count
 * and sizes, schema name and hash, model name and hash, engine, seed,
 * versions, times per stage, warnings, fields, data. Byte-identical for the
 * same document, model and seed, except for id, created and times.
 */
#ifndef STAGES_RECORD_RECORD_H
#define STAGES_RECORD_RECORD_H

#include "stages/document/document.h"
#include "stages/engine/engine.h"
#include "stages/record/record_format.h"
#include "vlm/base/buf.h"

/* The record as a tree, in the order of printing; the stream delivers pages,
 * fields and the rows of a long document one by one. It refers to the document,
 * which must outlive it; free it with record_free (NULL is fine). */
struct record;
struct record *record_new(const struct document *doc,
                          const struct engine_facts *facts);
void record_free(struct record *r);
const cJSON *record_tree(const struct record *r);
struct json_stream *record_stream(struct record *r);

/* From now on evidence is a tree, as XML needs it, not text. */
void record_unfold(struct record *r);

/* Reports failures of the stream; call it before using anything made from it.
 * FAIL: ERR_SYSTEM. */
void record_check(const struct record *r, struct err *err);

/* The member "source": the file's name, type, hash, bytes and pages. */
cJSON *record_source(const struct document *doc);

/* Adds "part" and "archive_number", if the document has them. */
void record_add_part(cJSON *record, const struct document *doc);

/* Prints JSON, indented or (0) on one line, with a final newline. Every part is
 * parsed again, so that no record is written that platen cannot read. FAIL:
 * ERR_SYSTEM [internal] for such a record. */
void record_json(const struct document *doc, const struct engine_facts *facts,
                 int indent, struct buf *out, struct err *err);

/* Checks that records under the schema can be written as XML; call it before
 * the first document is read. FAIL: ERR_CONFIG [schema-refused]: as
 * xsd_write. */
void record_check_xml(const struct schema *schema, struct err *err);

/* Prints XML that is valid against the schema's XSD. FAIL: ERR_CONFIG if the
 * schema has no XSD (outside the documented subset). */
void record_xml(const struct document *doc, const struct engine_facts *facts,
                struct buf *out, struct err *err);

#endif
