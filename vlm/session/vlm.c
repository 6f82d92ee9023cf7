/* vlm.c - opens and closes a model, and tells facts of it (vlm/vlm.h). */
#include <string.h>
#include <sys/stat.h>

#include "vlm/base/arena.h"
#include "vlm/base/atomic_file.h"
#include "vlm/base/cpu.h"
#include "vlm/base/err.h"
#include "vlm/base/file_map.h"
#include "vlm/base/hash.h"
#include "vlm/base/own_folder.h"
#include "vlm/base/pool.h"
#include "vlm/base/text.h"
#include "vlm/model/gguf.h"
#include "vlm/sample/constraint.h"
#include "vlm/sample/vocab_trie.h"
#include "vlm/session/vlm_inside.h"
#include "vlm/tensor/kernels_measure.h"
#include "vlm/tensor/vector_ops.h"
#include "vlm/text/tokenizer.h"
#include "vlm/vlm.h"

/* --- hash cache -------------------------------------------------------- */

/* Cached hashes of model files.
 *
 * Hashing gigabytes takes longer than opening a model. The hash is stored in a
 * small file of the cache folder under device, inode, size and change time of
 * the model file; any change to the file changes one of these. A pin
 * (model_sha256) is checked against the bytes: pass no folder then.
 */

struct gguf;

