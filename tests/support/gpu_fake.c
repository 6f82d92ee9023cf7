/* gpu_fake.c - see gpu_fake.h. */
#include "tests/support/gpu_fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/gpu_host.h"
#include "vlm/device/gpu/kernels/gpu_args.h"

enum {
    INVALID = 1,
    LAUNCH_FAILED = 719,
    NOT_FOUND = 500,
    NOT_INITIALIZED = 3,
    NO_CONTEXT = 201,
    DEVICES = 4,
    PROCESSORS = 16, /* an attribute */
    ROOM = 64 << 20
};

struct launched { /* of a record */
    const struct gpu_host_kernel *kernel;
    int x, y, z;
    char args[512];
};

struct event {
    bool priced;
    double us;
};

struct record {
    int n;
    struct launched launched[512];
};

static _Thread_local const void *own_context;

static struct {
    int calls, fail_at, error, held;
    bool idle;
    const char *skip;
    int skipped;
    char context[DEVICES], module, stream;
    pid_t process;         /* that it was opened in */
    struct record *record; /* what is being recorded, or NULL */
    double us;             /* the clock of priced launches */
    bool pricing;          /* launches are not run, but have a price */
    double (*price)(const char *kernel, int blocks);
    int repeated, launches;
    int n_device, major, older;
    bool unified;
    size_t room, cached;
    void (*watch)(void);
    const struct gpu_host_kernel *(*find)(const char *name);
} fake = {.n_device = 1, .major = 8, .older = -1, .room = ROOM};

void gpu_fake_fail(int n, int error)
{
    fake.calls = 0;
    fake.fail_at = n;
    fake.error = error;
}

void gpu_fake_idle(bool on)
{
    fake.idle = on;
}

void gpu_fake_skip(const char *kernel)
{
    fake.skip = kernel;
    fake.skipped = 0;
}

void gpu_fake_price(double (*fn)(const char *kernel, int blocks))
{
    fake.price = fn;
}

int gpu_fake_skipped(void)
{
    return fake.skipped;
}

int gpu_fake_calls(void)
{
    return fake.calls;
}

int gpu_fake_held(void)
{
    return fake.held;
}

int gpu_fake_launches(void)
{
    return fake.launches;
}

int gpu_fake_repeated(void)
{
    return fake.repeated;
}

void gpu_fake_machine(int n_device, int major)
{
    fake.n_device = n_device;
    fake.major = major;
}

void gpu_fake_older(int device)
{
    fake.older = device;
}

void gpu_fake_unified(bool on, size_t cached)
{
    fake.unified = on;
    fake.cached = cached;
}

void gpu_fake_room(size_t bytes)
{
    fake.room = bytes;
}

void gpu_fake_watch(void (*fn)(void))
{
    fake.watch = fn;
}

void gpu_fake_find(const struct gpu_host_kernel *(*fn)(const char *name))
{
    fake.find = fn;
}

/* A driver that was opened does not go with a fork. */
static int call(void)
{
    if (fake.watch) fake.watch();
    if (fake.process != getpid()) return NOT_INITIALIZED;
    return ++fake.calls == fake.fail_at ? fake.error : 0;
}

static bool is_context(const void *at)
{
    const char *c = at;
    return c >= fake.context && c < fake.context + DEVICES;
}

/* What a driver refuses to a thread that was given no context. */
static int call_in_context(void)
{
    int result = call();
    return is_context(own_context) ? result : NO_CONTEXT;
}

static int init(unsigned flags)
{
    if (!fake.process) fake.process = getpid();
    return flags ? INVALID : fake.n_device ? call() : GPU_CUDA_NO_DEVICE;
}

static int device_count(int *n)
{
    *n = fake.n_device;
    return call();
}

static int device_get(int *device, int ordinal)
{
    *device = ordinal;
    return call();
}

static int device_name(char *name, int size, int device)
{
    snprintf(name, (size_t)size, "fake device %d", device);
    return call();
}

static int device_attribute(int *value, int attribute, int device)
{
    *value = attribute == GPU_CUDA_INTEGRATED ? fake.unified
             : attribute == PROCESSORS        ? 1
             : attribute != GPU_CUDA_MAJOR    ? 0
             : device == fake.older           ? 7
                                              : fake.major;
    return device < fake.n_device ? call() : INVALID;
}

