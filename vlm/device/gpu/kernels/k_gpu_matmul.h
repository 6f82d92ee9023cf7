/* k_gpu_matmul.h - products with one quantised type, and its embedding rows:
 * included once for each TYPE (gpu_kernels.h).
 *
 * The bits are those of tensor/kernels.h, in any batch: integer sums of a
 * sub-block, then one chain of multiply-adds over sub-blocks and one over
 * blocks of activations, in order.
 *
 * product: a block of threads computes 64 x 64 numbers, each warp 32 x 32, from
 * spans of 256 columns that are bytes in shared memory. A sub-block is one step
 * of the tensor cores; a thread's registers then have four numbers (gpu_mma32),
 * whose chains the thread continues.
 *
 * direct: a warp computes 4 rows of weights by up to 8 of activations (the next
 * 8 are another block's). Its lanes sum 32 columns each in shared memory; then
 * one lane per number goes through them in order.
 */
#define T(name)             GPU_PASTE(TYPE, name)
#define GPU_PASTE(a, b)     GPU_PASTE_NOW(a, b)
#define GPU_PASTE_NOW(a, b) a##b

enum {
    T(_subs) = GPU_SPAN / T(_SUB), /* sub-blocks of a span */
    T(_acts) = GPU_SPAN / T(_ACT),
    T(_words) = GPU_SPAN / 4 + 4, /* of a row of a tile: 4 avoid bank
                                   * conflicts */
    T(_steps) = 1024 / T(_SUB)    /* sub-blocks of a step of direct */
};

/* The block of value k of row r; k becomes the index inside it. */
INSIDE const uint8_t *T(_block)(const struct gpu_matrix *w, int r, int k)
{
    return w->raw + r * w->pitch + k / T(_BLOCK) * T(_BYTES);
}

/* Sum of the activations for sub-block s (of the row). */
INSIDE float T(_act_sum)(const int *sum, int s)
{
    if (T(_SUB) == 16) return (float)sum[s];
    return (float)(sum[2 * s] + sum[2 * s + 1]);
}

struct T(_tile) {
    uint32_t w[GPU_TILE][T(_words)], x[GPU_TILE][T(_words)];
    float scale[GPU_TILE][T(_subs)];
    float d[GPU_TILE][T(_acts)];
    float min[T(_HAS_MIN) ? GPU_TILE : 1][T(_subs)];
    float sum[T(_HAS_MIN) ? GPU_TILE : 1][T(_subs)];
};

/* Rows of weights and of activations for row `row` of a tile; after the last,
 * the last again. */
INSIDE int T(_row)(const struct gpu_product_args *a, int r)
{
    return gpu_weight_row(a, r < a->n_row ? r : a->n_row - 1);
}
INSIDE int T(_token)(const struct gpu_product_args *a, int t)
{
    return gpu_row_in(a, t < a->n ? t : a->n - 1);
}

/* Columns k0 .. k0 + n_k - 1 of rows r0 .. of weights, t0 .. of activations: a
 * thread has the same four columns of every second row, eight rows at a
 * time. */
INSIDE void T(_fill_words)(struct T(_tile) * s,
                           const struct gpu_product_args *a, int r0, int t0,
                           int k0, int n_k)
{
    int k = THREAD % (GPU_SPAN / 4) * 4;
    for (int from = THREAD / (GPU_SPAN / 4); from < GPU_TILE && k < n_k;
         from += 16) {
        uint32_t w[8], x[8];
        UNROLL for (int j = 0; j < 8; j++)
        {
            int r = T(_row)(a, r0 + from + 2 * j);
            int64_t t = T(_token)(a, t0 + from + 2 * j);
            w[j] = T(_word)(T(_block)(&a->w, r, k0 + k), (k0 + k) % T(_BLOCK));
            x[j] = *(const uint32_t *)(const void *)(a->q + t * a->w.n_col +
                                                     k0 + k);
        }
        UNROLL for (int j = 0; j < 8; j++)
        {
            s->w[from + 2 * j][k / 4] = w[j];
            s->x[from + 2 * j][k / 4] = x[j];
        }
    }
}

