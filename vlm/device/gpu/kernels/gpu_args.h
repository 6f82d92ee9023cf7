/* gpu_args.h - every kernel: name and arguments.
 *
 * Used by both sides: the host fills the structs, kernels get them by value.
 * Pointers are to device memory. n: rows of the pass; a grid is given in blocks
 * of GPU_THREADS threads, as (x, y, z).
 */
#ifndef VLM_DEVICE_GPU_KERNELS_GPU_ARGS_H
#define VLM_DEVICE_GPU_KERNELS_GPU_ARGS_H

#include <stdbool.h>
#include <stdint.h>

/* Types of weights: quantised ones with integer products, and floats. The
 * spread types exist on the device only: types without kernels of their own
 * (IQ1, IQ2, IQ3, TQ). Of a quantised type (struct gpu_form): bits of a code;
 * what a value is less than its code, or the table that has it; how scales are
 * kept; values and activations that share one; whether there are minima. */
#define GPU_QUANTS(F, X)                            \
    F(q4_0, X, 4, 8, GPU_HALVES, 32, 32, 0)         \
    F(q4_1, X, 4, 0, GPU_HALVES, 32, 32, 1)         \
    F(q5_0, X, 5, 16, GPU_HALVES, 32, 32, 0)        \
    F(q5_1, X, 5, 0, GPU_HALVES, 32, 32, 1)         \
    F(q8_0, X, 8, 0, GPU_HALVES, 32, 32, 0)         \
    F(q2_k, X, 2, 0, GPU_CODES, 16, 256, 1)         \
    F(q3_k, X, 3, 4, GPU_CODES, 16, 256, 0)         \
    F(q4_k, X, 4, 0, GPU_CODES, 32, 256, 1)         \
    F(q5_k, X, 5, 0, GPU_CODES, 32, 256, 1)         \
    F(q6_k, X, 6, 32, GPU_CODES, 16, 256, 0)        \
    F(iq4_nl, X, 4, GPU_IQ4, GPU_HALVES, 32, 32, 0) \
    F(iq4_xs, X, 4, GPU_IQ4, GPU_CODES, 32, 256, 0) \
    F(mxfp4, X, 4, GPU_FP4, GPU_SINGLES, 32, 32, 0) \
    F(nvfp4, X, 4, GPU_FP4, GPU_HALVES, 16, 32, 0)  \
    F(spread16, X, 8, 0, GPU_SINGLES, 16, 256, 0)   \
    F(spread32, X, 8, 0, GPU_SINGLES, 32, 256, 0)
#define GPU_FLOATS(F, X) F(f32, X) F(f16, X) F(bf16, X)

/* Instances of the family gpu_product: rows of activations of a block's tile, of
 * GPU_TILE rows of weights. */
#define GPU_PRODUCTS(F, type, X) \
    F(type, X, r64t64, 64)       \
    F(type, X, r64t32, 32)       \
    F(type, X, r64t16, 16)

/* Instances of the family gpu_direct: rows of weights and of activations of a
 * block; warps that share a row (1 or 4); columns of a step, of which each
 * thread has rows * columns / 4096 pieces of 32 in flight. The first one serves
 * where nothing was timed (gpu_choice.h). All compute the same bits. */
#define GPU_DIRECTS(F, type, X)         \
    F(type, X, r16t8w1, 16, 8, 1, 1024) \
    F(type, X, r4t8w4, 4, 8, 4, 2048)   \
    F(type, X, r16t1w1, 16, 1, 1, 1024) \
    F(type, X, r8t1w4, 8, 1, 4, 2048)   \
    F(type, X, r4t1w4, 4, 1, 4, 4096)

/* Instances of the family gpu_float: rows of weights and of activations of a block;
 * columns of a step. */
#define GPU_FLOAT_TILES(F, type, X) \
    F(type, X, r32t32, 32, 32, 32)  \
    F(type, X, r8t16, 8, 16, 128)

