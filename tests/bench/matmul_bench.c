/* matmul_bench.c - products of real shapes against the machine's own limits.
 *
 * Prints wall time figures per shape: GFLOP/s (2 per multiplication) and its
 * share of the float or 8-bit peak, GB/s of weights and its share of the read
 * bandwidth. The limits are measured around each shape, since machines are
 * shared: the shares are what counts.
 *     build/release/matmul-bench [threads] [part of a type name]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/cpu.h"
#include "vlm/tensor/kernels.h"
#include "vlm/tensor/matmul.h"

struct bench {
    struct tensor_backend *b;
    struct kernels k;
    struct pool *pool;
    int n_thread;
    char *memory;             /* read for the bandwidth */
    double flops, ops, bytes; /* per second, last measured */
};

enum { MEMORY = 256 << 20 };

static void touch(void *arg, int first, int last, int thread)
{
    (void)thread;
    const uint64_t *p = arg;
    uint64_t sum[8] = {0};
    for (size_t i = (size_t)first * 8192; i < (size_t)last * 8192; i += 8)
        for (int j = 0; j < 8; j++)
            sum[j] += p[i + (size_t)j];
    for (int j = 1; j < 8; j++)
        sum[0] += sum[j];
    volatile uint64_t sink = sum[0];
    (void)sink;
}

/* Panel kernels on data that stays in the first cache. */
struct peak {
    const struct kernels *k;
    bool integers;
};

static void spin_panels(void *arg, int first, int last, int thread)
{
    const struct peak *peak = arg;
    (void)thread;
    static _Thread_local struct panel_i8 panel;
    static _Thread_local float x[12 * 64], y[12 * PANEL_ROWS],
        w[64 * PANEL_ROWS];
    static _Thread_local int32_t init[12 * 8];
    panel.form = (struct quant_form){32, 256, false};
    panel.n_k = 256;
    struct act_tile tile = {(int8_t *)(void *)x, x, x, init, peak->k->tile_i8};
    for (int i = first; i < last; i++)
        if (peak->integers)
            peak->k->panel_i8(&panel, &tile, y, PANEL_ROWS, PANEL_ROWS, false);
        else
            peak->k->panel_f32(w, 64, x, 12, peak->k->tile_f32, y, PANEL_ROWS,
                               PANEL_ROWS, false);
}

static double seconds_of(struct bench *t, bool integers, int n)
{
    struct peak peak = {&t->k, integers};
    double start = clock_seconds();
    pool_run(t->pool, n, 64, spin_panels, &peak);
    return clock_seconds() - start;
}

static void measure_limits(struct bench *t)
{
    int n = 20000 * t->n_thread;
    double s = seconds_of(t, false, n);
    t->flops = 2.0 * n * 64 * PANEL_ROWS * t->k.tile_f32 / s;
    s = seconds_of(t, true, n);
    t->ops = 2.0 * n * 256 * PANEL_ROWS * t->k.tile_i8 / s;
    double start = clock_seconds();
    pool_run(t->pool, MEMORY / 65536, 64, touch, t->memory);
    t->bytes = MEMORY / (clock_seconds() - start);
}

static void measure(struct bench *t, enum quant_type type, int n_row, int n_col,
                    int n)
{
    size_t row = quant_row_bytes(type, n_col), bytes = row * (size_t)n_row;
    /* enough copies that a token's pass does not stay in the caches */
    int copies = n > 16 ? 1 : (int)(200000000 / bytes) + 1;
    uint8_t *raw = mem_try_aligned(bytes * (size_t)copies);
    float *x = mem_alloc((size_t)n * (size_t)n_col, sizeof *x);
    float *y = mem_alloc((size_t)n * (size_t)n_row, sizeof *y);
    void *scratch =
        mem_try_aligned(matmul_scratch_bytes(t->b, t->pool, n, n_col, 1));
    if (!raw || !scratch) return;
    for (size_t i = 0; i < bytes * (size_t)copies; i++)
        raw[i] = (uint8_t)(i * 37 % 61); /* small and finite as any type */
    for (int i = 0; i < n * n_col; i++)
        x[i] = (float)(i % 17 - 8);
    double best = 1e9;
    for (int repeat = 0; repeat < 5; repeat++) {
        double start = clock_seconds();
        for (int c = 0; c < copies; c++) {
            struct weight w = {.type = type,
                               .n_row = n_row,
                               .n_col = n_col,
                               .scale = 1,
                               .raw = raw + bytes * (size_t)c};
            matmul(t->b, t->pool, &w, x, n, y, scratch);
        }
        double s = (clock_seconds() - start) / copies;
        if (s < best) best = s;
    }
    measure_limits(t);
    bool whole = quant_form(type).sub != 0;
    double rate = 2.0 * n * n_row * n_col / best;
    printf("%-6s %6d x %5d  n %4d  %9.1f us  %7.1f GFLOP/s %5.1f %%  "
           "%6.2f GB/s %5.1f %%\n",
           quant_info(type)->name, n_row, n_col, n, best * 1e6, rate / 1e9,
           100 * rate / (whole ? t->ops : t->flops), (double)bytes / best / 1e9,
           100 * (double)bytes / best / t->bytes);
    fflush(stdout);
    mem_free(raw), mem_free(x), mem_free(y), mem_free(scratch);
}

