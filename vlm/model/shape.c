/* shape.c - see shape.h. */
#include "vlm/model/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vlm/model/gguf.h"

enum {
    WIDTH_MAX = 1 << 16, /* any row of activations */
    FFN_MAX = 1 << 20,
    HEAD_MAX = 1024,
    VOCAB_MAX = 1 << 22,
    CTX_MAX = 1 << 24,
    EXPERT_MAX = 4096,
    MTP_MAX = 8
};

/* Facts of one architecture: their keys begin with its name. */
struct facts {
    const struct gguf *g;
    const char *prefix;
    struct err *err;
    char key[96];
};

static const char *key_of(struct facts *f, const char *name)
{
    snprintf(f->key, sizeof f->key, "%s.%s", f->prefix, name);
    return f->key;
}

static int64_t in_range(struct facts *f, int64_t v, int64_t least, int64_t most)
{
    if (err_failed(f->err)) return least;
    if (v >= least && v <= most) return v;
    err_set(f->err, ERR_CONFIG, "%s: key %s is %lld, not %lld to %lld",
            gguf_path(f->g), f->key, (long long)v, (long long)least,
            (long long)most);
    return least;
}

static int64_t missing(struct facts *f, int64_t otherwise)
{
    err_set(f->err, ERR_CONFIG,
            "%s: key %s is missing: convert the model again with a current "
            "converter",
            gguf_path(f->g), f->key);
    return otherwise;
}

/* An integer within limits. `otherwise` stands for an absent key; -1: it must
 * be there. */
static int number(struct facts *f, const char *name, int64_t otherwise,
                  int64_t least, int64_t most)
{
    key_of(f, name);
    if (!gguf_has(f->g, f->key))
        return (int)(otherwise < 0 ? missing(f, least) : otherwise);
    int64_t v = gguf_int(f->g, f->key, 0, f->err);
    return (int)in_range(f, v, least, most);
}

/* As number, for keys that some writers give per layer: all entries that are
 * not zero must agree. */
static int number_of_layers(struct facts *f, const char *name,
                            int64_t otherwise, int64_t least, int64_t most)
{
    key_of(f, name);
    int64_t n = gguf_array_size(f->g, f->key, f->err), v = 0;
    if (n == 0) return (int)(otherwise < 0 ? missing(f, least) : otherwise);
    for (int64_t i = 0; i < n && !err_failed(f->err); i++) {
        int64_t one = gguf_array_int(f->g, f->key, i, f->err);
        if (one != 0 && v != 0 && one != v)
            err_set(f->err, ERR_UNSUPPORTED,
                    "%s: key %s differs between layers (%lld and %lld), which "
                    "no Qwen3.5 model does",
                    gguf_path(f->g), f->key, (long long)v, (long long)one);
        if (one != 0) v = one;
    }
    return (int)in_range(f, v, least, most);
}

static double real(struct facts *f, const char *name, double otherwise,
                   double least, double most)
{
    key_of(f, name);
    double v = gguf_float(f->g, f->key, otherwise, f->err);
    if (!err_failed(f->err) && !(v >= least && v <= most))
        err_set(f->err, ERR_CONFIG, "%s: key %s is %g, not %g to %g",
                gguf_path(f->g), f->key, v, least, most);
    return err_failed(f->err) ? least : v;
}

static bool says(const struct gguf *g, const char *key, const char *value,
                 struct err *err)
{
    return span_equal(gguf_string(g, key, err), span_of(value));
}

