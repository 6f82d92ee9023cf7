/* synth.c - see synth.h. SOURCE  vlm/MODEL.md, "The container" and "Words". */
#include "tests/synth/synth.h"

#include <math.h>
#include <string.h>

#include "tests/synth/blocks.h"
#include "tests/synth/vocab.h"
#include "vlm/base/buf.h"
#include "vlm/model/gguf.h"

enum { TENSOR_MAX = 4096, ALIGNMENT = 32, CHUNK_VALUES = 1 << 16 };

const char *const synth_presets =
    "nano micro micro-moe tiny tiny-moe 0.8b 2b 4b "
    "9b 27b 35b-a3b 122b-a10b 397b-a17b wide-122b wide-397b many-256 "
    "many-512";

struct preset {
    const char *name;
    int n_embd, n_layer, n_head, n_head_kv, n_ff, n_gdn_k, n_gdn_v;
    bool tied;
    int n_expert, n_used, n_ff_expert, n_vocab;
    int head, rot, section[3], gdn_dim;
    int v_embd, v_layer, v_head, v_ff;
    int interval; /* every so many-th layer is attention; 0: 4 */
};

#define NANO_HEADS   512, 16, 8, {2, 1, 1}, 16
#define SMALL_HEADS  1024, 64, 16, {3, 3, 2}, 64
#define TINY_HEADS   2048, 256, 64, {11, 11, 10}, 128
#define TRUE_HEADS   248320, 256, 64, {11, 11, 10}, 128
#define VISION_LARGE 1152, 27, 16, 4304, 0
#define WIDE_HEADS   1024, 256, 64, {11, 11, 10}, 128

static const struct preset presets[] = {
    {"nano", 32, 4, 2, 1, 32, 1, 2, true, 0, 0, 0, NANO_HEADS, 16, 1, 1, 32, 0},
    {"micro", 128, 4, 2, 1, 256, 2, 4, true, 0, 0, 0, SMALL_HEADS, 128, 2, 2,
     256, 0},
    {"micro-moe", 128, 8, 4, 2, 0, 2, 6, false, 8, 3, 64, SMALL_HEADS, 144, 3,
     2, 304, 0},
    {"tiny", 256, 8, 2, 1, 512, 2, 4, true, 0, 0, 0, TINY_HEADS, 256, 2, 4, 512,
     0},
    {"tiny-moe", 256, 8, 2, 1, 0, 2, 4, false, 16, 4, 256, TINY_HEADS, 256, 2,
     4, 512, 0},
    {"0.8b", 1024, 24, 8, 2, 3584, 16, 16, true, 0, 0, 0, TRUE_HEADS, 768, 12,
     12, 3072, 0},
    {"2b", 2048, 24, 8, 2, 6144, 16, 16, true, 0, 0, 0, TRUE_HEADS, 1024, 24,
     16, 4096, 0},
    {"4b", 2560, 32, 16, 4, 9216, 16, 32, true, 0, 0, 0, TRUE_HEADS, 1024, 24,
     16, 4096, 0},
    {"9b", 4096, 32, 16, 4, 12288, 16, 32, false, 0, 0, 0, TRUE_HEADS,
     VISION_LARGE},
    {"27b", 5120, 64, 24, 4, 17408, 16, 48, false, 0, 0, 0, TRUE_HEADS,
     VISION_LARGE},
    {"35b-a3b", 2048, 40, 16, 2, 0, 16, 32, false, 256, 8, 512, TRUE_HEADS,
     VISION_LARGE},
    {"122b-a10b", 3072, 48, 32, 2, 0, 16, 64, false, 256, 8, 1024, TRUE_HEADS,
     VISION_LARGE},
    {"397b-a17b", 4096, 60, 32, 2, 0, 16, 64, false, 512, 10, 1024, TRUE_HEADS,
     VISION_LARGE},
    /* the widths of the largest two with few layers and small experts, and
     * their numbers of experts with small widths */
    {"wide-122b", 3072, 2, 32, 2, 0, 16, 64, false, 16, 8, 64, WIDE_HEADS, 16,
     1, 1, 32, 2},
    {"wide-397b", 4096, 2, 32, 2, 0, 16, 64, false, 16, 10, 64, WIDE_HEADS, 16,
     1, 1, 32, 2},
    {"many-256", 64, 4, 2, 1, 0, 2, 4, false, 256, 8, 96, SMALL_HEADS, 16, 1, 1,
     32, 0},
    {"many-512", 64, 4, 2, 1, 0, 2, 4, false, 512, 10, 96, SMALL_HEADS, 16, 1,
     1, 32, 0},
};

