/* model_named.h - published models that `platen model get` knows by name.
 *
 * A name stands for a repository of GGUF files. Which of them is downloaded
 * depends on this machine's memory.
 */
#ifndef PIPELINE_MODELS_MODEL_NAMED_H
#define PIPELINE_MODELS_MODEL_NAMED_H

#include <stdint.h>

#include "pipeline/models/model_hub.h"
#include "vlm/base/arena.h"

struct model_named {
    const char *name;
    const char *repo; /* OWNER/REPO */
    const char *type; /* quantisation to use if memory allows */
};

/* The model of this name ("4b", "4b:Q8_0"), or NULL. */
const struct model_named *model_named_find(const char *what);

/* All names, separated by commas. */
const char *model_named_list(struct arena *arena);

/* `what` with its name replaced by hf:OWNER/REPO; other texts stay. */
const char *model_named_resolve(const char *what, struct arena *arena);

/* Index of the model to download, out of n: of the named type, or of the next
 * smaller type that fits into `memory` bytes (0: unknown) together with `vision`
 * bytes and what one document needs. -1: none fits. */
int model_named_choose(const struct model_named *named,
                       const struct model_hub *hub,
                       const struct model_hub_model *model, int n,
                       int64_t vision, int64_t memory);

#endif
