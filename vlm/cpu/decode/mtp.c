/* mtp.c - one layer more, which guesses the token behind the next one (MODEL.md,
 * "Multi-token prediction").
 *
 * Its place t of a sequence is the model's last row of token t joined with token
 * t + 1, so that its places are always one fewer than tokens were read, and going
 * back cuts both. Of what the model reads only keys and values are kept there. A guess
 * is a whole step of the layer: behind n tokens that were read, place n - 1 is the
 * last row and the token that was just chosen; place n joins what came of place
 * n - 1 and the first guess.
 */
#include <assert.h>

#include "vlm/cpu/decode/layer.h"
#include "vlm/cpu/decode/state.h"

void mtp_take(struct decoder *d, struct arena *arena)
{
    size_t n = (size_t)d->shape->n_embd;
    d->mtp.joined =
        arena_array(arena, 2 * (size_t)d->n_ubatch * n, sizeof(float));
    d->mtp.x = arena_array(arena, n, sizeof(float));
    d->mtp.row = arena_array(arena, n, sizeof(float));
}

static float *joined_at(const struct decoder *d, int row)
{
    return d->mtp.joined + 2 * (size_t)row * (size_t)d->shape->n_embd;
}

void mtp_note(struct decoder *d, const struct decoder_batch *b)
{
    for (int i = 0; i < b->n; i++)
        layer_norm(d, b->x + (size_t)i * (size_t)d->shape->n_embd,
                   d->w->draft.norm_embd, 1, joined_at(d, i));
}

/* Behind the token: the model's row before it. */
static void join(struct decoder *d, const float *before, float *joined)
{
    layer_norm(d, before, d->w->draft.norm_row, 1, joined + d->shape->n_embd);
}

/* Each row of a run behind the first with the one before it, that one with the last
 * row of the state. */
static void join_run(struct decoder *d, const struct decoder_batch *b,
                     const struct decoder_run *run)
{
    size_t n = (size_t)d->shape->n_embd;
    const float *before = run->state->n_past ? state_last(run->state) : NULL;
    for (int i = run->first; i < run->first + run->n; i++) {
        if (before) {
            layer_norm(d, before, d->w->norm_out, 1, d->mtp.row);
            join(d, d->mtp.row, joined_at(d, i));
        }
        before = b->x + (size_t)i * n;
    }
}

/* The run as this layer counts it: one place earlier, without the first token of
 * a sequence. Gives back what n_past was. */
static int shift(struct decoder_run *run)
{
    int n_past = run->state->n_past;
    run->first += n_past == 0;
    run->n -= n_past == 0;
    run->state->n_past -= n_past > 0;
    return n_past;
}

void mtp_keep(struct decoder *d, const struct decoder_batch *b)
{
    struct decoder_run run[DEVICE_RUN_MAX];
    int n_past[DEVICE_RUN_MAX], layer = d->shape->n_layer;
    struct decoder_batch own = *b;
    assert(b->n_run <= DEVICE_RUN_MAX);
    own.run = run;
    for (int r = 0; r < b->n_run; r++)
        join_run(d, b, &b->run[r]);
    matmul(d->backend, d->pool, &d->w->draft.join, d->mtp.joined, b->n, d->h,
           d->scratch);
    layer_norm(d, d->h, d->w->layer[layer].norm_mix, b->n, d->h);
    for (int r = 0; r < b->n_run; r++) {
        run[r] = b->run[r];
        n_past[r] = shift(&run[r]);
    }
    attention_keep(d, &own, layer, d->h);
    for (int r = 0; r < b->n_run; r++)
        run[r].state->n_past = n_past[r];
}

void decoder_guess(struct decoder *d, const struct decoder_guess *g,
                   const int32_t *pick, int n_pick, float *logits)
{
    const struct weights *w = d->w;
    struct state *s = g->state;
    struct decoder_run run = {.state = s, .n = 1};
    const struct decoder_batch b = {
        .n = 1, .x = d->mtp.x, .at = &g->at, .run = &run, .n_run = 1};
    int n_past = s->n_past;
    decoder_embed(d, g->token, d->mtp.x);
    layer_norm(d, d->mtp.x, w->draft.norm_embd, 1, d->mtp.joined);
    if (g->ahead == 0) layer_norm(d, state_last(s), w->norm_out, 1, d->mtp.row);
    join(d, d->mtp.row, d->mtp.joined);
    matmul(d->backend, d->pool, &w->draft.join, d->mtp.joined, 1, d->mtp.x,
           d->scratch);
    rope_fill(&d->rope, b.at, 1, d->cos, d->sin);
    s->n_past += g->ahead - 1;
    layer_apply(d, &b, d->shape->n_layer);
    s->n_past = n_past;
    layer_norm(d, d->mtp.x, w->draft.norm_out, 1, d->mtp.row);
    if (n_pick) decoder_head_rows(d, d->mtp.row, 1, pick, n_pick, logits);
}
