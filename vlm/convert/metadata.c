/* metadata.c - see metadata.h. */
#include "vlm/convert/metadata.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KEY_BYTES = 128 };

struct metadata_writer {
    struct gguf_writer *w;
    const char *prefix;
    char key[KEY_BYTES];
};

static const char *full_key(struct metadata_writer *f, const char *name)
{
    snprintf(f->key, sizeof f->key, "%s.%s", f->prefix, name);
    return f->key;
}

static void write_whole(struct metadata_writer *f, const char *name,
                        int64_t value)
{
    gguf_write_u32(f->w, full_key(f, name), value);
}

static void write_real(struct metadata_writer *f, const char *name,
                       double value)
{
    gguf_write_f32(f->w, full_key(f, name), value);
}

static void write_general(struct gguf_writer *w, const struct hf_config *f,
                          const char *arch, const char *kind, int file_type)
{
    gguf_write_text(w, "general.architecture", span_of(arch));
    gguf_write_text(w, "general.type", span_of(kind));
    gguf_write_text(w, "general.name", span_of(f->name));
    gguf_write_u32(w, "general.file_type", file_type);
    gguf_write_u32(w, "general.quantization_version", 2);
}

/* Keys for this program's own models: "platen": {"prompt.format":
 * "outline"} in config.json becomes the key platen.prompt.format. */
static void write_own_keys(struct gguf_writer *w, const struct hf_config *f)
{
    const cJSON *mine = json_get(f->root, "platen");
    for (const cJSON *e = cJSON_IsObject(mine) ? mine->child : NULL; e;
         e = e->next) {
        char key[KEY_BYTES];
        int n = snprintf(key, sizeof key, "platen.%s", e->string);
        if (n < (int)sizeof key && cJSON_IsString(e))
            gguf_write_text(w, key, span_of(e->valuestring));
    }
}

static void write_sizes(struct metadata_writer *w, const struct hf_config *f)
{
    write_whole(w, "block_count", f->n_layer + f->n_mtp);
    write_whole(w, "context_length", f->n_ctx);
    write_whole(w, "embedding_length", f->n_embd);
    if (!f->moe) write_whole(w, "feed_forward_length", f->n_ff);
    write_whole(w, "attention.head_count", f->n_head);
    write_whole(w, "attention.head_count_kv", f->n_head_kv);
    gguf_write_list(w->w, full_key(w, "rope.dimension_sections"), GGUF_I32, 4);
    for (int i = 0; i < 4; i++)
        gguf_write_list_i32(w->w, i < 3 ? f->section[i] : 0);
    write_real(w, "rope.freq_base", f->theta);
    write_real(w, "attention.layer_norm_rms_epsilon", f->eps);
    write_whole(w, "attention.key_length", f->head_dim);
    write_whole(w, "attention.value_length", f->head_dim);
    write_whole(w, "ssm.conv_kernel", f->conv_kernel);
    write_whole(w, "ssm.state_size", f->gdn_dim);
    write_whole(w, "ssm.group_count", f->n_gdn_k);
    write_whole(w, "ssm.time_step_rank", f->n_gdn_v);
    write_whole(w, "ssm.inner_size", (int64_t)f->n_gdn_v * f->gdn_dim);
    gguf_write_list(w->w, full_key(w, "attention.recurrent_layers"), GGUF_BOOL,
                    f->n_layer + f->n_mtp);
    for (int i = 0; i < f->n_layer + f->n_mtp; i++)
        gguf_write_list_bool(w->w,
                             i < f->n_layer && (i + 1) % f->interval != 0);
    write_whole(w, "full_attention_interval", f->interval);
    write_whole(w, "rope.dimension_count", f->n_rot);
    if (f->n_mtp) write_whole(w, "nextn_predict_layers", f->n_mtp);
}

static void write_experts(struct metadata_writer *w, const struct hf_config *f)
{
    if (!f->moe) return;
    write_whole(w, "expert_count", f->n_expert);
    write_whole(w, "expert_used_count", f->n_expert_used);
    write_whole(w, "expert_feed_forward_length", f->n_ff_expert);
    write_whole(w, "expert_shared_feed_forward_length", f->n_ff_shared);
}

static void write_yarn(struct metadata_writer *w, const struct hf_config *f)
{
    if (!(f->yarn_factor > 0)) return;
    gguf_write_text(w->w, full_key(w, "rope.scaling.type"), span_of("yarn"));
    write_real(w, "rope.scaling.factor", f->yarn_factor);
    write_whole(w, "rope.scaling.original_context_length", f->yarn_ctx);
}

void metadata_text(struct gguf_writer *w, const struct hf_config *f,
                   int file_type)
{
    const char *arch = f->moe ? "qwen35moe" : "qwen35";
    struct metadata_writer keys = {.w = w, .prefix = arch};
    write_general(w, f, arch, "model", file_type);
    write_own_keys(w, f);
    write_sizes(&keys, f);
    write_experts(&keys, f);
    write_yarn(&keys, f);
}

static void write_three(struct metadata_writer *w, const char *name,
                        const float *value)
{
    gguf_write_list(w->w, full_key(w, name), GGUF_F32, 3);
    for (int i = 0; i < 3; i++)
        gguf_write_list_f32(w->w, value[i]);
}

void metadata_vision(struct gguf_writer *w, const struct hf_config *f,
                     int file_type)
{
    const struct hf_vision *v = &f->vision;
    struct metadata_writer keys = {.w = w, .prefix = "clip.vision"};
    write_general(w, f, "clip", "mmproj", file_type);
    gguf_write_bool(w, "clip.has_vision_encoder", true);
    gguf_write_text(w, "clip.projector_type", span_of("qwen3vl_merger"));
    gguf_write_bool(w, "clip.use_gelu", true);
    write_whole(&keys, "image_size", (int64_t)(sqrt(v->n_position) * v->patch));
    write_whole(&keys, "patch_size", v->patch);
    write_whole(&keys, "embedding_length", v->width);
    write_whole(&keys, "feed_forward_length", v->n_ff);
    write_whole(&keys, "block_count", v->depth);
    write_whole(&keys, "projection_dim", v->n_out);
    write_whole(&keys, "attention.head_count", v->n_head);
    write_real(&keys, "attention.layer_norm_epsilon", f->eps);
    write_whole(&keys, "spatial_merge_size", v->merge);
    if (v->min_pixels > 0)
        write_whole(&keys, "image_min_pixels", v->min_pixels);
    if (v->max_pixels > 0)
        write_whole(&keys, "image_max_pixels", v->max_pixels);
    write_three(&keys, "image_mean", v->mean);
    write_three(&keys, "image_std", v->std);
    gguf_write_list(w, full_key(&keys, "is_deepstack_layers"), GGUF_BOOL,
                    v->depth);
    for (int i = 0; i < v->depth; i++)
        gguf_write_list_bool(w, false);
}
