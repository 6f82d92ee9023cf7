/* timed.c - a libcuda.so.1 that hands every call on to the machine's own and
 * measures each launch: put in front with LD_LIBRARY_PATH, as tests/preload/
 * gpu_library.c is.
 *
 *     GPU_REAL   the machine's library (default: the usual places)
 *     GPU_TIMES  a folder: times.PID there gets a line for each kernel:
 *                name rows launches milliseconds bytes operations
 *
 * A launch is timed by itself, between two events, so nothing runs beside it; one
 * of a recorded graph is started by itself as well. `rows`: of the pass that it is
 * part of, 1 (one token), 32 (2 to 32: a token of each sequence) or many (a prompt,
 * a picture). Bytes and operations: tests/gpu/work.h.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/gpu/work.h"
#include "vlm/device/gpu/gpu_cuda.h"

enum { RECORD_MAX = 4096, ARGS_MAX = 512, FEW = 32, TEXT_SIZE = 64 << 10 };

static const struct {
    const char *name;
    size_t size;
} kernel[] = {
#define ROW(name, args) {#name, sizeof(struct args)},
    GPU_KERNELS(ROW)
#undef ROW
};

enum rows { ONE_ROW, FEW_ROWS, MANY_ROWS, N_ROWS };

struct launched {
    int kernel;
    void *function;
    unsigned grid[3];
    char args[ARGS_MAX];
};

struct record {
    int n;
    struct launched at[RECORD_MAX];
};

static struct {
    struct gpu_cuda cuda;
    void *function[GPU_WORK_KERNELS];
    void *from, *to; /* events */
    struct record *record;
    struct {
        long n;
        double ms, bytes, operations;
    } sum[GPU_WORK_KERNELS][N_ROWS];
    long launches;
    enum rows rows; /* of the present pass */
    char *text;     /* the file's */
} timed;

/* ---- lines ------------------------------------------------------------------- */

static void write_times(void)
{
    static const char *const name[] = {"1", "32", "many"};
    size_t at = 0;
    if (!timed.text) return;
    memset(timed.text, '\n', TEXT_SIZE);
    for (int i = 0; i < GPU_WORK_KERNELS * N_ROWS; i++) {
        int k = i / N_ROWS, rows = i % N_ROWS;
        char line[256];
        if (!timed.sum[k][rows].n) continue;
        int n = snprintf(line, sizeof line, "%s %s %ld %.4f %.0f %.0f\n",
                         kernel[k].name, name[rows], timed.sum[k][rows].n,
                         timed.sum[k][rows].ms, timed.sum[k][rows].bytes,
                         timed.sum[k][rows].operations);
        if (at + (size_t)n > TEXT_SIZE) return;
        memcpy(timed.text + at, line, (size_t)n);
        at += (size_t)n;
    }
}

/* Mapped: a process in its sandbox keeps no file open. */
static void open_times(void)
{
    const char *folder = getenv("GPU_TIMES");
    char path[4096];
    if (!folder) return;
    snprintf(path, sizeof path, "%s/times.%d", folder, (int)getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || ftruncate(fd, TEXT_SIZE)) return;
    void *at = mmap(NULL, TEXT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED) return;
    timed.text = at;
    memset(timed.text, '\n', TEXT_SIZE);
}

/* ---- a launch ------------------------------------------------------------------ */

static bool get(void *to, const void *from, size_t size)
{
    return timed.cuda.copy_out(to, (uint64_t)(uintptr_t)from, size) == 0;
}

/* A pass begins with the rows of its tokens, or of a picture. */
static void note_rows(int k, unsigned n)
{
    bool first = k == GPU_WORK_gpu_take_rows || k == GPU_WORK_gpu_patch ||
                 !strncmp(kernel[k].name, "gpu_embed_", 10);
    if (first) timed.rows = n == 1 ? ONE_ROW : n <= FEW ? FEW_ROWS : MANY_ROWS;
}

