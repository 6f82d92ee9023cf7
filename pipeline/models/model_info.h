/* model_info.h - platen model info: what a model file is. */
#ifndef PIPELINE_MODELS_MODEL_INFO_H
#define PIPELINE_MODELS_MODEL_INFO_H

#include "vlm/base/err.h"

/* Prints sizes, types of tensors, tokenizer and hash of a model or vision file.
 * FAIL: as gguf_open, shape_read and weights_read: also for what is missing, or
 * what nothing here reads. */
void model_info(const char *path, struct err *err);

#endif
