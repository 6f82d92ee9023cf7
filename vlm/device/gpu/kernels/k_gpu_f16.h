/* k_gpu_f16.h - products with 16-bit weights on tensor cores, for the vision
 * encoder: included for F16 and BF16. Activations and weights become F16
 * (clamped to 65,504), sums are F32: a block of threads computes 64 x 64
 * numbers as in k_gpu_matmul.h, each warp 32 x 32.
 */
#define T(name)             GPU_PASTE(TYPE, name)
#define GPU_PASTE(a, b)     GPU_PASTE_NOW(a, b)
#define GPU_PASTE_NOW(a, b) a##b

/* Columns k0 .. k0 + 63 of rows r0 .. of weights, t0 .. of activations; rows
 * after the last repeat it, columns after the last are 0. A thread has the same
 * two columns of every fourth row, eight rows at a time. */
INSIDE void T(_halve)(struct gpu_half_tile *s, const struct gpu_product_args *a,
                      int r0, int t0, int k0)
{
    int word = LANE, k = k0 + 2 * word, n = a->w.n_col - k;
    for (int from = WARP; from < GPU_TILE; from += 8 * GPU_WARPS) {
        float w[8][2], x[8][2];
        UNROLL for (int j = 0; j < 8; j++)
        {
            int row = from + j * GPU_WARPS;
            int r = r0 + row < a->n_row ? r0 + row : a->n_row - 1;
            int t = t0 + row < a->n ? t0 + row : a->n - 1;
            const uint8_t *raw = a->w.raw + r * a->w.pitch;
            const float *act = a->x + (int64_t)t * a->w.n_col + k;
            w[j][0] = n > 0 ? T(_at)(raw, k) : 0.0f;
            w[j][1] = n > 1 ? T(_at)(raw, k + 1) : 0.0f;
            x[j][0] = n > 0 ? gpu_in_half(act[0]) : 0.0f;
            x[j][1] = n > 1 ? gpu_in_half(act[1]) : 0.0f;
        }
        UNROLL for (int j = 0; j < 8; j++)
        {
            int row = from + j * GPU_WARPS;
            s->w[row][word] = gpu_two_halves(w[j][0], w[j][1]);
            s->x[row][word] = gpu_two_halves(x[j][0], x[j][1]);
        }
    }
}

KERNEL(GPU_PASTE(gpu_half_, TYPE), gpu_product_args)
{
    SHARED struct gpu_half_tile s;
    int r0 = BLOCK_X * GPU_TILE, t0 = BLOCK_Y * GPU_TILE;
    int t = WARP / 2 * 32, r = WARP % 2 * 32;
    float y[2][4][4];
    UNROLL for (int i = 0; i < 32; i++) y[i / 16][i / 4 % 4][i % 4] = 0;
    for (int k0 = 0; k0 < a.w.n_col; k0 += 2 * GPU_HALF_WORDS) {
        BARRIER();
        T(_halve)(&s, &a, r0, t0, k0);
        BARRIER();
        gpu_half_step(&s, t, r, y);
    }
    UNROLL for (int i = 0; i < 32; i++)
    {
        int at = t0 + t + i / 16 * 16 + LANE / 4 + i % 4 / 2 * 8;
        int row = r0 + r + i / 4 % 4 * 8 + LANE % 4 * 2 + i % 2;
        if (at < a.n && row < a.n_row)
            a.y[(int64_t)at * a.y_stride + row] =
                y[i / 16][i / 4 % 4][i % 4] * a.w.scale;
    }
}

#undef T
#undef GPU_PASTE
#undef GPU_PASTE_NOW
#undef TYPE
