/* gpu_product_test.c - products of vlm/device/gpu on the host: every type, by tensor
 * cores and directly, gives the scalar kernels' bits in any company. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/gpu_host.h"
#include "vlm/base/arena.h"
#include "vlm/device/gpu/gpu_matmul.h"
#include "vlm/device/gpu/kernels/gpu_args.h"
#include "vlm/tensor/matmul.h"

static const struct {
    const char *name, *file;
    enum quant_type type;
} types[] = {
    {"q4_0", "q4_0", QUANT_Q4_0},
    {"q4_1", "q4_1", QUANT_Q4_1},
    {"q5_0", "q5_0", QUANT_Q5_0},
    {"q5_1", "q5_1", QUANT_Q5_1},
    {"q8_0", "q8_0", QUANT_Q8_0},
    {"q2_k", "q2_K", QUANT_Q2_K},
    {"q3_k", "q3_K", QUANT_Q3_K},
    {"q4_k", "q4_K", QUANT_Q4_K},
    {"q5_k", "q5_K", QUANT_Q5_K},
    {"q6_k", "q6_K", QUANT_Q6_K},
    {"iq4_nl", "iq4_nl", QUANT_IQ4_NL},
    {"iq4_xs", "iq4_xs", QUANT_IQ4_XS},
    {"mxfp4", "mxfp4", QUANT_MXFP4},
    {"nvfp4", "nvfp4", QUANT_NVFP4},
    {"spread16", "iq2_xs", QUANT_IQ2_XS},
    {"spread16", "iq2_s", QUANT_IQ2_S},
    {"spread16", "iq1_m", QUANT_IQ1_M},
    {"spread32", "iq2_xxs", QUANT_IQ2_XXS},
    {"spread32", "iq3_xxs", QUANT_IQ3_XXS},
    {"spread32", "iq3_s", QUANT_IQ3_S},
    {"spread32", "iq1_s", QUANT_IQ1_S},
    {"spread32", "tq1_0", QUANT_TQ1_0},
    {"spread32", "tq2_0", QUANT_TQ2_0},
    {"f32", "", QUANT_F32},
    {"f16", "f16", QUANT_F16},
    {"bf16", "bf16", QUANT_BF16},
};

enum { N_TYPE = sizeof types / sizeof *types, ROWS = 70, COLS = 1536 };

/* A weight on both sides, and activations that were rounded by the device. */
struct desk {
    struct weight w; /* of the host */
    uint8_t *raw;
    float *x, *want;
    struct gpu_product_args a;
};

static void no_error(void)
{
    const char *said = gpu_host_error();
    if (said) fail_msg("%s", said);
}

static void launch(const char *kind, const char *type, const void *args, int x,
                   int y)
{
    char name[64];
    snprintf(name, sizeof name, "gpu_%s%s%s", kind, *type ? "_" : "", type);
    const struct gpu_host_kernel *k = gpu_host_find(name);
    if (!k) fail_msg("no kernel %s", name);
    gpu_host_launch(k, args, x, y, 1);
    no_error();
}

/* A product by instance i, of n_expert experts. */
static void launch_instance(int i, const char *type,
                            const struct gpu_product_args *a, int n_expert)
{
    static const char *const family[] = {"product", "direct", "float"};
    const struct gpu_instance *t = &gpu_matmul_instance[i];
    char name[64];
    snprintf(name, sizeof name, "gpu_%s_%s_%s", family[t->family], type,
             t->name);
    const struct gpu_host_kernel *k = gpu_host_find(name);
    if (!k) fail_msg("no kernel %s", name);
    int blocks = (a->n_row + t->rows - 1) / t->rows;
    for (int p = 0; p < GPU_PARTS - 1; p++)
        blocks += (a->part[p].w.n_row + t->rows - 1) / t->rows;
    gpu_host_launch(k, a, blocks, (a->n + t->tokens - 1) / t->tokens, n_expert);
    no_error();
}

