/* convert.c - see convert.h. */
#include "vlm/convert/convert.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vlm/base/cpu.h"
#include "vlm/base/file_map.h"
#include "vlm/base/pool.h"
#include "vlm/convert/gguf_write.h"
#include "vlm/convert/hf_config.h"
#include "vlm/convert/imatrix.h"
#include "vlm/convert/quantise.h"
#include "vlm/convert/tensor_plan.h"
#include "vlm/convert/type_mix.h"
#include "vlm/model/shape.h"
#include "vlm/model/weights.h"
#include "vlm/text/tokenizer.h"

/* --- hf tokenizer ------------------------------------------------------ */

/* Conversion of tokenizer.json to the tokenizer metadata of a
 * GGUF. */

enum { NORMAL = 1, CONTROL = 3, USER_DEFINED = 4, UNUSED = 5 };
enum { TEMPLATE_MOST = 16 << 20 };

/* How this family splits text (MODEL.md, "Words"); the pattern of older
 * families has no \p{M}. */
static const char pattern[] =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|"
    "\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|"
    "\\s+";

struct token_table {
    const char **text; /* [n] NULL: an id without text */
    int32_t *type;     /* [n] */
    int n;
    struct arena *arena;
    struct err *err;
};

/* --- tokens ---------------------------------------------------------------- */

/* The pattern of the first step that has one. */
static const char *split_pattern(const cJSON *step)
{
    const cJSON *list = json_get(step, "pretokenizers");
    if (cJSON_IsArray(list)) {
        for (const cJSON *e = list->child; e; e = e->next) {
            const char *inner = split_pattern(e);
            if (inner) return inner;
        }
        return NULL;
    }
    const cJSON *p = json_get(step, "pattern");
    return p ? json_get_text(p, "Regex") : NULL;
}

static void check_split(const cJSON *root, struct err *err)
{
    const cJSON *step = json_get(root, "pre_tokenizer");
    const char *found = cJSON_IsObject(step) ? split_pattern(step) : NULL;
    if (!found || strcmp(found, pattern) != 0)
        err_set(err, ERR_UNSUPPORTED,
                "pre_tokenizer splits text differently from Qwen3.5: %.80s",
                found ? found : "no pattern");
}

static void add_token(struct token_table *w, const char *text, const cJSON *id,
                      int32_t type)
{
    double i = cJSON_IsNumber(id) ? id->valuedouble : -1;
    if (!text || !(i >= 0 && i < w->n) || i != (double)(int)i) {
        err_set(w->err, ERR_CONFIG,
                "token %.40s: invalid id (vocab_size is %d)",
                text ? text : "(none)", w->n);
        return;
    }
    const char *was = w->text[(int)i];
    if (was && strcmp(was, text) != 0)
        err_set(w->err, ERR_CONFIG, "id %d is %.40s and %.40s", (int)i, was,
                text);
    w->text[(int)i] = text;
    w->type[(int)i] = type;
}

static bool looks_special(const char *text)
{
    size_t n = strlen(text);
    return n > 4 && !strncmp(text, "<|", 2) && !strcmp(text + n - 2, "|>");
}

static void read_tokens(struct token_table *w, const cJSON *root)
{
    const cJSON *model = json_get(root, "model");
    const cJSON *vocab = model ? json_get(model, "vocab") : NULL;
    const cJSON *added = json_get(root, "added_tokens");
    if (!cJSON_IsObject(vocab))
        err_set(w->err, ERR_CONFIG, "model.vocab is missing");
    for (const cJSON *e = vocab ? vocab->child : NULL; e && !err_failed(w->err);
         e = e->next)
        add_token(w, e->string, e, NORMAL);
    for (const cJSON *e = added ? added->child : NULL; e && !err_failed(w->err);
         e = e->next) {
        const char *text = json_get_text(e, "content");
        bool control = cJSON_IsTrue(json_get(e, "special")) ||
                       (text && looks_special(text));
        add_token(w, text, json_get(e, "id"), control ? CONTROL : USER_DEFINED);
    }
}

static void write_tokens(struct gguf_writer *out, struct token_table *w)
{
    gguf_write_list(out, "tokenizer.ggml.tokens", GGUF_STRING, w->n);
    for (int i = 0; i < w->n; i++) {
        if (!w->text[i]) {
            w->text[i] = arena_text(w->arena, "[PAD%d]", i);
            w->type[i] = UNUSED;
        }
        gguf_write_list_text(out, span_of(w->text[i]));
    }
    gguf_write_list(out, "tokenizer.ggml.token_type", GGUF_I32, w->n);
    for (int i = 0; i < w->n; i++)
        gguf_write_list_i32(out, w->type[i]);
}

