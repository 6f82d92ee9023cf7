/* metadata_keys.c - the tables, and the check of a file's keys
 * (metadata_keys.h).
 *
 * Example: {"rope.scaling.attn_factor", ONLY, 1}: a file can have this key with
 * the value 1, which multiplies nothing. llama.cpp obeys other values; they are
 * refused.
 */
#include "vlm/model/metadata_keys.h"

#include <stdio.h>
#include <string.h>

#include "vlm/model/gguf.h"
#include "vlm/model/model_faults.h"

enum use {
    REQUIRED,      /* read; no safe default */
    REQUIRED_ONLY, /* must be present, and must be `only` */
    READ,          /* read if present */
    NOTHING,       /* does not affect results */
    ONLY,          /* must be `only` if present */
    OFF,           /* a factor or count: 1, or 0 for none */
    YARN           /* OFF, unless rope.scaling.type is yarn: then read */
};

struct key_row {
    const char *name;
    enum use use;
    double only;
};

struct table {
    const char *prefix;
    const struct key_row *row; /* ends with a row without name */
};

/* Keys of both architectures. */
static const struct key_row text_rows[] = {
    {"block_count", REQUIRED, 0},
    {"context_length", REQUIRED, 0},
    {"embedding_length", REQUIRED, 0},
    {"attention.head_count", REQUIRED, 0},
    {"attention.head_count_kv", REQUIRED, 0},
    {"attention.key_length", REQUIRED, 0},
    {"attention.value_length", REQUIRED, 0},
    {"attention.layer_norm_rms_epsilon", REQUIRED, 0},
    {"rope.dimension_count", REQUIRED, 0},
    {"rope.dimension_sections", REQUIRED, 0},
    {"rope.freq_base", REQUIRED, 0},
    {"ssm.conv_kernel", REQUIRED, 0},
    {"ssm.state_size", REQUIRED, 0},
    {"ssm.group_count", REQUIRED, 0},
    {"ssm.time_step_rank", REQUIRED, 0},
    {"ssm.inner_size", REQUIRED, 0},

    /* read if present */
    {"nextn_predict_layers", READ, 0},
    {"full_attention_interval", READ, 0},
    {"attention.recurrent_layers", READ, 0},
    {"vocab_size", READ, 0},
    {"embedding_length_out", READ, 0},
    {"mrope_sections", READ, 0}, /* Ollama's */
    {"rope.mrope_section", READ, 0},
    {"ssm.v_head_reordered", READ, 0},
    {"rope.scaling.type", READ, 0},
    {"rope.scaling.original_context_length", READ, 0},
    {"rope.scaling.factor", YARN, 0},
    {"rope.scaling.yarn_ext_factor", YARN, 0},
    {"rope.scaling.yarn_attn_factor", ONLY, 1},
    {"rope.scaling.yarn_beta_fast", ONLY, 32},
    {"rope.scaling.yarn_beta_slow", ONLY, 1},

    /* features of other model families, which must be off */
    {"rope.scaling.attn_factor", ONLY, 1},
    {"rope.scaling.alpha", OFF, 0},
    {"rope.scaling.yarn_log_multiplier", ONLY, 0},
    {"rope.scale_linear", OFF, 0},
    {"rope.mrope_interleaved", ONLY, 1},
    {"attention.causal", ONLY, 1},
    {"attention.sliding_window", ONLY, 0},
    {"attention.sliding_window_pattern", ONLY, 0},
    {"attention.shared_kv_layers", ONLY, 0},
    {"attention.scale", ONLY, 0},
    {"attention.output_scale", OFF, 0},
    {"attention.clamp_kqv", ONLY, 0},
    {"attention.max_alibi_bias", ONLY, 0},
    {"attention.temperature_length", ONLY, 0},
    {"attention.temperature_scale", ONLY, 0},
    {"attn_logit_softcapping", ONLY, 0},
    {"router_logit_softcapping", ONLY, 0},
    {"final_logit_softcapping", ONLY, 0},
    {"logit_scale", OFF, 0},
    {"residual_scale", OFF, 0},
    {"embedding_scale", OFF, 0},
    {"use_parallel_residual", ONLY, 0},
    {"pooling_type", ONLY, 0},
    {"n_deepstack_layers", ONLY, 0},
    {"ssm.dt_b_c_rms", ONLY, 0},
    {"swiglu_clamp_exp", ONLY, 0},
    {"swiglu_clamp_shexp", ONLY, 0},
    {"leading_dense_block_count", ONLY, 0},
    {"interleave_moe_layer_step", OFF, 0},
    {"moe_every_n_layers", OFF, 0},
    {"expert_group_count", OFF, 0},
    {"expert_group_used_count", OFF, 0},
    {"expert_weights_scale", OFF, 0},
    {"expert_weights_norm", ONLY, 1},
    {"expert_gating_func", OFF, 0}, /* 1: softmax */

    /* these do not affect results */
    {"rope.scaling.finetuned", NOTHING, 0},
    {"image_token_id", NOTHING, 0}, /* Ollama's */
    {"video_token_id", NOTHING, 0},
    {"vision_start_token_id", NOTHING, 0},
    {"vision_end_token_id", NOTHING, 0},
    {NULL, READ, 0},
};

