/* model_convert.h - platen model convert: makes a GGUF file of a checkpoint. */
#ifndef PIPELINE_MODELS_MODEL_CONVERT_H
#define PIPELINE_MODELS_MODEL_CONVERT_H

#include "pipeline/config/command.h"

/* Converts the checkpoint in `folder` as --out, --type and --imatrix say, and
 * prints the paths of the files written. n_thread 0: all processors.
 * FAIL: ERR_ARGS without --out or --type, otherwise as convert_run. */
void model_convert(const struct command_line *line, const char *folder,
                   int n_thread, struct err *err);

#endif