/* --- merges ---------------------------------------------------------------- */

/* "a b", or ["a", "b"] in newer files. */
static struct span merge_text(const cJSON *e, struct arena *arena)
{
    struct span none = {0};
    if (cJSON_IsString(e)) return span_of(e->valuestring);
    if (!cJSON_IsArray(e) || cJSON_GetArraySize(e) != 2) return none;
    const cJSON *a = e->child, *b = a->next;
    if (!cJSON_IsString(a) || !cJSON_IsString(b)) return none;
    return span_of(arena_text(arena, "%s %s", a->valuestring, b->valuestring));
}

static void write_merges(struct gguf_writer *out, const cJSON *root,
                         struct token_table *w)
{
    const cJSON *model = json_get(root, "model");
    const cJSON *list = model ? json_get(model, "merges") : NULL;
    if (!cJSON_IsArray(list)) {
        err_set(w->err, ERR_CONFIG, "model.merges is missing");
        return;
    }
    gguf_write_list(out, "tokenizer.ggml.merges", GGUF_STRING,
                    cJSON_GetArraySize(list));
    int i = 0;
    for (const cJSON *e = list->child; e && !err_failed(w->err); e = e->next) {
        struct span text = merge_text(e, w->arena);
        if (!text.size)
            err_set(w->err, ERR_CONFIG, "model.merges: entry %d is not a pair",
                    i);
        gguf_write_list_text(out, text);
        i++;
    }
}

/* --- special tokens and template ------------------------------------------- */

/* The id of a token named by its text, or by {"content": text}; or -1. */
static int token_id(const struct token_table *w, const cJSON *named)
{
    const char *text = cJSON_IsString(named)   ? named->valuestring
                       : cJSON_IsObject(named) ? json_get_text(named, "content")
                                               : NULL;
    for (int i = 0; text && i < w->n; i++)
        if (w->text[i] && !strcmp(w->text[i], text)) return i;
    return -1;
}

/* The end-of-turn id in config.json (the first one of a list), or -1. */
static int id_in_config(const struct hf_config *f)
{
    const cJSON *text = json_get(f->root, "text_config");
    const cJSON *id = json_get(f->root, "eos_token_id");
    if (!id && text) id = json_get(text, "eos_token_id");
    if (cJSON_IsArray(id)) id = id->child;
    return cJSON_IsNumber(id) && id->valuedouble >= 0 &&
                   id->valuedouble < f->n_vocab
               ? (int)id->valuedouble
               : -1;
}

/* The chat template: a text, or the one named "default" in a list. */
static const char *find_template(const cJSON *config)
{
    const cJSON *t = config ? json_get(config, "chat_template") : NULL;
    if (cJSON_IsString(t)) return t->valuestring;
    for (const cJSON *e = cJSON_IsArray(t) ? t->child : NULL; e; e = e->next)
        if (!strcmp(json_get_text_or_empty(e, "name"), "default"))
            return json_get_text(e, "template");
    return NULL;
}

static void write_template(struct gguf_writer *out, const struct checkpoint *c,
                           const cJSON *config, struct arena *arena)
{
    struct err missing = {0};
    const char *path =
        arena_text(arena, "%s/chat_template.jinja", checkpoint_folder(c));
    struct span text = file_map_read(path, TEMPLATE_MOST, arena, &missing);
    const char *inside = find_template(config);
    if (err_failed(&missing) && inside) text = span_of(inside);
    if (text.size) gguf_write_text(out, "tokenizer.chat_template", text);
}

static void write_ends(struct gguf_writer *out, const struct token_table *w,
                       const struct hf_config *f, const cJSON *config)
{
    int end = config ? token_id(w, json_get(config, "eos_token")) : -1;
    int pad = config ? token_id(w, json_get(config, "pad_token")) : -1;
    if (end < 0) end = id_in_config(f);
    if (end < 0)
        err_set(w->err, ERR_CONFIG,
                "no end-of-turn token: neither a valid eos_token in "
                "tokenizer_config.json nor an eos_token_id in config.json");
    else
        gguf_write_u32(out, "tokenizer.ggml.eos_token_id", end);
    if (pad >= 0) gguf_write_u32(out, "tokenizer.ggml.padding_token_id", pad);
    gguf_write_bool(out, "tokenizer.ggml.add_bos_token", false);
}

