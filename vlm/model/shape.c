/* shape.c - see shape.h. */
#include "vlm/model/shape.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "vlm/model/gguf.h"
#include "vlm/model/metadata_keys.h"

enum {
    WIDTH_MAX = 1 << 16, /* values in any row of activations */
    FFN_MAX = 1 << 20,
    HEAD_MAX = 1024,
    VOCAB_MAX = 1 << 22,
    CTX_MAX = 1 << 24,
    EXPERT_MAX = 4096,
    MTP_MAX = 8
};

/* Metadata of one architecture: its keys start with the name. */
struct facts {
    const struct gguf *g;
    const char *prefix;
    struct err *err;
    char key[96];
};

static const char *key_of(struct facts *f, const char *name)
{
    assert(metadata_keys_known(f->prefix, name));
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

/* An integer within limits; present (checked by metadata_keys_check). */
static int number(struct facts *f, const char *name, int64_t least,
                  int64_t most)
{
    int64_t v = gguf_int(f->g, key_of(f, name), 0, f->err);
    return (int)in_range(f, v, least, most);
}

/* The same for a key that may be absent. */
static int number_or(struct facts *f, const char *name, int64_t otherwise,
                     int64_t least, int64_t most)
{
    if (!gguf_has(f->g, key_of(f, name))) return (int)otherwise;
    return number(f, name, least, most);
}

/* As an integer, for keys that some converters write per layer: all nonzero
 * entries must agree. */
static int number_of_layers(struct facts *f, const char *name, int64_t least,
                            int64_t most)
{
    key_of(f, name);
    int64_t n = gguf_array_size(f->g, f->key, f->err), v = 0;
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

static double real(struct facts *f, const char *name, double least, double most)
{
    key_of(f, name);
    double v = gguf_float(f->g, f->key, least, f->err);
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
                "%s: this is a vision file (mmproj), not a text model",
                gguf_path(g));
    else if (span_equal(arch, span_of("qwen3next")))
        err_set(err, ERR_UNSUPPORTED,
                "%s: qwen3next is not supported: use a Qwen3.5 model",
                gguf_path(g));
    else
        err_set(err, ERR_UNSUPPORTED,
                "%s: architecture \"%s\", not qwen35 or qwen35moe: use a "
                "Qwen3.5 model",
                gguf_path(g), gguf_show(arch, show));
    return "qwen35";
}

/* Old Ollama files have text and vision in one; a different order of value
 * heads would give fluent nonsense. */
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
                    "%s: tensor %s: an Ollama bundle of text and vision: get "
                    "the two files instead, the model and its mmproj (platen "
                    "model get 4b)",
                    gguf_path(g), gguf_show(name, show));
    }
}

static bool has_layer_tensor(const struct gguf *g, int layer, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "blk.%d.%s", layer, name);
    return gguf_find_tensor(g, full) != NULL;
}

/* A layer's kind according to the keys: the list of recurrent layers, else the
 * interval. Leaves the key's name in f->key. */
static bool keys_say_attends(struct facts *f, const struct shape *s, int layer)
{
    const char *list = key_of(f, "attention.recurrent_layers");
    if (gguf_has(f->g, list)) {
        if (gguf_array_size(f->g, list, f->err) < s->n_layer)
            err_set(f->err, ERR_CONFIG, "%s: key %s has fewer than %d entries",
                    gguf_path(f->g), list, s->n_layer);
        return !err_failed(f->err) &&
               !gguf_array_int(f->g, list, layer, f->err);
    }
    int interval =
        number_or(f, "full_attention_interval", 4, 1, SHAPE_LAYER_MAX);
    return (layer + 1) % interval == 0;
}

/* A per-layer list of heads has 0 for layers without attention. */
static bool heads_say_none(struct facts *f, const struct shape *s, int layer)
{
    const char *list = key_of(f, "attention.head_count_kv");
    return gguf_array_size(f->g, list, f->err) >= s->n_layer &&
           s->n_layer > 1 && !gguf_array_int(f->g, list, layer, f->err);
}

/* Full attention or Gated DeltaNet: decided by the tensors; the keys must
 * agree. */
