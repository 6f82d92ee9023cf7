/* k_gpu_vision.h - the vision encoder's kernels (MODEL.md, "The vision
 * encoder"; the host's cpu/vision has the same in C). Products with weights are
 * those of k_gpu_matmul.h and k_gpu_floats.h.
 */

struct gpu_patch_at {
    int y, x; /* in patches */
};

INSIDE struct gpu_patch_at gpu_patch_place(int i, int n_x, int merge)
{
    int area = merge * merge, in = i % area, block = i / area;
    struct gpu_patch_at at;
    at.y = block / (n_x / merge) * merge + in / merge;
    at.x = block % (n_x / merge) * merge + in % merge;
    return at;
}

INSIDE uint32_t gpu_two_halves(float x, float y)
{
    return gpu_to_half(x) | (uint32_t)gpu_to_half(y) << 16;
}

/* x, clamped to the largest number in F16. */
INSIDE float gpu_in_half(float x)
{
    return x > 65504.0f ? 65504.0f : x < -65504.0f ? -65504.0f : x;
}

/* For k_gpu_f16.h: 64 columns, two per word. */
enum { GPU_HALF_WORDS = 32 };
struct gpu_half_tile { /* 4 avoid bank conflicts */
    uint32_t w[GPU_TILE][GPU_HALF_WORDS + 4], x[GPU_TILE][GPU_HALF_WORDS + 4];
};

/* Adds a tile to the warp's 32 x 32 numbers at (t, r). */
INSIDE void gpu_half_step(const struct gpu_half_tile *s, int t, int r,
                          float y[2][4][4])
{
    for (int step = 0; step < GPU_HALF_WORDS; step += 8) {
        int k = step + LANE % 4;
        UNROLL for (int i = 0; i < 2; i++)
        {
            int at = t + 16 * i + LANE / 4;
            uint32_t x[4];
            x[0] = s->x[at][k];
            x[1] = s->x[at + 8][k];
            x[2] = s->x[at][k + 4];
            x[3] = s->x[at + 8][k + 4];
            UNROLL for (int j = 0; j < 4; j++)
            {
                uint32_t w[2];
                w[0] = s->w[r + 8 * j + LANE / 4][k];
                w[1] = s->w[r + 8 * j + LANE / 4][k + 4];
                gpu_mma_half(y[i][j], x, w);
            }
        }
    }
}

/* Grid (n). */
KERNEL(gpu_patch, gpu_patch_args)
{
    struct gpu_patch_at at = gpu_patch_place(a.first + BLOCK_X, a.n_x, a.merge);
    int area = a.size * a.size;
    float *row = a.row + (int64_t)BLOCK_X * 3 * area;
    for (int i = THREAD; i < 3 * area; i += GPU_THREADS) {
        int c = i / area, y = i % area / a.size, x = i % a.size;
        int64_t p = (int64_t)(at.y * a.size + y) * a.stride +
                    (int64_t)(at.x * a.size + x) * a.n_channel;
        float level = (float)a.pixel[p + (a.n_channel == 3 ? c : 0)];
        row[i] = (level - 255.0f * a.mean[c]) / (255.0f * a.std[c]);
    }
}

KERNEL(gpu_place, gpu_place_args)
{
    struct gpu_patch_at at = gpu_patch_place(a.first + BLOCK_X, a.n_x, a.merge);
    float *x = a.x + (int64_t)BLOCK_X * a.n_col;
    struct gpu_between y = a.row[at.y], z = a.column[at.x];
    const float *p00 = a.table + (int64_t)(y.low * a.side + z.low) * a.n_col;
    const float *p01 = a.table + (int64_t)(y.low * a.side + z.high) * a.n_col;
    const float *p10 = a.table + (int64_t)(y.high * a.side + z.low) * a.n_col;
    const float *p11 = a.table + (int64_t)(y.high * a.side + z.high) * a.n_col;
    float w00 = (1 - y.part) * (1 - z.part), w01 = (1 - y.part) * z.part;
    float w10 = y.part * (1 - z.part), w11 = y.part * z.part;
    for (int k = THREAD; k < a.n_col; k += GPU_THREADS)
        x[k] = x[k] + a.bias[k] +
               (w00 * p00[k] + w01 * p01[k] + w10 * p10[k] + w11 * p11[k]);
}

