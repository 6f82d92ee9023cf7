/* vision_bench.c - the encoder on one picture, against the machine's FP32
 * peak, measured before and after. Rates are per second of processor time of
 * all threads: machines are shared. "s" is wall time.
 *     build/release/vision-bench MMPROJ [width height threads repeats]
 */
#include <stdio.h>
#include <stdlib.h>

#include "vlm/base/cpu.h"
#include "vlm/base/now.h"
#include "vlm/cpu/vision/vision.h"
#include "vlm/cpu/vision/vit.h"
#include "vlm/model/gguf.h"
#include "vlm/tensor/kernels.h"
#include "vlm/tensor/lanes.h"

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
    double start = now_cpu_seconds();
    pool_run(pool, n, 64, spin, &k);
    return 2.0 * n * 64 * PANEL_ROWS * k.tile_f32 / (now_cpu_seconds() - start);
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

static void measure(struct vision *v, const struct vision_shape *s,
                    struct pool *pool, int width, int height, struct err *err)
{
    int n_y = 0, n_x = 0;
    vision_grid(v, width, height, &n_y, &n_x, err);
    struct image image = image_new(width, height, 3, err);
    if (err_failed(err)) return;
    fill(&image);
    float *rows = mem_take((size_t)(n_y * n_x) * (size_t)s->n_out, 4);
    double before = peak_flops(pool), start = now_seconds();
    double cpu = now_cpu_seconds();
    vision_encode(v, &image, rows, err);
    double seconds = now_seconds() - start;
    cpu = now_cpu_seconds() - cpu;
    double after = peak_flops(pool), peak = (before + after) / 2;
    double rate = work(s, n_y * n_x) / cpu;
    printf("{\"test\":\"vision %dx%d\",\"t\":%d,\"tokens\":%d,\"s\":%.3f,"
           "\"cpu_s\":%.3f,\"gflops\":%.1f,\"peak_gflops\":%.1f,"
           "\"share\":%.3f,\"scratch_mib\":%zu}\n",
           width, height, pool_size(pool), n_y * n_x, seconds, cpu, rate / 1e9,
           peak / 1e9, rate / peak,
           vision_scratch_bytes(v, width, height) >> 20);
    fflush(stdout);
    mem_give(rows);
    image_free(&image);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "vision-bench MMPROJ [width height threads repeats]\n");
        return 2;
    }
    struct err err = {0};
    struct vision_shape shape;
    struct vision_weights weights;
    struct arena *arena = arena_new();
    struct gguf *g = gguf_open(argv[1], &err);
    shape_read_vision(g, &shape, &err);
    weights_read_vision(g, &shape, arena, &weights, &err);
    struct pool *pool = pool_new(number(argc, argv, 4, cpu_count()), &err);
    struct tensor_options options = {.features = cpu_features()};
    struct tensor_backend *b = matmul_backend_new(&options);
    struct vision *v = vision_open(&shape, &weights, b,
                                   lanes_pick(options.features), pool, &err);
    int n = number(argc, argv, 5, 3);
    for (int i = 0; i < n && !err_failed(&err); i++)
        measure(v, &shape, pool, number(argc, argv, 2, 1024),
                number(argc, argv, 3, 1024), &err);
    if (err_failed(&err)) fprintf(stderr, "%s\n", err.text);
    vision_close(v);
    matmul_backend_free(b);
    pool_free(pool);
    gguf_close(g);
    arena_free(arena);
    return err_failed(&err);
}
