/* gpu_driver.h - one device of NVIDIA's driver: memory, launches.
 *
 * ERRORS   A failed driver call is ERR_SYSTEM, "engine-error", with the
 *          driver's error name; so is out of memory: the machine's fault, never
 *          a document's. No driver, or no such device: ERR_MISSING.
 * MEMORY   gpu_driver_close frees all allocations that are left.
 * THREADS  One at a time, any of them.
 */
#ifndef VLM_DEVICE_GPU_GPU_DRIVER_H
#define VLM_DEVICE_GPU_GPU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "vlm/base/err.h"
#include "vlm/device/gpu/kernels/gpu_args.h"

struct arena;
struct gpu_driver;
struct gpu_steps;
struct gpu_cuda;

enum gpu_kernel {
#define GPU_KERNEL_NUMBER(name, args) GPU_KERNEL_##name,
    GPU_KERNELS(GPU_KERNEL_NUMBER)
#undef GPU_KERNEL_NUMBER
        GPU_N_KERNEL
};

/* Opens device `ordinal` and loads the kernels of `text` (gpu_ptx.h), which are
 * all but those that are set in without[GPU_N_KERNEL] (NULL: none); these cannot
 * be launched. `cuda` NULL: functions of the system's library; else borrowed. */
struct gpu_driver *gpu_driver_open(const struct gpu_cuda *cuda,
                                   const char *text, const bool *without,
                                   int ordinal, struct err *err);
/* A kernel's name. */
const char *gpu_driver_kernel_name(enum gpu_kernel kernel);
void gpu_driver_close(struct gpu_driver *g); /* NULL is fine */

/* Has a call other than an allocation failed? Then open a new driver. */
bool gpu_driver_broken(const struct gpu_driver *g);

/* The device's name from the driver; and "NAME, generation 9.0, driver 13000":
 * what a measured time belongs to. */
const char *gpu_driver_name(const struct gpu_driver *g);
const char *gpu_driver_title(struct gpu_driver *g, struct arena *arena,
                             struct err *err);

enum { GPU_NAME = 96, GPU_GENERATION = 8 /* minimum for the kernels */ };

/* A device as shown by `platen doctor`. */
struct gpu_found {
    char name[GPU_NAME];
    int major, minor; /* compute capability */
    bool unified;     /* shares the host's memory */
    size_t left;      /* free bytes, as gpu_driver_left */
    char why[480];    /* why it cannot be used, or "" */
};

/* Lists at most `most` devices; returns their number. FAIL: ERR_MISSING, no
 * driver, or no device; ERR_SYSTEM. */
int gpu_driver_list(const struct gpu_cuda *cuda, struct gpu_found *found,
                    int most, struct err *err);

/* Free bytes of the device; if it shares the host's memory, including what the
 * host can free. */
size_t gpu_driver_left(struct gpu_driver *g, struct err *err);

/* Allocates uninitialised device memory, NULL if there is none; and frees it
 * (NULL is fine). */
void *gpu_driver_alloc(struct gpu_driver *g, size_t size, struct err *err);
void gpu_driver_free(struct gpu_driver *g, void *at);

/* Memory of the host that the driver copies to without one of its own between;
 * of the heap, where it has none. free: before the driver is closed. */
void *gpu_driver_host_new(struct gpu_driver *g, size_t size);
void gpu_driver_host_free(struct gpu_driver *g, void *at);

/* Copies to the device and back; after all earlier launches. */
void gpu_driver_upload(struct gpu_driver *g, void *to, const void *from,
                       size_t n, struct err *err);
void gpu_driver_get(struct gpu_driver *g, void *to, const void *from, size_t n,
                    struct err *err);

/* On the device: copies, and fills with zeros. */
void gpu_driver_copy(struct gpu_driver *g, void *to, const void *from, size_t n,
                     struct err *err);
void gpu_driver_clear(struct gpu_driver *g, void *at, size_t n,
                      struct err *err);

/* Launches a grid of x * y * z blocks; `args` is the kernel's struct of
 * gpu_args.h and is copied. wait: until everything launched has finished. */
void gpu_driver_launch(struct gpu_driver *g, enum gpu_kernel kernel,
                       const void *args, int x, int y, int z, struct err *err);
void gpu_driver_wait(struct gpu_driver *g, struct err *err);

/* The time that the launches between both calls take on the device, in
 * microseconds; 0 after an error. */
void gpu_driver_time_begin(struct gpu_driver *g, struct err *err);
double gpu_driver_time_end(struct gpu_driver *g, struct err *err);

/* Records launches instead of starting them (nothing else may be called), until
 * gpu_driver_recorded returns the record, or NULL if something failed. repeat
 * starts it, any number of times. forget frees it; NULL is fine. */
void gpu_driver_record(struct gpu_driver *g, struct err *err);
struct gpu_steps *gpu_driver_recorded(struct gpu_driver *g, struct err *err);
void gpu_driver_repeat(struct gpu_driver *g, const struct gpu_steps *s,
                       struct err *err);
void gpu_driver_forget(struct gpu_driver *g, struct gpu_steps *s);

#endif