/* All kernels: name and args. */
#define GPU_KERNELS(X)                    \
    X(gpu_norm, gpu_norm_args)            \
    X(gpu_round, gpu_round_args)          \
    X(gpu_add, gpu_pair_args)             \
    X(gpu_silu_mul, gpu_pair_args)        \
    X(gpu_take_rows, gpu_take_args)       \
    X(gpu_keep_rows, gpu_keep_args)       \
    X(gpu_patch, gpu_patch_args)          \
    X(gpu_place, gpu_place_args)          \
    X(gpu_centre, gpu_centre_args)        \
    X(gpu_bias, gpu_bias_args)            \
    X(gpu_turn, gpu_turn_args)            \
    X(gpu_see, gpu_see_args)              \
    X(gpu_half_f16, gpu_product_args)     \
    X(gpu_half_bf16, gpu_product_args)    \
    X(gpu_attend_ready, gpu_attend_args)  \
    X(gpu_attend, gpu_attend_args)        \
    X(gpu_attend_scores, gpu_attend_args) \
    X(gpu_attend_values, gpu_attend_args) \
    X(gpu_attend_join, gpu_attend_args)   \
    X(gpu_delta_ready, gpu_delta_args)    \
    X(gpu_delta_pairs, gpu_delta_args)    \
    X(gpu_delta, gpu_delta_args)          \
    X(gpu_delta_gate, gpu_delta_args)     \
    X(gpu_delta_token, gpu_delta_args)    \
    X(gpu_route, gpu_route_args)          \
    X(gpu_group, gpu_group_args)          \
    X(gpu_experts_join, gpu_join_args)    \
    GPU_QUANTS(GPU_OF_QUANT, X)           \
    GPU_FLOATS(GPU_OF_FLOAT, X)
