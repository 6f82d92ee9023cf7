/* gemm16.h - products of 16- and 8-bit numbers converted from F32.
 *
 * Three kinds. BF16: the upper half of F32, rounded to nearest even (subnormal
 * numbers are 0), products exact and summed in F32. Int16: integers up to
 * GEMM16_INT16_MAX, with a scale for each row or column of a tile, summed
 * exactly within a tile and in F32 from tile to tile; five bits more precise
 * than BF16. Int8: the same up to 127, for the vision encoder's attention where
 * its products with weights are in int8 anyway. One source (k_gemm16_body.h) is
 * compiled for each unit that has such products; a table is chosen at run time.
 *
 * Both factors are stored in tiles of GEMM16_TILE by GEMM16_K numbers, 1 KB
 * each, with zeros past the end of a matrix:
 *     row tiles     a[k / 32][row][k % 32]               sixteen rows
 *     column tiles  b[k / 32][k % 32 / 2][column][k % 2]  sixteen columns
 * A tile of int16 or int8 is followed by its sixteen scales. Int8 rows are
 * unsigned, and a lane of a column tile has four k instead of two: b[k / 32][k
 * % 32 / 4][column] [k % 4]; its scales are followed by the initial values of
 * its sums. Sixteen rows with all their k are a strip; the strips of a matrix
 * are `step` numbers apart, set by the caller.
 * RESULT   Depends on a row and a column alone, not on their tiles. The tiles
 *          of AMX and their model in C give the same bits, and so do all int16
 *          tables.
 * THREADS  Pure functions, except begin and end.
 */
#ifndef VLM_TENSOR_GEMM16_H
#define VLM_TENSOR_GEMM16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vlm/tensor/formats/quant.h"

enum {
    GEMM16_TILE = 16,
    GEMM16_K = 32,
    GEMM16_LANES = 16,
    GEMM16_KEYS = 256, /* maximum keys of a block of scores */
    GEMM16_NUMBERS = GEMM16_TILE * GEMM16_K,         /* numbers of a tile */
    GEMM16_INT16 = GEMM16_NUMBERS + 2 * GEMM16_TILE, /* the same with scales */
    GEMM16_INT8 = GEMM16_NUMBERS / 2 + 4 * GEMM16_TILE,
    GEMM16_INT16_MAX = 8191 /* 32 products of two such numbers are below 2^31 */
};

/* n rows, rounded up to whole tiles. */
static inline size_t gemm16_rows(int n)
{
    return ((size_t)n + GEMM16_TILE - 1) / GEMM16_TILE * GEMM16_TILE;
}

/* n_k columns, rounded up to whole tiles. */
static inline size_t gemm16_columns(int n_k)
{
    return ((size_t)n_k + GEMM16_K - 1) / GEMM16_K * GEMM16_K;
}

struct panel_i8;

/* Strips of rows times strips of columns: c[16 n_row, 16 n_column]. */
struct gemm16_product {
    int n_row, n_column; /* strips */
    int n_k;             /* tiles per strip */
    const uint16_t *a, *b;
    size_t a_step, b_step; /* distance of strips, in numbers */
    float *c;
    size_t c_stride; /* distance of rows, in floats */
    bool add;        /* add to c */
};

/* A block of scores that becomes weights 2^(score - maximum): up to GEMM16_TILE
 * rows. */
struct gemm16_softmax {
    float *score; /* [n_row, stride] */
    size_t stride;
    int n_row, n_key; /* keys after n_key (at most GEMM16_KEYS) up to a whole
                       * tile are ignored */
    uint16_t *weight; /* one strip of row tiles, k = key, whole tiles */
    float *most;      /* [n_row]: running maxima */
    float *sum;       /* [n_row, GEMM16_LANES]: running sums */
    float *out;       /* [n_row, n_out]: scaled down where a maximum grows */
    int n_out;        /* a multiple of GEMM16_LANES */
    bool first;       /* the first block of these rows */
};

struct gemm16 {
    const char *name; /* "amx", "tile model"; int16: "avx512", "avx2+vnni",
                       * "avx2", "c"; int8: "bytes of ...", "bytes in c" */
    int tile;         /* distance of tiles, in numbers: GEMM16_NUMBERS for BF16,
                       * GEMM16_INT16, GEMM16_INT8 */
    bool weights;     /* better than 8 bits for products with weights */

    /* Called before and after mul, in the same thread. */
    void (*begin)(void);
    void (*end)(void);

    void (*mul)(const struct gemm16_product *p);

    /* Packs n <= GEMM16_TILE rows x[n, n_k] as row tiles. */
    void (*pack_rows)(const float *x, size_t stride, int n, int n_k,
                      uint16_t *out);

    /* Packs n <= GEMM16_TILE rows x[n, n_k] as column tiles: row i becomes
     * column i, the columns of x are k. */
    void (*pack_columns)(const float *x, size_t stride, int n, int n_k,
                         uint16_t *out);

    /* The same for GEMM16_TILE rows of a weight in F32, F16 or BF16. */
    void (*unpack)(enum quant_type type, const uint8_t *const *row, int n_k,
                   uint16_t *out);

    /* Packs x[n_k, GEMM16_TILE] as column tiles: a row of x is a k. */
    void (*pack_k)(const float *x, size_t stride, int n_k, uint16_t *out);

    /* Packs 16 rows of an integer panel (kernels.h), from `row` on, as column
     * tiles; flip: the panel's table has it. */
    void (*unpack_panel)(const struct panel_i8 *p, bool flip, int row,
                         uint16_t *out);

    void (*softmax)(const struct gemm16_softmax *s);
};

/* Size of a strip of n_k columns, in numbers. */
static inline size_t gemm16_strip(const struct gemm16 *h, int n_k)
{
    return gemm16_columns(n_k) / GEMM16_K * (size_t)h->tile;
}

/* The best table for a set of enum cpu_feature; NULL: floats are better. */
const struct gemm16 *gemm16_pick(unsigned features);

/* The table of tiles alone, AMX or its model, or NULL. */
const struct gemm16 *gemm16_pick_tiles(unsigned features);

/* The best int16 table, or NULL. */
const struct gemm16 *gemm16_pick_int16(unsigned features);

#endif