/* "qwen35" or "qwen35moe". */
static const char *architecture(const struct gguf *g, struct err *err)
{
    struct span arch = gguf_string(g, "general.architecture", err);
    if (span_equal(arch, span_of("qwen35"))) return "qwen35";
    if (span_equal(arch, span_of("qwen35moe"))) return "qwen35moe";
    char show[GGUF_SHOW_MAX];
    if (span_equal(arch, span_of("clip")))
        err_set(err, ERR_CONFIG,
                "%s: a vision file (mmproj): give it as the vision file, next "
                "to a text model",
                gguf_path(g));
    else if (span_equal(arch, span_of("qwen3next")))
        err_set(err, ERR_UNSUPPORTED,
                "%s: architecture qwen3next orders its heads in another way: "
                "use a Qwen3.5 model",
                gguf_path(g));
    else
        err_set(err, ERR_UNSUPPORTED,
                "%s: architecture \"%s\", not qwen35 or qwen35moe: use a "
                "Qwen3.5 model",
                gguf_path(g), gguf_show(arch, show));
    return "qwen35";
}

/* Files of Ollama hold text, vision and MTP in one, and may order value heads
 * in the other way, which would be fluent nonsense and no error. */
static void refuse_dialects(struct facts *f)
{
    const struct gguf *g = f->g;
    if (!gguf_bool(g, key_of(f, "ssm.v_head_reordered"), true, f->err))
        err_set(f->err, ERR_UNSUPPORTED,
                "%s: key %s is false: value heads in an order that is not "
                "GGUF's: convert the model with llama.cpp's converter",
                gguf_path(g), f->key);
    for (int i = 0; i < gguf_n_tensor(g) && !err_failed(f->err); i++) {
        struct span name = gguf_tensor(g, i)->name;
        char show[GGUF_SHOW_MAX];
        if ((name.size > 2 && !memcmp(name.data, "v.", 2)) ||
            (name.size > 4 && !memcmp(name.data, "mtp.", 4)))
            err_set(f->err, ERR_UNSUPPORTED,
                    "%s: tensor %s: an Ollama bundle of text and vision: use "
                    "llama.cpp's two files, the model and its mmproj",
                    gguf_path(g), gguf_show(name, show));
    }
}

static bool has_layer_tensor(const struct gguf *g, int layer, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "blk.%d.%s", layer, name);
    return gguf_find_tensor(g, full) != NULL;
}

/* Full attention or Gated DeltaNet, by the most reliable sign there is: the
 * tensors, the list of recurrent layers, zeros among the key heads, the
 * interval. */
static void read_layer_kinds(struct facts *f, struct shape *s)
{
    const struct gguf *g = f->g;
    int interval = number(f, "full_attention_interval", 4, 1, SHAPE_LAYER_MAX);
    char recurrent[96], heads[96];
    snprintf(recurrent, sizeof recurrent, "%s",
             key_of(f, "attention.recurrent_layers"));
    snprintf(heads, sizeof heads, "%s", key_of(f, "attention.head_count_kv"));
    int64_t n_recurrent = gguf_array_size(g, recurrent, f->err);
    int64_t n_heads = gguf_array_size(g, heads, f->err);
    for (int i = 0; i < s->n_layer && !err_failed(f->err); i++) {
        if (has_layer_tensor(g, i, "ssm_a"))
            s->attends[i] = false;
        else if (has_layer_tensor(g, i, "attn_q.weight"))
            s->attends[i] = true;
        else if (n_recurrent >= s->n_layer)
            s->attends[i] = !gguf_array_int(g, recurrent, i, f->err);
        else if (n_heads >= s->n_layer)
            s->attends[i] = gguf_array_int(g, heads, i, f->err) != 0;
        else
            s->attends[i] = (i + 1) % interval == 0;
    }
}

