/* k_gpu_rows.h - kernels over rows: norm, rounding to bytes, sums, gates. */

/* 127 / m and d = m / 127, as round_scale of tensor/kernels.h. */
INSIDE float gpu_round_scale(uint32_t most_bits, float *d)
{
    float most = gpu_float(most_bits);
    *d = most / 127.0f;
    if (most_bits >= 0x7f800000u) {
        *d = gpu_float(0x7fc00000u);
        return 0.0f;
    }
    if (most >= gpu_float(0x03800000u)) return 127.0f / most; /* 2^-120 */
    *d = 0.0f;
    return 0.0f;
}

enum { GPU_EACH = 8 }; /* numbers of a thread that are loaded together */

/* Block number `block` of `act` values to bytes, by a warp: each lane has every
 * 32nd. */
INSIDE void gpu_round_block(struct gpu_bytes to, const float *x, int64_t block)
{
    int8_t *q = to.q + block * to.act;
    int *sum = to.sum + block * (to.act / 16);
    float v[GPU_EACH];
    uint32_t most = 0;
    UNROLL for (int j = 0; j < GPU_EACH; j++)
    {
        int i = LANE + j * GPU_WARP;
        v[j] = x[i < to.act ? i : LANE];
        uint32_t bits = gpu_bits(v[j]) & 0x7fffffffu;
        most = bits > most ? bits : most;
    }
    for (int w = GPU_WARP / 2; w; w /= 2) {
        uint32_t other = gpu_swap(most, w);
        most = other > most ? other : most;
    }
    float d, inverse = gpu_round_scale(most, &d);
    if (LANE == 0) to.d[block] = d;
    UNROLL for (int j = 0; j < GPU_EACH; j++)
    {
        int i = LANE + j * GPU_WARP;
        if (i >= to.act) continue;
        /* the constant makes the addition round to nearest even; if the scale
         * is not finite, the bytes do not matter, but are equal on every
         * device */
        int8_t byte = (int8_t)gpu_bits(v[j] * inverse + 12582912.0f);
        if (most >= 0x7f800000u) byte = 0;
        int part = byte;
        q[i] = byte;
        for (int w = 8; w; w /= 2)
            part += (int)gpu_swap((uint32_t)part, w);
        if (LANE % 16 == 0) sum[i / 16] = part;
    }
}

/* The n numbers of x from number `at` on, which the block has written: whole blocks
 * of bytes, by the block. */
INSIDE void gpu_round_part(struct gpu_bytes to, const float *x, int64_t at,
                           int n)
{
    if (!to.act) return;
    BARRIER();
    for (int b = WARP; b * to.act < n; b += GPU_WARPS)
        gpu_round_block(to, x + at + b * to.act, at / to.act + b);
}

/* y = the norm of x, by the block. */
INSIDE void gpu_norm_row(const struct gpu_norm_args *a, const float *x,
                         float *y)
{
    float sum = 0;
    UNROLL_8 for (int i = THREAD; i < a->n_col; i += GPU_THREADS) sum =
        gpu_fma(x[i], x[i], sum);
    sum = gpu_block_sum(sum);
    float scale = 1.0f / gpu_sqrt(sum / (float)a->n_col + a->eps);
    for (int at = THREAD; at < a->n_col; at += GPU_EACH * GPU_THREADS) {
        float v[GPU_EACH];
        UNROLL for (int j = 0; j < GPU_EACH; j++)
        {
            int i = at + j * GPU_THREADS;
            if (i >= a->n_col) i = at;
            v[j] = x[i] * scale * a->w[i];
        }
        UNROLL for (int j = 0; j < GPU_EACH; j++)
        {
            int i = at + j * GPU_THREADS;
            if (i < a->n_col) y[i] = v[j];
        }
    }
}

KERNEL(gpu_norm, gpu_norm_args)
{
    int64_t first = (int64_t)BLOCK_X * a.n_col;
    gpu_norm_row(&a, a.row ? a.row[BLOCK_X] : a.x + first, a.y + first);
    gpu_round_part(a.to, a.y, first, a.n_col);
}

KERNEL(gpu_round, gpu_round_args)
{
    int64_t block = BLOCK_X * GPU_WARPS + WARP;
    if (block < a.n_block) gpu_round_block(a.to, a.x + block * a.to.act, block);
}

KERNEL(gpu_add, gpu_pair_args)
{
    int i = BLOCK_X * GPU_THREADS + THREAD;
    if (i < a.n) a.x[i] += a.y[i];
}

/* A warp has the numbers of a block of bytes, or 32. */
KERNEL(gpu_silu_mul, gpu_pair_args)
{
    int each = a.to.act ? a.to.act : GPU_WARP;
    int64_t block = BLOCK_X * GPU_WARPS + WARP, at = block * each;
    int64_t own = at + LANE;
    float x[GPU_EACH], y[GPU_EACH];
    UNROLL for (int j = 0; j < GPU_EACH; j++)
    {
        int64_t i = own + j * GPU_WARP;
        if (j * GPU_WARP >= each || i >= a.n) i = own;
        x[j] = own < a.n ? a.x[i] : 0.0f;
        y[j] = own < a.n ? a.y[i] : 0.0f;
    }
    UNROLL for (int j = 0; j < GPU_EACH; j++)
    {
        int64_t i = own + j * GPU_WARP;
        if (j * GPU_WARP < each && i < a.n)
            a.x[i] = x[j] * gpu_sigmoid(x[j]) * y[j];
    }
    if (a.to.act && at < a.n) gpu_round_block(a.to, a.x + at, block);
}

/* The end of a block that computed rows from `row` on of a weight. */
INSIDE void gpu_finish(const struct gpu_after *f, int row)
{
    if (!f->count) return;
    const struct gpu_pair_args *gate = &f->gate;
    struct gpu_bytes to = f->norm.w ? f->norm.to : gate->to;
    const float *y = f->norm.w ? f->norm.y : gate->x;
    int block = f->norm.w ? 0 : row / to.act;
    int n = f->norm.w ? f->norm.n_col : to.act, at = block * n;
    if (!gpu_is_last(f->count + block, f->n)) return;
    if (f->norm.w) gpu_norm_row(&f->norm, f->norm.x, f->norm.y);
    for (int i = at + THREAD; i < at + n && !f->norm.w; i += GPU_THREADS)
        gate->x[i] = gate->x[i] * gpu_sigmoid(gate->x[i]) * gate->y[i];
    gpu_round_part(to, y, at, n);
}

KERNEL(gpu_take_rows, gpu_take_args)
{
    const float *from = a.from[BLOCK_X];
    if (!from) return;
    for (int i = THREAD; i < a.n_col; i += GPU_THREADS)
        a.x[(int64_t)BLOCK_X * a.n_col + i] = from[i];
}

KERNEL(gpu_keep_rows, gpu_keep_args)
{
    const struct gpu_run *run = &a.run[BLOCK_X];
    const float *x = a.x + (int64_t)(run->first + run->n - 1) * a.n_col;
    float *last = (float *)(void *)(run->state + a.last);
    for (int i = THREAD; i < a.n_col; i += GPU_THREADS)
        last[i] = x[i];
}
