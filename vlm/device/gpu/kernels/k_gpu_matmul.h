/* k_gpu_matmul.h - products with one quantised type, and its embedding rows:
 * included once for each TYPE (gpu_kernels.h).
 *
 * The bits are those of tensor/kernels.h, in any batch: integer sums of a
 * sub-block, then one chain of multiply-adds over sub-blocks and one over
 * blocks of activations, in order.
 *
 * product: for many activations, a family (GPU_PRODUCTS). A block of threads
 * computes a tile of 64 rows of weights by 16 to 64 of activations, from spans of
 * 256 columns that are bytes in shared memory. A sub-block is one step
 * of the tensor cores; a thread's registers then have four numbers (gpu_mma32),
 * whose chains the thread continues.
 *
 * direct: for few activations, a family (GPU_DIRECTS). A team of one or four
 * warps has some rows of weights; its threads sum pieces of 32 columns each into
 * shared memory, others join those of a block of activations, then one thread
 * per number goes through these parts in order.
 */
#define T(name)             GPU_PASTE(TYPE, name)
#define GPU_PASTE(a, b)     GPU_PASTE_NOW(a, b)
#define GPU_PASTE_NOW(a, b) a##b

enum {
    T(_subs) = GPU_SPAN / T(_SUB), /* sub-blocks of a span */
    T(_acts) = GPU_SPAN / T(_ACT),
    T(_words) = GPU_SPAN / 4 + 4,            /* of a row of a tile: 4 avoid bank
                                   * conflicts */
    T(_CELL) = T(_ACT) == 32 ? 32 : T(_SUB), /* columns of a sum of direct */
    T(_ALIGN) = T(_BYTES) % 16 == 0  ? 16
                : T(_BYTES) % 4 == 0 ? 4
                                     : 1 /* of a block */
};

/* The block of value k of row r; k becomes the index inside it. */
INSIDE const uint8_t *T(_block)(const struct gpu_matrix *w, int r, int k)
{
    return (const uint8_t *)__builtin_assume_aligned(
        w->raw + r * w->pitch + k / T(_BLOCK) * T(_BYTES), T(_ALIGN));
}

/* Sum of the activations for sub-block s (of the row). */
INSIDE float T(_act_sum)(const int *sum, int s)
{
    if (T(_SUB) == 16) return (float)sum[s];
    return (float)(sum[2 * s] + sum[2 * s + 1]);
}

struct T(_tile) {
    int tokens; /* of GPU_PRODUCTS; GPU_TILE rows of weights */
    uint32_t (*w)[T(_words)], (*x)[T(_words)]; /* [GPU_TILE], [tokens] */
    float (*scale)[T(_subs)];                  /* [GPU_TILE] */
    float (*d)[T(_acts)];                      /* [tokens] */
    float (*min)[T(_subs)], (*sum)[T(_subs)];  /* [GPU_TILE], [tokens] */
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
INSIDE void T(_fill_words)(struct T(_tile) s, const struct gpu_product_args *a,
                           int r0, int t0, int k0, int n_k)
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
            if (from < s.tokens)
                x[j] = *(const uint32_t *)(const void *)(a->q + t * a->w.n_col +
                                                         k0 + k);
        }
        UNROLL for (int j = 0; j < 8; j++)
        {
            s.w[from + 2 * j][k / 4] = w[j];
            if (from < s.tokens) s.x[from + 2 * j][k / 4] = x[j];
        }
    }
}

/* Their scales: a thread has the same sub-block of several rows. */
INSIDE void T(_fill)(struct T(_tile) s, const struct gpu_product_args *a,
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
        s.scale[row][sub] = T(_scale)(block, in);
        if (T(_HAS_MIN)) s.min[row][sub] = T(_min)(block, in);
        if (row >= s.tokens) continue;
        if (k % T(_ACT) == 0)
            s.d[row][sub * T(_SUB) / T(_ACT)] =
                a->d[t * (a->w.n_col / T(_ACT)) + k / T(_ACT)];
        if (T(_HAS_MIN))
            s.sum[row][sub] =
                T(_act_sum)(a->sum + t * (a->w.n_col / 16), k / T(_SUB));
    }
}

