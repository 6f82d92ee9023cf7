/* schema_file.h - schemas as the command line names them. */
#ifndef PIPELINE_LOCAL_SCHEMA_FILE_H
#define PIPELINE_LOCAL_SCHEMA_FILE_H

#include "pipeline/command/command.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/schema/schema.h"

/* The path of NAME in the folder of schemas, or of a file of that name; a
 * text with a slash or ".json" is a file. FAIL: ERR_CONFIG, "unknown-schema".
 */
const char *schema_file_path(const struct command_line *line, const char *name,
                             struct arena *arena, struct err *err);

/* Is it one of platen's own, which are in no folder: "platen-record" and
 * "platen-stack" (record_schema.h), or "record" and "stack" where the folder has
 * no schema of that name? Then its text is appended to `out` (or NULL). */
bool schema_file_is_own(const struct command_line *line, const char *name,
                        struct buf *out);

/* Loads it with the line's flags: --catalogue (else schema_catalogue),
 * --format-asserts, --allow-unknown where the command has them. FAIL: as
 * schema_load; a missing file is "unknown-schema". `judges`: documents that are
 * there are put to it, so that all of it must be here. */
struct schema *schema_file_open(const struct command_line *line,
                                const char *name, bool judges, struct err *err);

/* As schema_file_open with --format-asserts, for documents to be written. */
struct schema *schema_file_open_asserting(const struct command_line *line,
                                          const char *name, struct err *err);

/* Where default_schema is "auto": can the model choose (classify_check)? Where XML
 * is asked for: will the records of default_schema have it? FAIL: as
 * stage_load_schema and record_check_xml. */
void schema_file_check_default(const struct config *config, struct err *err);

#endif