/* Their scales: a thread has the same sub-block of several rows. */
INSIDE void T(_fill)(struct T(_tile) * s, const struct gpu_product_args *a,
                     int r0, int t0, int k0, int n_k)
{
    int sub = THREAD % T(_subs), k = k0 + sub * T(_SUB);
    T(_fill_words)(s, a, r0, t0, k0, n_k);
    if (sub * T(_SUB) >= n_k) return;
    UNROLL for (int j = 0; j < GPU_TILE * T(_subs) / GPU_THREADS; j++)
    {
        int row = THREAD / T(_subs) + j * (GPU_THREADS / T(_subs));
        int64_t t = T(_token)(a, t0 + row);
        const uint8_t *block = T(_block)(&a->w, T(_row)(a, r0 + row), k);
        int in = k % T(_BLOCK) / T(_SUB);
        s->scale[row][sub] = T(_scale)(block, in);
        if (k % T(_ACT) == 0)
            s->d[row][sub * T(_SUB) / T(_ACT)] =
                a->d[t * (a->w.n_col / T(_ACT)) + k / T(_ACT)];
        if (!T(_HAS_MIN)) continue;
        s->min[row][sub] = T(_min)(block, in);
        s->sum[row][sub] =
            T(_act_sum)(a->sum + t * (a->w.n_col / 16), k / T(_SUB));
    }
}

/* Sub-block `sub` of the span, of tile (i, j) of the warp at (t, r): into the
 * four parts of this lane. */
INSIDE void T(_sub)(const struct T(_tile) * s, int t, int r, int sub,
                    const uint32_t *x, float *part)
{
    int sum[4] = {0, 0, 0, 0}, lane = LANE, k = sub * (T(_SUB) / 4) + lane % 4;
    uint32_t w[2];
    w[0] = s->w[r + lane / 4][k];
    if (T(_SUB) == 32) w[1] = s->w[r + lane / 4][k + 4];
    if (T(_SUB) == 32)
        gpu_mma32(sum, x, w);
    else
        gpu_mma16(sum, x, w);
    UNROLL for (int i = 0; i < 4; i++)
    {
        int row = r + lane % 4 * 2 + i % 2, at = t + lane / 4 + i / 2 * 8;
        part[i] = gpu_fma(s->scale[row][sub], (float)sum[i], part[i]);
        if (T(_HAS_MIN))
            part[i] = gpu_fma(s->min[row][sub], s->sum[at][sub], part[i]);
    }
}

/* A block of activations: sub-blocks first .. of the span, then their scale. */
INSIDE void T(_act)(const struct T(_tile) * s, int t, int r, int act,
                    float y[2][4][4])
{
    float part[2][4][4];
    UNROLL for (int i = 0; i < 32; i++) part[i / 16][i / 4 % 4][i % 4] = 0;
    for (int b = 0; b < T(_ACT) / T(_SUB); b++) {
        int sub = act * (T(_ACT) / T(_SUB)) + b;
        int k = sub * (T(_SUB) / 4) + LANE % 4;
        UNROLL for (int i = 0; i < 2; i++)
        {
            int at = t + 16 * i + LANE / 4;
            uint32_t x[4];
            x[0] = s->x[at][k];
            x[1] = s->x[at + 8][k];
            if (T(_SUB) == 32) x[2] = s->x[at][k + 4];
            if (T(_SUB) == 32) x[3] = s->x[at + 8][k + 4];
            UNROLL for (int j = 0; j < 4; j++)
                T(_sub)(s, t + 16 * i, r + 8 * j, sub, x, part[i][j]);
        }
    }
    UNROLL for (int i = 0; i < 32; i++)
    {
        float d = s->d[t + i / 16 * 16 + LANE / 4 + i % 4 / 2 * 8][act];
        float *out = &y[i / 16][i / 4 % 4][i % 4];
        *out = gpu_fma(d, part[i / 16][i / 4 % 4][i % 4], *out);
    }
}

