/* model_self_test.h - a model file is looked at once, when its hash is new.
 *
 * What was found (vlm_check.h) is kept in the cache folder under the hash of
 * model and vision file; MODEL.gguf is not looked at again until it changes.
 */
#ifndef STAGES_ENGINE_MODEL_SELF_TEST_H
#define STAGES_ENGINE_MODEL_SELF_TEST_H

#include "stages/settings.h"
#include "vlm/base/arena.h"
#include "vlm/base/err.h"

struct vlm_session;

/* What is doubtful about the model, in the arena; NULL: nothing. `s` must be
 * empty and is left so; settings->model_check says what is done with what was
 * found. FAIL: [model-refused] for a broken file, saying what stands out. */
const char *model_self_test(struct vlm_session *s, const char *hash,
                            const struct settings *settings,
                            struct arena *arena, struct err *err);

#endif