static void read_rope(struct facts *f, struct shape *s)
{
    s->rope_base = real(f, "rope.freq_base", 1e7, 1, 1e12);
    s->n_rot = number(f, "rope.dimension_count", s->n_embd_head / 4, 2,
                      s->n_embd_head);
    key_of(f, "rope.dimension_sections");
    int64_t n = gguf_array_size(f->g, f->key, f->err), sum = 0;
    if (n < 3 || n > 4) {
        err_set(f->err, ERR_CONFIG,
                "%s: key %s has %lld entries, not 3 or 4: convert the model "
                "again with a current converter",
                gguf_path(f->g), f->key, (long long)n);
        return;
    }
    for (int i = 0; i < 3; i++) {
        int64_t v = gguf_array_int(f->g, f->key, i, f->err);
        s->rope_section[i] = (int)in_range(f, v, 0, HEAD_MAX);
        sum += s->rope_section[i];
    }
    if (!err_failed(f->err) && (s->n_rot % 2 || sum != s->n_rot / 2))
        err_set(f->err, ERR_CONFIG,
                "%s: key %s adds up to %lld, not to half of %s."
                "rope.dimension_count, %d",
                gguf_path(f->g), f->key, (long long)sum, f->prefix, s->n_rot);
}

static void read_yarn(struct facts *f, struct shape *s)
{
    s->yarn_factor = 1;
    s->yarn_ctx_train = s->n_ctx_train;
    key_of(f, "rope.scaling.type");
    struct span type = gguf_string(f->g, f->key, f->err);
    if (type.size == 0 || span_equal(type, span_of("none"))) return;
    if (!span_equal(type, span_of("yarn"))) {
        char show[GGUF_SHOW_MAX];
        err_set(f->err, ERR_UNSUPPORTED,
                "%s: key %s is \"%s\", not \"yarn\" or \"none\"",
                gguf_path(f->g), f->key, gguf_show(type, show));
        return;
    }
    s->yarn_factor = real(f, "rope.scaling.factor", 1, 1, 64);
    s->yarn_ctx_train = number(f, "rope.scaling.original_context_length",
                               s->n_ctx_train, 1, CTX_MAX);
    real(f, "rope.scaling.yarn_ext_factor", 1, 1, 1);
    real(f, "rope.scaling.yarn_attn_factor", 1, 1, 1);
    real(f, "rope.scaling.yarn_beta_fast", 32, 32, 32);
    real(f, "rope.scaling.yarn_beta_slow", 1, 1, 1);
}

static void read_attention(struct facts *f, struct shape *s)
{
    s->n_head = number_of_layers(f, "attention.head_count", -1, 1, HEAD_MAX);
    s->n_head_kv =
        number_of_layers(f, "attention.head_count_kv", s->n_head, 1, s->n_head);
    if (!err_failed(f->err) && s->n_head % s->n_head_kv)
        err_set(f->err, ERR_CONFIG,
                "%s: key %s is %d, which does not divide the %d heads",
                gguf_path(f->g), f->key, s->n_head_kv, s->n_head);
    s->n_embd_head =
        number(f, "attention.key_length",
               s->n_embd / (s->n_head ? s->n_head : 1), 2, HEAD_MAX);
    number(f, "attention.value_length", s->n_embd_head, s->n_embd_head,
           s->n_embd_head);
    s->norm_eps =
        (float)real(f, "attention.layer_norm_rms_epsilon", 1e-6, 1e-12, 1e-2);
    read_rope(f, s);
    read_yarn(f, s);
}

static void read_gdn(struct facts *f, struct shape *s)
{
    s->conv_kernel = number(f, "ssm.conv_kernel", 4, 2, 16);
    s->gdn_dim = number(f, "ssm.state_size", -1, 1, HEAD_MAX);
    s->n_gdn_k = number(f, "ssm.group_count", -1, 1, HEAD_MAX);
    s->n_gdn_v = number(f, "ssm.time_step_rank", -1, 1, HEAD_MAX);
    if (!err_failed(f->err) && s->n_gdn_v % s->n_gdn_k)
        err_set(f->err, ERR_CONFIG,
                "%s: key %s is %d, no multiple of the %d key heads of "
                "ssm.group_count",
                gguf_path(f->g), f->key, s->n_gdn_v, s->n_gdn_k);
    s->gdn_k_width = s->n_gdn_k * s->gdn_dim;
    s->gdn_v_width = s->n_gdn_v * s->gdn_dim;
    s->conv_width = 2 * s->gdn_k_width + s->gdn_v_width;
    number(f, "ssm.inner_size", s->gdn_v_width, s->gdn_v_width, s->gdn_v_width);
}