static void read_layer_kinds(struct facts *f, struct shape *s)
{
    for (int i = 0; i < s->n_layer && !err_failed(f->err); i++) {
        bool by_keys = keys_say_attends(f, s, i);
        bool delta = has_layer_tensor(f->g, i, "ssm_a");
        bool attention = has_layer_tensor(f->g, i, "attn_q.weight");
        s->attends[i] = delta || attention ? !delta : by_keys;
        bool told = gguf_has(f->g, f->key);
        if ((told && s->attends[i] != by_keys) ||
            (s->attends[i] && heads_say_none(f, s, i)))
            err_set(f->err, ERR_CONFIG,
                    "%s: key %s does not fit layer %d, whose tensors are those "
                    "of %s",
                    gguf_path(f->g), f->key, i,
                    s->attends[i] ? "attention" : "the delta rule");
    }
}

/* Pairs of t, h and w; a fourth entry is 0. */
static int64_t read_sections(struct facts *f, const char *name, int section[3])
{
    key_of(f, name);
    int64_t n = gguf_array_size(f->g, f->key, f->err), sum = 0;
    if (n < 3 || n > 4) {
        err_set(f->err, ERR_CONFIG,
                "%s: key %s has %lld entries, not 3 or 4: convert the model "
                "again with a current converter",
                gguf_path(f->g), f->key, (long long)n);
        return 0;
    }
    for (int i = 0; i < n; i++) {
        int64_t v = gguf_array_int(f->g, f->key, i, f->err);
        v = in_range(f, v, 0, i < 3 ? HEAD_MAX : 0);
        if (i < 3) section[i] = (int)v;
        sum += v;
    }
    return sum;
}

/* Ollama's files have them up to three times. */
static void read_sections_again(struct facts *f, const struct shape *s,
                                const char *name)
{
    int again[3];
    if (err_failed(f->err) || !gguf_has(f->g, key_of(f, name))) return;
    read_sections(f, name, again);
    if (!err_failed(f->err) && memcmp(again, s->rope_section, sizeof again))
        err_set(f->err, ERR_CONFIG, "%s: key %s is not rope.dimension_sections",
                gguf_path(f->g), f->key);
}

static void read_rope(struct facts *f, struct shape *s)
{
    s->rope_base = real(f, "rope.freq_base", 1, 1e12);
    s->n_rot = number(f, "rope.dimension_count", 2, s->n_embd_head);
    int64_t sum = read_sections(f, "rope.dimension_sections", s->rope_section);
    if (!err_failed(f->err) && (s->n_rot % 2 || sum != s->n_rot / 2))
        err_set(f->err, ERR_CONFIG,
                "%s: key %s adds up to %lld, not to half of %s."
                "rope.dimension_count, %d",
                gguf_path(f->g), f->key, (long long)sum, f->prefix, s->n_rot);
    read_sections_again(f, s, "mrope_sections");
    read_sections_again(f, s, "rope.mrope_section");
}

static void read_yarn(struct facts *f, struct shape *s)
{
    s->yarn_factor = 1;
    s->yarn_ctx_train = number_or(f, "rope.scaling.original_context_length",
                                  s->n_ctx_train, 1, CTX_MAX);
    key_of(f, "rope.scaling.type");
    struct span type = gguf_string(f->g, f->key, f->err);
    /* Without a type, and with "linear", the factor is 1:
     * metadata_keys_check. */
    if (type.size == 0 || span_equal(type, span_of("none")) ||
        span_equal(type, span_of("linear")))
        return;
    if (!span_equal(type, span_of("yarn"))) {
        char show[GGUF_SHOW_MAX];
        err_set(f->err, ERR_UNSUPPORTED,
                "%s: key %s is \"%s\", not \"yarn\" or \"none\"",
                gguf_path(f->g), f->key, gguf_show(type, show));
        return;
    }
    if (!gguf_has(f->g, key_of(f, "rope.scaling.factor")))
        err_set(f->err, ERR_CONFIG, "%s: key %s is required with yarn",
                gguf_path(f->g), f->key);
    s->yarn_factor = real(f, "rope.scaling.factor", 1, 64);
    if (gguf_has(f->g, key_of(f, "rope.scaling.yarn_ext_factor")))
        real(f, "rope.scaling.yarn_ext_factor", 1, 1);
}

