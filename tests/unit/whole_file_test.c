/* whole_file_test.c - a model file is read whole, or refused by name.
 *
 * What no code reads gives other numbers than everybody else's, in silence.
 * Files as publishers make them are taken; the lists of their keys are those
 * that llama.cpp prints when it opens Qwen3.5 and 3.6 of ggml-org, unsloth,
 * bartowski and LM Studio.
 */
#include <stdio.h>
#include <string.h>

#include "tests/support/remake.h"
#include "tests/support/test.h"
#include "vlm/model/gguf.h"
#include "vlm/model/weights.h"
#include "vlm/text/tokenizer.h"

static const char dense[] = "tests/vectors/micro-q8_0.gguf";
static const char moe[] = "tests/vectors/micro-moe-q8_0.gguf";
static const char mtp[] = "tests/vectors/micro-mtp-q8_0.gguf";
static const char vision[] = "tests/vectors/micro-mmproj-f32.gguf";

/* Reads everything that the program reads of such a file. */
static void read_whole(const struct remake *r, bool is_vision, struct err *err)
{
    struct arena *arena = arena_new();
    struct gguf *g = gguf_open_bytes(remake_bytes(r), "made", err);
    if (is_vision) {
        struct vision_shape s;
        struct vision_weights w;
        shape_read_vision(g, &s, err);
        weights_read_vision(g, &s, arena, &w, err);
    } else {
        struct shape s;
        struct weights w;
        shape_read(g, &s, err);
        tokenizer_close(tokenizer_open(g, err));
        weights_read(g, &s, arena, &w, err);
    }
    gguf_close(g);
    arena_free(arena);
}

/* The file is taken, or its refusal says `name`. */
static void expect(const char *file, struct remake *r, const char *name,
                   bool taken)
{
    struct err err = {0};
    read_whole(r, file == vision, &err);
    if (taken != !err_failed(&err))
        fail_msg("%s with %s: %s", file, name,
                 taken ? err.text : "is taken in silence");
    if (!taken && !strstr(err.text, name))
        fail_msg("%s with %s: says only \"%s\"", file, name, err.text);
    remake_free(r);
}

/* ---- tensors ---------------------------------------------------------- */