static void read_ffn(struct facts *f, struct shape *s, bool moe)
{
    if (!moe) {
        s->n_ff = number_of_layers(f, "feed_forward_length", -1, 1, FFN_MAX);
        return;
    }
    s->n_expert = number(f, "expert_count", -1, 1, EXPERT_MAX);
    s->n_expert_used = number(f, "expert_used_count", -1, 1, s->n_expert);
    s->n_ff_expert = number(f, "expert_feed_forward_length", -1, 1, WIDTH_MAX);
    s->n_ff_shared = number(f, "expert_shared_feed_forward_length",
                            s->n_ff_expert, 1, WIDTH_MAX);
}

static void read_vocab(struct facts *f, struct shape *s)
{
    const struct gguf_tensor *t = gguf_find_tensor(f->g, "token_embd.weight");
    const char *key = "tokenizer.ggml.tokens";
    int64_t n = gguf_array_size(f->g, key, f->err);
    if (err_failed(f->err)) return;
    if (!t) {
        err_set(f->err, ERR_CONFIG,
                "%s: tensor token_embd.weight is missing: give the whole "
                "model, not a part of it",
                gguf_path(f->g));
    } else if (t->ne[1] < 1 || t->ne[1] > VOCAB_MAX) {
        err_set(f->err, ERR_CONFIG,
                "%s: tensor token_embd.weight has %lld rows, at most %d",
                gguf_path(f->g), (long long)t->ne[1], VOCAB_MAX);
    } else if (n != t->ne[1]) {
        err_set(f->err, ERR_CONFIG,
                "%s: key %s has %lld entries, but token_embd.weight %lld rows",
                gguf_path(f->g), key, (long long)n, (long long)t->ne[1]);
    } else {
        s->n_vocab = (int)t->ne[1];
    }
}

void shape_read(const struct gguf *g, struct shape *shape, struct err *err)
{
    if (err_failed(err)) return;
    struct shape s = {0};
    struct facts f = {.g = g, .err = err};
    f.prefix = architecture(g, err);
    bool moe = !strcmp(f.prefix, "qwen35moe");
    refuse_dialects(&f);
    s.n_mtp = number(&f, "nextn_predict_layers", 0, 0, MTP_MAX);
    s.n_layer =
        number(&f, "block_count", -1, s.n_mtp + 1, SHAPE_LAYER_MAX + s.n_mtp) -
        s.n_mtp;
    s.n_ctx_train = number(&f, "context_length", -1, 1, CTX_MAX);
    s.n_embd = number(&f, "embedding_length", -1, 1, WIDTH_MAX);
    read_vocab(&f, &s);
    if (!err_failed(err)) read_attention(&f, &s);
    if (!err_failed(err)) read_gdn(&f, &s);
    if (!err_failed(err)) read_ffn(&f, &s, moe);
    if (!err_failed(err)) read_layer_kinds(&f, &s);
    if (!err_failed(err)) *shape = s;
}

/* ---- vision ----------------------------------------------------------- */

static void check_vision_file(const struct gguf *g, struct err *err)
{
    if (!says(g, "general.architecture", "clip", err)) {
        err_set(err, ERR_CONFIG,
                "%s: not a vision file: give the mmproj file of the model",
                gguf_path(g));
        return;
    }
    const char *key = "clip.projector_type";
    if (!gguf_has(g, key)) key = "clip.vision.projector_type";
    struct span type = gguf_string(g, key, err);
    char show[GGUF_SHOW_MAX];
    if (!span_equal(type, span_of("qwen3vl_merger")))
        err_set(err, ERR_UNSUPPORTED,
                "%s: key %s is \"%s\", not \"qwen3vl_merger\": give the mmproj "
                "file of a Qwen3.5 model",
                gguf_path(g), key, gguf_show(type, show));
    if (!gguf_bool(g, "clip.has_vision_encoder", true, err))
        err_set(err, ERR_CONFIG, "%s: holds no vision encoder", gguf_path(g));
    key = "clip.vision.is_deepstack_layers";
    int64_t n = gguf_array_size(g, key, err);
    for (int64_t i = 0; i < n && !err_failed(err); i++)
        if (gguf_array_int(g, key, i, err))
            err_set(err, ERR_UNSUPPORTED,
                    "%s: key %s: DeepStack is Qwen3-VL's: give the mmproj file "
                    "of a Qwen3.5 model",
                    gguf_path(g), key);
}