/* Writes tokens in order of id (ids without text are padding), merges, the
 * end-of-turn token and the chat template. FAIL: ERR_MISSING without a
 * tokenizer.json, ERR_CONFIG if it is damaged, ERR_UNSUPPORTED if it splits
 * text differently from this family. */
static void hf_tokenizer_write(struct gguf_writer *out,
                               const struct checkpoint *c,
                               const struct hf_config *f, struct arena *arena,
                               struct err *err)
{
    if (err_failed(err)) return;
    cJSON *root = hf_config_file(c, "tokenizer.json", arena, err);
    cJSON *config = hf_config_file(c, "tokenizer_config.json", arena, err);
    if (!root) {
        err_set(err, ERR_MISSING, "%s: contains no tokenizer.json",
                checkpoint_folder(c));
    } else {
        struct token_table w = {.n = f->n_vocab, .arena = arena, .err = err};
        w.text = arena_array(arena, (size_t)w.n, sizeof *w.text);
        w.type = arena_array(arena, (size_t)w.n, sizeof *w.type);
        check_split(root, err);
        if (!err_failed(err)) read_tokens(&w, root);
        gguf_write_text(out, "tokenizer.ggml.model", span_of("gpt2"));
        gguf_write_text(out, "tokenizer.ggml.pre", span_of("qwen35"));
        if (!err_failed(err)) write_ends(out, &w, f, config);
        write_tokens(out, &w);
        if (!err_failed(err)) write_merges(out, root, &w);
        if (!err_failed(err)) write_template(out, c, config, arena);
        err_context(err, "%s/tokenizer.json", checkpoint_folder(c));
    }
    cJSON_Delete(config);
    cJSON_Delete(root);
}

/* --- convert ----------------------------------------------------------- */

struct convert_job {
    const struct tensor_plan *plan;
    struct gguf_writer *writer;
    struct pool *pool;
    const struct gguf *imatrix; /* or NULL */
};

/* --- metadata -------------------------------------------------------------- */

/* Metadata of a model file, from the checkpoint's config. */

enum { KEY_BYTES = 128 };

struct metadata_writer {
    struct gguf_writer *w;
    const char *prefix;
    char key[KEY_BYTES];
};

static const char *full_key(struct metadata_writer *f, const char *name)
{
    snprintf(f->key, sizeof f->key, "%s.%s", f->prefix, name);
    return f->key;
}

static void write_whole(struct metadata_writer *f, const char *name,
                        int64_t value)
{
    gguf_write_u32(f->w, full_key(f, name), value);
}

static void write_real(struct metadata_writer *f, const char *name,
                       double value)
{
    gguf_write_f32(f->w, full_key(f, name), value);
}

static void write_general(struct gguf_writer *w, const struct hf_config *f,
                          const char *arch, const char *kind, int file_type)
{
    gguf_write_text(w, "general.architecture", span_of(arch));
    gguf_write_text(w, "general.type", span_of(kind));
    gguf_write_text(w, "general.name", span_of(f->name));
    gguf_write_u32(w, "general.file_type", file_type);
    gguf_write_u32(w, "general.quantization_version", 2);
}

/* Keys for this program's own models: "platen": {"prompt.format":
 * "outline"} in config.json becomes the key platen.prompt.format. */
static void write_own_keys(struct gguf_writer *w, const struct hf_config *f)
{
    const cJSON *mine = json_get(f->root, "platen");
    for (const cJSON *e = cJSON_IsObject(mine) ? mine->child : NULL; e;
         e = e->next) {
        char key[KEY_BYTES];
        int n = snprintf(key, sizeof key, "platen.%s", e->string);
        if (n < (int)sizeof key && cJSON_IsString(e))
            gguf_write_text(w, key, span_of(e->valuestring));
    }
}

