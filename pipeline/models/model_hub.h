/* model_hub.h - the files of a repository, and which of them make a model. */
#ifndef PIPELINE_MODELS_MODEL_HUB_H
#define PIPELINE_MODELS_MODEL_HUB_H

#include <stdbool.h>
#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"

enum { MODEL_HUB_FILES_MOST = 4096, MODEL_HUB_PARTS_MOST = 999 };

struct model_hub_file {
    const char *path;   /* below the repository; never leads out of it */
    int64_t size;       /* bytes */
    const char *sha256; /* 64 digits, or "" */
};

/* All GGUF files of a repository. */
struct model_hub {
    struct model_hub_file *file; /* room for MODEL_HUB_FILES_MOST */
    int n;
};

/* One model: a file, or all parts of one, in order. */
struct model_hub_model {
    int first; /* of struct model_hub */
    int n_part;
    int64_t size;
};

/* Of no files yet, in the arena. */
struct model_hub *model_hub_new(struct arena *arena);

/* Adds the GGUF files of an answer of /api/models/REPO/tree/REVISION, then in
 * the order of their names. FAIL: ERR_REMOTE (no such answer), ERR_INPUT (a name
 * that leads out of its folder), ERR_LIMIT. */
void model_hub_add(struct model_hub *hub, struct span json, struct arena *arena,
                   struct err *err);

/* May the path be a file below a folder of ours? */
bool model_hub_path_is_tame(const char *path);

/* By its name. */
bool model_hub_is_gguf(const char *path);

/* 64 hexadecimal digits; NULL is none. */
bool model_hub_is_sha256(const char *text);

/* Does the name hold `quant` between its joints ("": yes)? Q4_K is not in
 * x-Q4_K_M.gguf. */
bool model_hub_is_of(const char *path, const char *quant);

/* The models whose name holds `quant` between its joints ("" : all), vision and
 * draft files left out; those in parts only where all are there. How many there
 * are, of which `most` are told. */
int model_hub_models(const struct model_hub *hub, const char *quant,
                     struct model_hub_model *model, int most);

/* The vision file that goes with them: F16 before BF16, Q8_0 and F32, or the
 * only one. -1: none. */
int model_hub_eye(const struct model_hub *hub);

#endif
