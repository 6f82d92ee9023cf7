/* k_panel.h - source of the panel kernels for sets with two registers of rows.
 *
 * An including file defines, after k_unpack.h, TILE_I8 and TILE_F32 (tokens
 * whose sums fit into the registers), WIDTH_I8 (its tile_i8: tokens of a whole
 * tile, a multiple of TILE_I8) and
 *   dot_sub(n_token, sub, q, x, init, width, sum)  integer sums of a sub-block:
 *       sum[t][h] over `sub` values at q[j * STEP_BYTES + 4 * VW * h] (j < sub
 *       / 4) and x[(j * width + t) * 4]; with TURN they start with init[t]
 * and with NARROW_SUMS (k_blocks.h)
 * and with NARROW_SUMS (k_blocks.h)
 *   dot_small(n_token, sub, fit, q, x, width, sum)  the same of a panel with
 *       `fit`, of the bytes as they are
 */
#if !NARROW_SUMS
#    define dot_small(n, sub, fit, q, x, width, sum) ((void)0)
#endif

INLINE vf load_rows(const float *y, int n)
{
    vf v = {0};
    if (n >= VW)
        memcpy(&v, y, sizeof v);
    else if (n > 0)
        memcpy(&v, y, (size_t)n * sizeof *y);
    return v;
}