KERNEL(gpu_centre, gpu_centre_args)
{
    const float *x = a.x + (int64_t)BLOCK_X * a.n_col;
    float *y = a.y + (int64_t)BLOCK_X * a.n_col;
    float sum = 0, squares = 0;
    for (int i = THREAD; i < a.n_col; i += GPU_THREADS)
        sum += x[i];
    float mean = gpu_block_sum(sum) / (float)a.n_col;
    for (int i = THREAD; i < a.n_col; i += GPU_THREADS)
        squares = gpu_fma(x[i] - mean, x[i] - mean, squares);
    squares = gpu_block_sum(squares);
    float scale = 1.0f / gpu_sqrt(squares / (float)a.n_col + a.eps);
    for (int i = THREAD; i < a.n_col; i += GPU_THREADS)
        y[i] = (x[i] - mean) * scale * a.w[i] + a.b[i];
}

/* Within 2e-7: Abramowitz and Stegun, 7.1.26. */
INSIDE float gpu_erf(float x)
{
    float z = x < 0 ? -x : x, t = 1.0f / (1.0f + 0.3275911f * z);
    float p = gpu_fma(1.061405429f, t, -1.453152027f);
    p = gpu_fma(p, t, 1.421413741f);
    p = gpu_fma(p, t, -0.284496736f);
    p = gpu_fma(p, t, 0.254829592f);
    float y = 1.0f - p * t * gpu_exp(-z * z);
    return x < 0 ? -y : y;
}

KERNEL(gpu_bias, gpu_bias_args)
{
    int c = BLOCK_Y * GPU_THREADS + THREAD;
    int64_t i = (int64_t)BLOCK_X * a.n_col + c;
    if (c >= a.n_col) return;
    float v = (a.y ? a.y[i] : a.x[i]) + a.b[c];
    if (a.y)
        v = a.x[i] + v;
    else if (a.bend == GPU_BEND_TANH)
        v *= gpu_sigmoid(1.5957691216057308f * (v + 0.044715f * v * v * v));
    else if (a.bend == GPU_BEND_ERF)
        v = 0.5f * v * (1.0f + gpu_erf(v * 0.70710678118654752f));
    a.x[i] = v;
}

/* One thread per number of a head; the first quarter of its angles is the
 * row's, the second the column's. */
KERNEL(gpu_turn, gpu_turn_args)
{
    struct gpu_patch_at at = gpu_patch_place(a.first + BLOCK_X, a.n_x, a.merge);
    int d = THREAD, half = a.dim / 2, quarter = half / 2;
    int64_t row = ((int64_t)BLOCK_X * 3 * a.n_head + BLOCK_Y) * a.dim;
    int64_t to =
        ((int64_t)(a.first + BLOCK_X) * 3 * a.n_head + BLOCK_Y) * a.dim;
    const float *bias = a.bias + BLOCK_Y * a.dim;
    if (d >= a.dim) return;
    float v = a.x[row + d] + bias[d];
    if (BLOCK_Y < 2 * a.n_head) {
        int e = d % half, other = d < half ? d + half : d - half;
        int angle =
            e < quarter ? at.y * quarter + e : at.x * quarter + e - quarter;
        float w = a.x[row + other] + bias[other];
        float cosine = a.turn[2 * angle], sine = a.turn[2 * angle + 1];
        v = d < half ? v * cosine - w * sine : v * cosine + w * sine;
    }
    if (BLOCK_Y < a.n_head) v *= a.scale;
    a.out[to + d] = gpu_to_half(v);
}

enum {
    GPU_EYE_STEPS = GPU_EYE_HEAD / 16, /* steps of the tensor cores over a
                                        * head */
    GPU_EYE_TILES = GPU_EYE_HEAD / 8,
    GPU_EYE_WORDS = GPU_EYE_HEAD / 2
};

