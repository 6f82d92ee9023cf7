/* model_self_test.h - tests a model file once, when its hash is new.
 *
 * The result (vlm_check.h) is kept in the cache folder under the hash of model
 * and vision file; MODEL.gguf is not tested again until it changes.
 */
#ifndef STAGES_ENGINE_MODEL_SELF_TEST_H
#define STAGES_ENGINE_MODEL_SELF_TEST_H

#include "stages/document/settings.h"
#include "vlm/base/arena.h"
#include "vlm/base/err.h"

struct vlm_session;

/* Returns what is doubtful about the model, in the arena; NULL: nothing. `s`
 * must be empty and is left empty; settings->model_check decides how to treat
 * the result. FAIL: [model-refused] for a broken file, with the symptoms. */
const char *model_self_test(struct vlm_session *s, const char *hash,
                            const struct settings *settings,
                            struct arena *arena, struct err *err);

#endif