KERNEL(GPU_PASTE(gpu_product_, TYPE), gpu_product_args)
{
    SHARED struct T(_tile) s;
    int r0 = BLOCK_X * GPU_TILE, t0 = BLOCK_Y * GPU_TILE;
    int t = WARP / 2 * 32, r = WARP % 2 * 32;
    float y[2][4][4];
    if (!gpu_by_expert(&a) || t0 >= a.n) return;
    UNROLL for (int i = 0; i < 32; i++) y[i / 16][i / 4 % 4][i % 4] = 0;
    for (int k0 = 0; k0 < a.w.n_col; k0 += GPU_SPAN) {
        int n_k = a.w.n_col - k0 < GPU_SPAN ? a.w.n_col - k0 : GPU_SPAN;
        BARRIER();
        T(_fill)(&s, &a, r0, t0, k0, n_k);
        BARRIER();
        for (int act = 0; act * T(_ACT) < n_k; act++)
            T(_act)(&s, t, r, act, y);
    }
    UNROLL for (int i = 0; i < 32; i++)
    {
        int at = t0 + t + i / 16 * 16 + LANE / 4 + i % 4 / 2 * 8;
        int row = r0 + r + i / 4 % 4 * 8 + LANE % 4 * 2 + i % 2;
        float v = y[i / 16][i / 4 % 4][i % 4];
        if (a.w.scale != 1.0f) v *= a.w.scale;
        if (at < a.n && row < a.n_row)
            a.y[(int64_t)gpu_row_out(&a, at) * a.y_stride + row] =
                v * gpu_expert_scale(&a);
    }
}

struct T(_sums) { /* of a warp; 1 avoids bank conflicts */
    int sum[4][GPU_DIRECT_MAX][T(_steps) + 1];
    int in[GPU_DIRECT_MAX]; /* rows of the activations */
    float scale[4][T(_steps) + 1], min[4][T(_HAS_MIN) ? T(_steps) + 1 : 1];
    float d[GPU_DIRECT_MAX][1024 / T(_ACT) + 1];
};

/* The lane's 32 columns, from k on, of rows r0 .. r0 + 3. */
INSIDE void T(_load_rows)(const struct gpu_product_args *a, int r0, int k,
                          uint32_t w[4][8])
{
    UNROLL for (int j = 0; j < 4; j++)
    {
        const uint8_t *block = T(_block)(&a->w, T(_row)(a, r0 + j), k);
        UNROLL for (int i = 0; i < 8; i++) w[j][i] =
            T(_word)(block, k % T(_BLOCK) + 4 * i);
    }
}

/* Scales of the rows, and those of n activations. */
INSIDE void T(_load_scales)(struct T(_sums) * s,
                            const struct gpu_product_args *a, int r0, int n,
                            int k)
{
    UNROLL for (int j = 0; j < 4; j++)
    {
        const uint8_t *block = T(_block)(&a->w, T(_row)(a, r0 + j), k);
        UNROLL for (int i = 0; i < 32 / T(_SUB); i++)
        {
            int at = LANE * (32 / T(_SUB)) + i;
            int in = k % T(_BLOCK) / T(_SUB) + i;
            s->scale[j][at] = T(_scale)(block, in);
            if (T(_HAS_MIN)) s->min[j][at] = T(_min)(block, in);
        }
    }
    for (int t = 0; t < n && k % T(_ACT) == 0; t++)
        s->d[t][LANE * 32 / T(_ACT)] =
            a->d[(int64_t)s->in[t] * (a->w.n_col / T(_ACT)) + k / T(_ACT)];
}

/* The integer sums of the rows with n rows of activations: w are words
 * i * T_SUB / 4 .. of each sub-block. */
INSIDE void T(_sum_rows)(struct T(_sums) * s, const struct gpu_product_args *a,
                         int n, int k, uint32_t w[4][8])
{
    for (int t = 0; t < n; t++) {
        uint32_t x[8];
        const uint32_t *from = (const uint32_t *)__builtin_assume_aligned(
            a->q + (int64_t)s->in[t] * a->w.n_col + k, 16);
        UNROLL for (int i = 0; i < 8; i++) x[i] = from[i];
        UNROLL for (int j = 0; j < 4; j++)
        {
            int sum[2] = {0, 0};
            UNROLL for (int i = 0; i < 8; i++) sum[i * 4 / T(_SUB)] =
                gpu_dot4(w[j][i], x[i], sum[i * 4 / T(_SUB)]);
            UNROLL for (int i = 0; i < 32 / T(_SUB); i++)
                s->sum[j][t][LANE * (32 / T(_SUB)) + i] = sum[i];
        }
    }
}

