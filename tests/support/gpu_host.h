/* gpu_host.h - a device that is this process: kernels of vlm/device/gpu on the host.
 *
 * A block is GPU_THREADS fibers, one after the other, that change places where a
 * kernel waits (gpu_lang.h), each time in another order; blocks come one after the
 * other. Memory of the device is what gpu_host_take gave: gpu_race.c sees every
 * access of a kernel and refuses one that lies elsewhere, or that nothing orders
 * against another thread's. The first thing that goes wrong ends its launch and
 * is kept (gpu_host_error).
 */
#ifndef TESTS_SUPPORT_GPU_HOST_H
#define TESTS_SUPPORT_GPU_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_host_kernel {
    const char *name;
    void (*run)(const void *args);
    size_t size; /* of args */
};

/* The kernel of this name, or NULL (gpu_kernels.c). */
const struct gpu_host_kernel *gpu_host_find(const char *name);
const struct gpu_host_kernel *gpu_host_list(size_t *n);

/* Runs a grid of x * y * z blocks. */
void gpu_host_launch(const struct gpu_host_kernel *k, const void *args, int x,
                     int y, int z);

/* Device memory, of garbage; give ends the test when it is none. */
void *gpu_host_take(size_t size);
void gpu_host_give(void *block);

/* Bytes that are taken; block i of them, or NULL. */
size_t gpu_host_taken(void);
void *gpu_host_block(int i, size_t *size);

/* Where device memory comes from, from now on, and where it goes; of 256 bytes'
 * alignment. */
void gpu_host_memory(void *(*take)(size_t size), void (*give)(void *block));

/* Called before and after the host runs a launch (NULL: nobody). What it returns
 * after it, other than NULL, is what went wrong (gpu_host_error). */
typedef const char *gpu_host_watcher(const struct gpu_host_kernel *k,
                                     const void *args, const int *grid,
                                     bool after);
void gpu_host_watch(gpu_host_watcher *fn);

/* What went wrong first since the last call, or NULL. */
const char *gpu_host_error(void);

/* Where fibers change places from now on; any number. */
void gpu_host_order(uint32_t seed);

/* Bytes of the device that the last launch read, and those that it wrote, each counted
 * once; 0 unless accesses are looked at. */
size_t gpu_host_touched(void);

/* Whether accesses are held against each other as well (slow); true at first. */
void gpu_host_races(bool on);

#endif
