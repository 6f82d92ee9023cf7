/* gpu_buffers.c - layout of the buffers for the rows of a pass. */
#include "vlm/device/gpu/gpu_inside.h"

static size_t times(int a, int b)
{
    return (size_t)a * (size_t)b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

void gpu_buffers_pass(struct gpu_pass *p, struct gpu_arena *arena, int n,
                      int n_run, int n_pair)
{
    size_t rows = (size_t)n, begun = arena->at;
    p->token = gpu_arena_part(arena, rows, sizeof *p->token);
    p->at = gpu_arena_part(arena, rows, sizeof *p->at);
    p->from = gpu_arena_part(arena, rows, sizeof *p->from);
    p->run = gpu_arena_part(arena, (size_t)n_run, sizeof *p->run);
    p->run_of = gpu_arena_part(arena, rows, sizeof *p->run_of);
    p->cosine = gpu_arena_part(arena, times(n, n_pair), sizeof(float));
    p->sine = gpu_arena_part(arena, times(n, n_pair), sizeof(float));
    p->bytes = arena->at - begun;
}

static size_t pass_bytes(int n, int n_run, int n_pair)
{
    struct gpu_arena arena = {0};
    struct gpu_pass p;
    gpu_buffers_pass(&p, &arena, n, n_run, n_pair);
    return arena.at;
}

int gpu_buffers_splits(int n, int n_key)
{
    return n <= GPU_DIRECT_MAX ? gpu_blocks(n_key, GPU_SEGMENT) : 1;
}

int gpu_buffers_scores(const struct gpu_device *g)
{
    return larger(GPU_DIRECT_MAX, gpu_buffers_splits(1, g->plan.n_ctx));
}

static void plan_attention(struct gpu_device *g, struct gpu_arena *arena, int n)
{
    const struct shape *s = g->shape;
    struct gpu_buffers *r = &g->buffers;
    size_t f = sizeof(float), q = times(n, s->n_head) * (size_t)s->n_embd_head;
    size_t kv = times(n, s->n_head_kv) * (size_t)s->n_embd_head;
    int few = GPU_DIRECT_MAX * gpu_buffers_splits(1, g->plan.n_ctx);
    r->q = gpu_arena_part(arena, 2 * q, f);
    r->k = gpu_arena_part(arena, kv, f);
    r->v = gpu_arena_part(arena, kv, f);
    r->o = gpu_arena_part(arena, q, f);
    r->part = gpu_arena_part(
        arena, times(larger(n, few), s->n_head) * (size_t)(s->n_embd_head + 2),
        f);
    r->score = gpu_arena_part(
        arena, times(gpu_buffers_scores(g), s->n_head) * GPU_SEGMENT, f);
}

static void plan_delta(struct gpu_device *g, struct gpu_arena *arena, int n)
{
    const struct shape *s = g->shape;
    struct gpu_buffers *r = &g->buffers;
    size_t f = sizeof(float);
    /* each run can end with a partial chunk */
    size_t chunks = (size_t)(gpu_blocks(n, GPU_CHUNK) + g->base.n_run_max);
    r->raw = gpu_arena_part(arena, times(n, s->conv_width), f);
    r->u = gpu_arena_part(arena, times(n, s->conv_width), f);
    r->z = gpu_arena_part(arena, times(n, s->gdn_v_width), f);
    r->out = gpu_arena_part(arena, times(n, s->gdn_v_width), f);
    r->g = gpu_arena_part(arena, times(n, s->n_gdn_v), f);
    r->beta = gpu_arena_part(arena, times(n, s->n_gdn_v), f);
    r->pair = gpu_arena_part(arena, chunks * (size_t)s->n_gdn_v,
                             2 * GPU_CHUNK * (GPU_CHUNK + 1) * f);
}

/* Width of the feed-forward part used by every token. */
static int width(const struct shape *s)
{
    return s->n_expert ? s->n_ff_shared : s->n_ff;
}

static void plan_experts(struct gpu_device *g, struct gpu_arena *arena, int n)
{
    const struct shape *s = g->shape;
    struct gpu_experts_buffers *e = &g->buffers.experts;
    size_t f = sizeof(float), pairs = times(n, s->n_expert_used);
    if (!s->n_expert) return;
    e->logit = gpu_arena_part(arena, times(n, s->n_expert), f);
    e->choice = gpu_arena_part(arena, pairs, sizeof *e->choice);
    e->weight = gpu_arena_part(arena, pairs, f);
    e->first = gpu_arena_part(arena, (size_t)s->n_expert + 1, sizeof *e->first);
    e->row = gpu_arena_part(arena, pairs, sizeof *e->row);
    e->token = gpu_arena_part(arena, pairs, sizeof *e->token);
    e->gate = gpu_arena_part(arena, pairs * (size_t)s->n_ff_expert, f);
    e->up = gpu_arena_part(arena, pairs * (size_t)s->n_ff_expert, f);
    e->y = gpu_arena_part(arena, pairs * (size_t)s->n_embd, f);
    e->shared = gpu_arena_part(arena, times(n, s->n_embd), f);
}

/* Columns of activations; for experts, of all experts of a token. */
static int widest(const struct shape *s)
{
    int most = larger(s->n_embd, s->n_head * s->n_embd_head);
    int experts = s->n_expert ? s->n_expert_used * s->n_ff_expert : 0;
    return larger(larger(most, s->gdn_v_width), larger(width(s), experts));
}

void gpu_buffers_plan(struct gpu_device *g, struct gpu_arena *arena)
{
    const struct shape *s = g->shape;
    struct gpu_buffers *r = &g->buffers;
    int n = g->base.n_row_max;
    size_t f = sizeof(float);
    r->x = gpu_arena_part(arena, times(n, s->n_embd), f);
    r->h = gpu_arena_part(arena, times(n, s->n_embd), f);
    plan_attention(g, arena, n);
    plan_delta(g, arena, n);
    r->gate = gpu_arena_part(arena, times(n, width(s)), f);
    r->up = gpu_arena_part(arena, times(n, width(s)), f);
    plan_experts(g, arena, n);
    r->y = gpu_arena_part(arena, times(GPU_HEAD_ROWS, s->n_embd), f);
    r->place = gpu_arena_part(arena, GPU_HEAD_ROWS, sizeof *r->place);
    r->pick = gpu_arena_part(arena, (size_t)s->n_vocab, sizeof *r->pick);
    r->logits = gpu_arena_part(arena, times(GPU_HEAD_ROWS, s->n_vocab), f);
    gpu_matmul_plan(&r->act, arena, larger(n, GPU_HEAD_ROWS), widest(s));
    gpu_matmul_plan(&r->gated, arena, 1, widest(s));
    r->n_count = times(n, widest(s)) / 32 + 1;
    r->count = gpu_arena_part(arena, r->n_count, sizeof *r->count);
    r->sent = gpu_arena_part(
        arena, pass_bytes(n, g->base.n_run_max, g->rope.n_pair), 1);
}
