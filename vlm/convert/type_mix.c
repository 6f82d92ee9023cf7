/* type_mix.c - chooses a type by a tensor's name and the position of its
 * block. */
#include "vlm/convert/type_mix.h"

#include <string.h>

const char type_mix_names[] =
    "f32, bf16, f16, q8_0, q4_k_m, q5_k_m, q6_k, mxfp4, nvfp4";

static const struct type_mix mixes[] = {
    {"f32", QUANT_F32, 0},      {"bf16", QUANT_BF16, 32},
    {"f16", QUANT_F16, 1},      {"q8_0", QUANT_Q8_0, 7},
    {"q4_k_m", QUANT_Q4_K, 15}, {"q5_k_m", QUANT_Q5_K, 17},
    {"q6_k", QUANT_Q6_K, 18},   {"mxfp4", QUANT_MXFP4, 38},
    {"nvfp4", QUANT_NVFP4, 39},
};

const struct type_mix *type_mix_find(const char *name)
{
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++)
        if (!strcmp(mixes[i].name, name)) return &mixes[i];
    return NULL;
}

static bool name_has(const struct planned_tensor *t, const char *part)
{
    return strstr(t->name, part) != NULL;
}

/* Vectors and small sensitive matrices are never quantised. */
static bool stays_f32(const struct planned_tensor *t)
{
    return t->n_dim < 2 || name_has(t, "_norm.") || name_has(t, "ssm_conv1d") ||
           name_has(t, "ffn_gate_inp") || name_has(t, "position_embd") ||
           name_has(t, "patch_embd");
}

static bool is_float(enum quant_type type)
{
    return type == QUANT_F32 || type == QUANT_F16 || type == QUANT_BF16;
}

static bool is_k(enum quant_type type)
{
    return type == QUANT_Q4_K || type == QUANT_Q5_K || type == QUANT_Q6_K;
}

/* `type`, or a fallback with a block size that divides the row. */
static enum quant_type fitting_type(enum quant_type type, int64_t n_col)
{
    if (n_col % quant_info((uint32_t)type)->block == 0) return type;
    return n_col % quant_info(QUANT_Q8_0)->block == 0 ? QUANT_Q8_0 : QUANT_F16;
}

/* First and last eighth of the blocks, and every third in between. */
static bool gets_more_bits(int block, int n)
{
    return block < n / 8 || block >= 7 * n / 8 || (block - n / 8) % 3 == 2;
}

/* The type in a K mix. */
static enum quant_type k_type(const struct type_mix *m,
                              const struct tensor_plan *p,
                              const struct planned_tensor *t)
{
    int n = p->config->n_layer + p->config->n_mtp;
    bool more = t->layer >= 0 && gets_more_bits(t->layer, n);
    bool head = !strcmp(t->name, "output.weight") ||
                (p->config->tied && !strcmp(t->name, "token_embd.weight"));
    if (name_has(t, "ssm_out"))
        return m->base == QUANT_Q6_K ? QUANT_Q8_0 : QUANT_Q6_K;
    if (head) return QUANT_Q6_K;
    if (more && (name_has(t, "attn_v") || name_has(t, "attn_qkv") ||
                 name_has(t, "ffn_down")))
        return QUANT_Q6_K;
    if (name_has(t, "attn_"))
        return m->base == QUANT_Q4_K ? QUANT_Q5_K : QUANT_Q6_K;
    return m->base;
}

/* The type in a mix of four-bit floats: they are used only for the
 * feed-forward part and for tensors that are NVFP4 in the checkpoint. */
static enum quant_type fp4_type(const struct type_mix *m,
                                const struct planned_tensor *t)
{
    bool routed = name_has(t, "ffn_") && !name_has(t, "_shexp");
    if (m->base == QUANT_NVFP4 && tensor_plan_is_nvfp4(t)) return QUANT_NVFP4;
    return routed ? m->base : QUANT_Q8_0;
}

static enum quant_type vision_type(const struct type_mix *m)
{
    return is_float(m->base) || m->base == QUANT_Q8_0 ? m->base : QUANT_F16;
}

/* Decay and update of the delta rule depend on a few rows; their rounding
 * errors would accumulate from token to token. */
static bool is_delta_gate(const struct planned_tensor *t)
{
    return name_has(t, "ssm_alpha") || name_has(t, "ssm_beta");
}

enum quant_type type_mix_type(const struct type_mix *m,
                              const struct tensor_plan *p,
                              const struct planned_tensor *t, bool vision)
{
    if (stays_f32(t) || (is_delta_gate(t) && !is_float(m->base)))
        return QUANT_F32;
    if (vision) return fitting_type(vision_type(m), t->n_col);
    if (is_k(m->base)) return fitting_type(k_type(m, p, t), t->n_col);
    if (m->base == QUANT_MXFP4 || m->base == QUANT_NVFP4)
        return fitting_type(fp4_type(m, t), t->n_col);
    return fitting_type(m->base, t->n_col);
}

int type_mix_vision_file_type(const struct type_mix *m)
{
    enum quant_type type = vision_type(m);
    return type == QUANT_F32 ? 0 : type == m->base ? m->file_type : 1;
}
