/* work.h - what a launch of each kernel has to move and to compute: one formula per
 * kernel, of the sizes in its arguments. tests/gpu/work.c has them, tests/gpu/timed.c
 * divides by the time, tests/gpu/counted.c compares with the bytes that the host's
 * kernels touch, tests/gpu/work_table.c writes vlm/device/gpu/WORK.md. */
#ifndef TESTS_GPU_WORK_H
#define TESTS_GPU_WORK_H

#include <stdbool.h>
#include <stddef.h>

#include "vlm/device/gpu/kernels/gpu_args.h"

enum {
#define GPU_NUMBER(name, args) GPU_WORK_##name,
    GPU_KERNELS(GPU_NUMBER)
#undef GPU_NUMBER
        GPU_WORK_KERNELS
};

/* Names of the formulas' sizes, with what they mean. */
#define GPU_SIZES(X)                                                       \
    X(n, "rows of the launch: tokens, patches or sequences")               \
    X(col, "numbers of such a row; of a product's activations")            \
    X(row, "rows of weights")                                              \
    X(bytes, "of a row of weights")                                        \
    X(scales, "bytes of scales and sums per number of the activations")    \
    X(used, "experts that a token chose; 1 without experts")               \
    X(some, "experts that any token chose; 1 without")                     \
    X(experts, "all of them")                                              \
    X(apart, "rows of activations that differ")                            \
    X(h, "heads")                                                          \
    X(kv, "heads of keys and values; of the delta rule: of keys")          \
    X(dim, "numbers of a head")                                            \
    X(kept, "bytes of a key or value of a head")                           \
    X(turned, "numbers of a head that positions rotate")                   \
    X(keys, "keys of all sequences")                                       \
    X(pairs, "of a token and a key that it sees, or an expert it chose")   \
    X(parts, "of a token's sums: one per 512 keys, at most one per split") \
    X(tap, "taps of the convolution")                                      \
    X(tail, "rows that the convolution keeps or finds")                    \
    X(runs, "sequences")                                                   \
    X(chunk, "tokens in chunks of more than 16")                           \
    X(chunk2, "the sum of the squares of such chunks' sizes")              \
    X(pixel, "bytes of a pixel that are read")                             \
    X(side, "positions of the learned table")                              \
    X(bend, "operations of the activation function")                       \
    X(adds, "1 if it adds to what was there, else 0")                      \
    X(after, "bytes of the norm or the gate behind a product, else 0")     \
    X(then, "its operations, else 0")                                      \
    X(more, "1 with a second input, else 0")

struct gpu_sizes {
#define GPU_SIZE(name, text) double name;
    GPU_SIZES(GPU_SIZE)
#undef GPU_SIZE
};

struct gpu_work {
    double bytes, operations;
};

/* Copies from device memory; what lies there only the launch knows. */
typedef bool gpu_work_get(void *to, const void *from, size_t size);

/* The sizes of a launch of kernel number `kernel`. A kernel of experts counts those
 * that were chosen. */
struct gpu_sizes gpu_work_sizes(int kernel, const void *args,
                                const unsigned *grid, gpu_work_get *get);
struct gpu_work gpu_work_of(int kernel, const struct gpu_sizes *sizes);

/* The formulas as text, and the kernel's name. */
struct gpu_work_text {
    const char *name, *bytes, *operations;
};
struct gpu_work_text gpu_work_text(int kernel);

#endif