static int launch_timed(int k, void *function, const unsigned *grid,
                        void *stream, void **args)
{
    float ms = 0;
    if (!timed.from) timed.cuda.event_new(&timed.from, 0);
    if (!timed.to) timed.cuda.event_new(&timed.to, 0);
    note_rows(k, grid[0]);
    struct gpu_sizes sizes = gpu_work_sizes(k, args[0], grid, get);
    struct gpu_work work = gpu_work_of(k, &sizes);
    timed.cuda.event_record(timed.from, stream);
    int result = timed.cuda.launch(function, grid[0], grid[1], grid[2],
                                   GPU_THREADS, 1, 1, 0, stream, args, NULL);
    timed.cuda.event_record(timed.to, stream);
    int waited = timed.cuda.event_wait(timed.to);
    if (result || waited) return result ? result : waited;
    timed.cuda.event_elapsed(&ms, timed.from, timed.to);
    timed.sum[k][timed.rows].n++;
    timed.sum[k][timed.rows].ms += (double)ms;
    timed.sum[k][timed.rows].bytes += work.bytes;
    timed.sum[k][timed.rows].operations += work.operations;
    if (++timed.launches % 2000 == 0) write_times();
    return 0;
}

/* ---- the calls that are looked at -------------------------------------------- */

int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetFunction(void **function, void *module, const char *name)
{
    int result = timed.cuda.module_function(function, module, name);
    for (int i = 0; result == 0 && i < GPU_WORK_KERNELS; i++)
        if (!strcmp(kernel[i].name, name)) timed.function[i] = *function;
    return result;
}

int cuModuleUnload(void *module);
int cuModuleUnload(void *module)
{
    write_times();
    return timed.cuda.module_unload(module);
}

int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z,
                   unsigned block_x, unsigned block_y, unsigned block_z,
                   unsigned shared, void *stream, void **args, void **extra);
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z,
                   unsigned block_x, unsigned block_y, unsigned block_z,
                   unsigned shared, void *stream, void **args, void **extra)
{
    const unsigned grid[3] = {x, y, z};
    int k = 0;
    (void)block_x, (void)block_y, (void)block_z, (void)shared, (void)extra;
    while (k < GPU_WORK_KERNELS && timed.function[k] != function)
        k++;
    if (k == GPU_WORK_KERNELS) return 1;
    if (!timed.record) return launch_timed(k, function, grid, stream, args);
    if (timed.record->n == RECORD_MAX || kernel[k].size > ARGS_MAX) abort();
    struct launched *l = &timed.record->at[timed.record->n++];
    *l =
        (struct launched){.kernel = k, .function = function, .grid = {x, y, z}};
    memcpy(l->args, args[0], kernel[k].size);
    return 0;
}

int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamBeginCapture_v2(void *stream, int mode)
{
    (void)stream, (void)mode;
    timed.record = calloc(1, sizeof *timed.record);
    return timed.record ? 0 : 2;
}

int cuStreamEndCapture(void *stream, void **graph);
int cuStreamEndCapture(void *stream, void **graph)
{
    (void)stream;
    *graph = timed.record;
    timed.record = NULL;
    return 0;
}

int cuGraphDestroy(void *graph);
int cuGraphDestroy(void *graph)
{
    (void)graph; /* its steps are the same record */
    return 0;
}

int cuGraphInstantiate_v2(void **steps, void *graph, void *node, char *log,
                          size_t size);
int cuGraphInstantiate_v2(void **steps, void *graph, void *node, char *log,
                          size_t size)
{
    (void)node, (void)log, (void)size;
    *steps = graph;
    return 0;
}

int cuGraphExecDestroy(void *steps);
int cuGraphExecDestroy(void *steps)
{
    free(steps);
    return 0;
}

int cuGraphLaunch(void *steps, void *stream);
int cuGraphLaunch(void *steps, void *stream)
{
    struct record *r = steps;
    int result = 0;
    for (int i = 0; i < r->n && result == 0; i++) {
        void *args = r->at[i].args;
        result = launch_timed(r->at[i].kernel, r->at[i].function, r->at[i].grid,
                              stream, &args);
    }
    return result;
}

/* ---- all others are handed on -------------------------------------------------- */

