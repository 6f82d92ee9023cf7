/* k_gpu_floats.h - products with one float type, and its embedding rows:
 * included once for each TYPE. Each number is one chain over the columns. A family
 * (GPU_FLOAT_TILES): with few activations a block has few rows and many columns at a
 * time.
 */
#define T(name)             GPU_PASTE(TYPE, name)
#define GPU_PASTE(a, b)     GPU_PASTE_NOW(a, b)
#define GPU_PASTE_NOW(a, b) a##b

enum { T(_W) = 8, T(_X) = 16, T(_Y) = 8 }; /* most that a thread has */

struct T(_floats) {
    int rows, tokens, span; /* of GPU_FLOAT_TILES */
    float *w, *x;           /* [rows][span + 1], [tokens][span + 1] */
};

/* What this thread loads of a step, columns k0 ..; 0 beyond the last ones. */
INSIDE void T(_load)(struct T(_floats) s, const struct gpu_product_args *a,
                     int r0, int t0, int k0, float *w, float *x)
{
    UNROLL for (int j = 0; j < T(_W); j++)
    {
        int i = THREAD + j * GPU_THREADS, k = k0 + i % s.span;
        if (j >= s.rows * s.span / GPU_THREADS) continue;
        int r = r0 + i / s.span < a->n_row ? r0 + i / s.span : a->n_row - 1;
        const uint8_t *row = a->w.raw + gpu_weight_row(a, r) * a->w.pitch;
        w[j] = k < a->w.n_col ? T(_at)(row, k) : 0.0f;
    }
    UNROLL for (int j = 0; j < T(_X); j++)
    {
        int i = THREAD + j * GPU_THREADS, k = k0 + i % s.span;
        int t = t0 + i / s.span;
        if (j >= s.tokens * s.span / GPU_THREADS) continue;
        x[j] = 0;
        if (k < a->w.n_col && t < a->n)
            x[j] = a->x[(int64_t)gpu_row_in(a, t) * a->w.n_col + k];
    }
}

INSIDE void T(_store)(struct T(_floats) s, const float *w, const float *x)
{
    UNROLL for (int j = 0; j < T(_W); j++)
    {
        int i = THREAD + j * GPU_THREADS;
        if (j < s.rows * s.span / GPU_THREADS)
            s.w[i / s.span * (s.span + 1) + i % s.span] = w[j];
    }
    UNROLL for (int j = 0; j < T(_X); j++)
    {
        int i = THREAD + j * GPU_THREADS;
        if (j < s.tokens * s.span / GPU_THREADS)
            s.x[i / s.span * (s.span + 1) + i % s.span] = x[j];
    }
}

/* A thread has a row, and every so manieth activation; the next step is loaded
 * while its chains go on. */
INSIDE void T(_chains)(struct T(_floats) s, struct gpu_product_args *a)
{
    int r0 = gpu_block_of_part(a, s.rows) * s.rows, t0 = BLOCK_Y * s.tokens;
    int row = THREAD % s.rows, first = THREAD / s.rows;
    int each = s.rows * s.tokens / GPU_THREADS, apart = GPU_THREADS / s.rows;
    float w[T(_W)], x[T(_X)], y[T(_Y)];
    if (!gpu_by_expert(a) || t0 >= a->n) return;
    UNROLL for (int i = 0; i < T(_Y); i++) y[i] = 0;
    T(_load)(s, a, r0, t0, 0, w, x);
    for (int k0 = 0; k0 < a->w.n_col; k0 += s.span) {
        int n_k = a->w.n_col - k0 < s.span ? a->w.n_col - k0 : s.span;
        BARRIER();
        T(_store)(s, w, x);
        BARRIER();
        if (n_k == s.span) T(_load)(s, a, r0, t0, k0 + s.span, w, x);
        if (t0 + first >= a->n) continue;
        UNROLL_8 for (int k = 0; k < n_k; k++)
            UNROLL for (int i = 0; i < T(_Y); i++) if (i < each) y[i] =
                gpu_fma(s.w[row * (s.span + 1) + k],
                        s.x[(first + i * apart) * (s.span + 1) + k], y[i]);
    }
    UNROLL for (int i = 0; i < T(_Y); i++)
    {
        int t = t0 + first + i * apart;
        float v = a->w.scale == 1.0f ? y[i] : y[i] * a->w.scale;
        if (i < each && t < a->n && r0 + row < a->n_row)
            gpu_put(a, r0 + row, t, v);
    }
}

#define GPU_FLOAT_KERNEL(type, X, name, rows, tokens, span)        \
    KERNEL_OF(GPU_PASTE(GPU_PASTE(gpu_float_, type), _##name),     \
              gpu_product_args, 4)                                 \
    {                                                              \
        SHARED float w[rows * (span + 1)], x[tokens * (span + 1)]; \
        struct T(_floats) s = {rows, tokens, span, w, x};          \
        T(_chains)(s, &a);                                         \
    }
GPU_FLOAT_TILES(GPU_FLOAT_KERNEL, TYPE, 0)
#undef GPU_FLOAT_KERNEL

KERNEL(GPU_PASTE(gpu_embed_, TYPE), gpu_embed_args)
{
    float *x = a.x + (int64_t)a.at[BLOCK_X] * a.w.n_col;
    const uint8_t *row = a.w.raw + a.token[BLOCK_X] * a.w.pitch;
    for (int k = THREAD; k < a.w.n_col; k += GPU_THREADS) {
        float y = T(_at)(row, k);
        x[k] = a.w.scale == 1.0f ? y : y * a.w.scale;
    }
}

#undef T
#undef GPU_PASTE
#undef GPU_PASTE_NOW
#undef TYPE