static int context_retain(void **context, int device)
{
    int result = device < fake.n_device ? call() : INVALID;
    *context = &fake.context[device % DEVICES];
    fake.held += result == 0;
    return result;
}

static int context_release(int device)
{
    fake.held--;
    own_context = NULL;
    return device < fake.n_device ? call() : INVALID;
}

static int context_set(void *context)
{
    int result = is_context(context) ? call() : INVALID;
    if (result == 0) own_context = context;
    return result;
}

static int memory_info(size_t *left, size_t *total)
{
    size_t taken = gpu_host_taken() + fake.cached;
    *total = fake.room;
    *left = fake.room > taken ? fake.room - taken : 0;
    return call_in_context();
}

static int module_load(void **module, const void *text)
{
    int result = text ? call_in_context() : INVALID;
    *module = &fake.module;
    fake.held += result == 0;
    return result;
}

static int module_unload(void *module)
{
    fake.held--;
    return module == &fake.module ? call_in_context() : INVALID;
}

static int module_function(void **function, void *module, const char *name)
{
    const struct gpu_host_kernel *k = gpu_host_find(name);
    if (!k && fake.find) k = fake.find(name);
    *function = (void *)(uintptr_t)k;
    if (!k || module != &fake.module) return NOT_FOUND;
    return call_in_context();
}

static int memory_take(uint64_t *at, size_t size)
{
    int result = call_in_context();
    if (result == 0 && size + gpu_host_taken() > fake.room)
        result = GPU_CUDA_OUT_OF_MEMORY;
    if (result) return result;
    *at = (uint64_t)(uintptr_t)gpu_host_take(size);
    fake.held++;
    return 0;
}

static int memory_give(uint64_t at)
{
    gpu_host_give((void *)(uintptr_t)at);
    fake.held--;
    return call_in_context();
}

static int host_take(void **at, size_t size, unsigned flags)
{
    int result = flags ? INVALID : call_in_context();
    if (result) return result;
    *at = malloc(size);
    memset(*at, 0xa5, size);
    fake.held++;
    return 0;
}

static int host_give(void *at)
{
    free(at);
    fake.held--;
    return call_in_context();
}

/* What a driver refuses while launches are recorded. */
static int call_outside(void)
{
    int result = call_in_context();
    return fake.record ? INVALID : result;
}

static int copy_in(uint64_t to, const void *from, size_t n)
{
    int result = call_outside();
    if (result == 0) memcpy((void *)(uintptr_t)to, from, n);
    return result;
}

static int copy_out(void *to, uint64_t from, size_t n)
{
    int result = call_outside();
    if (result == 0) memcpy(to, (const void *)(uintptr_t)from, n);
    return result;
}

static int copy_inside(uint64_t to, uint64_t from, size_t n)
{
    int result = call_outside();
    if (result == 0)
        memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, n);
    return result;
}

static int clear(uint64_t at, unsigned char byte, size_t n)
{
    int result = call_outside();
    if (result == 0) memset((void *)(uintptr_t)at, byte, n);
    return result;
}

static double price_of(const struct gpu_host_kernel *k, int blocks)
{
    if (fake.price) return fake.price(k->name, blocks);
    return 2 + 1e-3 * blocks; /* of no card */
}

static int run(const struct gpu_host_kernel *k, const void *args, int x, int y,
               int z)
{
    if (fake.pricing) return fake.us += price_of(k, x * y * z), 0;
    if (fake.skip && !strcmp(k->name, fake.skip)) return fake.skipped++, 0;
    if (fake.idle) return 0;
    gpu_host_launch(k, args, x, y, z);
    const char *said = gpu_host_error();
    if (said) fprintf(stderr, "%s\n", said);
    return said ? LAUNCH_FAILED : 0;
}

static int note(const struct gpu_host_kernel *k, const void *args, int x, int y,
                int z)
{
    struct record *r = fake.record;
    struct launched *l = &r->launched[r->n];
    if (r->n++ == 512 || k->size > sizeof l->args) return INVALID;
    *l = (struct launched){.kernel = k, .x = x, .y = y, .z = z};
    memcpy(l->args, args, k->size);
    return 0;
}