/* How a tensor is filled. */
enum fill {
    FILL_MATRIX, /* deviation 1 / sqrt(ne[0]) */
    FILL_NORM,   /* around 1 */
    FILL_SMALL,  /* deviation 0.02: biases */
    FILL_CONV,   /* deviation 0.5 */
    FILL_TABLE,  /* deviation 0.1: positions */
    FILL_DT,     /* -4 to 1 */
    FILL_DECAY,  /* -exp(A_log), 0.02 to 4 */
    FILL_SCALE   /* NVFP4's second scale: `value` */
};

struct tensor {
    char name[64];
    int64_t ne[4];
    int n_dim;
    enum quant_type type;
    enum fill fill;
    float value;
    uint64_t offset, size;
};

struct file {
    const struct synth_options *o;
    struct preset p;
    struct arena *arena;
    struct buf facts;
    uint64_t n_fact;
    struct tensor *tensor;
    int n_tensor;
    enum quant_type type, better; /* of matrices; `better` in a mix */
    bool mix;
    struct err *err;
};

/* ---- facts ------------------------------------------------------------ */

static void put(struct buf *b, uint64_t v, int n_byte)
{
    unsigned char bytes[8];
    for (int i = 0; i < n_byte; i++)
        bytes[i] = (unsigned char)(v >> (8 * i));
    buf_add(b, bytes, (size_t)n_byte);
}

static void put_text(struct buf *b, const char *text)
{
    put(b, strlen(text), 8);
    buf_add_text(b, text);
}

static void fact(struct file *f, const char *key, enum gguf_kind kind)
{
    put_text(&f->facts, key);
    put(&f->facts, kind, 4);
    f->n_fact++;
}

static void fact_list(struct file *f, const char *key, enum gguf_kind kind,
                      int n)
{
    fact(f, key, GGUF_ARRAY);
    put(&f->facts, kind, 4);
    put(&f->facts, (uint64_t)n, 8);
}

static void fact_text(struct file *f, const char *key, const char *value)
{
    fact(f, key, GGUF_STRING);
    put_text(&f->facts, value);
}

static void fact_int(struct file *f, const char *key, int value)
{
    fact(f, key, GGUF_U32);
    put(&f->facts, (uint64_t)value, 4);
}

static void fact_bool(struct file *f, const char *key, bool value)
{
    fact(f, key, GGUF_BOOL);
    put(&f->facts, value, 1);
}

static void put_float(struct buf *b, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    put(b, bits, 4);
}

static void fact_float(struct file *f, const char *key, float value)
{
    fact(f, key, GGUF_F32);
    put_float(&f->facts, value);
}

static bool attends(const struct preset *p, int layer)
{
    int interval = p->interval ? p->interval : 4;
    return (layer + 1) % interval == 0 || layer == p->n_layer;
}

/* A key of the text model: behind its architecture's name. */
static const char *own(struct file *f, const char *key)
{
    return arena_text(f->arena, "%s.%s", f->p.n_expert ? "qwen35moe" : "qwen35",
                      key);
}

static void head_facts(struct file *f)
{
    const struct preset *p = &f->p;
    int n = p->n_layer + f->o->mtp;
    fact_int(f, own(f, "attention.head_count"), p->n_head);
    if (!f->o->variant) {
        fact_int(f, own(f, "attention.head_count_kv"), p->n_head_kv);
        fact_list(f, own(f, "rope.dimension_sections"), GGUF_I32, 4);
    } else {
        fact_list(f, own(f, "attention.head_count_kv"), GGUF_I32, n);
        for (int i = 0; i < n; i++)
            put(&f->facts, attends(p, i) ? (uint64_t)p->n_head_kv : 0, 4);
        fact_list(f, own(f, "rope.dimension_sections"), GGUF_I32, 3);
    }
    for (int i = 0; i < (f->o->variant ? 3 : 4); i++)
        put(&f->facts, i < 3 ? (uint64_t)p->section[i] : 0, 4);
}

