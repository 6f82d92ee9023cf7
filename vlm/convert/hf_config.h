/* hf_config.h - what config.json says of a Qwen3.5 checkpoint. */
#ifndef VLM_CONVERT_HF_CONFIG_H
#define VLM_CONVERT_HF_CONFIG_H

#include "vlm/convert/checkpoint.h"
#include "vlm/json/json.h"

struct hf_vision {
    int depth, width, n_head, n_ff, patch, merge, n_position, n_out;
    float mean[3], std[3];
    int64_t min_pixels, max_pixels; /* 0: not said */
};

struct hf_config {
    const char *name; /* of the folder */
    bool moe, tied, has_vision;
    int n_layer, n_mtp; /* n_mtp: blocks of multi-token prediction behind */
    int n_embd, n_ff, n_head, n_head_kv, head_dim, n_ctx, n_vocab, interval;
    int n_rot, section[3];
    double theta, eps, yarn_factor; /* yarn_factor 0: none */
    int yarn_ctx;
    int conv_kernel, gdn_dim, n_gdn_k, n_gdn_v;
    int n_expert, n_expert_used, n_ff_expert, n_ff_shared;
    struct hf_vision vision;
    cJSON *root; /* the whole file, for facts that are only passed on */
};

/* Reads config.json and, for pixels, preprocessor_config.json of the folder.
 * FAIL: ERR_MISSING; ERR_CONFIG naming the key; ERR_UNSUPPORTED for another
 * family, or for what would change the arithmetic. */
void hf_config_read(const struct checkpoint *c, struct hf_config *f,
                    struct arena *arena, struct err *err);
void hf_config_free(struct hf_config *f);

/* A JSON file of the folder, or NULL where there is none. The caller's:
 * cJSON_Delete. */
cJSON *hf_config_file(const struct checkpoint *c, const char *name,
                      struct arena *arena, struct err *err);

#endif