static int launch(void *function, unsigned grid_x, unsigned grid_y,
                  unsigned grid_z, unsigned block_x, unsigned block_y,
                  unsigned block_z, unsigned shared, void *stream, void **args,
                  void **extra)
{
    int result = call_in_context();
    if (result) return result;
    if (!grid_x || !grid_y || !grid_z || grid_y > 65535 || grid_z > 65535 ||
        block_x != GPU_THREADS || block_y != 1 || block_z != 1 || shared ||
        stream != &fake.stream || extra)
        return INVALID;
    return (fake.record ? note : run)(function, args[0], (int)grid_x,
                                      (int)grid_y, (int)grid_z);
}

/* ---- records ---------------------------------------------------------------- */

static int stream_new(void **stream, unsigned flags)
{
    int result = flags ? INVALID : call_in_context();
    if (result) return result;
    *stream = &fake.stream;
    fake.held++;
    return 0;
}

static int stream_free(void *stream)
{
    fake.held--;
    return stream == &fake.stream ? call_in_context() : INVALID;
}

static int record_begin(void *stream, int mode)
{
    int result = call_in_context();
    if (stream != &fake.stream || mode != GPU_CUDA_OWN_THREAD || fake.record)
        return INVALID;
    if (result == 0) fake.record = calloc(1, sizeof *fake.record);
    return result;
}

static int record_end(void *stream, void **graph)
{
    int result = call_in_context();
    if (stream != &fake.stream || !fake.record) return INVALID;
    *graph = result ? NULL : fake.record;
    if (result) free(fake.record);
    fake.record = NULL;
    fake.held += result == 0;
    return result;
}

static int graph_free(void *graph)
{
    free(graph);
    fake.held--;
    return call_in_context();
}

static int steps_new(void **steps, void *graph, void *node, char *log,
                     size_t size)
{
    int result = graph && !node && !log && !size ? call_in_context() : INVALID;
    if (result) return result;
    *steps = malloc(sizeof(struct record));
    memcpy(*steps, graph, sizeof(struct record));
    fake.held++;
    return 0;
}

static int steps_free(void *steps)
{
    free(steps);
    fake.held--;
    return call_in_context();
}

static int steps_launch(void *steps, void *stream)
{
    const struct record *r = steps;
    int result = stream == &fake.stream ? call_in_context() : INVALID;
    fake.repeated++;
    fake.launches = r->n;
    for (int i = 0; i < r->n && result == 0; i++) {
        const struct launched *l = &r->launched[i];
        result = run(l->kernel, l->args, l->x, l->y, l->z);
    }
    return result;
}

static int wait(void)
{
    return call_in_context();
}

/* ---- time ------------------------------------------------------------------- */

static int event_new(void **event, unsigned flags)
{
    struct event *e = calloc(1, sizeof *e);
    *e = (struct event){.priced = flags == GPU_CUDA_BLOCKING_EVENT};
    *event = e;
    fake.held++;
    return call_in_context();
}

static int event_free(void *event)
{
    free(event);
    fake.held--;
    return call_in_context();
}

/* Every second of those that are priced ends what the first began. */
static int event_record(void *event, void *stream)
{
    struct event *e = event;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    e->us = e->priced ? fake.us
                      : (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
    if (e->priced) fake.pricing = !fake.pricing;
    return stream == &fake.stream || !e->priced ? call_outside() : INVALID;
}

static int event_wait(void *event)
{
    return event ? call_in_context() : INVALID;
}

static int event_elapsed(float *ms, void *from, void *to)
{
    const struct event *a = from, *b = to;
    *ms = (float)((b->us - a->us) * 1e-3);
    return call_in_context();
}

static int version(int *out)
{
    *out = 13000;
    return call();
}

static int error_name(int error, const char **name)
{
    *name = error == LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED"
                                   : "CUDA_ERROR_OF_A_TEST";
    return 0;
}

struct gpu_cuda gpu_fake = {
#define FAKE_CALL(name, symbol, arguments) .name = name,
    GPU_CUDA_CALLS(FAKE_CALL)
#undef FAKE_CALL
};
