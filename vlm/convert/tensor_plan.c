/* tensor_plan.c - see tensor_plan.h.
 *
 * The order is llama-quantize's: tensors outside blocks first, then block by
 * block, by name in each.
 */
#include "vlm/convert/tensor_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- plan names ------------------------------------------------------------ */

/* Names of a checkpoint's tensors, and their names in GGUF. */

#define HEADS    .rows = ROWS_HEADS
#define PLUS_ONE .value = VALUE_PLUS_ONE

static const struct tensor_plan_name top_names[] = {
    {.from = "embed_tokens.weight", .to = "token_embd.weight"},
    {"norm.weight", "output_norm.weight", PLUS_ONE},
    {.from = "lm_head.weight", .to = "output.weight"},
    {0},
};

static const struct tensor_plan_name layer_names[] = {
    {"input_layernorm.weight", "attn_norm.weight", PLUS_ONE},
    {"post_attention_layernorm.weight", "post_attention_norm.weight", PLUS_ONE},
    {.from = "self_attn.q_proj.weight", .to = "attn_q.weight"},
    {.from = "self_attn.k_proj.weight", .to = "attn_k.weight"},
    {.from = "self_attn.v_proj.weight", .to = "attn_v.weight"},
    {.from = "self_attn.o_proj.weight", .to = "attn_output.weight"},
    {"self_attn.q_norm.weight", "attn_q_norm.weight", PLUS_ONE},
    {"self_attn.k_norm.weight", "attn_k_norm.weight", PLUS_ONE},
    {"linear_attn.in_proj_qkv.weight", "attn_qkv.weight", HEADS,
     .keeps_qk = true},
    {"linear_attn.in_proj_z.weight", "attn_gate.weight", HEADS},
    {"linear_attn.in_proj_a.weight", "ssm_alpha.weight", HEADS, .unit = 1},
    {"linear_attn.in_proj_b.weight", "ssm_beta.weight", HEADS, .unit = 1},
    {"linear_attn.conv1d.weight", "ssm_conv1d.weight", .shape = SHAPE_CONV,
     HEADS, .keeps_qk = true},
    {"linear_attn.A_log", "ssm_a", .shape = SHAPE_VECTOR, .cols = COLS_HEADS,
     .value = VALUE_MINUS_EXP, .unit = 1},
    {"linear_attn.dt_bias", "ssm_dt.bias", .shape = SHAPE_VECTOR,
     .cols = COLS_HEADS, .unit = 1},
    {.from = "linear_attn.norm.weight", .to = "ssm_norm.weight"},
    {"linear_attn.out_proj.weight", "ssm_out.weight", .cols = COLS_HEADS},
    {.from = "mlp.gate_proj.weight", .to = "ffn_gate.weight"},
    {.from = "mlp.up_proj.weight", .to = "ffn_up.weight"},
    {.from = "mlp.down_proj.weight", .to = "ffn_down.weight"},
    {.from = "mlp.gate.weight", .to = "ffn_gate_inp.weight"},
    {"mlp.shared_expert_gate.weight", "ffn_gate_inp_shexp.weight",
     .shape = SHAPE_VECTOR},
    {.from = "mlp.shared_expert.gate_proj.weight",
     .to = "ffn_gate_shexp.weight"},
    {.from = "mlp.shared_expert.up_proj.weight", .to = "ffn_up_shexp.weight"},
    {.from = "mlp.shared_expert.down_proj.weight",
     .to = "ffn_down_shexp.weight"},
    {"mlp.experts.gate_up_proj", "ffn_gate_exps.weight", .shape = SHAPE_GATE_UP,
     .rows = ROWS_GATES},
    {"mlp.experts.gate_up_proj", "ffn_up_exps.weight", .shape = SHAPE_GATE_UP,
     .rows = ROWS_UPS},
    {"mlp.experts.down_proj", "ffn_down_exps.weight", .shape = SHAPE_EXPERTS},
    {0},
};

