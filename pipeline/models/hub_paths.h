/* hub_paths.h - where models come from and where they lie: the environment of
 * Hugging Face's own tools, so that what one has fetched the other finds. */
#ifndef PIPELINE_MODELS_HUB_PATHS_H
#define PIPELINE_MODELS_HUB_PATHS_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"

struct hub_paths {
    const char *endpoint; /* HF_ENDPOINT, else https://huggingface.co; no / */
    const char *token;    /* HF_TOKEN, else the file HF_HOME/token, else NULL */
    const char *folder;   /* HF_HOME/hub, else ~/.cache/huggingface/hub */
    const char *conf;     /* the user's own platen.conf, there or not, or "" */
};

/* Texts live as long as `arena`. FAIL: ERR_CONFIG where no folder is known, or
 * the endpoint is no http address. */
struct hub_paths hub_paths_read(struct arena *arena, struct err *err);

#endif
