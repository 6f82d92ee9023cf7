/* failed.h - documents of failed/ as retry and dismiss name them: by ids, --all or
 * --reason CODE. */
#ifndef PIPELINE_COMMAND_FAILED_H
#define PIPELINE_COMMAND_FAILED_H

#include "pipeline/command/command.h"
#include "pipeline/spool/spool.h"

/* Exactly one of the three, and a known code? FAIL: ERR_ARGS. */
void failed_check(const struct command_line *line, struct err *err);

/* Their ids, NULL behind the last, in the arena. FAIL: ERR_ARGS for what is no id
 * (those before it are returned), "disk". */
char **failed_choose(struct spool *s, const struct command_line *line,
                     struct arena *arena, struct err *err);

#endif
