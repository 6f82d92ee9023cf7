/* k_gpu_matmul.h - products with one quantised type, and its embedding rows:
 * included once for each TYPE (gpu_kernels.h).
 *
 * The bits are those of tensor/kernels.h, in any batch: integer sums of a
 * sub-block, then one chain of multiply-adds over sub-blocks and one over
 * blocks of activations, in order.
 *
 * product: for many activations, a family (GPU_PRODUCTS). A block of threads
 * computes a tile of 64 rows of weights by 16 to 64 of activations, from spans of
 * 256 columns that are bytes in shared memory: of a row first the 16 values with
 * which each piece of 32 begins, then those with which it ends. A sub-block is one
 * step of the tensor cores; a thread's registers then have four numbers
 * (gpu_mma32), whose chains the thread continues.
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
    T(_words) =
        GPU_SPAN / 4 + 4,    /* of a row of a tile: 4 avoid bank conflicts */
    T(_EACH) = 32 / T(_SUB), /* sub-blocks of a piece */
    T(_CELL) = T(_ACT) == 32 ? 32 : T(_SUB), /* columns of a sum of direct */
    T(_WIDE) =
        T(_SUB) == 16 || (T(_BITS) == 8 && T(_ACT) == 256) /* registers */
};

/* Row of weights for row r of a product; after the last, the last again. */
INSIDE int T(_row)(const struct gpu_product_args *a, int r)
{
    return gpu_weight_row(a, r < a->n_row ? r : a->n_row - 1);
}

/* Where row t of the activations is, of `per` columns an element; after the last, the
 * last again. */
INSIDE uint64_t T(_token)(const struct gpu_product_args *a, int t, int per)
{
    t = gpu_row_in(a, t < a->n ? t : a->n - 1);
    return (uint64_t)(uint32_t)t * ((uint32_t)a->w.n_col / (uint32_t)per);
}

/* Sum of the activations for a sub-block: sum: of each 16. */
INSIDE float T(_act_sum)(const int *sum)
{
    uint32_t v[2];
    if (T(_SUB) == 16) return (float)*sum;
    gpu_get2(v, sum);
    return (float)((int)v[0] + (int)v[1]);
}

/* Scales and sums lie by sub-block, so that a lane's two rows are neighbours. */
struct T(_tile) {
    int tokens; /* of GPU_PRODUCTS; GPU_TILE rows of weights */
    uint32_t (*w)[T(_words)], (*x)[T(_words)];    /* [GPU_TILE], [tokens] */
    float (*scale)[T(_words)], (*min)[T(_words)]; /* [subs], of GPU_TILE rows */
    float (*d)[T(_words)], (*sum)[T(_words)];     /* [acts], [subs] of tokens */
};

/* The thread's pieces of activations: of every 16th row. */
INSIDE void T(_fill_acts)(struct T(_tile) s, const struct gpu_product_args *a,
                          int t0, int k, int at)
{
    uint32_t x[4][8];
    float d[4], sum[4][T(_EACH)];
    UNROLL for (int j = 0; j < GPU_TILE / 16; j++)
    {
        if (16 * j >= s.tokens) continue;
        int t = t0 + THREAD / 8 + 16 * j;
        const int8_t *q = a->q + T(_token)(a, t, 1) + k;
        gpu_get4(x[j], q);
        gpu_get4(x[j] + 4, q + 16);
        if (T(_ACT) == 32 || at == 0)
            d[j] = a->d[T(_token)(a, t, T(_ACT)) + (uint32_t)k / T(_ACT)];
        UNROLL for (int i = 0; i < T(_EACH) && T(_HAS_MIN); i++) sum[j][i] = T(
            _act_sum)(a->sum + T(_token)(a, t, 16) + k / 16 + i * T(_SUB) / 16);
    }
    UNROLL for (int j = 0; j < GPU_TILE / 16; j++)
    {
        if (16 * j >= s.tokens) continue;
        int t = THREAD / 8 + 16 * j;
        gpu_put4(&s.x[t][4 * at], x[j]);
        gpu_put4(&s.x[t][32 + 4 * at], x[j] + 4);
        if (T(_ACT) == 32 || at == 0) s.d[T(_ACT) == 32 ? at : 0][t] = d[j];
        UNROLL for (int i = 0; i < T(_EACH) && T(_HAS_MIN); i++)
            s.sum[at * T(_EACH) + i][t] = sum[j][i];
    }
}

