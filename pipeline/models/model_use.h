/* model_use.h - the two lines of platen.conf that name a model. */
#ifndef PIPELINE_MODELS_MODEL_USE_H
#define PIPELINE_MODELS_MODEL_USE_H

#include "vlm/base/err.h"

/* Sets model and mmproj ("": the line goes) in the file, which is made where it
 * is not there, and drops model_sha256, which was that of another file; every
 * other line stays. The old file stays whole until the new one is durable.
 * FAIL: ERR_SYSTEM, ERR_CONFIG (a path that such a file cannot hold). */
void model_use(const char *file, const char *model, const char *mmproj,
               struct err *err);

#endif
