/* weights.c - see weights.h. The calls below name all tensors of the graph;
 * MODEL.md, section 8, has the layouts. Any other tensor in the file is a
 * fault.
 */
#include "vlm/model/weights.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "vlm/model/gguf.h"
#include "vlm/model/model_faults.h"

/* Collects faults, so that a user sees all of them at once, and records which
 * tensors are used: an unused one is a fault too. */
struct fitting {
    const struct gguf *g;
    struct arena *arena;
    struct model_faults misfits;
    bool *taken;      /* by tensor index: used */
    bool unsupported; /* a tensor has an unsupported type */
    char prefix[24];  /* "blk.3." */
    char name[96];
};

static struct fitting fitting_begin(const struct gguf *g, struct arena *arena)
{
    int n = gguf_n_tensor(g);
    return (struct fitting){
        .g = g,
        .arena = arena,
        .misfits = model_faults_begin(),
        .taken = arena_array(arena, n ? (size_t)n : 1, sizeof(bool))};
}

static const char *name_of(struct fitting *f, const char *leaf)
{
    snprintf(f->name, sizeof f->name, "%s%s", f->prefix, leaf);
    return f->name;
}

/* Is there such a tensor? Does not mark it as used. */
static bool has_tensor(struct fitting *f, const char *leaf)
{
    return gguf_find_tensor(f->g, name_of(f, leaf)) != NULL;
}

/* The tensor of this name, marked as used; or NULL. */
static const struct gguf_tensor *take_tensor(struct fitting *f,
                                             const char *leaf)
{
    const struct gguf_tensor *t = gguf_find_tensor(f->g, name_of(f, leaf));
    if (t) f->taken[t - gguf_tensor(f->g, 0)] = true;
    return t;
}

/* The tensor with exactly these dimensions (ne[0] first, 1 for none). */
static const struct gguf_tensor *tensor(struct fitting *f, const char *leaf,
                                        int64_t a, int64_t b, int64_t c,
                                        int64_t d, bool optional)
{
    const struct gguf_tensor *t = take_tensor(f, leaf);
    if (!t) {
        if (!optional) model_faults_add(&f->misfits, f->name, "is missing");
        return NULL;
    }
    const struct quant_info *q = quant_info(t->type);
    if (t->ne[0] != a || t->ne[1] != b || t->ne[2] != c || t->ne[3] != d) {
        model_faults_add(
            &f->misfits, f->name,
            "is {%lld, %lld, %lld, %lld}, not {%lld, %lld, %lld, %lld}",
            (long long)t->ne[0], (long long)t->ne[1], (long long)t->ne[2],
            (long long)t->ne[3], (long long)a, (long long)b, (long long)c,
            (long long)d);
        return NULL;
    }
    if (!q->supported) {
        model_faults_add(&f->misfits, f->name, "is of type %s", q->name);
        f->unsupported = true;
        return NULL;
    }
    return t;
}

/* A tensor's values as F32: in place if stored so. */
static const float *values(struct fitting *f, const struct gguf_tensor *t)
{
    if (!t) return NULL;
    if (t->type == QUANT_F32) return t->data;
    int64_t n = t->ne[0] * t->ne[1] * t->ne[2];
    float *v = arena_array(f->arena, (size_t)n, sizeof *v);
    quant_decode(t->type, t->data, n, v);
    return v;
}

static const float *read_vector(struct fitting *f, const char *leaf, int64_t n)
{
    return values(f, tensor(f, leaf, n, 1, 1, 1, false));
}

/* NVFP4's second scale: "X.scale" for "X.weight", n values, or NULL. */
static const float *second_scale(struct fitting *f, const char *leaf, int64_t n)
{
    char scale[64];
    size_t stem = strlen(leaf);
    const char *weight = strstr(leaf, ".weight");
    if (weight) stem = (size_t)(weight - leaf);
    snprintf(scale, sizeof scale, "%.*s.scale", (int)stem, leaf);
    return values(f, tensor(f, scale, n, 1, 1, 1, true));
}

/* A matrix of n_row * stack rows: `stack` experts, or 1. */
static struct weight stacked(struct fitting *f, const char *leaf, int64_t n_col,
                             int64_t n_row, int64_t stack)
{
    struct weight w = {0};
    const struct gguf_tensor *t =
        tensor(f, leaf, n_col, n_row, stack, 1, false);
    if (!t) return w;
    if (n_row > INT_MAX / stack) {
        model_faults_add(&f->misfits, f->name, "has too many rows");
        return w;
    }
    w = (struct weight){.type = t->type,
                        .n_row = (int)(n_row * stack),
                        .n_col = (int)n_col,
                        .scale = 1,
                        .raw = t->data};
    return w;
}

