/* gpu_driver.c - see gpu_driver.h. The only file that loads a library. */
#include "vlm/device/gpu/gpu_driver.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vlm/base/arena.h"
#include "vlm/base/memory_limit.h"
#include "vlm/device/gpu/gpu_cuda.h"
#include "vlm/device/gpu/gpu_remedy.h"

struct allocation { /* an allocation of device memory */
    void *at;
    struct allocation *next;
};

struct gpu_steps { /* recorded launches */
    void *at;
    struct gpu_steps *next;
};

struct gpu_driver {
    struct gpu_cuda cuda;
    void *library; /* NULL: the caller's functions are used */
    int device;
    void *context, *module; /* NULL: not yet */
    void *function[GPU_N_KERNEL];
    struct allocation *allocation, *host; /* of the device, of the host */
    struct gpu_steps *steps;
    void *stream;    /* stream of all launches; copies wait for it */
    void *from, *to; /* events of gpu_driver_time_begin; NULL: not yet */
    bool recording, broken;
    char name[GPU_NAME];
    int major, minor; /* compute capability */
    bool unified;     /* shares the host's memory */
};

static const char *const kernel_names[] = {
#define KERNEL_NAME(name, args) #name,
    GPU_KERNELS(KERNEL_NAME)
#undef KERNEL_NAME
};

/* ---- errors --------------------------------------------------------------- */

/* Turns a driver error into err. After any error except out of memory the
 * context can be unusable. */
static bool check_result(struct gpu_driver *g, int result, const char *what,
                         struct err *err)
{
    const char *name = NULL;
    if (result == 0) return true;
    if (result != GPU_CUDA_OUT_OF_MEMORY) g->broken = true;
    if (g->cuda.error_name(result, &name) != 0 || !name) name = "unknown error";
    const struct gpu_remedy *t = gpu_remedy_of(result, !g->module);
    return err_reason(err, t && t->stays ? ERR_UNSUPPORTED : ERR_SYSTEM,
                      t && t->stays ? NULL : "engine-error", "%s: %s: %s%s%s",
                      *g->name ? g->name : "the GPU", what, name, t ? "; " : "",
                      t ? t->remedy : "");
}

/* Sets the device's context in the calling thread: callers change threads, and
 * another device can have been used in this one. */
static bool set_context(struct gpu_driver *g, struct err *err)
{
    return check_result(g, g->cuda.context_set(g->context), "cuCtxSetCurrent",
                        err);
}

/* ---- open ----------------------------------------------------------------- */

static void find_calls(struct gpu_driver *g, struct err *err)
{
    /* never unloaded: a driver can have threads of its own */
    g->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!g->library) {
        err_set(err, ERR_MISSING, "no NVIDIA driver: %s", dlerror());
        return;
    }
#define FIND_CALL(name, symbol, arguments)                                   \
    {                                                                        \
        void *at = dlsym(g->library, symbol);                                \
        if (!at)                                                             \
            err_set(err, ERR_MISSING, "the NVIDIA driver is too old: no %s", \
                    symbol);                                                 \
        memcpy(&g->cuda.name, &at, sizeof at);                               \
    }
    GPU_CUDA_CALLS(FIND_CALL)
#undef FIND_CALL
}

/* Number of devices. A driver without any reports that as an error. */
static int count_devices(struct gpu_driver *g, struct err *err)
{
    int n = 0;
    if (err_failed(err)) return 0;
    int result = g->cuda.init(0);
    if (result == GPU_CUDA_NO_DEVICE) return 0;
    if (!check_result(g, result, "cuInit", err)) return 0;
    return check_result(g, g->cuda.device_count(&n), "cuDeviceGetCount", err)
               ? n
               : 0;
}

static const char *why_so_few(int n)
{
    bool hidden = n == 0 && access(GPU_REMEDY_FILE, R_OK | W_OK) != 0;
    return gpu_remedy_none(hidden ? errno : 0);
}

static int attribute(struct gpu_driver *g, int which, struct err *err)
{
    int value = 0;
    if (!err_failed(err))
        check_result(g, g->cuda.device_attribute(&value, which, g->device),
                     "cuDeviceGetAttribute", err);
    return value;
}

