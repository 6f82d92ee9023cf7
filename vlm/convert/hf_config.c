/* hf_config.c - reads config.json and refuses other model families. */
#include "vlm/convert/hf_config.h"

#include <math.h>
#include <string.h>

#include "vlm/base/file_map.h"

enum { FILE_MOST = 256 << 20, SIZE_MOST = 1 << 24 };

cJSON *hf_config_file(const struct checkpoint *c, const char *name,
                      struct arena *arena, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct err missing = {0};
    const char *path = arena_text(arena, "%s/%s", checkpoint_folder(c), name);
    struct span text = file_map_read(path, FILE_MOST, arena, &missing);
    if (missing.kind == ERR_MISSING) return NULL;
    if (err_failed(&missing)) {
        *err = missing;
        return NULL;
    }
    cJSON *root = json_parse(text, err);
    if (root && !cJSON_IsObject(root))
        err_set(err, ERR_CONFIG, "not a JSON object");
    err_context(err, "%s", path);
    if (!err_failed(err)) return root;
    cJSON_Delete(root);
    return NULL;
}

/* --- keys ------------------------------------------------------------------ */

struct keys { /* an object, and where its errors go */
    const cJSON *object;
    struct err *err;
};

static double read_real(struct keys k, const char *key, double otherwise)
{
    const cJSON *v = k.object ? json_get(k.object, key) : NULL;
    if (!v || cJSON_IsNull(v)) return otherwise;
    if (!cJSON_IsNumber(v))
        err_set(k.err, ERR_CONFIG, "%s is not a number", key);
    return v->valuedouble;
}

/* A whole number; required if `otherwise` is negative, else optional. */
static int read_whole(struct keys k, const char *key, int otherwise)
{
    double v = read_real(k, key, otherwise);
    if (v < 0 && otherwise < 0)
        err_set(k.err, ERR_CONFIG, "%s is missing", key);
    else if (!(v >= 0 && v <= SIZE_MOST) || v != floor(v))
        err_set(k.err, ERR_CONFIG, "%s is %g, not a size", key, v);
    return err_failed(k.err) ? 1 : (int)v;
}

/* A required whole number other than 0. */
static int read_size(struct keys k, const char *key)
{
    int v = read_whole(k, key, -1);
    if (!v) err_set(k.err, ERR_CONFIG, "%s is 0", key);
    return v ? v : 1;
}

static bool read_bool(struct keys k, const char *key, bool otherwise)
{
    const cJSON *v = k.object ? json_get(k.object, key) : NULL;
    if (!v || cJSON_IsNull(v)) return otherwise;
    if (!cJSON_IsBool(v))
        err_set(k.err, ERR_CONFIG, "%s is neither true nor false", key);
    return cJSON_IsTrue(v);
}

/* Refuses other values, which the compute graph does not support. */
static void require_value(struct keys k, const char *key, const char *value)
{
    const char *actual = k.object ? json_get_text(k.object, key) : NULL;
    if (actual && strcmp(actual, value) != 0)
        err_set(k.err, ERR_UNSUPPORTED, "%s is %.40s, not %s", key, actual,
                value);
}

/* --- the text model -------------------------------------------------------- */

static void read_sections(struct keys rope, struct hf_config *f)
{
    static const int usual[3] = {11, 11, 10};
    memcpy(f->section, usual, sizeof usual);
    const cJSON *list =
        rope.object ? json_get(rope.object, "mrope_section") : NULL;
    if (!list) return;
    int n = 0;
    for (const cJSON *e = list->child; e && n < 4; e = e->next, n++)
        if (n < 3) f->section[n] = (int)e->valuedouble;
    if (n != 3)
        err_set(rope.err, ERR_CONFIG, "mrope_section must have 3 sizes");
}

static void read_rope(struct keys text, struct hf_config *f)
{
    const cJSON *object = json_get(text.object, "rope_parameters");
    if (!cJSON_IsObject(object)) object = text.object;
    struct keys rope = {object, text.err};
    f->theta = read_real(rope, "rope_theta", 1e7);
    double part = read_real(rope, "partial_rotary_factor",
                            read_real(text, "partial_rotary_factor", 0.25));
    f->n_rot = (int)(f->head_dim * part);
    read_sections(rope, f);
    const char *type = json_get_text_or_empty(rope.object, "rope_type");
    if (!strcmp(type, "yarn")) {
        f->yarn_factor = read_real(rope, "factor", 4);
        f->yarn_ctx =
            read_whole(rope, "original_max_position_embeddings", f->n_ctx);
    } else if (*type && strcmp(type, "default") != 0)
        err_set(text.err, ERR_UNSUPPORTED, "rope_type is %.40s", type);
}

