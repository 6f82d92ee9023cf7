/* model_info.h - platen model info: description of a model file. */
#ifndef PIPELINE_MODELS_MODEL_INFO_H
#define PIPELINE_MODELS_MODEL_INFO_H

#include "vlm/base/err.h"

/* Prints dimensions, tensor types, tokenizer and hash of a model or vision
 * file. FAIL: as gguf_open, shape_read and weights_read; also for missing and
 * unused tensors. */
void model_info(const char *path, struct err *err);

#endif