/* Sub-block `sub` of the span, of tile (i, j) of the warp at (t, r): into the
 * four parts of this lane. */
INSIDE void T(_sub)(struct T(_tile) s, int t, int r, int sub, const uint32_t *x,
                    float *part)
{
    int sum[4] = {0, 0, 0, 0}, lane = LANE, k = sub * (T(_SUB) / 4) + lane % 4;
    uint32_t w[2];
    w[0] = s.w[r + lane / 4][k];
    if (T(_SUB) == 32) w[1] = s.w[r + lane / 4][k + 4];
    if (T(_SUB) == 32)
        gpu_mma32(sum, x, w);
    else
        gpu_mma16(sum, x, w);
    UNROLL for (int i = 0; i < 4; i++)
    {
        int row = r + lane % 4 * 2 + i % 2, at = t + lane / 4 + i / 2 * 8;
        part[i] = gpu_fma(s.scale[row][sub], (float)sum[i], part[i]);
        if (T(_HAS_MIN))
            part[i] = gpu_fma(s.min[row][sub], s.sum[at][sub], part[i]);
    }
}

/* A block of activations: sub-blocks first .. of the span, then their scale; of
 * n_t by n_r tiles of 16 by 8, at most 2 by 4. */
INSIDE void T(_act)(struct T(_tile) s, int t, int n_t, int r, int n_r, int act,
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
            if (i >= n_t) continue;
            x[0] = s.x[at][k];
            x[1] = s.x[at + 8][k];
            if (T(_SUB) == 32) x[2] = s.x[at][k + 4];
            if (T(_SUB) == 32) x[3] = s.x[at + 8][k + 4];
            UNROLL for (int j = 0; j < 4; j++) if (j < n_r)
                T(_sub)(s, t + 16 * i, r + 8 * j, sub, x, part[i][j]);
        }
    }
    UNROLL for (int i = 0; i < 32; i++)
    {
        if (i / 16 >= n_t || i / 4 % 4 >= n_r) continue;
        float d = s.d[t + i / 16 * 16 + LANE / 4 + i % 4 / 2 * 8][act];
        float *out = &y[i / 16][i / 4 % 4][i % 4];
        *out = gpu_fma(d, part[i / 16][i / 4 % 4][i % 4], *out);
    }
}

/* Number (t, r) of the result. */
INSIDE void T(_put)(const struct gpu_product_args *a, int r, int t, float y)
{
    if (a->w.scale != 1.0f) y *= a->w.scale;
    if (r < a->n_row) gpu_put(a, r, t, y);
}

/* A warp has 32 by 32 numbers of a tile of 64 activations; of a smaller one 16
 * rows of weights. */
INSIDE void T(_tiles)(struct T(_tile) s, struct gpu_product_args *a)
{
    int quarter = s.tokens == GPU_TILE, n_t = quarter ? 2 : s.tokens / 16;
    int n_r = quarter ? 4 : 2;
    int r0 = gpu_block_of_part(a, GPU_TILE) * GPU_TILE, t0 = BLOCK_Y * s.tokens;
    int t = quarter ? WARP / 2 * 32 : 0,
        r = quarter ? WARP % 2 * 32 : WARP * 16;
    float y[2][4][4];
    if (!gpu_by_expert(a) || t0 >= a->n) return;
    UNROLL for (int i = 0; i < 32; i++) y[i / 16][i / 4 % 4][i % 4] = 0;
    for (int k0 = 0; k0 < a->w.n_col; k0 += GPU_SPAN) {
        int n_k = a->w.n_col - k0 < GPU_SPAN ? a->w.n_col - k0 : GPU_SPAN;
        BARRIER();
        T(_fill)(s, a, r0, t0, k0, n_k);
        BARRIER();
        for (int act = 0; act * T(_ACT) < n_k; act++)
            T(_act)(s, t, n_t, r, n_r, act, y);
    }
    UNROLL for (int i = 0; i < 32; i++)
    {
        int at = t0 + t + i / 16 * 16 + LANE / 4 + i % 4 / 2 * 8;
        int row = r0 + r + i / 4 % 4 * 8 + LANE % 4 * 2 + i % 2;
        if (i / 16 < n_t && i / 4 % 4 < n_r && at < a->n)
            T(_put)(a, row, at, y[i / 16][i / 4 % 4][i % 4]);
    }
}