/* Columns k0 .. k0 + n_k - 1 of rows r0 .. of weights, t0 .. of activations: a thread
 * has the same piece of every 16th row. */
INSIDE void T(_fill)(struct T(_tile) s, const struct gpu_product_args *a,
                     int r0, int t0, int k0, int n_k)
{
    int at = THREAD % 8, k = k0 + 32 * at;
    struct gpu_piece p[GPU_TILE / 16];
    if (32 * at >= n_k) return;
    UNROLL for (int j = 0; j < GPU_TILE / 16; j++)
    {
        uint32_t r = (uint32_t)T(_row)(a, r0 + THREAD / 8 + 16 * j);
        gpu_get_piece(T(_form)(), a->w.raw + (uint64_t)r * (uint32_t)a->w.pitch,
                      (uint32_t)a->w.n_col / 32, (uint32_t)k / 32, &p[j]);
    }
    T(_fill_acts)(s, a, t0, k, at);
    UNROLL for (int j = 0; j < GPU_TILE / 16; j++)
    {
        int r = THREAD / 8 + 16 * j;
        uint32_t w[8];
        gpu_decode(T(_form)(), &p[j], w);
        gpu_put4(&s.w[r][4 * at], w);
        gpu_put4(&s.w[r][32 + 4 * at], w + 4);
        UNROLL for (int i = 0; i < T(_EACH); i++)
        {
            s.scale[at * T(_EACH) + i][r] = gpu_scale(T(_form)(), &p[j], i);
            if (T(_HAS_MIN))
                s.min[at * T(_EACH) + i][r] = gpu_min(T(_form)(), &p[j], i);
        }
    }
}

/* Sub-block `sub` of the span, whose words begin with word k of a row, of n_t by n_r
 * tiles of 16 by 8 from (t, r) on, at most 2 by 4: into this lane's four parts of
 * each. */
INSIDE void T(_sub)(struct T(_tile) s, int t, int n_t, int r, int n_r, int sub,
                    int k, float part[2][4][4])
{
    int lane = LANE, of = lane / 4, pair = lane % 4 * 2;
    uint32_t x[2][4], w[2];
    float sum[2][2];
    UNROLL for (int i = 0; i < 2; i++)
    {
        int at = t + 16 * i + of;
        if (i >= n_t) continue;
        x[i][0] = s.x[at][k + lane % 4];
        x[i][1] = s.x[at + 8][k + lane % 4];
        if (T(_SUB) == 32) x[i][2] = s.x[at][k + 32 + lane % 4];
        if (T(_SUB) == 32) x[i][3] = s.x[at + 8][k + 32 + lane % 4];
        if (T(_HAS_MIN)) sum[i][0] = s.sum[sub][at];
        if (T(_HAS_MIN)) sum[i][1] = s.sum[sub][at + 8];
    }
    UNROLL for (int j = 0; j < 4; j++)
    {
        int row = r + 8 * j;
        gpu_floats2 min = {0, 0};
        if (j >= n_r) continue;
        gpu_floats2 scale =
            *(const gpu_floats2 *)(const void *)&s.scale[sub][row + pair];
        if (T(_HAS_MIN))
            min = *(const gpu_floats2 *)(const void *)&s.min[sub][row + pair];
        w[0] = s.w[row + of][k + lane % 4];
        if (T(_SUB) == 32) w[1] = s.w[row + of][k + 32 + lane % 4];
        UNROLL for (int i = 0; i < 2; i++)
        {
            int c[4] = {0, 0, 0, 0};
            if (i >= n_t) continue;
            if (T(_SUB) == 32)
                gpu_mma32(c, x[i], w);
            else
                gpu_mma16(c, x[i], w);
            UNROLL for (int l = 0; l < 4; l++)
            {
                float *y = &part[i][j][l];
                *y = gpu_fma(scale[l % 2], (float)c[l], *y);
                if (T(_HAS_MIN)) *y = gpu_fma(min[l % 2], sum[i][l / 2], *y);
            }
        }
    }
}