/* Rows of blocks from the golden file, or of floats. */
static uint8_t *make_rows(int type, int n_row, int n_col)
{
    size_t row = quant_row_bytes(types[type].type, n_col), size = 0;
    uint8_t *raw = mem_alloc((size_t)n_row, row), *gold = NULL;
    char path[4096], relative[64];
    snprintf(relative, sizeof relative, "tests/vectors/blocks/%s.bin",
             types[type].file);
    if (*types[type].file) gold = test_read(test_path(path, relative), &size);
    for (size_t i = 0; i < (size_t)n_row * row; i += 2) {
        uint16_t f = quant_f32_to_f16(sinf((float)i));
        memcpy(raw + i, &f, 2);
    }
    size_t block = (size_t)quant_info(types[type].type)->bytes;
    size_t n = gold ? size / block : 0;
    for (size_t i = 0; block > 4 && i < (size_t)n_row * row / block; i++)
        memcpy(raw + i * block, gold + i * 7 % n * block, block);
    if (!*types[type].file) /* no exponent too large to add up */
        for (size_t i = 0; i < (size_t)n_row * row; i += 4) {
            float f = cosf((float)i);
            memcpy(raw + i, &f, 4);
        }
    test_give(gold);
    return raw;
}

static void put_weight(struct desk *d, int n_row, int n_col)
{
    size_t pitch = gpu_matmul_pitch(&d->w);
    uint8_t *raw = gpu_host_take((size_t)n_row * pitch);
    for (int r = 0; r < n_row; r++)
        gpu_matmul_layout(&d->w, r, raw + (size_t)r * pitch);
    d->a.w = (struct gpu_matrix){raw, (int64_t)pitch, n_row, n_col, d->w.scale};
    d->a.n_row = n_row;
}

static void round_rows(struct desk *d, int n, int n_col)
{
    int act = quant_form(d->w.type).act;
    size_t values = (size_t)n * (size_t)n_col;
    float *x = gpu_host_take(values * sizeof *x);
    memcpy(x, d->x, values * sizeof *x);
    d->a.x = x;
    d->a.q = gpu_host_take(values);
    d->a.d = gpu_host_take(values / 32 * sizeof(float));
    d->a.sum = gpu_host_take(values / 16 * sizeof(int));
    if (!act) return;
    struct gpu_round_args r = {.x = x,
                               .to = {(int8_t *)(uintptr_t)d->a.q,
                                      (float *)(uintptr_t)d->a.d,
                                      (int *)(uintptr_t)d->a.sum, act},
                               .n_block = n * n_col / act};
    gpu_host_launch(gpu_host_find("gpu_round"), &r, (r.n_block + 3) / 4, 1, 1);
    no_error();
}

static struct desk open_desk(int type, int n_row, int n_col, int n)
{
    struct desk d = {.raw = make_rows(type, n_row, n_col)};
    struct err err = {0};
    size_t out = (size_t)n * (size_t)n_row * sizeof(float);
    d.w =
        (struct weight){types[type].type, n_row, n_col,
                        types[type].type == QUANT_NVFP4 ? 0.75f : 1.0f, d.raw};
    d.x = mem_alloc((size_t)n * (size_t)n_col, sizeof *d.x);
    for (int i = 0; i < n * n_col; i++)
        d.x[i] = sinf((float)i * 0.37f) * (float)(1 + i % 5);
    struct tensor_backend *b = matmul_backend_new(&(struct tensor_options){0});
    struct pool *pool = pool_new(1, &err);
    void *scratch = mem_alloc(matmul_scratch_bytes(b, pool, n, n_col, 1), 1);
    d.want = mem_alloc(out, 1);
    matmul(b, pool, &d.w, d.x, n, d.want, scratch);
    mem_free(scratch);
    pool_free(pool);
    matmul_backend_free(b);
    put_weight(&d, n_row, n_col);
    round_rows(&d, n, n_col);
    d.a.y = gpu_host_take(out);
    d.a.n = n;
    d.a.y_stride = n_row;
    return d;
}