static void write_sizes(struct metadata_writer *w, const struct hf_config *f)
{
    write_whole(w, "block_count", f->n_layer + f->n_mtp);
    write_whole(w, "context_length", f->n_ctx);
    write_whole(w, "embedding_length", f->n_embd);
    if (!f->moe) write_whole(w, "feed_forward_length", f->n_ff);
    write_whole(w, "attention.head_count", f->n_head);
    write_whole(w, "attention.head_count_kv", f->n_head_kv);
    gguf_write_list(w->w, full_key(w, "rope.dimension_sections"), GGUF_I32, 4);
    for (int i = 0; i < 4; i++)
        gguf_write_list_i32(w->w, i < 3 ? f->section[i] : 0);
    write_real(w, "rope.freq_base", f->theta);
    write_real(w, "attention.layer_norm_rms_epsilon", f->eps);
    write_whole(w, "attention.key_length", f->head_dim);
    write_whole(w, "attention.value_length", f->head_dim);
    write_whole(w, "ssm.conv_kernel", f->conv_kernel);
    write_whole(w, "ssm.state_size", f->gdn_dim);
    write_whole(w, "ssm.group_count", f->n_gdn_k);
    write_whole(w, "ssm.time_step_rank", f->n_gdn_v);
    write_whole(w, "ssm.inner_size", (int64_t)f->n_gdn_v * f->gdn_dim);
    gguf_write_list(w->w, full_key(w, "attention.recurrent_layers"), GGUF_BOOL,
                    f->n_layer + f->n_mtp);
    for (int i = 0; i < f->n_layer + f->n_mtp; i++)
        gguf_write_list_bool(w->w,
                             i < f->n_layer && (i + 1) % f->interval != 0);
    write_whole(w, "full_attention_interval", f->interval);
    write_whole(w, "rope.dimension_count", f->n_rot);
    if (f->n_mtp) write_whole(w, "nextn_predict_layers", f->n_mtp);
}

static void write_experts(struct metadata_writer *w, const struct hf_config *f)
{
    if (!f->moe) return;
    write_whole(w, "expert_count", f->n_expert);
    write_whole(w, "expert_used_count", f->n_expert_used);
    write_whole(w, "expert_feed_forward_length", f->n_ff_expert);
    write_whole(w, "expert_shared_feed_forward_length", f->n_ff_shared);
}

static void write_yarn(struct metadata_writer *w, const struct hf_config *f)
{
    if (!(f->yarn_factor > 0)) return;
    gguf_write_text(w->w, full_key(w, "rope.scaling.type"), span_of("yarn"));
    write_real(w, "rope.scaling.factor", f->yarn_factor);
    write_whole(w, "rope.scaling.original_context_length", f->yarn_ctx);
}

/* Write the keys of MODEL.md, "The container and its tensors", for the text
 * model (without tokenizer) and for the vision file. `file_type` is
 * llama.cpp's number for the mix of types. */
static void metadata_text(struct gguf_writer *w, const struct hf_config *f,
                          int file_type)
{
    const char *arch = f->moe ? "qwen35moe" : "qwen35";
    struct metadata_writer keys = {.w = w, .prefix = arch};
    write_general(w, f, arch, "model", file_type);
    write_own_keys(w, f);
    write_sizes(&keys, f);
    write_experts(&keys, f);
    write_yarn(&keys, f);
}

static void write_three(struct metadata_writer *w, const char *name,
                        const float *value)
{
    gguf_write_list(w->w, full_key(w, name), GGUF_F32, 3);
    for (int i = 0; i < 3; i++)
        gguf_write_list_f32(w->w, value[i]);
}

static void metadata_vision(struct gguf_writer *w, const struct hf_config *f,
                            int file_type)
{
    const struct hf_vision *v = &f->vision;
    struct metadata_writer keys = {.w = w, .prefix = "clip.vision"};
    write_general(w, f, "clip", "mmproj", file_type);
    gguf_write_bool(w, "clip.has_vision_encoder", true);
    gguf_write_text(w, "clip.projector_type", span_of("qwen3vl_merger"));
    gguf_write_bool(w, "clip.use_gelu", true);
    write_whole(&keys, "image_size", (int64_t)(sqrt(v->n_position) * v->patch));
    write_whole(&keys, "patch_size", v->patch);
    write_whole(&keys, "embedding_length", v->width);
    write_whole(&keys, "feed_forward_length", v->n_ff);
    write_whole(&keys, "block_count", v->depth);
    write_whole(&keys, "projection_dim", v->n_out);
    write_whole(&keys, "attention.head_count", v->n_head);
    write_real(&keys, "attention.layer_norm_epsilon", f->eps);
    write_whole(&keys, "spatial_merge_size", v->merge);
    if (v->min_pixels > 0)
        write_whole(&keys, "image_min_pixels", v->min_pixels);
    if (v->max_pixels > 0)
        write_whole(&keys, "image_max_pixels", v->max_pixels);
    write_three(&keys, "image_mean", v->mean);
    write_three(&keys, "image_std", v->std);
    gguf_write_list(w, full_key(&keys, "is_deepstack_layers"), GGUF_BOOL,
                    v->depth);
    for (int i = 0; i < v->depth; i++)
        gguf_write_list_bool(w, false);
}

