/* failed_documents.h - selecting documents of failed/ for retry and dismiss: by ids and
 * names, --all or --reason CODE. */
#ifndef PIPELINE_COMMAND_FAILED_DOCUMENTS_H
#define PIPELINE_COMMAND_FAILED_DOCUMENTS_H

#include "pipeline/config/command.h"
#include "pipeline/spool/spool.h"

/* Checks that exactly one of the three is given, and that the code is known.
 * FAIL: ERR_ARGS. */
void failed_documents_check(const struct command_line *line, struct err *err);

/* The ids of the selected documents, in the arena; NULL ends the list. FAIL:
 * ERR_ARGS for an operand that names none (documents named before it are
 * returned), "disk". */
char **failed_documents_choose(struct spool *s, const struct command_line *line,
                               struct arena *arena, struct err *err);

#endif
