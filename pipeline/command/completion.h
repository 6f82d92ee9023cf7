/* completion.h - shell completion of commands, flags and keys, made from the
 * same tables as --help. */
#ifndef PIPELINE_COMMAND_COMPLETION_H
#define PIPELINE_COMMAND_COMPLETION_H

#include "vlm/base/buf.h"
#include "vlm/base/err.h"

/* The script for `shell`: bash, zsh or fish. FAIL: ERR_ARGS for another. */
void completion_print(const char *shell, struct buf *out, struct err *err);

#endif
