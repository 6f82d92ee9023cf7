/* real.c - the machine's own NVIDIA driver under the tests of tests/kernels.
 *
 * In place of support/gpu_fake.c: `gpu_fake` is libcuda.so.1, and every launch of
 * a kernel test runs on the GPU first, in the same memory (pinned, at the same
 * address on both), then on the host; both must leave the same bits behind. A
 * kernel whose sums are the tensor cores' in F32 may differ by a part of the
 * largest number. What the test goes on with is the GPU's. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/gpu_fake.h"
#include "tests/support/gpu_host.h"
#include "vlm/base/err.h"
#include "vlm/device/gpu/gpu_driver.h"
#include "vlm/device/gpu/gpu_ptx.h"

enum { BLOCKS_MAX = 4096, KERNELS_MAX = 256 };

struct gpu_cuda gpu_fake;

static struct {
    struct gpu_cuda cuda; /* the library's own calls */
    struct gpu_driver *driver;
    int (*host_take)(void **at, size_t size, unsigned flags);
    int (*host_give)(void *at);
    int repeated, recorded, recording, held, skipped;
    char skip[64];
    void *skip_function;
    char *copy[BLOCKS_MAX], *result[BLOCKS_MAX];
    bool used[KERNELS_MAX];
    int launches;
    char text[512];
} real;

/* ---- what the tests ask of a driver ---------------------------------------- */

static int memory_take(uint64_t *at, size_t size)
{
    int result = real.cuda.memory_take(at, size);
    real.held += result == 0;
    return result;
}

static int memory_give(uint64_t at)
{
    real.held--;
    return real.cuda.memory_give(at);
}

static int record_begin(void *stream, int mode)
{
    real.recording = 0;
    return real.cuda.record_begin(stream, mode);
}

static int record_end(void *stream, void **graph)
{
    real.recorded = real.recording;
    return real.cuda.record_end(stream, graph);
}

static int steps_launch(void *steps, void *stream)
{
    real.repeated++;
    return real.cuda.steps_launch(steps, stream);
}

static int module_function(void **function, void *module, const char *name)
{
    int result = real.cuda.module_function(function, module, name);
    if (*real.skip && !strcmp(name, real.skip)) real.skip_function = *function;
    return result;
}

static int launch(void *function, unsigned x, unsigned y, unsigned z,
                  unsigned block_x, unsigned block_y, unsigned block_z,
                  unsigned shared, void *stream, void **args, void **extra)
{
    real.recording++;
    if (*real.skip && function == real.skip_function) {
        real.skipped++;
        return 0;
    }
    return real.cuda.launch(function, x, y, z, block_x, block_y, block_z,
                            shared, stream, args, extra);
}

void gpu_fake_skip(const char *kernel)
{
    snprintf(real.skip, sizeof real.skip, "%s", kernel ? kernel : "");
    real.skip_function = NULL;
    real.skipped = 0;
}

int gpu_fake_skipped(void)
{
    return real.skipped;
}

int gpu_fake_held(void)
{
    return real.held;
}

int gpu_fake_repeated(void)
{
    return real.repeated;
}

int gpu_fake_launches(void)
{
    return real.recorded;
}

/* The clock is the card's. */
void gpu_fake_price(double (*fn)(const char *kernel, int blocks))
{
    (void)fn;
}

/* No call of a real driver fails when asked to. */
void gpu_fake_fail(int n, int error)
{
    (void)n;
    (void)error;
}

/* ---- a launch on both ------------------------------------------------------- */

static void *pinned(size_t size)
{
    enum { PORTABLE = 1, MAPPED = 2 };
    void *at = NULL;
    if (real.host_take(&at, size, PORTABLE | MAPPED) != 0) abort();
    return at;
}

static void give_pinned(void *at)
{
    if (real.host_give(at) != 0) abort();
}

/* On the GPU, in place; what was there and what came out are kept. */
static const char *run_on_gpu(int kernel, const void *args, const int *grid)
{
    struct err err = {0};
    size_t size = 0;
    for (int i = 0; gpu_host_block(i, &size); i++) {
        real.copy[i] = malloc(size + 1);
        real.result[i] = malloc(size + 1);
        if (!real.copy[i] || !real.result[i]) abort();
        memcpy(real.copy[i], gpu_host_block(i, &size), size);
    }
    gpu_driver_launch(real.driver, (enum gpu_kernel)kernel, args, grid[0],
                      grid[1], grid[2], &err);
    gpu_driver_wait(real.driver, &err);
    for (int i = 0; gpu_host_block(i, &size); i++) {
        memcpy(real.result[i], gpu_host_block(i, &size), size);
        memcpy(gpu_host_block(i, &size), real.copy[i], size);
    }
    real.text[0] = '\0';
    if (err_failed(&err)) snprintf(real.text, sizeof real.text, "%s", err.text);
    return real.text;
}