static void text_facts(struct file *f)
{
    const struct preset *p = &f->p;
    fact_text(f, "general.architecture", p->n_expert ? "qwen35moe" : "qwen35");
    fact_text(f, "general.type", "model");
    fact_text(f, "general.name", arena_text(f->arena, "random %s", p->name));
    fact_int(f, own(f, "block_count"), p->n_layer + f->o->mtp);
    fact_int(f, own(f, "context_length"), 262144);
    fact_int(f, own(f, "embedding_length"), p->n_embd);
    head_facts(f);
    fact_int(f, own(f, "attention.key_length"), p->head);
    fact_int(f, own(f, "attention.value_length"), p->head);
    fact_float(f, own(f, "attention.layer_norm_rms_epsilon"), 1e-6f);
    fact_int(f, own(f, "rope.dimension_count"), p->rot);
    fact_float(f, own(f, "rope.freq_base"), 1e7f);
    fact_int(f, own(f, "ssm.conv_kernel"), 4);
    fact_int(f, own(f, "ssm.state_size"), p->gdn_dim);
    fact_int(f, own(f, "ssm.group_count"), p->n_gdn_k);
    fact_int(f, own(f, "ssm.time_step_rank"), p->n_gdn_v);
    fact_int(f, own(f, "ssm.inner_size"), p->n_gdn_v * p->gdn_dim);
    fact_int(f, own(f, "full_attention_interval"),
             p->interval ? p->interval : 4);
    if (f->o->mtp) fact_int(f, own(f, "nextn_predict_layers"), 1);
    if (!p->n_expert) {
        fact_int(f, own(f, "feed_forward_length"), p->n_ff);
        return;
    }
    fact_int(f, own(f, "expert_count"), p->n_expert);
    fact_int(f, own(f, "expert_used_count"), p->n_used);
    fact_int(f, own(f, "expert_feed_forward_length"), p->n_ff_expert);
    fact_int(f, own(f, "expert_shared_feed_forward_length"), p->n_ff_expert);
}

static void vocab_facts(struct file *f)
{
    struct vocab v = vocab_make(f->p.n_vocab, f->o->seed, f->o->extra,
                                f->o->n_extra, f->arena);
    fact_text(f, "tokenizer.ggml.model", "gpt2");
    fact_text(f, "tokenizer.ggml.pre", "qwen35");
    fact_list(f, "tokenizer.ggml.tokens", GGUF_STRING, v.n);
    for (int i = 0; i < v.n; i++)
        put_text(&f->facts, v.text[i]);
    fact_list(f, "tokenizer.ggml.token_type", GGUF_I32, v.n);
    for (int i = 0; i < v.n; i++)
        put(&f->facts, v.type[i], 4);
    fact_list(f, "tokenizer.ggml.merges", GGUF_STRING, v.n_merge);
    for (int i = 0; i < v.n_merge; i++)
        put_text(&f->facts, v.merge[i]);
    fact_int(f, "tokenizer.ggml.eos_token_id", v.end);
    fact_bool(f, "tokenizer.ggml.add_bos_token", false);
}

static void vision_facts(struct file *f)
{
    const struct preset *p = &f->p;
    fact_text(f, "general.architecture", "clip");
    fact_text(f, "general.type", "mmproj");
    fact_text(f, "general.name",
              arena_text(f->arena, "random %s vision", p->name));
    fact_bool(f, "clip.has_vision_encoder", true);
    fact_text(f, "clip.projector_type", "qwen3vl_merger");
    fact_bool(f, "clip.use_gelu", true);
    fact_int(f, "clip.vision.image_size", 768);
    fact_int(f, "clip.vision.patch_size", 16);
    fact_int(f, "clip.vision.embedding_length", p->v_embd);
    fact_int(f, "clip.vision.feed_forward_length", p->v_ff);
    fact_int(f, "clip.vision.block_count", p->v_layer);
    fact_int(f, "clip.vision.attention.head_count", p->v_head);
    fact_float(f, "clip.vision.attention.layer_norm_epsilon", 1e-6f);
    fact_int(f, "clip.vision.projection_dim", p->n_embd);
    fact_int(f, "clip.vision.spatial_merge_size", 2);
    const char *colours[] = {"clip.vision.image_mean", "clip.vision.image_std"};
    for (int i = 0; i < 2; i++) {
        fact_list(f, colours[i], GGUF_F32, 3);
        for (int c = 0; c < 3; c++)
            put_float(&f->facts, 0.5f);
    }
    fact_list(f, "clip.vision.is_deepstack_layers", GGUF_BOOL, p->v_layer);
    for (int i = 0; i < p->v_layer; i++)
        put(&f->facts, 0, 1);
}

