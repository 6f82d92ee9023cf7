/* k_gpu_experts.h - a mixture of experts (MODEL.md, "Feed-forward"): assignment
 * and summation. The products in between are those of all weights, by expert
 * (struct gpu_by_expert): an expert's weights are read once for all tokens of a
 * pass that chose it, and the host need not know their number.
 */

/* Turns a product into that of expert BLOCK_Z; 0: no token chose it. */
INSIDE int gpu_by_expert(struct gpu_product_args *a)
{
    if (!a->by.first) return 1;
    int e = BLOCK_Z;
    a->n = a->by.first[e + 1] - a->by.first[e];
    return a->n > 0;
}

/* Turns a product with several weights into that with this block's; the block's
 * number among its blocks of rows. */
INSIDE int gpu_block_of_part(struct gpu_product_args *a, int rows)
{
    int block = BLOCK_X;
    UNROLL for (int i = 0; i < GPU_PARTS - 1; i++)
    {
        int blocks = (a->n_row + rows - 1) / rows;
        if (block < blocks) continue;
        block -= blocks;
        a->w.raw = a->part[i].w.raw;
        a->w.pitch = a->part[i].w.pitch;
        a->w.scale = a->part[i].w.scale;
        a->n_row = a->y_stride = a->part[i].w.n_row;
        a->y = a->part[i].y;
    }
    return block;
}

/* Row of the weight for row r of the result. */
INSIDE int gpu_weight_row(const struct gpu_product_args *a, int r)
{
    if (a->pick) r = a->pick[r];
    return r + BLOCK_Z * a->by.stride + a->by.base;
}

INSIDE float gpu_expert_scale(const struct gpu_product_args *a)
{
    return a->by.scale ? a->by.scale[BLOCK_Z] : 1.0f;
}

/* Row of y, and of the activations, for row t of a product. */
INSIDE int gpu_row_out(const struct gpu_product_args *a, int t)
{
    return a->by.first ? a->by.out[a->by.first[BLOCK_Z] + t] : t;
}
INSIDE int gpu_row_in(const struct gpu_product_args *a, int t)
{
    return a->by.first ? a->by.in[a->by.first[BLOCK_Z] + t] : t;
}

/* Number (t, r) of a product. */
INSIDE void gpu_put(const struct gpu_product_args *a, int r, int t, float y)
{
    int64_t at = (int64_t)gpu_row_out(a, t) * a->y_stride + r;
    y *= gpu_expert_scale(a);
    a->y[at] = a->adds ? a->y[at] + y : y;
}

/* One warp per token. The best is chosen n_used times, the lower number first
 * among equals; a weight is its share of the softmax over all, normalised to a
 * sum of 1. */
KERNEL(gpu_route, gpu_route_args)
{
    SHARED float shared[GPU_WARPS][GPU_EXPERTS_MAX];
    int t = BLOCK_X * GPU_WARPS + WARP;
    if (t >= a.n) return;
    float *p = shared[WARP], most = -1e30f, all = 0, sum = 0;
    const float *logit = a.logit + (int64_t)t * a.n_expert;
    int32_t *choice = a.choice + (int64_t)t * a.n_used;
    float *weight = a.weight + (int64_t)t * a.n_used;
    for (int e = LANE; e < a.n_expert; e += GPU_WARP)
        most = logit[e] > most ? logit[e] : most;
    most = gpu_warp_max(most);
    for (int e = LANE; e < a.n_expert; e += GPU_WARP) {
        p[e] = gpu_exp(logit[e] - most);
        all += p[e];
    }
    all = gpu_warp_sum(all);
    WARP_BARRIER(); /* a shuffle orders no memory accesses */
    for (int k = 0; k < a.n_used; k++) {
        int best = LANE;
        float x = LANE < a.n_expert ? p[LANE] : -2.0f;
        for (int e = LANE + GPU_WARP; e < a.n_expert; e += GPU_WARP)
            if (p[e] > x) {
                x = p[e];
                best = e;
            }
        for (int w = GPU_WARP / 2; w; w /= 2) {
            float other = gpu_swap_float(x, w);
            int from = (int)gpu_swap((uint32_t)best, w);
            if (other > x || (other == x && from < best)) {
                x = other;
                best = from;
            }
        }
        WARP_BARRIER();
        if (LANE == 0) {
            int i = k;
            for (; i > 0 && choice[i - 1] > best; i--) {
                choice[i] = choice[i - 1];
                weight[i] = weight[i - 1];
            }
            choice[i] = best;
            weight[i] = x / all;
            sum += x / all;
            p[best] = -1.0f;
        }
        WARP_BARRIER();
    }
    if (LANE) return;
    if (!(sum > 6.103515625e-5f)) sum = 6.103515625e-5f; /* 2^-14 */
    for (int k = 0; k < a.n_used; k++)
        weight[k] /= sum;
}

/* A thread has EACH experts that are next to each other. Nobody is listed for a choice
 * that is no expert. */
KERNEL(gpu_group, gpu_group_args)
{
    enum { EACH = GPU_EXPERTS_MAX / GPU_THREADS };
    SHARED int32_t total[GPU_THREADS];
    int first = THREAD * EACH, n[EACH], at[EACH], from = 0;
    UNROLL for (int j = 0; j < EACH; j++) n[j] = 0;
    UNROLL_8 for (int i = 0; i < a.n_pair; i++)
    {
        int e = a.choice[i] - first;
        UNROLL for (int j = 0; j < EACH; j++) n[j] +=
            e == j && first + j < a.n_expert;
    }
    total[THREAD] = 0;
    UNROLL for (int j = 0; j < EACH; j++) total[THREAD] += n[j];
    BARRIER();
    UNROLL_8 for (int t = 0; t < THREAD; t++) from += total[t];
    UNROLL for (int j = 0; j < EACH; j++)
    {
        if (first + j < a.n_expert) a.first[first + j] = from;
        at[j] = from;
        from += n[j];
        if (first + j == a.n_expert - 1) a.first[a.n_expert] = from;
    }
    UNROLL_8 for (int i = 0; i < a.n_pair; i++)
    {
        int e = a.choice[i] - first;
        UNROLL for (int j = 0; j < EACH; j++)
        {
            if (e != j || first + j >= a.n_expert) continue;
            a.row[at[j]] = i;
            a.token[at[j]++] = i / a.n_used;
        }
    }
}

KERNEL(gpu_experts_join, gpu_join_args)
{
    int64_t t = BLOCK_X;
    const float *h = a.h + t * a.n_col, *weight = a.weight + t * a.n_used;
    float gate = 0;
    for (int i = THREAD; a.shared && i < a.n_col; i += GPU_THREADS)
        gate = gpu_fma(a.gate[i], h[i], gate);
    gate = gpu_sigmoid(gpu_block_sum(gate));
    for (int i = BLOCK_Y * GPU_THREADS + THREAD; i < a.n_col;
         i += a.n_part * GPU_THREADS) {
        float x = 0;
        for (int k = 0; k < a.n_used; k++)
            x = gpu_fma(a.y[(t * a.n_used + k) * a.n_col + i], weight[k], x);
        if (a.shared) x = gpu_fma(a.shared[t * a.n_col + i], gate, x);
        a.x[t * a.n_col + i] = a.adds ? a.x[t * a.n_col + i] + x : x;
    }
}
