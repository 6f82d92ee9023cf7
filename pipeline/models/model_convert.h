/* model_convert.h - platen model convert: a checkpoint becomes a model file. */
#ifndef PIPELINE_MODELS_MODEL_CONVERT_H
#define PIPELINE_MODELS_MODEL_CONVERT_H

#include "pipeline/command/command.h"

/* Reads --out, --type and --imatrix; n_thread 0: all processors. Prints the paths of what was written.
 * FAIL: ERR_ARGS without them, otherwise as convert_run. */
void model_convert(const struct command_line *line, const char *folder,
                   int n_thread, struct err *err);

#endif
