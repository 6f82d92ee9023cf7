/* plan_names.c - tables of names. */
#include "vlm/convert/plan_names.h"

#include <stdlib.h>
#include <string.h>

#define HEADS    .rows = ROWS_HEADS
#define PLUS_ONE .value = VALUE_PLUS_ONE

static const struct plan_name top_names[] = {
    {.from = "embed_tokens.weight", .to = "token_embd.weight"},
    {.from = "norm.weight", .to = "output_norm.weight", PLUS_ONE},
    {.from = "lm_head.weight", .to = "output.weight"},
    {0},
};

static const struct plan_name layer_names[] = {
    {.from = "input_layernorm.weight", .to = "attn_norm.weight", PLUS_ONE},
    {.from = "post_attention_layernorm.weight",
     .to = "post_attention_norm.weight",
     PLUS_ONE},
    {.from = "self_attn.q_proj.weight", .to = "attn_q.weight"},
    {.from = "self_attn.k_proj.weight", .to = "attn_k.weight"},
    {.from = "self_attn.v_proj.weight", .to = "attn_v.weight"},
    {.from = "self_attn.o_proj.weight", .to = "attn_output.weight"},
    {.from = "self_attn.q_norm.weight", .to = "attn_q_norm.weight", PLUS_ONE},
    {.from = "self_attn.k_norm.weight", .to = "attn_k_norm.weight", PLUS_ONE},
    {.from = "linear_attn.in_proj_qkv.weight",
     .to = "attn_qkv.weight",
     HEADS,
     .keeps_qk = true},
    {.from = "linear_attn.in_proj_z.weight", .to = "attn_gate.weight", HEADS},
    {.from = "linear_attn.in_proj_a.weight",
     .to = "ssm_alpha.weight",
     HEADS,
     .unit = 1},
    {.from = "linear_attn.in_proj_b.weight",
     .to = "ssm_beta.weight",
     HEADS,
     .unit = 1},
    {.from = "linear_attn.conv1d.weight",
     .to = "ssm_conv1d.weight",
     .shape = SHAPE_CONV,
     HEADS,
     .keeps_qk = true},
    {.from = "linear_attn.A_log",
     .to = "ssm_a",
     .shape = SHAPE_VECTOR,
     .cols = COLS_HEADS,
     .value = VALUE_MINUS_EXP,
     .unit = 1},
    {.from = "linear_attn.dt_bias",
     .to = "ssm_dt.bias",
     .shape = SHAPE_VECTOR,
     .cols = COLS_HEADS,
     .unit = 1},
    {.from = "linear_attn.norm.weight", .to = "ssm_norm.weight"},
    {.from = "linear_attn.out_proj.weight",
     .to = "ssm_out.weight",
     .cols = COLS_HEADS},
    {.from = "mlp.gate_proj.weight", .to = "ffn_gate.weight"},
    {.from = "mlp.up_proj.weight", .to = "ffn_up.weight"},
    {.from = "mlp.down_proj.weight", .to = "ffn_down.weight"},
    {.from = "mlp.gate.weight", .to = "ffn_gate_inp.weight"},
    {.from = "mlp.shared_expert_gate.weight",
     .to = "ffn_gate_inp_shexp.weight",
     .shape = SHAPE_VECTOR},
    {.from = "mlp.shared_expert.gate_proj.weight",
     .to = "ffn_gate_shexp.weight"},
    {.from = "mlp.shared_expert.up_proj.weight", .to = "ffn_up_shexp.weight"},
    {.from = "mlp.shared_expert.down_proj.weight",
     .to = "ffn_down_shexp.weight"},
    {.from = "mlp.experts.gate_up_proj",
     .to = "ffn_gate_exps.weight",
     .shape = SHAPE_GATE_UP,
     .rows = ROWS_GATES},
    {.from = "mlp.experts.gate_up_proj",
     .to = "ffn_up_exps.weight",
     .shape = SHAPE_GATE_UP,
     .rows = ROWS_UPS},
    {.from = "mlp.experts.down_proj",
     .to = "ffn_down_exps.weight",
     .shape = SHAPE_EXPERTS},
    {0},
};

static const struct plan_name expert_names[] = {
    {.from = "gate_proj.weight",
     .to = "ffn_gate_exps.weight",
     .shape = SHAPE_EXPERTS},
    {.from = "up_proj.weight",
     .to = "ffn_up_exps.weight",
     .shape = SHAPE_EXPERTS},
    {.from = "down_proj.weight",
     .to = "ffn_down_exps.weight",
     .shape = SHAPE_EXPERTS},
    {0},
};

static const struct plan_name mtp_names[] = {
    {.from = "fc.weight", .to = "nextn.eh_proj.weight"},
    {.from = "pre_fc_norm_embedding.weight",
     .to = "nextn.enorm.weight",
     PLUS_ONE},
    {.from = "pre_fc_norm_hidden.weight", .to = "nextn.hnorm.weight", PLUS_ONE},
    {.from = "norm.weight", .to = "nextn.shared_head_norm.weight", PLUS_ONE},
    {0},
};