static void close_desk(struct desk *d)
{
    const void *taken[] = {d->a.w.raw, d->a.x,   d->a.q,
                           d->a.d,     d->a.sum, d->a.y};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        gpu_host_give((void *)(uintptr_t)taken[i]);
    mem_free(d->raw);
    mem_free(d->x);
    mem_free(d->want);
}

static void compare(const struct desk *d, const char *what, const char *type)
{
    for (int i = 0; i < d->a.n * d->a.n_row; i++)
        if (memcmp(&d->a.y[i], &d->want[i], sizeof(float)) != 0 &&
            !(isnan(d->a.y[i]) && isnan(d->want[i])))
            fail_msg("%s %s, %d x %d x %d: number %d is %.9g, want %.9g", what,
                     type, d->a.n, d->a.n_row, d->a.w.n_col, i,
                     (double)d->a.y[i], (double)d->want[i]);
}

static void skip_under_tsan(void)
{
#ifdef __SANITIZE_THREAD__
    print_message("skip: fibers, which tsan does not know\n");
    skip();
#endif
}

static int columns(int type, int blocks)
{
    int block = quant_info(types[type].type)->block;
    return block == 256 ? 256 * blocks : 64 * (2 * blocks + 1);
}

/* By every instance of a family. */
static void by_instances(int type, enum gpu_family family, const int shape[3])
{
    int n = shape[0], rows = shape[1];
    struct desk d = open_desk(type, rows, columns(type, shape[2]), n);
    for (int i = 0; i < GPU_INSTANCES; i++) {
        if (gpu_matmul_instance[i].family != family) continue;
        memset(d.a.y, 0xff, (size_t)n * (size_t)rows * sizeof *d.a.y);
        launch_instance(i, types[type].name, &d.a, 1);
        compare(&d, gpu_matmul_instance[i].name, types[type].name);
    }
    close_desk(&d);
}

static void prompts_have_the_scalar_bits(void **state)
{
    (void)state;
    static const int shape[][3] = {{70, 66, 2}, {17, 3, 1}, {1, 64, 3}};
    skip_under_tsan();
    for (int type = 0; type < N_TYPE; type++)
        for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
            by_instances(type,
                         quant_form(types[type].type).act ? GPU_PRODUCT
                                                          : GPU_FLOAT,
                         shape[i]);
}

/* What lies in y is added to, by every instance. */
static void a_sum_is_the_product_and_what_was_there(void **state)
{
    (void)state;
    enum { N = 5, ROW = 21 };
    skip_under_tsan();
    for (int type = 0; type < N_TYPE; type++) {
        struct desk d = open_desk(type, ROW, columns(type, 1), N);
        float was[N * ROW];
        d.a.adds = true;
        for (int i = 0; i < GPU_INSTANCES; i++) {
            if (!gpu_matmul_serves(i, types[type].type)) continue;
            for (int k = 0; k < N * ROW; k++)
                d.a.y[k] = was[k] = sinf((float)k) * 9;
            launch_instance(i, types[type].name, &d.a, 1);
            for (int k = 0; k < N * ROW; k++)
                assert_true(d.a.y[k] == was[k] + d.want[k] || isnan(d.want[k]));
        }
        close_desk(&d);
    }
}

/* Weights that share a launch: each result is that of its own. Here four that are
 * rows of one. */
