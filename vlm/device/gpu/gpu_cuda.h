/* gpu_cuda.h - declarations of the functions used of NVIDIA's driver
 * (libcuda.so.1).
 *
 * The library is opened at run time, so the program can be built on any
 * machine. Names and types are those of its documentation; a result is 0 or an
 * error number.
 */
#ifndef VLM_DEVICE_GPU_GPU_CUDA_H
#define VLM_DEVICE_GPU_GPU_CUDA_H

#include <stddef.h>
#include <stdint.h>

/* X(name, symbol, arguments) */
#define GPU_CUDA_CALLS(X)                                                     \
    X(init, "cuInit", (unsigned flags))                                       \
    X(device_count, "cuDeviceGetCount", (int *n))                             \
    X(device_get, "cuDeviceGet", (int *device, int ordinal))                  \
    X(device_name, "cuDeviceGetName", (char *name, int size, int device))     \
    X(device_attribute, "cuDeviceGetAttribute",                               \
      (int *value, int attribute, int device))                                \
    X(context_retain, "cuDevicePrimaryCtxRetain",                             \
      (void **context, int device))                                           \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (int device))          \
    X(context_set, "cuCtxSetCurrent", (void *context))                        \
    X(memory_info, "cuMemGetInfo_v2", (size_t * left, size_t * total))        \
    X(module_load, "cuModuleLoadData", (void **module, const void *text))     \
    X(module_unload, "cuModuleUnload", (void *module))                        \
    X(module_function, "cuModuleGetFunction",                                 \
      (void **function, void *module, const char *name))                      \
    X(memory_take, "cuMemAlloc_v2", (uint64_t * at, size_t size))             \
    X(memory_give, "cuMemFree_v2", (uint64_t at))                             \
    X(host_take, "cuMemHostAlloc", (void **at, size_t size, unsigned flags))  \
    X(host_give, "cuMemFreeHost", (void *at))                                 \
    X(copy_in, "cuMemcpyHtoD_v2", (uint64_t to, const void *from, size_t n))  \
    X(copy_out, "cuMemcpyDtoH_v2", (void *to, uint64_t from, size_t n))       \
    X(copy_inside, "cuMemcpyDtoD_v2", (uint64_t to, uint64_t from, size_t n)) \
    X(clear, "cuMemsetD8_v2", (uint64_t at, unsigned char byte, size_t n))    \
    X(launch, "cuLaunchKernel",                                               \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,     \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, \
       void *stream, void **args, void **extra))                              \
    X(stream_new, "cuStreamCreate", (void **stream, unsigned flags))          \
    X(stream_free, "cuStreamDestroy_v2", (void *stream))                      \
    X(record_begin, "cuStreamBeginCapture_v2", (void *stream, int mode))      \
    X(record_end, "cuStreamEndCapture", (void *stream, void **graph))         \
    X(graph_free, "cuGraphDestroy", (void *graph))                            \
    X(steps_new, "cuGraphInstantiate_v2",                                     \
      (void **steps, void *graph, void *node, char *log, size_t size))        \
    X(steps_free, "cuGraphExecDestroy", (void *steps))                        \
    X(steps_launch, "cuGraphLaunch", (void *steps, void *stream))             \
    X(wait, "cuCtxSynchronize", (void))                                       \
    X(event_new, "cuEventCreate", (void **event, unsigned flags))             \
    X(event_free, "cuEventDestroy_v2", (void *event))                         \
    X(event_record, "cuEventRecord", (void *event, void *stream))             \
    X(event_wait, "cuEventSynchronize", (void *event))                        \
    X(event_elapsed, "cuEventElapsedTime", (float *ms, void *from, void *to)) \
    X(version, "cuDriverGetVersion", (int *version))                          \
    X(error_name, "cuGetErrorName", (int error, const char **name))

struct gpu_cuda {
#define GPU_CUDA_FIELD(name, symbol, arguments) int(*name) arguments;
    GPU_CUDA_CALLS(GPU_CUDA_FIELD)
#undef GPU_CUDA_FIELD
};

enum {
    GPU_CUDA_OUT_OF_MEMORY = 2,
    GPU_CUDA_NO_DEVICE = 100,
    GPU_CUDA_INTEGRATED = 18,
    GPU_CUDA_MAJOR = 75, /* attributes: compute capability, 8.0 and up */
    GPU_CUDA_MINOR = 76,
    GPU_CUDA_OWN_THREAD = 1,    /* capture mode: ignore other threads */
    GPU_CUDA_BLOCKING_EVENT = 1 /* a wait for the event sleeps */
};

#endif
