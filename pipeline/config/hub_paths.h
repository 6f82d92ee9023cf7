/* hub_paths.h - model source and cache paths, from the environment variables of
 * Hugging Face's own tools, so that both share one cache. */
#ifndef PIPELINE_CONFIG_HUB_PATHS_H
#define PIPELINE_CONFIG_HUB_PATHS_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"

struct hub_paths {
    const char *endpoint; /* HF_ENDPOINT, else https://huggingface.co; without a
                           * final slash */
    const char *token;    /* HF_TOKEN, else the file HF_HOME/token, else NULL */
    const char *folder;   /* HF_HOME/hub, else ~/.cache/huggingface/hub */
    const char *conf; /* the user's platen.conf, which need not exist, or "" */
};

/* Texts live as long as `arena`. FAIL: ERR_CONFIG if neither HF_HOME nor HOME
 * is set, or the endpoint is not an http(s) URL. */
struct hub_paths hub_paths_read(struct arena *arena, struct err *err);

#endif
