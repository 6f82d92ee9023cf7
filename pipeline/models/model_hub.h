/* model_hub.h - file list of a repository, and the models in it. */
#ifndef PIPELINE_MODELS_MODEL_HUB_H
#define PIPELINE_MODELS_MODEL_HUB_H

#include <stdbool.h>
#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

enum { MODEL_HUB_FILES_MOST = 4096, MODEL_HUB_PARTS_MOST = 999 };

struct model_hub_file {
    const char *path;   /* relative to the repository; never leads out of it */
    int64_t size;       /* bytes */
    const char *sha256; /* 64 hex digits, or "" */
};

/* All GGUF files of a repository. */
struct model_hub {
    struct model_hub_file *file; /* capacity MODEL_HUB_FILES_MOST */
    int n;
};

/* One model: a file, or all parts of a split one, in order. */
struct model_hub_model {
    int first; /* index of the first part in model_hub.file */
    int n_part;
    int64_t size; /* bytes of all parts */
};

/* An empty list, allocated in the arena. */
struct model_hub *model_hub_new(struct arena *arena);

/* Adds the GGUF files of a response of /api/models/REPO/tree/REVISION and sorts
 * the list by path. FAIL: ERR_REMOTE (not such a response, too many files),
 * ERR_INPUT (a path that leads out of its folder). */
void model_hub_add(struct model_hub *hub, struct span json, struct arena *arena,
                   struct err *err);

/* Is it safe to create this relative path below a folder of ours? */
bool model_hub_path_is_safe(const char *path);

/* Does the name end in .gguf? */
bool model_hub_is_gguf(const char *path);

/* 64 hex digits? False for NULL. */
bool model_hub_is_sha256(const char *text);

/* Does the path contain `quant` between separators ("": true)? x-Q4_K_M.gguf
 * does not contain Q4_K. */
bool model_hub_is_of(const char *path, const char *quant);

/* Finds the models that match `quant` (model_hub_is_of), without vision and
 * draft files and without incomplete split models. Writes up to `most` to
 * `model` and returns how many match. */
int model_hub_models(const struct model_hub *hub, const char *quant,
                     struct model_hub_model *model, int most);

/* Index of the vision file: F16 preferred, then BF16, Q8_0, F32, any. -1:
 * none. */
int model_hub_mmproj(const struct model_hub *hub);

#endif
