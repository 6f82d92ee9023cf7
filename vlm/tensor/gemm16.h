/* gemm16.h - products of numbers of 16 bits, made of F32.
 *
 * Three kinds. BF16: the upper half of F32, rounded to nearest even (subnormal
 * numbers are 0), products exact and summed in F32. Words: whole numbers up to
 * GEMM16_MOST, with a scale for each row or column of a tile, summed exactly
 * within a tile and in F32 from tile to tile; they keep five bits more. Bytes:
 * the same up to 127, for the eye's attention where its products with weights
 * are in bytes anyway. One text (k_gemm16_body.h) is compiled for each unit that
 * has such products; a table is chosen at run time.
 *
 * Both factors lie in tiles of GEMM16_TILE by GEMM16_K numbers, 1 KB each, with
 * zeros where a matrix ends:
 *     row tiles     a[k / 32][row][k % 32]               sixteen rows
 *     column tiles  b[k / 32][k % 32 / 2][column][k % 2]  sixteen columns
 * Behind a tile of words or bytes lie its sixteen scales. Bytes of a row have no
 * sign, and a lane of a column tile has four k in place of two: b[k / 32]
 * [k % 32 / 4][column][k % 4]; behind its scales lies what its sums begin with.
 * Sixteen rows with all their k make a strip; the strips of a matrix are `step`
 * numbers apart, which the caller says.
 * RESULT   Depends on a row and a column alone, not on their tiles. The tiles
 *          of AMX and their model in C give the same bits, and so do all tables
 *          of words.
 * THREADS  Pure functions, but for begin and end.
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
    GEMM16_KEYS = 256,                       /* of a block of scores at most */
    GEMM16_NUMBERS = GEMM16_TILE * GEMM16_K, /* of a tile */
    GEMM16_WORDS = GEMM16_NUMBERS + 2 * GEMM16_TILE, /* and its scales */
    GEMM16_BYTES = GEMM16_NUMBERS / 2 + 4 * GEMM16_TILE,
    GEMM16_MOST = 8191 /* of a word: 32 products of two are below 2^31 */
};

/* n rows, and n_k columns of them, up to whole tiles. */
static inline size_t gemm16_rows(int n)
{
    return ((size_t)n + GEMM16_TILE - 1) / GEMM16_TILE * GEMM16_TILE;
}

/* See gemm16_rows. */
static inline size_t gemm16_columns(int n_k)
{
    return ((size_t)n_k + GEMM16_K - 1) / GEMM16_K * GEMM16_K;
}

/* Strips of rows times strips of columns: c[16 n_row, 16 n_column]. */
struct gemm16_product {
    int n_row, n_column; /* strips */
    int n_k;             /* tiles of each */
    const uint16_t *a, *b;
    size_t a_step, b_step; /* from strip to strip */
    float *c;
    size_t c_stride; /* from row to row */
    bool add;        /* to what is in c */
};

/* A block of scores on its way to weights, of which 2^(score - maximum) is
 * taken: up to GEMM16_TILE rows. */
struct gemm16_soften {
    float *score; /* [n_row, stride] */
    size_t stride;
    int n_row, n_key; /* keys behind n_key (at most GEMM16_KEYS) up to a whole
                       * tile count nothing */
    uint16_t *weight; /* one strip of row tiles, k = the key, whole tiles */
    float *most;      /* [n_row] maxima so far */
    float *sum;       /* [n_row, GEMM16_LANES] sums so far */
    float *out;       /* [n_row, n_out]: shrinks where a maximum grows */
    int n_out;        /* a multiple of GEMM16_LANES */
    bool first;       /* nothing so far */
};

struct gemm16 {
    const char *name; /* "amx", "tile model"; of words: "avx512",
                       * "avx2+vnni", "avx2", "c"; "bytes of ...", "bytes in c" */
    int tile;         /* numbers from tile to tile: GEMM16_NUMBERS of BF16,
                       * GEMM16_WORDS, GEMM16_BYTES */
    bool weights;     /* better for products with weights than 8 bits */

    /* Around calls of mul of one thread. */
    void (*begin)(void);
    void (*end)(void);

    void (*mul)(const struct gemm16_product *p);

    /* n <= GEMM16_TILE rows x[n, n_k] as row tiles. */
    void (*pack_rows)(const float *x, size_t stride, int n, int n_k,
                      uint16_t *out);

    /* n <= GEMM16_TILE rows x[n, n_k] as column tiles: row i becomes column i,
     * the columns of x are k. */
    void (*pack_columns)(const float *x, size_t stride, int n, int n_k,
                         uint16_t *out);

    /* The same of GEMM16_TILE rows of a weight in F32, F16 or BF16. */
    void (*unpack)(enum quant_type type, const uint8_t *const *row, int n_k,
                   uint16_t *out);

    /* x[n_k, GEMM16_TILE] as column tiles: a row is a k. */
    void (*pack_k)(const float *x, size_t stride, int n_k, uint16_t *out);

    void (*soften)(const struct gemm16_soften *s);
};

/* Numbers of a strip of n_k columns. */
static inline size_t gemm16_strip(const struct gemm16 *h, int n_k)
{
    return gemm16_columns(n_k) / GEMM16_K * (size_t)h->tile;
}

/* The best table for a set of enum cpu_feature, or NULL: floats are better. */
const struct gemm16 *gemm16_pick(unsigned features);

/* The best table of words, or NULL. */
const struct gemm16 *gemm16_pick_int16(unsigned features);

#endif
