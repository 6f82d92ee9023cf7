/* schema_file.h - finds and loads schemas named on the command line. */
#ifndef PIPELINE_LOCAL_SCHEMA_FILE_H
#define PIPELINE_LOCAL_SCHEMA_FILE_H

#include "pipeline/config/command.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/schema/schema.h"

/* The path of the schema NAME in the schemas folder, or of a file of that name;
 * a name with a slash or ".json" is a file. FAIL: ERR_CONFIG
 * [unknown-schema]. */
const char *schema_file_path(const struct command_line *line, const char *name,
                             struct arena *arena, struct err *err);

/* Is it a built-in schema: "platen-record" or "platen-stack" (record_schema.h),
 * or "record" or "stack" if the folder has no schema of that name? Then appends
 * its text to `out` (can be NULL). */
bool schema_file_is_own(const struct command_line *line, const char *name,
                        struct buf *out);

/* Loads a schema with the command's flags --catalogue (else schema_catalogue),
 * --format-asserts and --allow-unknown, if it has them. judges: it validates
 * existing documents, so all referenced schemas must be available. FAIL: as
 * schema_load; [unknown-schema] for a missing file. */
struct schema *schema_file_open(const struct command_line *line,
                                const char *name, bool judges, struct err *err);

/* As schema_file_open with --format-asserts, for documents to be generated. */
struct schema *schema_file_open_asserting(const struct command_line *line,
                                          const char *name, struct err *err);

/* Checks default_schema: if it is "auto", that the model can choose
 * (classify_check); if XML is to be written, that its records can be. FAIL: as
 * classify_check, stages_load_schema and record_check_xml. */
void schema_file_check_default(const struct config *config, struct err *err);

#endif