static void read_attention(struct facts *f, struct shape *s)
{
    s->n_head = number_of_layers(f, "attention.head_count", 1, HEAD_MAX);
    s->n_head_kv = number_of_layers(f, "attention.head_count_kv", 1, s->n_head);
    if (!err_failed(f->err) && s->n_head % s->n_head_kv)
        err_set(f->err, ERR_CONFIG,
                "%s: key %s is %d, which does not divide the %d heads",
                gguf_path(f->g), f->key, s->n_head_kv, s->n_head);
    s->n_embd_head = number(f, "attention.key_length", 2, HEAD_MAX);
    number(f, "attention.value_length", s->n_embd_head, s->n_embd_head);
    s->norm_eps =
        (float)real(f, "attention.layer_norm_rms_epsilon", 1e-12, 1e-2);
    read_rope(f, s);
    read_yarn(f, s);
}

static void read_gdn(struct facts *f, struct shape *s)
{
    s->conv_kernel = number(f, "ssm.conv_kernel", 2, 16);
    s->gdn_dim = number(f, "ssm.state_size", 1, HEAD_MAX);
    s->n_gdn_k = number(f, "ssm.group_count", 1, HEAD_MAX);
    s->n_gdn_v = number(f, "ssm.time_step_rank", 1, HEAD_MAX);
    if (!err_failed(f->err) && s->n_gdn_v % s->n_gdn_k)
        err_set(f->err, ERR_CONFIG,
                "%s: key %s is %d, no multiple of the %d key heads of "
                "ssm.group_count",
                gguf_path(f->g), f->key, s->n_gdn_v, s->n_gdn_k);
    s->gdn_k_width = s->n_gdn_k * s->gdn_dim;
    s->gdn_v_width = s->n_gdn_v * s->gdn_dim;
    s->conv_width = 2 * s->gdn_k_width + s->gdn_v_width;
    number(f, "ssm.inner_size", s->gdn_v_width, s->gdn_v_width);
}

static void read_ffn(struct facts *f, struct shape *s, bool moe)
{
    if (!moe) {
        s->n_ff = number_of_layers(f, "feed_forward_length", 1, FFN_MAX);
        return;
    }
    s->n_expert = number(f, "expert_count", 1, EXPERT_MAX);
    s->n_expert_used = number(f, "expert_used_count", 1, s->n_expert);
    s->n_ff_expert = number(f, "expert_feed_forward_length", 1, WIDTH_MAX);
    s->n_ff_shared =
        number(f, "expert_shared_feed_forward_length", 1, WIDTH_MAX);
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
        number_or(f, "vocab_size", n, n, n);
        number_or(f, "embedding_length_out", s->n_embd, s->n_embd, s->n_embd);
    }
}

bool shape_has_draft(const struct gguf *g, const struct shape *s)
{
    char name[48];
    snprintf(name, sizeof name, "blk.%d.nextn.eh_proj.weight", s->n_layer);
    return s->n_draft && gguf_find_tensor(g, name);
}

void shape_read(const struct gguf *g, struct shape *shape, struct err *err)
{
    if (err_failed(err)) return;
    struct shape s = {0};
    struct facts f = {.g = g, .err = err};
    f.prefix = architecture(g, err);
    bool moe = !strcmp(f.prefix, "qwen35moe");
    refuse_dialects(&f);
    metadata_keys_check(g, f.prefix, err);
    s.n_mtp = number_or(&f, "nextn_predict_layers", 0, 0, MTP_MAX);
    s.n_layer =
        number(&f, "block_count", s.n_mtp + 1, SHAPE_LAYER_MAX + s.n_mtp) -
        s.n_mtp;
    s.n_ctx_train = number(&f, "context_length", 1, CTX_MAX);
    s.n_embd = number(&f, "embedding_length", 1, WIDTH_MAX);
    read_vocab(&f, &s);
    if (!err_failed(err)) read_attention(&f, &s);
    if (!err_failed(err)) read_gdn(&f, &s);
    if (!err_failed(err)) read_ffn(&f, &s, moe);
    if (!err_failed(err)) read_layer_kinds(&f, &s);
    s.n_draft = s.n_mtp > 0;
    s.n_draft = shape_has_draft(g, &s);
    if (!err_failed(err)) *shape = s;
}

/* ---- context ---------------------------------------------------------- */

enum { CTX_STEP = 1024, CTX_LEAST = 4096, CTX_USUAL = 16384, CTX_MOST = 65536 };

/* Keys and values of one token in F16, all layers. */
static size_t token_bytes(const struct shape *s)
{
    size_t n_attend = 0;
    for (int i = 0; i < s->n_layer; i++)
        n_attend += s->attends[i];
    n_attend += (size_t)s->n_draft;
    return n_attend * (size_t)s->n_head_kv * (size_t)s->n_embd_head * 2 * 2;
}

