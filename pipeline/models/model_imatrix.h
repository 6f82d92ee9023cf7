/* model_imatrix.h - platen model imatrix: importance of each column of a model
 * for one's own documents. */
#ifndef PIPELINE_MODELS_MODEL_IMATRIX_H
#define PIPELINE_MODELS_MODEL_IMATRIX_H

#include "pipeline/config/command.h"

struct vlm_options;

/* Runs the operands from `first` on (all pages of documents, plain text files)
 * through a model opened with `options`, and writes --out. FAIL: ERR_ARGS
 * without operands or --out, ERR_INPUT for an unreadable document,
 * ERR_SYSTEM. */
void model_imatrix(const struct command_line *line,
                   const struct vlm_options *options, int first,
                   struct err *err);

#endif
