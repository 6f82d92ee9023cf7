/* decoder.c - the layer loop and its scratch (decoder.h). */
#include "vlm/device/cpu/decode/decoder.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "vlm/device/cpu/decode/layer.h"
#include "vlm/device/cpu/decode/state.h"
#include "vlm/tensor/gemm16.h"

static void layer_apply(struct decoder *d, const struct decoder_batch *b,
                        int l);

/* --- mtp ------------------------------------------------------------------- */

/* One more layer, which predicts the token after the next one (MODEL.md,
 * "Multi-token prediction").
 *
 * Its position t of a sequence is the model's last row of token t joined with
 * token t + 1, so it has one position fewer than the sequence has tokens, and a
 * rewind cuts both. For evaluated tokens only keys and values are stored. A
 * prediction is a whole step of the layer: after n evaluated tokens, position n
 * - 1 is the last row and the token just chosen; position n joins the result of
 * position n - 1 (state_guess) and the first predicted token. Several sequences
 * take a step together, each with its own length. */

static void decoder_mtp_alloc(struct decoder *d, struct arena *arena)
{
    size_t n = (size_t)d->shape->n_embd;
    d->mtp.joined =
        arena_array(arena, 2 * (size_t)d->n_ubatch * n, sizeof(float));
    d->mtp.x = arena_array(arena, DEVICE_GUESS_MAX * n, sizeof(float));
    d->mtp.row = arena_array(arena, n, sizeof(float));
}

static float *joined_at(const struct decoder *d, int row)
{
    return d->mtp.joined + 2 * (size_t)row * (size_t)d->shape->n_embd;
}

static float *guessed_at(const struct decoder *d, int i)
{
    return d->mtp.x + (size_t)i * (size_t)d->shape->n_embd;
}

/* Stores the normed embeddings x[n, n_embd] of a pass before its layers run. */
static void decoder_mtp_embed(struct decoder *d, const float *x, int n)
{
    for (int i = 0; i < n; i++)
        layer_norm(d, x + (size_t)i * (size_t)d->shape->n_embd,
                   d->w->draft.norm_embd, 1, joined_at(d, i));
}

/* Appends the model's row before it to the token. */
static void join_row(struct decoder *d, const float *before, float *joined)
{
    layer_norm(d, before, d->w->draft.norm_row, 1, joined + d->shape->n_embd);
}

/* Joins each row of a run with the one before it, the first with the last row
 * of the state. */
static void join_run(struct decoder *d, const struct decoder_batch *b,
                     const struct decoder_run *run)
{
    size_t n = (size_t)d->shape->n_embd;
    const float *before = run->state->n_past ? state_last(run->state) : NULL;
    for (int i = run->first; i < run->first + run->n; i++) {
        if (before) {
            layer_norm(d, before, d->w->norm_out, 1, d->mtp.row);
            join_row(d, d->mtp.row, joined_at(d, i));
        }
        before = b->x + (size_t)i * n;
    }
}

/* The run in this layer's positions: one earlier, without the first token of a
 * sequence. Returns the previous n_past. */
static int shift_run(struct decoder_run *run)
{
    int n_past = run->state->n_past;
    run->first += n_past == 0;
    run->n -= n_past == 0;
    run->state->n_past -= n_past > 0;
    return n_past;
}

static void decoder_mtp_store(struct decoder *d, const struct decoder_batch *b)
{
    struct decoder_run run[DEVICE_RUN_MAX];
    int n_past[DEVICE_RUN_MAX], layer = d->shape->n_layer;
    struct decoder_batch own = *b;
    assert(b->n_run <= DEVICE_RUN_MAX);
    own.run = run;
    for (int r = 0; r < b->n_run; r++)
        join_run(d, b, &b->run[r]);
    matmul(d->products, d->pool, &d->w->draft.join, d->mtp.joined, b->n, d->h,
           d->scratch);
    layer_norm(d, d->h, d->w->layer[layer].norm_mix, b->n, d->h);
    for (int r = 0; r < b->n_run; r++) {
        run[r] = b->run[r];
        n_past[r] = shift_run(&run[r]);
    }
    attention_store(d, &own, layer, d->h);
    for (int r = 0; r < b->n_run; r++)
        run[r].state->n_past = n_past[r];
}

/* A step of the layer for token i of each sequence that has so many. False:
 * none has. */