static void read_delta(struct keys text, struct hf_config *f)
{
    f->conv_kernel = read_size(text, "linear_conv_kernel_dim");
    f->gdn_dim = read_size(text, "linear_key_head_dim");
    f->n_gdn_k = read_size(text, "linear_num_key_heads");
    f->n_gdn_v = read_size(text, "linear_num_value_heads");
    if (read_size(text, "linear_value_head_dim") != f->gdn_dim)
        err_set(text.err, ERR_UNSUPPORTED,
                "linear_value_head_dim differs from linear_key_head_dim");
    if (f->n_gdn_v % f->n_gdn_k)
        err_set(text.err, ERR_CONFIG,
                "linear_num_value_heads is not a multiple of "
                "linear_num_key_heads");
}

static void read_ffn(struct keys text, struct hf_config *f)
{
    f->n_expert = read_whole(text, "num_experts", 0);
    f->moe = f->n_expert > 0;
    if (!f->moe) {
        f->n_ff = read_size(text, "intermediate_size");
        return;
    }
    f->n_expert_used = read_size(text, "num_experts_per_tok");
    f->n_ff_expert = read_size(text, "moe_intermediate_size");
    f->n_ff_shared = read_size(text, "shared_expert_intermediate_size");
}

/* The interval derived from the position of the first attention layer, for a
 * file without full_attention_interval. */
static int first_attention(struct keys text)
{
    const cJSON *list = json_get(text.object, "layer_types");
    int i = 1;
    for (const cJSON *e = list ? list->child : NULL; e; e = e->next, i++)
        if (cJSON_IsString(e) && !strcmp(e->valuestring, "full_attention"))
            return i;
    return 4;
}

/* Checks that exactly every interval-th layer is attention. */
static void check_layers(struct keys text, const struct hf_config *f)
{
    const cJSON *list = json_get(text.object, "layer_types");
    int i = 0;
    for (const cJSON *e = list ? list->child : NULL; e; e = e->next, i++) {
        bool attends =
            cJSON_IsString(e) && !strcmp(e->valuestring, "full_attention");
        if (i < f->n_layer && attends != ((i + 1) % f->interval == 0))
            err_set(text.err, ERR_UNSUPPORTED,
                    "layer_types: layer %d contradicts "
                    "full_attention_interval %d",
                    i, f->interval);
    }
}

static void read_text(struct keys text, struct hf_config *f)
{
    f->n_layer = read_size(text, "num_hidden_layers");
    f->n_embd = read_size(text, "hidden_size");
    f->n_head = read_size(text, "num_attention_heads");
    f->n_head_kv = read_size(text, "num_key_value_heads");
    f->head_dim = read_whole(text, "head_dim", f->n_embd / f->n_head);
    f->n_ctx = read_size(text, "max_position_embeddings");
    f->n_vocab = read_size(text, "vocab_size");
    f->interval = read_whole(text, "full_attention_interval", 0);
    if (!f->interval) f->interval = first_attention(text);
    f->eps = read_real(text, "rms_norm_eps", 1e-6);
    f->n_mtp = read_whole(text, "mtp_num_hidden_layers", 0);
    require_value(text, "hidden_act", "silu");
    if (read_bool(text, "attention_bias", false))
        err_set(text.err, ERR_UNSUPPORTED, "attention_bias is true");
    if (!read_bool(text, "attn_output_gate", true))
        err_set(text.err, ERR_UNSUPPORTED, "attn_output_gate is false");
    read_rope(text, f);
    read_delta(text, f);
    read_ffn(text, f);
    check_layers(text, f);
}

/* --- vision ---------------------------------------------------------------- */

static void read_three(const cJSON *object, const char *key, float *out)
{
    const cJSON *list = object ? json_get(object, key) : NULL;
    int i = 0;
    for (const cJSON *e = list ? list->child : NULL; e && i < 3; e = e->next)
        out[i++] = (float)e->valuedouble;
}