/* ---- tensors ---------------------------------------------------------- */

static void tensor(struct file *f, const char *name, enum quant_type type,
                   enum fill fill, int64_t a, int64_t b, int64_t c, int64_t d)
{
    if (f->n_tensor == TENSOR_MAX) {
        err_set(f->err, ERR_LIMIT, "more than %d tensors", TENSOR_MAX);
        return;
    }
    struct tensor *t = &f->tensor[f->n_tensor++];
    snprintf(t->name, sizeof t->name, "%s", name);
    int64_t ne[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++) {
        if (ne[i]) t->n_dim = i + 1;
        t->ne[i] = ne[i] ? ne[i] : 1;
    }
    t->type = type;
    t->fill = fill;
    int64_t n_row = t->ne[1] * t->ne[2] * t->ne[3];
    t->size = quant_row_bytes(type, t->ne[0]) * (uint64_t)n_row;
    if (f->n_tensor > 1) {
        const struct tensor *before = t - 1;
        t->offset = (before->offset + before->size + ALIGNMENT - 1) &
                    ~(uint64_t)(ALIGNMENT - 1);
    }
}

/* A type whose blocks divide the row. */
static enum quant_type fitting(enum quant_type type, int64_t n_col)
{
    if (n_col % quant_info(type)->block == 0) return type;
    return n_col % 32 == 0 ? QUANT_Q8_0 : QUANT_F16;
}

/* Layers that the usual mixes give a better type for sensitive matrices. */
static bool sensitive(const struct file *f, const char *leaf, int layer)
{
    static const char *const which[] = {"attn_v.weight", "attn_qkv.weight",
                                        "ffn_down.weight",
                                        "ffn_down_exps.weight"};
    int n = f->p.n_layer;
    if (!strcmp(leaf, "output.weight")) return true;
    if (!strcmp(leaf, "token_embd.weight")) return f->p.tied;
    for (size_t i = 0; i < sizeof which / sizeof *which; i++)
        if (!strcmp(leaf, which[i]))
            return layer < n / 8 || layer >= 7 * n / 8 ||
                   (layer - n / 8) % 3 == 2;
    return false;
}

static const char *in_layer(struct file *f, int layer, const char *leaf)
{
    return layer < 0 ? leaf
                     : arena_text(f->arena, "%sblk.%d.%s",
                                  f->o->vision ? "v." : "", layer, leaf);
}

/* NVFP4 keeps its blocks near 1; the tensor's scale is beside it, one for each
 * expert of a stack. */
static void second_scale(struct file *f, const char *name, int64_t n_col,
                         int64_t stack)
{
    const char *stem = strstr(name, ".weight");
    const char *scale =
        arena_text(f->arena, "%.*s.scale", (int)(stem - name), name);
    tensor(f, scale, QUANT_F32, FILL_SCALE, stack ? stack : 1, 0, 0, 0);
    if (!err_failed(f->err))
        f->tensor[f->n_tensor - 1].value =
            1 / (sqrtf((float)n_col) * blocks_unit(QUANT_NVFP4));
}

static void matrix(struct file *f, int layer, const char *leaf, int64_t n_col,
                   int64_t n_row, int64_t stack)
{
    enum quant_type type =
        f->mix && sensitive(f, leaf, layer) ? f->better : f->type;
    type = fitting(type, n_col);
    const char *name = in_layer(f, layer, leaf);
    tensor(f, name, type, FILL_MATRIX, n_col, n_row, stack, 0);
    if (type == QUANT_NVFP4) second_scale(f, name, n_col, stack);
}

static void vector(struct file *f, int layer, const char *leaf, enum fill fill,
                   int64_t n)
{
    tensor(f, in_layer(f, layer, leaf), QUANT_F32, fill, n, 0, 0, 0);
}

