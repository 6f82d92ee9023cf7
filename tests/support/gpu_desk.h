/* gpu_desk.h - what tests of single kernels share: device memory that a test's end gives
 * back, noise, runs of a pass. */
#ifndef TESTS_SUPPORT_GPU_DESK_H
#define TESTS_SUPPORT_GPU_DESK_H

#include <stddef.h>

#include "vlm/device/gpu/kernels/gpu_args.h"

/* A number of -1 .. 1; every test begins with the same. */
float gpu_desk_noise(void);

/* n floats of noise, or `size` bytes of garbage, on the device. */
float *gpu_desk_take(size_t n);
void *gpu_desk_block(size_t size);

/* Runs a kernel, and fails the test with what goes wrong. */
void gpu_desk_launch(const char *name, const void *args, int x, int y, int z);

void gpu_desk_near(const char *what, double got, double want, double most);

/* Runs of a pass, each of its own sequence of `state` bytes, all 0. */
struct gpu_desk_pass {
    struct gpu_run *run;
    int *run_of;
    int n, n_run, longest, n_chunk;
};

/* run[i]: tokens before it, and its own. */
struct gpu_desk_pass gpu_desk_pass(const int (*run)[2], int n_run,
                                   size_t state);

/* Of cmocka: before and behind each test. */
int gpu_desk_begin(void **state);
int gpu_desk_end(void **state);

#define GPU_DESK_TEST(f) \
    cmocka_unit_test_setup_teardown(f, gpu_desk_begin, gpu_desk_end)

#endif
