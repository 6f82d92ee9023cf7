/* decoder.h - the text model: rows go through every layer.
 *
 * A batch is rows of one or more sequences, each a run of consecutive tokens.
 * Products with weights see all rows at once, so weights are read once;
 * attention and the delta rule see each run with its own state.
 * RESULT   A row's bits depend on its sequence alone: not on the other runs,
 *          not on the number of threads. A feed may be cut into runs at
 *          multiples of DECODER_CHUNK tokens from its start without changing
 *          a bit, and a run of at most DECODER_STEPS anywhere; other cuts
 *          change roundings (the delta rule works by chunks that begin where
 *          a run begins).
 * MEMORY   decoder_new takes all scratch; decoder_forward allocates nothing.
 * SOURCE   MODEL.md, which has the same order. layer.h is the inside.
 */
#ifndef VLM_DEVICE_CPU_DECODE_DECODER_H
#define VLM_DEVICE_CPU_DECODE_DECODER_H

#include "vlm/base/arena.h"
#include "vlm/base/pool.h"
#include "vlm/base/position.h"
#include "vlm/tensor/vector_ops.h"
#include <stdint.h>

struct shape;

struct weights;

struct tensor_backend;

struct state;

struct decoder;

struct device_attention;

enum {
    DECODER_CHUNK = 32, /* tokens of a chunk of the delta rule */
    DECODER_STEPS = 16  /* ends of a run up to so long go step by step */
};

struct decoder_run {
    struct state *state;
    int first, n;                             /* rows of the batch */
    const struct device_attention *attention; /* device.h; NULL: not asked */
    int left_out;                             /* likewise */
};

struct decoder_batch {
    int n;    /* rows, at most n_ubatch */
    float *x; /* [n, n_embd]: embeddings in, residual stream out */
    const struct position *at; /* [n] */
    struct decoder_run *run;
    int n_run;
};

/* Borrows everything but the arena, which owns the result and its scratch. */
struct decoder *decoder_new(const struct shape *shape, const struct weights *w,
                            const struct tensor_backend *backend,
                            struct pool *pool, unsigned features, int n_ubatch,
                            struct arena *arena);

/* Bytes of all scratch. */
size_t decoder_bytes(const struct decoder *d);

/* Embedding row of a token, x[n_embd]. */
void decoder_embed(const struct decoder *d, int32_t token, float *x);

/* Runs the rows through every layer and moves each state on by its run.
 * n_past + n must fit (the caller has looked). */
void decoder_forward(struct decoder *d, struct decoder_batch *b);

/* A token that follows what `state` has read and `ahead` more, which were given
 * before it one by one. */
struct decoder_guess {
    struct state *state;
    int ahead;
    int32_t token;
    struct position at;
};

/* What the model's block of multi-token prediction says behind the token:
 * logits[n_pick] of some rows of the head. Only where the model has one
 * (shape.h, n_draft). The state is as it was. */
void decoder_guess(struct decoder *d, const struct decoder_guess *guess,
                   const int32_t *pick, int n_pick, float *logits);

/* y[n, n_embd]: final norm of x, the input of the head. */
void decoder_norm_out(const struct decoder *d, const float *x, int n, float *y);

/* logits[n, n_vocab] for rows of decoder_norm_out; or only some rows of the
 * head: logits[n, n_pick]. The bits are the same both ways. */
void decoder_head(const struct decoder *d, const float *y, int n,
                  float *logits);
void decoder_head_rows(const struct decoder *d, const float *y, int n,
                       const int32_t *row, int n_pick, float *logits);

#endif
