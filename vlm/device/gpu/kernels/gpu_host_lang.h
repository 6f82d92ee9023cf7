/* gpu_host_lang.h - the macros of gpu_lang.h on a host: provided by the tests
 * (tests/support/gpu_host.c). No part of the program is compiled with it.
 */
#ifndef VLM_DEVICE_GPU_KERNELS_GPU_HOST_LANG_H
#define VLM_DEVICE_GPU_KERNELS_GPU_HOST_LANG_H

#include <stdint.h>

/* Position of the current thread; changes with every switch of threads. */
struct gpu_host_place {
    int thread, block_x, block_y, block_z;
};
extern struct gpu_host_place gpu_host_here;

#define KERNEL(name, args)            void name(struct args a)
#define KERNEL_OF(name, args, blocks) void name(struct args a)
#define INSIDE                        __attribute__((unused)) static inline
#define SHARED                        static __attribute__((section("gpu_shared"), aligned(16)))
#define UNROLL
#define UNROLL_8
#define THREAD         (gpu_host_here.thread)
#define BLOCK_X        (gpu_host_here.block_x)
#define BLOCK_Y        (gpu_host_here.block_y)
#define BLOCK_Z        (gpu_host_here.block_z)
#define BARRIER()      gpu_host_barrier(__LINE__)
#define WARP_BARRIER() gpu_host_warp_barrier(__LINE__)

/* Wait for the block's threads, or the warp's; all must reach this line. */
void gpu_host_barrier(int line);
void gpu_host_warp_barrier(int line);

/* As described in gpu_lang.h. */
float gpu_fma(float x, float y, float z);
float gpu_sqrt(float x);
float gpu_from_half(uint16_t h);
uint16_t gpu_to_half(float f);
int gpu_dot4(uint32_t x, uint32_t y, int sum);
uint32_t gpu_bytes(uint32_t low, uint32_t high, uint32_t pick);
uint32_t gpu_swap(uint32_t x, int mask);
int gpu_count(uint32_t *count, int n);
void gpu_mma32(int *c, const uint32_t *a, const uint32_t *b);
void gpu_mma16(int *c, const uint32_t *a, const uint32_t *b);
void gpu_mma_half(float *c, const uint32_t *a, const uint32_t *b);

#endif
