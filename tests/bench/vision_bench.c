/* vision_bench.c - the encoder on one picture, against the machine's FP32
 * peak, measured before and after. Rates are per second of processor time of
 * all threads: machines are shared. "s" is wall time.
 *     build/release/vision-bench MMPROJ [width height threads repeats ways]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/clock.h"
#include "vlm/base/cpu.h"
#include "vlm/device/cpu/vision/vision.h"
#include "vlm/device/cpu/vision/vit.h"
#include "vlm/model/gguf.h"
#include "vlm/tensor/gemm16.h"
#include "vlm/tensor/kernels.h"
#include "vlm/tensor/vector_ops.h"

static void spin(void *arg, int first, int last, int thread)
{
    const struct kernels *k = arg;
    static _Thread_local float x[12 * 64], y[12 * PANEL_ROWS],
        w[64 * PANEL_ROWS];
    (void)thread;
    for (int i = first; i < last; i++)
        k->panel_f32(w, 64, x, 12, k->tile_f32, y, PANEL_ROWS, PANEL_ROWS,
                     false);
}

/* Per second of processor time, so that other processes matter less. */
static double peak_flops(struct pool *pool)
{
    struct kernels k;
    kernels_pick(&k, cpu_features());
    int n = 40000 * pool_size(pool);
    double start = clock_cpu_seconds();
    pool_run(pool, n, 64, spin, &k);
    return 2.0 * n * 64 * PANEL_ROWS * k.tile_f32 /
           (clock_cpu_seconds() - start);
}

/* Multiplications and additions of all products and of attention. */
static double work(const struct vision_shape *s, int n_token)
{
    double area = s->merge_size * s->merge_size, token = n_token;
    double n = token * area, e = s->n_embd;
    double block = n * e * (4 * e + 2 * s->n_ff) + 2 * n * n * e;
    double patch = n * e * 3 * s->patch_size * s->patch_size;
    double merger = token * area * e * (area * e + s->n_out);
    return 2 * (s->n_layer * block + patch + merger);
}

static int number(int argc, char **argv, int i, int otherwise)
{
    return argc > i ? (int)strtol(argv[i], NULL, 10) : otherwise;
}

