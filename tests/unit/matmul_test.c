/* matmul_test.c - products against sums in double precision, and the promise
 * that company and threads change no bit. */
#include "tests/support/test.h"
#include "vlm/tensor/matmul.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/cpu.h"

static const enum quant_type every_type[] = {
    QUANT_F32,    QUANT_F16,   QUANT_BF16,    QUANT_Q4_0,   QUANT_Q4_1,
    QUANT_Q5_0,   QUANT_Q5_1,  QUANT_Q8_0,    QUANT_Q2_K,   QUANT_Q3_K,
    QUANT_Q4_K,   QUANT_Q5_K,  QUANT_Q6_K,    QUANT_IQ4_NL, QUANT_IQ4_XS,
    QUANT_MXFP4,  QUANT_NVFP4, QUANT_IQ1_S,   QUANT_IQ1_M,  QUANT_IQ2_XXS,
    QUANT_IQ2_XS, QUANT_IQ2_S, QUANT_IQ3_XXS, QUANT_IQ3_S,  QUANT_TQ1_0,
    QUANT_TQ2_0};

enum { N_TYPE = sizeof every_type / sizeof every_type[0] };

static uint32_t random_bits(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static float random_float(uint32_t *seed) /* -1 .. 1 */
{
    return (float)((double)random_bits(seed) / 2147483648.0 - 1.0);
}

/* Blocks of the byte `fill` (below 0: random ones) whose half-precision scales are
 * random, small and finite. */
static struct weight filled_weight(enum quant_type type, int n_row, int n_col,
                                   int fill, uint32_t seed)
{
    const struct quant_info *info = quant_info(type);
    size_t n = (size_t)n_row * quant_row_bytes(type, n_col);
    uint8_t *raw = malloc(n);
    assert_non_null(raw);
    for (size_t i = 0; i < n; i++)
        raw[i] =
            (uint8_t)(fill < 0 ? random_bits(&seed) >> 11 : (unsigned)fill);
    for (size_t i = 0; i < n; i += (size_t)info->bytes) {
        float f = random_float(&seed);
        uint8_t *p = raw + i;
        uint16_t h = (uint16_t)(0x2000 | (random_bits(&seed) >> 9 & 0x83ff));
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        uint16_t bf = (uint16_t)(bits >> 16);
        switch (type) {
        case QUANT_F32: memcpy(p, &f, 4); break;
        case QUANT_BF16: memcpy(p, &bf, 2); break;
        case QUANT_MXFP4: p[0] = (uint8_t)(118 + (p[0] & 7)); break;
        case QUANT_NVFP4:
            for (int b = 0; b < 4; b++)
                p[b] &= 0x3f;
            break;
        case QUANT_Q6_K: memcpy(p + 208, &h, 2); break;
        case QUANT_Q3_K: memcpy(p + 108, &h, 2); break;
        case QUANT_Q2_K: memcpy(p + 80, &h, 2), memcpy(p + 82, &h, 2); break;
        case QUANT_F16:
        case QUANT_Q4_0:
        case QUANT_Q5_0:
        case QUANT_Q8_0:
        case QUANT_IQ4_NL:
        case QUANT_IQ2_XXS:
        case QUANT_IQ2_XS:
        case QUANT_IQ2_S:
        case QUANT_IQ3_XXS:
        case QUANT_IQ3_S:
        case QUANT_IQ1_S:
        case QUANT_IQ4_XS: memcpy(p, &h, 2); break;
        case QUANT_TQ1_0: memcpy(p + 52, &h, 2); break;
        case QUANT_TQ2_0: memcpy(p + 64, &h, 2); break;
        case QUANT_IQ1_M: /* the top nibbles of four words */
            for (int b = 0; b < 4; b++)
                p[49 + 2 * b] =
                    (uint8_t)((p[49 + 2 * b] & 15) | (h >> 4 * b & 15) << 4);
            break;
        case QUANT_Q4_1:
        case QUANT_Q5_1:
        case QUANT_Q4_K:
        case QUANT_Q5_K: memcpy(p, &h, 2), memcpy(p + 2, &h, 2); break;
        }
    }
    return (struct weight){
        .type = type, .n_row = n_row, .n_col = n_col, .scale = 1, .raw = raw};
}

static struct weight random_weight(enum quant_type type, int n_row, int n_col,
                                   uint32_t seed)
{
    return filled_weight(type, n_row, n_col, -1, seed);
}

static void weight_give(struct weight w)
{
    free((void *)(uintptr_t)w.raw);
}

static float *random_rows(int n, int n_col, uint32_t seed)
{
    float *x = malloc((size_t)n * (size_t)n_col * sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < n * n_col; i++)
        x[i] = random_float(&seed);
    return x;
}

/* A backend with a pool and scratch for n rows of n_col. */
struct bench {
    struct tensor_backend *b;
    struct pool *pool;
    void *scratch;
};

static struct bench bench_open(const struct tensor_options *o, int n_thread,
                               int n, int n_col, int n_input)
{
    struct err err = {0};
    struct bench t = {matmul_backend_new(o), pool_new(n_thread, &err), NULL};
    test_ok(&err);
    t.scratch =
        mem_try_aligned(matmul_scratch_bytes(t.b, t.pool, n, n_col, n_input));
    assert_non_null(t.scratch);
    return t;
}

static struct bench bench_new(unsigned features, bool exact, int n_thread,
                              int n, int n_col)
{
    struct tensor_options o = {.features = features, .exact = exact};
    return bench_open(&o, n_thread, n, n_col, 1);
}

static void bench_give(struct bench t)
{
    mem_free(t.scratch);
    pool_free(t.pool);
    matmul_backend_free(t.b);
}

/* Largest |y - double sum|: over the sum of absolute terms in *absolute, over
 * the root of the sum of squares in the result. */
static double worst(const struct weight *w, const float *x, int n,
                    const float *y, double *absolute)
{
    double most = 0;
    float *row = malloc((size_t)w->n_col * sizeof *row);
    *absolute = 0;
    for (int r = 0; r < w->n_row; r++) {
        matmul_weight_row(w, r, row);
        for (int t = 0; t < n; t++) {
            double sum = 0, square = 1e-30, terms = 1e-30;
            for (int k = 0; k < w->n_col; k++) {
                double term = (double)row[k] * (double)x[t * w->n_col + k];
                sum += term, square += term * term, terms += fabs(term);
            }
            double e = fabs((double)y[t * w->n_row + r] - sum);
            if (!(e / sqrt(square) <= most)) most = e / sqrt(square);
            if (!(e / terms <= *absolute)) *absolute = e / terms;
        }
    }
    free(row);
    return most;
}

/* The sets that this machine can run, the scalar one first, and a model. */
enum { SETS_MAX = 6 };

static int feature_sets(unsigned set[static SETS_MAX])
{
    unsigned have = cpu_features() & (CPU_AMX_BF16 - 1), grown = 0;
    int n = 0;
    set[n++] = 0;
    for (unsigned bit = 1; bit && bit <= have; bit <<= 1)
        if (have & bit) set[n++] = grown |= bit;
    if (have & CPU_AVX2) set[n++] = CPU_AVX2 | CPU_VNNI_MODEL;
    return n;
}

static void exact_products_are_sums_in_f32(void **state)
{
    (void)state;
    unsigned set[SETS_MAX];
    int n_set = feature_sets(set);
    for (int i = 0; i < N_TYPE * n_set; i++) {
        enum { N = 3, ROWS = 33, COLS = 512 };
        struct weight w = random_weight(every_type[i / n_set], ROWS, COLS, 7);
        float *x = random_rows(N, COLS, 99), y[N * ROWS];
        struct bench t = bench_new(set[i % n_set], true, 2, N, COLS);
        double e;
        matmul(t.b, t.pool, &w, x, N, y, t.scratch);
        worst(&w, x, N, y, &e);
        if (!(e < 5e-7)) fail_msg("%s: off by %g", quant_info(w.type)->name, e);
        bench_give(t);
        weight_give(w);
        free(x);
    }
}

/* 8 bits: half a step of 1/127 of the block's largest value, each term. */
static void rounded_products_are_near(void **state)
{
    (void)state;
    for (int i = 0; i < N_TYPE; i++) {
        enum { N = 2, ROWS = 33, COLS = 1280 };
        struct weight w = random_weight(every_type[i], ROWS, COLS, 17);
        float *x = random_rows(N, COLS, 98), y[N * ROWS];
        struct bench t = bench_new(cpu_features(), false, 1, N, COLS);
        double e, relative;
        matmul(t.b, t.pool, &w, x, N, y, t.scratch);
        relative = worst(&w, x, N, y, &e);
        if (!(relative < 0.02))
            fail_msg("%s: off by %g", quant_info(w.type)->name, relative);
        bench_give(t);
        weight_give(w);
        free(x);
    }
}

/* Inputs of 1, 13 and the remaining of n rows in one run of the pool: as alone;
 * the second weight of each is the first's rows from 2 on. */
static void check_inputs(const struct weight *w, const struct tensor_options *o,
                         const float *x, int n, const float *alone)
{
    struct weight part = matmul_weight_slice(w, 2, w->n_row - 2);
    const int first[] = {0, 1, 14, n};
    size_t size = (size_t)n * (size_t)w->n_row;
    float *y = malloc(2 * size * sizeof *y), *y2 = y + size;
    struct matmul_input in[3];
    struct bench t = bench_open(o, 2, n, w->n_col, 3);
    for (int i = 0; i < 3; i++)
        in[i] = (struct matmul_input){
            .x = x + first[i] * w->n_col,
            .n = first[i + 1] - first[i],
            .n_weight = 2,
            .weight = {w, &part},
            .y = {y + first[i] * w->n_row, y2 + first[i] * part.n_row}};
    matmul_each(t.b, t.pool, in, 3, t.scratch);
    assert_memory_equal(y, alone, size * sizeof *y);
    for (int i = 0; i < n; i++)
        assert_memory_equal(y2 + i * part.n_row, alone + i * w->n_row + 2,
                            (size_t)part.n_row * sizeof *y);
    bench_give(t);
    free(y);
}

/* The matrix has an odd number of rows and, where the type allows it, of
 * column blocks; the lengths run over every tail of a tile. */
static void check_company(enum quant_type type, const struct tensor_options *o)
{
    enum { N = 33, ROWS = 37 };
    static const int length[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 20, N};
    int block = quant_info(type)->block;
    int cols = block == 1     ? o->fast || o->tiles ? 544 : 301
               : block == 256 ? 768
                              : 512 + block;
    struct weight w = random_weight(type, ROWS, cols, 3);
    float *x = random_rows(N, cols, 4);
    float *alone = malloc(N * ROWS * sizeof *alone);
    float *y = malloc(N * ROWS * sizeof *y);
    struct bench one = bench_open(o, 1, N, cols, 1);
    for (int t = 0; t < N; t++)
        matmul(one.b, one.pool, &w, x + t * cols, 1, alone + t * ROWS,
               one.scratch);
    /* the scalar table has one tail only */
    for (int i = o->features ? 0 : 12; i < 14; i++) {
        matmul(one.b, one.pool, &w, x, length[i], y, one.scratch);
        assert_memory_equal(y, alone, (size_t)length[i] * ROWS * sizeof *y);
    }
    for (int n_thread = 2; n_thread <= 3; n_thread++) {
        struct bench t = bench_open(o, n_thread, N, cols, 1);
        matmul(t.b, t.pool, &w, x, N, y, t.scratch);
        assert_memory_equal(y, alone, N * ROWS * sizeof *y);
        bench_give(t);
    }
    check_inputs(&w, o, x, N, alone);
    int32_t pick[40];
    for (int i = 0; i < 40; i++)
        pick[i] = i * 17 % ROWS;
    matmul_rows(one.b, one.pool, &w, pick, 40, x, 2, y, one.scratch);
    for (int i = 0; i < 80; i++)
        assert_memory_equal(&y[i], &alone[i / 40 * ROWS + pick[i % 40]],
                            sizeof *y);
    bench_give(one);
    weight_give(w);
    free(x), free(y), free(alone);
}

static void company_and_threads_change_no_bit(void **state)
{
    (void)state;
    unsigned set[SETS_MAX];
    int n_set = feature_sets(set);
    for (int i = 0; i < N_TYPE; i++) {
        for (int s = 0; s < n_set; s++)
            check_company(every_type[i],
                          &(struct tensor_options){.features = set[s]});
    }
    struct tensor_options exact = {.features = cpu_features(), .exact = true};
    check_company(QUANT_Q4_K, &exact);
    check_company(QUANT_Q5_1, &exact);
}

/* In tiles of BF16, floats in 8 bits, in words; and models of all three. */
enum { N_FAST = 6 };

static unsigned fast_features(int i)
{
    static const unsigned without[] = {
        0, CPU_AMX_BF16, CPU_AMX_BF16 | CPU_AVX512VNNI | CPU_AVXVNNI};
    unsigned have = cpu_features();
    return i == 5   ? have & CPU_AVX2 ? CPU_AVX2 | CPU_VNNI_MODEL : 0
           : i == 4 ? CPU_WORDS_MODEL
           : i == 3 ? CPU_TILE_MODEL
                    : have & ~without[i];
}

static void fast_products_know_no_company(void **state)
{
    (void)state;
    static const enum quant_type type[] = {QUANT_F32,  QUANT_F16,  QUANT_BF16,
                                           QUANT_Q8_0, QUANT_Q4_K, QUANT_NVFP4};
    for (int i = 0; i < N_FAST * (int)(sizeof type / sizeof *type); i++) {
        struct tensor_options o = {.features = fast_features(i % N_FAST),
                                   .fast = true};
        check_company(type[i / N_FAST], &o);
    }
    for (int i = 0; i < N_TYPE; i++)
        check_company(every_type[i],
                      &(struct tensor_options){.features = cpu_features() |
                                                           CPU_TILE_MODEL,
                                               .tiles = true});
}

static double off_by(const struct weight *w, const float *x, int n,
                     const struct tensor_options *o, float *y)
{
    struct bench t = bench_open(o, 2, n, w->n_col, 1);
    double e;
    matmul(t.b, t.pool, w, x, n, y, t.scratch);
    bench_give(t);
    return worst(w, x, n, y, &e);
}

/* Prompts in tiles are nearer than with their rows in 8 bits, and those of
 * floats are as without. */
static void tiles_are_nearer_than_8_bits(void **state)
{
    (void)state;
    enum { N = 35, ROWS = 70, COLS = 768 };
    struct tensor_options bytes = {.features = cpu_features()}, tiles = bytes;
    tiles.features |= CPU_TILE_MODEL;
    tiles.tiles = true;
    if (!(cpu_features() & CPU_AMX_BF16))
        print_message("NOT TESTED: prompts in tiles, no AMX here\n");
    for (int i = 0; i < N_TYPE; i++) {
        struct weight w = random_weight(every_type[i], ROWS, COLS, 18);
        float *x = random_rows(N, COLS, 97), y[N * ROWS], z[N * ROWS];
        double before = off_by(&w, x, N, &bytes, y);
        double after = off_by(&w, x, N, &tiles, z);
        const char *name = quant_info(w.type)->name;
        if (!quant_form(w.type).sub)
            assert_memory_equal(y, z, sizeof y);
        else if (!(after < before))
            fail_msg("%s: off by %g, in tiles by %g", name, before, after);
        tiles.features &= ~(unsigned)CPU_TILE_MODEL;
        if (tiles.features & CPU_AMX_BF16) {
            off_by(&w, x, N, &tiles, y);
            assert_memory_equal(y, z, sizeof y);
        }
        tiles.features |= CPU_TILE_MODEL;
        weight_give(w);
        free(x);
    }
}

/* Both factors off by half of the eighth bit at most; 0.2 % as a rule. */
static void fast_products_are_near(void **state)
{
    (void)state;
    for (int i = 0; i < N_FAST * N_TYPE; i++) {
        enum { N = 35, ROWS = 70, COLS = 768 };
        struct tensor_options o = {.features = fast_features(i % N_FAST),
                                   .fast = true};
        struct weight w = random_weight(every_type[i / N_FAST], ROWS, COLS, 18);
        w.scale = 0.5f;
        float *x = random_rows(N, COLS, 97), y[N * ROWS];
        struct bench t = bench_open(&o, 2, N, COLS, 1);
        double e, relative;
        matmul(t.b, t.pool, &w, x, N, y, t.scratch);
        relative = worst(&w, x, N, y, &e);
        bool tiles = o.features & (CPU_AMX_BF16 | CPU_TILE_MODEL);
        bool words = i % N_FAST == 4;
        if (!(relative < (words ? 0.0006 : tiles ? 0.015 : 0.035)))
            fail_msg("%s: off by %g", quant_info(w.type)->name, relative);
        bench_give(t);
        weight_give(w);
        free(x);
    }
}

/* Instruction sets differ from the scalar table in no bit, either. `n`: some of
 * one call go straight from the blocks, more by panels. */
static void check_sets(const struct weight *w, const float *x, int n)
{
    enum { N = 13, ROWS = 35 };
    static float want[N * ROWS], got[N * ROWS];
    unsigned set[SETS_MAX];
    int n_set = feature_sets(set);
    for (int s = 0; s < n_set; s++) {
        struct bench t = bench_new(set[s], false, 1, n, w->n_col);
        matmul(t.b, t.pool, w, x, n, s ? got : want, t.scratch);
        bench_give(t);
        if (s && memcmp(got, want, sizeof *got * (size_t)(n * ROWS)) != 0)
            fail_msg("%s, %d: %s differs from scalar",
                     quant_info(w->type)->name, n, cpu_name(set[s]));
    }
}

static void every_instruction_set_agrees(void **state)
{
    (void)state;
    for (int i = 0; i < N_TYPE; i++) {
        struct weight w = random_weight(every_type[i], 35, 768, 31);
        float *x = random_rows(13, 768, 32);
        check_sets(&w, x, 7);
        check_sets(&w, x, 13);
        weight_give(w);
        free(x);
    }
}

/* The largest sums that a type can have: where they are made in 16 bits they
 * must fit. */
static void the_largest_sums_agree(void **state)
{
    (void)state;
    enum { N = 13, COLS = 768 };
    static float x[N * COLS];
    for (int j = 0; j < N * COLS; j++)
        x[j] = j / COLS % 2 ? -1.0f : 1.0f;
    for (int i = 0; i < N_TYPE; i++)
        for (int fill = 0; fill < 256; fill += 51) { /* 0, 0x33 .. 0xff */
            if (!quant_form(every_type[i]).sub) continue;
            struct weight w = filled_weight(every_type[i], 35, COLS, fill, 31);
            check_sets(&w, x, 7);
            check_sets(&w, x, N);
            weight_give(w);
        }
}

static void many_equals_one_by_one(void **state)
{
    (void)state;
    enum { N = 5, COLS = 512, W = 10 };
    struct weight w[W];
    const struct weight *pointer[W];
    float *y[W], one[N * 90];
    float *x = random_rows(N, COLS, 12);
    struct bench t = bench_new(cpu_features(), false, 2, N, COLS);
    for (int i = 0; i < W; i++) {
        w[i] = random_weight(every_type[i + 2], 3 + 9 * i, COLS, 50);
        w[i].scale = i % 3 ? 1.0f : 0.25f;
        pointer[i] = &w[i];
        y[i] = malloc(N * 90 * sizeof **y);
    }
    matmul_many(t.b, t.pool, pointer, W, x, N, y, t.scratch);
    for (int i = 0; i < W; i++) {
        matmul(t.b, t.pool, &w[i], x, N, one, t.scratch);
        assert_memory_equal(one, y[i], (size_t)(N * w[i].n_row) * sizeof *one);
        weight_give(w[i]);
        free(y[i]);
    }
    bench_give(t);
    free(x);
}

/* More tokens than are taken at a time. */
static void long_prompts_are_cut(void **state)
{
    (void)state;
    enum { N = 2000, ROWS = 5, COLS = 64 };
    struct weight w = random_weight(QUANT_Q8_0, ROWS, COLS, 8);
    float *x = random_rows(N, COLS, 9), y[ROWS];
    float *all = malloc(N * ROWS * sizeof *all);
    struct bench t = bench_new(cpu_features(), false, 2, N, COLS);
    matmul(t.b, t.pool, &w, x, N, all, t.scratch);
    for (int i = 0; i < N; i += 199) {
        matmul(t.b, t.pool, &w, x + i * COLS, 1, y, t.scratch);
        assert_memory_equal(y, all + i * ROWS, sizeof y);
    }
    bench_give(t);
    weight_give(w);
    free(x), free(all);
}

static void not_a_number_is_not_hidden(void **state)
{
    (void)state;
    unsigned set[SETS_MAX];
    int n_set = feature_sets(set);
    for (int i = 0; i < 3 * n_set; i++) {
        enum { ROWS = 4, COLS = 256 };
        static const float bad[3] = {NAN, INFINITY, -INFINITY};
        struct weight w = random_weight(QUANT_Q4_K, ROWS, COLS, 8);
        float *x = random_rows(1, COLS, 9), y[ROWS];
        x[77] = bad[i % 3];
        struct bench t = bench_new(set[i / 3], false, 1, 1, COLS);
        matmul(t.b, t.pool, &w, x, 1, y, t.scratch);
        for (int r = 0; r < ROWS; r++)
            assert_true(!(fabsf(y[r]) < INFINITY));
        bench_give(t);
        weight_give(w);
        free(x);
    }
}

static void products_allocate_nothing(void **state)
{
    (void)state;
    enum { N = 20, ROWS = 300, COLS = 512 };
    struct weight w = random_weight(QUANT_Q6_K, ROWS, COLS, 8);
    float *x = random_rows(N, COLS, 9);
    float *y = malloc(N * ROWS * sizeof *y);
    struct bench t = bench_new(cpu_features(), false, 2, N, COLS);
    size_t before = mem_calls();
    matmul(t.b, t.pool, &w, x, N, y, t.scratch);
    assert_int_equal(mem_calls(), before);
    bench_give(t);
    weight_give(w);
    free(x), free(y);
}

static void a_slice_is_its_rows(void **state)
{
    (void)state;
    struct weight w = random_weight(QUANT_Q4_K, 40, 256, 5);
    struct weight s = matmul_weight_slice(&w, 7, 20);
    float a[256], b[256];
    matmul_weight_row(&w, 9, a);
    matmul_weight_row(&s, 2, b);
    assert_int_equal(s.n_row, 20);
    assert_memory_equal(a, b, sizeof a);
    weight_give(w);
}

TEST_GROUP(matmul, cmocka_unit_test(exact_products_are_sums_in_f32),
           cmocka_unit_test(rounded_products_are_near),
           cmocka_unit_test(company_and_threads_change_no_bit),
           cmocka_unit_test(fast_products_know_no_company),
           cmocka_unit_test(fast_products_are_near),
           cmocka_unit_test(tiles_are_nearer_than_8_bits),
           cmocka_unit_test(every_instruction_set_agrees),
           cmocka_unit_test(the_largest_sums_agree),
           cmocka_unit_test(many_equals_one_by_one),
           cmocka_unit_test(long_prompts_are_cut),
           cmocka_unit_test(not_a_number_is_not_hidden),
           cmocka_unit_test(products_allocate_nothing),
           cmocka_unit_test(a_slice_is_its_rows))