/* Sums of the tensor cores in F32: the largest difference, of the largest number. */
static double apart(const float *x, const float *y, size_t n)
{
    double most = 1e-30, worst = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i]) && isnan(y[i])) continue;
        double d = fabs((double)x[i] - (double)y[i]);
        most = fmax(most, fabs((double)y[i]));
        if (!(d <= worst)) worst = d;
    }
    return worst / most;
}

/* The first word that differs, other than no number; or n. */
static size_t first_apart(const char *x, const char *y, size_t n)
{
    for (size_t i = 0; i < n; i += 4) {
        size_t some = n - i < 4 ? n - i : 4;
        float a = 0, b = 0;
        if (!memcmp(x + i, y + i, some)) continue;
        memcpy(&a, x + i, some);
        memcpy(&b, y + i, some);
        if (!(isnan(a) && isnan(b))) return i;
    }
    return n;
}

static void compare(const struct gpu_host_kernel *k, const char *got,
                    const char *want, size_t size, int block)
{
    bool sums = !strcmp(k->name, "gpu_see") || strstr(k->name, "gpu_half_");
    size_t at = first_apart(got, want, size);
    float a = 0, b = 0;
    uint32_t x = 0, y = 0;
    if (at == size || *real.text) return;
    double d = apart((const float *)(const void *)got,
                     (const float *)(const void *)want, size / 4);
    if (sums && d < 2e-3) return;
    size_t some = size - at < 4 ? size - at : 4;
    memcpy(&a, got + at, some);
    memcpy(&b, want + at, some);
    memcpy(&x, got + at, some);
    memcpy(&y, want + at, some);
    snprintf(real.text, sizeof real.text,
             "the GPU differs: block %d of %zu bytes, at %zu: %08x (%.9g), "
             "the host has %08x (%.9g); %.2g of the largest",
             block, size, at, x, (double)a, y, (double)b, d);
}

static const char *on_both(const struct gpu_host_kernel *k, const void *args,
                           const int *grid, bool after)
{
    size_t n, size = 0;
    const struct gpu_host_kernel *first = gpu_host_list(&n);
    if (!after) {
        real.used[k - first] = true;
        real.launches++;
        run_on_gpu((int)(k - first), args, grid);
        return NULL;
    }
    for (int i = 0; gpu_host_block(i, &size); i++) {
        char *at = gpu_host_block(i, &size);
        compare(k, real.result[i], at, size, i);
        memcpy(at, real.result[i], size);
        free(real.result[i]);
        free(real.copy[i]);
    }
    return *real.text ? real.text : NULL;
}

/* ---- open and close ---------------------------------------------------------- */

static void *symbol(void *library, const char *name)
{
    void *at = dlsym(library, name);
    if (!at) printf("libcuda.so.1 has no %s\n", name);
    return at;
}

static void open_library(void *library)
{
    void *at;
#define FIND(name, text, arguments) \
    at = symbol(library, text);     \
    memcpy(&real.cuda.name, &at, sizeof at);
    GPU_CUDA_CALLS(FIND)
#undef FIND
    at = symbol(library, "cuMemHostAlloc");
    memcpy(&real.host_take, &at, sizeof at);
    at = symbol(library, "cuMemFreeHost");
    memcpy(&real.host_give, &at, sizeof at);
    gpu_fake = real.cuda;
    gpu_fake.memory_take = memory_take;
    gpu_fake.memory_give = memory_give;
    gpu_fake.steps_launch = steps_launch;
    gpu_fake.module_function = module_function;
    gpu_fake.launch = launch;
    gpu_fake.record_begin = record_begin;
    gpu_fake.record_end = record_end;
}

__attribute__((constructor)) static void begin(void)
{
    struct err err = {0};
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("no NVIDIA driver: %s\n", dlerror());
        exit(3);
    }
    open_library(library);
    real.driver = gpu_driver_open(NULL, gpu_ptx_text(), NULL, 0, &err);
    if (err_failed(&err)) {
        printf("not ok - the kernels are loaded: %s\n", err.text);
        exit(1);
    }
    printf("ok - %s has loaded %d kernels\n", gpu_driver_name(real.driver),
           GPU_N_KERNEL);
    fflush(stdout);
    if (getenv("GPU_REAL_RACES") == NULL) gpu_host_races(false);
    gpu_host_memory(pinned, give_pinned);
    gpu_host_watch(on_both);
}

__attribute__((destructor)) static void end(void)
{
    size_t n;
    const struct gpu_host_kernel *k = gpu_host_list(&n);
    int used = 0;
    for (size_t i = 0; i < n; i++)
        used += real.used[i];
    printf("%d launches of %d of %zu kernels on the GPU and the host\n",
           real.launches, used, n);
    for (size_t i = 0; i < n; i++)
        if (!real.used[i]) printf("never launched: %s\n", k[i].name);
    gpu_driver_close(real.driver);
}
