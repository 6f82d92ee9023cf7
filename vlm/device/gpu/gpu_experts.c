/* gpu_experts.c - launches of a mixture of experts, in the order of
 * cpu/decode/ffn.c. The choice of experts is known on the device only, so a
 * token's launches can be recorded like any other's.
 */
#include "vlm/device/gpu/gpu_inside.h"

static int act_of(const struct weight *w)
{
    return quant_form(w->type).act;
}

static void choose_experts(struct gpu_device *g, const struct ffn_weights *w,
                           struct err *err)
{
    const struct shape *s = g->shape;
    const struct gpu_experts_buffers *e = &g->buffers.experts;
    struct gpu_route_args route = {e->logit,  e->choice,   e->weight,
                                   g->pass.n, s->n_expert, s->n_expert_used};
    struct gpu_group_args group = {e->choice,
                                   e->first,
                                   e->row,
                                   e->token,
                                   g->pass.n * s->n_expert_used,
                                   s->n_expert,
                                   s->n_expert_used};
    gpu_matmul_many(g->driver, &g->buffers.act,
                    (const struct weight *[]){&w->router}, 1, g->buffers.h,
                    g->pass.n, act_of(&w->router) == act_of(&w->gate_exps),
                    (float *[]){e->logit}, err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_route, &route,
                      gpu_blocks(g->pass.n, GPU_WARPS), 1, 1, err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_group, &group, 1, 1, 1, err);
}

static void shared_expert(struct gpu_device *g, const struct ffn_weights *w,
                          struct err *err)
{
    const struct gpu_buffers *r = &g->buffers;
    const struct weight *const in[] = {&w->gate, &w->up};
    float *const out[] = {r->gate, r->up};
    int n = g->pass.n;
    gpu_matmul_many(g->driver, &r->act, in, 2, r->h, n, false, out, err);
    gpu_matmul_gate(g->driver, &r->act, r->gate, r->up,
                    n * g->shape->n_ff_shared, &w->down, err);
    gpu_matmul_many(g->driver, &r->act, (const struct weight *[]){&w->down}, 1,
                    r->gate, n, true, (float *[]){r->experts.shared}, err);
}

static void routed_experts(struct gpu_device *g, const struct ffn_weights *w,
                           struct err *err)
{
    const struct shape *s = g->shape;
    const struct gpu_experts_buffers *e = &g->buffers.experts;
    const struct gpu_act *act = &g->buffers.act;
    int n = g->pass.n, used = s->n_expert_used, wide = s->n_ff_expert;
    /* the norm left bytes for gate_exps; the router may have left others */
    bool kept =
        !act_of(&w->router) || act_of(&w->router) == act_of(&w->gate_exps);
    bool same = act_of(&w->up_exps) == act_of(&w->gate_exps);
    struct gpu_by_expert gate = {e->first,      e->token,       e->row,
                                 w->gate_scale, w->exps_stride, 0};
    struct gpu_by_expert up = {e->first,    e->token,       e->row,
                               w->up_scale, w->exps_stride, w->up_first};
    struct gpu_by_expert down = {e->first,      e->row,    e->row,
                                 w->down_scale, s->n_embd, 0};
    gpu_matmul_experts(g->driver, act, &w->gate_exps, &gate, s->n_expert, wide,
                       g->buffers.h, kept ? 0 : n, n, e->gate, err);
    gpu_matmul_experts(g->driver, act, &w->up_exps, &up, s->n_expert, wide,
                       g->buffers.h, same ? 0 : n, n, e->up, err);
    gpu_matmul_gate(g->driver, act, e->gate, e->up, n * used * wide,
                    &w->down_exps, err);
    gpu_matmul_experts(g->driver, act, &w->down_exps, &down, s->n_expert,
                       s->n_embd, e->gate, 0, n, e->y, err);
}

void gpu_experts(struct gpu_device *g, int l, bool adds, struct err *err)
{
    const struct ffn_weights *w = &g->w.layer[l].ffn;
    const struct gpu_experts_buffers *e = &g->buffers.experts;
    bool shares = g->shape->n_ff_shared > 0;
    struct gpu_join_args join = {.y = e->y,
                                 .weight = e->weight,
                                 .shared = shares ? e->shared : NULL,
                                 .gate = w->shared_gate,
                                 .h = g->buffers.h,
                                 .x = adds ? g->buffers.x : g->buffers.h,
                                 .n_used = g->shape->n_expert_used,
                                 .n_col = g->shape->n_embd,
                                 .n_part = adds ? GPU_WARPS : 1,
                                 .adds = adds};
    choose_experts(g, w, err);
    routed_experts(g, w, err);
    if (shares) shared_expert(g, w, err);
    gpu_driver_launch(g->driver, GPU_KERNEL_gpu_experts_join, &join, g->pass.n,
                      join.n_part, 1, err);
}
