/* cost.c - lower bounds of time and memory: tokens, images, sessions
 * (vlm.h). */
#include "vlm/base/memory_limit.h"
#include "vlm/model/gguf.h"
#include "vlm/session/vlm_inside.h"

/* Adds a weight of which only `share` is used. */
static void add_weight(struct vlm_work *work, const struct weight *w,
                       double share)
{
    if (!w->raw) return;
    work->products += share * w->n_row * (double)w->n_col;
    work->bytes +=
        share * (double)quant_row_bytes(w->type, w->n_col) * w->n_row;
}

static void add_weights(struct vlm_work *work, const struct weight *const *w,
                        int n)
{
    for (int i = 0; i < n; i++)
        add_weight(work, w[i], 1);
}

static void add_token_mixer(struct vlm_work *work, const struct layer *l)
{
    const struct attention_weights *a = &l->attention;
    const struct gdn_weights *g = &l->gdn;
    const struct weight *const full[] = {&a->q, &a->k, &a->v, &a->out};
    const struct weight *const delta[] = {&g->qkv, &g->z, &g->alpha, &g->beta,
                                          &g->out};
    if (l->attends)
        add_weights(work, full, 4);
    else
        add_weights(work, delta, 5);
}

static void add_ffn(struct vlm_work *work, const struct ffn_weights *f,
                    const struct shape *s)
{
    const struct weight *const dense[] = {&f->gate, &f->up, &f->down,
                                          &f->router};
    add_weights(work, dense, 4);
    if (!s->n_expert) return;
    double used = (double)s->n_expert_used / s->n_expert;
    bool joined = f->gate_exps.raw == f->up_exps.raw;
    add_weight(work, &f->gate_exps, used);
    if (!joined) add_weight(work, &f->up_exps, used);
    add_weight(work, &f->down_exps, used);
}

struct vlm_work vlm_work(const struct vlm *v)
{
    const struct shape *s = v->shape;
    const struct weight *head = &v->weights.head;
    struct vlm_work work = {.bytes = 0};
    for (int l = 0; l < s->n_layer; l++) {
        add_token_mixer(&work, &v->weights.layer[l]);
        add_ffn(&work, &v->weights.layer[l].ffn, s);
        if (!s->attends[l]) continue;
        work.depth_products += 2.0 * s->n_head * s->n_embd_head;
        work.depth_bytes += 4.0 * s->n_head_kv * s->n_embd_head; /* F16 */
    }
    work.head = (double)head->n_row * head->n_col;
    work.bytes +=
        (double)quant_row_bytes(head->type, head->n_col) * head->n_row;
    return work;
}

double vlm_cost_vision(const struct vlm *v, int width_px, int height_px)
{
    const struct vision_shape *s = &v->vision_shape;
    const struct vision_weights *w = &v->vision_weights;
    if (!s->patch_size) return 0;
    double n = (double)(width_px / s->patch_size) *
               (double)(height_px / s->patch_size);
    double cells = n / (s->merge_size * s->merge_size), wide = s->n_embd;
    double layer = 4 * wide * wide + 2 * wide * s->n_ff + 2 * n * wide;
    double patch = (double)w->patch.n_row * w->patch.n_col;
    double merger = (double)w->fc1.n_row * w->fc1.n_col +
                    (double)w->fc2.n_row * w->fc2.n_col;
    return n * (patch + s->n_layer * layer) + cells * merger;
}

static size_t file_bytes(const struct gguf *g)
{
    size_t bytes = 0;
    for (int i = 0; g && i < gguf_n_tensor(g); i++)
        bytes += gguf_tensor(g, i)->size_bytes;
    return bytes;
}

/* Memory for the keys and values of a sequence: free memory less the weights
 * not yet loaded; 0: unknown. A sequence in a batch has the same context as one
 * alone, or a document's result would depend on the batch; instead there are
 * fewer sequences (vlm_max_sequences). */
static size_t bytes_for_context(const struct vlm *v)
{
    size_t have = memory_limit_available();
    size_t take = file_bytes(v->gguf) + file_bytes(v->mmproj);
    size_t left = have > take ? have - take : 1;
    return have ? left : 0;
}

int vlm_context_default(const struct vlm *v)
{
    return shape_context_default(v->shape, bytes_for_context(v));
}

struct vlm_memory vlm_memory(const struct vlm *v)
{
    size_t n = (size_t)v->options.n_batch_max;
    size_t vocab = (size_t)v->shape->n_vocab;
    struct device_memory m = device_memory(v->device, v->info.max_pixels);
    return (struct vlm_memory){
        .weights = file_bytes(v->gguf) + file_bytes(v->mtp),
        .vision = file_bytes(v->mmproj),
        .kv = m.kv,
        .recurrent = (1 + VLM_POINTS_USUAL) * m.recurrent,
        .compute = m.compute + 4 * (n * (1 + VLM_AHEAD_MAX) * vocab + vocab),
        .vision_peak = m.vision,
        .device = m.left ? m.left + m.compute + file_bytes(v->gguf) +
                               file_bytes(v->mmproj)
                         : 0,
        .n_ctx = v->device->n_ctx,
    };
}
