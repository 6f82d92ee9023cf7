/* decoder.h - the text model: rows go through every layer.
 *
 * A batch is rows of one or more sequences, each a run of consecutive tokens.
 * Products with weights take all rows at once, so weights are read once;
 * attention and the delta rule process each run with its own state.
 * RESULT   A row's bits depend on its sequence alone: not on the other runs,
 *          not on the number of threads. A feed can be cut into runs at
 *          multiples of DECODER_CHUNK tokens from its start without changing a
 *          bit, and a run of at most DECODER_STEPS anywhere; other cuts change
 *          rounding (the delta rule works in chunks that start where a run
 *          starts).
 * MEMORY decoder_new allocates all scratch; decoder_forward allocates nothing.
 * SOURCE   MODEL.md, in the same order. layer.h has the internals.
 */
#ifndef VLM_DEVICE_CPU_DECODE_DECODER_H
#define VLM_DEVICE_CPU_DECODE_DECODER_H

#include "vlm/base/arena.h"
#include "vlm/base/pool.h"
#include "vlm/base/position.h"
#include "vlm/tensor/vector_ops.h"
#include <stdbool.h>
#include <stdint.h>

struct shape;

struct weights;

struct tensor_backend;

struct state;

struct decoder;

enum {
    DECODER_CHUNK = 32, /* tokens per chunk of the delta rule */
    DECODER_STEPS = 16  /* longest end of a run that is processed token by
                         * token */
};

struct decoder_run {
    struct state *state;
    int first, n; /* rows of the batch */
    int left_out; /* device.h */
};

struct decoder_batch {
    int n;    /* rows, at most n_ubatch */
    float *x; /* [n, n_embd]: embeddings in, residual stream out */
    const struct position *at; /* [n] */
    struct decoder_run *run;
    int n_run;
    bool prompt; /* all runs are tokens of prompts */
};

/* Borrows all arguments except the arena, which owns the result and its
 * scratch. prompt_backend: of batches of prompts; can be `backend`. */
struct decoder *decoder_new(const struct shape *shape, const struct weights *w,
                            const struct tensor_backend *backend,
                            const struct tensor_backend *prompt_backend,
                            struct pool *pool, unsigned features, int n_ubatch,
                            struct arena *arena);

/* Size of all scratch, in bytes. */
size_t decoder_bytes(const struct decoder *d);

/* Embedding row of a token, x[n_embd]. */
void decoder_embed(const struct decoder *d, int32_t token, float *x);

/* Runs the rows through every layer and advances each state by its run. The
 * caller has checked that n_past + n fits. */
void decoder_forward(struct decoder *d, struct decoder_batch *b);

/* n drafted tokens after `state` and `ahead` more tokens passed before them. */
struct decoder_guess {
    struct state *state;
    int ahead;
    int n;
    const int32_t *token;      /* [n] */
    const struct position *at; /* [n] */
};

/* The logits[n, n_pick] of some rows of the head after the drafted tokens of n
 * sequences (at most DEVICE_GUESS_MAX), by the block of multi-token prediction.
 * Only for models with one (shape.h, n_draft). Of a state only state_guess
 * changes, and keys and values after its tokens. */
void decoder_guess(struct decoder *d, const struct decoder_guess *guess, int n,
                   const int32_t *pick, int n_pick, float *logits);

/* y[n, n_embd]: final norm of x, the input of the head. */
void decoder_norm_out(const struct decoder *d, const float *x, int n, float *y);

/* The logits[n, n_vocab] for rows of decoder_norm_out; or of some rows of the
 * head: logits[n, n_pick]. Both have the same bits. */
void decoder_head(const struct decoder *d, const float *y, int n,
                  float *logits);
void decoder_head_rows(const struct decoder *d, const float *y, int n,
                       const int32_t *row, int n_pick, float *logits);

#endif