static const struct plan_name eye_names[] = {
    {.from = "patch_embed.proj.weight",
     .to = "v.patch_embd.weight",
     .shape = SHAPE_PATCH,
     .cols = COLS_FRAME_0},
    {.from = "patch_embed.proj.weight",
     .to = "v.patch_embd.weight.1",
     .shape = SHAPE_PATCH,
     .cols = COLS_FRAME_1},
    {.from = "patch_embed.proj.bias", .to = "v.patch_embd.bias"},
    {.from = "pos_embed.weight", .to = "v.position_embd.weight"},
    {.from = "merger.norm.weight", .to = "v.post_ln.weight"},
    {.from = "merger.norm.bias", .to = "v.post_ln.bias"},
    {.from = "merger.linear_fc1.weight", .to = "mm.0.weight"},
    {.from = "merger.linear_fc1.bias", .to = "mm.0.bias"},
    {.from = "merger.linear_fc2.weight", .to = "mm.2.weight"},
    {.from = "merger.linear_fc2.bias", .to = "mm.2.bias"},
    {0},
};

static const struct plan_name eye_layer_names[] = {
    {.from = "norm1.weight", .to = "ln1.weight"},
    {.from = "norm1.bias", .to = "ln1.bias"},
    {.from = "norm2.weight", .to = "ln2.weight"},
    {.from = "norm2.bias", .to = "ln2.bias"},
    {.from = "attn.qkv.weight", .to = "attn_qkv.weight"},
    {.from = "attn.qkv.bias", .to = "attn_qkv.bias"},
    {.from = "attn.proj.weight", .to = "attn_out.weight"},
    {.from = "attn.proj.bias", .to = "attn_out.bias"},
    {.from = "mlp.linear_fc1.weight", .to = "ffn_up.weight"},
    {.from = "mlp.linear_fc1.bias", .to = "ffn_up.bias"},
    {.from = "mlp.linear_fc2.weight", .to = "ffn_down.weight"},
    {.from = "mlp.linear_fc2.bias", .to = "ffn_down.bias"},
    {0},
};

/* Of quantised checkpoints: the same tensor under another end. */
static bool is_name(const char *name, const char *want)
{
    static const char packed[] = "_packed";
    size_t n = strlen(want);
    return !strncmp(name, want, n) && (!name[n] || !strcmp(name + n, packed));
}

static bool find_in(const struct plan_name *table, const char *name,
                    struct plan_place *place)
{
    int n = 0;
    for (const struct plan_name *t = table; t->from; t++)
        if (is_name(name, t->from) && n < 2) place->name[n++] = t;
    return n > 0;
}

/* "PREFIX12.rest": the rest, and the number; NULL for anything else. */
static const char *numbered(const char *name, const char *prefix, int *number)
{
    size_t n = strlen(prefix);
    if (strncmp(name, prefix, n) != 0) return NULL;
    const char *at = name + n;
    char *end;
    if (*at < '0' || *at > '9') return NULL;
    long v = strtol(at, &end, 10);
    if (*end != '.' || v > 65535 || end - at > 5) return NULL;
    *number = (int)v;
    return end + 1;
}

static bool find_layer(const char *rest, struct plan_place *place)
{
    const char *expert = numbered(rest, "mlp.experts.", &place->expert);
    if (expert) return find_in(expert_names, expert, place);
    return find_in(layer_names, rest, place);
}

static bool find_mtp(const char *name, int n_layer, struct plan_place *place)
{
    const char *rest = numbered(name, "layers.", &place->layer);
    place->layer = rest ? place->layer + n_layer : n_layer;
    if (rest) return find_layer(rest, place);
    return find_in(mtp_names, name, place);
}

static bool find_eye(const char *name, struct plan_place *place)
{
    place->vision = true;
    const char *rest = numbered(name, "blocks.", &place->layer);
    if (rest) return find_in(eye_layer_names, rest, place);
    return find_in(eye_names, name, place);
}

static const char *behind(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(name, prefix, n) ? name : name + n;
}

bool plan_names_find(const char *name, int n_layer, struct plan_place *place)
{
    *place = (struct plan_place){.layer = -1, .expert = -1};
    if (!strncmp(name, "mtp.", 4)) return find_mtp(name + 4, n_layer, place);
    const char *inner = behind(behind(name, "model."), "language_model.");
    inner = behind(inner, "model.");
    if (!strncmp(inner, "visual.", 7)) return find_eye(inner + 7, place);
    const char *rest = numbered(inner, "layers.", &place->layer);
    if (rest) return place->layer < n_layer && find_layer(rest, place);
    return find_in(top_names, inner, place);
}