static void several_weights_have_their_own_bits(void **state)
{
    (void)state;
    enum { N = 5, ROW = 97 };
    static const int rows[GPU_PARTS] = {66, 1, 17, 13};
    skip_under_tsan();
    for (int type = 0; type < N_TYPE; type++) {
        struct desk d = open_desk(type, ROW, columns(type, 1), N);
        for (int i = 0; i < GPU_INSTANCES; i++) {
            if (!gpu_matmul_serves(i, types[type].type)) continue;
            struct gpu_product_args a = d.a;
            memset(d.a.y, 0xff, N * ROW * sizeof *d.a.y);
            a.n_row = a.y_stride = a.w.n_row = rows[0];
            for (int p = 1, row = rows[0]; p < GPU_PARTS; row += rows[p++]) {
                struct gpu_part *part = &a.part[p - 1];
                *part = (struct gpu_part){d.a.w, d.a.y + N * row};
                part->w.raw += row * d.a.w.pitch;
                part->w.n_row = rows[p];
            }
            launch_instance(i, types[type].name, &a, 1);
            for (int p = 0, row = 0; p < GPU_PARTS; row += rows[p++])
                for (int k = 0; k < N * rows[p]; k++)
                    if (memcmp(&d.a.y[N * row + k],
                               &d.want[k / rows[p] * ROW + row + k % rows[p]],
                               sizeof(float)) != 0)
                        fail_msg("%s %s: number %d of weight %d",
                                 gpu_matmul_instance[i].name, types[type].name,
                                 k, p);
        }
        close_desk(&d);
    }
}

enum { FINISHED = 64, HALF = FINISHED / 2 };

/* What a launch behind the product leaves, and what its last block leaves. */
struct finish {
    float y[FINISHED], h[FINISHED], d[2];
    int8_t q[FINISHED];
    int sum[FINISHED / 16];
    uint32_t count[2];
};

static struct gpu_after after_in(struct finish *f, const float *w)
{
    struct gpu_after a = {.count = f->count};
    struct gpu_bytes to = {f->q, f->d, f->sum, 32};
    if (w)
        a.norm = (struct gpu_norm_args){
            .x = f->y, .w = w, .y = f->h, .to = to, .n_col = FINISHED};
    else
        a.gate = (struct gpu_pair_args){f->y, f->y + HALF, HALF, to};
    return a;
}

static void finishes(struct desk *d, int i, const char *type, bool norm)
{
    struct finish *f = gpu_host_take(2 * sizeof *f), *want = f + 1;
    struct gpu_product_args a = d->a;
    int rows = gpu_matmul_instance[i].rows;
    memset(f, 0, 2 * sizeof *f);
    a.after = after_in(f, norm ? d->a.x : NULL);
    a.after.n = norm ? FINISHED / rows : 2 * 32 / rows;
    a.y = f->y;
    if (!norm) { /* gate and up are halves of the rows */
        a.n_row = a.y_stride = a.w.n_row = HALF;
        a.part[0] = (struct gpu_part){a.w, f->y + HALF};
        a.part[0].w.raw += HALF * a.w.pitch;
    }
    launch_instance(i, type, &a, 1);
    memcpy(want->y, d->want, sizeof want->y);
    struct gpu_after then = after_in(want, norm ? d->a.x : NULL);
    if (norm)
        launch("norm", "", &then.norm, 1, 1);
    else
        launch("silu_mul", "", &then.gate, 1, 1);
    if (memcmp(f, want, sizeof *f) != 0)
        fail_msg("%s %s: the last block leaves other %s",
                 gpu_matmul_instance[i].name, type, norm ? "norms" : "gates");
    gpu_host_give(f);
}

static void the_last_block_finishes_the_product(void **state)
{
    (void)state;
    skip_under_tsan();
    for (int type = 0; type < N_TYPE; type++) {
        struct desk d = open_desk(type, FINISHED, columns(type, 1), 1);
        for (int i = 0; i < GPU_INSTANCES; i++)
            if (gpu_matmul_instance[i].family == GPU_DIRECT &&
                gpu_matmul_serves(i, types[type].type)) {
                finishes(&d, i, types[type].name, true);
                finishes(&d, i, types[type].name, false);
            }
        close_desk(&d);
    }
}

