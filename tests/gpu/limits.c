/* limits.c - gpu-limits: how fast the GPU's memory is read and copied, and what
 * mma.sync reaches, as one line of JSON. The best of some tries of each.
 * gpu-limits small does the same with little, for a device of our own (prove -s);
 * gpu-limits MIB takes all of the memory but so much, says "held", and waits for the
 * end of its standard input. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/limits.h"
#include "vlm/device/gpu/gpu_cuda.h"
#include "vlm/device/gpu/kernels/gpu_args.h"

enum { TRIES = 5, BLOCKS_OF_ONE = 8, PROCESSORS = 16 };

__asm__(".section .rodata\nlimits_text:\n.incbin \"" LIMITS_PTX
        "\"\n.byte 0\n.previous\n");
extern const char limits_text[] __asm__("limits_text");

struct processor_limits {
    struct gpu_cuda cuda;
    long long bytes, rounds;
    void *module, *stream, *from, *to;
    uint64_t memory[2];
    int processors;
};

static void must(int result, const char *what)
{
    if (result == 0) return;
    printf("{\"error\":\"%s: %d\"}\n", what, result);
    exit(1);
}

static void *symbol(void *library, const char *name)
{
    void *at = library ? dlsym(library, name) : NULL;
    must(at ? 0 : 1, name);
    return at;
}

static void open_library(struct gpu_cuda *c)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *at;
#define FIND(name, text, arguments) \
    at = symbol(library, text);     \
    memcpy(&c->name, &at, sizeof at);
    GPU_CUDA_CALLS(FIND)
#undef FIND
}

static void open_device(struct processor_limits *l)
{
    const struct gpu_cuda *c = &l->cuda;
    int device = 0;
    void *context = NULL;
    must(c->init(0), "cuInit");
    must(c->device_get(&device, 0), "cuDeviceGet");
    must(c->device_attribute(&l->processors, PROCESSORS, device),
         "cuDeviceGetAttribute");
    must(c->context_retain(&context, device), "cuDevicePrimaryCtxRetain");
    must(c->context_set(context), "cuCtxSetCurrent");
    must(c->module_load(&l->module, limits_text), "cuModuleLoadData");
    must(c->stream_new(&l->stream, 0), "cuStreamCreate");
    must(l->cuda.event_new(&l->from, 0), "cuEventCreate");
    must(l->cuda.event_new(&l->to, 0), "cuEventCreate");
}

static void take_memory(struct processor_limits *l)
{
    const struct gpu_cuda *c = &l->cuda;
    for (int i = 0; i < 2; i++)
        must(c->memory_take(&l->memory[i], (size_t)l->bytes), "cuMemAlloc");
    must(c->clear(l->memory[0], 1, (size_t)l->bytes), "cuMemsetD8");
}

/* Seconds of one launch, or (kernel NULL) of one copy. */
static double seconds(const struct processor_limits *l, const char *kernel,
                      long long n)
{
    struct limit_args a = {(const void *)(uintptr_t)l->memory[0], n,
                           (uint32_t *)(uintptr_t)l->memory[1],
                           l->processors * BLOCKS_OF_ONE};
    void *args[] = {&a}, *function = NULL;
    void *stream = kernel ? l->stream : NULL;
    double best = 1e30;
    if (kernel)
        must(l->cuda.module_function(&function, l->module, kernel), kernel);
    for (int i = 0; i < TRIES; i++) {
        float ms = 0;
        must(l->cuda.event_record(l->from, stream), "cuEventRecord");
        if (kernel)
            must(l->cuda.launch(function, (unsigned)a.blocks, 1, 1, GPU_THREADS,
                                1, 1, 0, stream, args, NULL),
                 kernel);
        else
            must(l->cuda.copy_inside(l->memory[1], l->memory[0],
                                     (size_t)l->bytes),
                 "cuMemcpyDtoD");
        must(l->cuda.event_record(l->to, stream), "cuEventRecord");
        must(l->cuda.event_wait(l->to), "cuEventSynchronize");
        must(l->cuda.event_elapsed(&ms, l->from, l->to), "cuEventElapsedTime");
        if ((double)ms / 1e3 < best) best = (double)ms / 1e3;
    }
    return best;
}

static int hold(const struct processor_limits *l, size_t rest)
{
    size_t left = 0, total = 0;
    uint64_t at;
    must(l->cuda.memory_info(&left, &total), "cuMemGetInfo");
    for (size_t part = left; part >= (size_t)2 << 20 && left > rest;
         part /= 2) {
        while (left > rest && left - rest >= part &&
               l->cuda.memory_take(&at, part) == 0)
            must(l->cuda.memory_info(&left, &total), "cuMemGetInfo");
    }
    printf("held\n");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}

/* A warp's products of each round are 8. */
static double products_per_second(const struct processor_limits *l,
                                  const char *kernel, int columns)
{
    double warps = (double)l->processors * BLOCKS_OF_ONE * GPU_WARPS;
    return warps * (double)l->rounds * 8 * 2 * 16 * 8 * columns /
           seconds(l, kernel, l->rounds);
}

int main(int argc, char **argv)
{
    bool small = argc == 2 && !strcmp(argv[1], "small");
    struct processor_limits l = {.bytes = small ? 4LL << 20 : 4LL << 30,
                                 .rounds = small ? 2 : 4096};
    open_library(&l.cuda);
    open_device(&l);
    if (argc == 2 && !small) return hold(&l, strtoul(argv[1], NULL, 10) << 20);
    take_memory(&l);
    long long step = (long long)l.processors * BLOCKS_OF_ONE * GPU_THREADS * 8;
    long long n = l.bytes / 16 / step * step; /* every thread reads as often */
    printf("{\"multiprocessors\":%d,\"read_gb_s\":%.3f,\"copy_gb_s\":%.3f,"
           "\"mma_int8_tops\":%.6f,\"mma_f16_tflops\":%.6f}\n",
           l.processors, (double)n * 16 / seconds(&l, "limit_read", n) / 1e9,
           2 * (double)l.bytes / seconds(&l, NULL, 0) / 1e9,
           products_per_second(&l, "limit_bytes", 32) / 1e12,
           products_per_second(&l, "limit_halves", 16) / 1e12);
    return 0;
}