static struct weight read_matrix(struct fitting *f, const char *leaf,
                                 int64_t n_col, int64_t n_row)
{
    struct weight w = stacked(f, leaf, n_col, n_row, 1);
    const float *scale = second_scale(f, leaf, 1);
    if (scale) w.scale = *scale;
    return w;
}

/* Unused: blocks of multi-token prediction after the first, duplicates in the
 * first, and the scale of inputs, which only hardware with 4-bit activations
 * uses. */
static bool means_nothing(struct span name, const struct shape *s)
{
    static const char end[] = ".input_scale";
    size_t n = sizeof end - 1;
    if (name.size > n && !memcmp(name.data + name.size - n, end, n))
        return true;
    for (int i = 0; s && i < s->n_mtp; i++) {
        char block[24];
        n = (size_t)snprintf(block, sizeof block, "blk.%d.", s->n_layer + i);
        if (name.size > n && !memcmp(name.data, block, n)) return true;
    }
    return false;
}

static void report(struct fitting *f, const struct shape *s, struct err *err)
{
    for (int i = 0; i < gguf_n_tensor(f->g); i++) {
        struct span name = gguf_tensor(f->g, i)->name;
        char show[GGUF_SHOW_MAX];
        if (f->taken[i] || means_nothing(name, s)) continue;
        model_faults_add(&f->misfits, gguf_show(name, show), "is not known");
    }
    const char *remedy =
        f->unsupported
            ? "use a file in another quantisation, such as Q8_0 or Q4_K_M"
            : "use a complete and unmodified file from a current converter";
    model_faults_report(&f->misfits, gguf_path(f->g), "tensor", remedy,
                        f->unsupported ? ERR_UNSUPPORTED : ERR_CONFIG, err);
}

/* ---- text ------------------------------------------------------------- */

static void read_attention(struct fitting *f, const struct shape *s,
                           struct attention_weights *w)
{
    int64_t n = s->n_embd, q = (int64_t)s->n_head * s->n_embd_head;
    int64_t kv = (int64_t)s->n_head_kv * s->n_embd_head;
    w->q = read_matrix(f, "attn_q.weight", n, 2 * q);
    w->k = read_matrix(f, "attn_k.weight", n, kv);
    w->v = read_matrix(f, "attn_v.weight", n, kv);
    w->out = read_matrix(f, "attn_output.weight", q, n);
    w->q_norm = read_vector(f, "attn_q_norm.weight", s->n_embd_head);
    w->k_norm = read_vector(f, "attn_k_norm.weight", s->n_embd_head);
}

static void read_gdn(struct fitting *f, const struct shape *s,
                     struct gdn_weights *w)
{
    w->qkv = read_matrix(f, "attn_qkv.weight", s->n_embd, s->conv_width);
    w->z = read_matrix(f, "attn_gate.weight", s->n_embd, s->gdn_v_width);
    w->alpha = read_matrix(f, "ssm_alpha.weight", s->n_embd, s->n_gdn_v);
    w->beta = read_matrix(f, "ssm_beta.weight", s->n_embd, s->n_gdn_v);
    w->out = read_matrix(f, "ssm_out.weight", s->gdn_v_width, s->n_embd);
    w->conv = values(f, tensor(f, "ssm_conv1d.weight", s->conv_kernel,
                               s->conv_width, 1, 1, false));
    /* Some exporters omit the suffix. */
    w->dt_bias = read_vector(
        f, has_tensor(f, "ssm_dt") ? "ssm_dt" : "ssm_dt.bias", s->n_gdn_v);
    w->a = read_vector(f, "ssm_a", s->n_gdn_v);
    w->norm = read_vector(f, "ssm_norm.weight", s->gdn_dim);
}

static const float *expert_scales(struct fitting *f, const char *leaf,
                                  int64_t n, struct weight *w)
{
    char scale[64];
    snprintf(scale, sizeof scale, "%s.scale", leaf);
    const struct gguf_tensor *t = gguf_find_tensor(f->g, name_of(f, scale));
    if (!t) return NULL;
    if (t->ne[0] != 1) return second_scale(f, leaf, n);
    const float *one = second_scale(f, leaf, 1);
    if (one) w->scale = *one;
    return NULL;
}