/* Of a file, a tensor that no code reads. */
static const struct {
    const char *file, *name;
} unread[] = {
    {dense, "blk.3.attn_q.bias"},
    {dense, "blk.3.attn_k.bias"},
    {dense, "blk.3.attn_v.bias"},
    {dense, "blk.3.attn_output.bias"},
    {dense, "blk.3.attn_qkv.weight"},
    {dense, "blk.3.attn_gate.weight"},
    {dense, "blk.3.attn_sinks.weight"},
    {dense, "blk.3.attn_rot_embd.weight"},
    {dense, "blk.3.attn_q_norm.bias"},
    {dense, "blk.0.attn_qkv.bias"},
    {dense, "blk.0.attn_norm.bias"},
    {dense, "blk.0.attn_gate.bias"},
    {dense, "blk.0.ssm_conv1d.bias"},
    {dense, "blk.0.ssm_dt"}, /* beside ssm_dt.bias */
    {dense, "blk.0.ssm_dt.weight"},
    {dense, "blk.0.ssm_ba.weight"},
    {dense, "blk.0.ssm_d"},
    {dense, "blk.0.ssm_out.bias"},
    {dense, "blk.0.ssm_a.scale"},
    {dense, "blk.0.ffn_up.bias"},
    {dense, "blk.0.ffn_gate.bias"},
    {dense, "blk.0.ffn_down.bias"},
    {dense, "blk.0.ffn_norm.weight"},
    {dense, "blk.0.post_ffw_norm.weight"},
    {dense, "blk.0.layer_output_scale.weight"},
    {dense, "blk.0.ffn_gate_inp.weight"},
    {dense, "blk.4.attn_norm.weight"}, /* a layer too many */
    {dense, "blk.0.nextn.eh_proj.weight"},
    {dense, "rope_freqs.weight"},
    {dense, "rope_factors_long.weight"},
    {dense, "output.bias"},
    {dense, "output_norm.bias"},
    {dense, "token_embd_norm.weight"},
    {dense, "position_embd.weight"},
    {dense, "token_types.weight"},
    {dense, "cls.weight"},
    {dense, "anything.at.all"},
    {moe, "blk.0.exp_probs_b.bias"},
    {moe, "blk.0.exp_probs_b"},
    {moe, "blk.0.ffn_gate_inp.bias"},
    {moe, "blk.0.ffn_gate_inp_shexp.bias"},
    {moe, "blk.0.ffn_gate_exps.bias"},
    {moe, "blk.0.ffn_up_exps.bias"},
    {moe, "blk.0.ffn_down_exps.bias"},
    {moe, "blk.0.ffn_gate_up_shexp.weight"},
    {moe, "blk.0.ffn_up.weight"},
    {mtp, "blk.5.attn_norm.weight"},
    {vision, "v.class_embd"},
    {vision, "v.pre_ln.weight"},
    {vision, "v.norm_embd.weight"},
    {vision, "v.blk.0.attn_q_norm.weight"},
    {vision, "v.blk.0.attn_k_norm.weight"},
    {vision, "v.blk.0.attn_q.weight"},
    {vision, "v.blk.0.ls1.weight"},
    {vision, "v.blk.0.ls2.weight"},
    {vision, "v.blk.0.ffn_gate.weight"},
    {vision, "v.blk.2.ln1.weight"},
    {vision, "v.deepstack.0.fc1.weight"},
    {vision, "v.deepstack.0.norm.weight"},
    {vision, "v.patch_embd.weight.2"},
    {vision, "v.image_newline"},
    {vision, "mm.1.weight"},
    {vision, "mm.input_norm.weight"},
    {vision, "mm.model.fc.weight"},
    {vision, "a.blk.0.ln1.weight"},
};

static void a_tensor_that_nobody_reads_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++) {
        struct remake *r = remake_file(unread[i].file);
        remake_add(r, unread[i].name, QUANT_F32, 4, 0, 0, 0);
        expect(unread[i].file, r, unread[i].name, false);
    }
}

static void two_layouts_of_the_same_experts_are_refused(void **state)
{
    (void)state;
    struct remake *r = remake_file(moe);
    struct remake_tensor gate = *remake_tensor(r, "blk.2.ffn_gate_exps.weight");
    void *both = remake_add(r, "blk.2.ffn_gate_up_exps.weight", gate.type,
                            gate.ne[0], 2 * gate.ne[1], gate.ne[2], 0);
    memcpy(both, gate.data, gate.size);
    expect(moe, r, "blk.2.ffn_gate_exps.weight", false);
}

static void what_means_nothing_may_lie_unread(void **state)
{
    (void)state;
    struct remake *r = remake_file(dense);
    remake_add(r, "blk.0.ffn_up.input_scale", QUANT_F32, 1, 0, 0, 0);
    remake_add(r, "blk.3.attn_q.input_scale", QUANT_F32, 1, 0, 0, 0);
    expect(dense, r, "input_scale", true);

    r = remake_file(mtp); /* its block and what else it may hold */
    remake_add(r, "blk.4.nextn.embed_tokens.weight", QUANT_F32, 4, 0, 0, 0);
    remake_add(r, "blk.4.nextn.shared_head_head.weight", QUANT_F32, 4, 0, 0, 0);
    expect(mtp, r, "blk.4", true);
}