struct gpu_see_tile {
    uint32_t key[GPU_EYE_KEYS][GPU_EYE_WORDS + 4];  /* 4 avoid conflicts */
    uint16_t value[GPU_EYE_HEAD][GPU_EYE_KEYS + 8]; /* by dimension */
};

/* A lane's running state of its warp's 16 patches: rows LANE / 4 and 8 more. */
struct gpu_seen {
    float o[GPU_EYE_TILES][4];
    float best[2], sum[2];
};

/* Word `word` of a row: q (part 0), k (1) or v (2) of a head; 0 beyond dim. */
INSIDE uint32_t gpu_see_word(const struct gpu_see_args *a, int row, int part,
                             int head, int word)
{
    const uint16_t *h =
        a->qkv + ((int64_t)(row * 3 + part) * a->n_head + head) * a->dim;
    if (2 * word >= a->dim) return 0;
    return *(const uint32_t *)(const void *)(h + 2 * word); /* dim is even */
}

INSIDE void gpu_see_load(struct gpu_see_tile *s, const struct gpu_see_args *a,
                         int head, int at)
{
    enum { EACH = 6 }; /* in flight together */
    for (int from = THREAD; from < GPU_EYE_KEYS * GPU_EYE_WORDS;
         from += EACH * GPU_THREADS) {
        uint32_t key[EACH], value[EACH];
        UNROLL for (int j = 0; j < EACH; j++)
        {
            int i = from + j * GPU_THREADS;
            int k = at + i / GPU_EYE_WORDS, word = i % GPU_EYE_WORDS;
            key[j] = k < a->n ? gpu_see_word(a, k, 1, head, word) : 0;
            value[j] = k < a->n ? gpu_see_word(a, k, 2, head, word) : 0;
        }
        UNROLL for (int j = 0; j < EACH; j++)
        {
            int i = from + j * GPU_THREADS;
            int k = i / GPU_EYE_WORDS, word = i % GPU_EYE_WORDS;
            s->key[k][word] = key[j];
            s->value[2 * word][k] = (uint16_t)value[j];
            s->value[2 * word + 1][k] = (uint16_t)(value[j] >> 16);
        }
    }
}

/* p[j]: scores of keys 8 j .. of the tile. */
INSIDE void gpu_see_scores(const struct gpu_see_tile *s,
                           const struct gpu_see_args *a, uint32_t q[][4],
                           int at, float p[GPU_EYE_KEYS / 8][4])
{
    UNROLL for (int j = 0; j < GPU_EYE_KEYS / 8; j++)
    {
        UNROLL for (int i = 0; i < 4; i++) p[j][i] = 0;
        UNROLL for (int step = 0; step < GPU_EYE_STEPS; step++)
        {
            uint32_t b[2];
            if (step * 16 >= a->dim) continue;
            b[0] = s->key[8 * j + LANE / 4][step * 8 + LANE % 4];
            b[1] = s->key[8 * j + LANE / 4][step * 8 + LANE % 4 + 4];
            gpu_mma_half(p[j], q[step], b);
        }
        UNROLL for (int i = 0; i < 4;
                    i++) if (at + 8 * j + LANE % 4 * 2 + i % 2 >= a->n)
            p[j][i] = -1e30f;
    }
}

/* Turns scores into weights, of row half r (0: LANE / 4, 1: 8 more); scales
 * down earlier sums. */
