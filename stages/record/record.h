/* record.h - the record: what was read, from what, by what, how sure.
 *
 * SOURCE  issue "main job": document id and SHA-256, source name, page count
 * and sizes, schema name and hash, model name and hash, engine, seed,
 * versions, times per stage, warnings, fields, data. The same bytes for the
 * same document, model and seed but for id, created and times.
 */
#ifndef STAGES_RECORD_RECORD_H
#define STAGES_RECORD_RECORD_H

#include "stages/document.h"
#include "stages/engine/engine.h"
#include "stages/record/record_format.h"
#include "vlm/base/buf.h"

/* The record as a tree, in the order in which it is printed; pages, fields and
 * the rows of a long document come by the stream, one by one. It refers to the
 * document's values, which must outlive it; free it with record_free. */
struct record;
struct record *record_new(const struct document *doc,
                          const struct engine_facts *facts);
void record_free(struct record *r);
const cJSON *record_tree(const struct record *r);
struct json_stream *record_stream(struct record *r);

/* Evidence comes as trees from here on, as XML wants it, not as text. */
void record_unfold(struct record *r);

/* What went wrong in the stream; to be asked before what was made of it is used.
 * FAIL: ERR_SYSTEM. */
void record_check(const struct record *r, struct err *err);

/* Its member "source": the file and its bytes. */
cJSON *record_source(const struct document *doc);

/* Adds "part" and "archive_number", where the document has them. */
void record_add_part(cJSON *record, const struct document *doc);

/* JSON, indented or (0) in one line, with a final newline. What is printed is
 * read again, part by part: nothing that platen itself would not read leaves
 * here without a failure. FAIL: ERR_SYSTEM, "internal" for that. */
void record_json(const struct document *doc, const struct engine_facts *facts,
                 int indent, struct buf *out, struct err *err);

/* Will every record under the schema have an XML? To be asked before the first
 * document is looked at, so that none is worked off and then cannot be
 * written. FAIL: ERR_CONFIG, "schema-refused": as xsd_write. */
void record_check_xml(const struct schema *schema, struct err *err);

/* XML that is valid against the schema's XSD. FAIL: ERR_CONFIG when the schema
 * has no XSD (outside the documented subset). */
void record_xml(const struct document *doc, const struct engine_facts *facts,
                struct buf *out, struct err *err);

#endif
