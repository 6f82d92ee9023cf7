/* model_imatrix.h - platen model imatrix: how much each column of a model is
 * used while it reads documents of one's own. */
#ifndef PIPELINE_MODELS_MODEL_IMATRIX_H
#define PIPELINE_MODELS_MODEL_IMATRIX_H

#include "pipeline/command/command.h"

struct vlm_options;

/* Reads line->operand from `first` on (every page of documents, texts as they
 * are) with a model opened by `options`, and writes --out. FAIL: ERR_ARGS
 * without them, ERR_INPUT for a document that cannot be read, ERR_SYSTEM. */
void model_imatrix(const struct command_line *line,
                   const struct vlm_options *options, int first,
                   struct err *err);

#endif