static void attention_tensors(struct file *f, int i)
{
    const struct preset *p = &f->p;
    int64_t q = (int64_t)p->n_head * p->head,
            kv = (int64_t)p->n_head_kv * p->head;
    matrix(f, i, "attn_q.weight", p->n_embd, 2 * q, 0);
    matrix(f, i, "attn_k.weight", p->n_embd, kv, 0);
    matrix(f, i, "attn_v.weight", p->n_embd, kv, 0);
    matrix(f, i, "attn_output.weight", q, p->n_embd, 0);
    vector(f, i, "attn_q_norm.weight", FILL_NORM, p->head);
    vector(f, i, "attn_k_norm.weight", FILL_NORM, p->head);
}

static void gdn_tensors(struct file *f, int i)
{
    const struct preset *p = &f->p;
    int64_t k = (int64_t)p->n_gdn_k * p->gdn_dim;
    int64_t v = (int64_t)p->n_gdn_v * p->gdn_dim;
    matrix(f, i, "attn_qkv.weight", p->n_embd, 2 * k + v, 0);
    matrix(f, i, "attn_gate.weight", p->n_embd, v, 0);
    tensor(f, in_layer(f, i, "ssm_conv1d.weight"), QUANT_F32, FILL_CONV, 4,
           2 * k + v, 0, 0);
    vector(f, i, f->o->variant ? "ssm_dt" : "ssm_dt.bias", FILL_DT, p->n_gdn_v);
    vector(f, i, "ssm_a", FILL_DECAY, p->n_gdn_v);
    matrix(f, i, "ssm_beta.weight", p->n_embd, p->n_gdn_v, 0);
    matrix(f, i, "ssm_alpha.weight", p->n_embd, p->n_gdn_v, 0);
    vector(f, i, "ssm_norm.weight", FILL_NORM, p->gdn_dim);
    matrix(f, i, "ssm_out.weight", v, p->n_embd, 0);
}

static void ffn_tensors(struct file *f, int i)
{
    const struct preset *p = &f->p;
    int64_t n = p->n_embd, ff = p->n_ff_expert, e = p->n_expert;
    if (!e) {
        matrix(f, i, "ffn_gate.weight", n, p->n_ff, 0);
        matrix(f, i, "ffn_up.weight", n, p->n_ff, 0);
        matrix(f, i, "ffn_down.weight", p->n_ff, n, 0);
        return;
    }
    tensor(f, in_layer(f, i, "ffn_gate_inp.weight"), QUANT_F32, FILL_MATRIX, n,
           e, 0, 0);
    if (f->o->fused) {
        matrix(f, i, "ffn_gate_up_exps.weight", n, 2 * ff, e);
    } else {
        matrix(f, i, "ffn_gate_exps.weight", n, ff, e);
        matrix(f, i, "ffn_up_exps.weight", n, ff, e);
    }
    matrix(f, i, "ffn_down_exps.weight", ff, n, e);
    vector(f, i, "ffn_gate_inp_shexp.weight", FILL_MATRIX, n);
    matrix(f, i, "ffn_gate_shexp.weight", n, ff, 0);
    matrix(f, i, "ffn_up_shexp.weight", n, ff, 0);
    matrix(f, i, "ffn_down_shexp.weight", ff, n, 0);
}

static void mtp_tensors(struct file *f, int i)
{
    int64_t n = f->p.n_embd;
    matrix(f, i, "nextn.eh_proj.weight", 2 * n, n, 0);
    vector(f, i, "nextn.enorm.weight", FILL_NORM, n);
    vector(f, i, "nextn.hnorm.weight", FILL_NORM, n);
    vector(f, i, "nextn.shared_head_norm.weight", FILL_NORM, n);
}

static void text_tensors(struct file *f)
{
    const struct preset *p = &f->p;
    matrix(f, -1, "token_embd.weight", p->n_embd, p->n_vocab, 0);
    vector(f, -1, "output_norm.weight", FILL_NORM, p->n_embd);
    if (!p->tied) matrix(f, -1, "output.weight", p->n_embd, p->n_vocab, 0);
    for (int i = 0; i < p->n_layer + f->o->mtp; i++) {
        vector(f, i, "attn_norm.weight", FILL_NORM, p->n_embd);
        if (attends(p, i))
            attention_tensors(f, i);
        else
            gdn_tensors(f, i);
        vector(f, i, "post_attention_norm.weight", FILL_NORM, p->n_embd);
        ffn_tensors(f, i);
        if (i == p->n_layer) mtp_tensors(f, i);
    }
}

