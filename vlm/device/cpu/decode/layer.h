/* layer.h - the decoder from the inside: what its layers share.
 *
 * Each part of a layer takes h[n, n_embd] and puts its result in its place.
 * Scratch is one block for all parts (`work`) and one for each thread; a part
 * says beforehand how many floats it needs and cuts them up with layer_take.
 */
#ifndef VLM_DEVICE_CPU_DECODE_LAYER_H
#define VLM_DEVICE_CPU_DECODE_LAYER_H

#include "vlm/device/cpu/decode/decoder.h"
#include "vlm/device/cpu/decode/rope.h"
#include "vlm/model/shape.h"
#include "vlm/model/weights.h"
#include "vlm/tensor/matmul.h"

enum {
    LAYER_QUERY_ROWS = 64,  /* query rows of an attention tile, about */
    LAYER_QUERY_MOST = 256, /* the same where threads have enough of them */
    LAYER_FEW_ROWS = 8,     /* up to so many read F16 keys in place */
    LAYER_KEYS = 64         /* keys of an attention tile */
};

/* Of a model that guesses tokens; else NULL. */
struct mtp {
    float *joined; /* [n_ubatch, 2 * n_embd]: a token, the row before it */
    float *x;      /* [n_embd] of the guess at hand */
    float *row;    /* [n_embd] that the next one goes on from */
};

struct decoder {
    const struct shape *shape;
    const struct weights *w;
    const struct tensor_backend *backend;
    const struct vector_ops *lanes;
    const struct gemm16 *words; /* attention's; NULL: in F32 */
    struct pool *pool;
    int n_ubatch;

    struct rope rope;
    float **conv; /* by layer: [kernel, conv_width], or NULL */

    float *cos, *sin; /* [n_ubatch, rope.n_pair] of the present batch */
    float *h;         /* [n_ubatch, n_embd] */
    struct mtp mtp;
    float *work;   /* what a mixer or feed-forward part needs */
    float *thread; /* thread_floats for each thread */
    size_t work_floats, thread_floats;
    void *scratch; /* of matmul */
};

/* The mixers and feed-forward parts of a layer: h[n, n_embd] in, the result in
 * its place. A mixer reads each run's state as it stood before the run and
 * leaves in it what later tokens need; n_past moves on in decoder.c. */
void attention_mix(struct decoder *d, const struct decoder_batch *b, int layer,
                   float *h);
void deltanet_mix(struct decoder *d, const struct decoder_batch *b, int layer,
                  float *h);
void ffn_apply(struct decoder *d, const struct layer *w, int n, float *h);
void ffn_moe_apply(struct decoder *d, const struct layer *w, int n, float *h);

/* Only what later tokens need of attention: keys and values of h[n, n_embd]. */
void attention_keep(struct decoder *d, const struct decoder_batch *b, int layer,
                    const float *h);

/* y[n, n_embd] = x, normed and times w; in place, too. */
void layer_norm(const struct decoder *d, const float *x, const float *w, int n,
                float *y);

/* Floats that they need: of work for n rows, of scratch for a thread. */
size_t attention_work(const struct shape *s, int n);
size_t attention_thread(const struct decoder *d);
size_t deltanet_work(const struct shape *s, int n);
size_t deltanet_thread(const struct shape *s);
size_t ffn_work(const struct shape *s, int n);
size_t ffn_moe_work(const struct shape *s, int n);

/* Floats that n take up, so that each part has cache lines of its own. */
static inline size_t layer_room(size_t n)
{
    return (n + 15) / 16 * 16;
}

/* The next `n` floats of a region. */
static inline float *layer_take(float **at, size_t n)
{
    float *p = *at;
    *at += layer_room(n);
    return p;
}

#endif
