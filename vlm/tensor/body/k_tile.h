/* k_tile.h - products in tiles: source of `mul` with eight tile registers.
 *
 * An including file defines the registers (TILE_FILE, at the start of a
 * function), and for constant register numbers
 *   tile_zero(t), tile_load(t, from, stride), tile_store(t, to, stride) in
 *   bytes, and tile_dot(c, a, b): c[m][n] += sum over k of a[m][2k] b[k][2n] +
 *   a[m][2k + 1] b[k][2n + 1], of BF16.
 * Registers 0 to 3 are sums, 4 and 5 rows, 6 and 7 columns.
 */
#include "vlm/tensor/gemm16.h"

/* The operand of tileloadcfg. */
struct tile_shape {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t n_row[16];
};

enum { TILE_BYTES = 64 };

INLINE void tile_sums(TILE_FILE_ARG int rows, int columns, const float *c,
                      size_t stride)
{
    size_t below = GEMM16_TILE * stride, bytes = stride * sizeof *c;
    tile_load(0, c, bytes);
    if (columns > 1) tile_load(1, c + GEMM16_TILE, bytes);
    if (rows > 1) tile_load(2, c + below, bytes);
    if (rows > 1 && columns > 1) tile_load(3, c + below + GEMM16_TILE, bytes);
}

INLINE void tile_keep(TILE_FILE_ARG int rows, int columns, float *c,
                      size_t stride)
{
    size_t below = GEMM16_TILE * stride, bytes = stride * sizeof *c;
    tile_store(0, c, bytes);
    if (columns > 1) tile_store(1, c + GEMM16_TILE, bytes);
    if (rows > 1) tile_store(2, c + below, bytes);
    if (rows > 1 && columns > 1) tile_store(3, c + below + GEMM16_TILE, bytes);
}

/* One or two strips of rows and of columns; constants once inlined. */
INLINE void mul_block(const struct gemm16_product *p, int rows, int columns,
                      const uint16_t *a, const uint16_t *b, float *c)
{
    TILE_FILE
    if (p->add) {
        tile_sums(TILE_FILE_GIVE rows, columns, c, p->c_stride);
    } else {
        tile_zero(0);
        tile_zero(1);
        tile_zero(2);
        tile_zero(3);
    }
    for (int k = 0; k < p->n_k; k++, a += GEMM16_NUMBERS, b += GEMM16_NUMBERS) {
        tile_load(4, a, TILE_BYTES);
        tile_load(6, b, TILE_BYTES);
        tile_dot(0, 4, 6);
        if (columns > 1) tile_load(7, b + p->b_step, TILE_BYTES);
        if (columns > 1) tile_dot(1, 4, 7);
        if (rows > 1) tile_load(5, a + p->a_step, TILE_BYTES);
        if (rows > 1) tile_dot(2, 5, 6);
        if (rows > 1 && columns > 1) tile_dot(3, 5, 7);
    }
    tile_keep(TILE_FILE_GIVE rows, columns, c, p->c_stride);
}

static void mul(const struct gemm16_product *p)
{
    for (int i = 0; i < p->n_row; i += 2)
        for (int j = 0; j < p->n_column; j += 2) {
            const uint16_t *a = p->a + (size_t)i * p->a_step;
            const uint16_t *b = p->b + (size_t)j * p->b_step;
            float *c = p->c + (size_t)(i * GEMM16_TILE) * p->c_stride +
                       j * GEMM16_TILE;
            bool two_rows = i + 1 < p->n_row, two = j + 1 < p->n_column;
            if (two_rows && two)
                mul_block(p, 2, 2, a, b, c);
            else if (two_rows)
                mul_block(p, 2, 1, a, b, c);
            else if (two)
                mul_block(p, 1, 2, a, b, c);
            else
                mul_block(p, 1, 1, a, b, c);
        }
}