/* Of one step and of several, of pieces that fill the teams and that do not. */
static void few_rows_have_the_scalar_bits(void **state)
{
    (void)state;
    static const int shape[][3] = {
        {1, 21, 5}, {21, 16, 1}, {8, 33, 6}, {2, 5, 17}};
    skip_under_tsan();
    for (int type = 0; type < N_TYPE; type++)
        for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
            if (!quant_form(types[type].type).act) continue;
            int double_it = quant_info(types[type].type)->block < 256 ? 2 : 1;
            by_instances(
                type, GPU_DIRECT,
                (int[]){shape[i][0], shape[i][1], shape[i][2] * double_it});
        }
}

static void picked_rows_are_those_of_all(void **state)
{
    (void)state;
    enum { N = 5, PICK = 19 };
    skip_under_tsan();
    for (int type = 0; type < N_TYPE; type++) {
        struct desk d = open_desk(type, 66, columns(type, 1), N);
        int32_t *pick = gpu_host_take(PICK * sizeof *pick);
        for (int i = 0; i < PICK; i++)
            pick[i] = i * 23 % 66;
        d.a.pick = pick;
        d.a.n_row = d.a.y_stride = PICK;
        launch_instance(gpu_matmul_first(types[type].type, N), types[type].name,
                        &d.a, 1);
        for (int t = 0; t < N; t++)
            for (int i = 0; i < PICK; i++)
                assert_memory_equal(&d.a.y[t * PICK + i],
                                    &d.want[t * 66 + pick[i]], sizeof(float));
        gpu_host_give(pick);
        close_desk(&d);
    }
}

static double as_half(float x)
{
    return quant_f16_to_f32(quant_f32_to_f16(fminf(fmaxf(x, -65504), 65504)));
}

/* The eye's: both sides in F16, sums in F32, columns that fill no step. */
static void gemm16_are_products_in_sixteen_bits(void **state)
{
    (void)state;
    static const int shape[][3] = {{70, 66, 150}, {17, 3, 32}, {1, 64, 65}};
    static float w[160];
    skip_under_tsan();
    for (int type = N_TYPE - 2; type < N_TYPE; type++)
        for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
            int n = shape[i][0], rows = shape[i][1], n_col = shape[i][2];
            struct desk d = open_desk(type, rows, n_col, n);
            ((float *)(uintptr_t)d.a.x)[n_col - 1] = -1e9f;
            launch("half", types[type].name, &d.a, (rows + 63) / 64,
                   (n + 63) / 64);
            for (int k = 0; k < n * rows; k++) {
                double want = 0, size = 0;
                matmul_weight_row(&d.w, k % rows, w);
                for (int c = 0; c < n_col; c++) {
                    double part =
                        as_half(d.a.x[k / rows * n_col + c]) * as_half(w[c]);
                    want += part;
                    size += fabs(part);
                }
                /* an H200 is 4e-6 of it off: it cuts what it adds up */
                if (!(fabs(d.a.y[k] - want) <= 1e-5 * size))
                    fail_msg("half %s: %.9g, want %.9g", types[type].name,
                             (double)d.a.y[k], want);
            }
            close_desk(&d);
        }
}

/* Of two experts that lie one behind the other, the second has all rows: by every
 * instance, with the bits of the product without experts. */
static void an_experts_product_has_the_same_bits(void **state)
{
    (void)state;
    enum { ROW = 33, N = 11 };
    static const int32_t first[] = {0, 0, N};
    skip_under_tsan();
    for (int type = 0; type < N_TYPE; type++) {
        int n_col = columns(type, 1);
        struct desk d = open_desk(type, 2 * ROW, n_col, N);
        int32_t *who = gpu_host_take(sizeof first + N * sizeof *who);
        memcpy(who, first, sizeof first);
        for (int i = 0; i < N; i++)
            who[3 + i] = (i * 4 + 1) % N; /* each once */
        d.a.n_row = d.a.y_stride = ROW;
        d.a.by = (struct gpu_by_expert){who, who + 3, who + 3, NULL, ROW, 0};
        for (int instance = 0; instance < GPU_INSTANCES; instance++) {
            if (!gpu_matmul_serves(instance, types[type].type)) continue;
            memset(d.a.y, 0, (size_t)N * ROW * sizeof *d.a.y);
            launch_instance(instance, types[type].name, &d.a, 2);
            for (int i = 0; i < N; i++)
                assert_memory_equal(d.a.y + who[3 + i] * ROW,
                                    d.want + who[3 + i] * 2 * ROW + ROW,
                                    ROW * sizeof(float));
        }
        gpu_host_give(who);
        close_desk(&d);
    }
}