static void fill(struct image *image)
{
    unsigned seed = 1;
    for (size_t i = 0; i < image->stride_bytes * (size_t)image->height_px; i++)
        image->data[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
}

/* A way to encode, by the units that it leaves alone. */
struct way {
    const char *name;
    unsigned off;
    bool fast;
};

static const struct way ways[] = {
    {"exact", 0, false},
    {"fast", 0, true},
    {"fast, avx512", CPU_AMX_BF16, true},
    {"fast, avx2+vnni", CPU_AMX_BF16 | CPU_AVX512VNNI, true},
    {"exact, avx2", CPU_AMX_BF16 | CPU_AVX512VNNI | CPU_AVXVNNI, false},
    {"fast, avx2", CPU_AMX_BF16 | CPU_AVX512VNNI | CPU_AVXVNNI, true},
};

enum { N_WAY = sizeof ways / sizeof *ways, REPEAT_MAX = 64 };

/* The encoder of a model, open one way. */
struct bench {
    struct vision_shape shape;
    struct vision_weights weights;
    struct pool *pool;
    struct tensor_backend *backend[N_WAY];
    struct vision *vision[N_WAY]; /* at first use */
    struct image image;
    float *rows, *exact; /* of this way; of the first one */
    size_t n_float;
    double cpu[N_WAY][REPEAT_MAX];
};

static void open_way(struct bench *b, int w, struct err *err)
{
    unsigned features = cpu_features() & ~ways[w].off;
    struct tensor_options options = {.features = features,
                                     .fast = ways[w].fast};
    if (b->vision[w]) return;
    b->backend[w] = matmul_backend_new(&options);
    b->vision[w] = vision_open(
        &b->shape, &b->weights, b->backend[w], vector_ops_pick(features),
        ways[w].fast ? gemm16_pick(features) : NULL, b->pool, err);
}

/* Returns the processor time. */
static double encode(struct bench *b, int w, struct err *err)
{
    open_way(b, w, err);
    double peak = peak_flops(b->pool), start = clock_seconds();
    double cpu = clock_cpu_seconds();
    vision_encode(b->vision[w], &b->image, b->rows, err);
    double seconds = clock_seconds() - start;
    cpu = clock_cpu_seconds() - cpu;
    double rate = work(&b->shape, (int)(b->n_float / (size_t)b->shape.n_out));
    peak = (peak + peak_flops(b->pool)) / 2;
    int width = b->image.width_px, height = b->image.height_px;
    printf("{\"test\":\"vision %dx%d\",\"way\":\"%s\",\"t\":%d,"
           "\"s\":%.3f,\"cpu_s\":%.3f,\"gflops\":%.1f,"
           "\"peak_gflops\":%.1f,\"share\":%.3f,\"scratch_mib\":%zu}\n",
           width, height, ways[w].name, pool_size(b->pool), seconds, cpu,
           rate / cpu / 1e9, peak / 1e9, rate / cpu / peak,
           vision_scratch_bytes(b->vision[w], width, height) >> 20);
    fflush(stdout);
    return cpu;
}

/* The worst of the rows' cosines to those of the first way. */
static double worst_cosine(const struct bench *b)
{
    size_t n = (size_t)b->shape.n_out;
    double worst = 1;
    for (size_t i = 0; i + n <= b->n_float; i += n) {
        double xy = 0, xx = 0, yy = 0;
        for (size_t k = i; k < i + n; k++) {
            double x = (double)b->rows[k], y = (double)b->exact[k];
            xy += x * y, xx += x * x, yy += y * y;
        }
        double cosine = xy / sqrt(xx * yy);
        if (!(cosine >= worst)) worst = cosine;
    }
    return worst;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_size);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* All ways by turns; which: a digit for each, or NULL for all. */
static void compare(struct bench *b, const char *which, int n, struct err *err)
{
    double cosine[N_WAY] = {0};
    for (int i = 0; i < n; i++)
        for (int w = 0; w < N_WAY && !err_failed(err); w++) {
            if (which && !strchr(which, '0' + w)) continue;
            b->cpu[w][i] = encode(b, w, err);
            if (w == 0) memcpy(b->exact, b->rows, b->n_float * sizeof(float));
            cosine[w] = worst_cosine(b);
        }
    double exact = median(b->cpu[0], n);
    for (int w = 0; w < N_WAY; w++) {
        if (which && !strchr(which, '0' + w)) continue;
        double cpu = median(b->cpu[w], n);
        printf("%-14s %8.3f s of processor time", ways[w].name, cpu);
        if (exact > 0) /* exact was among them */
            printf(", %5.2f times as fast as exact, worst cosine to it %.7f",
                   exact / cpu, cosine[w]);
        printf("\n");
    }
}

static void take_picture(struct bench *b, int width, int height,
                         struct err *err)
{
    int unit = b->shape.patch_size * b->shape.merge_size;
    b->image = image_new(width, height, 3, err);
    if (err_failed(err)) return;
    fill(&b->image);
    b->n_float = (size_t)(width / unit) * (size_t)(height / unit) *
                 (size_t)b->shape.n_out;
    b->rows = mem_alloc(b->n_float, sizeof *b->rows);
    b->exact = mem_alloc(b->n_float, sizeof *b->exact);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "vision-bench MMPROJ [width height threads repeats "
                        "ways, as 012]\n");
        return 2;
    }
    struct err err = {0};
    static struct bench b;
    struct arena *arena = arena_new();
    struct gguf *g = gguf_open(argv[1], &err);
    shape_read_vision(g, &b.shape, &err);
    weights_read_vision(g, &b.shape, arena, &b.weights, &err);
    b.pool = pool_new(number(argc, argv, 4, cpu_count()), &err);
    take_picture(&b, number(argc, argv, 2, 1024), number(argc, argv, 3, 1024),
                 &err);
    int n = number(argc, argv, 5, 3);
    compare(&b, argc > 6 ? argv[6] : NULL, n < REPEAT_MAX ? n : REPEAT_MAX,
            &err);
    if (err_failed(&err)) fprintf(stderr, "%s\n", err.text);
    for (int w = 0; w < N_WAY; w++) {
        vision_close(b.vision[w]);
        matmul_backend_free(b.backend[w]);
    }
    image_free(&b.image);
    mem_free(b.rows);
    mem_free(b.exact);
    pool_free(b.pool);
    gguf_close(g);
    arena_free(arena);
    return err_failed(&err);
}
