/* gpu_fake.h - NVIDIA's driver as it seems from above: one device, whose kernels
 * are run by gpu_host.h, and whose n-th call fails when a test wants it. */
#ifndef TESTS_SUPPORT_GPU_FAKE_H
#define TESTS_SUPPORT_GPU_FAKE_H

#include <stdbool.h>

#include "vlm/device/gpu/gpu_cuda.h"

extern struct gpu_cuda gpu_fake;

/* From now on the n-th call fails (from 1; 0: none) with this error, if it can
 * fail at all: what gives back does its work all the same. */
void gpu_fake_fail(int n, int error);

/* So many devices of this generation there are (1, 8), of so much memory (64 MiB); and
 * who is called at the beginning of each call (NULL: nobody). */
void gpu_fake_machine(int n_device, int major);
void gpu_fake_room(size_t bytes);
void gpu_fake_older(int device); /* one of them is of generation 7 (-1: none) */

/* Whether its memory is the host's, and how much of it is called taken for that the
 * host keeps files there. */
void gpu_fake_unified(bool on, size_t cached);
void gpu_fake_watch(void (*fn)(void));

/* A kernel that is found beside those of gpu_host_list: gpu_host_find for others. */
struct gpu_host_kernel;
void gpu_fake_find(const struct gpu_host_kernel *(*fn)(const char *name));

/* Launches do nothing from now on: for tests of what is called. And those of the kernel
 * of this name alone (NULL: none); how often it would have run. */
void gpu_fake_idle(bool on);
void gpu_fake_skip(const char *kernel);
int gpu_fake_skipped(void);

/* Launches between two events that a thread sleeps for (GPU_CUDA_BLOCKING_EVENT)
 * are not run: each takes so many microseconds of a clock that has no other.
 * NULL: 2 us, and 1 ns a block. */
void gpu_fake_price(double (*fn)(const char *kernel, int blocks));

/* Calls since then; contexts, modules, streams, records and blocks of memory that are
 * held; how often recorded launches were started, ever. */
int gpu_fake_calls(void);
int gpu_fake_held(void);
int gpu_fake_repeated(void);

/* Launches of the record that was started last. */
int gpu_fake_launches(void);

#endif