static void all_that_is_unread_is_said_at_once(void **state)
{
    (void)state;
    struct remake *r = remake_file(dense);
    struct err err = {0};
    remake_add(r, "output.bias", QUANT_F32, 4, 0, 0, 0);
    remake_add(r, "rope_freqs.weight", QUANT_F32, 8, 0, 0, 0);
    remake_drop(r, "blk.1.ssm_norm.weight");
    read_whole(r, false, &err);
    assert_non_null(strstr(err.text, "3 tensors do not fit"));
    assert_non_null(strstr(err.text, "output.bias is not known"));
    assert_non_null(strstr(err.text, "rope_freqs.weight is not known"));
    assert_non_null(strstr(err.text, "blk.1.ssm_norm.weight is missing"));

    err = (struct err){0};
    remake_drop_key(r, "qwen35.rope.freq_base");
    remake_drop_key(r, "tokenizer.ggml.merges");
    remake_set_float(r, "qwen35.logit_scale", 0.5f);
    remake_set_int(r, "qwen35.brand_new", 1);
    read_whole(r, false, &err);
    assert_non_null(strstr(err.text, "4 keys do not fit"));
    assert_non_null(strstr(err.text, "qwen35.rope.freq_base is missing"));
    assert_non_null(strstr(err.text, "tokenizer.ggml.merges is missing"));
    assert_non_null(strstr(err.text, "qwen35.logit_scale is 0.5, only 1"));
    assert_non_null(strstr(err.text, "qwen35.brand_new is not known"));
    remake_free(r);
}

/* ---- keys ------------------------------------------------------------- */

/* Without the architecture in front. */
static const char *const text_keys[] = {
    "block_count",
    "context_length",
    "embedding_length",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.value_length",
    "attention.layer_norm_rms_epsilon",
    "rope.dimension_count",
    "rope.dimension_sections",
    "rope.freq_base",
    "ssm.conv_kernel",
    "ssm.state_size",
    "ssm.group_count",
    "ssm.time_step_rank",
    "ssm.inner_size",
};

/* By their whole name. */
static const char *const other_keys[] = {
    "qwen35.feed_forward_length",
    "qwen35moe.expert_count",
    "qwen35moe.expert_used_count",
    "qwen35moe.expert_feed_forward_length",
    "qwen35moe.expert_shared_feed_forward_length",
    "tokenizer.ggml.model",
    "tokenizer.ggml.pre",
    "tokenizer.ggml.tokens",
    "tokenizer.ggml.token_type",
    "tokenizer.ggml.merges",
    "clip.has_vision_encoder",
    "clip.projector_type",
    "clip.use_gelu",
    "clip.vision.patch_size",
    "clip.vision.embedding_length",
    "clip.vision.feed_forward_length",
    "clip.vision.block_count",
    "clip.vision.projection_dim",
    "clip.vision.spatial_merge_size",
    "clip.vision.attention.head_count",
    "clip.vision.attention.layer_norm_epsilon",
    "clip.vision.image_mean",
    "clip.vision.image_std",
};

static void a_missing_key_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof text_keys / sizeof *text_keys; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s.%s", i % 2 ? "qwen35" : "qwen35moe",
                 text_keys[i]);
        struct remake *r = remake_file(i % 2 ? dense : moe);
        remake_drop_key(r, key);
        expect(i % 2 ? dense : moe, r, key, false);
    }
    for (size_t i = 0; i < sizeof other_keys / sizeof *other_keys; i++) {
        const char *file = strstr(other_keys[i], "clip")  ? vision
                           : strstr(other_keys[i], "moe") ? moe
                                                          : dense;
        struct remake *r = remake_file(file);
        remake_drop_key(r, other_keys[i]);
        expect(file, r, other_keys[i], false);
    }
}

/* A key with a value: 'i', 'f', 'b', 's' or a list of integers 'l'. */
struct key_case {
    const char *const file, *key;
    char kind;
    double value;
    const char *text;
};

static void set_key(struct remake *r, const struct key_case *c)
{
    int list[2] = {(int)c->value, 0};
    switch (c->kind) {
    case 'i': remake_set_int(r, c->key, (int64_t)c->value); break;
    case 'f': remake_set_float(r, c->key, (float)c->value); break;
    case 'b': remake_set_bool(r, c->key, c->value != 0); break;
    case 's': remake_set_text(r, c->key, c->text); break;
    default: remake_set_list(r, c->key, GGUF_I32, list, 2); break;
    }
}