/* A block of activations: its sub-blocks, then their scale. */
INSIDE void T(_act)(struct T(_tile) s, int t, int n_t, int r, int n_r, int act,
                    float y[2][4][4])
{
    float part[2][4][4];
    UNROLL for (int i = 0; i < 32; i++) part[i / 16][i / 4 % 4][i % 4] = 0;
    for (int p = act * (T(_ACT) / 32); p < (act + 1) * (T(_ACT) / 32); p++)
        UNROLL for (int i = 0; i < T(_EACH); i++)
            T(_sub)(s, t, n_t, r, n_r, p * T(_EACH) + i, 4 * p + 32 * i, part);
    UNROLL for (int i = 0; i < 32; i++)
    {
        if (i / 16 >= n_t || i / 4 % 4 >= n_r) continue;
        float d = s.d[act][t + i / 16 * 16 + LANE / 4 + i % 4 / 2 * 8];
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

#define GPU_PRODUCT_KERNEL(type, X, name, n)                             \
    KERNEL_OF(GPU_PASTE(GPU_PASTE(gpu_product_, type), _##name),         \
              gpu_product_args, 3)                                       \
    {                                                                    \
        SHARED uint32_t w[GPU_TILE][T(_words)], x[n][T(_words)];         \
        SHARED float scale[T(_subs)][T(_words)], d[T(_acts)][T(_words)]; \
        SHARED float min[T(_HAS_MIN) ? T(_subs) : 1][T(_words)];         \
        SHARED float sum[T(_HAS_MIN) ? T(_subs) : 1][T(_words)];         \
        struct T(_tile) s = {n, w, x, scale, min, d, sum};               \
        T(_tiles)(s, &a);                                                \
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

/* T(_token) for row t of the block's; of one row T(_run) has put it into the pointers. */
INSIDE uint64_t T(_at)(struct T(_direct) d, const struct gpu_product_args *a,
                       int t, int per)
{
    return d.tokens == 1 ? 0 : T(_token)(a, t, per);
}

/* The barrier of a team. */
INSIDE void T(_meet)(struct T(_direct) d)
{
    if (d.warps == 1)
        WARP_BARRIER();
    else
        BARRIER();
}

/* Where a piece is in a step, of whose columns each of the team's rows has `per`: they
 * lie behind each other, and a thread has every so manieth. */
struct T(_place) {
    int row, at, per, step_row, step;
};

INSIDE struct T(_place) T(_first)(struct T(_direct) d, int per)
{
    int team = d.warps * GPU_WARP, i = THREAD % team;
    struct T(_place) p = {i / per, i % per, per, team / per, team % per};
    return p;
}

INSIDE struct T(_place) T(_next)(struct T(_place) p)
{
    p.row += p.step_row;
    p.at += p.step;
    if (p.at >= p.per) {
        p.at -= p.per;
        p.row++;
    }
    return p;
}

/* Is a piece one of the team's rows, of n_k columns? */
INSIDE int T(_is_in)(struct T(_direct) d, struct T(_place) p, int n_k)
{
    return p.row < d.rows * d.warps / 4 && 32 * p.at < n_k;
}

/* Where the rows of the thread's pieces are, rows r0 .. of weights: in 16 bytes. */
INSIDE void T(_rows)(struct T(_direct) d, const struct gpu_product_args *a,
                     struct T(_place) p, int r0, uint32_t *row)
{
    UNROLL for (int i = 0; i < d.rows * d.span / 4096; i++)
    {
        row[i] = (uint32_t)T(_row)(a, r0 + p.row) * ((uint32_t)a->w.pitch / 16);
        p = T(_next)(p);
    }
}

/* The thread's pieces of the n_k columns from k0 on. */
INSIDE void T(_load)(struct T(_direct) d, const struct gpu_product_args *a,
                     struct T(_place) p, const uint32_t *row, int k0, int n_k,
                     struct gpu_piece *w)
{
    UNROLL for (int i = 0; i < d.rows * d.span / 4096; i++)
    {
        if (T(_is_in)(d, p, n_k))
            gpu_get_piece(T(_form)(), a->w.raw + (uint64_t)row[i] * 16,
                          (uint32_t)a->w.n_col / 32,
                          (uint32_t)k0 / 32 + (uint32_t)p.at, &w[i]);
        p = T(_next)(p);
    }
}

/* The integer sums of a piece with 32 activations. */
INSIDE void T(_sum_piece)(const uint32_t x[8], const uint32_t w[8], int sum[2])
{
    UNROLL for (int j = 0; j < 8; j++) sum[j * 4 / T(_SUB)] =
        gpu_dot4(w[j], x[j], sum[j * 4 / T(_SUB)]);
}

/* 32 activations from column k on. */
INSIDE void T(_get_acts)(struct T(_direct) d, const struct gpu_product_args *a,
                         int t, int k, uint32_t x[8])
{
    const int8_t *q = a->q + T(_at)(d, a, t, 1) + k;
    gpu_get4(x, q);
    gpu_get4(x + 4, q + 16);
}

/* Where a scale of the activations belongs to 32 columns, a piece is a part. sum_x: of
 * its activations. */
INSIDE float T(_part)(const int *sum_x, const float scale[2],
                      const float min[2], const int sum[2])
{
    float part = 0;
    UNROLL for (int i = 0; i < T(_EACH); i++)
    {
        part = gpu_fma(scale[i], (float)sum[i], part);
        if (T(_HAS_MIN))
            part = gpu_fma(min[i], T(_act_sum)(sum_x + i * T(_SUB) / 16), part);
    }
    return part;
}

/* Piece `at` of a row and a step: its scales, and its sums with n rows of activations,
 * columns k ..; of one row they are in x. */
INSIDE void T(_do_piece)(struct T(_direct) d, const struct gpu_product_args *a,
                         int row, int at, int k, int t0, int n,
                         const struct gpu_piece *p, uint32_t x[8])
{
    int pitch = T(_pitch)(d);
    float scale[2], min[2];
    uint32_t w[8];
    gpu_decode(T(_form)(), p, w);
    UNROLL for (int i = 0; i < T(_EACH); i++)
    {
        scale[i] = gpu_scale(T(_form)(), p, i);
        min[i] = gpu_min(T(_form)(), p, i);
        if (T(_ACT) == 32) continue;
        d.scale[row * pitch + at * T(_EACH) + i] = scale[i];
        if (T(_HAS_MIN)) d.min[row * pitch + at * T(_EACH) + i] = min[i];
    }
    for (int t = 0; t < (d.tokens == 1 ? 1 : n); t++) {
        int sum[2] = {0, 0};
        uint32_t *cell = d.cell + (row * d.tokens + t) * pitch;
        if (d.tokens > 1) T(_get_acts)(d, a, t0 + t, k, x);
        T(_sum_piece)(x, w, sum);
        if (T(_ACT) == 32)
            cell[at] = gpu_bits(T(_part)(
                a->sum + T(_at)(d, a, t0 + t, 16) + k / 16, scale, min, sum));
        else
            UNROLL for (int i = 0; i < T(_EACH); i++) cell[at * T(_EACH) + i] =
                (uint32_t)sum[i];
    }
}

/* One row of activations is in flight for all pieces. */
INSIDE void T(_do_pieces)(struct T(_direct) d, const struct gpu_product_args *a,
                          struct T(_place) first, int own, int k0, int n_k,
                          int t0, int n, const struct gpu_piece *w)
{
    uint32_t x[4][8]; /* as many pieces as GPU_DIRECTS has */
    struct T(_place) p = first;
    UNROLL for (int i = 0; i < d.rows * d.span / 4096; i++)
    {
        if (d.tokens == 1 && T(_is_in)(d, p, n_k))
            T(_get_acts)(d, a, t0, k0 + 32 * p.at, x[i]);
        p = T(_next)(p);
    }
    p = first;
    UNROLL for (int i = 0; i < d.rows * d.span / 4096; i++)
    {
        if (T(_is_in)(d, p, n_k)) T(_do_piece)
        (d, a, own + p.row, p.at, k0 + 32 * p.at, t0, n, &w[i], x[i]);
        p = T(_next)(p);
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
        a->sum + T(_at)(d, a, t0 + t, 16) + k0 / 16 + act * (T(_ACT) / 16);
    float part = 0;
    UNROLL for (int b = 0; b < SUBS; b++)
    {
        part = gpu_fma(scale[b], (float)(int)cell[b], part);
        if (T(_HAS_MIN))
            part = gpu_fma(min[b], T(_act_sum)(sum + b * T(_SUB) / 16), part);
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
    const float *scale = a->d + T(_at)(d, a, t0 + t, T(_ACT)) + k0 / T(_ACT);
    UNROLL_8 for (int act = 0; act < n_k / T(_ACT); act++) y =
        gpu_fma(scale[act], gpu_float(cell[act * (T(_ACT) / T(_CELL))]), y);
    return y;
}

/* Columns of a step: as many in each, whole blocks of activations. */
INSIDE int T(_step)(int n_col, int span)
{
    int acts = n_col / T(_ACT), steps = (n_col + span - 1) / span;
    return (acts + steps - 1) / steps * T(_ACT);
}

/* The weights of the next step are loaded while sums are joined. */
INSIDE void T(_run)(struct T(_direct) d, struct gpu_product_args *a,
                    struct gpu_piece *w, uint32_t *line)
{
    int rows = d.rows * d.warps / 4, i = THREAD % (d.warps * GPU_WARP);
    int own = WARP / d.warps * rows;
    int first = gpu_block_of_part(a, d.rows) * d.rows, r0 = first + own;
    int row = i % rows, t = i / rows; /* this thread's number */
    int t0 = BLOCK_Y * d.tokens, n_col = a->w.n_col;
    float y = 0;
    if (!gpu_by_expert(a) || t0 >= a->n) return;
    int n = a->n - t0 < d.tokens ? a->n - t0 : d.tokens;
    int step = T(_step)(n_col, d.span), n_k = step;
    struct T(_place) p = T(_first)(d, step / 32);
    if (d.tokens == 1) {
        a->q += T(_token)(a, t0, 1);
        a->d += T(_token)(a, t0, T(_ACT));
        a->sum += T(_token)(a, t0, 16);
    }
    T(_rows)(d, a, p, r0, line);
    T(_load)(d, a, p, line, 0, n_k, w);
    for (int k0 = 0; k0 < n_col; k0 += step) {
        int next = n_col - k0 - n_k < step ? n_col - k0 - n_k : step;
        T(_do_pieces)(d, a, p, own, k0, n_k, t0, n, w);
        T(_meet)(d);
        if (next > 0) T(_load)(d, a, p, line, k0 + step, next, w);
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
              gpu_product_args,                                              \
              T(_WIDE) || (tokens > 1 && warps == 1) ? 3 : 4)                \
    {                                                                        \
        enum { PITCH = span / T(_CELL) + 1, APART = T(_ACT) != 32 };         \
        SHARED uint32_t cell[rows * tokens * PITCH];                         \
        SHARED float scale[APART ? rows * PITCH : 1];                        \
        SHARED float min[APART && T(_HAS_MIN) ? rows * PITCH : 1];           \
        struct gpu_piece w[rows * span / 4096];                              \
        uint32_t line[rows * span / 4096];                                   \
        struct T(_direct) d = {rows, tokens, warps, span, cell, scale, min}; \
        T(_run)(d, &a, w, line);                                             \
    }
GPU_DIRECTS(GPU_DIRECT_KERNEL, TYPE, 0)
#undef GPU_DIRECT_KERNEL

/* A thread has every 128th piece. */
KERNEL(GPU_PASTE(gpu_embed_, TYPE), gpu_embed_args)
{
    float *x = a.x + (int64_t)a.at[BLOCK_X] * a.w.n_col;
    const uint8_t *row = a.w.raw + a.token[BLOCK_X] * a.w.pitch;
    for (int p = THREAD; p < a.w.n_col / 32; p += GPU_THREADS) {
        uint32_t w[8];
        struct gpu_piece piece;
        gpu_get_piece(T(_form)(), row, (uint32_t)a.w.n_col / 32, (uint32_t)p,
                      &piece);
        gpu_decode(T(_form)(), &piece, w);
        UNROLL for (int i = 0; i < 32; i++)
        {
            float y = gpu_scale(T(_form)(), &piece, i / T(_SUB)) *
                      (float)(int8_t)(w[i / 4] >> 8 * (i % 4));
            if (T(_HAS_MIN)) y += gpu_min(T(_form)(), &piece, i / T(_SUB));
            x[32 * p + i] = a.w.scale == 1.0f ? y : y * a.w.scale;
        }
    }
}

#undef T
#undef GPU_PASTE
#undef GPU_PASTE_NOW
#undef TYPE