static bool guess_step(struct decoder *d, const struct decoder_guess *g, int n,
                       int i)
{
    const struct weights *w = d->w;
    struct decoder_run run[DEVICE_GUESS_MAX];
    struct position at[DEVICE_GUESS_MAX];
    struct decoder_batch b = {.x = d->mtp.x, .at = at, .run = run};
    int n_past[DEVICE_GUESS_MAX];
    for (int k = 0; k < n; k++) {
        if (i >= g[k].n) continue;
        struct state *s = g[k].state;
        if (g[k].ahead + i == 0)
            layer_norm(d, state_last(s), w->norm_out, 1, state_guess(s));
        decoder_embed(d, g[k].token[i], guessed_at(d, b.n));
        join_row(d, state_guess(s), joined_at(d, b.n));
        at[b.n] = g[k].at[i];
        n_past[b.n] = s->n_past;
        s->n_past += g[k].ahead + i - 1;
        run[b.n] = (struct decoder_run){.state = s, .first = b.n, .n = 1};
        b.n_run = ++b.n;
    }
    if (b.n == 0) return false;
    d->products = d->backend;
    decoder_mtp_embed(d, b.x, b.n);
    matmul(d->products, d->pool, &w->draft.join, d->mtp.joined, b.n, b.x,
           d->scratch);
    rope_fill(&d->rope, at, b.n, d->cos, d->sin);
    layer_apply(d, &b, d->shape->n_layer);
    for (int r = 0; r < b.n; r++) {
        run[r].state->n_past = n_past[r];
        layer_norm(d, guessed_at(d, r), w->draft.norm_out, 1,
                   state_guess(run[r].state));
    }
    return true;
}

void decoder_guess(struct decoder *d, const struct decoder_guess *g, int n,
                   const int32_t *pick, int n_pick, float *logits)
{
    size_t size = (size_t)d->shape->n_embd * sizeof(float);
    assert(n <= DEVICE_GUESS_MAX && n <= d->n_ubatch);
    for (int i = 0; guess_step(d, g, n, i); i++)
        continue;
    for (int k = 0; k < n; k++)
        memcpy(guessed_at(d, k), state_guess(g[k].state), size);
    decoder_head_rows(d, d->mtp.x, n, pick, n_pick, logits);
}

/* --- decoder --------------------------------------------------------------- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t work_floats(const struct shape *s, int n)
{
    size_t most = larger(attention_work(s, n), deltanet_work(s, n));
    return larger(most, s->n_expert ? ffn_moe_work(s, n) : ffn_work(s, n));
}

static size_t thread_floats(const struct decoder *d)
{
    return layer_padded(larger(attention_thread(d), deltanet_thread(d->shape)));
}

/* Columns of the widest input of any product. */
static int widest_input(const struct shape *s)
{
    const int wide[] = {s->n_embd,      s->n_head * s->n_embd_head,
                        s->gdn_v_width, s->n_ff,
                        s->n_ff_expert, s->n_ff_shared};
    int most = s->n_draft ? 2 * s->n_embd : 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        most = wide[i] > most ? wide[i] : most;
    return most;
}

static size_t product_bytes(const struct decoder *d)
{
    const struct shape *s = d->shape;
    int n_col = widest_input(s), n = d->n_ubatch;
    int rows = s->n_expert ? ffn_moe_rows(s, n) : n;
    int n_input = s->n_expert ? MATMUL_INPUTS : 1;
    return larger(
        matmul_scratch_bytes(d->backend, d->pool, rows, n_col, n_input),
        matmul_scratch_bytes(d->prompt_backend, d->pool, rows, n_col, n_input));
}

size_t decoder_bytes(const struct decoder *d)
{
    const struct shape *s = d->shape;
    size_t rows = (size_t)d->n_ubatch;
    size_t floats = d->work_floats +
                    d->thread_floats * (size_t)pool_size(d->pool) +
                    rows * (size_t)s->n_embd + rows * (size_t)s->n_rot;
    if (s->n_draft)
        floats += (2 * rows + DEVICE_GUESS_MAX + 1) * (size_t)s->n_embd;
    return floats * sizeof(float) + product_bytes(d);
}

/* Transposes the convolution's taps to rows of channels, so that a row is one
 * vector loop. */
static float *transpose_conv(const struct shape *s, const float *conv,
                             struct arena *arena)
{
    float *t = arena_array(arena, (size_t)s->conv_kernel,
                           (size_t)s->conv_width * sizeof *t);
    for (int c = 0; c < s->conv_width; c++)
        for (int j = 0; j < s->conv_kernel; j++)
            t[j * s->conv_width + c] = conv[c * s->conv_kernel + j];
    return t;
}

static void alloc_scratch(struct decoder *d, struct arena *arena)
{
    const struct shape *s = d->shape;
    size_t rows = (size_t)d->n_ubatch, half = (size_t)d->rope.n_pair;
    int n_thread = pool_size(d->pool);
    d->work_floats = work_floats(s, d->n_ubatch);
    d->thread_floats = thread_floats(d);
    d->cos = arena_array(arena, rows * half, sizeof(float));
    d->sin = arena_array(arena, rows * half, sizeof(float));
    d->h = arena_array(arena, rows * (size_t)s->n_embd, sizeof(float));
    d->work = arena_array(arena, d->work_floats, sizeof(float));
    d->thread =
        arena_array(arena, d->thread_floats * (size_t)n_thread, sizeof(float));
    d->scratch = arena_alloc(arena, product_bytes(d));
}

