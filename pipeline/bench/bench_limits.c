/* bench_limits.c - see bench_limits.h. */
#include "pipeline/bench/bench_limits.h"

#include <math.h>
#include <stdio.h>

#include "vlm/tensor/processor_limits.h"

enum { EACH_UP_TO = 8 };

static void print_json(int n_thread, const struct processor_limits *l)
{
    const char *name[] = {"f32_gflops", "bf16_gflops", "int8_gops",
                          "amx_bf16_gflops", "amx_int8_gops"};
    double rate[] = {l->f32, l->bf16, l->i8, l->tile_bf16, l->tile_i8};
    printf("{\"test\":\"limits\",\"t\":%d,\"read_gbs\":%.3f", n_thread,
           l->read / 1e9);
    for (int i = 0; i < 5; i++)
        if (rate[i] > 0)
            printf(",\"%s\":%.2f", name[i], rate[i] / 1e9);
        else
            printf(",\"%s\":null", name[i]);
    printf("}\n");
}

static void print_rate(double rate)
{
    if (rate > 0)
        printf(" %13.1f", rate / 1e9);
    else
        printf(" %13s", "-");
}

static void print_row(int n_thread, const struct processor_limits *l)
{
    if (n_thread == 1)
        printf("%7s %10s %13s %13s %13s %13s %13s\n", "threads", "read GB/s",
               "F32 GFLOP/s", "BF16 GFLOP/s", "int8 GOP/s", "AMX BF16",
               "AMX int8");
    printf("%7d %10.2f", n_thread, l->read / 1e9);
    print_rate(l->f32);
    print_rate(l->bf16);
    print_rate(l->i8);
    print_rate(l->tile_bf16);
    print_rate(l->tile_i8);
    printf("\n");
}

/* Resets the peak of resident memory, so that tests do not count the buffers
 * read here. */
static void reset_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (!f) return;
    fputs("5", f); /* resets VmHWM */
    fclose(f);
}

struct bench_limits bench_limits_run(int n_thread, bool json, struct err *err)
{
    struct bench_limits limits = {0};
    for (int n = 1; n <= n_thread && !err_failed(err);) {
        struct processor_limits l = processor_limits_measure(n, err);
        if (err_failed(err)) break;
        (json ? print_json : print_row)(n, &l);
        fflush(stdout);
        limits.read = l.read;
        limits.products = fmax(l.i8, fmax(l.f32, l.tile_i8)) / 2;
        int next = n < EACH_UP_TO ? n + 1 : 2 * n;
        n = n < n_thread && next > n_thread ? n_thread : next;
    }
    reset_peak();
    return limits;
}

double bench_limits_floor(const struct bench_limits *l, double bytes,
                          double products)
{
    return fmax(bytes / l->read, products / l->products);
}
