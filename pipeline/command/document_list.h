/* document_list.h - platen status --failed, --review, --unread: which documents
 * the counts are of. */
#ifndef PIPELINE_COMMAND_DOCUMENT_LIST_H
#define PIPELINE_COMMAND_DOCUMENT_LIST_H

#include <cjson/cJSON.h>

#include "pipeline/command/command.h"
#include "pipeline/spool/spool.h"

/* Is the whole record reviewed by a person? Reads done/ID only if it has
 * corrections. */
bool document_list_is_reviewed(const struct spool *s,
                               const struct config *config, const char *id);

/* Is one of the lists asked for? */
bool document_list_is_asked(const struct command_line *line);

/* Prints the lists asked for: a line per document, or with --json one object
 * with an array for each list. */
void document_list_print(struct spool *s, const struct command_line *line);

#endif