static const struct key_case obeyed[] = {
    {dense, "qwen35.rope.scaling.attn_factor", 'f', 0.5, 0},
    {dense, "qwen35.rope.scaling.factor", 'f', 4, 0},
    {dense, "qwen35.rope.scaling.alpha", 'f', 8, 0},
    {dense, "qwen35.rope.scaling.type", 's', 0, "longrope"},
    {dense, "qwen35.rope.scaling.yarn_ext_factor", 'f', 0.5, 0},
    {dense, "qwen35.rope.scaling.yarn_attn_factor", 'f', 2, 0},
    {dense, "qwen35.rope.scaling.yarn_beta_fast", 'f', 16, 0},
    {dense, "qwen35.rope.scaling.yarn_log_multiplier", 'f', 0.1, 0},
    {dense, "qwen35.rope.scale_linear", 'f', 2, 0},
    {dense, "qwen35.rope.freq_base_swa", 'f', 1e4, 0},
    {dense, "qwen35.rope.mrope_interleaved", 'b', 0, 0},
    {dense, "qwen35.attention.causal", 'b', 0, 0},
    {dense, "qwen35.attention.sliding_window", 'i', 512, 0},
    {dense, "qwen35.attention.sliding_window_pattern", 'i', 4, 0},
    {dense, "qwen35.attention.scale", 'f', 0.5, 0},
    {dense, "qwen35.attention.clamp_kqv", 'f', 8, 0},
    {dense, "qwen35.attention.max_alibi_bias", 'f', 8, 0},
    {dense, "qwen35.attention.key_length_mla", 'i', 64, 0},
    {dense, "qwen35.attention.q_lora_rank", 'i', 64, 0},
    {dense, "qwen35.attn_logit_softcapping", 'f', 50, 0},
    {dense, "qwen35.final_logit_softcapping", 'f', 30, 0},
    {dense, "qwen35.logit_scale", 'f', 0.5, 0},
    {dense, "qwen35.residual_scale", 'f', 0.5, 0},
    {dense, "qwen35.embedding_scale", 'f', 11, 0},
    {dense, "qwen35.pooling_type", 'i', 3, 0},
    {dense, "qwen35.use_parallel_residual", 'b', 1, 0},
    {dense, "qwen35.n_deepstack_layers", 'i', 3, 0},
    {dense, "qwen35.vocab_size", 'i', 77, 0},
    {dense, "qwen35.embedding_length_out", 'i', 64, 0},
    {dense, "qwen35.full_attention_interval", 'i', 2, 0},
    {dense, "qwen35.attention.recurrent_layers", 'l', 1, 0},
    {dense, "qwen35.ssm.dt_b_c_rms", 'b', 1, 0},
    {dense, "qwen35.ssm.v_head_reordered", 'b', 0, 0},
    {dense, "qwen35.expert_count", 'i', 8, 0},
    {dense, "qwen35.swiglu_clamp_exp", 'f', 7, 0},
    {dense, "qwen35.tensor_data_layout", 's', 0, "Meta AI original pth"},
    {dense, "qwen35.of_next_year", 'i', 0, 0},
    {moe, "qwen35moe.expert_group_count", 'i', 4, 0},
    {moe, "qwen35moe.expert_group_used_count", 'i', 2, 0},
    {moe, "qwen35moe.expert_weights_scale", 'f', 2.5, 0},
    {moe, "qwen35moe.expert_weights_norm", 'b', 0, 0},
    {moe, "qwen35moe.norm_top_k_prob", 'b', 0, 0},
    {moe, "qwen35moe.expert_gating_func", 'i', 2, 0},
    {moe, "qwen35moe.expert_shared_count", 'i', 2, 0},
    {moe, "qwen35moe.leading_dense_block_count", 'i', 1, 0},
    {moe, "qwen35moe.interleave_moe_layer_step", 'i', 2, 0},
    {moe, "qwen35moe.router_logit_softcapping", 'f', 30, 0},
    {dense, "tokenizer.ggml.add_bos_token", 'b', 1, 0},
    {dense, "tokenizer.ggml.add_eos_token", 'b', 1, 0},
    {dense, "tokenizer.ggml.add_space_prefix", 'b', 1, 0},
    {dense, "tokenizer.ggml.remove_extra_whitespaces", 'b', 1, 0},
    {dense, "tokenizer.ggml.precompiled_charsmap", 'l', 1, 0},
    {dense, "tokenizer.ggml.eot_token_id", 'i', 99999, 0},
    {vision, "clip.use_gelu", 'b', 0, 0},
    {vision, "clip.use_silu", 'b', 1, 0},
    {vision, "clip.use_rms_norm", 'b', 1, 0},
    {vision, "clip.has_audio_encoder", 'b', 1, 0},
    {vision, "clip.vision.projector_type", 's', 0, "qwen2.5vl_merger"},
    {vision, "clip.vision.n_wa_pattern", 'i', 8, 0},
    {vision, "clip.vision.window_size", 'i', 112, 0},
    {vision, "clip.vision.wa_layer_indexes", 'l', 3, 0},
    {vision, "clip.vision.fullatt_block_indexes", 'l', 7, 0},
    {vision, "clip.vision.feature_layer", 'l', 1, 0},
    {vision, "clip.vision.is_deepstack_layers", 'l', 1, 0},
    {vision, "clip.vision.image_grid_pinpoints", 'l', 384, 0},
    {vision, "clip.vision.temporal_patch_size", 'i', 1, 0},
    {vision, "clip.audio.block_count", 'i', 1, 0},
};