/* `reach` of each call that is handed on lies behind its symbol. */
#define HAND_ON(name, symbol)                                                \
    void *reach_##name;                                                      \
    __asm__(".text\n.globl " symbol "\n.type " symbol ", @function\n" symbol \
            ":\n\tendbr64\n\tmovq reach_" #name                              \
            "@GOTPCREL(%rip), %rax\n\tjmp *(%rax)\n");
HAND_ON(init, "cuInit")
HAND_ON(device_count, "cuDeviceGetCount")
HAND_ON(device_get, "cuDeviceGet")
HAND_ON(device_name, "cuDeviceGetName")
HAND_ON(device_attribute, "cuDeviceGetAttribute")
HAND_ON(context_retain, "cuDevicePrimaryCtxRetain")
HAND_ON(context_release, "cuDevicePrimaryCtxRelease_v2")
HAND_ON(context_set, "cuCtxSetCurrent")
HAND_ON(memory_info, "cuMemGetInfo_v2")
HAND_ON(module_load, "cuModuleLoadData")
HAND_ON(memory_take, "cuMemAlloc_v2")
HAND_ON(memory_give, "cuMemFree_v2")
HAND_ON(host_take, "cuMemHostAlloc")
HAND_ON(host_give, "cuMemFreeHost")
HAND_ON(copy_in, "cuMemcpyHtoD_v2")
HAND_ON(copy_out, "cuMemcpyDtoH_v2")
HAND_ON(copy_inside, "cuMemcpyDtoD_v2")
HAND_ON(clear, "cuMemsetD8_v2")
HAND_ON(stream_new, "cuStreamCreate")
HAND_ON(stream_free, "cuStreamDestroy_v2")
HAND_ON(wait, "cuCtxSynchronize")
HAND_ON(error_name, "cuGetErrorName")
HAND_ON(event_new, "cuEventCreate")
HAND_ON(event_free, "cuEventDestroy_v2")
HAND_ON(event_record, "cuEventRecord")
HAND_ON(event_wait, "cuEventSynchronize")
HAND_ON(event_elapsed, "cuEventElapsedTime")
HAND_ON(version, "cuDriverGetVersion")

static void *open_real(void)
{
    static const char *const places[] = {
        "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
        "/usr/local/nvidia/lib64/libcuda.so.1",
        "/usr/local/nvidia/lib/libcuda.so.1",
        "/usr/lib64/libcuda.so.1",
        "/usr/lib/libcuda.so.1",
        "/usr/lib/wsl/lib/libcuda.so.1"};
    const char *given = getenv("GPU_REAL");
    void *library = given ? dlopen(given, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; !library && i < sizeof places / sizeof *places; i++)
        library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static void *find(void *library, const char *symbol)
{
    void *at = library ? dlsym(library, symbol) : NULL;
    if (at) return at;
    fprintf(stderr,
            "timed: no %s; set GPU_REAL to the machine's "
            "libcuda.so.1\n",
            symbol);
    _exit(3);
}

__attribute__((constructor)) static void begin(void)
{
    void *library = open_real(), *at;
    open_times();
#define FIND(name, symbol, arguments) \
    at = find(library, symbol);       \
    memcpy(&timed.cuda.name, &at, sizeof at);
    GPU_CUDA_CALLS(FIND)
#undef FIND
#define REACH(name) memcpy(&reach_##name, &timed.cuda.name, sizeof at);
    REACH(init)
    REACH(device_count)
    REACH(device_get)
    REACH(device_name)
    REACH(device_attribute)
    REACH(context_retain)
    REACH(context_release)
    REACH(context_set)
    REACH(memory_info)
    REACH(module_load)
    REACH(memory_take)
    REACH(memory_give)
    REACH(host_take)
    REACH(host_give)
    REACH(copy_in)
    REACH(copy_out)
    REACH(copy_inside)
    REACH(clear)
    REACH(stream_new)
    REACH(stream_free)
    REACH(wait)
    REACH(error_name)
    REACH(event_new)
    REACH(event_free)
    REACH(event_record)
    REACH(event_wait)
    REACH(event_elapsed)
    REACH(version)
}

__attribute__((destructor)) static void end(void)
{
    if (timed.launches) write_times();
}
