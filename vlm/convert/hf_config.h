/* hf_config.h - config.json of a Qwen3.5 checkpoint. */
#ifndef VLM_CONVERT_HF_CONFIG_H
#define VLM_CONVERT_HF_CONFIG_H

#include "vlm/convert/checkpoint.h"
#include "vlm/json/json.h"

struct hf_vision {
    int depth, width, n_head, n_ff, patch, merge, n_position, n_out;
    float mean[3], std[3];
    int64_t min_pixels, max_pixels; /* 0: not given */
};

struct hf_config {
    const char *name; /* name of the folder */
    bool moe, tied, has_vision;
    int n_layer, n_mtp; /* n_mtp: multi-token prediction blocks after them */
    int n_embd, n_ff, n_head, n_head_kv, head_dim, n_ctx, n_vocab, interval;
    int n_rot, section[3];
    double theta, eps, yarn_factor; /* yarn_factor 0: none */
    int yarn_ctx;
    int conv_kernel, gdn_dim, n_gdn_k, n_gdn_v;
    int n_expert, n_expert_used, n_ff_expert, n_ff_shared;
    struct hf_vision vision;
    cJSON *root; /* the whole file, for keys that are only copied */
};

/* Reads config.json and, for pixel limits, preprocessor_config.json of the
 * folder. FAIL: ERR_MISSING; ERR_CONFIG with the key; ERR_UNSUPPORTED for
 * another family or unsupported arithmetic. */
void hf_config_read(const struct checkpoint *c, struct hf_config *f,
                    struct arena *arena, struct err *err);
void hf_config_free(struct hf_config *f);

/* A JSON file of the folder, or NULL if it does not exist. Free: cJSON_Delete.
 * FAIL: ERR_CONFIG, ERR_SYSTEM. */
cJSON *hf_config_file(const struct checkpoint *c, const char *name,
                      struct arena *arena, struct err *err);

#endif