static const struct key_row dense_rows[] = {
    {"feed_forward_length", REQUIRED, 0},
    {"expert_count", ONLY, 0},
    {"expert_used_count", ONLY, 0},
    {"expert_shared_count", ONLY, 0},
    {"expert_feed_forward_length", ONLY, 0},
    {"expert_shared_feed_forward_length", ONLY, 0},
    {NULL, READ, 0},
};

static const struct key_row moe_rows[] = {
    {"expert_count", REQUIRED, 0},
    {"expert_used_count", REQUIRED, 0},
    {"expert_feed_forward_length", REQUIRED, 0},
    {"expert_shared_feed_forward_length", REQUIRED, 0},
    {"expert_shared_count", ONLY, 1},
    {"norm_top_k_prob", ONLY, 1},        /* Ollama's */
    {"feed_forward_length", NOTHING, 0}, /* no layer is dense */
    {NULL, READ, 0},
};

static const struct key_row tokenizer_rows[] = {
    {"model", REQUIRED, 0},
    {"pre", REQUIRED, 0},
    {"tokens", REQUIRED, 0},
    {"token_type", REQUIRED, 0},
    {"merges", REQUIRED, 0},
    {"eos_token_id", READ, 0},
    {"eos_token_ids", READ, 0},
    {"eot_token_id", READ, 0},
    {"eom_token_id", READ, 0},
    {"add_bos_token", ONLY, 0},
    {"add_eos_token", ONLY, 0},
    {"add_sep_token", ONLY, 0},
    {"add_space_prefix", ONLY, 0},
    {"remove_extra_whitespaces", ONLY, 0},
    /* unused ids, and scores, which merges do not use */
    {"scores", NOTHING, 0},
    {"bos_token_id", NOTHING, 0},
    {"unknown_token_id", NOTHING, 0},
    {"seperator_token_id", NOTHING, 0},
    {"separator_token_id", NOTHING, 0},
    {"padding_token_id", NOTHING, 0},
    {"mask_token_id", NOTHING, 0},
    {"cls_token_id", NOTHING, 0},
    {"fim_pre_token_id", NOTHING, 0},
    {"fim_suf_token_id", NOTHING, 0},
    {"fim_mid_token_id", NOTHING, 0},
    {"fim_pad_token_id", NOTHING, 0},
    {"fim_rep_token_id", NOTHING, 0},
    {"fim_sep_token_id", NOTHING, 0},
    {"prefix_token_id", NOTHING, 0},
    {"suffix_token_id", NOTHING, 0},
    {"middle_token_id", NOTHING, 0},
    {NULL, READ, 0},
};

static const struct key_row vision_rows[] = {
    {"has_vision_encoder", REQUIRED_ONLY, 1},
    {"use_gelu", REQUIRED_ONLY, 1}, /* llama.cpp: else its quick form */
    {"vision.patch_size", REQUIRED, 0},
    {"vision.embedding_length", REQUIRED, 0},
    {"vision.feed_forward_length", REQUIRED, 0},
    {"vision.block_count", REQUIRED, 0},
    {"vision.projection_dim", REQUIRED, 0},
    {"vision.spatial_merge_size", REQUIRED, 0},
    {"vision.attention.head_count", REQUIRED, 0},
    {"vision.attention.layer_norm_epsilon", REQUIRED, 0},
    {"vision.image_mean", REQUIRED, 0},
    {"vision.image_std", REQUIRED, 0},
    {"projector_type", READ, 0},
    {"vision.projector_type", READ, 0},
    {"vision.image_min_pixels", READ, 0},
    {"vision.image_max_pixels", READ, 0},
    {"vision.is_deepstack_layers", ONLY, 0},
    {"use_silu", ONLY, 0},
    {"use_glu_mlp", ONLY, 0},
    {"use_rms_norm", ONLY, 0},
    {"has_audio_encoder", ONLY, 0},
    {"has_text_encoder", ONLY, 0},
    {"has_llava_projector", ONLY, 0},
    {"has_qwen2vl_merger", ONLY, 0},
    {"minicpmv_version", ONLY, 0},
    {"vision.n_wa_pattern", ONLY, 0},
    {"vision.window_size", ONLY, 0},
    {"vision.preproc_min_tiles", ONLY, 0},
    {"vision.preproc_max_tiles", ONLY, 0},
    {"vision.preproc_image_size", ONLY, 0},
    {"vision.projector.scale_factor", ONLY, 0},
    {"vision.temporal_patch_size", ONLY, 2},
    /* side of the position table in pixels: follows from the table */
    {"vision.image_size", NOTHING, 0},
    {NULL, READ, 0},
};

