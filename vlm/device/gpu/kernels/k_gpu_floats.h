/* k_gpu_floats.h - products with one float type, and its embedding rows:
 * included once for each TYPE. Each number is one chain over the columns.
 */
#define T(name)             GPU_PASTE(TYPE, name)
#define GPU_PASTE(a, b)     GPU_PASTE_NOW(a, b)
#define GPU_PASTE_NOW(a, b) a##b

KERNEL(GPU_PASTE(gpu_float_, TYPE), gpu_product_args)
{
    SHARED float w[GPU_FLOAT_TILE][GPU_FLOAT_TILE + 1];
    SHARED float x[GPU_FLOAT_TILE][GPU_FLOAT_TILE + 1];
    int r0 = BLOCK_X * GPU_FLOAT_TILE, t0 = BLOCK_Y * GPU_FLOAT_TILE;
    float y[8];
    if (!gpu_by_expert(&a) || t0 >= a.n) return;
    UNROLL for (int i = 0; i < 8; i++) y[i] = 0;
    for (int k0 = 0; k0 < a.w.n_col; k0 += GPU_FLOAT_TILE) {
        int k = k0 + LANE;
        BARRIER();
        float from_w[8], from_x[8]; /* in flight together */
        UNROLL for (int j = 0; j < GPU_FLOAT_TILE / GPU_WARPS; j++)
        {
            int i = WARP + j * GPU_WARPS, in = k < a.w.n_col;
            int r = r0 + i < a.n_row ? r0 + i : a.n_row - 1;
            int t = t0 + i < a.n ? t0 + i : a.n - 1;
            r = gpu_weight_row(&a, r);
            t = gpu_row_in(&a, t);
            from_w[j] = in ? T(_at)(a.w.raw + r * a.w.pitch, k) : 0.0f;
            from_x[j] = in ? a.x[(int64_t)t * a.w.n_col + k] : 0.0f;
        }
        UNROLL for (int j = 0; j < GPU_FLOAT_TILE / GPU_WARPS; j++)
        {
            w[WARP + j * GPU_WARPS][LANE] = from_w[j];
            x[WARP + j * GPU_WARPS][LANE] = from_x[j];
        }
        BARRIER();
        int n_k =
            a.w.n_col - k0 < GPU_FLOAT_TILE ? a.w.n_col - k0 : GPU_FLOAT_TILE;
        UNROLL_8 for (int l = 0; l < n_k; l++)
            UNROLL for (int i = 0; i < 8; i++) y[i] =
                gpu_fma(w[LANE][l], x[WARP * 8 + i][l], y[i]);
    }
    UNROLL for (int i = 0; i < 8; i++)
    {
        int t = t0 + WARP * 8 + i, r = r0 + LANE;
        float v = a.w.scale == 1.0f ? y[i] : y[i] * a.w.scale;
        if (t < a.n && r < a.n_row) gpu_put(&a, r, t, v);
    }
}

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