#define GPU_PRODUCT_KERNEL(type, X, name, n)                     \
    KERNEL(GPU_PASTE(GPU_PASTE(gpu_product_, type), _##name),    \
           gpu_product_args)                                     \
    {                                                            \
        SHARED uint32_t w[GPU_TILE][T(_words)], x[n][T(_words)]; \
        SHARED float scale[GPU_TILE][T(_subs)], d[n][T(_acts)];  \
        SHARED float min[T(_HAS_MIN) ? GPU_TILE : 1][T(_subs)];  \
        SHARED float sum[T(_HAS_MIN) ? n : 1][T(_subs)];         \
        struct T(_tile) s = {n, w, x, scale, d, min, sum};       \
        T(_tiles)(s, &a);                                        \
    }
GPU_PRODUCTS(GPU_PRODUCT_KERNEL, TYPE, 0)
#undef GPU_PRODUCT_KERNEL

/* A team of `warps` warps computes rows * warps / 4 rows of a block's. */
struct T(_direct) {
    int rows, tokens, warps, span; /* of GPU_DIRECTS */
    uint32_t *cell;                /* [rows][tokens][pitch]: sums, then parts */
    float *scale, *min;            /* [rows][pitch] */
};

INSIDE int T(_pitch)(struct T(_direct) d)
{
    return d.span / T(_CELL) + 1; /* 1 avoids bank conflicts */
}

/* The barrier of a team. */
INSIDE void T(_meet)(struct T(_direct) d)
{
    if (d.warps == 1)
        WARP_BARRIER();
    else
        BARRIER();
}

/* Pieces of 32 columns: those of a team's rows lie behind each other, and a
 * thread has every so manieth. */
struct T(_piece) {
    int row, at, per, step_row, step;
};

INSIDE struct T(_piece) T(_first_piece)(struct T(_direct) d, int n_k)
{
    int per = n_k / 32, team = d.warps * GPU_WARP, i = THREAD % team;
    struct T(_piece) p = {i / per, i % per, per, team / per, team % per};
    return p;
}

INSIDE struct T(_piece) T(_next_piece)(struct T(_piece) p)
{
    p.row += p.step_row;
    p.at += p.step;
    if (p.at >= p.per) {
        p.at -= p.per;
        p.row++;
    }
    return p;
}

/* The thread's pieces of the n_k columns from k0 on, rows r0 .. of weights. */
INSIDE void T(_load)(struct T(_direct) d, const struct gpu_product_args *a,
                     int r0, int k0, int n_k, uint32_t w[][8])
{
    struct T(_piece) p = T(_first_piece)(d, n_k);
    UNROLL for (int i = 0; i < d.rows * d.span / 4096; i++)
    {
        int k = k0 + 32 * p.at;
        if (p.row < d.rows * d.warps / 4) {
            const uint8_t *block = T(_block)(&a->w, T(_row)(a, r0 + p.row), k);
            UNROLL for (int j = 0; j < 8; j++) w[i][j] =
                T(_word)(block, k % T(_BLOCK) + 4 * j);
        }
        p = T(_next_piece)(p);
    }
}

/* The integer sums of a piece with row t of the activations. */
INSIDE void T(_sum_piece)(const struct gpu_product_args *a, int64_t t, int k,
                          const uint32_t w[8], int sum[2])
{
    const uint32_t *x = (const uint32_t *)__builtin_assume_aligned(
        a->q + t * a->w.n_col + k, 16);
    UNROLL for (int j = 0; j < 8; j++) sum[j * 4 / T(_SUB)] =
        gpu_dot4(w[j], x[j], sum[j * 4 / T(_SUB)]);
}

/* Where a scale of the activations belongs to 32 columns, a piece is a part. */
INSIDE float T(_part)(const struct gpu_product_args *a, int64_t t, int k,
                      const float scale[2], const float min[2],
                      const int sum[2])
{
    float part = 0;
    UNROLL for (int i = 0; i < 32 / T(_SUB); i++)
    {
        part = gpu_fma(scale[i], (float)sum[i], part);
        if (T(_HAS_MIN))
            part = gpu_fma(
                min[i],
                T(_act_sum)(a->sum + t * (a->w.n_col / 16), k / T(_SUB) + i),
                part);
    }
    return part;
}

/* A piece: its scales, and its sums with n rows of activations. */
INSIDE void T(_do_piece)(struct T(_direct) d, const struct gpu_product_args *a,
                         int row, int r, int at, int k, int t0, int n,
                         const uint32_t w[8])
{
    const uint8_t *block = T(_block)(&a->w, T(_row)(a, r), k);
    int in = k % T(_BLOCK) / T(_SUB), pitch = T(_pitch)(d);
    float scale[2], min[2];
    UNROLL for (int i = 0; i < 32 / T(_SUB); i++)
    {
        scale[i] = T(_scale)(block, in + i);
        min[i] = T(_HAS_MIN) ? T(_min)(block, in + i) : 0.0f;
        if (T(_ACT) == 32) continue;
        d.scale[row * pitch + at * (32 / T(_SUB)) + i] = scale[i];
        if (T(_HAS_MIN)) d.min[row * pitch + at * (32 / T(_SUB)) + i] = min[i];
    }
    for (int t = 0; t < n; t++) {
        int sum[2] = {0, 0};
        int64_t in_row = gpu_row_in(a, t0 + t);
        uint32_t *cell = d.cell + (row * d.tokens + t) * pitch;
        T(_sum_piece)(a, in_row, k, w, sum);
        if (T(_ACT) == 32)
            cell[at] = gpu_bits(T(_part)(a, in_row, k, scale, min, sum));
        else
            UNROLL for (int i = 0; i < 32 / T(_SUB); i++)
                cell[at * (32 / T(_SUB)) + i] = (uint32_t)sum[i];
    }
}

INSIDE void T(_do_pieces)(struct T(_direct) d, const struct gpu_product_args *a,
                          int own, int r0, int k0, int n_k, int t0, int n,
                          uint32_t w[][8])
{
    struct T(_piece) p = T(_first_piece)(d, n_k);
    UNROLL for (int i = 0; i < d.rows * d.span / 4096; i++)
    {
        if (p.row < d.rows * d.warps / 4) T(_do_piece)
        (d, a, own + p.row, r0 + p.row, p.at, k0 + 32 * p.at, t0, n, w[i]);
        p = T(_next_piece)(p);
    }
}

/* A block of activations: the chain over its sums, whose first makes room for
 * the part. */
INSIDE void T(_do_act)(struct T(_direct) d, const struct gpu_product_args *a,
                       int row, int t, int t0, int k0, int act)
{
    enum { SUBS = T(_ACT) / T(_SUB) };
    int pitch = T(_pitch)(d), at = act * SUBS;
    uint32_t *cell = d.cell + (row * d.tokens + t) * pitch + at;
    const float *scale = d.scale + row * pitch + at;
    const float *min = d.min + row * pitch + at;
    const int *sum =
        a->sum + (int64_t)gpu_row_in(a, t0 + t) * (a->w.n_col / 16);
    float part = 0;
    UNROLL for (int b = 0; b < SUBS; b++)
    {
        part = gpu_fma(scale[b], (float)(int)cell[b], part);
        if (T(_HAS_MIN))
            part =
                gpu_fma(min[b], T(_act_sum)(sum, k0 / T(_SUB) + at + b), part);
    }
    cell[0] = gpu_bits(part);
}

/* The team's parts: of each of its rows and of n activations. */
INSIDE void T(_do_acts)(struct T(_direct) d, const struct gpu_product_args *a,
                        int own, int k0, int n_k, int t0, int n)
{
    int team = d.warps * GPU_WARP, rows = d.rows * d.warps / 4;
    int acts = d.span / T(_ACT);
    if (T(_ACT) == 32) return;
    for (int i = THREAD % team; i < rows * d.tokens * acts; i += team) {
        int act = i % acts, t = i / acts % d.tokens, row = i / acts / d.tokens;
        if (t < n && act * T(_ACT) < n_k)
            T(_do_act)(d, a, own + row, t, t0, k0, act);
    }
    T(_meet)(d);
}

/* A number: continues over the parts of the n_k columns from k0 on. */
INSIDE float T(_chain)(struct T(_direct) d, const struct gpu_product_args *a,
                       int row, int t, int t0, int k0, int n_k, float y)
{
    const uint32_t *cell = d.cell + (row * d.tokens + t) * T(_pitch)(d);
    const float *scale =
        a->d + (int64_t)gpu_row_in(a, t0 + t) * (a->w.n_col / T(_ACT)) +
        k0 / T(_ACT);
    UNROLL_8 for (int act = 0; act < n_k / T(_ACT); act++) y =
        gpu_fma(scale[act], gpu_float(cell[act * (T(_ACT) / T(_CELL))]), y);
    return y;
}

/* The weights of the next step are loaded while sums are joined. */
INSIDE void T(_run)(struct T(_direct) d, struct gpu_product_args *a,
                    uint32_t w[][8])
{
    int rows = d.rows * d.warps / 4, i = THREAD % (d.warps * GPU_WARP);
    int own = WARP / d.warps * rows;
    int first = gpu_block_of_part(a, d.rows) * d.rows, r0 = first + own;
    int row = i % rows, t = i / rows; /* this thread's number */
    int t0 = BLOCK_Y * d.tokens, n_col = a->w.n_col;
    float y = 0;
    if (!gpu_by_expert(a) || t0 >= a->n) return;
    int n = a->n - t0 < d.tokens ? a->n - t0 : d.tokens;
    int n_k = n_col < d.span ? n_col : d.span;
    T(_load)(d, a, r0, 0, n_k, w);
    for (int k0 = 0; k0 < n_col; k0 += d.span) {
        int next = n_col - k0 - n_k < d.span ? n_col - k0 - n_k : d.span;
        T(_do_pieces)(d, a, own, r0, k0, n_k, t0, n, w);
        T(_meet)(d);
        if (next > 0) T(_load)(d, a, r0, k0 + d.span, next, w);
        T(_do_acts)(d, a, own, k0, n_k, t0, n);
        if (t < n) y = T(_chain)(d, a, own + row, t, t0, k0, n_k, y);
        T(_meet)(d);
        n_k = next;
    }
    if (t < n) T(_put)(a, r0 + row, t0 + t, y);
    gpu_finish(&a->after, first);
}

#define GPU_DIRECT_KERNEL(type, X, name, rows, tokens, warps, span)          \
    KERNEL_OF(GPU_PASTE(GPU_PASTE(gpu_direct_, type), _##name),              \
              gpu_product_args, T(_SUB) == 16 ? 2 : 4)                       \
    {                                                                        \
        enum { PITCH = span / T(_CELL) + 1, APART = T(_ACT) != 32 };         \
        SHARED uint32_t cell[rows * tokens * PITCH];                         \
        SHARED float scale[APART ? rows * PITCH : 1];                        \
        SHARED float min[APART && T(_HAS_MIN) ? rows * PITCH : 1];           \
        uint32_t w[rows * span / 4096][8];                                   \
        struct T(_direct) d = {rows, tokens, warps, span, cell, scale, min}; \
        T(_run)(d, &a, w);                                                   \
    }
GPU_DIRECTS(GPU_DIRECT_KERNEL, TYPE, 0)
#undef GPU_DIRECT_KERNEL

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