static void linear(struct file *f, int layer, const char *stem, int64_t n_col,
                   int64_t n_row)
{
    matrix(f, layer, arena_text(f->arena, "%s.weight", stem), n_col, n_row, 0);
    vector(f, layer, arena_text(f->arena, "%s.bias", stem), FILL_SMALL, n_row);
}

static void norm(struct file *f, int layer, const char *stem, int64_t n)
{
    vector(f, layer, arena_text(f->arena, "%s.weight", stem), FILL_NORM, n);
    vector(f, layer, arena_text(f->arena, "%s.bias", stem), FILL_SMALL, n);
}

static void vision_tensors(struct file *f)
{
    int64_t n = f->p.v_embd, ff = f->p.v_ff;
    enum quant_type kernel = f->type == QUANT_F16 ? QUANT_F16 : QUANT_F32;
    tensor(f, "v.patch_embd.weight", kernel, FILL_SMALL, 16, 16, 3, n);
    tensor(f, "v.patch_embd.weight.1", kernel, FILL_SMALL, 16, 16, 3, n);
    vector(f, -1, "v.patch_embd.bias", FILL_SMALL, n);
    tensor(f, "v.position_embd.weight", QUANT_F32, FILL_TABLE, n, 2304, 0, 0);
    for (int i = 0; i < f->p.v_layer; i++) {
        norm(f, i, "ln1", n);
        linear(f, i, "attn_qkv", n, 3 * n);
        linear(f, i, "attn_out", n, n);
        norm(f, i, "ln2", n);
        linear(f, i, "ffn_up", n, ff);
        linear(f, i, "ffn_down", ff, n);
    }
    norm(f, -1, "v.post_ln", n);
    linear(f, -1, "mm.0", 4 * n, 4 * n);
    linear(f, -1, "mm.2", 4 * n, f->p.n_embd);
}

/* ---- writing ---------------------------------------------------------- */

/* Bytes to a file or to a buffer, with their count. */
struct sink {
    FILE *out;
    char *memory;
    size_t most;
    uint64_t at;
    struct err *err;
};

static void sink_add(struct sink *s, const void *bytes, size_t n)
{
    if (err_failed(s->err)) return;
    if (s->out && fwrite(bytes, 1, n, s->out) != n)
        err_errno(s->err, "the file cannot be written");
    if (s->memory && s->at + n > s->most)
        err_set(s->err, ERR_LIMIT, "more than %zu bytes", s->most);
    else if (s->memory)
        memcpy(s->memory + s->at, bytes, n);
    s->at += n;
}

static void sink_align(struct sink *s)
{
    static const char zero[ALIGNMENT];
    sink_add(s, zero, (ALIGNMENT - s->at % ALIGNMENT) % ALIGNMENT);
}

/* n bytes of nothing, the last of them written. */
static void sink_skip(struct sink *s, uint64_t n)
{
    if (err_failed(s->err) || n == 0) return;
    if (s->out && fseeko(s->out, (off_t)(n - 1), SEEK_CUR))
        err_errno(s->err, "the file cannot grow");
    if (s->out) s->at += n - 1;
    for (; s->memory && n > 1; n--)
        sink_add(s, "", 1);
    sink_add(s, "", 1);
}

static float plain_value(struct blocks_random *r, enum fill fill)
{
    switch (fill) {
    case FILL_NORM: return 1 + 0.05f * blocks_normal(r);
    case FILL_DT: return blocks_uniform(r, -4, 1);
    case FILL_DECAY: return -expf(blocks_uniform(r, logf(0.02f), logf(4.0f)));
    case FILL_CONV: return 0.5f * blocks_normal(r);
    case FILL_TABLE: return 0.1f * blocks_normal(r);
    case FILL_SMALL:
    case FILL_SCALE:
    case FILL_MATRIX: break;
    }
    return 0.02f * blocks_normal(r);
}