/* --- convert tensor -------------------------------------------------------- */

/* Conversion of one tensor: read in pieces, quantised,
 * written. */

enum { PIECE_VALUES = 1 << 20 };

static const float F16_MOST = 65504;

/* NVFP4: the largest value of a tensor is 6 * 448 times its factor. */
static const float NVFP4_MOST = 6 * 448;

struct row_piece { /* some rows of a tensor */
    const struct planned_tensor *t;
    enum quant_type type;
    int64_t first, n;
    size_t row_bytes;
    float *x;
    uint8_t *out;
    uint8_t *code, *scale;   /* copied from an NVFP4 checkpoint; else NULL */
    const float *factor;     /* NVFP4: factor of each matrix of a stack */
    const float *importance; /* [matrices, n_col], or NULL */
};

static int64_t n_matrix(const struct planned_tensor *t)
{
    return t->n_dim == 3 ? t->ne[2] : 1;
}

static int64_t matrix_index(const struct planned_tensor *t, int64_t row)
{
    return row / (t->n_row / n_matrix(t));
}

/* --- names and places ------------------------------------------------------ */

/* "X.weight": "X.scale". */
static void scale_name(const struct planned_tensor *t,
                       char out[static TENSOR_PLAN_NAME_MAX])
{
    const char *end = strstr(t->name, ".weight");
    size_t n = end ? (size_t)(end - t->name) : strlen(t->name);
    snprintf(out, TENSOR_PLAN_NAME_MAX, "%.*s.scale", (int)n, t->name);
}

/* Adds its row to the directory, and for NVFP4 one for its factors, X.scale. */
static void convert_tensor_row(const struct convert_job *job,
                               const struct planned_tensor *t,
                               enum quant_type type)
{
    gguf_write_tensor(job->writer, t->name, type, t->n_dim, t->ne);
    if (type != QUANT_NVFP4) return;
    char name[TENSOR_PLAN_NAME_MAX];
    int64_t ne[1] = {n_matrix(t)};
    scale_name(t, name);
    gguf_write_tensor(job->writer, name, QUANT_F32, 1, ne);
}

/* --- rows ------------------------------------------------------------------ */

static void round_rows(void *arg, int first, int last, int thread)
{
    const struct row_piece *p = arg;
    int64_t n = p->t->n_col;
    (void)thread;
    for (int r = first; r < last; r++) {
        uint8_t *out = p->out + (size_t)r * p->row_bytes;
        int64_t matrix = matrix_index(p->t, p->first + r);
        if (p->code) {
            quantise_nvfp4_codes(p->code + r * n, p->scale + r * n / HF_GROUP,
                                 n, out);
            continue;
        }
        float *x = p->x + r * n;
        for (int64_t i = 0; i < n && p->factor; i++)
            x[i] /= p->factor[matrix];
        quantise_row(p->type, x, n,
                     p->importance ? p->importance + matrix * n : NULL, out);
    }
}

static void check_values(const struct row_piece *p, struct err *err)
{
    const char *name = p->t->part[0].tensor->name;
    float most = p->type == QUANT_F16 ? F16_MOST : INFINITY;
    for (int64_t i = 0; i < p->n * p->t->n_col && !err_failed(err); i++)
        if (!isfinite(p->x[i]))
            err_set(err, ERR_CONFIG,
                    "%s: a value is not finite: the checkpoint is damaged",
                    name);
        else if (!(fabsf(p->x[i]) <= most))
            err_set(err, ERR_CONFIG,
                    "%s: %g is too large for F16: use --type bf16", name,
                    (double)p->x[i]);
}

static void write_piece(const struct convert_job *job, struct row_piece *p,
                        struct err *err)
{
    if (p->code) {
        tensor_plan_codes(job->plan, p->t, p->first, p->n, p->code, p->scale,
                          err);
    } else {
        tensor_plan_rows(job->plan, p->t, p->first, p->n, p->x, err);
        check_values(p, err);
    }
    if (err_failed(err)) return;
    pool_run(job->pool, (int)p->n, 1, round_rows, p);
    gguf_write_bytes(job->writer, p->out, (size_t)p->n * p->row_bytes, err);
}