static const struct table tables[] = {
    {"qwen35", text_rows},    {"qwen35", dense_rows},
    {"qwen35moe", text_rows}, {"qwen35moe", moe_rows},
    {"clip", vision_rows},    {"tokenizer.ggml", tokenizer_rows},
};

enum { N_TABLE = sizeof tables / sizeof *tables };

/* ---- the walk --------------------------------------------------------- */

struct key_walk {
    const struct gguf *g;
    const char *prefix;
    bool yarn;
    struct model_faults misfits;
};

static const struct key_row *find_row(const char *prefix, struct span name)
{
    for (int t = 0; t < N_TABLE; t++) {
        if (strcmp(tables[t].prefix, prefix) != 0) continue;
        for (const struct key_row *r = tables[t].row; r->name; r++)
            if (span_equal(span_of(r->name), name)) return r;
    }
    return NULL;
}

bool metadata_keys_known(const char *prefix, const char *name)
{
    return find_row(prefix, span_of(name)) != NULL;
}

/* An element as a number, also a boolean; false if it is neither. */
static bool number_at(const struct gguf *g, const char *key, int64_t i,
                      double *value)
{
    struct err whole = {0}, real = {0};
    *value = (double)gguf_array_int(g, key, i, &whole);
    if (!err_failed(&whole)) return true;
    *value = gguf_array_float(g, key, i, &real);
    return !err_failed(&real);
}

/* Does the row restrict its key's value? */
static bool is_bound(const struct key_walk *c, const struct key_row *r)
{
    return r->use == ONLY || r->use == REQUIRED_ONLY || r->use == OFF ||
           (r->use == YARN && !c->yarn);
}

static bool may_be(const struct key_row *r, double v)
{
    return r->use == OFF || r->use == YARN ? v == 0 || v == 1 : v == r->only;
}

/* Checks that every element of the key has a value that changes nothing. */
static void check_value(struct key_walk *c, const struct key_row *r,
                        const char *key)
{
    struct err err = {0};
    int64_t n = gguf_array_size(c->g, key, &err);
    for (int64_t i = 0; i < n; i++) {
        double v;
        bool is_number = number_at(c->g, key, i, &v);
        if (is_number && may_be(r, v)) continue;
        if (is_number)
            model_faults_add(&c->misfits, key, "is %g, only %g is supported", v,
                             r->use == OFF || r->use == YARN ? 1 : r->only);
        else
            model_faults_add(&c->misfits, key, "is not a number");
        return;
    }
}

static bool below(const char *prefix, struct span key)
{
    size_t n = strlen(prefix);
    return key.size > n && !memcmp(key.data, prefix, n) && key.data[n] == '.';
}

static void check_key(struct key_walk *c, struct span key)
{
    if (!below(c->prefix, key)) return;
    size_t n = strlen(c->prefix) + 1;
    struct span name = {key.data + n, key.size - n};
    const struct key_row *r = find_row(c->prefix, name);
    char show[GGUF_SHOW_MAX], full[128];
    if (!r) {
        model_faults_add(&c->misfits, gguf_show(key, show), "is not known");
    } else if (is_bound(c, r)) {
        snprintf(full, sizeof full, "%s.%s", c->prefix, r->name);
        check_value(c, r, full);
    }
}

static void check_missing(struct key_walk *c)
{
    char key[128];
    for (int t = 0; t < N_TABLE; t++) {
        if (strcmp(tables[t].prefix, c->prefix) != 0) continue;
        for (const struct key_row *r = tables[t].row; r->name; r++) {
            snprintf(key, sizeof key, "%s.%s", c->prefix, r->name);
            if (r->use <= REQUIRED_ONLY && !gguf_has(c->g, key))
                model_faults_add(&c->misfits, key, "is missing");
        }
    }
}

static void check_prefix(struct key_walk *c, const char *prefix)
{
    char key[128];
    struct err err = {0};
    c->prefix = prefix;
    snprintf(key, sizeof key, "%s.rope.scaling.type", prefix);
    c->yarn = span_equal(gguf_string(c->g, key, &err), span_of("yarn"));
    check_missing(c);
    for (int i = 0; i < gguf_n_key(c->g); i++)
        check_key(c, gguf_key(c->g, i));
}

void metadata_keys_check(const struct gguf *g, const char *prefix,
                         struct err *err)
{
    if (err_failed(err)) return;
    struct key_walk c = {.g = g, .misfits = model_faults_begin()};
    check_prefix(&c, prefix);
    if (!strncmp(prefix, "qwen35", 6)) check_prefix(&c, "tokenizer.ggml");
    model_faults_report(&c.misfits, gguf_path(g), "key",
                        "use an unmodified file from a current converter",
                        ERR_CONFIG, err);
}
