/* decoder.c - see decoder.h: the layer loop and its scratch. */
#include "vlm/cpu/decode/decoder.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "vlm/cpu/decode/layer.h"
#include "vlm/cpu/decode/state.h"
#include "vlm/tensor/halves.h"

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t work_floats(const struct shape *s, int n)
{
    size_t most = larger(attention_work(s, n), deltanet_work(s, n));
    return larger(most, s->n_expert ? moe_work(s, n) : ffn_work(s, n));
}

static size_t thread_floats(const struct decoder *d)
{
    return layer_room(larger(attention_thread(d), deltanet_thread(d->shape)));
}

/* The widest input of any product. */
static int columns(const struct shape *s)
{
    const int wide[] = {s->n_embd,      s->n_head * s->n_embd_head,
                        s->gdn_v_width, s->n_ff,
                        s->n_ff_expert, s->n_ff_shared};
    int most = s->n_draft ? 2 * s->n_embd : 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        most = wide[i] > most ? wide[i] : most;
    return most;
}

size_t decoder_bytes(const struct decoder *d)
{
    const struct shape *s = d->shape;
    size_t rows = (size_t)d->n_ubatch;
    size_t floats = d->work_floats +
                    d->thread_floats * (size_t)pool_size(d->pool) +
                    rows * (size_t)s->n_embd + rows * (size_t)s->n_rot;
    if (s->n_draft) floats += 2 * (rows + 1) * (size_t)s->n_embd;
    return floats * sizeof(float) +
           matmul_scratch_bytes(d->backend, d->pool, d->n_ubatch, columns(s));
}

/* Taps of the convolution as rows of channels, so that a row of channels is
 * one vector loop. */
static float *turn_conv(const struct shape *s, const float *conv,
                        struct arena *arena)
{
    float *t = arena_array(arena, (size_t)s->conv_kernel,
                           (size_t)s->conv_width * sizeof *t);
    for (int c = 0; c < s->conv_width; c++)
        for (int j = 0; j < s->conv_kernel; j++)
            t[j * s->conv_width + c] = conv[c * s->conv_kernel + j];
    return t;
}

static void take_scratch(struct decoder *d, struct arena *arena)
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
    d->scratch =
        arena_take(arena, matmul_scratch_bytes(d->backend, d->pool, d->n_ubatch,
                                               columns(s)));
}

struct decoder *decoder_new(const struct shape *shape, const struct weights *w,
                            const struct tensor_backend *backend,
                            struct pool *pool, unsigned features, int n_ubatch,
                            struct arena *arena)
{
    struct decoder *d = arena_take(arena, sizeof *d);
    *d = (struct decoder){.shape = shape,
                          .w = w,
                          .backend = backend,
                          .lanes = lanes_pick(features),
                          .pool = pool,
                          .n_ubatch = n_ubatch};
    if (shape->n_embd_head % HALVES_K == 0)
        d->words = halves_pick_words(features);
    d->rope = rope_plan(shape, arena);
    d->conv = arena_array(arena, (size_t)shape->n_layer, sizeof *d->conv);
    for (int l = 0; l < shape->n_layer; l++)
        if (!shape->attends[l])
            d->conv[l] = turn_conv(shape, w->layer[l].gdn.conv, arena);
    take_scratch(d, arena);
    if (shape->n_draft) mtp_take(d, arena);
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
        float ms = r->d->lanes->sum_squares(x, s->n_embd) / (float)s->n_embd;
        r->d->lanes->scale_mul(r->out + (size_t)i * (size_t)s->n_embd, x, r->w,
                               1 / sqrtf(ms + s->norm_eps), s->n_embd);
    }
}

void layer_norm(const struct decoder *d, const float *x, const float *w, int n,
                float *y)
{
    struct norm r = {d, x, w, y};
    pool_run(d->pool, n, 16, norm_some, &r);
}

/* x += h, but for the runs that go without layer l. */
static void add_layer(struct decoder *d, const struct decoder_batch *b, int l)
{
    size_t n_embd = (size_t)d->shape->n_embd;
    for (int r = 0; r < b->n_run; r++)
        if (b->run[r].left_out == l + 1)
            memset(d->h + (size_t)b->run[r].first * n_embd, 0,
                   (size_t)b->run[r].n * n_embd * sizeof *d->h);
    d->lanes->add(b->x, d->h, b->n * d->shape->n_embd);
}

void layer_apply(struct decoder *d, const struct decoder_batch *b, int l)
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
        moe_apply(d, w, b->n, d->h);
    else
        ffn_apply(d, w, b->n, d->h);
    add_layer(d, b, l);
}

void decoder_forward(struct decoder *d, struct decoder_batch *b)
{
    const struct shape *s = d->shape;
    assert(b->n > 0 && b->n <= d->n_ubatch);
    rope_fill(&d->rope, b->at, b->n, d->cos, d->sin);
    if (s->n_draft) mtp_note(d, b);

    for (int l = 0; l < s->n_layer; l++)
        layer_apply(d, b, l);
    if (s->n_draft) mtp_keep(d, b);
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
