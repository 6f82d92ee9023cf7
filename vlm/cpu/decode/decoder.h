/* decoder.h - the text model: rows go through every layer.
 *
 * A batch is rows of one or more sequences, each a run of consecutive tokens.
 * Products with weights see all rows at once, so weights are read once;
 * attention and the delta rule see each run with its own state.
 * RESULT   A row's bits depend on its sequence alone: not on the other runs,
 *          not on the number of threads. A feed may be cut into runs at
 *          multiples of DECODER_CHUNK tokens from its start without changing
 *          a bit; other cuts change roundings (the delta rule works by
 *          chunks that begin where a run begins).
 * MEMORY   decoder_new takes all scratch; decoder_forward allocates nothing.
 * SOURCE   qwen35-model.md, section 2; MODEL.md has the same order.
 */
#ifndef VLM_CPU_DECODE_DECODER_H
#define VLM_CPU_DECODE_DECODER_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/pool.h"
#include "vlm/model/shape.h"
#include "vlm/model/weights.h"
#include "vlm/tensor/lanes.h"

struct state;

enum {
    DECODER_CHUNK = 32,      /* tokens of a chunk of the delta rule */
    DECODER_STEP_MAX = 4,    /* shorter ends of a run go step by step */
    DECODER_QUERY_ROWS = 64, /* query rows of an attention tile */
    DECODER_KEYS = 64        /* keys of an attention tile */
};

struct run {
    struct state *state;
    int first, n; /* rows of the batch */
};

struct batch {
    int n;             /* rows, at most n_ubatch */
    float *x;          /* [n, n_embd]: embeddings in, residual stream out */
    int32_t (*pos)[3]; /* [n]: t, h, w */
    struct run *run;
    int n_run;
};

struct decoder {
    const struct shape *shape;
    const struct weights *w;
    const struct tensor_backend *backend;
    const struct lanes *lanes;
    struct pool *pool;
    int n_ubatch;

    double *freq;    /* [n_rot / 2] */
    int *axis;       /* [n_rot / 2]: 0 t, 1 h, 2 w */
    float rope_gain; /* YaRN's factor on cos and sin, else 1 */
    float **conv;    /* by layer: [kernel, conv_width], or NULL */

    float *cos, *sin; /* [n_ubatch, n_rot / 2] of the present batch */
    float *h;         /* [n_ubatch, n_embd] */
    float *work;      /* what a mixer or feed-forward part needs */
    float *thread;    /* thread_floats for each thread */
    size_t work_floats, thread_floats, scratch_bytes;
    void *scratch; /* of matmul */
};

/* Borrows everything but the arena, which owns the result and its scratch. */
struct decoder *decoder_new(const struct shape *shape, const struct weights *w,
                            const struct tensor_backend *backend,
                            struct pool *pool, unsigned features, int n_ubatch,
                            struct arena *arena);

/* Bytes of all scratch, for `platen model plan`. */
size_t decoder_bytes(const struct shape *shape,
                     const struct tensor_backend *backend, int n_thread,
                     int n_ubatch);

/* Embedding row of a token. */
void decoder_embed(const struct decoder *d, int32_t token, float *x);

/* Runs the rows through every layer and moves each state on by its run.
 * n_past + n must fit (the caller has looked). */
void decoder_forward(struct decoder *d, struct batch *b);

/* y[n, n_embd]: final norm of x, the input of the head. */
void decoder_norm_out(const struct decoder *d, const float *x, int n, float *y);

/* logits[n, n_vocab] for rows of decoder_norm_out; or only some rows of the
 * head: logits[n, n_pick]. The bits are the same both ways. */
void decoder_head(const struct decoder *d, const float *y, int n,
                  float *logits);
void decoder_head_rows(const struct decoder *d, const float *y, int n,
                       const int32_t *row, int n_pick, float *logits);

/* Parts of a layer, for decoder.c: h[n, n_embd] is replaced by the result. */
void attention_mix(struct decoder *d, const struct batch *b, int layer,
                   float *h);
void deltanet_mix(struct decoder *d, const struct batch *b, int layer,
                  float *h);
void ffn_apply(struct decoder *d, const struct layer *w, int n, float *h);
void moe_apply(struct decoder *d, const struct layer *w, int n, float *h);

/* Floats that they need: of work for n rows, of scratch for a thread. */
size_t attention_work(const struct shape *s, int n);
size_t attention_thread(const struct shape *s);
size_t deltanet_work(const struct shape *s, int n);
size_t deltanet_thread(const struct shape *s);
size_t ffn_work(const struct shape *s, int n);
size_t moe_work(const struct shape *s, int n);

/* The next `n` floats of a region, each part on its own cache lines. */
static inline float *decoder_take(float **at, size_t n)
{
    float *p = *at;
    *at += (n + 15) / 16 * 16;
    return p;
}

static inline size_t decoder_room(size_t n)
{
    return (n + 15) / 16 * 16;
}

/* Rotary tables. */
void rope_plan(const struct shape *s, double *freq, int *axis, float *gain);
void rope_fill(const struct decoder *d, const int32_t (*pos)[3], int n);
/* Rotates the first n_rot values of x; cos and sin of its row. */
void rope_turn(float *x, const float *cos, const float *sin, int n_rot);

#endif
