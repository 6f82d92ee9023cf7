/* model_named.c - see model_named.h. */
#include "pipeline/models/model_named.h"

#include <string.h>
#include <strings.h>

#include "vlm/base/buf.h"

/* Besides the weights: keys and values of 16,384 tokens, recurrent state and
 * scratch, as `platen model plan` computes for 4b (docs/notes/models.md). */
static const int64_t document_bytes = 1100LL << 20;

/* A small model loses more by coarse weights than it gains in speed. */
static const struct model_named known[] = {
    {"0.8b", "unsloth/Qwen3.5-0.8B-GGUF", "Q8_0"},
    {"2b", "unsloth/Qwen3.5-2B-GGUF", "Q8_0"},
    {"4b", "unsloth/Qwen3.5-4B-GGUF", "Q4_K_M"},
    {"9b", "unsloth/Qwen3.5-9B-GGUF", "Q4_K_M"},
    {"27b", "unsloth/Qwen3.5-27B-GGUF", "Q4_K_M"},
    {"35b-a3b", "unsloth/Qwen3.5-35B-A3B-GGUF", "Q4_K_M"},
};

static const char *const types[] = {"Q8_0", "Q4_K_M", "IQ4_XS", "Q3_K_M"};

enum {
    N_KNOWN = sizeof known / sizeof known[0],
    N_TYPE = sizeof types / sizeof types[0]
};

const struct model_named *model_named_find(const char *what)
{
    size_t n = strcspn(what, ":");
    for (int i = 0; i < N_KNOWN; i++)
        if (strlen(known[i].name) == n && !strncasecmp(known[i].name, what, n))
            return &known[i];
    return NULL;
}

const char *model_named_list(struct arena *arena)
{
    struct buf text = buf_limit(1 << 10);
    for (int i = 0; i < N_KNOWN; i++)
        buf_print(&text, "%s%s", i ? ", " : "", known[i].name);
    const char *list = arena_copy(arena, buf_span(&text));
    buf_free(&text);
    return list;
}

const char *model_named_resolve(const char *what, struct arena *arena)
{
    const struct model_named *named = model_named_find(what);
    if (!named) return what;
    return arena_text(arena, "hf:%s%s", named->repo,
                      what + strlen(named->name));
}

int model_named_choose(const struct model_named *named,
                       const struct model_hub *hub,
                       const struct model_hub_model *model, int n,
                       int64_t vision, int64_t memory)
{
    int t = 0;
    while (t < N_TYPE && strcmp(types[t], named->type) != 0)
        t++;
    for (; t < N_TYPE; t++)
        for (int i = 0; i < n; i++)
            if (model_hub_is_of(hub->file[model[i].first].path, types[t]) &&
                (memory <= 0 ||
                 model[i].size + vision + document_bytes <= memory))
                return i;
    return -1;
}