static void a_key_that_others_obey_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof obeyed / sizeof *obeyed; i++) {
        struct remake *r = remake_file(obeyed[i].file);
        set_key(r, &obeyed[i]);
        expect(obeyed[i].file, r, obeyed[i].key, false);
    }
}

static void a_key_that_changes_nothing_is_taken(void **state)
{
    (void)state;
    const struct key_case c[] = {
        {dense, "qwen35.rope.scaling.type", 's', 0, "none"},
        {dense, "qwen35.rope.scaling.type", 's', 0, "linear"},
        {dense, "qwen35.rope.scaling.factor", 'f', 1, 0},
        {dense, "qwen35.rope.scaling.attn_factor", 'f', 1, 0},
        {dense, "qwen35.rope.scaling.finetuned", 'b', 1, 0},
        {dense, "qwen35.rope.scaling.original_context_length", 'i', 4096, 0},
        {dense, "qwen35.rope.scale_linear", 'f', 1, 0},
        {dense, "qwen35.attention.causal", 'b', 1, 0},
        {dense, "qwen35.attention.sliding_window", 'i', 0, 0},
        {dense, "qwen35.logit_scale", 'f', 1, 0},
        {dense, "qwen35.full_attention_interval", 'i', 4, 0},
        {dense, "qwen35.expert_count", 'i', 0, 0},
        {dense, "qwen35.pooling_type", 'i', 0, 0},
        {dense, "qwen35.vocab_size", 'i', 1024, 0},
        {moe, "qwen35moe.expert_group_count", 'i', 0, 0},
        {moe, "qwen35moe.expert_group_used_count", 'i', 1, 0},
        {moe, "qwen35moe.expert_weights_scale", 'f', 1, 0},
        {moe, "qwen35moe.expert_weights_norm", 'b', 1, 0},
        {moe, "qwen35moe.norm_top_k_prob", 'b', 1, 0},
        {moe, "qwen35moe.expert_gating_func", 'i', 1, 0},
        {moe, "qwen35moe.feed_forward_length", 'i', 4096, 0},
        {moe, "qwen35moe.nextn_predict_layers", 'i', 0, 0},
        {dense, "tokenizer.ggml.bos_token_id", 'i', 3, 0},
        {dense, "tokenizer.ggml.eot_token_id", 'i', 962, 0},
        {dense, "tokenizer.ggml.fim_pad_token_id", 'i', 3, 0},
        {vision, "clip.use_silu", 'b', 0, 0},
        {vision, "clip.has_audio_encoder", 'b', 0, 0},
        {vision, "clip.vision.n_wa_pattern", 'i', 0, 0},
        {vision, "clip.vision.image_min_pixels", 'i', 8192, 0},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct remake *r = remake_file(c[i].file);
        set_key(r, &c[i]);
        expect(c[i].file, r, c[i].key, true);
    }
}