int shape_context_default(const struct shape *shape, size_t bytes_free)
{
    size_t bytes = token_bytes(shape), n = CTX_USUAL;
    if (bytes_free && bytes) {
        n = bytes_free / 4 / bytes / CTX_STEP * CTX_STEP;
        if (n > CTX_MOST) n = CTX_MOST;
        if (n < CTX_USUAL && bytes * CTX_USUAL <= bytes_free / 2) n = CTX_USUAL;
        if (n < CTX_LEAST) n = CTX_LEAST;
    }
    return n < (size_t)shape->n_ctx_train ? (int)n : shape->n_ctx_train;
}

/* ---- vision ----------------------------------------------------------- */

/* The key has two names; if both are present, both must be right. */
static void check_projector(const struct gguf *g, struct err *err)
{
    static const char *const keys[] = {"clip.projector_type",
                                       "clip.vision.projector_type"};
    for (int i = 0; i < 2; i++) {
        struct span type = gguf_string(g, keys[i], err);
        char show[GGUF_SHOW_MAX];
        if ((gguf_has(g, keys[i]) || !gguf_has(g, keys[1 - i])) &&
            !span_equal(type, span_of("qwen3vl_merger")))
            err_set(err, ERR_UNSUPPORTED,
                    "%s: key %s is \"%s\", not \"qwen3vl_merger\": give the "
                    "mmproj file of a Qwen3.5 model",
                    gguf_path(g), keys[i], gguf_show(type, show));
    }
}

static void check_vision_file(const struct gguf *g, struct err *err)
{
    if (!says(g, "general.architecture", "clip", err)) {
        err_set(err, ERR_CONFIG,
                "%s: not a vision file: give the mmproj file of the model",
                gguf_path(g));
        return;
    }
    check_projector(g, err);
    if (!gguf_bool(g, "clip.has_vision_encoder", true, err))
        err_set(err, ERR_CONFIG, "%s: has no vision encoder", gguf_path(g));
    const char *key = "clip.vision.is_deepstack_layers";
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
    for (int i = 0; i < 3 && !err_failed(f->err); i++) {
        double v = gguf_array_float(f->g, f->key, i, f->err);
        if (!err_failed(f->err) && !(v >= (double)least && v <= 1))
            err_set(f->err, ERR_CONFIG, "%s: key %s is %g, not %g to 1",
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
    struct facts f = {.g = g, .prefix = "clip", .err = err};
    check_vision_file(g, err);
    metadata_keys_check(g, f.prefix, err);
    s.n_layer = number(&f, "vision.block_count", 1, SHAPE_LAYER_MAX);
    s.n_embd = number(&f, "vision.embedding_length", 4, WIDTH_MAX);
    s.n_ff = number(&f, "vision.feed_forward_length", 1, FFN_MAX);
    s.n_head = number(&f, "vision.attention.head_count", 1, HEAD_MAX);
    if (!err_failed(err) && (s.n_embd % s.n_head || s.n_embd / s.n_head % 4 ||
                             s.n_embd / s.n_head > HEAD_MAX))
        err_set(err, ERR_CONFIG,
                "%s: key %s is %d: a head of %d / %d must be a multiple of 4 "
                "up to %d",
                gguf_path(g), f.key, s.n_head, s.n_embd, s.n_head, HEAD_MAX);
    s.n_out = number(&f, "vision.projection_dim", 1, WIDTH_MAX);
    s.patch_size = number(&f, "vision.patch_size", 1, 64);
    s.merge_size = number(&f, "vision.spatial_merge_size", 1, 4);
    s.norm_eps =
        (float)real(&f, "vision.attention.layer_norm_epsilon", 1e-12, 1e-2);
    read_colours(&f, "vision.image_mean", s.mean, 0);
    read_colours(&f, "vision.image_std", s.std, 1e-3f);
    read_position_side(&f, &s);
    int64_t side = (int64_t)s.patch_size * s.merge_size;
    s.min_pixels =
        number_or(&f, "vision.image_min_pixels", 65536, side * side, 1 << 28);
    s.max_pixels = number_or(&f, "vision.image_max_pixels", 16777216,
                             s.min_pixels, 1 << 28);
    if (!err_failed(err)) *shape = s;
}