static void read_pixels(const struct checkpoint *c, struct hf_config *f,
                        struct arena *arena, struct err *err)
{
    struct hf_vision *v = &f->vision;
    for (int i = 0; i < 3; i++)
        v->mean[i] = v->std[i] = 0.5f;
    cJSON *file = hf_config_file(c, "preprocessor_config.json", arena, err);
    if (!file) return;
    struct keys top = {file, err}, size = {json_get(file, "size"), err};
    read_three(file, "image_mean", v->mean);
    read_three(file, "image_std", v->std);
    v->min_pixels = (int64_t)read_real(top, "min_pixels",
                                       read_real(size, "shortest_edge", 0));
    v->max_pixels = (int64_t)read_real(top, "max_pixels",
                                       read_real(size, "longest_edge", 0));
    err_context(err, "preprocessor_config.json");
    cJSON_Delete(file);
}

static void read_vision(struct keys k, struct hf_config *f)
{
    struct hf_vision *v = &f->vision;
    v->depth = read_size(k, "depth");
    v->width = read_size(k, "hidden_size");
    v->n_head = read_size(k, "num_heads");
    v->n_ff = read_size(k, "intermediate_size");
    v->patch = read_size(k, "patch_size");
    v->merge = read_size(k, "spatial_merge_size");
    v->n_position = read_size(k, "num_position_embeddings");
    v->n_out = read_size(k, "out_hidden_size");
    require_value(k, "hidden_act", "gelu_pytorch_tanh");
    if (read_whole(k, "temporal_patch_size", 2) != 2 ||
        read_whole(k, "in_channels", 3) != 3)
        err_set(k.err, ERR_UNSUPPORTED,
                "temporal_patch_size is not 2, or in_channels not 3");
    const cJSON *deep = json_get(k.object, "deepstack_visual_indexes");
    if (deep && deep->child)
        err_set(k.err, ERR_UNSUPPORTED,
                "deepstack_visual_indexes: not a Qwen3.5 model (a Qwen3-VL?)");
    err_context(k.err, "vision_config");
}

/* --- config ---------------------------------------------------------------- */

static void check_family(const cJSON *root, struct err *err)
{
    const char *type = json_get_text_or_empty(root, "model_type");
    if (strcmp(type, "qwen3_5") && strcmp(type, "qwen3_5_moe") &&
        strcmp(type, "qwen3_5_text") && strcmp(type, "qwen3_5_moe_text"))
        err_set(err, ERR_UNSUPPORTED,
                "model_type is \"%.40s\", not qwen3_5 or qwen3_5_moe", type);
}

static const char *last_part(const char *folder, struct arena *arena)
{
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/')
        n--;
    char *copy = arena_copy(arena, (struct span){folder, n});
    char *slash = strrchr(copy, '/');
    return slash && slash[1] ? slash + 1 : copy;
}

void hf_config_read(const struct checkpoint *c, struct hf_config *f,
                    struct arena *arena, struct err *err)
{
    *f = (struct hf_config){0};
    if (err_failed(err)) return;
    f->name = last_part(checkpoint_folder(c), arena);
    f->root = hf_config_file(c, "config.json", arena, err);
    if (!f->root) {
        err_set(err, ERR_MISSING, "%s: contains no config.json",
                checkpoint_folder(c));
        return;
    }
    check_family(f->root, err);
    const cJSON *text = json_get(f->root, "text_config");
    const cJSON *vision = json_get(f->root, "vision_config");
    struct keys top = {f->root, err};
    struct keys inner = {cJSON_IsObject(text) ? text : f->root, err};
    if (!err_failed(err)) read_text(inner, f);
    f->tied = read_bool(top, "tie_word_embeddings",
                        read_bool(inner, "tie_word_embeddings", false));
    f->has_vision = cJSON_IsObject(vision) &&
                    checkpoint_find(c, "model.visual.pos_embed.weight");
    if (!f->has_vision)
        f->has_vision = cJSON_IsObject(vision) &&
                        checkpoint_find(c, "visual.pos_embed.weight");
    if (f->has_vision && !err_failed(err))
        read_vision((struct keys){vision, err}, f);
    err_context(err, "%s/config.json", checkpoint_folder(c));
    if (f->has_vision) read_pixels(c, f, arena, err);
    if (!checkpoint_find(c, "mtp.fc.weight")) f->n_mtp = 0;
}

void hf_config_free(struct hf_config *f)
{
    cJSON_Delete(f->root);
    f->root = NULL;
}