static int64_t rows_at_once(const struct planned_tensor *t)
{
    int64_t n = PIECE_VALUES / t->n_col;
    return n < 1 ? 1 : n < t->n_row ? n : t->n_row;
}

/* --- NVFP4's factors ------------------------------------------------------- */

static void stored_factors(const struct planned_tensor *t, float *factor)
{
    for (int64_t i = 0; i < n_matrix(t); i++)
        factor[i] = t->part[i < t->n_part ? i : 0].all;
}

static void largest_values(const struct convert_job *job,
                           const struct planned_tensor *t, float *x,
                           float *most, struct err *err)
{
    int64_t once = rows_at_once(t);
    for (int64_t r = 0; r < t->n_row && !err_failed(err); r += once) {
        int64_t n = r + once < t->n_row ? once : t->n_row - r;
        tensor_plan_rows(job->plan, t, r, n, x, err);
        for (int64_t i = 0; i < n * t->n_col && !err_failed(err); i++) {
            float *at = &most[matrix_index(t, r + i / t->n_col)];
            *at = fmaxf(*at, fabsf(x[i]));
        }
    }
}

static float *factors(const struct convert_job *job, const struct row_piece *p,
                      struct err *err)
{
    float *factor = mem_alloc((size_t)n_matrix(p->t), sizeof *factor);
    if (p->code) {
        stored_factors(p->t, factor);
        return factor;
    }
    largest_values(job, p->t, p->x, factor, err);
    for (int64_t i = 0; i < n_matrix(p->t); i++)
        factor[i] = factor[i] > 0 ? factor[i] / NVFP4_MOST : 1;
    return factor;
}

/* --- a tensor -------------------------------------------------------------- */

static void write_rows(const struct convert_job *job, struct row_piece *p,
                       struct err *err)
{
    int64_t once = rows_at_once(p->t);
    for (p->first = 0; p->first < p->t->n_row && !err_failed(err);
         p->first += once) {
        int64_t left = p->t->n_row - p->first;
        p->n = once < left ? once : left;
        write_piece(job, p, err);
    }
    gguf_write_pad(job->writer, err);
}

/* Writes its bytes. FAIL: ERR_CONFIG for a value that is not finite or too
 * large for F16; otherwise as tensor_plan_rows and gguf_write_bytes. */
static void convert_tensor(const struct convert_job *job,
                           const struct planned_tensor *t, enum quant_type type,
                           struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    size_t values = (size_t)(rows_at_once(t) * t->n_col);
    bool as_is = type == QUANT_NVFP4 && tensor_plan_is_nvfp4(t);
    struct row_piece p = {.t = t, .type = type};
    float *factor = NULL;
    p.row_bytes = quant_row_bytes(type, t->n_col);
    p.out = mem_alloc((size_t)rows_at_once(t), p.row_bytes);
    p.x = as_is ? NULL : mem_alloc(values, sizeof *p.x);
    p.code = as_is ? mem_alloc(values, 1) : NULL;
    p.scale = as_is ? mem_alloc(values / HF_GROUP, 1) : NULL;
    p.importance =
        imatrix_find(job->imatrix, t->name, n_matrix(t), t->n_col, arena, err);
    if (type == QUANT_NVFP4) p.factor = factor = factors(job, &p, err);
    write_rows(job, &p, err);
    if (factor) {
        gguf_write_bytes(job->writer, factor,
                         (size_t)n_matrix(t) * sizeof *factor, err);
        gguf_write_pad(job->writer, err);
    }
    mem_free(factor);
    mem_free(p.scale);
    mem_free(p.code);
    mem_free(p.x);
    mem_free(p.out);
    arena_free(arena);
}

/* --- convert --------------------------------------------------------------- */

struct conversion {
    const struct convert_options *o;
    const struct type_mix *mix;
    struct checkpoint *checkpoint;
    struct hf_config config;
    struct gguf *imatrix;
    struct pool *pool;
    struct arena *arena;
};

/* --- test of the written files -------------------------------------------- */