static void find_device(struct gpu_driver *g, int ordinal, struct err *err)
{
    const struct gpu_cuda *c = &g->cuda;
    int n = count_devices(g, err);
    if (err_failed(err)) return;
    if (ordinal < 0 || ordinal >= n) {
        err_set(err, ERR_MISSING, "no device cuda:%d (%d found); %s", ordinal,
                n, why_so_few(n));
        return;
    }
    if (!check_result(g, c->device_get(&g->device, ordinal), "cuDeviceGet",
                      err) ||
        !check_result(g,
                      c->device_name(g->name, (int)sizeof g->name, g->device),
                      "cuDeviceGetName", err))
        return;
    g->major = attribute(g, GPU_CUDA_MAJOR, err);
    g->minor = attribute(g, GPU_CUDA_MINOR, err);
    g->unified = attribute(g, GPU_CUDA_INTEGRATED, err) != 0;
}

static void retain_context(struct gpu_driver *g, struct err *err)
{
    void *context = NULL;
    if (err_failed(err)) return;
    if (!check_result(g, g->cuda.context_retain(&context, g->device),
                      "cuDevicePrimaryCtxRetain", err))
        return;
    g->context = context;
    set_context(g, err);
}

static void load_kernels(struct gpu_driver *g, const char *text,
                         const bool *without, struct err *err)
{
    const struct gpu_cuda *c = &g->cuda;
    void *module = NULL;
    if (!err_failed(err) && g->major < GPU_GENERATION)
        err_set(err, ERR_UNSUPPORTED,
                "%s is of generation %d.%d, kernels need %d.0", g->name,
                g->major, g->minor, GPU_GENERATION);
    retain_context(g, err);
    if (err_failed(err) ||
        !check_result(g, c->stream_new(&g->stream, 0), "cuStreamCreate", err) ||
        !check_result(g, c->module_load(&module, text), "cuModuleLoadData",
                      err))
        return;
    g->module = module;
    for (int i = 0; i < GPU_N_KERNEL; i++)
        if (!(without && without[i]) &&
            !check_result(
                g, c->module_function(&g->function[i], module, kernel_names[i]),
                kernel_names[i], err))
            return;
}

static struct gpu_driver *new_driver(const struct gpu_cuda *cuda,
                                     struct err *err)
{
    struct gpu_driver *g = mem_alloc(1, sizeof *g);
    if (cuda)
        g->cuda = *cuda;
    else
        find_calls(g, err);
    return g;
}

struct gpu_driver *gpu_driver_open(const struct gpu_cuda *cuda,
                                   const char *text, const bool *without,
                                   int ordinal, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct gpu_driver *g = new_driver(cuda, err);
    find_device(g, ordinal, err);
    load_kernels(g, text, without, err);
    if (!err_failed(err)) return g;
    gpu_driver_close(g);
    return NULL;
}

/* Errors are ignored here. */
void gpu_driver_close(struct gpu_driver *g)
{
    if (!g) return;
    if (g->context) (void)g->cuda.context_set(g->context);
    if (g->context) (void)g->cuda.wait();
    while (g->allocation)
        gpu_driver_free(g, g->allocation->at);
    while (g->steps)
        gpu_driver_forget(g, g->steps);
    if (g->from) (void)g->cuda.event_free(g->from);
    if (g->to) (void)g->cuda.event_free(g->to);
    if (g->stream) (void)g->cuda.stream_free(g->stream);
    if (g->module) (void)g->cuda.module_unload(g->module);
    if (g->context) (void)g->cuda.context_release(g->device);
    if (g->library) dlclose(g->library);
    mem_free(g);
}

const char *gpu_driver_kernel_name(enum gpu_kernel kernel)
{
    return kernel_names[kernel];
}

const char *gpu_driver_name(const struct gpu_driver *g)
{
    return g->name;
}

const char *gpu_driver_title(struct gpu_driver *g, struct arena *arena,
                             struct err *err)
{
    int version = 0;
    if (!err_failed(err))
        check_result(g, g->cuda.version(&version), "cuDriverGetVersion", err);
    return arena_text(arena, "%s, generation %d.%d, driver %d", g->name,
                      g->major, g->minor, version);
}

bool gpu_driver_broken(const struct gpu_driver *g)
{
    return g->broken;
}

/* ---- list of devices ------------------------------------------------------- */