struct decoder *decoder_new(const struct shape *shape, const struct weights *w,
                            const struct tensor_backend *backend,
                            const struct tensor_backend *prompt_backend,
                            struct pool *pool, unsigned features, int n_ubatch,
                            struct arena *arena)
{
    struct decoder *d = arena_alloc(arena, sizeof *d);
    *d = (struct decoder){.shape = shape,
                          .w = w,
                          .backend = backend,
                          .prompt_backend = prompt_backend,
                          .products = backend,
                          .ops = vector_ops_pick(features),
                          .pool = pool,
                          .n_ubatch = n_ubatch};
    if (shape->n_embd_head % GEMM16_K == 0)
        d->gemm_int16 = gemm16_pick_int16(features);
    d->rope = rope_plan(shape, arena);
    d->conv = arena_array(arena, (size_t)shape->n_layer, sizeof *d->conv);
    for (int l = 0; l < shape->n_layer; l++)
        if (!shape->attends[l])
            d->conv[l] = transpose_conv(shape, w->layer[l].gdn.conv, arena);
    alloc_scratch(d, arena);
    if (shape->n_draft) decoder_mtp_alloc(d, arena);
    return d;
}

void decoder_embed(const struct decoder *d, int32_t token, float *x)
{
    assert(token >= 0 && token < d->shape->n_vocab);
    matmul_weight_row(&d->w->embd, token, x);
}

struct norm {
    const struct decoder *d;
    const float *in, *w;
    float *out;
};

static void norm_some(void *arg, int first, int last, int thread)
{
    const struct norm *r = arg;
    const struct shape *s = r->d->shape;
    (void)thread;
    for (int i = first; i < last; i++) {
        const float *x = r->in + (size_t)i * (size_t)s->n_embd;
        float ms = r->d->ops->sum_squares(x, s->n_embd) / (float)s->n_embd;
        r->d->ops->scale_mul(r->out + (size_t)i * (size_t)s->n_embd, x, r->w,
                             1 / sqrtf(ms + s->norm_eps), s->n_embd);
    }
}

void layer_norm(const struct decoder *d, const float *x, const float *w, int n,
                float *y)
{
    struct norm r = {d, x, w, y};
    pool_run(d->pool, n, 16, norm_some, &r);
}

/* x += h, except for runs that leave out layer l. */
static void add_layer(struct decoder *d, const struct decoder_batch *b, int l)
{
    size_t n_embd = (size_t)d->shape->n_embd;
    for (int r = 0; r < b->n_run; r++)
        if (b->run[r].left_out == l + 1)
            memset(d->h + (size_t)b->run[r].first * n_embd, 0,
                   (size_t)b->run[r].n * n_embd * sizeof *d->h);
    d->ops->add(b->x, d->h, b->n * d->shape->n_embd);
}

/* Applies a whole layer to b->x: norm, mixer, add, norm, feed-forward, add. */
static void layer_apply(struct decoder *d, const struct decoder_batch *b, int l)
{
    const struct shape *s = d->shape;
    const struct layer *w = &d->w->layer[l];

    layer_norm(d, b->x, w->norm_mix, b->n, d->h);
    if (w->attends)
        attention_mix(d, b, l, d->h);
    else
        deltanet_mix(d, b, l, d->h);
    add_layer(d, b, l);

    layer_norm(d, b->x, w->norm_ffn, b->n, d->h);
    if (s->n_expert)
        ffn_moe_apply(d, w, b->n, d->h);
    else
        ffn_apply(d, w, b->n, d->h);
    add_layer(d, b, l);
}

void decoder_forward(struct decoder *d, struct decoder_batch *b)
{
    const struct shape *s = d->shape;
    assert(b->n > 0 && b->n <= d->n_ubatch);
    d->products = b->prompt ? d->prompt_backend : d->backend;
    rope_fill(&d->rope, b->at, b->n, d->cos, d->sin);
    if (s->n_draft) decoder_mtp_embed(d, b->x, b->n);

    for (int l = 0; l < s->n_layer; l++)
        layer_apply(d, b, l);
    if (s->n_draft) decoder_mtp_store(d, b);
    for (int r = 0; r < b->n_run; r++)
        b->run[r].state->n_past += b->run[r].n;
}

void decoder_norm_out(const struct decoder *d, const float *x, int n, float *y)
{
    layer_norm(d, x, d->w->norm_out, n, y);
}

void decoder_head(const struct decoder *d, const float *y, int n, float *logits)
{
    matmul(d->backend, d->pool, &d->w->head, y, n, logits, d->scratch);
}

void decoder_head_rows(const struct decoder *d, const float *y, int n,
                       const int32_t *row, int n_pick, float *logits)
{
    matmul_rows(d->backend, d->pool, &d->w->head, row, n_pick, y, n, logits,
                d->scratch);
}