static void read_experts(struct fitting *f, const struct shape *s,
                         struct ffn_weights *w)
{
    int64_t n = s->n_embd, ff = s->n_ff_expert, e = s->n_expert;
    w->exps_stride = s->n_ff_expert;
    if (has_tensor(f, "ffn_gate_up_exps.weight")) {
        w->gate_exps = stacked(f, "ffn_gate_up_exps.weight", n, 2 * ff, e);
        w->gate_scale = expert_scales(f, "ffn_gate_up_exps", e, &w->gate_exps);
        w->up_exps = w->gate_exps;
        w->up_scale = w->gate_scale;
        w->exps_stride = 2 * s->n_ff_expert;
        w->up_first = s->n_ff_expert;
    } else {
        w->gate_exps = stacked(f, "ffn_gate_exps.weight", n, ff, e);
        w->up_exps = stacked(f, "ffn_up_exps.weight", n, ff, e);
        w->gate_scale = expert_scales(f, "ffn_gate_exps", e, &w->gate_exps);
        w->up_scale = expert_scales(f, "ffn_up_exps", e, &w->up_exps);
    }
    w->down_exps = stacked(f, "ffn_down_exps.weight", ff, n, e);
    w->down_scale = expert_scales(f, "ffn_down_exps", e, &w->down_exps);
    w->router = read_matrix(f, "ffn_gate_inp.weight", n, e);
    w->shared_gate = read_vector(f, "ffn_gate_inp_shexp.weight", n);
    w->gate = read_matrix(f, "ffn_gate_shexp.weight", n, s->n_ff_shared);
    w->up = read_matrix(f, "ffn_up_shexp.weight", n, s->n_ff_shared);
    w->down = read_matrix(f, "ffn_down_shexp.weight", s->n_ff_shared, n);
}

static void read_ffn(struct fitting *f, const struct shape *s,
                     struct ffn_weights *w)
{
    if (s->n_expert) {
        read_experts(f, s, w);
        return;
    }
    w->gate = read_matrix(f, "ffn_gate.weight", s->n_embd, s->n_ff);
    w->up = read_matrix(f, "ffn_up.weight", s->n_embd, s->n_ff);
    w->down = read_matrix(f, "ffn_down.weight", s->n_ff, s->n_embd);
}

static void read_layer(struct fitting *f, const struct shape *s, bool attends,
                       struct layer *l)
{
    l->attends = attends;
    l->norm_mix = read_vector(f, "attn_norm.weight", s->n_embd);
    if (attends)
        read_attention(f, s, &l->attention);
    else
        read_gdn(f, s, &l->gdn);
    l->norm_ffn = read_vector(f, "post_attention_norm.weight", s->n_embd);
    read_ffn(f, s, &l->ffn);
}

static void read_draft(struct fitting *f, const struct shape *s,
                       struct weights *w)
{
    static const char out[] = "nextn.shared_head_norm.weight";
    struct draft_weights *d = &w->draft;
    snprintf(f->prefix, sizeof f->prefix, "blk.%d.", s->n_layer);
    read_layer(f, s, true, &w->layer[s->n_layer]);
    d->join = read_matrix(f, "nextn.eh_proj.weight", 2 * (int64_t)s->n_embd,
                          s->n_embd);
    d->norm_embd = read_vector(f, "nextn.enorm.weight", s->n_embd);
    d->norm_row = read_vector(f, "nextn.hnorm.weight", s->n_embd);
    d->norm_out =
        has_tensor(f, out) ? read_vector(f, out, s->n_embd) : w->norm_out;
}

void weights_read(const struct gguf *g, const struct shape *shape,
                  struct arena *arena, struct weights *w, struct err *err)
{
    if (err_failed(err)) return;
    const struct shape *s = shape;
    struct fitting f = fitting_begin(g, arena);
    *w = (struct weights){0};
    w->embd = read_matrix(&f, "token_embd.weight", s->n_embd, s->n_vocab);
    w->head = w->embd;
    if (has_tensor(&f, "output.weight"))
        w->head = read_matrix(&f, "output.weight", s->n_embd, s->n_vocab);
    w->norm_out = read_vector(&f, "output_norm.weight", s->n_embd);
    size_t n_layer = (size_t)(s->n_layer + s->n_draft);
    w->layer = arena_array(arena, n_layer, sizeof *w->layer);
    for (int i = 0; i < s->n_layer; i++) {
        snprintf(f.prefix, sizeof f.prefix, "blk.%d.", i);
        read_layer(&f, s, s->attends[i], &w->layer[i]);
    }
    if (shape_has_draft(g, s)) read_draft(&f, s, w);
    report(&f, s, err);
}