static void write_tensor(const struct file *f, const struct tensor *t,
                         struct sink *s, void *chunk)
{
    struct blocks_random r = blocks_seed(f->o->seed, t->name);
    int64_t n = t->ne[0] * t->ne[1] * t->ne[2] * t->ne[3];
    float std = 1 / sqrtf((float)t->ne[0]);
    if (f->o->hollow && t->n_dim > 1) {
        sink_skip(s, t->size);
        return;
    }
    for (int64_t at = 0; at < n && !err_failed(f->err); at += CHUNK_VALUES) {
        int64_t m = n - at < CHUNK_VALUES ? n - at : CHUNK_VALUES;
        if (t->fill == FILL_MATRIX || t->type != QUANT_F32) {
            blocks_fill(&r, t->type, m, t->fill == FILL_MATRIX ? std : 0.02f,
                        chunk);
        } else {
            for (int64_t i = 0; i < m; i++)
                ((float *)chunk)[i] =
                    t->fill == FILL_SCALE ? t->value : plain_value(&r, t->fill);
        }
        const struct quant_info *q = quant_info(t->type);
        sink_add(s, chunk, (size_t)(m / q->block) * (size_t)q->bytes);
    }
}

static void write_all(struct file *f, struct sink *s)
{
    struct buf head = buf_limit(1u << 28);
    buf_add(&head, "GGUF", 4);
    put(&head, 3, 4);
    put(&head, (uint64_t)f->n_tensor, 8);
    put(&head, f->n_fact, 8);
    buf_add(&head, f->facts.data, f->facts.size);
    for (int i = 0; i < f->n_tensor; i++) {
        const struct tensor *t = &f->tensor[i];
        put_text(&head, t->name);
        put(&head, (uint64_t)t->n_dim, 4);
        for (int k = 0; k < t->n_dim; k++)
            put(&head, (uint64_t)t->ne[k], 8);
        put(&head, t->type, 4);
        put(&head, t->offset, 8);
    }
    sink_add(s, head.data, head.size);
    buf_free(&head);
    sink_align(s);
    void *chunk = arena_array(f->arena, CHUNK_VALUES, 4);
    for (int i = 0; i < f->n_tensor; i++) {
        write_tensor(f, &f->tensor[i], s, chunk);
        sink_align(s);
    }
}

static void pick_types(struct file *f)
{
    const char *type = f->o->type;
    f->better = QUANT_Q6_K;
    f->mix = !strcmp(type, "Q4_K_M") || !strcmp(type, "Q5_K_M");
    for (uint32_t t = 0; t < 64; t++) {
        const struct quant_info *q = quant_info(t);
        if (!q->name || !q->supported) continue;
        if (!strncmp(type, q->name, strlen(type) - 2 * f->mix) &&
            strlen(q->name) == strlen(type) - 2 * f->mix) {
            f->type = (enum quant_type)t;
            return;
        }
    }
    err_set(f->err, ERR_ARGS, "type %s is not one of those supported", type);
}

static void pick_preset(struct file *f)
{
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (!strcmp(presets[i].name, f->o->preset)) f->p = presets[i];
    if (!f->p.name) {
        err_set(f->err, ERR_ARGS, "preset %s is not one of: %s", f->o->preset,
                synth_presets);
        return;
    }
    if (f->o->n_vocab) f->p.n_vocab = f->o->n_vocab;
    if (f->o->untied) f->p.tied = false;
    int *n_layer = f->o->vision ? &f->p.v_layer : &f->p.n_layer;
    if (f->o->n_layer) *n_layer = f->o->n_layer;
}

static void make(const struct synth_options *o, struct sink *sink)
{
    struct file f = {.o = o, .arena = arena_new(), .err = sink->err};
    f.facts = buf_limit(1u << 27);
    f.tensor = arena_array(f.arena, TENSOR_MAX, sizeof *f.tensor);
    pick_preset(&f);
    pick_types(&f);
    if (!err_failed(f.err)) {
        if (o->vision) {
            vision_facts(&f);
            vision_tensors(&f);
        } else {
            text_facts(&f);
            vocab_facts(&f);
            text_tensors(&f);
        }
        write_all(&f, sink);
    }
    buf_free(&f.facts);
    arena_free(f.arena);
}

void synth_write(const struct synth_options *options, FILE *out,
                 struct err *err)
{
    struct sink sink = {.out = out, .err = err};
    make(options, &sink);
}

struct span synth_bytes(const struct synth_options *options, size_t most,
                        struct arena *arena, struct err *err)
{
    struct sink sink = {.most = most, .err = err};
    sink.memory = arena_alloc(arena, most);
    make(options, &sink);
    return (struct span){sink.memory, err_failed(err) ? 0 : (size_t)sink.at};
}