static void embedding_rows_are_the_decoded_ones(void **state)
{
    (void)state;
    enum { N = 3, ROW_MAX = 2048 };
    static const int32_t token[N] = {7, 0, 65}, at[N] = {2, 0, 1};
    skip_under_tsan();
    for (int type = 0; type < N_TYPE; type++) {
        int n_col = columns(type, 3);
        struct desk d = open_desk(type, 66, n_col, 1);
        size_t row = (size_t)n_col * sizeof(float);
        int32_t *index = gpu_host_take(sizeof token + sizeof at);
        float *x = gpu_host_take(N * row), want[ROW_MAX];
        memcpy(index, token, sizeof token);
        memcpy(index + N, at, sizeof at);
        struct gpu_embed_args a = {d.a.w, index, index + N, x};
        launch("embed", types[type].name, &a, N, 1);
        for (int i = 0; i < N; i++) {
            matmul_weight_row(&d.w, token[i], want);
            assert_memory_equal(x + at[i] * n_col, want, row);
        }
        gpu_host_give(x);
        gpu_host_give(index);
        close_desk(&d);
    }
}

/* What no number can be made of becomes none. */
static void rounding_is_the_scalar_one(void **state)
{
    (void)state;
    enum { N = 5 * 256 };
    skip_under_tsan();
    float *x = gpu_host_take(N * sizeof *x), *d = gpu_host_take(N);
    int8_t *q = gpu_host_take(N);
    int *sum = gpu_host_take(N);
    for (int i = 0; i < N; i++)
        x[i] = sinf((float)(i * i)) * (i < 256 ? 3.0f : 1e-3f);
    for (int i = 512; i < 768; i++)
        x[i] = i == 600 ? 1e-40f : 0.0f;
    x[800] = INFINITY;
    x[1100] = NAN;
    for (int act = 32; act <= 256; act *= 8) {
        struct gpu_round_args a = {x, {q, d, sum, act}, N / act};
        gpu_host_launch(gpu_host_find("gpu_round"), &a, N / act, 1, 1);
        no_error();
        for (int i = 0; i < N; i++) {
            bool bad = isnan(d[i / act]);
            bool here = i / act == 800 / act || i / act == 1100 / act;
            assert_int_equal(bad, here);
            if (!bad) /* at most half a step away */
                assert_true(fabsf(x[i] - (float)q[i] * d[i / act]) <=
                            d[i / act] * 0.50001f + 1e-39f);
        }
        for (int i = 0; i < N / 16; i++) {
            int want = 0;
            for (int k = 0; k < 16; k++)
                want += q[16 * i + k];
            assert_int_equal(sum[i], want);
        }
    }
    gpu_host_give(x);
    gpu_host_give(d);
    gpu_host_give(q);
    gpu_host_give(sum);
}

TEST_GROUP(gpu_matmul, cmocka_unit_test(prompts_have_the_scalar_bits),
           cmocka_unit_test(few_rows_have_the_scalar_bits),
           cmocka_unit_test(picked_rows_are_those_of_all),
           cmocka_unit_test(embedding_rows_are_the_decoded_ones),
           cmocka_unit_test(rounding_is_the_scalar_one))

TEST_GROUP(gpu_fused, cmocka_unit_test(several_weights_have_their_own_bits),
           cmocka_unit_test(the_last_block_finishes_the_product),
           cmocka_unit_test(a_sum_is_the_product_and_what_was_there),
           cmocka_unit_test(gemm16_are_products_in_sixteen_bits),
           cmocka_unit_test(an_experts_product_has_the_same_bits))