void weights_read_draft(const struct gguf *g, const struct shape *shape,
                        struct arena *arena, struct weights *w, struct err *err)
{
    if (err_failed(err)) return;
    struct fitting f = fitting_begin(g, arena);
    read_draft(&f, shape, w);
    model_faults_report(&f.misfits, gguf_path(g), "tensor",
                        "use the mtp file of the same model", ERR_CONFIG, err);
}

/* ---- vision ----------------------------------------------------------- */

/* A still image is two equal frames, so the two kernels are added once instead
 * of computing both products for every patch. Rows keep the order (channel, y,
 * x). */
static struct weight summed_patch(struct fitting *f,
                                  const struct vision_shape *s)
{
    const char *leaf[2] = {"v.patch_embd.weight", "v.patch_embd.weight.1"};
    int64_t side = s->patch_size, n_col = 3 * side * side;
    struct weight w = {0};
    const float *frame[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        const struct gguf_tensor *t =
            tensor(f, leaf[i], side, side, 3, s->n_embd, false);
        if (!t) continue;
        if (quant_info(t->type)->block != 1) {
            model_faults_add(&f->misfits, f->name, "is of type %s",
                             quant_info(t->type)->name);
            f->unsupported = true;
            continue;
        }
        float *v =
            arena_array(f->arena, (size_t)(n_col * s->n_embd), sizeof *v);
        quant_decode(t->type, t->data, n_col * s->n_embd, v);
        if (i == 1)
            for (int64_t k = 0; frame[0] && k < n_col * s->n_embd; k++)
                v[k] += frame[0][k];
        frame[i] = v;
    }
    if (frame[0] && frame[1])
        w = (struct weight){.type = QUANT_F32,
                            .n_row = s->n_embd,
                            .n_col = (int)n_col,
                            .scale = 1,
                            .raw = frame[1]};
    return w;
}

static void read_vision_layer(struct fitting *f, const struct vision_shape *s,
                              struct vision_layer *l)
{
    int64_t n = s->n_embd;
    l->ln1_w = read_vector(f, "ln1.weight", n);
    l->ln1_b = read_vector(f, "ln1.bias", n);
    l->ln2_w = read_vector(f, "ln2.weight", n);
    l->ln2_b = read_vector(f, "ln2.bias", n);
    l->qkv = read_matrix(f, "attn_qkv.weight", n, 3 * n);
    l->qkv_b = read_vector(f, "attn_qkv.bias", 3 * n);
    l->out = read_matrix(f, "attn_out.weight", n, n);
    l->out_b = read_vector(f, "attn_out.bias", n);
    l->up = read_matrix(f, "ffn_up.weight", n, s->n_ff);
    l->up_b = read_vector(f, "ffn_up.bias", s->n_ff);
    l->down = read_matrix(f, "ffn_down.weight", s->n_ff, n);
    l->down_b = read_vector(f, "ffn_down.bias", n);
}

void weights_read_vision(const struct gguf *g, const struct vision_shape *shape,
                         struct arena *arena, struct vision_weights *w,
                         struct err *err)
{
    if (err_failed(err)) return;
    const struct vision_shape *s = shape;
    struct fitting f = fitting_begin(g, arena);
    int64_t n = s->n_embd, merged = n * s->merge_size * s->merge_size;
    int64_t side = s->position_side;
    *w = (struct vision_weights){0};
    w->patch = summed_patch(&f, s);
    w->patch_b = read_vector(&f, "v.patch_embd.bias", n);
    w->position = values(
        &f, tensor(&f, "v.position_embd.weight", n, side * side, 1, 1, false));
    w->layer = arena_array(arena, (size_t)s->n_layer, sizeof *w->layer);
    for (int i = 0; i < s->n_layer; i++) {
        snprintf(f.prefix, sizeof f.prefix, "v.blk.%d.", i);
        read_vision_layer(&f, s, &w->layer[i]);
    }
    f.prefix[0] = '\0';
    w->post_w = read_vector(&f, "v.post_ln.weight", n);
    w->post_b = read_vector(&f, "v.post_ln.bias", n);
    w->fc1 = read_matrix(&f, "mm.0.weight", merged, merged);
    w->fc1_b = read_vector(&f, "mm.0.bias", merged);
    w->fc2 = read_matrix(&f, "mm.2.weight", merged, s->n_out);
    w->fc2_b = read_vector(&f, "mm.2.bias", s->n_out);
    report(&f, NULL, err);
}