static const struct tensor_plan_name expert_names[] = {
    {"gate_proj.weight", "ffn_gate_exps.weight", .shape = SHAPE_EXPERTS},
    {"up_proj.weight", "ffn_up_exps.weight", .shape = SHAPE_EXPERTS},
    {"down_proj.weight", "ffn_down_exps.weight", .shape = SHAPE_EXPERTS},
    {0},
};

static const struct tensor_plan_name mtp_names[] = {
    {.from = "fc.weight", .to = "nextn.eh_proj.weight"},
    {"pre_fc_norm_embedding.weight", "nextn.enorm.weight", PLUS_ONE},
    {"pre_fc_norm_hidden.weight", "nextn.hnorm.weight", PLUS_ONE},
    {"norm.weight", "nextn.shared_head_norm.weight", PLUS_ONE},
    {0},
};

static const struct tensor_plan_name vision_names[] = {
    {"patch_embed.proj.weight", "v.patch_embd.weight", .shape = SHAPE_PATCH,
     .cols = COLS_FRAME_0},
    {"patch_embed.proj.weight", "v.patch_embd.weight.1", .shape = SHAPE_PATCH,
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

static const struct tensor_plan_name vision_layer_names[] = {
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

/* Quantised checkpoints can have "_packed" after the name. */
static bool is_name(const char *name, const char *want)
{
    static const char packed[] = "_packed";
    size_t n = strlen(want);
    return !strncmp(name, want, n) && (!name[n] || !strcmp(name + n, packed));
}

static bool find_in(const struct tensor_plan_name *table, const char *name,
                    struct tensor_plan_place *place)
{
    int n = 0;
    for (const struct tensor_plan_name *t = table; t->from; t++)
        if (is_name(name, t->from) && n < 2) place->name[n++] = t;
    return n > 0;
}

/* The rest and the number of "PREFIX12.rest"; NULL for anything else. */
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

static bool find_layer(const char *rest, struct tensor_plan_place *place)
{
    const char *expert = numbered(rest, "mlp.experts.", &place->expert);
    if (expert) return find_in(expert_names, expert, place);
    return find_in(layer_names, rest, place);
}

static bool find_mtp(const char *name, int n_layer,
                     struct tensor_plan_place *place)
{
    const char *rest = numbered(name, "layers.", &place->layer);
    place->layer = rest ? place->layer + n_layer : n_layer;
    if (rest) return find_layer(rest, place);
    return find_in(mtp_names, name, place);
}

static bool find_vision(const char *name, struct tensor_plan_place *place)
{
    place->vision = true;
    const char *rest = numbered(name, "blocks.", &place->layer);
    if (rest) return find_in(vision_layer_names, rest, place);
    return find_in(vision_names, name, place);
}

static const char *without_prefix(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(name, prefix, n) ? name : name + n;
}

bool tensor_plan_names_find(const char *name, int n_layer,
                            struct tensor_plan_place *place)
{
    *place = (struct tensor_plan_place){.layer = -1, .expert = -1};
    if (!strncmp(name, "mtp.", 4)) return find_mtp(name + 4, n_layer, place);
    const char *inner =
        without_prefix(without_prefix(name, "model."), "language_model.");
    inner = without_prefix(inner, "model.");
    if (!strncmp(inner, "visual.", 7)) return find_vision(inner + 7, place);
    const char *rest = numbered(inner, "layers.", &place->layer);
    if (rest) return place->layer < n_layer && find_layer(rest, place);
    return find_in(top_names, inner, place);
}

/* --- plan rows ------------------------------------------------------------- */

/* Order of rows and columns.
 *
 * Example: 2 key heads with 2 value heads each. The checkpoint has the value
 * heads grouped by key head, a0 a1 b0 b1; the model file has them tiled, a0 b0
 * a1 b1, so that head i belongs to key head i mod 2. */

/* Index in grouped order of row or column i in tiled order. */
static int64_t grouped(const struct tensor_plan *p, int64_t i, int64_t unit)
{
    int64_t n_key = p->config->n_gdn_k,
            each = p->config->n_gdn_v / p->config->n_gdn_k, head = i / unit;
    return (head % n_key * each + head / n_key) * unit + i % unit;
}

/* Source row, in its part, of row i of the part. */
static int64_t source_row(const struct tensor_plan *p,
                          const struct planned_tensor *t, int64_t i)
{
    switch (t->rows) {
    case ROWS_HEADS:
        return i < t->kept ? i : t->kept + grouped(p, i - t->kept, t->unit);
    case ROWS_GATES: return i / t->kept * 2 * t->kept + i % t->kept;
    case ROWS_UPS: return (i / t->kept * 2 + 1) * t->kept + i % t->kept;
    case ROWS_PLAIN: break;
    }
    return i;
}

static int64_t source_col(const struct tensor_plan *p,
                          const struct planned_tensor *t, int64_t i)
{
    switch (t->cols) {
    case COLS_HEADS: return grouped(p, i, t->unit);
    case COLS_FRAME_0: return i / t->unit * 2 * t->unit + i % t->unit;
    case COLS_FRAME_1: return (i / t->unit * 2 + 1) * t->unit + i % t->unit;
    case COLS_PLAIN: break;
    }
    return i;
}

/* A run of consecutive rows of one part. */
struct row_run {
    const struct hf_matrix *part;
    int64_t first, n;
};

static struct row_run run_at(const struct tensor_plan *p,
                             const struct planned_tensor *t, int64_t row,
                             int64_t most)
{
    int64_t each = t->n_row / t->n_part, local = row % each;
    struct row_run r = {&t->part[row / each], source_row(p, t, local), 1};
    if (most > each - local) most = each - local;
    while (r.n < most && source_row(p, t, local + r.n) == r.first + r.n)
        r.n++;
    return r;
}

static void transform(const struct planned_tensor *t, float *x, int64_t n)
{
    if (t->value == VALUE_PLUS_ONE)
        for (int64_t i = 0; i < n; i++)
            x[i] += 1;
    if (t->value == VALUE_MINUS_EXP)
        for (int64_t i = 0; i < n; i++)
            x[i] = -expf(x[i]);
}

void tensor_plan_rows(const struct tensor_plan *p,
                      const struct planned_tensor *t, int64_t first, int64_t n,
                      float *out, struct err *err)
{
    if (err_failed(err)) return;
    int64_t wide = t->part[0].n_col;
    bool plain = t->cols == COLS_PLAIN;
    float *raw = plain ? NULL : mem_alloc((size_t)(n * wide), sizeof *raw);
    for (int64_t i = 0; i < n && !err_failed(err);) {
        struct row_run r = run_at(p, t, first + i, n - i);
        hf_matrix_rows(r.part, r.first, r.n,
                       plain ? out + i * t->n_col : raw + i * wide, err);
        i += r.n;
    }
    for (int64_t i = 0; i < n && !plain && !err_failed(err); i++)
        for (int64_t c = 0; c < t->n_col; c++)
            out[i * t->n_col + c] = raw[i * wide + source_col(p, t, c)];
    mem_free(raw);
    if (!err_failed(err)) transform(t, out, n * t->n_col);
}

bool tensor_plan_is_nvfp4(const struct planned_tensor *t)
{
    if (t->n_dim < 2 || t->value != VALUE_PLAIN) return false;
    if (t->cols != COLS_PLAIN &&
        (t->cols != COLS_HEADS || t->unit % HF_GROUP != 0))
        return false;
    for (int i = 0; i < t->n_part; i++)
        if (t->part[i].kind != HF_NVFP4) return false;
    return true;
}

/* Reorders the columns; groups stay together. */
static void reorder_codes(const struct tensor_plan *p,
                          const struct planned_tensor *t, uint8_t *code,
                          uint8_t *scale)
{
    int64_t n = t->n_col;
    uint8_t *old = mem_alloc((size_t)(n + n / HF_GROUP), 1);
    memcpy(old, code, (size_t)n);
    memcpy(old + n, scale, (size_t)(n / HF_GROUP));
    for (int64_t c = 0; c < n; c++)
        code[c] = old[source_col(p, t, c)];
    for (int64_t g = 0; g < n / HF_GROUP; g++)
        scale[g] = old[n + source_col(p, t, g * HF_GROUP) / HF_GROUP];
    mem_free(old);
}

void tensor_plan_codes(const struct tensor_plan *p,
                       const struct planned_tensor *t, int64_t first, int64_t n,
                       uint8_t *code, uint8_t *scale, struct err *err)
{
    if (err_failed(err)) return;
    int64_t groups = t->n_col / HF_GROUP;
    for (int64_t i = 0; i < n && !err_failed(err);) {
        struct row_run r = run_at(p, t, first + i, n - i);
        hf_matrix_codes(r.part, r.first, r.n, code + i * t->n_col,
                        scale + i * groups, err);
        i += r.n;
    }
    for (int64_t i = 0; i < n && t->cols != COLS_PLAIN && !err_failed(err); i++)
        reorder_codes(p, t, code + i * t->n_col, scale + i * groups);
}

/* --- plan ------------------------------------------------------------------ */

struct planning {
    const struct checkpoint *c;
    const struct hf_config *f;
    struct arena *arena;
    struct planned_tensor *tensor;
    int n;
    struct err *err;
};

/* --- one tensor ------------------------------------------------------------ */

static struct planned_tensor *find_planned(struct planning *p, const char *name)
{
    for (int i = p->n - 1; i >= 0; i--)
        if (!strcmp(p->tensor[i].name, name)) return &p->tensor[i];
    return NULL;
}

static struct planned_tensor *new_tensor(struct planning *p, const char *name)
{
    struct planned_tensor *t = MEM_ADD(p->tensor, p->n);
    memset(t, 0, sizeof *t);
    memcpy(t->name, name, strlen(name) + 1);
    return t;
}

static void set_sizes(struct planned_tensor *t, int64_t a, int64_t b, int64_t c,
                      int64_t d)
{
    int64_t ne[4] = {a, b, c, d};
    memcpy(t->ne, ne, sizeof ne);
    t->n_dim = d ? 4 : c ? 3 : b ? 2 : 1;
    t->n_col = a;
    t->n_row = 1;
    for (int i = 1; i < 4; i++) {
        if (!t->ne[i]) t->ne[i] = 1;
        t->n_row *= t->ne[i];
    }
}

static bool has_dims(struct planning *p, const struct stored_tensor *s, int n)
{
    return s->n_dim == n ||
           err_set(p->err, ERR_CONFIG, "%s: has %d sizes, not %d", s->name,
                   s->n_dim, n);
}

/* Sizes of the checkpoint, the last one first. */
static void set_as_is(struct planning *p, struct planned_tensor *t,
                      const struct hf_matrix *m)
{
    int n = m->tensor->n_dim;
    if (n < 1 || n > 2)
        err_set(p->err, ERR_CONFIG, "%s: has %d sizes, not 1 or 2",
                m->tensor->name, n);
    else
        set_sizes(t, m->n_col, n == 2 ? m->n_row : 0, 0, 0);
}

static void set_experts(struct planning *p, struct planned_tensor *t,
                        const struct hf_matrix *m, bool halves)
{
    const struct stored_tensor *s = m->tensor;
    if (!has_dims(p, s, 3)) return;
    int64_t rows = s->size[1] / (halves ? 2 : 1);
    if (halves && s->size[1] % 2)
        err_set(p->err, ERR_CONFIG, "%s: an odd number of rows", s->name);
    set_sizes(t, m->n_col, rows, s->size[0], 0);
    t->kept = rows;
}

static void set_patch(struct planning *p, struct planned_tensor *t,
                      const struct hf_matrix *m)
{
    const struct stored_tensor *s = m->tensor;
    if (!has_dims(p, s, 5)) return;
    t->unit = s->size[3] * s->size[4];
    if (s->size[2] != 2)
        err_set(p->err, ERR_UNSUPPORTED, "%s: %lld frames, not 2", s->name,
                (long long)s->size[2]);
    set_sizes(t, s->size[4], s->size[3], s->size[1], s->size[0]);
    t->n_col = t->unit * s->size[1]; /* a row is a whole kernel */
    t->n_row = s->size[0];
}

/* Values per row in the checkpoint; 0: its last size. */
static int64_t columns(const struct tensor_plan_name *name,
                       const struct stored_tensor *s)
{
    if (name->shape == SHAPE_VECTOR) return s->n_value;
    if (name->shape == SHAPE_PATCH && s->n_dim == 5 && s->size[0])
        return s->n_value / s->size[0];
    return 0;
}

static void set_shape(struct planning *p, struct planned_tensor *t,
                      const struct tensor_plan_name *name,
                      const struct hf_matrix *m)
{
    const struct stored_tensor *s = m->tensor;
    switch (name->shape) {
    case SHAPE_AS_IS: set_as_is(p, t, m); break;
    case SHAPE_VECTOR: set_sizes(t, s->n_value, 0, 0, 0); break;
    case SHAPE_CONV:
        if (has_dims(p, s, 3)) set_sizes(t, s->size[2], s->size[0], 0, 0);
        if (s->n_dim == 3 && s->size[1] != 1)
            err_set(p->err, ERR_CONFIG,
                    "%s: the taps are not the last dimension: converted for "
                    "another engine (MLX?); use the original checkpoint",
                    s->name);
        break;
    case SHAPE_PATCH: set_patch(p, t, m); break;
    case SHAPE_EXPERTS: set_experts(p, t, m, false); break;
    case SHAPE_GATE_UP: set_experts(p, t, m, true); break;
    }
}

/* Sets `unit` and `kept` of value heads, and checks their number. */
static void set_heads(struct planning *p, struct planned_tensor *t,
                      const struct tensor_plan_name *name)
{
    const struct hf_config *f = p->f;
    if (name->rows != ROWS_HEADS && name->cols != COLS_HEADS) return;
    t->unit = name->unit ? name->unit : f->gdn_dim;
    t->kept = name->keeps_qk ? 2 * (int64_t)f->n_gdn_k * f->gdn_dim : 0;
    int64_t heads = name->rows == ROWS_HEADS ? t->n_row : t->n_col;
    if (heads != t->kept + t->unit * f->n_gdn_v)
        err_set(p->err, ERR_CONFIG,
                "%s: %lld rows or columns, but %d value heads need %lld",
                t->part[0].tensor->name, (long long)heads, f->n_gdn_v,
                (long long)(t->kept + t->unit * f->n_gdn_v));
}

static void add_part(struct planning *p, struct planned_tensor *t,
                     struct hf_matrix m)
{
    *ARENA_ADD(p->arena, t->part, t->n_part) = m;
}

static void tensor_plan_tensor(struct planning *p,
                               const struct stored_tensor *s,
                               const struct tensor_plan_place *place,
                               const struct tensor_plan_name *name)
{
    char full[TENSOR_PLAN_NAME_MAX];
    const char *block = place->vision ? "v.blk" : "blk";
    if (place->layer >= 0)
        snprintf(full, sizeof full, "%s.%d.%s", block, place->layer, name->to);
    else
        snprintf(full, sizeof full, "%s", name->to);
    struct hf_matrix m = hf_matrix_open(p->c, s, columns(name, s), p->err);
    if (err_failed(p->err)) return;
    if (find_planned(p, full))
        err_set(p->err, ERR_CONFIG, "%s: a second tensor for %s", s->name,
                full);
    struct planned_tensor *t = new_tensor(p, full);
    t->layer = place->layer;
    t->rows = name->rows;
    t->cols = name->cols;
    t->value = name->value;
    add_part(p, t, m);
    set_shape(p, t, name, &m);
    if (!err_failed(p->err)) set_heads(p, t, name);
    if (!place->vision && m.kind != HF_FLOATS && t->n_dim == 1)
        err_set(p->err, ERR_UNSUPPORTED, "%s: a vector in 4 or 8 bits",
                s->name);
}

/* Plans a stack of single experts when the first of them is met. */
static void tensor_plan_expert(struct planning *p,
                               const struct stored_tensor *s,
                               const struct tensor_plan_place *place,
                               const struct tensor_plan_name *name)
{
    if (place->expert != 0) return;
    char full[TENSOR_PLAN_NAME_MAX];
    snprintf(full, sizeof full, "blk.%d.%s", place->layer, name->to);
    struct planned_tensor *t = new_tensor(p, full);
    t->layer = place->layer;
    const char *zero = strstr(s->name, ".experts.0.");
    for (int e = 0; zero && e < p->f->n_expert && !err_failed(p->err); e++) {
        const char *one =
            arena_text(p->arena, "%.*s.experts.%d.%s", (int)(zero - s->name),
                       s->name, e, zero + strlen(".experts.0."));
        const struct stored_tensor *found = checkpoint_find(p->c, one);
        if (!found) {
            err_set(p->err, ERR_CONFIG, "%s is missing", one);
            return;
        }
        struct hf_matrix m = hf_matrix_open(p->c, found, 0, p->err);
        add_part(p, t, m);
        if (m.n_row != t->part[0].n_row || m.n_col != t->part[0].n_col)
            err_set(p->err, ERR_CONFIG, "%s: differs in size from expert 0",
                    one);
    }
    if (!err_failed(p->err) && t->n_part)
        set_sizes(t, t->part[0].n_col, t->part[0].n_row, t->n_part, 0);
}

/* --- all tensors ----------------------------------------------------------- */

static void tensor_plan_one(struct planning *p, const struct stored_tensor *s,
                            bool vision)
{
    struct tensor_plan_place place;
    if (hf_matrix_is_aside(s->name)) return;
    if (!tensor_plan_names_find(s->name, p->f->n_layer, &place)) {
        err_set(p->err, ERR_UNSUPPORTED,
                "%s: unknown tensor: Qwen3.5 has none of this name", s->name);
        return;
    }
    if (place.vision != vision) return;
    if (!strcmp(place.name[0]->to, "output.weight") && p->f->tied) return;
    if (place.layer >= p->f->n_layer + p->f->n_mtp && !vision) return;
    for (int i = 0; i < 2 && place.name[i] && !err_failed(p->err); i++)
        if (place.expert >= 0)
            tensor_plan_expert(p, s, &place, place.name[i]);
        else
            tensor_plan_tensor(p, s, &place, place.name[i]);
}

static int by_layer_and_name(const void *a, const void *b)
{
    const struct planned_tensor *x = a, *y = b;
    if (x->layer != y->layer) return x->layer < y->layer ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool has_tensor(const struct planning *p, const char *name)
{
    for (int i = 0; i < p->n; i++)
        if (!strcmp(p->tensor[i].name, name)) return true;
    return false;
}

static void check_head(struct planning *p, bool vision)
{
    if (err_failed(p->err) || vision) return;
    if (!has_tensor(p, "token_embd.weight"))
        err_set(p->err, ERR_CONFIG, "embed_tokens.weight is missing");
    else if (!p->f->tied && !has_tensor(p, "output.weight"))
        err_set(p->err, ERR_CONFIG,
                "lm_head.weight is missing, and config.json does not set "
                "tie_word_embeddings");
}

struct tensor_plan tensor_plan_make(const struct checkpoint *c,
                                    const struct hf_config *f, bool vision,
                                    struct arena *arena, struct err *err)
{
    struct tensor_plan plan = {.config = f};
    if (err_failed(err)) return plan;
    struct planning p = {.c = c, .f = f, .arena = arena, .err = err};
    for (int i = 0; i < checkpoint_n_tensor(c) && !err_failed(err); i++)
        tensor_plan_one(&p, checkpoint_tensor(c, i), vision);
    check_head(&p, vision);
    err_context(err, "%s", checkpoint_folder(c));
    if (p.n) {
        qsort(p.tensor, (size_t)p.n, sizeof *p.tensor, by_layer_and_name);
        plan.tensor = arena_array(arena, (size_t)p.n, sizeof *plan.tensor);
        memcpy(plan.tensor, p.tensor, (size_t)p.n * sizeof *plan.tensor);
        plan.n = p.n;
    }
    mem_free(p.tensor);
    return plan;
}