#define GPU_OF_QUANT(type, X, ...)        \
    GPU_PRODUCTS(GPU_OF_PRODUCT, type, X) \
    GPU_DIRECTS(GPU_OF_DIRECT, type, X)   \
    X(gpu_embed_##type, gpu_embed_args)
#define GPU_OF_PRODUCT(type, X, name, ...) \
    X(gpu_product_##type##_##name, gpu_product_args)
#define GPU_OF_DIRECT(type, X, name, ...) \
    X(gpu_direct_##type##_##name, gpu_product_args)
#define GPU_OF_FLOAT(type, X)                   \
    GPU_FLOAT_TILES(GPU_OF_FLOAT_TILE, type, X) \
    X(gpu_embed_##type, gpu_embed_args)
#define GPU_OF_FLOAT_TILE(type, X, name, ...) \
    X(gpu_float_##type##_##name, gpu_product_args)

enum {
    GPU_THREADS = 128, /* threads per block, for every kernel */
    GPU_WARP = 32,     /* threads of a warp */
    GPU_WARPS = GPU_THREADS / GPU_WARP,
    GPU_TILE = 64,         /* most rows of weights, activations of a tile */
    GPU_SPAN = 256,        /* columns processed at a time */
    GPU_DIRECT_MAX = 8,    /* most activations per block, direct kernels */
    GPU_DIRECT_MOST = 32,  /* maximum activations for direct kernels */
    GPU_PARTS = 4,         /* most weights of a launch */
    GPU_QUERIES = 16,      /* query rows of an attention tile */
    GPU_KEYS = 32,         /* keys of a tile */
    GPU_SEGMENT = 512,     /* keys summed separately */
    GPU_HEAD_MAX = 256,    /* maximum size of an attention head */
    GPU_CHUNK = 32,        /* tokens per chunk of the delta rule */
    GPU_STEPS = 16,        /* longest end of a run processed token by token */
    GPU_DELTA_MAX = 128,   /* maximum size of a delta rule head */
    GPU_STRIP = 32,        /* columns of its state per block */
    GPU_EXPERTS_MAX = 512, /* maximum experts of a layer */
    GPU_EYE_HEAD = 96,     /* maximum size of a vision encoder head */
    GPU_EYE_QUERIES = 64,  /* patches per block of its attention */
    GPU_EYE_KEYS = 32      /* keys of a tile */
};

/* The layout of a row of a quantised type: n = n_col / 32 pieces of 32 columns. Its
 * planes are behind each other, of each the words of all pieces: of 8 bits 8 words a
 * piece, signed bytes; else of at least 4 bits 4 words with nibbles (word j: values 4j
 * .. 4j + 3 in the low ones, 16 + 4j .. in the high ones); of 6, 3 and 2 bits 2 words
 * of bit pairs (word h, shifted by 2j: values 16h + 4j ..); of 5 and 3 bits a word of
 * bits (shifted by j: values 4j ..). Then the scales of each piece, behind them its
 * minima: numbers in F16 or F32, or bytes, to be multiplied by one number in F16 for
 * each 256 columns, which come last, each with another for the minima if there are
 * any; minima are negative then. The row ends at a multiple of 16 bytes. */
enum { GPU_CODES = 1, GPU_HALVES = 2, GPU_SINGLES = 4 }; /* bytes of a scale */
enum { GPU_IQ4 = -1, GPU_FP4 = -2 };                     /* tables */
struct gpu_form {
    int bits, less, head, sub, act, has_min;
};

/* A run of a pass: n rows from `first` on, after n_past tokens of a sequence
 * whose state starts at `state`. Its first chunk is number `chunk`. */
struct gpu_run {
    char *state;
    int first, n, n_past, chunk;
};

/* Where rows go in bytes, as round_row of tensor/kernels.h: a scale d for each
 * `act` values, sum: of q over each 16. act 0: nowhere. */
struct gpu_bytes {
    int8_t *q;
    float *d;
    int *sum;
    int act;
};

/* y[i] = x[i] / sqrt(mean of squares + eps) w, and in bytes; grid (n). With
 * `row`, row[i] points to row i of x. */
struct gpu_norm_args {
    const float *x, *w;
    const float *const *row;
    float *y;
    struct gpu_bytes to;
    int n_col;
    float eps;
};

/* x to bytes. Grid (blocks of `act` values, 4 per block). */
struct gpu_round_args {
    const float *x;
    struct gpu_bytes to;
    int n_block;
};

/* x += y, or x = silu(x) y, of n numbers; the latter in bytes, too. Grid (n /
 * GPU_THREADS), with `to` (n / 4 act). */
struct gpu_pair_args {
    float *x;
    const float *y;
    int n;
    struct gpu_bytes to;
};

/* Copies rows from[i] (device memory) to x[i]; grid (n). NULL: the row is
 * unchanged. */
struct gpu_take_args {
    const float *const *from;
    float *x;
    int n_col;
};

/* Stores the last row of every run of x in its state, at offset `last`; grid
 * (n_run). */
struct gpu_keep_args {
    const struct gpu_run *run;
    const float *x;
    int64_t last;
    int n_col;
};

/* Rows of weights are `pitch` bytes apart, a multiple of 16 and below 2^32. */
struct gpu_matrix {
    const uint8_t *raw;
    int64_t pitch;
    int n_row, n_col;
    float scale;
};

/* Assignment of experts. A pair is a token and one of the n_used experts that
 * it chose: pair t * n_used + k. first[n_expert + 1], row: expert e has the
 * pairs row[first[e]] .. row[first[e + 1] - 1], whose tokens are
 * token[first[e]] .. */
struct gpu_route_args { /* grid (n / GPU_WARPS) */
    const float *logit; /* [n, n_expert] */
    int32_t *choice;    /* [n, n_used], ascending */
    float *weight;      /* [n, n_used], of sum 1 */
    int n, n_expert, n_used;
};
struct gpu_group_args { /* grid (1) */
    const int32_t *choice;
    int32_t *first, *row, *token;
    int n_pair, n_expert, n_used;
};

/* x[t] = the weighted sum of a token's pairs y, plus the shared expert's result
 * (or NULL) times sigmoid(gate h[t]), plus what was there if it `adds`. x can be h if
 * n_part, the blocks of a row, is 1. Grid (n, n_part). */
struct gpu_join_args {
    const float *y, *weight, *shared, *gate, *h;
    float *x;
    int n_used, n_col, n_part;
    bool adds;
};

/* A product by experts (first NULL: not by experts): expert e, BLOCK_Z, has the
 * rows in[i] of the activations and computes the rows out[i] of y, i from
 * first[e] to first[e + 1] - 1; its weights start at row e * stride + base, its
 * result is multiplied by scale[e] (or NULL). */
struct gpu_by_expert {
    const int32_t *first, *in, *out;
    const float *scale;
    int stride, base;
};

/* What the last of n blocks of a direct product of one row does then (count NULL:
 * nothing): the norm of all, or without norm.w the gate of a block of bytes, when the
 * rows of both its inputs are there. */
struct gpu_after {
    uint32_t *count; /* 0; with gates of each block of bytes */
    int n;
    struct gpu_norm_args norm;
    struct gpu_pair_args gate;
};

/* y[t * y_stride + r] = the product of row t of n with row r (or pick[r]) of w,
 * plus what was there if it `adds`. Quantised: the bits of tensor/kernels.h. Grids:
 * (rows / the instance's rows, n / its activations, experts); half, of k_gpu_f16.h
 * and without picks and experts, as product. With `part`, the same for more weights
 * of this type and of as many columns, whose blocks of rows are behind the first's;
 * the list ends where raw is NULL. */
struct gpu_part {
    struct gpu_matrix w;
    float *y; /* [n, w.n_row] */
};
struct gpu_product_args {
    struct gpu_matrix w;
    const int32_t *pick;
    int n_row; /* rows of y: w.n_row, or the number of picks */
    const int8_t *q;
    const float *d;
    const int *sum;
    const float *x; /* float types: the activations themselves */
    int n;
    float *y;
    int y_stride;
    bool adds;
    struct gpu_by_expert by;
    struct gpu_part part[GPU_PARTS - 1];
    struct gpu_after after;
};

/* x[at[i]] = the row of token[i]; grid (n). */
struct gpu_embed_args {
    struct gpu_matrix w;
    const int32_t *token, *at;
    float *x;
};

/* Format of keys and values: a row of dim numbers; in Q8_0 bytes, followed by
 * an F16 scale for each 32. */
enum gpu_kept { GPU_KEPT_F16, GPU_KEPT_Q8, GPU_KEPT_F32 };

/* Attention of a layer. q [n, n_head, 2, dim] (query, gate), k, v [n,
 * n_head_kv, dim] as computed by the products. In a state, at offset `kv`: keys
 * [n_ctx][n_head_kv] rows, then values in the same layout. */
struct gpu_attend_args {
    const struct gpu_run *run;
    const int *run_of; /* [n] */
    float *q, *k, *v;
    const float *q_norm, *k_norm, *cosine, *sine; /* of rows [n, n_pair] */
    float *score;        /* [n, n_head, n_split GPU_SEGMENT], of few tokens */
    float *part;         /* [n_split, n, n_head, dim + 2]: o, maximum, sum */
    float *o;            /* [n, n_head, dim] */
    struct gpu_bytes to; /* o, if a head has whole blocks of bytes */
    int64_t kv;
    enum gpu_kept kept;
    int kept_row; /* bytes */
    int n, n_run, n_split, n_ctx, n_head, n_head_kv, dim, n_pair;
    float eps;
};

/* The delta rule of a layer. In a state, at offset `delta`: S [n_v][dim][dim]
 * by key dimension; at offset `tail`: the last raw rows, a ring of n_tap, so that
 * one more can be written while others read those before it. */
struct gpu_delta_args {
    const struct gpu_run *run;
    const int *run_of;           /* [n] */
    const float *raw;            /* [n, wide] */
    float *u;                    /* [n, wide] after the convolution: q, k, v */
    const float *tap;            /* [wide, n_tap] */
    float *g, *beta;             /* [n, n_v] */
    const float *dt_bias, *rate; /* [n_v] */
    float *pair;                 /* [chunk, n_v, 2 GPU_CHUNK (GPU_CHUNK + 1)] */
    const float *z, *norm;       /* [n, n_v, dim], [dim] */
    float *o;                    /* [n, n_v, dim] */
    struct gpu_bytes to; /* o, if the heads of a block of threads, or of a
                                  * token, have whole blocks */
    uint32_t *count;     /* of each block of bytes, 0 */
    int64_t delta, tail;
    int n, n_run, n_chunk, n_k, n_v, dim, wide, n_tap;
    float eps;
};

/* ---- vision encoder: kernels of k_gpu_vision.h ------------------------------
 * Patches first .. of an image of n_x patches per row, in the order of
 * cpu/vision/vit.c. */
struct gpu_patch_args {
    const uint8_t *pixel;
    float *row; /* [n, 3, size, size] */
    float mean[3], std[3];
    int first, n_x, merge, size, n_channel, stride;
};

struct gpu_between { /* a position along a side of a table: two neighbours */
    int low, high;
    float part;
};

/* x[n, n_col] += bias, then the learned position; grid (n). */
struct gpu_place_args {
    float *x;
    const float *bias, *table; /* [side, side, n_col] */
    const struct gpu_between *row, *column;
    int first, n_x, merge, side, n_col;
};

/* y = x, centred, of variance one, times w, plus b; grid (n). */
struct gpu_centre_args {
    const float *x, *w, *b;
    float *y;
    int n_col;
    float eps;
};

enum gpu_bend { GPU_BEND_NONE, GPU_BEND_TANH, GPU_BEND_ERF };

/* x[n, n_col] = bend(x + b), or with y: x += y + b. Grid (n, n_col /
 * GPU_THREADS). */
struct gpu_bias_args {
    float *x;
    const float *y, *b;
    int n_col;
    enum gpu_bend bend;
};

/* Rows [n, 3, n_head, dim] of queries, keys and values with their biases,
 * rotated, queries times `scale`, in F16. turn: [side][dim / 4][2]. Grid (n, 3
 * n_head). */
struct gpu_turn_args {
    const float *x, *bias, *turn;
    uint16_t *out;
    int first, n_x, merge, n_head, dim;
    float scale;
};

/* o[n, n_head, dim]: attention of every patch to every patch. Grid (n /
 * GPU_EYE_QUERIES, n_head). */
struct gpu_see_args {
    const uint16_t *qkv;
    float *o;
    int n, n_head, dim;
};

#endif