static void read_colours(struct facts *f, const char *name, float out[3],
                         float least)
{
    key_of(f, name);
    int64_t n = gguf_array_size(f->g, f->key, f->err);
    for (int i = 0; i < 3 && !err_failed(f->err); i++) {
        double v = n == 0 ? 0.5 : gguf_array_float(f->g, f->key, i, f->err);
        if (!err_failed(f->err) && !(v >= (double)least && v <= 1))
            err_set(f->err, ERR_CONFIG, "%s: key %s holds %g, not %g to 1",
                    gguf_path(f->g), f->key, v, (double)least);
        out[i] = (float)v;
    }
}

/* The learned table is a square; its side follows from its rows. */
static void read_position_side(struct facts *f, struct vision_shape *s)
{
    const char *name = "v.position_embd.weight";
    const struct gguf_tensor *t = gguf_find_tensor(f->g, name);
    if (err_failed(f->err)) return;
    int64_t rows = t ? t->ne[1] : 0;
    while ((int64_t)s->position_side * s->position_side < rows &&
           s->position_side < 1024)
        s->position_side++;
    if (rows < 1 || (int64_t)s->position_side * s->position_side != rows)
        err_set(f->err, ERR_CONFIG,
                "%s: tensor %s is missing or has %lld rows, not a square up to "
                "1024 x 1024",
                gguf_path(f->g), name, (long long)rows);
}

void shape_read_vision(const struct gguf *g, struct vision_shape *shape,
                       struct err *err)
{
    if (err_failed(err)) return;
    struct vision_shape s = {0};
    struct facts f = {.g = g, .prefix = "clip.vision", .err = err};
    check_vision_file(g, err);
    s.n_layer = number(&f, "block_count", -1, 1, SHAPE_LAYER_MAX);
    s.n_embd = number(&f, "embedding_length", -1, 4, WIDTH_MAX);
    s.n_ff = number(&f, "feed_forward_length", -1, 1, FFN_MAX);
    s.n_head = number(&f, "attention.head_count", -1, 1, HEAD_MAX);
    if (!err_failed(err) && (s.n_embd % s.n_head || s.n_embd / s.n_head % 4 ||
                             s.n_embd / s.n_head > HEAD_MAX))
        err_set(err, ERR_CONFIG,
                "%s: key %s is %d: a head of %d / %d must be a multiple of 4 "
                "up to %d",
                gguf_path(g), f.key, s.n_head, s.n_embd, s.n_head, HEAD_MAX);
    s.n_out = number(&f, "projection_dim", -1, 1, WIDTH_MAX);
    s.patch_size = number(&f, "patch_size", 16, 1, 64);
    s.merge_size = number(&f, "spatial_merge_size", 2, 1, 4);
    s.norm_eps =
        (float)real(&f, "attention.layer_norm_epsilon", 1e-6, 1e-12, 1e-2);
    read_colours(&f, "image_mean", s.mean, 0);
    read_colours(&f, "image_std", s.std, 1e-3f);
    read_position_side(&f, &s);
    int64_t side = (int64_t)s.patch_size * s.merge_size;
    s.min_pixels = number(&f, "image_min_pixels", 65536, side * side, 1 << 28);
    s.max_pixels =
        number(&f, "image_max_pixels", 16777216, s.min_pixels, 1 << 28);
    if (!err_failed(err)) *shape = s;
}
