/* k_sums.h - products and rounding of integers with a scale for each row or
 * column of a tile: int16 and int8.
 *
 * An including file defines the vectors of k_gemm16_body.h, and
 *   vw, VW                    a register of VW ints; PARTS of them are a strip
 *   dot(sum, x, w)            sum += all products of a lane's numbers
 *   add_vw(c, sum, b, a)      c[VW] += sum as F32, times b[VW], times a
 *   magnitude_vf(v)
 *   TILE_ROW, TILE_SIZE       uint16_t of a row in a tile, and of a tile
 *   begin_sum(b, j)           initial sums of part j of a column tile
 *   ROWS, STRIPS              rows and strips of columns of a block of sums
 */
#include <math.h>
#include <string.h>

enum { PARTS = GEMM16_TILE / VW };

/* ---- rounding --------------------------------------------------------- */

/* limit / m and m / limit of a largest magnitude m. If m is not finite both are
 * NaN; if it is too small it counts as zero. */
INLINE float scale_to(float limit, float most, float *scale)
{
    *scale = most < 0x1p-100f ? 0 : most / limit;
    if (!(most <= 0x1.fffffep127f)) *scale = NAN;
    return most < 0x1p-100f ? 0 : limit / most;
}

/* Rounds into the lower bits: the constant makes the addition round to nearest
 * even. */
INLINE vf round_vf(vf v, vf inverse)
{
    return add_vf(mul_vf(v, inverse), all_vf(0x1.8p23f));
}

/* Scales of each column of n rows. */
INLINE vf measure_to(float limit, const float *x, size_t stride, int n,
                     float *scale)
{
    vf most = all_vf(0);
    float lane[GEMM16_LANES];
    for (int i = 0; i < n; i++)
        most = max_vf(magnitude_vf(load(x + (size_t)i * stride)), most);
    store(lane, most);
    for (int i = 0; i < GEMM16_LANES; i++)
        lane[i] = scale_to(limit, lane[i], scale + i);
    return load(lane);
}

/* ---- products --------------------------------------------------------- */

INLINE vw load_vw(const uint16_t *p)
{
    vw v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* One lane's numbers of a row, in every lane. */
INLINE vw lane_of(const uint16_t *a)
{
    int32_t lane;
    memcpy(&lane, a, sizeof lane);
    return (vw){0} + lane;
}

/* A tile of ROWS rows times one or two strips of columns. */
INLINE void sum_tile(int n_part, size_t b_step, const uint16_t *a,
                     const uint16_t *b, vw sum[ROWS][STRIPS * PARTS])
{
    for (int l = 0; l < TILE_ROW / 2; l++) {
        vw w[STRIPS * PARTS];
#pragma GCC unroll 8
        for (int j = 0; j < n_part; j++)
            w[j] = load_vw(b + (size_t)(j / PARTS) * b_step +
                           l * 2 * GEMM16_TILE + j % PARTS * 2 * VW);
#pragma GCC unroll 8
        for (int i = 0; i < ROWS; i++) {
            vw x = lane_of(a + i * TILE_ROW + 2 * l);
#pragma GCC unroll 8
            for (int j = 0; j < n_part; j++)
                sum[i][j] = dot(sum[i][j], x, w[j]);
        }
    }
}

/* Sets the initial sums. */
INLINE void begin_tile(int n_part, size_t b_step, const uint16_t *b,
                       vw sum[ROWS][STRIPS * PARTS])
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < n_part; j++)
            sum[i][j] = begin_sum(b + (size_t)(j / PARTS) * b_step, j % PARTS);
}

/* Stores a tile's sums times their scales in c, or adds them. */
INLINE void keep_tile(int n_part, vw sum[ROWS][STRIPS * PARTS],
                      const float *a_scale, const float *b_scale, size_t b_step,
                      float *c, size_t c_stride, bool add)
{
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 8
        for (int j = 0; j < n_part; j++)
            add_vw(c + (size_t)i * c_stride + j * VW, sum[i][j],
                   b_scale + (size_t)(j / PARTS) * b_step + j % PARTS * VW,
                   a_scale[i], add);
}

/* Rows row .. row + ROWS - 1 of a strip times n_strip of columns. */
INLINE void mul_rows(const struct gemm16_product *p, int n_strip, int row,
                     const uint16_t *a, const uint16_t *b, float *c)
{
    size_t b_step = p->b_step, c_stride = p->c_stride;
    bool add = p->add;
    int n_part = n_strip * PARTS;
    for (int k = p->n_k; k > 0; k--, a += TILE_SIZE, b += TILE_SIZE) {
        vw sum[ROWS][STRIPS * PARTS];
        begin_tile(n_part, b_step, b, sum);
        const float *b_scale =
            (const float *)(const void *)(b + TILE_ROW * GEMM16_TILE);
        const float *a_scale =
            (const float *)(const void *)(a + TILE_ROW * GEMM16_TILE) + row;
        sum_tile(n_part, b_step, a + row * TILE_ROW, b, sum);
        if (add)
            keep_tile(n_part, sum, a_scale, b_scale, b_step / 2, c, c_stride,
                      true);
        else
            keep_tile(n_part, sum, a_scale, b_scale, b_step / 2, c, c_stride,
                      false);
        add = true;
    }
}

static void mul(const struct gemm16_product *p)
{
    for (int j = 0; j < p->n_column; j += STRIPS)
        for (int i = 0; i < p->n_row * GEMM16_TILE; i += ROWS) {
            const uint16_t *a = p->a + (size_t)(i / GEMM16_TILE) * p->a_step;
            const uint16_t *b = p->b + (size_t)j * p->b_step;
            float *c = p->c + (size_t)i * p->c_stride + j * GEMM16_TILE;
            if (j + STRIPS <= p->n_column)
                mul_rows(p, STRIPS, i % GEMM16_TILE, a, b, c);
            else
                mul_rows(p, 1, i % GEMM16_TILE, a, b, c);
        }
}

static void begin(void)
{
}

static void end(void)
{
}