/* Number (row j, t): continues over the n_k columns from k0 on. */
INSIDE float T(_chain)(const struct T(_sums) * s,
                       const struct gpu_product_args *a, int j, int t, int k0,
                       int n_k, float y)
{
    const int *sum = a->sum + (int64_t)s->in[t] * (a->w.n_col / 16);
#if T(_ACT) == 32
    UNROLL_8
#endif
    for (int act = 0; act < n_k / T(_ACT); act++) {
        float part = 0;
        UNROLL for (int b = 0; b < T(_ACT) / T(_SUB); b++)
        {
            int i = act * (T(_ACT) / T(_SUB)) + b;
            part = gpu_fma(s->scale[j][i], (float)s->sum[j][t][i], part);
            if (T(_HAS_MIN))
                part = gpu_fma(s->min[j][i], T(_act_sum)(sum, k0 / T(_SUB) + i),
                               part);
        }
        y = gpu_fma(s->d[t][act], part, y);
    }
    return y;
}

/* The weights of the next step are loaded while sums are joined. */
KERNEL_OF(GPU_PASTE(gpu_direct_, TYPE), gpu_product_args, T(_SUB) == 16 ? 2 : 4)
{
    SHARED struct T(_sums) shared[GPU_WARPS];
    struct T(_sums) *s = &shared[WARP];
    int r0 = BLOCK_X * GPU_DIRECT_ROWS + WARP * 4, lane = LANE;
    int j = lane % 4, t = lane / 4; /* this lane's number */
    int t0 = BLOCK_Y * GPU_DIRECT_MAX, k = lane * 32, n_col = a.w.n_col;
    uint32_t w[4][8];
    float y = 0;
    if (!gpu_by_expert(&a) || t0 >= a.n) return;
    int n = a.n - t0 < GPU_DIRECT_MAX ? a.n - t0 : GPU_DIRECT_MAX;
    if (lane < n) s->in[lane] = gpu_row_in(&a, t0 + lane);
    if (k < n_col) T(_load_rows)(&a, r0, k, w);
    WARP_BARRIER();
    for (int k0 = 0; k0 < n_col; k0 += 1024) {
        if (k0 + k < n_col) {
            T(_load_scales)(s, &a, r0, n, k0 + k);
            T(_sum_rows)(s, &a, n, k0 + k, w);
        }
        WARP_BARRIER();
        if (k0 + 1024 + k < n_col) T(_load_rows)(&a, r0, k0 + 1024 + k, w);
        int n_k = n_col - k0 < 1024 ? n_col - k0 : 1024;
        if (t < n) y = T(_chain)(s, &a, j, t, k0, n_k, y);
        WARP_BARRIER();
    }
    if (a.w.scale != 1.0f) y *= a.w.scale;
    if (t < n && r0 + j < a.n_row)
        a.y[(int64_t)gpu_row_out(&a, t0 + t) * a.y_stride + r0 + j] =
            y * gpu_expert_scale(&a);
}

/* A thread processes every 512th group of four. */
KERNEL(GPU_PASTE(gpu_embed_, TYPE), gpu_embed_args)
{
    float *x = a.x + (int64_t)a.at[BLOCK_X] * a.w.n_col;
    for (int k = 4 * THREAD; k < a.w.n_col; k += 4 * GPU_THREADS) {
        const uint8_t *block = T(_block)(&a.w, a.token[BLOCK_X], k);
        int e = k % T(_BLOCK);
        uint32_t word = T(_word)(block, e);
        for (int i = 0; i < 4; i++) {
            float y =
                T(_scale)(block, e / T(_SUB)) * (float)(int8_t)(word >> 8 * i);
            if (T(_HAS_MIN)) y += T(_min)(block, e / T(_SUB));
            x[k + i] = a.w.scale == 1.0f ? y : y * a.w.scale;
        }
    }
}

#undef T
#undef GPU_PASTE
#undef GPU_PASTE_NOW
#undef TYPE