int main(int argc, char **argv)
{
    static const struct {
        enum quant_type type;
        int n_row, n_col, n;
    } shape[] = {
        {QUANT_Q8_0, 3584, 1024, 1},      {QUANT_Q8_0, 1024, 3584, 1},
        {QUANT_Q4_K, 9216, 2560, 1},      {QUANT_Q4_K, 2560, 9216, 1},
        {QUANT_Q5_K, 9216, 2560, 1},      {QUANT_Q6_K, 2560, 9216, 1},
        {QUANT_Q4_0, 9216, 2560, 1},      {QUANT_Q8_0, 9216, 2560, 4},
        {QUANT_Q6_K, 9216, 2560, 4},      {QUANT_Q4_K, 9216, 2560, 2},
        {QUANT_Q4_K, 9216, 2560, 4},      {QUANT_Q4_K, 9216, 2560, 6},
        {QUANT_Q4_K, 9216, 2560, 12},     {QUANT_Q2_K, 9216, 2560, 1},
        {QUANT_IQ4_XS, 9216, 2560, 1},    {QUANT_IQ1_S, 9216, 2560, 1},
        {QUANT_IQ1_M, 9216, 2560, 1},     {QUANT_IQ2_XXS, 9216, 2560, 1},
        {QUANT_IQ2_XS, 9216, 2560, 1},    {QUANT_IQ2_S, 9216, 2560, 1},
        {QUANT_IQ3_XXS, 9216, 2560, 1},   {QUANT_IQ3_S, 9216, 2560, 1},
        {QUANT_TQ1_0, 9216, 2560, 1},     {QUANT_TQ2_0, 9216, 2560, 1},
        {QUANT_IQ2_XXS, 9216, 2560, 512}, {QUANT_Q8_0, 3584, 1024, 512},
        {QUANT_Q8_0, 1024, 3584, 512},    {QUANT_Q4_K, 9216, 2560, 512},
        {QUANT_Q4_K, 2560, 9216, 512},    {QUANT_Q6_K, 2560, 9216, 512},
        {QUANT_Q4_0, 9216, 2560, 512},    {QUANT_F32, 3072, 768, 256},
        {QUANT_F32, 768, 3072, 1024},     {QUANT_F16, 4096, 1024, 1024},
        {QUANT_F32, 4304, 1152, 4096},
    };
    struct bench t = {.n_thread = argc > 1 ? atoi(argv[1]) : cpu_count()};
    struct err err = {0};
    struct tensor_options o = {.features = cpu_features()};
    t.b = matmul_backend_new(&o);
    kernels_pick(&t.k, o.features);
    t.pool = pool_new(t.n_thread, &err);
    t.memory = mem_try_aligned(MEMORY);
    if (err_failed(&err) || !t.memory) return 1;
    memset(t.memory, 1, MEMORY);
    measure_limits(&t);
    printf("%s, %d threads: %.1f GFLOP/s, %.1f GOP/s of 8 bits, %.1f GB/s\n",
           t.k.name, t.n_thread, t.flops / 1e9, t.ops / 1e9, t.bytes / 1e9);
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++)
        if (argc < 3 || strstr(quant_info(shape[i].type)->name, argv[2]))
            measure(&t, shape[i].type, shape[i].n_row, shape[i].n_col,
                    shape[i].n);
    mem_free(t.memory);
    pool_free(t.pool);
    matmul_backend_free(t.b);
    return 0;
}
