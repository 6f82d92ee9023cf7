/* gpu_driver.h - one device behind NVIDIA's driver: memory, launches.
 *
 * ERRORS   What the driver refuses is ERR_SYSTEM, "engine-error", with its name
 *          for it; no memory is ERR_SYSTEM as well: the machine's fault, never a
 *          document's. No driver, or no such device: ERR_MISSING.
 * MEMORY   What is taken is given back by gpu_driver_close at the latest.
 * THREADS  One at a time, any of them.
 */
#ifndef VLM_DEVICE_GPU_GPU_DRIVER_H
#define VLM_DEVICE_GPU_GPU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "vlm/base/err.h"
#include "vlm/device/gpu/kernels/gpu_args.h"

struct gpu_driver;
struct gpu_steps;
struct gpu_cuda;

enum gpu_kernel {
#define GPU_KERNEL_NUMBER(name, args) GPU_KERNEL_##name,
    GPU_KERNELS(GPU_KERNEL_NUMBER)
#undef GPU_KERNEL_NUMBER
        GPU_N_KERNEL
};

/* Opens device `ordinal` and makes all kernels ready. `cuda` NULL: those of the
 * library on this machine; else borrowed. `text`: of gpu_ptx.h. */
struct gpu_driver *gpu_driver_open(const struct gpu_cuda *cuda,
                                   const char *text, int ordinal,
                                   struct err *err);
void gpu_driver_close(struct gpu_driver *g); /* NULL is fine */

/* Something failed other than for want of memory: only a new one may work. */
bool gpu_driver_broken(const struct gpu_driver *g);

/* As its maker calls it. */
const char *gpu_driver_name(const struct gpu_driver *g);

enum { GPU_NAME = 96, GPU_GENERATION = 8 /* that kernels need */ };

/* A device as doctor tells of it. */
struct gpu_found {
    char name[GPU_NAME];
    int major, minor; /* its generation */
    bool unified;     /* its memory is the host's */
    size_t left;      /* bytes, as gpu_driver_left */
    char why[480];    /* it cannot be used, or "" */
};

/* How many devices there are, `most` at most, and what they are. FAIL: ERR_MISSING,
 * no driver, or no device; ERR_SYSTEM. */
int gpu_driver_list(const struct gpu_cuda *cuda, struct gpu_found *seen,
                    int most, struct err *err);

/* Bytes of the device that are not taken by anybody; where its memory is the
 * host's, what the host may give as well. */
size_t gpu_driver_left(struct gpu_driver *g, struct err *err);

/* Memory of the device, of garbage; NULL when there is none. give: NULL is fine. */
void *gpu_driver_alloc(struct gpu_driver *g, size_t size, struct err *err);
void gpu_driver_free(struct gpu_driver *g, void *at);

/* To the device and back; they come after every launch before them. */
void gpu_driver_upload(struct gpu_driver *g, void *to, const void *from,
                       size_t n, struct err *err);
void gpu_driver_get(struct gpu_driver *g, void *to, const void *from, size_t n,
                    struct err *err);

/* On the device: a copy, and zeros. */
void gpu_driver_copy(struct gpu_driver *g, void *to, const void *from, size_t n,
                     struct err *err);
void gpu_driver_clear(struct gpu_driver *g, void *at, size_t n,
                      struct err *err);

/* Starts a grid of x * y * z blocks; `args` is what gpu_args.h says of the kernel
 * and may go at once. wait: until all that was started is done. */
void gpu_driver_launch(struct gpu_driver *g, enum gpu_kernel kernel,
                       const void *args, int x, int y, int z, struct err *err);
void gpu_driver_wait(struct gpu_driver *g, struct err *err);

/* From now on launches are noted instead of started (nothing else may be called),
 * until gpu_driver_recorded: which gives what was noted, or NULL where something
 * failed. repeat starts it all, as often as wanted. forget: NULL is fine. */
void gpu_driver_record(struct gpu_driver *g, struct err *err);
struct gpu_steps *gpu_driver_recorded(struct gpu_driver *g, struct err *err);
void gpu_driver_repeat(struct gpu_driver *g, const struct gpu_steps *s,
                       struct err *err);
void gpu_driver_forget(struct gpu_driver *g, struct gpu_steps *s);

#endif