/* Path of this file's cached hash, or NULL. */
static const char *place(const struct gguf *g, const char *folder,
                         struct arena *arena)
{
    struct stat st;
    if (!folder || !*folder || strstr(gguf_path(g), "-00001-of-") ||
        stat(gguf_path(g), &st))
        return NULL;
    const char *key = arena_text(
        arena, "%llu %llu %lld %lld.%09ld", (unsigned long long)st.st_dev,
        (unsigned long long)st.st_ino, (long long)st.st_size,
        (long long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec);
    struct hash name = hash_bytes(span_of(key));
    return arena_text(arena, "%s/%.24s.sha256", folder, name.hex);
}

static bool read_hash(const char *path, struct arena *arena, struct hash *h)
{
    struct err quiet = {0};
    struct span text = file_map_read(path, 64, arena, &quiet);
    if (err_failed(&quiet) || text.size != 64 ||
        strspn(text.data, "0123456789abcdef") != 64)
        return false;
    memcpy(h->hex, text.data, 64);
    h->hex[64] = '\0';
    return true;
}

/* The hash of a model file. Computed if `folder` is NULL, absent or read-only,
 * and for split files. */
static struct hash hash_cache(const struct gguf *g, const char *folder,
                              struct err *err)
{
    struct hash h = {{0}};
    struct err quiet = {0}; /* recomputed next time */
    if (err_failed(err)) return h;
    struct arena *arena = arena_new();
    const char *path = place(g, folder, arena);
    if (!path || !own_folder_is(folder) || !read_hash(path, arena, &h)) {
        h = gguf_hash(g, err);
        if (path) own_folder_make(folder, &quiet);
        if (path && !err_failed(err))
            atomic_file_write(path, (struct span){h.hex, 64}, &quiet);
    }
    arena_free(arena);
    return h;
}

/* --- vlm --------------------------------------------------------------- */

static unsigned features(const struct vlm *v)
{
    return (cpu_features() & ~v->options.features_off) |
           v->options.features_model;
}

static void keep_options(struct vlm *v, const struct vlm_options *o)
{
    v->options = *o;
    v->options.model = arena_copy(v->arena, span_of(o->model));
    if (o->mmproj) v->options.mmproj = arena_copy(v->arena, span_of(o->mmproj));
    if (o->mtp) v->options.mtp = arena_copy(v->arena, span_of(o->mtp));
    if (o->device) v->options.device = arena_copy(v->arena, span_of(o->device));
    if (o->cache) v->options.cache = arena_copy(v->arena, span_of(o->cache));
    if (o->timings)
        v->options.timings = arena_copy(v->arena, span_of(o->timings));
    if (v->options.n_thread <= 0) v->options.n_thread = cpu_count();
    if (v->options.n_batch_max <= 0) v->options.n_batch_max = 1;
    if (v->options.n_batch_max > DEVICE_RUN_MAX)
        v->options.n_batch_max = DEVICE_RUN_MAX;
}

static void open_text(struct vlm *v, struct err *err)
{
    v->gguf = gguf_open(v->options.model, err);
    shape_read(v->gguf, v->shape, err); /* fails if it is not such a model */
    if (v->options.mtp) v->shape->n_draft = 1;
    if (v->options.mtp_off) v->shape->n_draft = 0;
    v->tokenizer = tokenizer_open(v->gguf, err);
    weights_read(v->gguf, v->shape, v->arena, &v->weights, err);
    if (err_failed(err)) return;
    if (v->options.yarn_factor > 0) {
        v->shape->yarn_factor = (double)v->options.yarn_factor;
        if (!v->shape->yarn_ctx_train)
            v->shape->yarn_ctx_train = v->shape->n_ctx_train;
    }
    v->vision_start = tokenizer_special(v->tokenizer, "<|vision_start|>");
    v->vision_end = tokenizer_special(v->tokenizer, "<|vision_end|>");
    v->image_pad = tokenizer_special(v->tokenizer, "<|image_pad|>");
}

/* Multi-token prediction from a file of its own. */
static void open_mtp(struct vlm *v, struct err *err)
{
    const struct shape *s = v->shape;
    if (err_failed(err) || !s->n_draft || shape_has_draft(v->gguf, s)) return;
    v->mtp = gguf_open(v->options.mtp, err);
    if (err_failed(err)) return;
    if (shape_has_draft(v->mtp, s))
        weights_read_draft(v->mtp, s, v->arena, &v->weights, err);
    else
        err_set(err, ERR_CONFIG,
                "%s: has no block %d of multi-token prediction; use the mtp "
                "file of the same model, or set mtp = off",
                v->options.mtp, s->n_layer);
}

static void open_vision(struct vlm *v, struct err *err)
{
    if (err_failed(err) || !v->options.mmproj) return;
    if (!*v->options.mmproj)
        err_set(err, ERR_MISSING,
                "%s: no vision file (mmproj) is beside it, so it cannot read "
                "pages: download the model's (platen model get) or set mmproj "
                "= FILE",
                v->options.model);
    v->mmproj = gguf_open(v->options.mmproj, err);
    shape_read_vision(v->mmproj, &v->vision_shape, err);
    if (err_failed(err)) return;
    if (v->vision_shape.n_out != v->shape->n_embd)
        err_set(err, ERR_CONFIG,
                "%s: its rows have %d values, the model's have %d; use the "
                "vision file of the same model",
                v->options.mmproj, v->vision_shape.n_out, v->shape->n_embd);
    else if (v->vision_start < 0 || v->vision_end < 0 || v->image_pad < 0)
        err_set(err, ERR_CONFIG,
                "%s: the vocabulary has no <|image_pad|>; use a vision model",
                v->options.model);
    weights_read_vision(v->mmproj, &v->vision_shape, v->arena,
                        &v->vision_weights, err);
}

/* The configured context length, never beyond what the positions support; 0:
 * the device's default. */
static int context(const struct vlm *v, struct err *err)
{
    double most = v->shape->n_ctx_train;
    if (v->shape->yarn_factor > 1)
        most = v->shape->yarn_ctx_train * v->shape->yarn_factor;
    int n = v->options.n_ctx;
    if (n <= 0) return 0;
    if (n > most)
        err_set(err, ERR_CONFIG,
                "%s: n_ctx is %d tokens, the model supports %d; lower n_ctx, "
                "or set yarn = 2 or 4 to extend the positions",
                v->options.model, n, (int)most);
    return n;
}

static void take_scratch(struct vlm *v)
{
    const struct shape *s = v->shape;
    size_t vocab = (size_t)s->n_vocab, n = (size_t)v->options.n_batch_max;
    v->at = arena_array(v->arena, (size_t)v->device->n_row_max, sizeof *v->at);
    v->logits = device_floats_new(v->device, n * vocab);
    v->picked = arena_array(v->arena, vocab, sizeof *v->picked);
    v->real = arena_array(v->arena, (vocab + 31) / 32, sizeof *v->real);
    v->dictated = arena_array(v->arena, (vocab + 31) / 32, sizeof *v->real);
    for (int i = 0; i < s->n_vocab; i++)
        if (i < tokenizer_size(v->tokenizer) &&
            tokenizer_type(v->tokenizer, i) != TOKEN_UNUSED)
            v->real[i / 32] |= 1u << (i % 32);
}

/* Where the device does the arithmetic, the host's threads are free to
 * sample. */
static void open_pool(struct vlm *v, struct err *err)
{
    int n = v->options.n_thread;
    if (n > v->options.n_batch_max) n = v->options.n_batch_max;
    if (v->device->n_thread == 1 && n > 1) v->pool = pool_new(n, err);
}

static const char *stem(const char *path, struct arena *arena)
{
    const char *name = text_base_name(path);
    size_t n = text_stem(name, ".gguf");
    return arena_copy(arena, (struct span){name, n ? n : strlen(name)});
}

/* "outline" and the like from our own files; NuExtract 3 is recognised by its
 * template's tags. */
static const char *prompt_format(const struct vlm *v, struct err *err)
{
    static const char tag[] = "template_start\xe3\x80\x91";
    struct span own = gguf_string(v->gguf, "platen.prompt.format", err);
    struct span chat = gguf_string(v->gguf, "tokenizer.chat_template", err);
    if (own.size) return arena_copy(v->arena, own);
    return strstr(arena_copy(v->arena, chat), tag) ? "nuextract" : NULL;
}

static void fill_info(struct vlm *v, struct err *err)
{
    struct vlm_info *i = &v->info;
    struct span name = gguf_string(v->gguf, "general.name", err);
    i->name = name.size ? arena_copy(v->arena, name)
                        : stem(v->options.model, v->arena);
    i->prompt_format = prompt_format(v, err);
    i->n_vocab = v->shape->n_vocab;
    i->n_token = tokenizer_size(v->tokenizer);
    i->n_ctx = v->device->n_ctx;
    i->n_ctx_train = v->shape->n_ctx_train;
    i->n_embd = v->shape->n_embd;
    i->has_vision = v->mmproj != NULL;
    i->device = v->device->label;
    i->kernels = v->device->kernels;
    if (!v->mmproj) return;
    i->min_pixels = v->vision_shape.min_pixels;
    i->grid = v->vision_shape.patch_size * v->vision_shape.merge_size;
    i->max_pixels = v->vision_shape.max_pixels;
    if (v->options.max_pixels > 0 && v->options.max_pixels < i->max_pixels)
        i->max_pixels = v->options.max_pixels;
}

static void open_device(struct vlm *v, struct err *err)
{
    if (err_failed(err)) return;
    v->ops = vector_ops_pick(features(v));
    if (v->options.model_server_fd > 0) {
        v->device = vlm_remote_device(v, err);
        return;
    }
    int n_ctx = context(v, err);
    if (err_failed(err)) return;
    const struct device_model model = {
        .shape = v->shape,
        .weights = &v->weights,
        .vision_shape = &v->vision_shape,
        .vision_weights = v->mmproj ? &v->vision_weights : NULL};
    if (v->options.product) vlm_device_product_open(v);
    unsigned all = features(v), slow = 0;
    if (!v->options.features_off) slow = all & ~kernels_fastest_features(all);
    const struct device_options options = {
        .product = v->options.product ? vlm_device_product_report : NULL,
        .product_arg = v,
        .n_ctx = n_ctx,
        .n_ubatch = VLM_UBATCH,
        .n_run_max = v->options.n_batch_max,
        .n_thread = v->options.n_thread,
        .features = all,
        .slow = slow,
        .kv = v->options.kv_f32  ? DEVICE_KV_F32
              : v->options.kv_q8 ? DEVICE_KV_Q8
                                 : DEVICE_KV_F16,
        .exact = v->options.exact,
        .fast_vision = v->options.fast_vision,
        .fast_prompt = v->options.fast_prompt,
        .cuda = v->options.cuda,
        .timings = v->options.timings};
    v->device = vlm_device_open(v, &model, &options, err);
}

bool vlm_asks_outline(const char *model, struct err *err)
{
    if (err_failed(err)) return false;
    struct gguf *g = gguf_open(model, err);
    bool outline = g && span_equal(gguf_string(g, "platen.prompt.format", err),
                                   span_of("outline"));
    gguf_close(g);
    return outline;
}

struct vlm *vlm_open(const struct vlm_options *options, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct arena *arena = arena_new();
    struct vlm *v = arena_alloc(arena, sizeof *v);
    v->arena = arena;
    v->shape = arena_alloc(arena, sizeof *v->shape);
    keep_options(v, options);
    open_text(v, err);
    open_mtp(v, err);
    open_vision(v, err);
    open_device(v, err);
    if (!err_failed(err)) {
        take_scratch(v);
        open_pool(v, err);
        fill_info(v, err);
    }
    if (!err_failed(err)) return v;
    vlm_close(v);
    return NULL;
}

void vlm_close(struct vlm *v)
{
    if (!v) return;
    constraint_cache_free(v->constraints);
    vocab_trie_free(v->trie);
    if (v->device) device_floats_free(v->device, v->logits);
    device_close(v->device);
    pool_free(v->pool);
    tokenizer_close(v->tokenizer);
    gguf_close(v->mmproj);
    gguf_close(v->mtp);
    gguf_close(v->gguf);
    arena_free(v->arena);
}

const struct vlm_info *vlm_info(struct vlm *v)
{
    if (v->hashed) return &v->info;
    struct err err = {0};
    v->info.file_hash = hash_cache(v->gguf, v->options.cache, &err);
    v->info.hash = v->info.file_hash;
    if (v->mmproj) {
        struct hash vision = hash_cache(v->mmproj, v->options.cache, &err);
        char both[128];
        memcpy(both, v->info.hash.hex, 64);
        memcpy(both + 64, vision.hex, 64);
        v->info.hash = hash_bytes((struct span){both, sizeof both});
    }
    v->hashed = true;
    return &v->info;
}

void vlm_detach(struct vlm *v)
{
    device_detach(v->device);
}

int vlm_renew(struct vlm *v, struct err *err)
{
    if (err_failed(err)) return -1;
    pool_renew(v->pool);
    return device_renew(v->device, err);
}

int vlm_threads(const struct vlm *v)
{
    return v->device->n_thread;
}

struct constraint_cache *vlm_constraint_cache(struct vlm *v)
{
    if (!v->constraints) {
        v->trie = vocab_trie_new(v->tokenizer);
        v->constraints = constraint_cache_new(v->trie);
    }
    return v->constraints;
}
