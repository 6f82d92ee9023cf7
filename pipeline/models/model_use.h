/* model_use.h - update of the platen.conf lines that name a model. */
#ifndef PIPELINE_MODELS_MODEL_USE_H
#define PIPELINE_MODELS_MODEL_USE_H

#include "vlm/base/err.h"

/* Sets model and mmproj ("": removes the line) in the file, which is created if
 * missing, and removes model_sha256, the hash of the old model; all other lines
 * stay. The file is replaced atomically.
 * FAIL: ERR_SYSTEM, ERR_CONFIG (a path that does not fit in such a file). */
void model_use(const char *file, const char *model, const char *mmproj,
               struct err *err);

#endif