INSIDE void gpu_see_soften(struct gpu_seen *f, float p[GPU_EYE_KEYS / 8][4],
                           int r)
{
    float best = f->best[r], sum = 0;
    UNROLL for (int i = 0; i < GPU_EYE_KEYS / 4; i++)
    {
        float x = p[i / 2][2 * r + i % 2];
        best = x > best ? x : best;
    }
    for (int w = 2; w; w /= 2) {
        float x = gpu_swap_float(best, w);
        best = x > best ? x : best;
    }
    float fade = gpu_exp(f->best[r] - best);
    UNROLL for (int i = 0; i < GPU_EYE_KEYS / 4; i++)
    {
        float *x = &p[i / 2][2 * r + i % 2];
        *x = gpu_exp(*x - best);
        sum += *x;
    }
    f->sum[r] = f->sum[r] * fade + sum;
    f->best[r] = best;
    UNROLL for (int i = 0; i < GPU_EYE_TILES; i++)
    {
        f->o[i][2 * r] *= fade;
        f->o[i][2 * r + 1] *= fade;
    }
}

INSIDE void gpu_see_values(const struct gpu_see_tile *s, int dim,
                           float p[GPU_EYE_KEYS / 8][4], struct gpu_seen *f)
{
    UNROLL for (int step = 0; step < GPU_EYE_KEYS / 16; step++)
    {
        uint32_t w[4];
        w[0] = gpu_two_halves(p[2 * step][0], p[2 * step][1]);
        w[1] = gpu_two_halves(p[2 * step][2], p[2 * step][3]);
        w[2] = gpu_two_halves(p[2 * step + 1][0], p[2 * step + 1][1]);
        w[3] = gpu_two_halves(p[2 * step + 1][2], p[2 * step + 1][3]);
        UNROLL for (int i = 0; i < GPU_EYE_TILES; i++)
        {
            uint32_t b[2];
            if (i * 8 >= dim) continue;
            const uint32_t *v =
                (const uint32_t *)(const void *)s->value[8 * i + LANE / 4];
            b[0] = v[step * 8 + LANE % 4];
            b[1] = v[step * 8 + LANE % 4 + 4];
            gpu_mma_half(f->o[i], w, b);
        }
    }
}

INSIDE void gpu_see_leave(const struct gpu_see_args *a, int row, int head,
                          struct gpu_seen *f)
{
    UNROLL for (int r = 0; r < 2; r++)
    {
        for (int w = 2; w; w /= 2)
            f->sum[r] += gpu_swap_float(f->sum[r], w);
        int at = row + LANE / 4 + 8 * r;
        float scale = 1.0f / f->sum[r];
        float *o = a->o + ((int64_t)at * a->n_head + head) * a->dim;
        UNROLL for (int i = 0; i < GPU_EYE_TILES * 2; i++)
        {
            int d = i / 2 * 8 + LANE % 4 * 2 + i % 2;
            if (at < a->n && d < a->dim)
                o[d] = f->o[i / 2][2 * r + i % 2] * scale;
        }
    }
}

KERNEL(gpu_see, gpu_see_args)
{
    SHARED struct gpu_see_tile s;
    struct gpu_seen f;
    uint32_t q[GPU_EYE_STEPS][4];
    float p[GPU_EYE_KEYS / 8][4];
    int row = BLOCK_X * GPU_EYE_QUERIES + WARP * 16, head = BLOCK_Y;
    UNROLL for (int i = 0; i < GPU_EYE_STEPS * 4; i++)
    {
        int at = row + LANE / 4 + i % 2 * 8;
        int word = i / 4 * 8 + LANE % 4 + i % 4 / 2 * 4;
        q[i / 4][i % 4] =
            gpu_see_word(&a, at < a.n ? at : a.n - 1, 0, head, word);
    }
    UNROLL for (int i = 0; i < GPU_EYE_TILES * 4; i++) f.o[i / 4][i % 4] = 0;
    UNROLL for (int r = 0; r < 2; r++)
    {
        f.best[r] = -1e30f;
        f.sum[r] = 0;
    }
    for (int at = 0; at < a.n; at += GPU_EYE_KEYS) {
        BARRIER();
        gpu_see_load(&s, &a, head, at);
        BARRIER();
        gpu_see_scores(&s, &a, q, at, p);
        gpu_see_soften(&f, p, 0);
        gpu_see_soften(&f, p, 1);
        gpu_see_values(&s, a.dim, p, &f);
    }
    gpu_see_leave(&a, row, head, &f);
}