static struct gpu_found describe_device(const struct gpu_cuda *cuda,
                                        int ordinal)
{
    struct gpu_found found = {0};
    struct err err = {0};
    struct gpu_driver *g = new_driver(cuda, &err);
    find_device(g, ordinal, &err);
    retain_context(g, &err);
    found.left = gpu_driver_left(g, &err);
    found.major = g->major;
    found.minor = g->minor;
    found.unified = g->unified;
    snprintf(found.name, sizeof found.name, "%s", g->name);
    if (err_failed(&err))
        snprintf(found.why, sizeof found.why, "%s", err.text);
    else if (g->major < GPU_GENERATION)
        snprintf(found.why, sizeof found.why, "kernels need generation %d.0",
                 GPU_GENERATION);
    gpu_driver_close(g);
    return found;
}

int gpu_driver_list(const struct gpu_cuda *cuda, struct gpu_found *found,
                    int most, struct err *err)
{
    if (err_failed(err)) return 0;
    struct gpu_driver *g = new_driver(cuda, err);
    int n = count_devices(g, err);
    if (!err_failed(err) && n == 0)
        err_set(err, ERR_MISSING, "no GPU; %s", why_so_few(0));
    for (int i = 0; i < n && i < most; i++)
        found[i] = describe_device(cuda, i);
    gpu_driver_close(g);
    return n < most ? n : most;
}

/* ---- memory --------------------------------------------------------------- */

static uint64_t address_of(const void *at)
{
    return (uint64_t)(uintptr_t)at;
}

size_t gpu_driver_left(struct gpu_driver *g, struct err *err)
{
    size_t left = 0, total = 0;
    if (err_failed(err) || !set_context(g, err) ||
        !check_result(g, g->cuda.memory_info(&left, &total), "cuMemGetInfo",
                      err))
        return 0;
    /* the page cache can be reclaimed, but is not counted */
    size_t host = g->unified ? memory_limit_available() : 0;
    return host > left && host < total ? host : left;
}

void *gpu_driver_alloc(struct gpu_driver *g, size_t size, struct err *err)
{
    uint64_t at = 0;
    if (err_failed(err) || !set_context(g, err)) return NULL;
    int result = g->cuda.memory_take(&at, size);
    if (result == GPU_CUDA_OUT_OF_MEMORY)
        err_reason(err, ERR_SYSTEM, "engine-error",
                   "%s: no memory for %zu more bytes", g->name, size);
    else
        check_result(g, result, "cuMemAlloc", err);
    if (err_failed(err)) return NULL;
    struct allocation *t = mem_alloc(1, sizeof *t);
    *t = (struct allocation){(void *)(uintptr_t)at, g->allocation};
    g->allocation = t;
    return t->at;
}

/* That of address `at`, taken off the list, or NULL. */
static struct allocation *take_allocation(struct allocation **from,
                                          const void *at)
{
    while (*from && (*from)->at != at)
        from = &(*from)->next;
    struct allocation *t = *from;
    if (t) *from = t->next;
    return t;
}

void gpu_driver_free(struct gpu_driver *g, void *at)
{
    if (!at) return;
    struct allocation *t = take_allocation(&g->allocation, at);
    assert(t && "memory of this device");
    (void)g->cuda.context_set(g->context);
    (void)g->cuda.memory_give(address_of(at));
    mem_free(t);
}

void *gpu_driver_host_new(struct gpu_driver *g, size_t size)
{
    void *at = NULL;
    if (g->cuda.context_set(g->context) || g->cuda.host_take(&at, size, 0))
        return mem_alloc(size, 1);
    struct allocation *t = mem_alloc(1, sizeof *t);
    *t = (struct allocation){at, g->host};
    g->host = t;
    return at;
}

void gpu_driver_host_free(struct gpu_driver *g, void *at)
{
    struct allocation *t = take_allocation(&g->host, at);
    (void)g->cuda.context_set(g->context);
    if (t)
        (void)g->cuda.host_give(at);
    else
        mem_free(at);
    mem_free(t);
}

void gpu_driver_upload(struct gpu_driver *g, void *to, const void *from,
                       size_t n, struct err *err)
{
    if (err_failed(err) || !set_context(g, err)) return;
    check_result(g, g->cuda.copy_in(address_of(to), from, n), "cuMemcpyHtoD",
                 err);
}

void gpu_driver_get(struct gpu_driver *g, void *to, const void *from, size_t n,
                    struct err *err)
{
    if (err_failed(err) || !set_context(g, err)) return;
    check_result(g, g->cuda.copy_out(to, address_of(from), n), "cuMemcpyDtoH",
                 err);
}