/* What publishers' files carry beside the numbers of the model. */
static void files_of_publishers_are_taken(void **state)
{
    (void)state;
    const struct key_case c[] = {
        {0, "general.type", 's', 0, "model"},
        {0, "general.sampling.top_k", 'i', 20, 0},
        {0, "general.sampling.top_p", 'f', 0.95, 0},
        {0, "general.sampling.temp", 'f', 1, 0},
        {0, "general.name", 's', 0, "Qwen3.6-35B-A3B"},
        {0, "general.finetune", 's', 0, "abliterated"},
        {0, "general.basename", 's', 0, "Qwen3.6-35B-A3B"},
        {0, "general.quantized_by", 's', 0, "Unsloth"},
        {0, "general.size_label", 's', 0, "35B-A3B"},
        {0, "general.license", 's', 0, "apache-2.0"},
        {0, "general.license.link", 's', 0, "https://huggingface.co/Qwen"},
        {0, "general.repo_url", 's', 0, "https://huggingface.co/unsloth"},
        {0, "general.base_model.count", 'i', 1, 0},
        {0, "general.base_model.0.name", 's', 0, "Qwen3.6 35B A3B"},
        {0, "general.base_model.0.organization", 's', 0, "Qwen"},
        {0, "general.base_model.0.repo_url", 's', 0, "https://..."},
        {0, "general.tags", 's', 0, "image-text-to-text"},
        {0, "general.languages", 's', 0, "en"},
        {0, "general.quantization_version", 'i', 2, 0},
        {0, "general.file_type", 'i', 15, 0},
        {0, "general.alignment", 'i', 32, 0},
        {0, "general.url", 's', 0, "https://huggingface.co/mradermacher"},
        {0, "mradermacher.quantize_version", 's', 0, "2"},
        {0, "mradermacher.quantized_by", 's', 0, "mradermacher"},
        {0, "quantize.imatrix.file", 's', 0, "/models/imatrix.gguf"},
        {0, "quantize.imatrix.dataset", 's', 0, "calibration_datav5.txt"},
        {0, "quantize.imatrix.entries_count", 'i', 510, 0},
        {0, "quantize.imatrix.chunks_count", 'i', 802, 0},
        {0, "split.no", 'i', 0, 0},
        {0, "split.count", 'i', 1, 0},
        {0, "split.tensors.count", 'i', 53, 0},
        {0, "tokenizer.ggml.bos_token_id", 'i', 11, 0},
        {0, "tokenizer.ggml.padding_token_id", 'i', 12, 0},
        {0, "tokenizer.ggml.add_bos_token", 'b', 0, 0},
        {0, "tokenizer.chat_template", 's', 0, "{%- for message in ..."},
        {0, "tokenizer.chat_template.tool_use", 's', 0, "{%- ..."},
    };
    static const char *const files[] = {dense, moe, mtp};
    for (int f = 0; f < 4; f++) {
        const char *file = f < 3 ? files[f] : vision;
        struct remake *r = remake_file(file);
        for (size_t i = 0; i < sizeof c / sizeof *c; i++)
            if (f < 3 || !strstr(c[i].key, "tokenizer")) set_key(r, &c[i]);
        if (f == 3) {
            remake_set_int(r, "clip.vision.image_size", 768);
            remake_set_int(r, "clip.vision.image_max_pixels", 16777216);
        }
        expect(file, r, "a publisher's keys", true);
    }
}

static void yarn_is_taken_with_all_its_keys(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct remake *r = remake_file(dense);
        remake_set_text(r, "qwen35.rope.scaling.type", "yarn");
        if (i) remake_set_float(r, "qwen35.rope.scaling.factor", 4);
        remake_set_int(r, "qwen35.rope.scaling.original_context_length", 4096);
        remake_set_float(r, "qwen35.rope.scaling.yarn_ext_factor", 1);
        if (i == 2) remake_set_float(r, "qwen35.rope.scaling.attn_factor", 2);
        expect(dense, r,
               i == 0 ? "rope.scaling.factor" : "rope.scaling.attn_factor",
               i == 1);
    }
}