static void test_model_file(const struct gguf *g, struct arena *arena,
                            struct err *err)
{
    struct shape shape;
    struct weights weights;
    shape_read(g, &shape, err);
    if (!err_failed(err)) weights_read(g, &shape, arena, &weights, err);
    tokenizer_close(tokenizer_open(g, err));
}

static void test_vision_file(const struct gguf *g, struct arena *arena,
                             struct err *err)
{
    struct vision_shape shape;
    struct vision_weights weights;
    shape_read_vision(g, &shape, err);
    if (!err_failed(err)) weights_read_vision(g, &shape, arena, &weights, err);
}

/* Detects a config.json that does not match the tensors. */
static void test_file(const char *path, bool vision, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    struct gguf *g = gguf_open(path, err);
    if (!err_failed(err) && vision)
        test_vision_file(g, arena, err);
    else if (!err_failed(err))
        test_model_file(g, arena, err);
    err_context(err, "the converted model cannot be loaded");
    gguf_close(g);
    arena_free(arena);
}

/* --- one file -------------------------------------------------------------- */

static void write_facts(struct conversion *c, struct gguf_writer *w,
                        bool vision, struct err *err)
{
    if (vision) {
        metadata_vision(w, &c->config, type_mix_vision_file_type(c->mix));
        return;
    }
    struct arena *scratch = arena_new();
    metadata_text(w, &c->config, c->mix->file_type);
    hf_tokenizer_write(w, c->checkpoint, &c->config, scratch, err);
    arena_free(scratch);
}

static void write_tensors(struct conversion *c, struct gguf_writer *w,
                          const struct tensor_plan *p, bool vision,
                          struct err *err)
{
    struct convert_job job = {
        .plan = p, .writer = w, .pool = c->pool, .imatrix = c->imatrix};
    for (int i = 0; i < p->n && !err_failed(err); i++)
        convert_tensor_row(&job, &p->tensor[i],
                           type_mix_type(c->mix, p, &p->tensor[i], vision));
    gguf_write_begin(w, err);
    for (int i = 0; i < p->n && !err_failed(err); i++) {
        if (c->o->tell) c->o->tell(c->o->tell_arg, p->tensor[i].name, i, p->n);
        convert_tensor(&job, &p->tensor[i],
                       type_mix_type(c->mix, p, &p->tensor[i], vision), err);
    }
}

static void write_file(struct conversion *c, const char *path, bool vision,
                       struct err *err)
{
    if (err_failed(err)) return;
    struct tensor_plan p =
        tensor_plan_make(c->checkpoint, &c->config, vision, c->arena, err);
    struct gguf_writer *w = gguf_write_new(path);
    if (!err_failed(err)) write_facts(c, w, vision, err);
    if (!err_failed(err)) write_tensors(c, w, &p, vision, err);
    gguf_write_flush(w, err);
    test_file(gguf_write_path(w), vision, err);
    gguf_write_end(w, err);
}

/* --- both ------------------------------------------------------------------ */

/* "DIR/NAME.gguf": "DIR/mmproj-NAME.gguf". */
static const char *vision_path(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    return arena_text(arena, "%.*smmproj-%s", folder, path, path + folder);
}

static void open_all(struct conversion *c, struct err *err)
{
    int n_thread = c->o->n_thread ? c->o->n_thread : cpu_count();
    c->mix = type_mix_find(c->o->type);
    if (!c->mix)
        err_set(err, ERR_ARGS, "--type %.40s: not one of %s", c->o->type,
                type_mix_names);
    c->checkpoint = checkpoint_open(c->o->folder, err);
    hf_config_read(c->checkpoint, &c->config, c->arena, err);
    if (c->o->imatrix) c->imatrix = imatrix_open(c->o->imatrix, err);
    if (!err_failed(err)) c->pool = pool_new(n_thread, err);
}

const char *convert_run(const struct convert_options *o, struct arena *arena,
                        struct err *err)
{
    if (err_failed(err)) return NULL;
    struct conversion c = {.o = o, .arena = arena_new()};
    const char *vision = NULL;
    open_all(&c, err);
    if (!err_failed(err) && c.config.has_vision)
        vision = vision_path(o->out, arena);
    write_file(&c, o->out, false, err);
    if (vision) write_file(&c, vision, true, err);
    pool_free(c.pool);
    gguf_close(c.imatrix);
    hf_config_free(&c.config);
    checkpoint_close(c.checkpoint);
    arena_free(c.arena);
    return err_failed(err) ? NULL : vision;
}
