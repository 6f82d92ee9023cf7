/* matmul16.c - products of weights in 16 bits (gemm16.h).
 *
 * As in matmul.c a thread unpacks rows of a weight where it uses them, a few
 * hundred columns at a time: here several panels side by side, so that a tile
 * of activations serves all of them while it is in the first-level cache, and
 * the panels stay in the second. They are unpacked anew each time: that costs a
 * few hundredths of the time (vlm/SPEED.md) and no memory.
 */
#include <string.h>

#include "vlm/tensor/matmul_inside.h"

enum {
    STEP = 512, /* columns at a time; the maximum size of a strip: */
    STRIP = STEP / GEMM16_K * GEMM16_INT16,
    PAIR = 2 * GEMM16_TILE,            /* tokens of two strips */
    STRIPS = PANEL_ROWS / GEMM16_TILE, /* strips of a panel */
    BLOCK = PAIR * PANEL_ROWS          /* sums of a panel for two strips */
};

_Static_assert(PAIR == (int)PANEL_ROWS && STEP <= (int)PANEL_I8_K,
               "blocks are square");

static void unpack_int8(const struct product_run *run, enum quant_type type,
                        const uint8_t *const *row, int n_k, uint16_t *out)
{
    _Alignas(64) struct panel_i8 panel;
    run->k->unpack_i8(type, row, NULL, n_k, &panel);
    for (int s = 0; s < STRIPS; s++)
        run->gemm16->unpack_panel(&panel, run->k->flip, s * GEMM16_TILE,
                                  out + s * STRIP);
}

/* Unpacks n_k columns of a panel's rows as strips of columns. */
static void unpack(const struct product_run *run, enum quant_type type,
                   const uint8_t *const *row, int n_k, uint16_t *out)
{
    if (quant_form(type).sub) {
        unpack_int8(run, type, row, n_k, out);
        return;
    }
    for (int s = 0; s < STRIPS; s++)
        run->gemm16->unpack(type, row + s * GEMM16_TILE, n_k, out + s * STRIP);
}

/* The panels' columns k .. k + n_k - 1 times those of all tokens, into
 * consecutive blocks of sums. */
static void mul_panels(const struct product_run *run, int n_panel, int k,
                       int n_k, const uint16_t *w, float *sum)
{
    size_t strip = gemm16_strip(run->gemm16, run->n_col);
    struct gemm16_product b = {.n_row = PAIR / GEMM16_TILE,
                               .n_column = STRIPS,
                               .n_k = (int)(gemm16_columns(n_k) / GEMM16_K),
                               .a_step = strip,
                               .b_step = STRIP,
                               .c_stride = PANEL_ROWS,
                               .add = k > 0};
    const uint16_t *a =
        run->acts[FORM_16BIT].half + gemm16_strip(run->gemm16, k);
    for (int t = 0; t < run->n; t += PAIR)
        for (int i = 0; i < n_panel; i++, sum += BLOCK) {
            b.a = a + (size_t)(t / GEMM16_TILE) * strip;
            b.b = w + i * STRIPS * STRIP;
            b.c = sum;
            run->gemm16->mul(&b);
        }
}

/* Stores a token's sums of n_row rows from `sum` on, a block per panel. */
static void store_token(float *y, const float *sum, int n_row)
{
    for (; n_row >= PANEL_ROWS; n_row -= PANEL_ROWS) {
        memcpy(y, sum, PANEL_ROWS * sizeof *y);
        y += PANEL_ROWS, sum += BLOCK;
    }
    if (n_row > 0) memcpy(y, sum, (size_t)n_row * sizeof *y);
}

/* Stores the sums of panels first .. last - 1. */
static void store_sums(const struct product_run *run, const struct product *p,
                       int first, int last, const float *sum)
{
    int row = first * PANEL_ROWS, n_row = (last - first) * PANEL_ROWS;
    if (n_row > p->n_row - row) n_row = p->n_row - row;
    for (int t = 0; t < run->n; t++) {
        size_t block = (size_t)(t / PAIR) * (size_t)(last - first) * BLOCK;
        store_token(p->y + (size_t)t * (size_t)p->n_row + row,
                    sum + block + t % PAIR * PANEL_ROWS, n_row);
    }
}

static void run_some(const struct product_run *run, const struct product *p,
                     int first, int last, float *sum)
{
    _Alignas(64) uint16_t w[PANELS_16BIT * STRIPS * STRIP];
    enum quant_type type = p->w->type;
    const uint8_t *row[PANELS_16BIT][PANEL_ROWS];
    for (int i = first; i < last; i++)
        matmul_panel_rows(p, i, row[i - first]);
    for (int k = 0; k < run->n_col; k += STEP) {
        int n_k = run->n_col - k < STEP ? run->n_col - k : STEP;
        for (int i = 0; i < last - first; i++) {
            unpack(run, type, row[i], n_k, w + i * STRIPS * STRIP);
            matmul_advance(row[i], quant_row_bytes(type, n_k));
        }
        mul_panels(run, last - first, k, n_k, w, sum);
    }
    store_sums(run, p, first, last, sum);
}

size_t matmul16_sum_floats(int n)
{
    size_t n_pair = ((size_t)n + PAIR - 1) / PAIR;
    return n_pair * PANELS_16BIT * BLOCK;
}

void matmul16_run(const struct product_run *run, const struct product *p,
                  int first, int last, int thread)
{
    float *sum = run->sums + (size_t)thread * run->thread_sums;
    run->gemm16->begin();
    for (; first < last; first += PANELS_16BIT) {
        int end = first + PANELS_16BIT < last ? first + PANELS_16BIT : last;
        run_some(run, p, first, end, sum);
    }
    run->gemm16->end();
}

void matmul16_prepare(const struct product_run *run, int first, int last)
{
    size_t n_col = (size_t)run->n_col;
    size_t strip = gemm16_strip(run->gemm16, run->n_col);
    uint16_t *to =
        run->acts[FORM_16BIT].half + (size_t)(first / GEMM16_TILE) * strip;
    for (int t = first; t < last; t += GEMM16_TILE, to += strip)
        run->gemm16->pack_rows(run->x + (size_t)t * n_col, n_col,
                               last - t < GEMM16_TILE ? last - t : GEMM16_TILE,
                               run->n_col, to);
    /* a block has two strips */
    if (last == run->n && (last - 1) % PAIR < GEMM16_TILE)
        run->gemm16->pack_rows(run->x, n_col, 0, run->n_col, to);
}

size_t matmul16_size(const struct gemm16 *h, int n, int n_col)
{
    size_t n_pair = ((size_t)n + PAIR - 1) / PAIR;
    return n_pair * PAIR / GEMM16_TILE * gemm16_strip(h, n_col);
}
