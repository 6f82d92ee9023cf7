/* layer.h - internals of the decoder, shared by its layers.
 *
 * Each part of a layer replaces h[n, n_embd] by its result. Scratch is one
 * block for all parts (`work`) and one per thread; a part reports how many
 * floats it needs and divides them with layer_alloc.
 */
#ifndef VLM_DEVICE_CPU_DECODE_LAYER_H
#define VLM_DEVICE_CPU_DECODE_LAYER_H

#include "vlm/device/cpu/decode/decoder.h"
#include "vlm/device/cpu/decode/rope.h"
#include "vlm/model/shape.h"
#include "vlm/model/weights.h"
#include "vlm/tensor/matmul.h"

enum {
    LAYER_QUERY_ROWS = 64,  /* query rows of an attention tile, approximately */
    LAYER_QUERY_MOST = 256, /* the same if there are enough tiles per thread */
    LAYER_SMALL_BATCH = 8,  /* maximum rows that read F16 keys in place */
    LAYER_KEYS = 64         /* keys of an attention tile */
};

/* Buffers of multi-token prediction; NULL without it. */
struct mtp {
    float *joined; /* [n_ubatch, 2 * n_embd]: a token and the row before it */
    float *x;      /* [DEVICE_GUESS_MAX, n_embd] of the current predictions */
    float *row;    /* [n_embd]: a row, normed */
};

struct decoder {
    const struct shape *shape;
    const struct weights *w;
    const struct tensor_backend *backend;
    const struct tensor_backend *prompt_backend; /* of batches of prompts */
    const struct tensor_backend *products;       /* of these two, the batch's */
    const struct vector_ops *ops;
    const struct gemm16 *gemm_int16; /* for attention; NULL: F32 */
    struct pool *pool;
    int n_ubatch;

    struct rope rope;
    float **conv; /* by layer: [kernel, conv_width], or NULL */

    float *cos, *sin; /* [n_ubatch, rope.n_pair] of the current batch */
    float *h;         /* [n_ubatch, n_embd] */
    struct mtp mtp;
    float *work;   /* scratch of a mixer or feed-forward part */
    float *thread; /* thread_floats for each thread */
    size_t work_floats, thread_floats;
    void *scratch; /* scratch of matmul */
};

/* The mixers and feed-forward parts of a layer; they replace h[n, n_embd] by
 * the result. A mixer reads each run's state from before the run and updates it
 * for later tokens; decoder.c advances n_past. */
void attention_mix(struct decoder *d, const struct decoder_batch *b, int layer,
                   float *h);
void deltanet_mix(struct decoder *d, const struct decoder_batch *b, int layer,
                  float *h);
void ffn_apply(struct decoder *d, const struct layer *w, int n, float *h);
void ffn_moe_apply(struct decoder *d, const struct layer *w, int n, float *h);

/* Only the part of attention that later tokens need: keys and values of h[n,
 * n_embd]. */
void attention_store(struct decoder *d, const struct decoder_batch *b,
                     int layer, const float *h);

/* y[n, n_embd] = norm(x) * w; y can be x. */
void layer_norm(const struct decoder *d, const float *x, const float *w, int n,
                float *y);

/* Floats needed: `work` for n rows, scratch per thread. */
size_t attention_work(const struct shape *s, int n);
size_t attention_thread(const struct decoder *d);
size_t deltanet_work(const struct shape *s, int n);
size_t deltanet_thread(const struct shape *s);
size_t ffn_work(const struct shape *s, int n);
size_t ffn_moe_work(const struct shape *s, int n);

/* Rows of a mixture's experts that are processed together, for n tokens. */
int ffn_moe_rows(const struct shape *s, int n);

/* n rounded up, so that each part has its own cache lines. */
static inline size_t layer_padded(size_t n)
{
    return (n + 15) / 16 * 16;
}

/* Allocates the next `n` floats of a region. */
static inline float *layer_alloc(float **at, size_t n)
{
    float *p = *at;
    *at += layer_padded(n);
    return p;
}

#endif