INLINE vf load_vf(const float *p)
{
    vf v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Destination of a tile's sums: token 0, row 0. */
struct panel_out {
    float *y;
    size_t stride;
    int n_row; /* rows from row 0 */
    bool add;
};

INLINE void load_out(const struct panel_out *out, int n_token, vf y[][2])
{
#pragma GCC unroll 8
    for (int t = 0; t < n_token; t++)
#pragma GCC unroll 2
        for (int h = 0; h < 2; h++)
            y[t][h] = out->add
                          ? load_rows(out->y + (size_t)t * out->stride + VW * h,
                                      out->n_row - VW * h)
                          : (vf){0};
}

INLINE void store_out(const struct panel_out *out, int n_token, vf y[][2])
{
#pragma GCC unroll 8
    for (int t = 0; t < n_token; t++)
#pragma GCC unroll 2
        for (int h = 0; h < 2; h++)
            store_rows(out->y + (size_t)t * out->stride + VW * h, y[t][h],
                       out->n_row - VW * h);
}

/* Part of a tile: a block of `act` values of sixteen rows. */
struct panel_block {
    const uint8_t *w;
    const float *scale, *min;
    const int8_t *q;
    const float *sum;
    const int32_t *init;
    vf less; /* minus the panel's offset */
};

/* part += the products of a sub-block. */
INLINE void add_sub(int n_token, int width, int sub, int fit, bool has_min,
                    const struct panel_block *b, vf part[][2])
{
    vs sum[TILE_I8][2];
    if (fit)
        dot_small(n_token, sub, fit, b->w, b->q, width, sum);
    else
        dot_sub(n_token, sub, b->w, b->q, b->init, width, sum);
#pragma GCC unroll 2
    for (int h = 0; h < 2; h++) {
        vf scale = load_vf(b->scale + VW * h);
#pragma GCC unroll 8
        for (int t = 0; t < n_token; t++) {
            vf n = __builtin_convertvector(sum[t][h], vf);
            if (fit && !has_min) n = fma_vf(b->less, b->sum[t] - (vf){0}, n);
            part[t][h] = fma_vf(scale, n, part[t][h]);
        }
        if (!has_min) continue;
        vf min = load_vf(b->min + VW * h);
#pragma GCC unroll 8
        for (int t = 0; t < n_token; t++)
            part[t][h] = fma_vf(min, b->sum[t] - (vf){0}, part[t][h]);
    }
}

/* Tokens t0 .. and rows r0 .. of a panel. `width` is x's: a constant where the
 * tile is whole, so that its addresses need no arithmetic; so is `act` where a
 * sub-block is all of a block. */
INLINE void tile_i8(int n_token, int width, int act, int sub, int fit,
                    bool has_min, const struct panel_i8 *p,
                    const struct act_tile *x, int t0, int r0,
                    const struct panel_out *out)
{
    vf y[TILE_I8][2], part[TILE_I8][2];
    const float *d = x->d + t0;
    struct panel_block b = {p->q + 4 * r0,
                            p->scale + r0,
                            p->min + r0,
                            x->q + 4 * t0,
                            x->sum + t0,
                            x->init + t0,
                            (vf){0} - (float)p->offset};
    load_out(out, n_token, y);
    for (int k0 = 0; k0 < p->n_k; k0 += act, d += width) {
        int end = p->n_k - k0 < act ? p->n_k : k0 + act;
#pragma GCC unroll 8
        for (int t = 0; t < n_token; t++)
            part[t][0] = part[t][1] = (vf){0};
        for (int k = k0; k < end || sub == act; k += sub) {
            add_sub(n_token, width, sub, fit, has_min, &b, part);
            b.w += sub * PANEL_ROWS, b.q += sub * width;
            b.scale += PANEL_ROWS, b.min += PANEL_ROWS;
            b.sum += width, b.init += width;
            if (sub == act) break;
        }
#pragma GCC unroll 8
        for (int t = 0; t < n_token; t++)
#pragma GCC unroll 2
            for (int h = 0; h < 2; h++)
                y[t][h] = fma_vf(d[t] - (vf){0}, part[t][h], y[t][h]);
    }
    store_out(out, n_token, y);
}

INLINE void tiles_of(int n_token, int width, const struct panel_i8 *p,
                     const struct act_tile *x, int t0, int r0,
                     const struct panel_out *out)
{
#define TILE(act_, sub_, fit_, min_)                                        \
    if (p->form.sub == sub_ && p->form.has_min == min_ && p->fit == fit_) { \
        tile_i8(n_token, width, act_, sub_, fit_, min_, p, x, t0, r0, out); \
        return;                                                             \
    }
#define FORM(sub, fit, min) TILE(p->form.act, sub, fit, min)
    if (p->form.act == 32) TILE(32, 32, 0, false)
    FORM(32, 0, false)
    FORM(16, 0, false)
#if NARROW_SUMS
    FORM(32, 8, true)
    FORM(32, 4, true)
    FORM(32, 8, false)
    FORM(32, 4, false)
    FORM(16, 4, true)
    FORM(16, 4, false)
    FORM(16, 2, false)
#else
    FORM(32, 0, true)
    FORM(16, 0, true)
#endif
#undef FORM
#undef TILE
}

static void panel_i8(const struct panel_i8 *panel, const struct act_tile *x,
                     float *y, size_t y_stride, int n_row, bool add)
{
    for (int r = 0; r < n_row; r += 2 * VW) {
        struct panel_out out = {y + r, y_stride, n_row - r, add};
        int t = 0, whole = x->width == WIDTH_I8 ? WIDTH_I8 : 0;
        for (; t + TILE_I8 <= whole; t += TILE_I8) {
            tiles_of(TILE_I8, WIDTH_I8, panel, x, t, r, &out);
            out.y += TILE_I8 * y_stride;
        }
        if (WIDTH_I8 == TILE_I8 && t < x->width) {
            switch (x->width) {
            case 3: tiles_of(3, 3, panel, x, 0, r, &out); break;
            case 2: tiles_of(2, 2, panel, x, 0, r, &out); break;
            default: tiles_of(1, 1, panel, x, 0, r, &out);
            }
            continue;
        }
        for (; t < x->width; t++) {
            tiles_of(1, x->width, panel, x, t, r, &out);
            out.y += y_stride;
        }
    }
}

INLINE void tile_f32(int n_token, const float *panel, int n_k, const float *x,
                     size_t x_stride, const struct panel_out *out)
{
    vf y[TILE_F32][2];
    load_out(out, n_token, y);
    for (int k = 0; k < n_k; k++, panel += PANEL_ROWS, x += x_stride) {
        vf w0 = load_vf(panel), w1 = load_vf(panel + VW);
#pragma GCC unroll 8
        for (int t = 0; t < n_token; t++) {
            vf v = x[t] - (vf){0};
            y[t][0] = fma_vf(w0, v, y[t][0]);
            y[t][1] = fma_vf(w1, v, y[t][1]);
        }
    }
    store_out(out, n_token, y);
}

static void panel_f32(const float *panel, int n_k, const float *x,
                      size_t x_stride, int n, float *y, size_t y_stride,
                      int n_row, bool add)
{
    for (int r = 0; r < n_row; r += 2 * VW) {
        int t = 0;
        for (; t + TILE_F32 <= n; t += TILE_F32)
            tile_f32(TILE_F32, panel + r, n_k, x + t, x_stride,
                     &(struct panel_out){y + (size_t)t * y_stride + r, y_stride,
                                         n_row - r, add});
        for (; t < n; t++)
            tile_f32(1, panel + r, n_k, x + t, x_stride,
                     &(struct panel_out){y + (size_t)t * y_stride + r, y_stride,
                                         n_row - r, add});
    }
}

typedef int8_t vb __attribute__((vector_size(VW)));

static void round_row(const float *x, int n, int act, int8_t *q, float *d)
{
    for (int k0 = 0; k0 < n; k0 += act) {
        int end = n - k0 < act ? n : k0 + act;
        vs most = {0};
        for (int k = k0; k < end; k += VW) {
            vs v;
            memcpy(&v, x + k, sizeof v);
            v &= 0x7fffffff;
            vs larger = v > most;
            most = (v & larger) | (most & ~larger);
        }
        uint32_t top = 0;
        for (int i = 0; i < VW; i++)
            if ((uint32_t)most[i] > top) top = (uint32_t)most[i];
        float inverse = round_scale(top, &d[k0 / act]);
        for (int k = k0; k < end; k += VW) {
            vf v = load_vf(x + k) * inverse + 0x1.8p23f;
            vb bytes = __builtin_convertvector((vs)v, vb);
            memcpy(q + k, &bytes, sizeof bytes);
        }
    }
}