void gpu_driver_copy(struct gpu_driver *g, void *to, const void *from, size_t n,
                     struct err *err)
{
    if (err_failed(err) || n == 0 || !set_context(g, err)) return;
    check_result(g, g->cuda.copy_inside(address_of(to), address_of(from), n),
                 "cuMemcpyDtoD", err);
}

void gpu_driver_clear(struct gpu_driver *g, void *at, size_t n, struct err *err)
{
    if (err_failed(err) || !set_context(g, err)) return;
    check_result(g, g->cuda.clear(address_of(at), 0, n), "cuMemsetD8", err);
}

/* ---- launches ------------------------------------------------------------- */

void gpu_driver_launch(struct gpu_driver *g, enum gpu_kernel kernel,
                       const void *args, int x, int y, int z, struct err *err)
{
    void *list[] = {(void *)(uintptr_t)args};
    if (err_failed(err) || !set_context(g, err)) return;
    assert(g->function[kernel]);
    check_result(g,
                 g->cuda.launch(g->function[kernel], (unsigned)x, (unsigned)y,
                                (unsigned)z, GPU_THREADS, 1, 1, 0, g->stream,
                                list, NULL),
                 kernel_names[kernel], err);
}

void gpu_driver_wait(struct gpu_driver *g, struct err *err)
{
    if (err_failed(err) || !set_context(g, err)) return;
    check_result(g, g->cuda.wait(), "cuCtxSynchronize", err);
}

/* ---- time ------------------------------------------------------------------- */

static void note_time(struct gpu_driver *g, void **event, struct err *err)
{
    if (err_failed(err) || !set_context(g, err)) return;
    if (!*event &&
        !check_result(g, g->cuda.event_new(event, GPU_CUDA_BLOCKING_EVENT),
                      "cuEventCreate", err))
        return;
    check_result(g, g->cuda.event_record(*event, g->stream), "cuEventRecord",
                 err);
}

void gpu_driver_time_begin(struct gpu_driver *g, struct err *err)
{
    note_time(g, &g->from, err);
}

double gpu_driver_time_end(struct gpu_driver *g, struct err *err)
{
    float ms = 0;
    note_time(g, &g->to, err);
    if (!err_failed(err))
        check_result(g, g->cuda.event_wait(g->to), "cuEventSynchronize", err);
    if (!err_failed(err))
        check_result(g, g->cuda.event_elapsed(&ms, g->from, g->to),
                     "cuEventElapsedTime", err);
    return err_failed(err) ? 0 : 1e3 * (double)ms;
}

/* ---- records ---------------------------------------------------------------- */

void gpu_driver_record(struct gpu_driver *g, struct err *err)
{
    if (err_failed(err) || !set_context(g, err)) return;
    g->recording =
        check_result(g, g->cuda.record_begin(g->stream, GPU_CUDA_OWN_THREAD),
                     "cuStreamBeginCapture", err);
}

struct gpu_steps *gpu_driver_recorded(struct gpu_driver *g, struct err *err)
{
    void *graph = NULL, *at = NULL;
    if (!g->recording) return NULL;
    g->recording = false;
    /* ends the capture even after a failure: else nothing could be launched
     * again */
    int result = g->cuda.record_end(g->stream, &graph);
    if (!err_failed(err)) check_result(g, result, "cuStreamEndCapture", err);
    if (!err_failed(err))
        check_result(g, g->cuda.steps_new(&at, graph, NULL, NULL, 0),
                     "cuGraphInstantiate", err);
    if (graph) (void)g->cuda.graph_free(graph);
    if (err_failed(err)) return NULL;
    struct gpu_steps *s = mem_alloc(1, sizeof *s);
    *s = (struct gpu_steps){at, g->steps};
    return g->steps = s;
}

void gpu_driver_repeat(struct gpu_driver *g, const struct gpu_steps *s,
                       struct err *err)
{
    if (err_failed(err) || !set_context(g, err)) return;
    check_result(g, g->cuda.steps_launch(s->at, g->stream), "cuGraphLaunch",
                 err);
}

void gpu_driver_forget(struct gpu_driver *g, struct gpu_steps *s)
{
    struct gpu_steps **from = &g->steps;
    if (!s) return;
    while (*from && *from != s)
        from = &(*from)->next;
    assert(*from && "a record of this device");
    *from = s->next;
    (void)g->cuda.context_set(g->context);
    (void)g->cuda.steps_free(s->at);
    mem_free(s);
}