static void every_end_of_the_file_ends(void **state)
{
    (void)state;
    struct err err = {0};
    struct remake *r = remake_file(dense);
    const int ends[] = {7, 9};
    remake_set_int(r, "tokenizer.ggml.eot_token_id", 5);
    remake_set_int(r, "tokenizer.ggml.eom_token_id", 6);
    remake_set_list(r, "tokenizer.ggml.eos_token_ids", GGUF_I32, ends, 2);
    struct gguf *g = gguf_open_bytes(remake_bytes(r), "made", &err);
    struct tokenizer *t = tokenizer_open(g, &err);
    test_ok(&err);
    for (int i = 0; i < 12; i++)
        assert_int_equal(tokenizer_is_end(t, i),
                         i == 5 || i == 6 || i == 7 || i == 9);
    assert_true(tokenizer_is_end(t, tokenizer_special(t, "<|im_end|>")));
    assert_true(tokenizer_is_end(t, tokenizer_special(t, "<|endoftext|>")));
    tokenizer_close(t);
    gguf_close(g);
    remake_free(r);
}

/* Lists of a layer each and their like: what contradicts the tensors, or a
 * second place of the same fact, is refused. */
static void keys_may_not_contradict(void **state)
{
    (void)state;
    const int right[4] = {1, 1, 1, 0}, wrong[4] = {1, 0, 1, 0};
    const int kv[4] = {0, 0, 0, 1}, none[4] = {0, 1, 0, 0};
    const int fourth[4] = {3, 3, 2, 4}, other[3] = {4, 2, 2};
    const int same[3] = {3, 3, 2};
    const struct {
        const char *key;
        const int *list;
        int n;
        enum gguf_kind kind;
        bool taken;
    } c[] = {
        {"qwen35.attention.recurrent_layers", right, 4, GGUF_BOOL, true},
        {"qwen35.attention.recurrent_layers", right, 4, GGUF_I32, true},
        {"qwen35.attention.recurrent_layers", wrong, 4, GGUF_BOOL, false},
        {"qwen35.attention.recurrent_layers", right, 3, GGUF_BOOL, false},
        {"qwen35.attention.head_count_kv", kv, 4, GGUF_I32, true},
        {"qwen35.attention.head_count_kv", none, 4, GGUF_I32, false},
        {"qwen35.rope.dimension_sections", same, 3, GGUF_I32, true},
        {"qwen35.rope.dimension_sections", fourth, 4, GGUF_I32, false},
        {"qwen35.mrope_sections", same, 3, GGUF_I32, true},
        {"qwen35.mrope_sections", other, 3, GGUF_I32, false},
        {"qwen35.rope.mrope_section", same, 3, GGUF_I32, true},
        {"qwen35.rope.mrope_section", other, 3, GGUF_I32, false},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct remake *r = remake_file(dense);
        remake_set_list(r, c[i].key, c[i].kind, c[i].list, c[i].n);
        expect(dense, r, c[i].key, c[i].taken);
    }
}

TEST_GROUP(whole_file, cmocka_unit_test(a_tensor_that_nobody_reads_is_refused),
           cmocka_unit_test(two_layouts_of_the_same_experts_are_refused),
           cmocka_unit_test(what_means_nothing_may_lie_unread),
           cmocka_unit_test(all_that_is_unread_is_said_at_once),
           cmocka_unit_test(a_missing_key_is_named),
           cmocka_unit_test(a_key_that_others_obey_is_refused),
           cmocka_unit_test(a_key_that_changes_nothing_is_taken),
           cmocka_unit_test(files_of_publishers_are_taken),
           cmocka_unit_test(yarn_is_taken_with_all_its_keys),
           cmocka_unit_test(every_end_of_the_file_ends),
           cmocka_unit_test(keys_may_not_contradict))
